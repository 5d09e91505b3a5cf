"""Competitions over the API: declared, previewed, published and ended by their integrator.

Everybody can list them. Joining, attempts, tables and rewards are in competition_play.py and
competition_reads.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import UNSET

from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.api.competition_shapes import (
    BandPreviewBody,
    CompetitionBody,
    CompetitionChange,
    CompetitionList,
    CompetitionNew,
    CompetitionPath,
    CompetitionWhole,
    CompetitionWindowBody,
    MoveBody,
    PreviewBody,
    PreviewQuery,
    State,
    TierPreviewBody,
    WindowPreviewBody,
)
from app.api.games import MANAGE, mode_of, own_game, owner_of
from app.api.leaderboards import PRIVATE, readable_mode
from app.api.operations import DELETE, GET, PATCH, POST, Limits, operation
from app.api.security import Anybody, Key, PlayerToken, Security
from app.api.shapes import ModePath
from app.boards.models import Mode
from app.competitions import declaration as declared
from app.competitions import declaring, preview
from app.competitions.declaration import Declaration
from app.competitions.models import DRAFT, Competition, CompetitionWindow
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal

TAG = "Competitions"
# Open to everybody; a key of the game's own integrator sees drafts too.
READ: tuple[Security, ...] = (MANAGE, Key("feed:read"), PlayerToken(), Anybody())
ReadBy = KeyCaller | PlayerCaller | None
NO_COMPETITION = {404: "The integrator has no such game, or there is no such mode or competition."}


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/competitions",
    tag=TAG,
    answers={201: CompetitionWhole},
    security=[MANAGE],
    problems={
        404: "The integrator has no such game, or the game has no such mode.",
        409: "The slug is taken.",
    },
)
def create_competition(path: ModePath, body: CompetitionNew, caller: KeyCaller) -> CompetitionWhole:
    """Create a competition as a draft.

    A draft has no effect and can be changed completely: preview it, then publish it.
    """
    mode = own_mode(path, caller)
    new = declaring.NewCompetition(body.slug, body.title, body.declaration)
    created = declaring.create(mode, new, by=owner_of(caller), now=clock.now())
    return _whole(_or_refused(created, "declaration."))


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/competitions",
    tag=TAG,
    answers={200: CompetitionList},
    security=READ,
    problems={404: "There is no such game or mode.", **PRIVATE},
)
def list_competitions(path: ModePath, caller: ReadBy) -> CompetitionList:
    """List the competitions of a mode. The integrator's own key sees drafts too."""
    mode, is_own = _readable(path, caller)
    return CompetitionList(
        [
            CompetitionBody(*_said(competition))
            for competition in declaring.of_mode(mode, drafts=is_own)
        ]
    )


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}",
    tag=TAG,
    answers={200: CompetitionWhole},
    security=READ,
    problems={404: "There is no such game, mode or competition.", **PRIVATE},
)
def get_competition(path: CompetitionPath, caller: ReadBy) -> CompetitionWhole:
    """Read a competition, its declaration and its windows.

    Only its integrator's key sees a draft.
    """
    mode, is_own = _readable(path, caller)
    return _whole(competition_of(mode, path.competition, drafts=is_own))


@operation(
    PATCH,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}",
    tag=TAG,
    answers={200: CompetitionWhole},
    security=[MANAGE],
    problems={**NO_COMPETITION, 409: "The competition is live, so this can no longer be changed."},
)
def change_competition(
    path: CompetitionPath, body: CompetitionChange, caller: KeyCaller
) -> CompetitionWhole:
    """Change a competition. Either all of the change is made or none of it.

    A draft can be changed completely. Once it is live, you can change its title, the tiers' titles,
    the number of windows (those that have begun or have players stay) and `corrections_days`. The
    audit records who changed what.
    """
    competition = competition_of(own_mode(path, caller), path.competition)
    title = None if body.title is UNSET else body.title
    declaration = None if body.declaration is UNSET else body.declaration
    changed = declaring.change(
        competition.id, title, declaration, by=owner_of(caller), now=clock.now()
    )
    return _whole(_or_refused(changed, "declaration."))


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/preview",
    tag=TAG,
    answers={200: PreviewBody},
    security=[MANAGE],
    problems=NO_COMPETITION,
    limits=Limits(caller="30 per minute"),
)
def preview_competition(
    path: CompetitionPath, query: PreviewQuery, caller: KeyCaller
) -> PreviewBody:
    """Show what the declaration would have done in past windows of the mode. Changes nothing.

    The schedule is extended into the past, and the last windows that are over are examined. Players
    with a score that counts are taken as joined, in the order of their first scores; if attempts
    are limited, their first scores count. Cohorts, moves and rewards follow the same rules as a
    settlement.
    """
    mode = own_mode(path, caller)
    competition = competition_of(mode, path.competition)
    previews = preview.preview(
        mode, declared.read(competition.declaration), query.windows, clock.now()
    )
    if previews and isinstance(previews[0], Refusal):
        raise _refuse(
            [refusal for refusal in previews if isinstance(refusal, Refusal)], "", "query"
        )
    return PreviewBody(
        [_previewed(window) for window in previews if isinstance(window, preview.WindowPreview)]
    )


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/publish",
    tag=TAG,
    answers={200: CompetitionWhole},
    security=[MANAGE],
    problems={**NO_COMPETITION, 409: "The mode is archived."},
)
def publish_competition(path: CompetitionPath, caller: KeyCaller) -> CompetitionWhole:
    """Publish a draft. Repeating it changes nothing.

    Its windows are created, and players may join the first one, which must be in the future. All
    windows are settled by the mode's `aggregation` and `ties` at this moment.
    """
    competition = competition_of(own_mode(path, caller), path.competition)
    return _whole(
        _or_refused(
            declaring.publish(competition.id, by=owner_of(caller), now=clock.now()), "declaration."
        )
    )


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/end",
    tag=TAG,
    answers={200: CompetitionWhole},
    security=[MANAGE],
    problems={**NO_COMPETITION, 409: "The competition is a draft."},
)
def end_competition(path: CompetitionPath, caller: KeyCaller) -> CompetitionWhole:
    """End a competition after its current window.

    The current window is played to its end and settled. No further windows begin.
    """
    competition = competition_of(own_mode(path, caller), path.competition)
    return _whole(
        _or_refused(declaring.end(competition.id, by=owner_of(caller), now=clock.now()), "")
    )


