"""What the fantasy pages show, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from app.core.http.pagination import page_count
from app.fantasy.amounts import decimal_points
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring.changes import Change
from app.fantasy.scoring.picks import Pick, PickGame
from app.fantasy.scoring.replay.moments import Cuts
from app.fantasy.standings.games import Game
from app.fantasy.standings.queries import LeagueRow, Standing
from app.fantasy.standings.season_table import Place
from app.record.pages.game_page import stat_summary
from app.record.queries import GameRow
from app.record.rules.state import NOT_AWAITED
from app.record.words import clock_words, period_words

NO_TEAM = "no team yet"


@dataclass(frozen=True)
class TableRow:
    """A place as the table shows it.

    `main`: what it ranks by, in points; `week`: the gameweek's part of it, where that is another
    number. `notes`: what a commissioner added to it, and why. `moved`: places won (or lost,
    negative) since the last gameweek.
    """

    member_id: int
    team_name: str
    display_name: str
    rank: int
    shared: bool
    main: int
    week: int | None
    match_points: int | None
    held: int
    moved: int
    left: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeaguePage:
    """`at`: in words, the moment shown instead of now; `cuts`: the last event of each game then.

    `is_week`: the table is the gameweek's own. `mine`: the page of the table with my own place.
    `changes`: of the scoring rules, in words.
    """

    league: LeagueRow
    rules: str
    gameweek: GameweekRow
    games: tuple[GameRow, ...]
    table: tuple[TableRow, ...]
    live: int
    over: bool
    is_week: bool = False
    number: int = 1
    pages: int = 1
    mine: int = 1
    matchups: tuple[Game, ...] = ()
    changes: tuple[str, ...] = ()
    at: str = ""
    cuts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PickGameRow:
    """A game of a footballer in a gameweek.

    `kickoff`: None once it is nothing to wait for. `points`: the team's, '' where the footballer
    did nothing in it.
    """

    game_id: str
    state: str
    kickoff: datetime | None
    summary: str
    points: str


@dataclass(frozen=True)
class PickRow:
    """`mark`: what the line-up does with them now: `Captain x2`, `on for`, `replaced`, ...

    `points`, `held`: of all their games of the gameweek together; `now`: the game that matters now,
    None where their club does not play.
    """

    pick: Pick
    games: tuple[PickGameRow, ...]
    now: PickGameRow | None
    points: str
    held: str
    mark: str


@dataclass(frozen=True)
class TeamPage:
    """`cost`: what transfers took off.

    `adjusted`: what a commissioner gave or took (points, reason), the total has both in it. `left`:
    who is still to play, in words.
    """

    league: LeagueRow
    gameweek: GameweekRow
    team_name: str
    display_name: str
    starters: tuple[PickRow, ...]
    substitutes: tuple[PickRow, ...]
    total: str
    cost: str
    adjusted: tuple[tuple[str, str], ...]
    left: str
    changes: tuple[Change, ...]
    over: bool


def is_over(statuses: Sequence[str]) -> bool:
    """Nothing will move any more.

    There are games, and none is still to be played in this gameweek.
    """
    return bool(statuses) and all(status in NOT_AWAITED for status in statuses)


@dataclass(frozen=True)
class Shown:
    """What every table of a league has around it.

    `rules`: their title; `number`: the page asked for. `locked`: no team can be picked for the
    gameweek any more.
    """

    league: LeagueRow
    rules: str
    gameweek: GameweekRow
    games: Sequence[GameRow]
    over: bool
    number: int = 1
    page_rows: int = 50
    locked: bool = False

    @property
    def no_team(self) -> str:
        """What is said of a member without a team."""
        return f"no team for {self.gameweek.name}" if self.locked else NO_TEAM

    def page(self, table: Sequence[TableRow], **rest: Any) -> LeaguePage:
        """Return the page with this table."""
        return LeaguePage(
            league=self.league,
            rules=self.rules,
            gameweek=self.gameweek,
            games=tuple(self.games),
            table=tuple(table),
            live=sum(game.status == "live" for game in self.games),
            over=self.over,
            number=self.number,
            **rest,
        )


def league_page(
    shown: Shown,
    table: Sequence[Place],
    *,
    mine: int = 1,
    matchups: Sequence[Game] = (),
    notes: Mapping[int, Sequence[str]] = MappingProxyType({}),
    changes: Sequence[str] = (),
) -> LeaguePage:
    """The season's table. `notes`: on points, by member."""
    return shown.page(
        [_season_row(place, shown, notes.get(place.member_id, ())) for place in table],
        pages=page_count(shown.league.members, shown.page_rows),
        mine=mine,
        matchups=tuple(matchups),
        changes=tuple(changes),
    )


def league_page_of_week(shown: Shown, table: Sequence[Standing], me: int) -> LeaguePage:
    """The gameweek's own table as it moves; `table` is the whole of it, in its order."""
    place = next((index for index, row in enumerate(table) if row.member_id == me), 0)
    rows = table[(shown.number - 1) * shown.page_rows : shown.number * shown.page_rows]
    return part_of_week(
        shown, rows, page_count(len(table), shown.page_rows), place // shown.page_rows + 1
    )


