"""A league's settings in words, for pages. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.amounts import decimal_points
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import DST, Format, format_named
from app.fantasy.scoring.rules import PRESETS, ScoringRules, Step
from app.fantasy.scoring.statistics import STATISTICS, Unit, in_order, stat_words
from app.fantasy.standings.ranking import TIE_RULES
from app.record.queries import GameRow

MODE_WORDS = {"total": "Total points", "head_to_head": "Head to head"}
MODE_SENTENCES = {
    "total": "Teams rank by total points over the season.",
    "head_to_head": "You play another team each week. A win is worth 3 match points, a tie 1. A "
    "team without an opponent plays the league average. Total points break ties on match points.",
}
TIE_SENTENCES = {name: rule.sentence for name, rule in TIE_RULES.items()}
POSTPONED_WORDS = {"played": "Count in the week they are played", "never": "Do not count"}
LOCK_WORDS = {"gameweek": "All at the deadline", "game": "Each player at kickoff"}


@dataclass(frozen=True)
class ScoringLine:
    """A line of the scoring rules."""

    stat: str
    words: str
    points: str


_UNIT_TITLES: Mapping[Unit, str] = {
    "offence": "Offense, points each",
    "kicking": "Kickers, points each",
    "defence": "Defenders, points each",
    "team defence": "Team defense (D/ST), points each",
    "soccer": "Points each",
}


def draft_sentence(*, has_playoffs: bool) -> str:
    """How a draft league is decided."""
    end = "the best teams make the playoffs" if has_playoffs else "the best team wins the league"
    return f"You play another team each week. Teams rank by wins, and {end}."


def undated_words(games: Sequence[GameRow], gameweek: str, *, counts_moved: bool) -> str:
    """What happens to games that are postponed without a new date; empty if there are none.

    `counts_moved`: whether games that are moved to another gameweek count there.
    """
    names = [
        f"{game.away.name} at {game.home.name}" for game in games if game.status == "postponed"
    ]
    if not names:
        return ""
    several = len(names) > 1
    return (
        f"Postponed without a new date: {', '.join(names)}. The deadline stays, and {gameweek} "
        f"finishes without {'these games' if several else 'this game'}. If moved to another week, "
        f"{'they' if several else 'it'} {'' if counts_moved else 'will not '}"
        f"{'count' if several or not counts_moved else 'counts'}{' there' if counts_moved else ''}."
    )


def by_unit(entered: Mapping[str, str]) -> list[tuple[str, Mapping[str, str]]]:
    """The entries of a form by the title of their unit, in the order of the statistics."""
    units = {stat: STATISTICS[stat].unit if stat in STATISTICS else "offence" for stat in entered}
    grouped = [
        (title, {stat: text for stat, text in entered.items() if units[stat] == unit})
        for unit, title in _UNIT_TITLES.items()
    ]
    return [(title, stats) for title, stats in grouped if stats]


def plain_points(thousandths: int) -> str:
    """Points as people type them.

    >>> [plain_points(p) for p in (500, 4000, -125, 0)]
    ['0.5', '4', '-0.125', '0']
    """
    return decimal_points(thousandths).rstrip("0").rstrip(".")


def scoring_lines(scoring: ScoringRules, format_name: str = "") -> list[ScoringLine]:
    """The lines of the scoring in the usual order of statistics, steps last.

    `format_name`: leaves out statistics of a D/ST if the format has no place for one.
    """
    has_defence = not format_name or DST in format_named(format_name).positions
    linear = {
        stat: scoring.milli_points[stat]
        for stat in in_order(scoring.milli_points)
        if has_defence or stat not in STATISTICS or STATISTICS[stat].unit != "team defence"
    }
    lines = [
        ScoringLine(stat, stat_words(stat), decimal_points(points))
        for stat, points in linear.items()
    ]
    return lines + [
        ScoringLine(step.stat, _step_words(step), decimal_points(step.points))
        for step in scoring.steps
    ]


def presets_for(sport: str) -> list[ScoringRules]:
    """Return the preset scoring rules of the sport."""
    return [scoring for scoring in PRESETS.values() if scoring.sport == sport]


def changed_numbers(old: Mapping[str, int], new: Mapping[str, int]) -> list[str]:
    """What differs between two scoring rules: `Catch: 0.50 → 1.00`."""
    stats = [stat for stat in in_order({*new, *old}) if old.get(stat, 0) != new.get(stat, 0)]
    return [
        f"{stat_words(stat)}: {decimal_points(old.get(stat, 0))} → "
        f"{decimal_points(new.get(stat, 0))}"
        for stat in stats
    ]


def unusual_lines(numbers: Mapping[str, int]) -> list[str]:
    """What unusual numbers would mean.

    >>> unusual_lines({"passing_yards": 6_000})
    ['Passing yard: 6.00. 100 of these would score 600.00 points.']
    """
    lines = []
    for stat, points in numbers.items():
        count = 100 if stat.endswith("_yards") else 5
        earned = decimal_points(count * points)
        lines.append(
            f"{stat_words(stat)}: {decimal_points(points)}. {count} of these would score {earned} "
            "points."
        )
    return lines


def team_lines(choice: TeamRulesChoice) -> Sequence[tuple[str, str]]:
    """The team rules as label and value."""
    team_format = format_named(choice.format)
    zone = choice.time_zone.replace("_", " ")
    if choice.lock == "game":
        deadline = "Each player at kickoff"
    elif choice.deadline:
        deadline = f"{choice.deadline.title()} before the first kickoff, {zone}"
    else:
        deadline = f"At the weekly deadline, shown in {zone} time"
    if team_format.is_draft:
        return _lineup_lines(choice, team_format, deadline)
    free = (
        "Unlimited" if choice.free_transfers is None else f"{choice.free_transfers} free per week"
    )
    if choice.free_transfers is not None:
        free += (
            f", up to {choice.bank_limit} banked; each extra one costs "
            f"{decimal_points(choice.transfer_cost)} points"
        )
    starters = ", ".join(slot.name for slot in team_format.starters)
    return (
        ("Team", f"{team_format.title}: {starters}; {len(team_format.substitutes)} bench"),
        ("Budget", f"{choice.budget // 10}.{choice.budget % 10} million"),
        ("Max players per club", str(choice.club_limit)),
        ("Lineups lock", deadline),
        ("Transfers", free),
        ("Games moved to another week", POSTPONED_WORDS[choice.postponed_games]),
        ("Cancelled games", "Do not count; the bench replaces their players"),
    )


def _lineup_lines(
    choice: TeamRulesChoice, team_format: Format, deadline: str
) -> Sequence[tuple[str, str]]:
    """The team rules of a draft league, which has no money and no transfers."""
    if team_format.is_best_ball:
        bench = "Your best players count automatically"
    elif team_format.substitutes_come_on:
        bench = "Replaces starters who do not play, in order"
    else:
        bench = "Does not count"
    return (
        ("Lineup", team_format.title),
        ("Bench", bench),
        ("Lineups lock", deadline),
        ("Games moved to another week", POSTPONED_WORDS[choice.postponed_games]),
    )


def _step_words(step: Step) -> str:
    words = stat_words(step.stat)
    if step.at_least:
        words = f"{words}s, {step.at_least} or more"
    elif step.every > 1:
        words = f"{words}s, each {step.every}"
    return f"{words} ({', '.join(step.positions)})" if step.positions else words
