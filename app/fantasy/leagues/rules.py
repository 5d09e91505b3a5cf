"""The rules for names, codes and settings of leagues. Pure.

The functions that read a commissioner's settings return every fault at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from app.accounts import names
from app.core.normal_forms import normalized
from app.core.numbers import MAX_ID, typed_decimal, whole_number
from app.core.refusals import Refusal
from app.fantasy.market.choice import LOCKS, POSTPONED_GAMES, TeamRulesChoice
from app.fantasy.market.deadlines import BadDeadlineError, parsed, zone
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.standings.ranking import BETWEEN, HEAD_TO_HEAD, MODES, TIES

# Without letters and digits that people mistake for each other.
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8
# Addresses below /leagues that are pages of their own.
RESERVED_SLUGS = frozenset({"new", "public", "import", "join", "start"})

LEAGUE_NAME_MAX = 60
SLUG_MAX = 40  # without the number at its end if the address is taken
TEAM_NAME_MAX = 40
UNUSUAL = 10  # times the most that a preset gives; larger numbers have to be confirmed
MOST_POINTS = 100_000  # of a statistic, in thousandths
REASON_MAX = 300


def name_refusals(name: str, field: str = "name", most: int = LEAGUE_NAME_MAX) -> list[Refusal]:
    """What is wrong with a name; empty if nothing is.

    >>> [refusal.text for refusal in name_refusals(" ")]
    ['Use 1 to 60 characters.']
    """
    if not 1 <= len(names.normalised(name)) <= most:
        return [Refusal("name", field, f"Use 1 to {most} characters.")]
    fault = names.hidden_fault(name)
    return [Refusal("name", field, fault)] if fault else []


def reason_refusals(reason: str) -> list[Refusal]:
    """Return what is wrong with a commissioner's reason."""
    if 1 <= len(reason.strip()) <= REASON_MAX:
        fault = names.hidden_text_fault(reason)
        return [Refusal("reason", "reason", fault)] if fault else []
    return [
        Refusal(
            "reason",
            "reason",
            f"Give a reason in up to {REASON_MAX} characters. Every member can see it.",
        )
    ]


