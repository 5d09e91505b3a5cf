"""The points of a guess: rules as data, evaluated in Python and in SQL. A test compares the two.

All points are hundredths. A right outcome is the right winner, or a draw guessed as a draw. The
presets for scores follow the published scoring of Superbru; those for winners follow the pick'em,
confidence and survivor games of Yahoo and ESPN. Pure. Guesses are in guesses.py, and points are
added up in settlement/.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

WHOLE = 100  # one point, or a multiplier of 1, in hundredths
Hundredths = Annotated[int, Meta(ge=0, le=10_000)]
Distance = Annotated[int, Meta(ge=0, le=200)]
Multiplier = Annotated[int, Meta(ge=1, le=1_000)]


class Counting(StrEnum):
    """Which of the parts winner, margin, close and exact count if a guess earns several."""

    SUM = "sum"
    BEST = "best"


class GuessKind(StrEnum):
    """What a guess says.

    `scores`: both scores of a match. `winner`: who wins, which is stored as 1:0, 0:0 or 0:1.
    `confidence`: who wins, and a number from 1 to the number of matches of the round, each of which
    a member uses once. `survivor`: one team of a round that wins; nobody picks a team twice.
    """

    SCORES = "scores"
    WINNER = "winner"
    CONFIDENCE = "confidence"
    SURVIVOR = "survivor"


class PointRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The points of a tournament, in hundredths; 0 means that a part is not given.

    `winner`: right outcome. `margin`: the difference of the scores is off by at most
    `margin_within`, whatever the outcome. `close`: right outcome, and the two scores are off by at
    most `close_within` together. `exact`: both scores right. `closest`: shared by the guesses with
    the right outcome whose difference is nearest to the real one, at least `closest_least` for
    each. `grand_slam`: every outcome of a round right. `multipliers`: of the points of a round's
    matches by `roundSlug` (not of the grand slam), in hundredths; 100 for other rounds.

    `guess`: what a guess says. Guesses that name the winner earn `winner`, times their confidence
    if they have one; the parts that compare scores are then 0. `lives`: with how many wrong or
    missing picks a survivor is out. `crowd`: members see before the kickoff how many expect which
    winner (never who).
    """

    guess: GuessKind = GuessKind.SCORES
    lives: Annotated[int, Meta(ge=1, le=10)] = 1
    crowd: bool = False
    winner: Hundredths = WHOLE
    margin: Hundredths = 0
    margin_within: Distance = 0
    close: Hundredths = 0
    close_within: Distance = 0
    exact: Hundredths = 0
    closest: Hundredths = 0
    closest_least: Hundredths = 0
    grand_slam: Hundredths = 0
    counting: Counting = Counting.SUM
    multipliers: dict[str, Multiplier] = {}

    def multiplier(self, round_slug: str) -> int:
        """Return the multiplier of a round's points, in hundredths."""
        return self.multipliers.get(round_slug, WHOLE)

    @property
    def fault(self) -> str:
        """What does not fit together, as a sentence that says what to change; "" if all does."""
        if self.guess == GuessKind.SCORES:
            return ""
        compared = ("margin", "close", "exact", "closest")
        if parts := [name for name in compared if getattr(self, name)]:
            return (
                f"Picks of kind {self.guess.value!r} have no scores: set "
                f"{' and '.join(parts)} to 0."
            )
        if self.guess == GuessKind.SURVIVOR and self.grand_slam:
            return "A survivor picks one match per round: set grand_slam to 0."
        return ""


PRESETS = {
    "winner": PointRule(),
    "margin": PointRule(
        winner=100, margin=50, margin_within=5, closest=100, closest_least=25, grand_slam=100
    ),
    "exact": PointRule(winner=100, close=150, close_within=2, exact=300, counting=Counting.BEST),
    "pickem": PointRule(guess=GuessKind.WINNER, crowd=True),
    "confidence": PointRule(guess=GuessKind.CONFIDENCE, crowd=True),
    "survivor": PointRule(guess=GuessKind.SURVIVOR, crowd=True),
}


