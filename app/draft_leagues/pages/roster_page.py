"""Loads what the page of a roster shows: everybody by where they are, and what they may do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.core.db import db
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.models import SEASON
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.rankings.queries import bye_weeks
from app.draft_leagues.settings import RosterSettings
from app.draft_leagues.waivers.queries import budget_left
from app.fantasy.amounts import decimal_points
from app.fantasy.market import listing
from app.fantasy.market.gameweeks import gameweek_row, shared_games_of
from app.fantasy.market.listing import Fixture, Listed
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.statuses import UNFIT
from app.fantasy.projections.queries import projected_points
from app.fantasy.projections.rules import Projection
from app.fantasy.projections.words import projected_words
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import Place, Rosters, Spot
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets.context import begun_among, context_of
from app.fantasy.sheets.roster_services import open_gameweek

SPOT_TITLES: Mapping[Spot, str] = {
    "active": "Roster",
    "reserve": "Injured reserve",
    "taxi": "Taxi squad",
}
_POSITIONS = ("QB", "RB", "WR", "TE", "K", "DST")


@dataclass(frozen=True)
class RosterRow:
    """A footballer of a roster.

    Attributes:
        slot: The place of the line-up that they have; their position if that is not to be seen.
        points: What they have earned this season.
        projection: What they are expected to have in the open gameweek; empty without one.
        bye_week: None if the schedule does not say.
        has_begun: Whether their game of the open gameweek has begun.
        spots: Where the viewer may try to move them.
        may_drop: Whether the viewer may try to drop them.
    """

    footballer: Listed
    slot: str
    points: str
    projection: str
    fixture: Fixture | None
    bye_week: int | None
    has_begun: bool
    spots: Sequence[Spot] = ()
    may_drop: bool = False


@dataclass(frozen=True)
class RosterPart:
    """The starters, the bench, injured reserve or the taxi squad.

    `room`: how many places there are.
    """

    title: str
    room: int
    rows: Sequence[RosterRow]


@dataclass(frozen=True)
class PickRow:
    """A pick of a later draft that changed hands. `other`: from or to which franchise."""

    season: int
    round: int
    is_owned: bool
    other: int


@dataclass(frozen=True)
class RosterPage:
    """A franchise's roster.

    Attributes:
        gameweek: The one whose line-ups are open; None after the last.
        picks: Picks of later drafts that the franchise got or gave away.
        budget: What is left of its waiver budget; None if the league has none.
        is_mine: Whether the viewer runs the franchise.
    """

    team: Team
    gameweek: Gameweek | None
    parts: Sequence[RosterPart]
    picks: Sequence[PickRow]
    budget: int | None
    is_mine: bool

    @property
    def count(self) -> int:
        """How many are on the roster."""
        return sum(len(part.rows) for part in self.parts)

    @property
    def locked(self) -> int:
        """How many of them are locked, because their game of the open gameweek has begun."""
        return sum(row.has_begun for part in self.parts for row in part.rows)


@dataclass(frozen=True)
class _Facts:
    """What is known of the roster's footballers, by id or club."""

    listed: Mapping[str, Listed]
    projections: Mapping[str, Projection] = field(default_factory=dict)
    fixtures: Mapping[str, Fixture] = field(default_factory=dict)
    byes: Mapping[str, int] = field(default_factory=dict)
    begun: Collection[str] = ()


def load_roster(page: DraftLeaguePage, team: Team, now: datetime) -> RosterPage:
    """Load a franchise's roster.

    Its line-up is shown to its own member alone, because others see it only when it locks.
    """
    league = page.league
    rosters = rosters_of(league.id)
    places = rosters.of(team.number)
    gameweek = open_gameweek(league.team_rules_id, now)
    facts = _facts(page, places, gameweek, now)
    is_mine = page.mine is not None and page.mine.number == team.number
    slots: list[tuple[str, str]] = []
    if is_mine and gameweek is not None and team.member_id is not None:
        slots = _lineup(team.member_id, league.team_rules_id, gameweek, now)
    may_act = is_mine and page.draft_league.phase == SEASON and not team.is_locked
    parts = _parts(page.settings.roster, places, slots, _Rows(facts, page, may_act))
    has_bids = page.settings.waivers.kind == "blind_bids"
    return RosterPage(
        team,
        gameweek,
        parts,
        _picks(rosters, team.number, db.session.get_one(Season, league.season_id).season),
        budget_left(page.draft_league, page.settings, rosters, team.number) if has_bids else None,
        is_mine,
    )


