"""What the pages of a league's table and of its teams show, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.core.http.pagination import page_count
from app.fantasy.amounts import decimal_points
from app.fantasy.market.formats import Format, format_named
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.footballers.page import line_words
from app.fantasy.pages.league.my_matchup import MyMatchup
from app.fantasy.scoring.changes import Change
from app.fantasy.scoring.picks import Pick, PickGame
from app.fantasy.scoring.replay.moments import Cuts
from app.fantasy.standings.games import Game
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.queries import LeagueRow, Standing
from app.fantasy.standings.season_table import Place, WeekTable
from app.record.queries import GameRow
from app.record.rules.state import NOT_AWAITED
from app.record.words import clock_words, period_words

NO_TEAM = "no team yet"


@dataclass(frozen=True)
class TableRow:
    """A team's row in the table.

    Attributes:
        main: The points that the table ranks by, in thousandths.
        week: The gameweek's part of them; None if it is the same number.
        held_points: Points of plays under review.
        moved: Places won since the last gameweek; negative if lost.
        left: Who is still to play, in words.
        notes: What a commissioner added, and why.
        record: Games won, lost and, if there were any, tied, of a draft league's team.
    """

    member_id: int
    team_name: str
    display_name: str
    rank: int
    shared: bool
    main: int
    week: int | None
    match_points: int | None
    held_points: int
    moved: int
    left: str
    notes: tuple[str, ...] = ()
    record: str = ""


@dataclass(frozen=True)
class LeaguePage:
    """A page of a league's table.

    Attributes:
        rules: The title of the scoring rules.
        live: How many games are being played.
        is_over: Whether nothing in the table will move any more.
        is_week: Whether the table is that of the gameweek alone.
        number: The number of this page.
        mine: The page that has the viewer's own place.
        changes: Changes of the scoring rules, in words.
        at: The moment shown instead of now, in words.
        cuts: The last event of each game at that moment.
    """

    league: LeagueRow
    rules: str
    gameweek: GameweekRow
    games: tuple[GameRow, ...]
    table: tuple[TableRow, ...]
    live: int
    is_over: bool
    is_week: bool = False
    number: int = 1
    pages: int = 1
    mine: int = 1
    matchups: tuple[Game, ...] = ()
    my_matchup: MyMatchup | None = None
    changes: tuple[str, ...] = ()
    at: str = ""
    cuts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PickGameRow:
    """A game of a footballer in a gameweek.

    Attributes:
        kickoff: None once the game has begun.
        points: What the team gets for it; empty if the footballer did nothing in it.
    """

    game_id: str
    state: str
    kickoff: datetime | None
    summary: str
    points: str


@dataclass(frozen=True)
class PickRow:
    """A footballer on a team sheet.

    Attributes:
        now: The game that matters now; None if the club does not play.
        is_awaited: Whether nothing is known of a game that has begun, nor of any other.
        points: Of all games of the gameweek together.
        held_points: Those of them from plays under review.
        mark: What the line-up does with the footballer now: `Captain x2`, `Replaced`, ...
    """

    pick: Pick
    games: tuple[PickGameRow, ...]
    now: PickGameRow | None
    points: str
    held_points: str
    mark: str
    is_awaited: bool = False


@dataclass(frozen=True)
class TeamPage:
    """A team in a gameweek.

    Attributes:
        total: The points of the sheet as the league's table counts them.
        cost: What transfers cost, which the total includes; empty for nothing.
        adjusted: Points and reason of each of the commissioner's adjustments, which the total
            includes too.
        left: Who is still to play, in words.
        is_over: Whether nothing will move any more.
        is_hidden: Whether the line-up is another member's and still secret.
        is_awaited: Whether nothing is known of any starter's game, and one has begun.
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
    is_over: bool
    is_hidden: bool
    is_awaited: bool = False

    @property
    def is_draft(self) -> bool:
        """Whether it is the line-up of a draft league."""
        return format_named(self.league.format).is_draft

    @property
    def bench_title(self) -> str:
        """What the places besides the starters are called."""
        team_format = format_named(self.league.format)
        return "Bench (auto-sub order)" if team_format.substitutes_come_on else "Bench"


def is_over(statuses: Sequence[str]) -> bool:
    """Whether there are games, and none is still to be played in this gameweek."""
    return bool(statuses) and all(status in NOT_AWAITED for status in statuses)