def part_of_week(
    shown: Shown, rows: Sequence[Standing | Place], pages: int, mine: int
) -> LeaguePage:
    """As league_page_of_week, from the rows of the page alone.

    `pages`: how many there are; `mine`: the viewer's.
    """
    return shown.page([_week_row(row, shown) for row in rows], is_week=True, pages=pages, mine=mine)


def league_page_as_of(shown: Shown, table: Sequence[Standing], cuts: Cuts) -> LeaguePage:
    """The gameweek's own table as of a moment; nothing in it moves."""
    return shown.page(
        [_week_row(row, shown) for row in table], is_week=True, at=cuts.words, cuts=cuts.numbers
    )


def _season_row(place: Place, shown: Shown, notes: Sequence[str]) -> TableRow:
    return TableRow(
        place.member_id,
        place.team_name,
        place.display_name,
        place.rank,
        place.shared,
        place.total,
        place.points if place.points != place.total else None,
        place.match_points,
        place.held,
        place.before - place.rank if place.before is not None else 0,
        ""
        if shown.over
        else _left(place.to_play, place.playing)
        if place.has_team
        else shown.no_team,
        tuple(notes),
    )


def _week_row(row: Standing | Place, shown: Shown) -> TableRow:
    return TableRow(
        row.member_id,
        row.team_name,
        row.display_name,
        row.rank,
        row.shared,
        row.points,
        None,
        None,
        row.held,
        0,
        _left(row.to_play, row.playing) if row.has_team else shown.no_team,
    )


def _left(to_play: int, playing: int) -> str:
    words = [f"{playing} playing" if playing else "", f"{to_play} to come" if to_play else ""]
    return ", ".join(word for word in words if word) or "all done"


def team_page(
    league: LeagueRow,
    gameweek: GameweekRow,
    team: tuple[str, str],
    picks: Sequence[Pick],
    changes: Sequence[Change],
    *,
    transfer_cost: int = 0,
    adjusted: Sequence[tuple[int, str]] = (),
    over: bool,
) -> TeamPage:
    """`team`: team name and member's name.

    The total is the sheet's as the league's table counts it.
    """
    rows = [_pick_row(pick, gameweek.is_settled) for pick in picks]
    starters = [row.pick for row in rows if row.pick.is_starter]
    return TeamPage(
        league=league,
        gameweek=gameweek,
        team_name=team[0],
        display_name=team[1],
        starters=tuple(row for row in rows if row.pick.is_starter),
        substitutes=tuple(row for row in rows if not row.pick.is_starter),
        total=decimal_points(
            sum(pick.points * pick.multiplier for pick in picks)
            - transfer_cost
            + sum(points for points, _ in adjusted)
        ),
        cost=decimal_points(-transfer_cost) if transfer_cost else "",
        adjusted=tuple((decimal_points(points), reason) for points, reason in adjusted),
        left=_left(
            sum(pick.game is not None and pick.game.status == "scheduled" for pick in starters),
            sum(pick.game is not None and pick.game.status == "live" for pick in starters),
        ),
        changes=tuple(changes),
        over=over,
    )


def _pick_row(pick: Pick, settled: bool) -> PickRow:
    games = {one.game_id: _game_row(one, max(pick.multiplier, 1)) for one in pick.games}
    return PickRow(
        pick=pick,
        games=tuple(games.values()),
        now=games[pick.game.game_id] if pick.game else None,
        points=decimal_points(pick.points * max(pick.multiplier, 1)),
        held=(
            decimal_points(pick.held_points * pick.multiplier)
            if pick.held_points and pick.multiplier
            else ""
        ),
        mark=_mark(pick, settled),
    )


def _game_row(game: PickGame, counts: int) -> PickGameRow:
    return PickGameRow(
        game.game_id,
        _state(game),
        game.kickoff if game.status == "scheduled" else None,
        stat_summary(game.stats),
        decimal_points(game.points * counts) if game.stats or game.points else "",
    )


def _mark(pick: Pick, settled: bool) -> str:
    """What armband and substitutions do with a player.

    Before the gameweek is settled they are projected.
    """
    if pick.multiplier > 1:
        return "Captain ×2" if pick.is_captain else "Vice-captain ×2"
    if not pick.is_starter:
        return ("On as substitute" if settled else "On, projected") if pick.multiplier else ""
    if not pick.multiplier:
        return "Replaced" if settled else "Replaced, projected"
    return "Captain" if pick.is_captain else "Vice" if pick.is_vice_captain else ""


def _state(game: PickGame) -> str:
    """`at HRB, Q3 4:12`; `v SUM, final`; `v SUM, postponed`.

    `v SUM`, of which the kickoff is shown.
    """
    if game.status in ("ended", "final"):
        return f"{game.opponent}, final"
    if game.status in ("postponed", "suspended", "cancelled", "forfeited"):
        return f"{game.opponent}, {game.status}"
    if game.status == "live":
        return (
            f"{game.opponent}, {period_words(game.state['period'])} "
            f"{clock_words(game.state['clock'])}"
        )
    return game.opponent
