"""Playing a competition over the API: invitations, joining, attempts.

Tables and rewards are in competition_reads.py.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta
from sqlalchemy import select

from app.accounts import players
from app.accounts.api_keys import KeyCaller
from app.accounts.models import Player
from app.accounts.tokens import PlayerCaller
from app.api.competition_shapes import CompetitionName, CompetitionPath
from app.api.competitions import TAG, competition_of, own_mode
from app.api.games import mode_of
from app.api.operations import POST, PUT, Limits, operation
from app.api.scores import AttemptBody, AttemptNew
from app.api.security import Key, PlayerToken
from app.api.shapes import GameName, ModeName, PlayerId
from app.boards.models import Mode
from app.competitions import joining
from app.competitions.models import Competition, CompetitionEntry
from app.core import clock
from app.core.db import db
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal
from app.scores.submission import attempts

PLAY = Key("attempts:issue")
MOST_INVITED = 1000
STATUS = {joining.NOT_ALLOWED: 403, joining.SETTLING: 409}
RETRY_SECONDS = 15
Tier = Annotated[int, Meta(description="The tier's number. 1 is the lowest tier.")]


class CompetitionPlayerPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a competition player."""

    game: GameName
    mode: ModeName
    competition: CompetitionName
    player_id: PlayerId