@operation(
    DELETE,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}",
    tag=TAG,
    answers={204: None},
    security=[MANAGE],
    problems={**NO_COMPETITION, 409: "The competition has been live, and its rewards are kept."},
)
def delete_competition(path: CompetitionPath, caller: KeyCaller) -> tuple[int, None]:
    """Delete a draft."""
    competition = competition_of(own_mode(path, caller), path.competition)
    refused = declaring.remove(competition.id, by=owner_of(caller))
    if refused is not None:
        raise _refuse([refused], "", "path")
    return 204, None


def own_mode(path: ModePath | CompetitionPath, caller: KeyCaller) -> Mode:
    """The mode, if its game is the integrator's own. Raises ProblemError 404."""
    own_game(path.game, caller)
    return mode_of(path.game, path.mode)[1]


def competition_of(mode: Mode, name: str, *, drafts: bool = True) -> Competition:
    """The competition by slug or UUID; a draft only with `drafts`. Raises ProblemError 404."""
    competition = declaring.find(mode, name)
    if competition is None or (competition.state == DRAFT and not drafts):
        raise ProblemError(
            404,
            f"{mode.title} has no competition {name!r}. List the competitions to see their names.",
        )
    return competition


def _readable(path: ModePath | CompetitionPath, caller: ReadBy) -> tuple[Mode, bool]:
    """The mode, and whether it is the caller's own. Raises ProblemError 401, 403, 404."""
    game, mode = mode_of(path.game, path.mode)
    if isinstance(caller, KeyCaller) and caller.integrator_id == game.integrator_id:
        return mode, True
    return readable_mode(path.game, path.mode)[1], False


def _said(
    competition: Competition,
) -> tuple[UUID, str, str, State, datetime, datetime | None, datetime | None]:
    state = msgspec.convert(competition.state, State)
    return (
        competition.id,
        competition.slug,
        competition.title,
        state,
        competition.created_at,
        competition.live_at,
        competition.ended_at,
    )


def _whole(competition: Competition) -> CompetitionWhole:
    windows = [_window(window) for window in declaring.windows(competition.id)]
    declaration = declared.read(competition.declaration)
    return CompetitionWhole(
        *_said(competition), now=clock.now(), declaration=declaration, windows=windows
    )


def _window(window: CompetitionWindow) -> CompetitionWindowBody:
    return CompetitionWindowBody(
        window.number,
        window.starts_at,
        window.ends_at,
        window.join_until,
        window.settles_at,
        window.final_at,
        window.settled_at,
        window.settlements,
    )


def _previewed(window: preview.WindowPreview) -> WindowPreviewBody:
    return WindowPreviewBody(
        window.starts,
        window.ends,
        window.players,
        [msgspec.convert(tier, TierPreviewBody, from_attributes=True) for tier in window.tiers],
        [msgspec.convert(band, BandPreviewBody, from_attributes=True) for band in window.bands],
        window.moved,
        [msgspec.convert(move, MoveBody, from_attributes=True) for move in window.moves],
    )


def _or_refused(outcome: Competition | list[Refusal], prefix: str) -> Competition:
    if isinstance(outcome, list):
        raise _refuse(outcome, prefix, "body")
    return outcome


def _refuse(refused: Sequence[Refusal], prefix: str, where: str) -> ProblemError:
    """The refusals as a problem; `prefix` is put before fields of the declaration."""
    faults = []
    for refusal in refused:
        field = (
            f"{prefix}{refusal.field}"
            if refusal.field.split(".")[0].split("[")[0] in _FIELDS
            else refusal.field
        )
        faults.append(Fault(where, field, refusal.code, refusal.text))
    codes = {refusal.code for refusal in refused}
    status = (
        409
        if codes <= {declaring.TAKEN, declaring.STANDS, "archived"}
        else 403
        if codes == {"full"}
        else 400
    )
    return ProblemError(status, " ".join(refusal.text for refusal in refused), faults)


_FIELDS = frozenset(Declaration.__struct_fields__)