@dataclass(frozen=True)
class TableContext:
    """What every table of a league has around it.

    Attributes:
        rules: The title of the scoring rules.
        is_over: Whether nothing in the table will move any more.
        number: The number of the requested page.
        locked: Whether no team can be picked for the gameweek any more.
        notes: The commissioner's adjustments in words, by member.
        changes: Changes of the scoring rules, in words.
    """

    league: LeagueRow
    rules: str
    gameweek: GameweekRow
    games: Sequence[GameRow]
    is_over: bool
    number: int = 1
    page_rows: int = 50
    locked: bool = False
    notes: Mapping[int, Sequence[str]] = field(default_factory=dict)
    changes: Sequence[str] = ()

    @property
    def no_team(self) -> str:
        """What the table says of a member without a team."""
        if self.league.game == DRAFT:  # everybody has a team
            return f"no lineup for {self.gameweek.name}"
        return f"no team for {self.gameweek.name}" if self.locked else NO_TEAM

    def page(self, table: Sequence[TableRow], **fields: Any) -> LeaguePage:
        """Return the page with this table."""
        return LeaguePage(
            league=self.league,
            rules=self.rules,
            gameweek=self.gameweek,
            games=tuple(self.games),
            table=tuple(table),
            live=sum(game.status == "live" for game in self.games),
            is_over=self.is_over,
            number=self.number,
            **fields,
        )


def league_page(
    context: TableContext, table: Sequence[Place], *, mine: int = 1, matchups: Sequence[Game] = ()
) -> LeaguePage:
    """The season's table. `mine`: the page that has the viewer's own place."""
    return context.page(
        [_season_row(place, context) for place in table],
        pages=page_count(context.league.members, context.page_rows),
        mine=mine,
        matchups=tuple(matchups),
        changes=tuple(context.changes),
    )


def league_page_of_week(context: TableContext, table: WeekTable) -> LeaguePage:
    """A page of the table of the gameweek alone."""
    return context.page(
        [_week_row(row, context) for row in table.rows],
        is_week=True,
        pages=table.pages,
        mine=table.mine,
    )


def league_page_as_of(context: TableContext, table: Sequence[Standing], cuts: Cuts) -> LeaguePage:
    """The table of the gameweek alone at a moment; nothing in it moves."""
    return context.page(
        [_week_row(row, context) for row in table], is_week=True, at=cuts.words, cuts=cuts.numbers
    )


def _season_row(place: Place, context: TableContext) -> TableRow:
    if context.is_over:
        left = ""
    elif place.has_team:
        left = _left(place.to_play, place.playing)
    else:
        left = context.no_team
    return TableRow(
        place.member_id,
        place.team_name,
        place.display_name,
        place.rank,
        place.shared,
        place.total,
        place.points if place.points != place.total else None,
        place.match_points,
        place.held_points,
        place.before - place.rank if place.before is not None else 0,
        left,
        tuple(context.notes.get(place.member_id, ())),
        _record(place.record) if place.record is not None else "",
    )


def _record(games: tuple[int, int, int]) -> str:
    """Games won and lost, and tied if there were any, as in the NFL's standings."""
    won, lost, tied = games
    return f"{won}–{lost}–{tied}" if tied else f"{won}–{lost}"


def _week_row(row: Standing | Place, context: TableContext) -> TableRow:
    return TableRow(
        row.member_id,
        row.team_name,
        row.display_name,
        row.rank,
        row.shared,
        row.points,
        None,
        None,
        row.held_points,
        0,
        _left(row.to_play, row.playing) if row.has_team else context.no_team,
    )


def _left(to_play: int, playing: int, awaited: int = 0) -> str:
    words = [
        f"{playing} playing" if playing else "",
        f"{awaited} awaiting data" if awaited else "",
        f"{to_play} yet to play" if to_play else "",
    ]
    return ", ".join(word for word in words if word) or "finished"


@dataclass(frozen=True)
class CountedSheet:
    """A member's team sheet in a gameweek, and what counts besides the points of its footballers.

    Attributes:
        picks: The places in order; none if the sheet is hidden.
        transfer_cost: What the transfers cost, in thousandths.
        adjusted: Points and reason of each of the commissioner's adjustments.
        is_hidden: Whether the line-up is another member's and still secret.
        now: Tells games that have begun without data; None in a replay, where none is awaited.
    """

    team_name: str
    display_name: str
    picks: Sequence[Pick]
    transfer_cost: int
    adjusted: Sequence[tuple[int, str]]
    is_hidden: bool
    now: datetime | None = None