def _lineup(
    member_id: int, team_rules_id: int, gameweek: Gameweek, now: datetime
) -> list[tuple[str, str]]:
    """The slot and the footballer of each place of the line-up, empty ones included."""
    context = context_of(member_id, team_rules_id, gameweek.id, now)
    if context.current is None or context.format.is_best_ball:
        return []
    slots = [slot.name for slot in context.format.places]
    return list(zip(slots, context.current.picks, strict=True))


def _facts(
    page: DraftLeaguePage, footballers: Collection[str], gameweek: Gameweek | None, now: datetime
) -> _Facts:
    league, rules = page.league, page.settings.scoring
    listed = listing.listed(league.season_id, rules, [*footballers])
    byes = bye_weeks(league.season_id)
    if gameweek is None:
        return _Facts(listed, byes=byes)
    return _Facts(
        listed,
        projected_points(
            league.season_id, gameweek_row(gameweek), [*footballers], rules_named(rules)
        ),
        listing.fixtures(shared_games_of(gameweek)),
        byes,
        begun_among(footballers, gameweek, now),
    )


@dataclass(frozen=True)
class _Rows:
    """Makes the rows of a page."""

    facts: _Facts
    page: DraftLeaguePage
    may_act: bool

    def of(self, footballers: Iterable[tuple[str, str]], spot: Spot) -> list[RosterRow]:
        """The rows of these footballers, each with their slot."""
        return [
            self._row(slot, self.facts.listed[footballer], spot)
            for slot, footballer in footballers
            if footballer in self.facts.listed
        ]

    def _row(self, slot: str, listed: Listed, spot: Spot) -> RosterRow:
        facts = self.facts
        has_begun = listed.id in facts.begun
        projection = facts.projections.get(listed.id)
        may_act = self.may_act and not has_begun
        return RosterRow(
            listed,
            slot or listed.position,
            decimal_points(listed.points),
            projected_words(projection.points) if projection is not None else "",
            facts.fixtures.get(listed.club_id),
            facts.byes.get(listed.club_id),
            has_begun,
            _spots(listed, spot, self.page.settings.roster) if may_act else (),
            may_act,
        )


def _spots(listed: Listed, spot: Spot, settings: RosterSettings) -> list[Spot]:
    """Where somebody at this spot may go."""
    spots: list[Spot] = []
    if spot != "active":
        spots.append("active")
    if spot != "reserve" and settings.reserve and listed.status in UNFIT:
        spots.append("reserve")
    if spot != "taxi" and settings.taxi:
        spots.append("taxi")
    return spots


def _parts(
    settings: RosterSettings,
    places: Mapping[str, Place],
    slots: Sequence[tuple[str, str]],
    rows: _Rows,
) -> list[RosterPart]:
    active = [each for each, place in places.items() if place.spot == "active"]
    parts = []
    if slots:
        starters, bench = slots[: settings.starter_count], slots[settings.starter_count :]
        placed = {footballer for _, footballer in slots}
        unplaced = [("", each) for each in active if each not in placed]
        parts += [
            RosterPart("Starters", len(starters), rows.of(starters, "active")),
            RosterPart("Bench", len(bench), rows.of([*bench, *unplaced], "active")),
        ]
    else:
        listed = rows.facts.listed
        by_position = sorted(
            (each for each in active if each in listed), key=lambda each: _order(listed[each])
        )
        everybody = rows.of([("", each) for each in by_position], "active")
        parts.append(RosterPart(SPOT_TITLES["active"], settings.active, everybody))
    spots: tuple[tuple[Spot, int], ...] = (("reserve", settings.reserve), ("taxi", settings.taxi))
    for spot, room in spots:
        footballers = [("", each) for each, place in places.items() if place.spot == spot]
        if room or footballers:
            parts.append(RosterPart(SPOT_TITLES[spot], room, rows.of(footballers, spot)))
    return parts


def _order(listed: Listed) -> tuple[int, int, str]:
    """Order by position as line-ups have them, then by points, then by id."""
    position = listed.position
    index = _POSITIONS.index(position) if position in _POSITIONS else len(_POSITIONS)
    return index, -listed.points, listed.id


def _picks(rosters: Rosters, franchise: int, season: int) -> list[PickRow]:
    """Picks of later drafts that the franchise got (`is_owned`) or gave away, in their order."""
    return [
        PickRow(year, round_number, owner == franchise, original if owner == franchise else owner)
        for (year, round_number, original), owner in sorted(rosters.picks.items())
        if year > season and owner != original and franchise in (owner, original)
    ]
