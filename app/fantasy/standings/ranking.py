"""How a league's table is ordered: its modes, how ties are broken, and ranks.

Pure: values in, values out.

A league ranks by an array that is compared from the left; more is better: match points (head to
head only), total points, and what breaks ties, after the total or before it. Each tie rule is here
twice, in Python for previews and in SQL for whole tables; a test holds them together. To add one,
add a TieRule here, and its name to the check of leagues.ties in a migration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", int, tuple[int, ...])

HEAD_TO_HEAD = "head_to_head"
MODES = ("total", HEAD_TO_HEAD)


@dataclass(frozen=True)
class SeasonSoFar:
    """A member's season. Points are thousandths.

    `latest`: the points of each gameweek, the latest first. `between`: match points of the games
    against members with as many match points in all.
    """

    match_points: int
    total: int
    transfers: int
    latest: tuple[int, ...]
    between: int = 0


@dataclass(frozen=True)
class TieRule:
    """How equal members are ordered.

    Attributes:
        words: The name of the rule.
        sentence: The rule in a sentence.
        key: More is better; all keys of a league have the same length.
        sql: The same as `bigint[]`, from `{transfers}`, `{latest}` (points of each gameweek as an
            array, the latest first) and `{between}`.
        is_between: It orders equal match points, before total points, and so needs head to head.
    """

    words: str
    sentence: str
    key: Callable[[SeasonSoFar], tuple[int, ...]]
    sql: str
    is_between: bool = False


TIE_RULES: Mapping[str, TieRule] = {
    "shared": TieRule(
        "Shared rank", "Tied teams share a rank.", lambda _season: (), "ARRAY[]::bigint[]"
    ),
    "fewest_transfers": TieRule(
        "Fewest transfers",
        "Ties go to the team with fewer transfers.",
        lambda season: (-season.transfers,),
        "ARRAY[-{transfers}::bigint]",
    ),
    "latest_gameweek": TieRule(
        "Better latest week",
        "Ties go to the team with more points in the latest week.",
        lambda season: season.latest,
        "{latest}::bigint[]",
    ),
    "result_between": TieRule(
        "Head-to-head result",
        "Ties on match points go to the team with more match points in games between the tied "
        "teams, then to the team with more total points. Teams still tied share a rank.",
        lambda season: (season.between,),
        "ARRAY[{between}::bigint]",
        is_between=True,
    ),
}
TIES = tuple(TIE_RULES)
BETWEEN = tuple(name for name, rule in TIE_RULES.items() if rule.is_between)


def standing(mode: str, ties: str, season: SeasonSoFar) -> tuple[int, ...]:
    """The array that the league ranks this member by.

    >>> standing("head_to_head", "fewest_transfers", SeasonSoFar(6, 91_000, 3, (40_000, 51_000)))
    (6, 91000, -3)
    """
    match_points = (season.match_points,) if mode == HEAD_TO_HEAD else ()
    rule = TIE_RULES[ties]
    before, after = (rule.key(season), ()) if rule.is_between else ((), rule.key(season))
    return (*match_points, *before, season.total, *after)


def plus(mode: str, ties: str, stored: Sequence[int], season: SeasonSoFar) -> tuple[int, ...]:
    """A stored standing with a gameweek under way added to it: every part of it is a sum.

    Args:
        mode: The league's.
        ties: The league's.
        stored: The standing after the settled gameweeks; shorter if there were none yet.
        season: The gameweek alone, with as many places in `latest` as the season has gameweeks.

    >>> plus("total", "fewest_transfers", [51_000, -1], SeasonSoFar(0, 4_000, 2, (4_000, 0)))
    (55000, -3)
    """
    added = standing(mode, ties, season)
    settled = stored if len(stored) == len(added) else [0] * len(added)
    return tuple(map(sum, zip(settled, added, strict=True)))


def results_between(
    match_points: Mapping[int, int], games: Iterable[tuple[int, int, int]]
) -> dict[int, int]:
    """The match points of each member in games against members with as many match points.

    `games`: a member, their opponent, and the member's match points; a game has a row for each of
    the two.

    >>> results_between({1: 3, 2: 3, 3: 6}, [(1, 2, 3), (2, 1, 0), (1, 3, 0), (3, 1, 3)])
    {1: 3, 2: 0, 3: 0}
    """
    between = dict.fromkeys(match_points, 0)
    for member, opponent, points in games:
        if member in match_points and match_points[member] == match_points.get(opponent):
            between[member] += points
    return between


def standing_sql(
    *, match_points: str, total: str, transfers: str, latest: str, between: str
) -> str:
    """`standing` for a league `l` as an SQL expression of type bigint[], from these expressions."""
    values = {"transfers": f"({transfers})", "latest": f"({latest})", "between": f"({between})"}

    def by_rule(is_between: bool) -> str:
        rules = [(name, rule) for name, rule in TIE_RULES.items() if rule.is_between == is_between]
        cases = " ".join(f"WHEN '{name}' THEN {rule.sql.format(**values)}" for name, rule in rules)
        return f"CASE l.ties {cases} ELSE ARRAY[]::bigint[] END"

    return (
        f"(CASE l.mode WHEN '{HEAD_TO_HEAD}' THEN ARRAY[({match_points})::bigint] ELSE "
        "ARRAY[]::bigint[] END"
        f" || {by_rule(True)} || ({total})::bigint || {by_rule(False)})"
    )


@dataclass(frozen=True)
class Rank:
    """A rank in a table. `shared`: at least one other member has it too."""

    rank: int
    shared: bool


def dense_ranks(standings: Mapping[int, Key]) -> dict[int, Rank]:
    """Dense ranks, the best first: equal ones share a rank, and the next one has no gap.

    >>> [rank.rank for rank in dense_ranks({1: 9000, 2: 12500, 3: 9000, 4: -2000}).values()]
    [2, 1, 2, 3]
    """
    count = Counter(standings.values())
    ranks = {key: rank for rank, key in enumerate(sorted(count, reverse=True), start=1)}
    return {member: Rank(ranks[key], count[key] > 1) for member, key in standings.items()}
