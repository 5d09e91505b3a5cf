"""Which statistics the list of players shows for a group of positions. Pure.

The sums are in footballer_statistics; which of them earn points is a league's own matter.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.fantasy.market.formats import DST, IDP


@dataclass(frozen=True)
class StatColumn:
    """A column of the list.

    Attributes:
        key: Its name in addresses.
        label: What stands above it.
        title: The same in full.
        stats: The statistics whose sum it shows.
        is_halved: The statistic counts in halves (record/rules/statistics.py).
    """

    key: str
    label: str
    title: str
    stats: tuple[str, ...]
    is_halved: bool = False


@dataclass(frozen=True)
class PositionGroup:
    """Positions that the list shows together. `positions`: none for everybody."""

    key: str
    words: str
    positions: tuple[str, ...]
    columns: tuple[StatColumn, ...]


def _column(stat: str, label: str, title: str) -> StatColumn:
    return StatColumn(stat, label, title, (stat,))


_YARDS = StatColumn("yards", "Yds", "Yards", ("passing_yards", "rushing_yards", "receiving_yards"))
_TOUCHDOWNS = StatColumn(
    "touchdowns",
    "TD",
    "Touchdowns",
    ("passing_tds", "rushing_tds", "receiving_tds", "special_teams_tds", "def_tds"),
)
_COMPLETIONS = _column("completions", "Cmp", "Completions")
_ATTEMPTS = _column("attempts", "Att", "Pass attempts")
_PASSING_YARDS = _column("passing_yards", "Pass yds", "Passing yards")
_PASSING_TDS = _column("passing_tds", "Pass TD", "Passing touchdowns")
_THROWN = _column("passing_interceptions", "Int", "Interceptions thrown")
_CARRIES = _column("carries", "Car", "Carries")
_RUSHING_YARDS = _column("rushing_yards", "Rush yds", "Rushing yards")
_RUSHING_TDS = _column("rushing_tds", "Rush TD", "Rushing touchdowns")
_TARGETS = _column("targets", "Tgt", "Targets")
_RECEPTIONS = _column("receptions", "Rec", "Receptions")
_RECEIVING_YARDS = _column("receiving_yards", "Rec yds", "Receiving yards")
_RECEIVING_TDS = _column("receiving_tds", "Rec TD", "Receiving touchdowns")
_LOST = _column("fumbles_lost", "Fum", "Fumbles lost")
_RUSHING = (_CARRIES, _RUSHING_YARDS, _RUSHING_TDS)
_RECEIVING = (_TARGETS, _RECEPTIONS, _RECEIVING_YARDS, _RECEIVING_TDS)

_FOOTBALL = (
    PositionGroup("", "All", (), (_YARDS, _TOUCHDOWNS, _CARRIES, _TARGETS, _RECEPTIONS)),
    PositionGroup(
        "QB",
        "QB",
        ("QB",),
        (_COMPLETIONS, _ATTEMPTS, _PASSING_YARDS, _PASSING_TDS, _THROWN, *_RUSHING[1:]),
    ),
    PositionGroup("RB", "RB", ("RB",), (*_RUSHING, *_RECEIVING, _LOST)),
    PositionGroup("WR", "WR", ("WR",), (*_RECEIVING, *_RUSHING[:2], _LOST)),
    PositionGroup("TE", "TE", ("TE",), (*_RECEIVING, _LOST)),
    PositionGroup("FLEX", "FLEX", ("RB", "WR", "TE"), (*_RUSHING, *_RECEIVING)),
    PositionGroup(
        "K",
        "K",
        ("K",),
        (
            _column("fg_made", "FG", "Field goals made"),
            _column("fg_att", "FG att", "Field goal attempts"),
            StatColumn(
                "fg_made_50",
                "50+",
                "Field goals from 50 yards or more",
                ("fg_made_50_59", "fg_made_60_plus"),
            ),
            _column("pat_made", "XP", "Extra points made"),
            _column("pat_att", "XP att", "Extra point attempts"),
        ),
    ),
    PositionGroup(
        "IDP",
        "Defense",
        IDP,
        (
            StatColumn("solo", "Solo", "Solo tackles", ("tackles_solo", "tackles_with_assist")),
            _column("tackle_assists", "Ast", "Assisted tackles"),
            StatColumn("sacks", "Sack", "Sacks", ("half_sacks",), is_halved=True),
            _column("tackles_for_loss", "TFL", "Tackles for loss"),
            _column("interceptions_made", "Int", "Interceptions"),
            _column("passes_defended", "PD", "Passes defended"),
            _column("fumbles_forced", "FF", "Forced fumbles"),
        ),
    ),
    PositionGroup(
        DST,
        "D/ST",
        (DST,),
        (
            _column("dst_sacks", "Sack", "Sacks"),
            _column("dst_interceptions", "Int", "Interceptions"),
            _column("dst_fumble_recoveries", "FR", "Fumble recoveries"),
            _column("dst_touchdowns", "TD", "Touchdowns"),
            _column("dst_points_allowed", "PA", "Points allowed"),
            _column("dst_yards_allowed", "Yds all.", "Yards allowed"),
        ),
    ),
)

_MINUTES = _column("minutes", "Min", "Minutes")
_GOALS = _column("goals", "Goals", "Goals")
_ASSISTS = _column("assists", "Ast", "Assists")
_CLEAN_SHEETS = _column("clean_sheets", "CS", "Clean sheets")
_CARDS = StatColumn("cards", "Cards", "Yellow and red cards", ("yellow_cards", "red_cards"))
_ATTACK = (_MINUTES, _GOALS, _ASSISTS, _CLEAN_SHEETS, _CARDS)

_SOCCER = (
    PositionGroup("", "All", (), _ATTACK),
    PositionGroup(
        "GK",
        "GK",
        ("GK",),
        (
            _MINUTES,
            _column("saves", "Saves", "Saves"),
            _CLEAN_SHEETS,
            _column("goals_conceded", "GC", "Goals conceded"),
            _column("penalties_saved", "Pen", "Penalties saved"),
        ),
    ),
    PositionGroup("DEF", "DEF", ("DEF",), _ATTACK),
    PositionGroup("MID", "MID", ("MID",), _ATTACK),
    PositionGroup("FWD", "FWD", ("FWD",), _ATTACK),
)


def groups_of(sport: str, positions: Collection[str]) -> tuple[PositionGroup, ...]:
    """The groups of a sport that a market with these positions has somebody of.

    >>> [group.key for group in groups_of("football", {"QB", "RB", "LB"})]
    ['', 'QB', 'RB', 'IDP']
    """
    everything = _SOCCER if sport == "soccer" else _FOOTBALL
    return tuple(
        group for group in everything if not group.positions or _has_group(group, set(positions))
    )


def _has_group(group: PositionGroup, positions: set[str]) -> bool:
    if group.key == "FLEX":  # only useful if there is more than one to choose from
        return len(positions & set(group.positions)) > 1
    return bool(positions & set(group.positions))


def shown_amount(amount: int, games: int, *, per_game: bool, is_halved: bool) -> str:
    """A sum as the list shows it: whole, in halves, or per game with one decimal.

    >>> shown_amount(412, 4, per_game=False, is_halved=False)
    '412'
    >>> shown_amount(412, 5, per_game=True, is_halved=False)
    '82.4'
    >>> shown_amount(3, 2, per_game=False, is_halved=True)
    '1.5'
    >>> shown_amount(0, 0, per_game=True, is_halved=False)
    '0.0'
    """
    if per_game:
        return f"{amount / max(1, games) / (2 if is_halved else 1):.1f}"
    return f"{amount / 2:g}" if is_halved else str(amount)
