"""Keepers: whom teams take into the season, and taking the league into the next one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import (
    opened,
    opened_by_commissioner,
    or_refused,
    own_team,
    refused_problem,
)
from app.api.draft_leagues.leagues import Settings
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import (
    NO_LEAGUE,
    PROBLEMS,
    DraftLeaguePath,
    FranchiseNumber,
)
from app.api.fantasy.shapes import Body, FootballerId
from app.api.operations import GET, POST, PUT
from app.api.security import MemberCaller
from app.core import clock
from app.core.http.problems import ProblemError
from app.draft_leagues.keepers import services
from app.draft_leagues.keepers.queries import choices, owned_before, terms_of, window
from app.draft_leagues.keepers.rolling import preview_roll
from app.draft_leagues.keepers.rules import refusal_of, wished_round
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.fantasy.standings.models import League

NO_KEEPERS = "The league has no keepers from last season, or the caller is not in it."
MOST_KEPT = 60


class CanBeKeptBody(Body, frozen=True):
    """A footballer who was on the team's roster when last season ended."""

    footballer_id: str
    name: str
    round: Annotated[
        int | None,
        Meta(
            description=(
                "The round of the pick that keeping this player costs, if the team has "
                "that pick. Null if the player cannot be kept."
            )
        ),
    ]
    price: Annotated[int | None, Meta(description="The player's last auction price.")]
    seasons_kept: Annotated[
        int, Meta(description="How many seasons in a row the player has been kept so far.")
    ]
    why_not: Annotated[
        str,
        Meta(
            description=(
                "Why the player cannot be kept, as a sentence. Empty if the player can be kept."
            )
        ),
    ]


class KeptBody(Body, frozen=True):
    """A footballer whom a team has chosen to keep."""

    franchise: int
    footballer_id: str
    round: Annotated[
        int | None,
        Meta(
            description=(
                "The round of the pick that this keeper uses up. Null until keepers are locked in."
            )
        ),
    ]
    price: int


class KeepersBody(Body, frozen=True):
    """The players who can be kept, and those who have been chosen.

    Other members see a team's choices once they are locked in; commissioners see them right away.
    """

    deadline: datetime
    closed_at: Annotated[
        datetime | None,
        Meta(description="When keepers were locked in. Null while teams are still choosing."),
    ]
    most: Annotated[int, Meta(description="The maximum number of keepers per team.")]
    franchise: Annotated[
        int | None, Meta(description="The caller's team. Null if the caller has none.")
    ]
    can_be_kept: Annotated[
        Sequence[CanBeKeptBody], Meta(description="The players the caller's team can keep.")
    ]
    chosen: Annotated[
        Sequence[KeptBody],
        Meta(description="The keepers chosen so far, by team, each in the team's order."),
    ]


class KeepersNew(Body, frozen=True, forbid_unknown_fields=True):
    """All keepers of a team, the first choice first."""

    footballer_ids: Annotated[list[FootballerId], Meta(max_length=MOST_KEPT)]
    franchise: Annotated[
        FranchiseNumber | None,
        Meta(
            description=(
                "The team to choose for. Null means your own; commissioners can choose "
                "for another one."
            )
        ),
    ] = None


class NextSeasonNew(Body, frozen=True, forbid_unknown_fields=True):
    """How a league continues in the next season."""

    deadline: (
        Annotated[
            datetime,
            Meta(
                tz=True,
                description="The deadline for choosing keepers. Null in a league without keepers.",
                examples=["2027-08-01T19:00:00Z"],
            ),
        ]
        | None
    ) = None


class GoingOnBody(Body, frozen=True):
    """A team that continues in the next season."""

    franchise: int
    name: str
    footballers: Annotated[
        int, Meta(description="The number of players it can choose keepers from.")
    ]
    is_vacant: Annotated[
        bool,
        Meta(description="Whether the team has no owner, so that a new member can take it over."),
    ]


class NextSeasonPreviewBody(Body, frozen=True):
    """What carries over to the next season."""

    season: str
    has_keepers: bool
    deadline: Annotated[datetime, Meta(description="A suggested deadline for choosing keepers.")]
    teams: Sequence[GoingOnBody]
    settings: Settings


