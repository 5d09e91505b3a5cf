"""The contents of a tournament's pages as values. Pure.

It turns matches, guesses and the time into cards and lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from app.predictions import counted_score, points, statuses
from app.predictions.counted_score import Score
from app.predictions.entries import PICKS
from app.predictions.pages import words
from app.predictions.pages.queries import (
    Correction,
    MatchRow,
    OwnGuess,
    RoundRow,
    Shares,
    TeamName,
)
from app.predictions.pages.words import Reason
from app.predictions.points import GuessKind, PointRule, Terms
from app.predictions.statuses import ENDED, NOT_DEFINED, OPEN

Typed = tuple[str, str]


@dataclass(frozen=True)
class Side:
    """One of the two teams of a card, in the order in which its sport names them.

    `name` is "home" or "away", `typed` the text in its field, `is_picked` whether the guess names
    it as the winner. `used_in` is the round in which a survivor picked the team, "" if in none.
    """

    name: str
    team: TeamName
    score: int | None
    typed: str
    is_picked: bool
    used_in: str = ""


@dataclass(frozen=True)
class Card:
    """A match with the viewer's guess.

    `typed` are the texts in its two fields, and `fault` says why they were not saved. `points`
    (hundredths) and `reasons` say what the guess earns; `points` is None without a guess or a
    score. If `is_final`, the points are settled; else they are those for the current score.
    `guess_words` is the guess as the member says it. `crowd` is what all expect, None if it is not
    shown. `score_words` lists the parts of a match that went beyond regulation, and which of them
    counts.
    """

    match: MatchRow
    kind: GuessKind
    sides: tuple[Side, Side]
    guess: OwnGuess | None
    guess_words: str
    crowd: Shares | None
    typed: Typed
    fault: str
    is_saved: bool
    is_locked: bool
    is_live: bool
    state: str
    outlook: str
    score_words: str
    has_score: bool
    is_final: bool
    points: int | None
    reasons: tuple[Reason, ...]

    @property
    def is_half(self) -> bool:
        """Whether only one of the two scores is typed."""
        return bool(self.typed[0]) != bool(self.typed[1])

    @property
    def is_draw_picked(self) -> bool:
        """Whether the guess names no winner."""
        return self.guess is not None and self.guess.pair == PICKS["draw"]


@dataclass(frozen=True)
class Missing:
    """The number of open matches without a guess, out of `of`, and the `first` of them.

    `pick`: a survivor picks one team of the round instead; what is missing of it, in words.
    """

    count: int
    of: int
    first: UUID | None = None
    pick: str = ""

    @property
    def words(self) -> str:
        """The count as a sentence."""
        return self.pick or words.missing(self.count, self.of)


@dataclass(frozen=True)
class Entry:
    """The result of a sent form: typed texts and faults by match, and the saved matches."""

    typed: Mapping[UUID, Typed] = field(default_factory=lambda: MappingProxyType({}))
    faults: Mapping[UUID, str] = field(default_factory=lambda: MappingProxyType({}))
    saved: frozenset[UUID] = frozenset()


def terms_now(match: MatchRow, rule: PointRule, multiplier: int) -> Terms | None:
    """Return the settled terms of the match, or those for its current score; None without one.

    Before the settlement nobody gets the points for the closest guess.
    """
    if match.status not in (OPEN, ENDED) or match.home_score is None or match.away_score is None:
        return None
    if is_final(match):
        return match.terms
    score = Score(match.home_score, match.away_score)
    return Terms(*score, rule, multiplier, shootout=_shootout_winner(match, score))


def _shootout_winner(match: MatchRow, score: Score) -> int:
    return counted_score.shootout_winner(match.declared, score, match.parts.shootout)


def is_final(match: MatchRow) -> bool:
    """Whether the settled points of the match are those for its current result."""
    terms = match.terms
    if (
        terms is None
        or match.status != ENDED
        or match.home_score is None
        or match.away_score is None
    ):
        return False
    score = Score(match.home_score, match.away_score)
    return (terms.home, terms.away, terms.shootout) == (*score, _shootout_winner(match, score))


def is_score_awaited(match: MatchRow) -> bool:
    """Whether the match is over, but its provider has not given the score that counts."""
    return (
        match.status == NOT_DEFINED
        and match.fate is None
        and statuses.is_over(match.provider_status)
    )


def _score_words(match: MatchRow) -> str:
    parts = match.parts
    if match.status == OPEN:  # extra time is still being played
        parts = replace(parts, extra_time=None, shootout=None)
    return counted_score.explain(match.declared, parts)


@dataclass(frozen=True)
class Survival:
    """A member in a survivor tournament.

    `out_since` and `out_at` are the name and position of the round in which they went out. `used`
    names the round in which they picked a team, by team.
    """

    out_since: str = ""
    out_at: int | None = None
    used: Mapping[UUID, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Scoring:
    """What a round's guesses earn.

    The point rule of the tournament, the round, how the member survives, and what the crowd expects
    by match.
    """

    rule: PointRule
    round: RoundRow
    survival: Survival = Survival()
    crowd: Mapping[UUID, Shares] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_out(self) -> bool:
        """Whether the member went out in an earlier round."""
        return self.survival.out_at is not None and self.survival.out_at < self.round.position


def card(
    match: MatchRow,
    guess: OwnGuess | None,
    scoring: Scoring,
    now: datetime,
    entry: Entry | None = None,
) -> Card:
    """Return the card of a match. `entry` is the result of the viewer's form, if one was sent."""
    entry = entry or Entry()
    locked = match.is_locked(now)
    kind = scoring.rule.guess
    terms = terms_now(match, scoring.rule, scoring.round.multiplier) if locked else None
    earned: int | None = None
    why: tuple[Reason, ...] = ()
    if guess is not None and terms is not None:
        earned, why = _earned(guess, terms), tuple(words.reasons(guess, terms))
        if scoring.is_out:
            earned, why = 0, (Reason(f"Eliminated in {scoring.survival.out_since}", 0),)
    saved = ("", "") if guess is None else (str(guess.home), str(guess.away))
    typed = entry.typed.get(match.id, saved)
    is_awaited = is_score_awaited(match)
    state = (
        words.SCORE_AWAITED
        if is_awaited
        else words.state(match.status, match.fate, match.kickoff, now)
    )
    return Card(
        match=match,
        kind=kind,
        sides=_sides(match, guess, typed, scoring.survival.used),
        guess=guess,
        guess_words="" if guess is None else words.guess(guess, kind, match),
        crowd=scoring.crowd.get(match.id),
        typed=typed,
        fault=entry.faults.get(match.id, ""),
        is_saved=match.id in entry.saved,
        is_locked=locked,
        is_live=state == "Live",
        state=state,
        outlook=words.AWAITED_OUTLOOK
        if is_awaited
        else words.outlook(match.status, match.fate, match.kickoff),
        score_words=_score_words(match) if locked and match.fate is None else "",
        has_score=locked and match.home_score is not None and match.away_score is not None,
        is_final=is_final(match),
        points=earned,
        reasons=why,
    )