def slug_of(name: str, taken: Collection[str]) -> str:
    """A free address made of the name: letters and digits in lower case, and a number if needed.

    >>> slug_of("The Réd Zone!", {"the-red-zone"}), slug_of("New", ()), slug_of("日本", ())
    ('the-red-zone-2', 'new-2', 'league')
    """
    plain = normalized("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG_MAX].strip("-") or "league"
    slug, number = stem, 1
    while slug in taken or slug in RESERVED_SLUGS:
        number += 1
        slug = f"{stem}-{number}"
    return slug


def plain_code(entered: str) -> str:
    """An invite code as it is stored, however it was typed.

    >>> plain_code(" abcd-efgh ")
    'ABCDEFGH'
    """
    return re.sub(r"[^A-Z0-9]", "", entered.upper())[:32]


def may_set(first_deadline: datetime | None, now: datetime) -> bool:
    """Whether rules can still be set, which ends at the league's first deadline.

    After it, scoring can still be changed for all weeks, with a reason.
    """
    return first_deadline is None or now < first_deadline


SET_TOO_LATE = Refusal(
    "too_late",
    "",
    "The first deadline has passed, so these rules are fixed. You can still change scoring "
    "for the whole season: go to Settings, Scoring.",
)


def sport_of(team_format: Format) -> str:
    """Return the sport that the format belongs to."""
    return "soccer" if "GK" in team_format.positions else "football"


def formats_for(sport: str) -> list[Format]:
    """Return the formats of the sport."""
    return [team_format for team_format in FORMATS.values() if sport_of(team_format) == sport]


def read_team_rules(values: Mapping[str, str], sport: str) -> TeamRulesChoice | list[Refusal]:
    """The choice that a form's fields make, or everything that is wrong with them.

    The fields are format, lock, time_zone, deadline (`THU 18:00`, empty: the first kickoff), budget
    (millions, `100.0`), club_limit, free_transfers (empty: without limit), bank_limit,
    transfer_cost (points), postponed_games.
    """
    reader = _TeamRulesReader(values)
    formats = {team_format.name: team_format.title for team_format in formats_for(sport)}
    team_format = reader.choice("format", formats, f"Choose one of {', '.join(formats.values())}.")
    lock = reader.choice(
        "lock",
        LOCKS,
        "Choose when lineups lock: all at the deadline, or each player at kickoff.",
    )
    choice = TeamRulesChoice(
        format=team_format,
        lock=lock,
        time_zone=reader.time_zone(),
        deadline=reader.deadline(lock),
        free_transfers=reader.number("free_transfers", 0, 50) if reader.has_free_limit else None,
        postponed_games=reader.choice(
            "postponed_games",
            POSTPONED_GAMES,
            "Choose whether games moved to another week count.",
        ),
        budget=reader.number("budget", 100, 10_000, 10),
        club_limit=reader.number("club_limit", 1, 50),
        bank_limit=reader.number("bank_limit", 0, 50),
        transfer_cost=reader.number("transfer_cost", 0, MOST_POINTS, 1000),
    )
    return reader.refused or choice


class _TeamRulesReader:
    """Reads the fields of team rules, and collects what is wrong with them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.refused: list[Refusal] = []

    @property
    def has_free_limit(self) -> bool:
        """Whether the number of free transfers is limited."""
        return bool(self._values.get("free_transfers", "").strip())

    def choice(self, field: str, options: Collection[str], fault: str) -> str:
        value = self._values.get(field, "")
        if value not in options:
            self._refuse(field, fault)
        return value

    def number(self, field: str, least: int, most: int, scale: int = 1) -> int:
        """The number times `scale`; `least` if it is wrong."""
        value = typed_decimal(self._values.get(field, ""), scale)
        if value is not None and least <= value <= most:
            return value
        form = "a whole number"
        if scale > 1:
            form = f"a number with up to {len(str(scale)) - 1} decimals"
        self._refuse(field, f"Enter {form} from {least // scale} to {most // scale}.")
        return least

    def time_zone(self) -> str:
        name = self._values.get("time_zone", "").strip()
        try:
            zone(name)
        except BadDeadlineError as error:
            self._refuse("time_zone", _sentence(error))
        return name

    def deadline(self, lock: str) -> str | None:
        rule = self._values.get("deadline", "").strip().upper()
        if not rule:
            return None
        if lock == "game":
            self._refuse("deadline", "Leave this blank: each player locks at kickoff.")
            return rule
        try:
            parsed(rule)
        except BadDeadlineError as error:
            self._refuse("deadline", _sentence(error))
        return rule

    def _refuse(self, field: str, text: str) -> None:
        self.refused.append(Refusal("team_rules", field, text))


def read_first_week(entered: str, weeks: Collection[int]) -> int | Refusal | None:
    """The gameweek of the season from which a league counts; None if nothing was chosen.

    >>> read_first_week("3", (1, 2, 3)), read_first_week("", (1,))
    (3, None)
    """
    if not entered.strip():
        return None
    week = whole_number(entered, most=MAX_ID)
    return (
        week
        if week in weeks
        else Refusal("first_week", "first_week", "Choose one of the season's weeks.")
    )


def read_table_rules(mode: str, ties: str) -> list[Refusal]:
    """Return what is wrong with the mode and the tie rule."""
    refused = []
    if mode not in MODES:
        refused.append(Refusal("mode", "mode", "Choose total points or head to head."))
    if ties not in TIES:
        refused.append(Refusal("ties", "ties", "Choose how ties are broken."))
    elif ties in BETWEEN and mode in MODES and mode != HEAD_TO_HEAD:
        text = "This tiebreaker needs head to head. Choose head to head or another tiebreaker."
        refused.append(Refusal("ties", "ties", text))
    return refused


def read_numbers(values: Mapping[str, str], base: ScoringRules) -> dict[str, int] | list[Refusal]:
    """The points of each statistic in thousandths, or everything that is wrong with them.

    Statistics that count 0 are left out.

    Args:
        values: Points by statistic as they were typed, for those that differ from the base.
        base: The scoring rules that the values change.
    """
    numbers, refused = dict(base.milli_points), []
    for stat, entered in values.items():
        thousandths = typed_decimal(entered, 1000)
        if not entered.strip():
            refused.append(Refusal("numbers", stat, "Enter points, or 0 if it does not count."))
        elif thousandths is None or abs(thousandths) > MOST_POINTS:
            refused.append(
                Refusal(
                    "numbers", stat, "Enter points from -100 to 100, with up to three decimals."
                )
            )
        else:
            numbers[stat] = thousandths
    return refused or {stat: points for stat, points in numbers.items() if points}


def unusual_numbers(numbers: Mapping[str, int], sport: str) -> dict[str, int]:
    """Return the numbers that are more than UNUSUAL times what any preset of the sport gives.

    A statistic that no preset counts is compared with a tenth of a point per yard, and everything
    else with a touchdown.
    """
    most: dict[str, int] = {}
    for preset in PRESETS.values():
        for stat, points in preset.milli_points.items() if preset.sport == sport else ():
            most[stat] = max(most.get(stat, 0), abs(points))
    return {
        stat: points
        for stat, points in numbers.items()
        if abs(points) > UNUSUAL * most.get(stat, 100 if stat.endswith("_yards") else 6_000)
    }


def _sentence(error: BadDeadlineError) -> str:
    reason = str(error).split(": ", 1)[-1]
    return f"{reason[0].upper()}{reason[1:]}."
