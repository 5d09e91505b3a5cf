"""What the pages of footballers show, as values.

A season in figures, the game log, the next games, two side by side. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.fantasy.amounts import decimal_points, signed_points, tenths_words
from app.fantasy.pages.footballers.trend_chart import Trend, trend
from app.fantasy.pages.team_sheet.words import STATUS_WORDS, share_words
from app.fantasy.scoring.footballers import Footballer, Played, Total, Week
from app.fantasy.scoring.rules import ScoringRules, parts
from app.fantasy.scoring.statistics import counted, in_order, stat_words
from app.record.pages.game_page import stat_summary
from app.record.rules.state import OVER
from app.record.words import clock_words, period_words

NEXT_GAMES = 5
SUMMARY_PARTS = 5


@dataclass(frozen=True)
class LogRow:
    """A game.

    `where`: `v SUM`, `at SUM`; `state`: the result or the clock, '' before it. `did`: a line, or
    ''.

    `points`: '' where they did nothing. `is_explained`: points open down to their plays.
    `together`: in words, what all games of this week earned, on the latest of several; else ''.
    """

    game_id: str
    week: int
    kickoff: datetime
    where: str
    state: str
    did: str
    points: str
    held: str
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
class Figures:
    """A season in figures.

    `change`: of the price since the season's beginning, '' for none; `average`: a game played.

    `place`: among those of the position, '' without any points.
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
    """`alert`: how fit they are, in words, '' for available.

    `log`: the newest first. `worth`: name, title and points of every preset of the sport. `prices`,
    `shares`: over the season, None before the second deadline.
    """

    who: Footballer
    rules: ScoringRules
    alert: str
    figures: Figures
    log: tuple[LogRow, ...]
    fixtures: tuple[LogRow, ...]
    parts: tuple[PartRow, ...]
    worth: tuple[tuple[str, str, str], ...]
    prices: Trend | None
    shares: Trend | None
    weeks: tuple[tuple[int, str, str], ...]
    is_live: bool


def footballer_page(
    who: Footballer,
    rules: ScoringRules,
    games: Sequence[Played],
    weeks: Sequence[Week],
    totals: Mapping[str, Total],
    presets: Sequence[ScoringRules],
) -> FootballerPage:
    """`games` by kickoff; `totals` by scoring rules, those in view among them."""
    rows = [replace(_row(one), together=_together(one, games)) for one in games]
    log = [
        row
        for row, one in zip(rows, games, strict=True)
        if one.stats or one.status in OVER or one.status == "live"
    ]
    return FootballerPage(
        who=who,
        rules=rules,
        alert=STATUS_WORDS.get(who.market.status, "") if who.market else "",
        figures=_figures(who, games, totals.get(rules.name)),
        log=tuple(reversed(log)),
        fixtures=tuple([row for row in rows if row not in log][:NEXT_GAMES]),
        parts=tuple(_parts(who, rules, games)),
        worth=tuple(
            (
                one.name,
                one.title,
                decimal_points(totals[one.name].points) if one.name in totals else "0.00",
            )
            for one in presets
        ),
        prices=trend([who.market.start_price, *(week.price for week in weeks)])
        if who.market and weeks
        else None,
        shares=trend([week.selected for week in weeks]) if len(weeks) > 1 else None,
        weeks=tuple(
            (week.week, tenths_words(week.price), share_words(week.selected)) for week in weeks
        ),
        is_live=any(one.status == "live" for one in games),
    )


