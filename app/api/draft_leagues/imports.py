"""Bringing a league in progress here from its files: CSV, or the public JSON of Sleeper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from app.accounts.names import cleaned
from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import member_of, opened, refused_problem
from app.api.draft_leagues.leagues import (
    NO_MEMBER,
    NOT_POSSIBLE,
    DraftLeagueBody,
    Settings,
    league_body,
    open_season,
)
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import DraftLeaguePath, Text
from app.api.fantasy.shapes import Body, Points, SeasonText, milli
from app.api.operations import POST, Limits
from app.api.security import MemberCaller
from app.core import clock
from app.core.http.problems import ProblemError
from app.core.input_limits import IMPORT_OPERATION, LEAGUE_FILES, LEAGUE_FILES_BYTES
from app.core.refusals import Refusal
from app.draft_leagues.importing.files import read_league
from app.draft_leagues.importing.planning import ImportAnswers
from app.draft_leagues.importing.rules import Doubt, Matched, match_players
from app.draft_leagues.importing.services import (
    Import,
    known_footballers,
    planned,
    refusals,
    take_over,
)
from app.draft_leagues.importing.values import ImportedGame, ImportedLeague
from app.draft_leagues.settings import PRESETS, SlotName
from app.fantasy.leagues.rules import LEAGUE_NAME_MAX
from app.fantasy.market.models import Season
from app.fantasy.standings.models import League

LIMITS = Limits("30 per hour", body=LEAGUE_FILES_BYTES)
UNREADABLE = {409: "No season is open for a new league.", 422: NOT_POSSIBLE}
FIELDS = {"team": "team", "time_zone": "timeZone", "starts_next": "startsNext"}

Files = Annotated[
    dict[str, Annotated[str, Meta(pattern=Text)]],
    Meta(
        max_length=LEAGUE_FILES,
        description=("The content of each file, by file name: CSV files, or Sleeper's JSON files."),
        examples=[{"rosters.csv": "Team,Player,Position\nAnn FC,A. Rivera,QB\n"}],
    ),
]
Choices = Annotated[
    dict[str, Annotated[str, Meta(pattern=Text, max_length=200)]],
    Meta(
        max_length=2_000,
        description=(
            "The right player for each unmatched player, by `key`. An empty string "
            "leaves the player out."
        ),
        examples=[{"A. Rivera": "KwesiManu#9"}],
    ),
]


class ImportTry(Body, frozen=True, forbid_unknown_fields=True):
    """The files of a league, and what they do not contain."""

    files: Files
    name: Annotated[
        str,
        Meta(
            pattern=Text,
            max_length=LEAGUE_NAME_MAX,
            description="The league's name, if the files do not have one.",
            examples=["The Row"],
        ),
    ] = ""
    preset: Annotated[
        Literal["redraft", "dynasty", "two-quarterback", "idp", "best-ball"],
        Meta(description="The preset to use if the files have no settings."),
    ] = "redraft"
    season: SeasonText = ""
    choices: Choices = msgspec.field(default_factory=dict)
    scoring: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9_]{0,40}$",
            description="The scoring rules to use instead of those in the files.",
            examples=["half_ppr_idp"],
        ),
    ] = ""
    starters: Annotated[
        dict[SlotName, Annotated[int, Meta(ge=0, le=10)]] | None,
        Meta(
            description="The starting slots to use instead of those in the files.",
            examples=[{"QB": 1}],
        ),
    ] = None
    starts_next: Annotated[
        bool,
        Meta(description="Whether to start with the next gameweek, without the results so far."),
    ] = False


class ImportNew(ImportTry, frozen=True, forbid_unknown_fields=True):
    """The files to import, with the caller's own team."""

    team: Annotated[
        str,
        Meta(
            pattern=Text,
            max_length=200,
            description="The key of your team in the preview.",
            examples=["3"],
        ),
    ] = ""
    time_zone: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_+/-]*$",
            max_length=64,
            description=(
                "The league's time zone, in which all times of day are given. Defaults "
                "to the season's."
            ),
            examples=["Europe/Berlin"],
        ),
    ] = ""


class ImportedTeamBody(Body, frozen=True):
    """A team of the files."""

    key: str
    name: str
    owner: Annotated[str, Meta(description="The team's owner in the original league.")]
    footballers: Annotated[int, Meta(description="The number of players on the team's roster.")]
    budget_left: Annotated[
        int | None,
        Meta(
            description=(
                "The waiver budget the team has left. Null if the league does not use blind bids."
            )
        ),
    ]


class ImportedGameBody(Body, frozen=True):
    """A game that is imported. Teams are identified by their keys."""

    week: int
    home: str
    away: Annotated[
        str | None, Meta(description="The away team. Null if the opponent is the league average.")
    ]
    home_points: Annotated[
        Points | None, Meta(description="The home team's points. Null before the game.")
    ]
    away_points: Points | None


class SuggestionBody(Body, frozen=True):
    """A footballer who might be the right one."""

    footballer_id: str
    name: str
    position: str
    club: str


