"""Draft leagues: founding one by a preset, its state, and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import (
    member_of,
    opened,
    opened_by_commissioner,
    or_refused,
    refused_problem,
)
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import (
    NO_LEAGUE,
    PROBLEMS,
    DraftLeaguePath,
    FranchiseNumber,
    Text,
)
from app.api.fantasy.shapes import Body, GameweekName, SeasonText, season_of
from app.api.operations import GET, POST, PUT, Limits
from app.api.security import MemberCaller
from app.core import clock
from app.core.db import db
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal
from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.franchises.services import co_commissioners
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.season_facts import faults_in_season, season_facts
from app.draft_leagues.setting_fitting import fitted
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings, version_of
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.rules import LEAGUE_NAME_MAX, TEAM_NAME_MAX
from app.fantasy.market.models import Season
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import DRAFT, League

NOT_POSSIBLE = (
    "The league can't be created this way. `errors` lists every problem and what to change."
)
NO_MEMBER = "Only members can do this, not an integrator's players. Sign in as a member."
NO_CODE = "No draft league has this invite code. Check it, or ask for a new one."
NO_SEASON = Refusal(
    "season", "season", "There is no such season, or it is over. Leave it out to use the newest."
)

Settings = Annotated[
    DraftLeagueSettings,
    Meta(
        description="All settings in one object. Errors name a setting by its path, such as "
        "`season.playoff_teams`."
    ),
]


class DraftLeagueNew(Body, frozen=True, forbid_unknown_fields=True):
    """A draft league to create from a preset. The caller becomes its commissioner.

    The preset is fitted to the season: fewer weeks or a smaller bench if it has too few.
    """

    name: Annotated[str, Meta(min_length=1, max_length=LEAGUE_NAME_MAX, examples=["The Row"])]
    team_name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=TEAM_NAME_MAX,
            description="The name of the caller's own team.",
            examples=["Ann FC"],
        ),
    ]
    preset: Literal["redraft", "dynasty", "two-quarterback", "idp", "best-ball"] = "redraft"
    franchises: (
        Annotated[
            int,
            Meta(
                ge=2,
                le=32,
                description="The number of teams. Defaults to the preset's number.",
                examples=[12],
            ),
        ]
        | None
    ) = None
    time_zone: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_+/-]*$",
            max_length=64,
            description=(
                "The league's time zone, in which all times of day are given. Defaults "
                "to the preset's."
            ),
            examples=["Europe/Berlin"],
        ),
    ] = ""
    season: SeasonText = ""
    is_public: Annotated[
        bool,
        Meta(description="If true, anyone may join; otherwise only people with the invite code."),
    ] = False


class JoinNew(Body, frozen=True, forbid_unknown_fields=True):
    """The code of a league, and the name of the caller's team there."""

    invite_code: Annotated[
        str,
        Meta(
            pattern=Text,
            max_length=40,
            description="The league's invite code, with or without the dash.",
        ),
    ]
    team_name: Annotated[str, Meta(min_length=1, max_length=TEAM_NAME_MAX, examples=["Bob FC"])]


class DraftDateNew(Body, frozen=True, forbid_unknown_fields=True):
    """When the draft begins, and its order."""

    starts_at: (
        Annotated[
            datetime,
            Meta(
                tz=True,
                description=(
                    "When the draft begins. Null if the commissioner starts it in the draft room."
                ),
                examples=["2026-09-01T19:00:00Z"],
            ),
        ]
        | None
    ) = None
    order: Annotated[
        tuple[FranchiseNumber, ...],
        Meta(
            max_length=32, description="The order of the first round. Leave it empty for a lottery."
        ),
    ] = ()


class DraftLeagueBody(Body, frozen=True):
    """A draft league as one of its members sees it."""

    league: Annotated[str, Meta(description="The league's slug, as in its URL.")]
    name: str
    season: str
    phase: Annotated[
        str,
        Meta(
            description=(
                "The league's phase: `setup` until the draft begins, then `drafting`, "
                "`season` and `finished`."
            )
        ),
    ]
    first_week: Annotated[
        GameweekName, Meta(description="The first gameweek that counts in the league.")
    ]
    my_franchise: Annotated[
        int | None, Meta(description="The caller's team. Null if the caller has none.")
    ]
    runs_it: Annotated[bool, Meta(description="Whether the caller is one of its commissioners.")]
    co_commissioners: Annotated[
        Sequence[int], Meta(description="The co-commissioners, not including the founder.")
    ]
    champion: Annotated[
        int | None,
        Meta(description="The team that won the league. Null until there is a champion."),
    ]
    draft: Annotated[
        int | None, Meta(description="The number of the league's draft. Null before there is one.")
    ]
    invite_code: Annotated[
        str | None,
        Meta(
            description=(
                "The code with which others can join. Null unless the caller is a commissioner."
            )
        ),
    ]
    settings: Settings
    settings_version: Annotated[
        str,
        Meta(
            description=(
                "Increases with every change to the settings. Send it when you change them."
            )
        ),
    ]