def _figures(who: Footballer, games: Sequence[Played], total: Total | None) -> Figures:
    market = who.market
    played = [one for one in games if one.stats]
    points = sum(one.points for one in games)
    change = market.price - market.start_price if market else 0
    return Figures(
        price=tenths_words(market.price) if market else "",
        change=f"{'+' if change > 0 else ''}{tenths_words(change)}" if change else "",
        selected=share_words(market.selected) if market else "",
        total=decimal_points(points),
        form=decimal_points(total.form) if total else "0.00",
        average=decimal_points(points // len(played)) if played else "0.00",
        played=len(played),
        place=f"{_ordinal(total.place)} {who.position}" if total else "",
    )


def _ordinal(number: int) -> str:
    """The English ordinal of a number.

    >>> [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']
    """
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _parts(who: Footballer, rules: ScoringRules, games: Sequence[Played]) -> list[PartRow]:
    """What earns points, in the order in which statistics are listed everywhere.

    They add up to the total.
    """
    earned: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    for one in games:
        amounts.update(one.stats)
        earned.update(parts(one.stats, rules, who.own_position))
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


def _row(one: Played) -> LogRow:
    is_home = one.club_id == one.home_id
    return LogRow(
        game_id=one.game_id,
        week=one.week,
        kickoff=one.kickoff,
        where=f"v {one.away_id}" if is_home else f"at {one.home_id}",
        state=_state(one, is_home),
        did=line_words(one.stats),
        points=decimal_points(one.points) if one.stats else "",
        held=decimal_points(one.held_points) if one.held_points else "",
        is_live=one.status == "live",
        is_explained=one.is_explained,
    )


def _together(one: Played, games: Sequence[Played]) -> str:
    """A postponed game counts where it is played: a footballer may have two in one week."""
    of_week = [other for other in games if other.week == one.week and other.stats]
    if len(of_week) < 2 or one is not of_week[-1]:
        return ""
    return (
        f"{decimal_points(sum(other.points for other in of_week))} in the {len(of_week)} games of "
        f"week {one.week}"
    )


def _state(one: Played, is_home: bool) -> str:
    if one.status == "live":
        return f"{period_words(one.state['period'])} {clock_words(one.state['clock'])}"
    if one.status not in OVER:
        return "" if one.status == "scheduled" else one.status
    if one.home_score is None or one.away_score is None:
        return "over"
    ours, theirs = (one.home_score, one.away_score) if is_home else (one.away_score, one.home_score)
    return f"{'won' if ours > theirs else 'lost' if ours < theirs else 'drew'} {ours}–{theirs}"


def line_words(stats: Mapping[str, int]) -> str:
    """A stat line in a sentence's words, whatever the sport and the position: the main things only.

    >>> line_words({"fg_made_30_39": 1, "fg_made": 1, "fg_att": 1, "pat_made": 2})
    '1/1 FG, 2 XP'
    >>> line_words({"minutes": 90, "goals": 1, "goals_conceded": 0})
    '90 minutes; goal'
    """
    summary = stat_summary(stats)
    if summary or not stats:
        return summary
    known = [stat for stat in in_order(stats) if stats[stat] and stat in _SAID]
    return "; ".join(
        _many(stat, stats[stat]) for stat in sorted(known, key=_SAID.index)[:SUMMARY_PARTS]
    )


# In this order; carries, yards and kicks are in the summary of a box score.
_SAID = (
    *(
        "minutes",
        "goals",
        "assists",
        "clean_sheets",
        "saves",
        "penalties_saved",
        "penalties_missed",
        "own_goals",
    ),
    *("yellow_cards", "red_cards", "bonus"),
    *(
        "tackles_solo",
        "tackles_with_assist",
        "tackle_assists",
        "half_sacks",
        "interceptions_made",
        "passes_defended",
    ),
    *(
        "fumbles_forced",
        "fumbles_recovered_opp",
        "def_tds",
        "safeties",
        "kicks_blocked",
        "special_teams_tds",
    ),
)


def _many(stat: str, amount: int) -> str:
    words = stat_words(stat).lower()
    if stat == "half_sacks":
        return f"{amount / 2:g} sack{'' if amount == 2 else 's'}"
    if amount == 1:
        return counted(stat, amount)
    return f"{amount} {words}s" if not words.endswith("s") else f"{amount} {words}"


@dataclass(frozen=True)
class CompareRow:
    """A figure of both. `ahead`: 0 the first, 1 the second, None neither."""

    label: str
    values: tuple[str, str]
    ahead: int | None


def compared(one: FootballerPage, other: FootballerPage) -> list[CompareRow]:
    """The season in figures, then what earned points under the scoring in view."""
    pages = (one, other)

    def row(label: str, values: Sequence[str]) -> CompareRow:
        first, second = (float(value or 0) for value in values)
        ahead = None if first == second else int(second > first)
        return CompareRow(label, (values[0] or "–", values[1] or "–"), ahead)

    figures = [page.figures for page in pages]
    rows = [
        row("Points", [one.total for one in figures]),
        row("Points a game", [one.average for one in figures]),
        row("Form", [one.form for one in figures]),
        row("Games played", [str(one.played) for one in figures]),
        row("Price, million", [one.price for one in figures]),
        row("Selected, %", [one.selected for one in figures]),
    ]
    worth = [{part.words: part.points for part in page.parts} for page in pages]
    names = list(dict.fromkeys([*worth[0], *worth[1]]))
    return rows + [row(name, [each.get(name, "0.00") for each in worth]) for name in names]