def team_page(
    league: LeagueRow,
    gameweek: GameweekRow,
    sheet: CountedSheet,
    changes: Sequence[Change] = (),
    *,
    is_over: bool = False,
) -> TeamPage:
    """The team with its total as the league's table counts it.

    Args:
        league: The league that counts the sheet.
        gameweek: The gameweek of the sheet.
        sheet: What the page shows.
        changes: Corrections that changed points of the sheet.
        is_over: Whether nothing will move any more.
    """
    team_format = format_named(league.format)
    rows = [_pick_row(pick, team_format, gameweek.is_settled, sheet.now) for pick in sheet.picks]
    starters = [row.pick for row in rows if row.pick.is_starter]
    awaited = sum(row.is_awaited for row in rows if row.pick.is_starter)
    to_play = sum(pick.game is not None and pick.game.status == "scheduled" for pick in starters)
    total = (
        sum(pick.points * pick.multiplier for pick in sheet.picks)
        - sheet.transfer_cost
        + sum(points for points, _ in sheet.adjusted)
    )
    return TeamPage(
        league=league,
        gameweek=gameweek,
        team_name=sheet.team_name,
        display_name=sheet.display_name,
        starters=tuple(row for row in rows if row.pick.is_starter),
        substitutes=tuple(row for row in rows if not row.pick.is_starter),
        total=decimal_points(total),
        cost=decimal_points(-sheet.transfer_cost) if sheet.transfer_cost else "",
        adjusted=tuple((decimal_points(points), reason) for points, reason in sheet.adjusted),
        left=_left(
            to_play - awaited,
            sum(pick.game is not None and pick.game.status == "live" for pick in starters),
            awaited,
        ),
        changes=tuple(changes),
        is_over=is_over,
        is_hidden=sheet.is_hidden,
        is_awaited=bool(awaited) and not total and all(_is_to_come(pick) for pick in starters),
    )


def is_awaited(pick: Pick, now: datetime | None) -> bool:
    """Whether a game of theirs has begun, and nothing is known of any of their games."""
    return now is not None and _is_to_come(pick) and any(game.kickoff <= now for game in pick.games)


def _is_to_come(pick: Pick) -> bool:
    return all(game.status == "scheduled" for game in pick.games)


def _pick_row(pick: Pick, team_format: Format, settled: bool, now: datetime | None) -> PickRow:
    games = {game.game_id: _game_row(game, max(pick.multiplier, 1), now) for game in pick.games}
    return PickRow(
        pick=pick,
        games=tuple(games.values()),
        now=games[pick.game.game_id] if pick.game else None,
        points=decimal_points(pick.points * max(pick.multiplier, 1)),
        held_points=(
            decimal_points(pick.held_points * pick.multiplier)
            if pick.held_points and pick.multiplier
            else ""
        ),
        mark=_mark(pick, team_format, settled),
        is_awaited=is_awaited(pick, now),
    )


def _game_row(game: PickGame, counts: int, now: datetime | None) -> PickGameRow:
    is_to_come = game.status == "scheduled"
    is_unknown = is_to_come and now is not None and game.kickoff <= now
    return PickGameRow(
        game.game_id,
        f"{game.opponent}, no data yet" if is_unknown else _state(game),
        game.kickoff if is_to_come and not is_unknown else None,
        line_words(game.stats),
        decimal_points(game.points * counts) if game.stats or game.points else "",
    )


def _mark(pick: Pick, team_format: Format, settled: bool) -> str:
    """What captaincy and auto-subs do with a footballer; projected until the gameweek settles."""
    if team_format.is_best_ball:
        return ("Counts" if settled else "Counts so far") if pick.multiplier else ""
    if pick.multiplier > 1:
        return "Captain ×2" if pick.is_captain else "Vice-captain ×2"
    if not pick.is_starter:
        return ("Subbed in" if settled else "Subbed in, projected") if pick.multiplier else ""
    if not pick.multiplier:
        return "Subbed out" if settled else "Subbed out, projected"
    return "Captain" if pick.is_captain else "Vice" if pick.is_vice_captain else ""


def _state(game: PickGame) -> str:
    """The opponent, and the state unless the game is to come: `at HRB, Q3 4:12`, `v SUM, final`."""
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