class Terms(msgspec.Struct, frozen=True):
    """Everything that decides what the guesses of one match earn.

    `shootout` says who wins a draw by the shoot-out: 1 the home team, -1 the away team, 0 neither.
    `multiplier` is the round's, in hundredths. If `closest_distance` is None, nobody gets the
    points for the closest guess.
    """

    home: int
    away: int
    rule: PointRule
    multiplier: int = WHOLE
    closest_distance: int | None = None
    closest_share: int = 0
    shootout: int = 0

    @property
    def outcome(self) -> int:
        """1 if the home team won, -1 if the away team won, 0 for a draw."""
        return sign(self.home - self.away) or self.shootout


class Earned(msgspec.Struct, frozen=True):
    """The parts of a guess's points in hundredths, before the round's multiplier.

    Only `total` includes the multiplier.
    """

    winner: int
    margin: int
    close: int
    exact: int
    closest: int
    total: int


def sign(number: int) -> int:
    """Return the sign of a number: 1, 0 or -1."""
    return (number > 0) - (number < 0)


def is_right(home: int, away: int, terms: Terms) -> bool:
    """Whether the guess has the right outcome."""
    return sign(home - away) == terms.outcome


def distance(home: int, away: int, terms: Terms) -> int:
    """Return how far the guessed difference of the scores is from the real one."""
    return abs((home - away) - (terms.home - terms.away))