def _sides(
    match: MatchRow, guess: OwnGuess | None, typed: Typed, used: Mapping[UUID, str]
) -> tuple[Side, Side]:
    home, away = (
        Side(name, team, score, text, guess is not None and guess.pair == PICKS[name], used_in)
        for name, team, score, text, used_in in (
            ("home", match.home, match.home_score, typed[0], used.get(match.home.id, "")),
            ("away", match.away, match.away_score, typed[1], used.get(match.away.id, "")),
        )
    )
    return (away, home) if match.is_away_first else (home, away)


def missing(cards: Sequence[Card], scoring: Scoring) -> Missing:
    """Return how many open matches have no guess, or whether a survivor's pick is missing."""
    open_cards = [card_ for card_ in cards if not card_.is_locked]
    if scoring.rule.guess == GuessKind.SURVIVOR:
        is_picked = any(card_.guess for card_ in cards)
        is_out = scoring.survival.out_at is not None
        needed = bool(open_cards) and not is_out and not is_picked
        pick = words.missing_pick(is_picked=is_picked, is_out=is_out, is_open=bool(open_cards))
        return Missing(int(needed), 1, open_cards[0].match.id if needed else None, pick)
    without = [card_.match.id for card_ in open_cards if card_.guess is None]
    return Missing(len(without), len(open_cards), without[0] if without else None)


@dataclass(frozen=True)
class RoundSum:
    """A round in the viewer's history.

    `slam` are the points for guessing every outcome. `points` and `slam` are hundredths.
    """

    round: RoundRow
    cards: tuple[Card, ...]
    points: int
    slam: int

    @property
    def guessed(self) -> int:
        """How many matches the viewer guessed."""
        return sum(card.guess is not None for card in self.cards)


@dataclass(frozen=True)
class Guessed:
    """A member's guesses by match, their points for perfect rounds, and how they survive."""

    guesses: Mapping[UUID, OwnGuess]
    slams: Mapping[int, int]
    survival: Survival = Survival()


def history(
    rounds: Sequence[RoundRow],
    matches: Sequence[MatchRow],
    mine: Guessed,
    rule: PointRule,
    now: datetime,
) -> list[RoundSum]:
    """Return the rounds with a locked match, the last one first. Only final points are summed."""
    sums = []
    for round_ in rounds:
        scoring = Scoring(rule, round_, mine.survival)
        cards = tuple(
            card(match, mine.guesses.get(match.id), scoring, now)
            for match in matches
            if match.round_id == round_.id and match.is_locked(now)
        )
        slam = mine.slams.get(round_.id, 0)
        if cards:
            total = sum(card.points for card in cards if card.is_final and card.points is not None)
            sums.append(RoundSum(round_, cards, total + slam, slam))
    return sums[::-1]


@dataclass(frozen=True)
class CorrectionLine:
    """A correction in words, with my points of the match before and after (hundredths).

    `guess` is my guess in words, "" for none.
    """

    at: datetime
    match: MatchRow
    text: str
    guess: str
    before: int
    after: int


def correction_lines(
    corrections: Sequence[Correction],
    matches: Sequence[MatchRow],
    guesses: Mapping[UUID, OwnGuess],
    kind: GuessKind,
) -> list[CorrectionLine]:
    """Describe the corrections in words, in the given order."""
    by_id = {match.id: match for match in matches}
    lines = []
    for correction in corrections:
        match, guess = by_id[correction.match_id], guesses.get(correction.match_id)
        before, after = correction.before, correction.after
        lines.append(
            CorrectionLine(
                correction.at,
                match,
                words.correction(before, after, is_away_first=match.is_away_first),
                "" if guess is None else words.guess(guess, kind, match),
                _earned(guess, before),
                _earned(guess, after),
            )
        )
    return lines


def _earned(guess: OwnGuess | None, terms: Terms | None) -> int:
    if guess is None or terms is None:
        return 0
    return points.earned(*guess.pair, terms, guess.confidence or 1).total