class NextSeasonBody(Body, frozen=True):
    """The league of the next season."""

    league: Annotated[str, Meta(description="The league's slug, as in its URL.")]


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/keepers",
    answers={200: KeepersBody},
    problems={404: NO_KEEPERS},
)
def get_keepers(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> KeepersBody:
    """Read which players your team can keep and at what cost, and the keepers chosen so far."""
    return _keepers(opened(path, caller))


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/keepers",
    answers={200: KeepersBody},
    problems={404: NO_KEEPERS, 409: PROBLEMS[409]},
)
def put_keepers(
    path: DraftLeaguePath, body: KeepersNew, caller: PlayerCaller | MemberCaller
) -> KeepersBody:
    """Replace a team's keepers before the deadline."""
    page = opened(path, caller)
    franchise = body.franchise or own_team(page).number
    new = services.NewChoice(franchise, body.footballer_ids)
    refused = services.choose(page.league.id, new, page.viewer_id, clock.now())
    or_refused(refused)
    return _keepers(page)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/keepers/close",
    answers={200: KeepersBody},
    problems={404: NO_KEEPERS},
)
def close_keepers(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> KeepersBody:
    """Lock in all keepers early, as the commissioner. A repeated request changes nothing."""
    page = opened_by_commissioner(path, caller)
    or_refused(services.close_now(page.league.id, page.viewer_id, clock.now()))
    return _keepers(page)


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/next-season",
    answers={200: NextSeasonPreviewBody},
    problems={404: NO_LEAGUE, 409: PROBLEMS[409]},
)
def preview_next_season(
    path: DraftLeaguePath, caller: PlayerCaller | MemberCaller
) -> NextSeasonPreviewBody:
    """Preview the league's next season, as the commissioner."""
    page = opened_by_commissioner(path, caller)
    preview = preview_roll(page.league, page.draft_league, clock.now())
    if isinstance(preview, list):
        raise refused_problem(preview)
    return NextSeasonPreviewBody(
        preview.season.name,
        preview.has_keepers,
        preview.deadline,
        [
            GoingOnBody(
                team.number,
                team.name,
                preview.on_rosters[team.number],
                team.number in preview.vacant,
            )
            for team in preview.teams
        ],
        preview.settings,
    )


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/next-season",
    answers={201: NextSeasonBody},
    problems={404: NO_LEAGUE, 409: PROBLEMS[409]},
)
def continue_draft_league(
    path: DraftLeaguePath, body: NextSeasonNew, caller: PlayerCaller | MemberCaller
) -> NextSeasonBody:
    """Start the league's next season, as the commissioner.

    Teams, settings, picks and the history carry over. A repeated request returns the same league.
    """
    page = opened_by_commissioner(path, caller)
    league = services.roll(page.league.id, page.viewer_id, body.deadline, clock.now())
    if not isinstance(league, League):
        raise refused_problem(league)
    return NextSeasonBody(league.slug)


def _keepers(page: DraftLeaguePage) -> KeepersBody:
    keeper_window = window(page.league.id)
    if keeper_window is None:
        raise ProblemError(404, NO_KEEPERS)
    mine = page.mine.number if page.mine is not None else None
    sees_all = page.runs_it or keeper_window.closed_at is not None
    terms = terms_of(page.league, page.settings, mine or 1)
    can_be_kept = []
    for owned in owned_before(page.league).get(mine or 0, ()):
        round_number, refusal = wished_round(owned, terms), refusal_of(owned, terms)
        can_be_kept.append(
            CanBeKeptBody(
                owned.footballer_id,
                owned.name,
                round_number if round_number > 0 else None,
                owned.price,
                owned.seasons_kept,
                refusal.text if refusal is not None else "",
            )
        )
    return KeepersBody(
        keeper_window.deadline,
        keeper_window.closed_at,
        terms.most,
        mine,
        can_be_kept,
        [
            KeptBody(each.franchise, each.footballer_id, each.round, each.price)
            for each in choices(page.league.id)
            if sees_all or each.franchise == mine
        ],
    )