def share_of_closest(rule: PointRule, sharers: int) -> int:
    """Return the points for each of the closest guesses. Fractions of a hundredth are dropped."""
    return max(rule.closest // sharers, min(rule.closest, rule.closest_least)) if sharers else 0


def earned(home: int, away: int, terms: Terms, confidence: int = 1) -> Earned:
    """Return the points for a guess of `home` to `away`.

    A survivor's pick earns nothing once they are out (survivors.py).
    """
    rule, right, off = terms.rule, is_right(home, away, terms), distance(home, away, terms)
    both_off = abs(home - terms.home) + abs(away - terms.away)
    parts = {
        "winner": rule.winner * confidence if right else 0,
        "margin": rule.margin if rule.margin and off <= rule.margin_within else 0,
        "close": rule.close if right and both_off <= rule.close_within else 0,
        "exact": rule.exact if both_off == 0 else 0,
    }
    if rule.counting == Counting.BEST:
        best = max(parts, key=lambda name: parts[name])
        parts = {name: points if name == best else 0 for name, points in parts.items()}
    closest = terms.closest_share if right and off == terms.closest_distance else 0
    total = (sum(parts.values()) + closest) * terms.multiplier // WHOLE
    return Earned(closest=closest, total=total, **parts)


def earned_sql(
    prefix: str,
    home: str = "g.home",
    away: str = "g.away",
    confidence: str = "g.confidence",
) -> str:
    """Return `earned(...).total` as an SQL expression over the columns.

    Its parameters are `parameters(prefix, terms)`. If the terms are None (nothing was applied yet),
    the parameter `PREFIX_multiplier` is 0, so guesses earn nothing.
    """
    p = f":{prefix}_"
    right = f"sign(({home}) - ({away})) = CAST({p}outcome AS integer)"
    off = f"abs((({home}) - ({away})) - (CAST({p}home AS integer) - CAST({p}away AS integer)))"
    both_off = (
        f"(abs(({home}) - CAST({p}home AS integer)) + abs(({away}) - CAST({p}away AS integer)))"
    )
    parts = [
        f"CASE WHEN {right} THEN CAST({p}winner AS integer) * coalesce({confidence}, 1) ELSE 0 END",
        f"CASE WHEN {off} <= CAST({p}margin_within AS integer) THEN CAST({p}margin AS integer) "
        "ELSE 0 END",
        f"CASE WHEN {right} AND {both_off} <= CAST({p}close_within AS integer)"
        f" THEN CAST({p}close AS integer) ELSE 0 END",
        f"CASE WHEN {both_off} = 0 THEN CAST({p}exact AS integer) ELSE 0 END",
    ]
    counted = (
        f"CASE WHEN CAST({p}is_best AS boolean) THEN greatest({', '.join(parts)}) ELSE "
        f"{' + '.join(parts)} END"
    )
    closest = (
        f"CASE WHEN {right} AND {off} = CAST({p}closest_distance AS integer)"
        f" THEN CAST({p}closest_share AS integer) ELSE 0 END"
    )
    return f"((({counted}) + ({closest})) * CAST({p}multiplier AS integer) / {WHOLE})"


def outcome_sql(terms: str) -> str:
    """Return `Terms.outcome` as an SQL expression over a column of terms."""
    margin = f"CAST({terms}->>'home' AS integer) - CAST({terms}->>'away' AS integer)"
    return f"coalesce(nullif(sign({margin}), 0), CAST({terms}->>'shootout' AS integer), 0)"


def parameters(prefix: str, terms: Terms | None) -> dict[str, int | bool | None]:
    """Return the parameters of `earned_sql(prefix)`."""
    effective_terms = terms or Terms(0, 0, PointRule(), multiplier=0)
    rule = effective_terms.rule
    values = {
        "home": effective_terms.home,
        "away": effective_terms.away,
        "outcome": effective_terms.outcome,
        "multiplier": effective_terms.multiplier,
        "winner": rule.winner,
        "margin": rule.margin,
        "margin_within": rule.margin_within,
        "close": rule.close,
        "close_within": rule.close_within,
        "exact": rule.exact,
        "is_best": rule.counting == Counting.BEST,
        "closest_distance": effective_terms.closest_distance,
        "closest_share": effective_terms.closest_share,
    }
    return {f"{prefix}_{name}": value for name, value in values.items()}


def number(points: int) -> int | float:
    """Return points as the API gives them: 3, 2.5."""
    return points // WHOLE if points % WHOLE == 0 else points / WHOLE


def words(rule: PointRule) -> list[str]:
    """Describe the rule for members in sentences, the most valuable part first."""
    sentences = []
    if rule.exact:
        sentences.append(f"Both scores right: {_points(rule.exact)}.")
    if rule.close:
        sentences.append(
            f"Right winner and scores off by {rule.close_within} or less in total: "
            f"{_points(rule.close)}."
        )
    if rule.guess != GuessKind.SCORES:
        sentences += _words_of_picks(rule)
    elif rule.winner:
        sentences.append(f"Right winner (or draw): {_points(rule.winner)}.")
    if rule.margin:
        sentences.append(
            f"Winning margin off by {rule.margin_within} or less: {_points(rule.margin)}."
        )
    if rule.counting == Counting.BEST:
        sentences.append("Only the best of these counts per match.")
    if rule.closest:
        least = f", min. {number(rule.closest_least):g} each" if rule.closest_least else ""
        sentences.append(
            f"Right winner and closest margin of everyone: {_points(rule.closest)} "
            f"(split if tied{least})."
        )
    if rule.grand_slam:
        sentences.append(f"Perfect round (every winner right): +{_points(rule.grand_slam)}.")
    return sentences


def _words_of_picks(rule: PointRule) -> list[str]:
    if rule.guess == GuessKind.WINNER:
        return [f"Right winner: {_points(rule.winner)}."]
    if rule.guess == GuessKind.CONFIDENCE:
        return [
            f"Right winner: {_points(rule.winner)} times your confidence.",
            "Use each number from 1 to the number of matches once per round.",
        ]
    wrong = "One wrong pick and" if rule.lives == 1 else f"After {rule.lives} wrong picks"
    return [
        f"Pick one winner per round: {_points(rule.winner)} for each round you survive.",
        f"{wrong} you're out. A draw or a missing pick counts as wrong.",
        "You can pick each team once.",
        "Rounds before your first pick don't count. If a match is called off, your pick is "
        "neither right nor wrong.",
    ]


def result_words(
    terms: Terms,
    home: str = "the home team",
    away: str = "the away team",
    *,
    is_away_first: bool = False,
) -> str:
    """Return the result, and who won a shoot-out.

    >>> result_words(Terms(2, 1, PointRule()))
    '2–1'
    >>> result_words(Terms(2, 1, PointRule()), is_away_first=True)
    '1–2'
    >>> result_words(Terms(1, 1, PointRule(), shootout=-1))
    '1–1 (the away team won on penalties)'
    """
    result = pair(terms.home, terms.away, is_away_first=is_away_first)
    return (
        f"{result} ({home if terms.shootout > 0 else away} won on penalties)"
        if terms.shootout
        else result
    )


def pair(home: int, away: int, *, is_away_first: bool) -> str:
    """Return two scores as text, in the order in which the sport names its teams.

    >>> pair(24, 17, is_away_first=True)
    '17–24'
    """
    return f"{away}–{home}" if is_away_first else f"{home}–{away}"


def _points(hundredths: int) -> str:
    return f"{number(hundredths):g} point" + ("" if hundredths == WHOLE else "s")
