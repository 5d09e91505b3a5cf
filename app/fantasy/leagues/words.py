"""A league's settings in words, for pages. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.fantasy.amounts import decimal_points
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.scoring.rules import HALF_PPR_IDP, PRESETS, SOCCER, YAHOO, ScoringRules, Step

MODE_WORDS = {"total": "Total points", "head_to_head": "Head to head"}
MODE_SENTENCES = {
    "total": "The table adds up every gameweek's points.",
    "head_to_head": "Each gameweek everybody plays somebody else: a win is worth 3 points, a draw 1. Who has no "
    "opponent plays against the league's average. Equal match points are ordered by total points.",
}
TIE_WORDS = {
    "shared": "Shared rank",
    "fewest_transfers": "Fewest transfers",
    "latest_gameweek": "Better latest gameweek",
}
TIE_SENTENCES = {
    "shared": "Equal teams share a rank.",
    "fewest_transfers": "Among equals, who made fewer transfers is ahead.",
    "latest_gameweek": "Among equals, who had more points in the latest gameweek is ahead.",
}
LOCK_WORDS = {"gameweek": "All at the deadline", "game": "Each footballer at his own kickoff"}

_STATS = {
    "passing_tds": "Passing touchdown",
    "passing_yards": "Passing yard",
    "passing_interceptions": "Interception thrown",
    "passing_2pt": "Two-point pass",
    "rushing_yards": "Rushing yard",
    "rushing_tds": "Rushing touchdown",
    "rushing_2pt": "Two-point run",
    "receptions": "Catch",
    "receiving_yards": "Receiving yard",
    "receiving_tds": "Receiving touchdown",
    "receiving_2pt": "Two-point catch",
    "special_teams_tds": "Return touchdown",
    "fumbles_lost_scoring": "Fumble lost",
    "fumbles_lost": "Fumble lost, of any kind",
    "own_fumble_recovery_tds": "Touchdown on an own fumble",
    "fg_made_0_19": "Field goal, under 20 yards",
    "fg_made_20_29": "Field goal, 20 to 29 yards",
    "fg_made_30_39": "Field goal, 30 to 39 yards",
    "fg_made_40_49": "Field goal, 40 to 49 yards",
    "fg_made_50_59": "Field goal, 50 to 59 yards",
    "fg_made_60_plus": "Field goal, 60 yards or more",
    "pat_made": "Extra point",
    "tackles_solo": "Solo tackle",
    "tackles_with_assist": "Tackle with help",
    "tackle_assists": "Assisted tackle",
    "half_sacks": "Half a sack",
    "tackles_for_loss": "Tackle for loss",
    "qb_hits": "Hit on the passer",
    "interceptions_made": "Interception made",
    "passes_defended": "Pass defended",
    "fumbles_forced": "Fumble forced",
    "fumbles_recovered_opp": "Fumble recovered",
    "def_tds": "Defensive touchdown",
    "safeties": "Safety",
    "kicks_blocked": "Kick blocked",
    "def_2pt": "Two points by the defence",
    "assists": "Assist",
    "penalties_saved": "Penalty saved",
    "carries": "Carry",
    "penalties_missed": "Penalty missed",
    "own_goals": "Own goal",
    "yellow_cards": "Yellow card",
    "red_cards": "Red card",
    "bonus": "Bonus point",
    "minutes": "Minute",
    "goals": "Goal",
    "clean_sheets": "Clean sheet",
    "saves": "Save",
    "defensive_contribution": "Defensive action",
    "goals_conceded": "Goal conceded",
}


@dataclass(frozen=True)
class ScoringLine:
    stat: str
    words: str
    points: str


def stat_words(stat: str) -> str:
    """
    >>> stat_words("receptions"), stat_words("punt_returns")
    ('Catch', 'Punt returns')
    """
    return _STATS.get(stat, stat.replace("_", " ").capitalize())


def in_order(stats: Collection[str]) -> list[str]:
    """The statistics as they are listed everywhere: those with words first."""
    known = [stat for stat in _STATS if stat in stats]
    return known + sorted(set(stats) - set(known))


def plain_points(thousandths: int) -> str:
    """As somebody would type them.

    >>> [plain_points(p) for p in (500, 4000, -125, 0)]
    ['0.5', '4', '-0.125', '0']
    """
    return decimal_points(thousandths).rstrip("0").rstrip(".")


def scoring_lines(scoring: ScoringRules) -> list[ScoringLine]:
    """What counts, in the order in which statistics are listed everywhere; steps last."""
    linear = {stat: scoring.milli_points[stat] for stat in in_order(scoring.milli_points)}
    lines = [ScoringLine(stat, stat_words(stat), decimal_points(points)) for stat, points in linear.items()]
    return lines + [ScoringLine(step.stat, _step_words(step), decimal_points(step.points)) for step in scoring.steps]


def stats_offered(sport: str) -> list[str]:
    """The statistics whose points a commissioner may set."""
    if sport == "soccer":
        return list(SOCCER.milli_points)
    return list(dict.fromkeys((*HALF_PPR_IDP.milli_points, *YAHOO.milli_points)))


def presets_for(sport: str) -> list[ScoringRules]:
    return [scoring for scoring in PRESETS.values() if scoring.sport == sport]


def changed_numbers(old: Mapping[str, int], new: Mapping[str, int]) -> list[str]:
    """What differs between two scoring rules: `Catch: 1.00, not 0.50`."""
    stats = [stat for stat in in_order({*new, *old}) if old.get(stat, 0) != new.get(stat, 0)]
    return [
        f"{stat_words(stat)}: {decimal_points(new.get(stat, 0))}, not {decimal_points(old.get(stat, 0))}"
        for stat in stats
    ]


def team_lines(choice: TeamRulesChoice) -> Sequence[tuple[str, str]]:
    """The team rules as label and value."""
    format = FORMATS[choice.format]
    zone = choice.time_zone.replace("_", " ")
    if choice.lock == "game":
        deadline = "Each footballer at his own kickoff"
    elif choice.deadline:
        deadline = f"{choice.deadline.title()} before the first kickoff, {zone}"
    else:
        deadline = f"The gameweek's deadline, shown in the time of {zone}"
    free = "Without limit" if choice.free_transfers is None else f"{choice.free_transfers} free a gameweek"
    if choice.free_transfers is not None:
        free += (
            f", {choice.bank_limit} saved up at most; {decimal_points(choice.transfer_cost)} points each further one"
        )
    starters = ", ".join(slot.name for slot in format.starters)
    return (
        ("Team", f"{format.title}: {starters}; {len(format.substitutes)} substitutes"),
        ("Budget", f"{choice.budget // 10}.{choice.budget % 10} million"),
        ("Footballers of one club", f"{choice.club_limit} at most"),
        ("Team sheets lock", deadline),
        ("Transfers", free),
    )


def _step_words(step: Step) -> str:
    words = stat_words(step.stat)
    if step.at_least:
        words = f"{words}s, {step.at_least} or more"
    elif step.every > 1:
        words = f"{words}s, each {step.every}"
    return f"{words} ({', '.join(step.positions)})" if step.positions else words