@draft_operation(
    POST,
    "/api/v1/draft-leagues",
    answers={201: DraftLeagueBody},
    problems={409: "No season is open for a new league.", 422: NOT_POSSIBLE},
    limits=Limits("20 per hour"),
)
def found_draft_league(
    body: DraftLeagueNew, caller: PlayerCaller | MemberCaller
) -> DraftLeagueBody:
    """Create a draft league from a preset.

    All settings can be changed until the draft begins.
    """
    now = clock.now()
    member_id = member_of(caller)
    if member_id is None:
        raise ProblemError(403, NO_MEMBER)
    season = open_season(body.season)
    settings = PRESETS[body.preset]
    settings = replace(
        settings,
        franchises=body.franchises or settings.franchises,
        time_zone=body.time_zone or settings.time_zone,
    )
    settings = fitted(settings, season_facts(season.id, now))
    if refused := faults_in_season(settings, season.id, now):
        raise refused_problem(refused, 422, {"time_zone": "timeZone"})
    league = setup.found(
        member_id,
        NewDraftLeague(body.name, body.team_name, season.id, settings, is_public=body.is_public),
        now,
    )
    if not isinstance(league, League):
        raise refused_problem(league, 422)
    return league_body(opened(DraftLeaguePath(league.slug), caller))


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/draft",
    answers={200: DraftLeagueBody},
    problems=PROBLEMS,
)
def put_draft_date(
    path: DraftLeaguePath, body: DraftDateNew, caller: PlayerCaller | MemberCaller
) -> DraftLeagueBody:
    """Schedule or reschedule the league's draft, as the commissioner."""
    page = opened_by_commissioner(path, caller)
    date = DraftDate(body.starts_at, body.order)
    refused = draft_planning.schedule(page.league.id, date, page.viewer_id, clock.now())
    or_refused(refused, {"starts_at": "startsAt"})
    return league_body(opened(path, caller))


@draft_operation(
    POST,
    "/api/v1/draft-leagues/join",
    answers={200: DraftLeagueBody},
    problems={404: NO_CODE, 409: "The league is full, or the caller is not allowed to join it."},
    limits=Limits("20 per hour"),
)
def join_draft_league(body: JoinNew, caller: PlayerCaller | MemberCaller) -> DraftLeagueBody:
    """Join a draft league with its invite code. A repeated request changes nothing.

    If a team has no owner, the caller takes it over with its roster and name.
    """
    member_id = member_of(caller)
    league = leagues.invited(body.invite_code)
    if member_id is None or league is None or league.game != DRAFT:
        raise ProblemError(404, NO_CODE)
    refused = leagues.join(member_id, league.id, body.team_name, clock.now())
    if refused is not None:
        raise refused_problem([refused])
    return league_body(opened(DraftLeaguePath(league.slug), caller))


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}",
    answers={200: DraftLeagueBody},
    problems={404: NO_LEAGUE},
)
def get_draft_league(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> DraftLeagueBody:
    """Read a draft league: its phase and all settings."""
    return league_body(opened(path, caller))


def open_season(name: str) -> Season:
    """The named season, or the newest in which a draft league can be founded."""
    seasons = [
        season
        for season in league_queries.open_seasons(clock.now())
        if rules_named(season.rules).sport == "football"
    ]
    if not seasons:
        raise ProblemError(
            409, "No season is open for a new league. An operator can create or import one."
        )
    named_season = season_of(name)
    if named_season is None:
        return seasons[0]
    for season in seasons:
        if _season_text(season) == name:
            return season
    raise refused_problem([NO_SEASON], 422)


def _season_text(season: Season) -> str:
    return f"{season.competition}-{season.season}-{season.season_type}"


def league_body(page: DraftLeaguePage) -> DraftLeagueBody:
    """The response for a league."""
    league = page.league
    draft = draft_planning.draft_of(league.id)
    return DraftLeagueBody(
        league=league.slug,
        name=league.name,
        season=_season_text(db.session.get_one(Season, league.season_id)),
        phase=page.draft_league.phase,
        first_week=f"GW{league.first_week}",
        my_franchise=page.mine.number if page.mine is not None else None,
        runs_it=page.runs_it,
        co_commissioners=co_commissioners(league.id),
        champion=page.draft_league.champion,
        draft=draft.id if draft is not None else None,
        invite_code=league.invite_code if page.runs_it else None,
        settings=page.settings,
        settings_version=version_of(page.settings),
    )
