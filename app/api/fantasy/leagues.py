"""Leagues over the API: a member founds one, as on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.api.fantasy.shapes import TAG, Body, GameweekName, SeasonText, season_of
from app.api.operations import POST, Limits, operation
from app.api.security import MemberCaller, Session
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues import words
from app.fantasy.leagues.rules import LEAGUE_NAME_MAX, TEAM_NAME_MAX, formats_for, read_first_week
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import gameweeks_of
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import League

FIELDS = {"team_name": "teamName", "first_week": "firstWeek", "postponed_games": "postponedGames"}


class LeagueNew(Body, frozen=True, forbid_unknown_fields=True):
    """A league to create. The caller becomes its first member and commissioner."""

    either_case: ClassVar[bool] = True

    name: Annotated[str, Meta(min_length=1, max_length=LEAGUE_NAME_MAX, examples=["The Row"])]
    team_name: Annotated[
        str,
        Meta(
            min_length=1, max_length=TEAM_NAME_MAX, description="The name of the caller's own team."
        ),
    ]
    format: Annotated[
        str, Meta(max_length=40, description="The roster format, such as `nfl-classic`.")
    ]
    rules: Annotated[
        str,
        Meta(
            max_length=40,
            description="The scoring rules, such as `ppr`. They must cover every slot.",
        ),
    ]
    season: SeasonText = ""
    mode: Annotated[
        Literal["total", "head_to_head"], Meta(description="How the standings rank teams.")
    ] = "total"
    lock: Annotated[
        Literal["gameweek", "game"],
        Meta(description="When players lock: all at the deadline, or each at kickoff."),
    ] = "gameweek"
    postponed_games: Annotated[
        Literal["played", "never"],
        Meta(description="Whether games moved to another gameweek count there."),
    ] = "played"
    is_public: Annotated[
        bool,
        Meta(description="If true, anyone may join; otherwise only people with the invite code."),
    ] = False
    first_week: Annotated[
        GameweekName | None,
        Meta(
            description=(
                "The first gameweek that counts. Defaults to the next one that is still open."
            )
        ),
    ] = None


class LeagueBody(Body, frozen=True):
    """The new league."""

    league: Annotated[str, Meta(description="The league's slug, as in its URL.")]
    name: str
    season: str
    format: str
    rules: str
    mode: str
    is_public: bool
    invite_code: str
    first_week: Annotated[
        GameweekName, Meta(description="The first gameweek that counts in the league.")
    ]


@operation(
    POST,
    "/api/v1/leagues",
    tag=TAG,
    answers={201: LeagueBody},
    security=(Session(),),
    problems={
        409: "No season is open for a new league.",
        422: (
            "The league can't be created this way. `errors` lists every problem and what to change."
        ),
    },
    limits=Limits("20 per hour"),
)
def found_league(body: LeagueNew, caller: MemberCaller) -> LeagueBody:
    """Create a league.

    All other settings are the format's defaults. The commissioner can change them until the first
    deadline.
    """
    now = clock.now()
    season = _season(body, league_queries.open_seasons(now))
    sport, refused = rules_named(season.rules).sport, []
    formats = {roster_format.name for roster_format in formats_for(sport)}
    if body.format not in formats:
        refused.append(Refusal("format", "format", f"Choose one of {', '.join(sorted(formats))}."))
    presets = {preset.name for preset in words.presets_for(sport)}
    if body.rules not in presets:
        refused.append(Refusal("rules", "rules", f"Choose one of {', '.join(sorted(presets))}."))
    entered = (body.first_week or "").removeprefix("GW")
    first_week = read_first_week(entered, [gameweek.week for gameweek in gameweeks_of(season.id)])
    if isinstance(first_week, Refusal):
        refused, first_week = [*refused, first_week], None
    if refused:
        raise _refusal(
            [*refused, *leagues.refusals(body.name, body.team_name, body.mode, "shared")]
        )
    choice = TeamRulesChoice.of(body.format, season.time_zone, lock=body.lock)
    league = leagues.create(
        caller.member_id,
        NewLeague(
            body.name,
            body.team_name,
            season.id,
            replace(choice, postponed_games=body.postponed_games),
            body.rules,
            body.mode,
            is_public=body.is_public,
            first_week=first_week,
        ),
        now,
    )
    if not isinstance(league, League):
        raise _refusal(league)
    return LeagueBody(
        league.slug,
        league.name,
        f"{season.competition}-{season.season}-{season.season_type}",
        body.format,
        league.rules,
        league.mode,
        league.is_public,
        league.invite_code,
        f"GW{league.first_week}",
    )


def _season(body: LeagueNew, seasons: Sequence[Season]) -> Season:
    if not seasons:
        raise ProblemError(
            409, "No season is open for a new league. An operator can create or import one."
        )
    named = season_of(body.season)
    if named is None:
        return seasons[0]
    for season in seasons:
        if (season.competition, season.season, season.season_type) == (
            named.competition,
            named.season,
            named.season_type,
        ):
            return season
    raise _refusal(
        [
            Refusal(
                "season",
                "season",
                "There is no such season, or it is over. Leave it out to use the newest.",
            )
        ]
    )


def _refusal(refused: list[Refusal]) -> ProblemError:
    faults = [
        Fault("body", FIELDS.get(refusal.field, refusal.field), refusal.code, refusal.text)
        for refusal in refused
    ]
    return ProblemError(422, " ".join(fault.detail for fault in faults), faults)