class Invited(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Players who may join if `join` is `invited`."""

    player_ids: Annotated[list[UUID], Meta(min_length=1, max_length=MOST_INVITED)]


class EntryBody(msgspec.Struct, frozen=True):
    """A player's place in a window."""

    window: int
    player_id: UUID
    tier: Tier
    cohort: Annotated[int, Meta(description="The cohort's number within the tier, starting at 1.")]
    joined_at: datetime
    carried: Annotated[
        bool,
        Meta(
            description=(
                "Whether the settlement of the previous window placed the player here, "
                "without joining."
            )
        ),
    ]
    attempts: Annotated[
        int, Meta(description="How many attempts the player has taken in this window.")
    ]


class CompetitionAttempt(AttemptBody, frozen=True, kw_only=True):
    """The right to send one score, which also counts in the current window."""

    window: int
    number: Annotated[
        int,
        Meta(
            description=(
                "The number of this attempt among the player's attempts in the window, "
                "starting at 1."
            )
        ),
    ]
    attempts_left: Annotated[
        int | None,
        Meta(description="How many attempts are left. Null if attempts are not limited."),
    ]


@operation(
    PUT,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/invitations",
    tag=TAG,
    answers={204: None},
    security=[PLAY],
    problems={
        404: "The integrator has no such game, or there is no such mode, competition or player."
    },
    limits=Limits(caller="60 per minute"),
)
def invite_players(path: CompetitionPath, body: Invited, caller: KeyCaller) -> tuple[int, None]:
    """Invite up to 1,000 players to the competition. Players invited before stay invited."""
    competition = competition_of(own_mode(path, caller), path.competition)
    player_ids = set(body.player_ids)
    query = select(Player.id, Player.integrator_id).where(Player.id.in_(player_ids))
    known = {
        row.id
        for row in db.session.execute(query)
        if row.integrator_id in (None, caller.integrator_id)
    }
    if missing := sorted(player_ids - known, key=str):
        text = (
            f"player_ids: the integrator has no player {missing[0]}: register them first. "
            "No one was invited."
        )
        raise ProblemError(404, text, [Fault("body", "player_ids", "unknown_player", text)])
    joining.invite(competition.id, player_ids, clock.now())
    return 204, None


@operation(
    PUT,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/players/{player_id}",
    tag=TAG,
    answers={200: EntryBody},
    security=[PLAY, PlayerToken()],
    problems={
        403: (
            "The request was signed by a different player, or the player is not allowed to join."
        ),
        404: "There is no such game, mode, competition or player.",
        409: (
            "The competition is not live, its deadline for joining has passed, or "
            "the previous window is still being settled."
        ),
    },
)
def join_competition(path: CompetitionPlayerPath, caller: KeyCaller | PlayerCaller) -> EntryBody:
    """Join the current window, or the next one. Repeating it changes nothing.

    Sent by the player with their token, or by the game's server. A player with a score in a window
    is placed in the next one by its settlement, without joining.
    """
    competition, _ = played_competition(path, caller)
    _own_player(path.player_id, caller)
    entry = joining.join(
        competition.id, path.player_id, clock.now(), by_server=isinstance(caller, KeyCaller)
    )
    if isinstance(entry, Refusal):
        raise _refused(entry)
    return _entry(entry)


@operation(
    POST,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/attempts",
    tag=TAG,
    answers={201: CompetitionAttempt},
    security=[PLAY],
    problems={
        403: "The key does not have the required scope.",
        404: "The integrator has no such game, or there is no such mode, competition or player.",
        409: "No attempts are left, the player has not joined, or no window is open.",
    },
    limits=Limits(caller="6000 per minute"),
)
def take_attempt(path: CompetitionPath, body: AttemptNew, caller: KeyCaller) -> CompetitionAttempt:
    """Take one of a player's attempts in the current window: the right to send one score.

    An attempt is used up when it is taken. If you send your own `attempt_id`, you can repeat the
    request: it returns the same attempt and uses up no other. The attempt expires at the end of
    the window at the latest. Its score is sent like that of any attempt; a server that sends scores
    in bulk gives this `attempt_id`.
    """
    mode = own_mode(path, caller)
    competition = competition_of(mode, path.competition)
    _own_player(body.player_id, caller)
    now = clock.now()
    attempt_id = None if body.attempt_id is UNSET else body.attempt_id
    taken = joining.take_attempt(competition.id, body.player_id, attempt_id, now)
    if isinstance(taken, Refusal):
        raise _refused(taken)
    cap = mode.max_score if body.score_cap is UNSET else min(body.score_cap, mode.max_score)
    lifetime = min(timedelta(seconds=body.expires_in), taken.window.ends_at - now)
    grant, token = attempts.issue(
        attempts.AttemptRequest(
            mode.id,
            body.player_id,
            cap,
            lifetime,
            taken.attempt_id,
            caller.key_id,
            None if body.session_id is UNSET else body.session_id,
        ),
        now,
    )
    return CompetitionAttempt(
        grant.attempt_id,
        grant.player_id,
        token,
        grant.cap,
        grant.expires,
        grant.session_id,
        window=taken.window.number,
        number=taken.number,
        attempts_left=taken.left,
    )


def played_competition(
    path: CompetitionPath | CompetitionPlayerPath, caller: KeyCaller | PlayerCaller
) -> tuple[Competition, Mode]:
    """The competition: a key reads its own, a player those of modes that they may read.

    Players do not see drafts. Raises ProblemError 403, 404.
    """
    if isinstance(caller, KeyCaller):
        mode = own_mode(CompetitionPath(path.game, path.mode, path.competition), caller)
        return competition_of(mode, path.competition), mode
    game, mode = mode_of(path.game, path.mode)
    player = players.find_player(caller.player_id)
    if player is None or player.integrator_id not in (None, game.integrator_id):
        raise ProblemError(
            403,
            f"{game.title} belongs to another integrator. Only that integrator's players "
            "can join its competitions.",
        )
    if mode.private and player.integrator_id != game.integrator_id:
        raise ProblemError(
            403,
            f"{mode.title} is private. Only its integrator's players can join its competitions.",
        )
    return competition_of(mode, path.competition, drafts=False), mode


def _own_player(player_id: UUID, caller: KeyCaller | PlayerCaller) -> None:
    """Check that the caller may act for the player. Raises ProblemError 403, 404."""
    if isinstance(caller, PlayerCaller):
        if caller.player_id != player_id:
            raise ProblemError(
                403, "The token belongs to another player. Join with that player's own player_id."
            )
        return
    player = players.find_player(player_id)
    if player is None or player.integrator_id not in (None, caller.integrator_id):
        raise ProblemError(
            404, f"The integrator of this key has no player {player_id}. Register the player first."
        )


def _entry(entry: CompetitionEntry) -> EntryBody:
    return EntryBody(
        entry.window_number,
        entry.player_id,
        entry.tier,
        entry.cohort,
        entry.joined_at,
        entry.carried,
        entry.attempts,
    )


def _refused(refusal: Refusal) -> ProblemError:
    headers = {"Retry-After": str(RETRY_SECONDS)} if refusal.code == joining.SETTLING else {}
    return ProblemError(
        STATUS.get(refusal.code, 409),
        refusal.text,
        [Fault("body", refusal.field, refusal.code, refusal.text)],
        headers=headers,
    )
