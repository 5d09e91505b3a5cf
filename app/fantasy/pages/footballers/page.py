"""What the pages of footballers show, as values: figures, game log, comparison. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.fantasy.amounts import decimal_points, signed_points, tenths_words
from app.fantasy.pages.footballers.trend_chart import GameBars, Trend, game_bars, trend
from app.fantasy.pages.team_sheet.words import STATUS_WORDS, share_words
from app.fantasy.scoring.earlier_seasons import SeasonBefore
from app.fantasy.scoring.footballers import Footballer, Played, Total, Week
from app.fantasy.scoring.rules import ScoringRules, parts
from app.fantasy.scoring.statistics import counted, in_order, stat_words
from app.record.pages.game_page import stat_summary
from app.record.rules.state import OVER
from app.record.words import clock_words, period_words

NEXT_GAMES = 5
SUMMARY_PARTS = 5
MOST_GAMES = 25  # of the chart of points


@dataclass(frozen=True)
class LogRow:
    """A game of a footballer.

    Attributes:
        where: The opponent: `v SUM`, `at SUM`.
        state: The result or the clock; empty before the game.
        did: What the footballer did, in words.
        points: Empty if the footballer did nothing.
        held_points: Those of them from plays under review.
        is_explained: Whether a page explains the points play by play.
        together: What all games of this week earned, in words, on the latest of several.
    """

    game_id: str
    week: int
    kickoff: datetime
    where: str
    state: str
    did: str
    points: str
    held_points: str
    is_live: bool
    is_explained: bool
    together: str = ""


@dataclass(frozen=True)
class PartRow:
    """What one statistic has earned in the season."""

    words: str
    amount: int
    points: str
    share: int


@dataclass(frozen=True)
class EarlierRow:
    """An earlier season in figures. `average`: points per game played."""

    season: int
    games: int
    points: str
    average: str


@dataclass(frozen=True)
class Figures:
    """A season in figures.

    Attributes:
        change: The change of the price since the beginning of the season; empty for none.
        average: Points per game played.
        place: The rank among the footballers of the position; empty without points.
    """

    price: str
    change: str
    selected: str
    total: str
    form: str
    average: str
    played: int
    place: str


@dataclass(frozen=True)
class FootballerPage:
    """A footballer's season.

    Attributes:
        alert: Why the footballer may not play, in words; empty if available.
        log: The games that were played, the newest first.
        worth: Name, title and points under every preset of the sport that gives any.
        points_by_game: None before the second game.
        prices: The price over the season; None if it never changed.
        shares: How many teams selected the footballer; None if that never changed.
        weeks: Week, price and selection after each deadline.
        earlier: The seasons before this one, the latest first.
    """

    who: Footballer
    rules: ScoringRules
    alert: str
    figures: Figures
    log: tuple[LogRow, ...]
    fixtures: tuple[LogRow, ...]
    parts: tuple[PartRow, ...]
    worth: tuple[tuple[str, str, str], ...]
    points_by_game: GameBars | None
    prices: Trend | None
    shares: Trend | None
    weeks: tuple[tuple[int, str, str], ...]
    earlier: tuple[EarlierRow, ...]
    is_live: bool


@dataclass(frozen=True)
class PlayedSeason:
    """A footballer's season.

    Attributes:
        games: The games by kickoff.
        weeks: Price and selection after each deadline.
        totals: The totals by scoring rules.
        earlier: The seasons before this one, the latest first.
    """

    games: Sequence[Played]
    weeks: Sequence[Week]
    totals: Mapping[str, Total]
    earlier: Sequence[SeasonBefore] = ()


def footballer_page(
    who: Footballer, rules: ScoringRules, season: PlayedSeason, presets: Sequence[ScoringRules]
) -> FootballerPage:
    """The page of a footballer, with points by `rules` and in total by each preset."""
    games, weeks, totals = season.games, season.weeks, season.totals
    rows = [replace(_row(game), together=_together(game, games)) for game in games]
    log = [
        row
        for row, game in zip(rows, games, strict=True)
        if game.stats or game.status in OVER or game.status == "live"
    ]
    return FootballerPage(
        who=who,
        rules=rules,
        alert=STATUS_WORDS.get(who.market.status, "") if who.market else "",
        figures=_figures(who, games, totals.get(rules.name), season.earlier),
        log=tuple(reversed(log)),
        fixtures=tuple([row for row in rows if row not in log][:NEXT_GAMES]),
        parts=tuple(_parts(who, rules, games)),
        worth=tuple(
            (preset.name, preset.title, decimal_points(totals[preset.name].points))
            for preset in presets
            if preset.name in totals and totals[preset.name].points
        ),
        points_by_game=game_bars(
            [
                (row.week, row.where, game.points)
                for row, game in zip(rows, games, strict=True)
                if game.stats
            ][-MOST_GAMES:]
        ),
        prices=_changes([who.market.start_price, *(week.price for week in weeks)])
        if who.market
        else None,
        shares=_changes([week.selected for week in weeks]),
        weeks=tuple(
            (week.week, tenths_words(week.price), share_words(week.selected)) for week in weeks
        ),
        earlier=tuple(
            EarlierRow(
                before.season,
                before.games,
                decimal_points(before.points),
                _hundredths(before.points / before.games),
            )
            for before in season.earlier
        ),
        is_live=any(game.status == "live" for game in games),
    )


def _changes(values: Sequence[int]) -> Trend | None:
    """The values as a chart, if there is a change to see."""
    return trend(values) if len(set(values)) > 1 else None


def _figures(
    who: Footballer,
    games: Sequence[Played],
    total: Total | None,
    earlier: Sequence[SeasonBefore],
) -> Figures:
    market = who.market
    played = [game for game in games if game.stats]
    points = sum(game.points for game in games)
    change = market.price - market.start_price if market else 0
    return Figures(
        price=tenths_words(market.price) if market else "",
        change=f"{'+' if change > 0 else ''}{tenths_words(change)}" if change else "",
        selected=share_words(market.selected) if market else "",
        total=decimal_points(points),
        form=_hundredths(total.form if total else _form_of_last_season(who, earlier)),
        average=_hundredths(points / len(played)) if played else "0.00",
        played=len(played),
        place=f"{_ordinal(total.place)} {who.position}" if total else "",
    )


def _form_of_last_season(who: Footballer, earlier: Sequence[SeasonBefore]) -> int:
    """What the form is before the first game of a season."""
    if who.market is None or not earlier or earlier[0].season != who.market.year - 1:
        return 0
    return earlier[0].form


def _hundredths(thousandths: float) -> str:
    """An average, rounded to two decimals.

    >>> [_hundredths(points) for points in (20_966, 6_500, -125)]
    ['20.97', '6.50', '-0.12']
    """
    return decimal_points(round(thousandths / 10) * 10)


def _ordinal(number: int) -> str:
    """The English ordinal of a number.

    >>> [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']
    """
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _parts(who: Footballer, rules: ScoringRules, games: Sequence[Played]) -> list[PartRow]:
    """What earns points, in the usual order of statistics; the points add up to the total."""
    earned: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    for game in games:
        amounts.update(game.stats)
        earned.update(parts(game.stats, rules, who.own_position))
    most = max([1, *(abs(points) for points in earned.values())])
    return [
        PartRow(
            stat_words(stat),
            amounts[stat],
            signed_points(earned[stat]),
            abs(earned[stat]) * 100 // most,
        )
        for stat in in_order(earned)
    ]


def _row(game: Played) -> LogRow:
    is_home = game.club_id == game.home_id
    return LogRow(
        game_id=game.game_id,
        week=game.week,
        kickoff=game.kickoff,
        where=f"vs {game.away_id}" if is_home else f"at {game.home_id}",
        state=_state(game, is_home),
        did=line_words(game.stats),
        points=decimal_points(game.points) if game.stats else "",
        held_points=decimal_points(game.held_points) if game.held_points else "",
        is_live=game.status == "live",
        is_explained=game.is_explained,
    )


def _together(game: Played, games: Sequence[Played]) -> str:
    """The points of a week with several games, on the last of them; else empty.

    A postponed game counts in the week in which it is played.
    """
    of_week = [other for other in games if other.week == game.week and other.stats]
    if len(of_week) <= 1 or game is not of_week[-1]:
        return ""
    points = decimal_points(sum(other.points for other in of_week))
    return f"{points} in {len(of_week)} games in Week {game.week}"


def _state(game: Played, is_home: bool) -> str:
    if game.status == "live":
        return f"{period_words(game.state['period'])} {clock_words(game.state['clock'])}"
    if game.status not in OVER:
        return "" if game.status == "scheduled" else game.status
    if game.home_score is None or game.away_score is None:
        return "over"
    own_score, opponent_score = game.home_score, game.away_score
    if not is_home:
        own_score, opponent_score = opponent_score, own_score
    result = "drew"
    if own_score != opponent_score:
        result = "won" if own_score > opponent_score else "lost"
    return f"{result} {own_score}–{opponent_score}"


def line_words(stats: Mapping[str, int]) -> str:
    """The most important parts of a stat line, in words, for every sport and position.

    >>> line_words({"fg_made_30_39": 1, "fg_made": 1, "fg_att": 1, "pat_made": 2})
    '1/1 FG, 2 XP'
    >>> line_words({"minutes": 90, "goals": 1, "goals_conceded": 0})
    '90 minutes; goal'
    """
    summary = stat_summary(stats)
    if summary or not stats:
        return summary
    important = [stat for stat in _IMPORTANT_STATS if stats.get(stat)]
    return "; ".join(_many(stat, stats[stat]) for stat in important[:SUMMARY_PARTS])


# The most important first. Carries, yards and kicks are in the summary of a box score.
_IMPORTANT_STATS = (
    "minutes",
    "goals",
    "assists",
    "clean_sheets",
    "saves",
    "penalties_saved",
    "penalties_missed",
    "own_goals",
    "yellow_cards",
    "red_cards",
    "bonus",
    "tackles_solo",
    "tackles_with_assist",
    "tackle_assists",
    "half_sacks",
    "interceptions_made",
    "passes_defended",
    "fumbles_forced",
    "fumbles_recovered_opp",
    "def_tds",
    "safeties",
    "kicks_blocked",
    "special_teams_tds",
)


def _many(stat: str, amount: int) -> str:
    words = stat_words(stat).lower()
    if stat == "half_sacks":
        sacks = amount / 2
        return f"{sacks:g} sack{'' if sacks == 1 else 's'}"
    if amount == 1:
        return counted(stat, amount)
    return f"{amount} {words}" if words.endswith("s") else f"{amount} {words}s"


@dataclass(frozen=True)
class CompareRow:
    """A figure of each player. `ahead`: the index of the highest one; None if it is shared."""

    label: str
    values: tuple[str, ...]
    ahead: int | None


def compared(pages: Sequence[FootballerPage]) -> list[CompareRow]:
    """Compare the season in figures, then what earned points under the scoring in view."""

    def row(label: str, values: Sequence[str]) -> CompareRow:
        numbers = [float(value or 0) for value in values]
        highest = max(numbers)
        ahead = numbers.index(highest) if numbers.count(highest) == 1 else None
        return CompareRow(label, tuple(value or "–" for value in values), ahead)

    figures = [page.figures for page in pages]
    rows = [
        row("Points", [side.total for side in figures]),
        row("Points per game", [side.average for side in figures]),
        row("Form", [side.form for side in figures]),
        row("Games played", [str(side.played) for side in figures]),
        row("Price, million", [side.price for side in figures]),
        row("% owned", [side.selected for side in figures]),
    ]
    worth = [{part.words: part.points for part in page.parts} for page in pages]
    names = list(dict.fromkeys(name for each in worth for name in each))
    return rows + [row(name, [each.get(name, "0.00") for each in worth]) for name in names]
