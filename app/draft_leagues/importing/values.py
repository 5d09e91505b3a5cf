"""A league in progress as files describe it, before its footballers are found. Pure values."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.draft_leagues.name_matching import Named
from app.draft_leagues.settings import DraftLeagueSettings

LEAST_TEAMS, MOST_TEAMS = 2, 32
MOST_WEEKS = 30
MOST_POINTS = 1_000_000  # thousandths, as of an adjustment
MOST_BUDGET = 10_000
MOST_PRIORITY = 100
MOST_DIVISIONS = 8
Text = Annotated[str, Meta(max_length=200)]
Spot = Literal["active", "reserve", "taxi"]


class ImportedPlayer(msgspec.Struct, frozen=True):
    """A footballer on a roster. `key`: what the file calls them; `ids`: ids of the record."""

    key: Text
    name: Text
    position: Text = ""
    club: Text = ""
    ids: tuple[Text, ...] = ()
    spot: Spot = "active"

    @property
    def named(self) -> Named:
        """How the file names them."""
        return Named(self.name, self.position, self.club, self.ids)


class ImportedTeam(msgspec.Struct, frozen=True):
    """A team of the league.

    Attributes:
        key: What results call it.
        name: As the file writes it; names.py makes it one that is possible here.
        owner: Who ran it there.
        budget_used: Of the waiver budget; less than 0 for a team that was given some in trades.
        waiver_priority: None if the file does not say it.
        division: From 1; 0 without divisions.
    """

    key: Text
    name: Text
    owner: Text = ""
    players: Annotated[tuple[ImportedPlayer, ...], Meta(max_length=100)] = ()
    budget_used: Annotated[int, Meta(ge=-MOST_BUDGET, le=MOST_BUDGET)] = 0
    waiver_priority: Annotated[int, Meta(ge=1, le=MOST_PRIORITY)] | None = None
    division: Annotated[int, Meta(ge=0, le=MOST_DIVISIONS)] = 0


class ImportedGame(msgspec.Struct, frozen=True):
    """A game of two teams in a gameweek.

    Attributes:
        away: None for a team without an opponent.
        home_points: In thousandths; None while it has not been played.
    """

    week: Annotated[int, Meta(ge=1, le=MOST_WEEKS)]
    home: Text
    away: Text | None
    home_points: Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)] | None = None
    away_points: Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)] | None = None


class ImportedPick(msgspec.Struct, frozen=True):
    """A pick of a later draft that changed hands. `original` and `owner` are keys of teams."""

    season: Annotated[int, Meta(ge=1900, le=2200)]
    round: Annotated[int, Meta(ge=1, le=50)]
    original: Text
    owner: Text


class ImportedLeague(msgspec.Struct, frozen=True):
    """A whole league.

    Attributes:
        year: The year of its season; None if the files do not say it.
        scoring: Thousandths of a point per unit of a statistic; empty for the settings' scoring.
        picks: Of later drafts, those that changed hands.
        notes: What could not be taken over, in sentences.
    """

    name: Text
    year: int | None
    settings: DraftLeagueSettings
    teams: Annotated[tuple[ImportedTeam, ...], Meta(max_length=MOST_TEAMS)]
    games: Annotated[tuple[ImportedGame, ...], Meta(max_length=1_000)] = ()
    scoring: dict[str, int] = {}
    picks: Annotated[tuple[ImportedPick, ...], Meta(max_length=1_000)] = ()
    notes: tuple[str, ...] = ()

    @property
    def played_weeks(self) -> list[int]:
        """The gameweeks with results, in order."""
        return sorted({game.week for game in self.games if game.home_points is not None})