class DoubtBody(Body, frozen=True):
    """A player in the files who was not found. Choose the right one, or leave the player out."""

    key: str
    team: str
    name: str
    suggestions: Sequence[SuggestionBody]


class ImportPreviewBody(Body, frozen=True):
    """What the import would store. Nothing is saved yet."""

    name: str
    settings: Settings
    teams: Sequence[ImportedTeamBody]
    played_weeks: Annotated[Sequence[int], Meta(description="The gameweeks that have results.")]
    doubts: Sequence[DoubtBody]
    games: Sequence[ImportedGameBody]
    missing_weeks: Annotated[
        Sequence[int],
        Meta(description="Gameweeks that have begun but have no final result in the files."),
    ]
    notes: Annotated[
        Sequence[str], Meta(description="What differs from the files and why, in sentences.")
    ]
    faults: Annotated[
        Sequence[str],
        Meta(
            description="Why the import would be refused, in sentences. Empty if it can go ahead."
        ),
    ]


@dataclass(frozen=True)
class _Read:
    """Files that were read: the league, its season, and whom they mean."""

    season: Season
    league: ImportedLeague
    matched: Matched


@draft_operation(
    POST,
    f"{IMPORT_OPERATION}/preview",
    answers={200: ImportPreviewBody},
    problems=UNREADABLE,
    limits=LIMITS,
)
def preview_league_import(
    body: ImportTry, caller: PlayerCaller | MemberCaller
) -> ImportPreviewBody:
    """Preview the import of a league's files, with the players who were not found."""
    _member(caller)
    imported = _read(body)
    new = _import(imported, body, "", "")
    plan = planned(new, clock.now())
    league = plan.league
    bids = league.settings.waivers.kind == "blind_bids"
    budget = league.settings.waivers.budget
    return ImportPreviewBody(
        league.name,
        league.settings,
        [
            ImportedTeamBody(
                team.key,
                team.name,
                team.owner,
                len(team.players),
                budget - team.budget_used if bids else None,
            )
            for team in league.teams
        ],
        league.played_weeks,
        [_doubt(doubt) for doubt in imported.matched.doubts],
        [_game(game) for game in league.games],
        plan.missing_weeks,
        league.notes,
        [refusal.text for refusal in refusals(new, clock.now()) if refusal.field != "team"],
    )


def _game(game: ImportedGame) -> ImportedGameBody:
    return ImportedGameBody(
        game.week,
        game.home,
        game.away,
        None if game.home_points is None else milli(game.home_points),
        None if game.away_points is None else milli(game.away_points),
    )


@draft_operation(
    POST,
    IMPORT_OPERATION,
    answers={201: DraftLeagueBody},
    problems=UNREADABLE,
    limits=LIMITS,
)
def import_draft_league(body: ImportNew, caller: PlayerCaller | MemberCaller) -> DraftLeagueBody:
    """Import a league in progress: rosters, results, picks and settings.

    The caller becomes the commissioner and runs one of the teams; the other teams need owners. A
    request repeated within ten minutes returns the league that was created.
    """
    member_id = _member(caller)
    imported = _read(body)
    new = _import(imported, body, body.team, body.time_zone)
    created = take_over(member_id, new, clock.now())
    if not isinstance(created, League):
        raise refused_problem(created, 422, FIELDS)
    return league_body(opened(DraftLeaguePath(created.slug), caller))


def _member(caller: PlayerCaller | MemberCaller) -> int:
    member_id = member_of(caller)
    if member_id is None:
        raise ProblemError(403, NO_MEMBER)
    return member_id


def _read(body: ImportTry) -> _Read:
    """Read the files. Raises ProblemError 422 for what is wrong with them."""
    season = open_season(body.season)
    league = read_league(
        _uploads(body.files),
        body.name.strip(),
        replace(PRESETS[body.preset], time_zone=season.time_zone),
        "files",
    )
    if isinstance(league, Refusal):
        raise refused_problem([league], 422)
    matched = match_players(league, known_footballers(season.id), body.choices)
    return _Read(season, league, matched)


def _import(read: _Read, body: ImportTry, team: str, time_zone: str) -> Import:
    league = read.league
    return Import(
        cleaned(league.name)[:LEAGUE_NAME_MAX],
        read.season.id,
        league,
        team,
        read.matched.ids,
        time_zone or league.settings.time_zone,
        ImportAnswers(scoring=body.scoring, starters=body.starters, starts_next=body.starts_next),
    )


def _uploads(files: Mapping[str, str]) -> list[tuple[str, bytes]]:
    return [(name, text.encode()) for name, text in files.items() if text]


def _doubt(doubt: Doubt) -> DoubtBody:
    return DoubtBody(
        doubt.player.key,
        doubt.team,
        doubt.player.name,
        [
            SuggestionBody(each.id, each.name, each.position, each.club)
            for each in doubt.suggestions
        ],
    )
