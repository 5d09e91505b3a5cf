"""What must be there after what was answered, in dictionaries and loops.

No code of the product but its published tables, which stand a second time in
tests/fantasy/seasons/plain_rules.py.

`answered` takes each act with its answer, in order, and says what the answer should not have been.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from app.record import events as ev
from tests.histories.acting import Answer
from tests.histories.schedule import (
    GAMES,
    Act,
    Enter,
    Guess,
    Join,
    Lock,
    Review,
    Rule,
    Sanction,
    Save,
    Score,
)

Line = dict[str, int]


@dataclass
class PlainGame:
    """`said`: of each event but rulings what was said last, None: taken away.

    `play_of`: the key of its entry.
    """

    accepted: int = 0
    said: dict[int, ev.Body | None] = field(default_factory=dict)
    play_of: dict[int, str] = field(default_factory=dict)
    numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def standing(self) -> dict[int, ev.Body]:
        return {number: body for number, body in sorted(self.said.items()) if body is not None}

    def lines(self) -> dict[str, Line]:
        """By footballer, without the clubs' defences.

        Whoever has anything to their name has a line.
        """
        lines: dict[str, Line] = defaultdict(lambda: defaultdict(int))
        for play in self._plays():
            _count(play, lines)
        return {
            player: {stat: n for stat, n in line.items() if n} for player, line in lines.items()
        }

    def score(self) -> tuple[int, int] | None:
        """As declared; None before it was."""
        for body in self.standing().values():
            if isinstance(body, ev.Final):
                return body.home_score, body.away_score
        return None

    def points(self, team: str) -> int:
        """As the plays add up."""
        total = 0
        for play in self._plays():
            scored = [
                body for body in play if getattr(body, "is_touchdown", False) and body.team == team
            ]
            total += 6 if scored else 0
            total += 3 * sum(
                isinstance(event, ev.Kick) and event.result == "good" and event.team == team
                for event in play
            )
        return total

    def _plays(self) -> list[list[ev.Body]]:
        plays: dict[str, list[ev.Body]] = defaultdict(list)
        for number, body in self.standing().items():
            plays[self.play_of[number]].append(body)
        return list(plays.values())


def _count(play: list[ev.Body], lines: dict[str, Line]) -> None:
    thrown: ev.Pass | None = None
    for body in play:
        match body:
            case ev.Pass():
                passer, receiver = lines[body.passer], lines[body.receiver]
                passer["attempts"] += 1
                receiver["targets"] += 1
                thrown = body if body.result == "complete" else None
                if thrown:
                    passer["completions"] += 1
                    receiver["receptions"] += 1
                    passer["passing_yards"] += body.reception_yard - body.throw_yard
                    receiver["receiving_yards"] += body.reception_yard - body.throw_yard
            case ev.Run(kind="rush"):
                runner = lines[body.player]
                runner["carries"] += 1
                runner["rushing_yards"] += body.end_yard - body.start_yard
                runner["rushing_tds"] += body.is_touchdown
            case ev.Run() if thrown:
                for player, kind in ((thrown.passer, "passing"), (body.player, "receiving")):
                    lines[player][f"{kind}_yards"] += body.end_yard - body.start_yard
                    lines[player][f"{kind}_tds"] += body.is_touchdown
            case ev.Tackle():
                lines[body.tackler]["tackles_solo"] += 1
            case ev.Sack():
                lines[body.player]["sacks_suffered"] += 1
                lines[body.player]["sack_yards_lost"] += body.start_yard - body.end_yard
                for sacker in body.by:
                    lines[sacker]["half_sacks"] += 2
            case ev.Kick():
                kicker = lines[body.kicker]
                kicker["fg_att"] += 1
                kicker["fg_made" if body.result == "good" else "fg_missed"] += 1
                if body.result == "good":
                    tens = body.distance // 10
                    kicker["fg_made_60_plus" if tens >= 6 else f"fg_made_{tens}0_{tens}9"] += 1


@dataclass
class PlainScore:
    """`state`: sent until it was judged, which only the stores tell.

    Then clean, flagged or rejected.
    """

    player: int
    score: int
    order: int
    state: str = "sent"
    is_rolled_back: bool = False


@dataclass
class Model:
    games: list[PlainGame] = field(default_factory=lambda: [PlainGame() for _ in range(GAMES)])
    sheets: dict[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)
    joined: set[int] = field(default_factory=lambda: {0})
    guesses: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    scores: dict[int, PlainScore] = field(default_factory=dict)
    hidden: dict[int, str] = field(default_factory=dict)  # by player, ban or shadow
    # keys of moderators' acts that were acknowledged
    decided: list[str] = field(default_factory=list)
    thirteens: bool = True  # whether the anti-cheat holds every score that thirteen divides

    def answered(self, act: Act, answer: Answer) -> str | None:
        """Takes the answer in; a sentence where it should have been another one."""
        refused = answer.refused
        match act:
            case Enter() | Rule():
                return (
                    f"{act.key} was refused: {refused}" if refused else self._entered(act, answer)
                )
            case Save(is_late=True):
                return (
                    None
                    if refused == ("deadline",)
                    else f"a late team sheet: {refused or 'acknowledged'}"
                )
            case Guess(is_late=True):
                return (
                    None
                    if refused == ("guess_locked",)
                    else f"a late guess: {refused or 'acknowledged'}"
                )
            case Save() | Guess() | Join() | Lock() if refused:
                return f"{act} was refused: {refused}"
            case Save():
                self.sheets[act.member, act.week] = act.squad, act.captain, act.vice_captain
            case Guess():
                self.guesses[act.member, act.match] = act.home, act.away
            case Join():
                self.joined.add(act.member)
            case Score():
                return self._scored(act, refused)
            case Review():
                return self._reviewed(act, refused)
            case Sanction():
                return self._sanctioned(act, refused)
        return None

    def _entered(self, act: Enter | Rule, answer: Answer) -> str | None:
        game = self.games[act.game]
        if act.key in game.numbers:
            was = game.numbers[act.key]
            return (
                None
                if was == answer.numbers
                else f"{act.key} became {was}, and then {answer.numbers}"
            )
        expected = tuple(range(game.accepted + 1, game.accepted + 1 + len(answer.numbers)))
        if answer.numbers != expected:
            return f"{act.key} became {answer.numbers} and not {expected}"
        game.accepted += len(expected)
        game.numbers[act.key] = expected
        if isinstance(act, Enter):
            game.said |= dict(zip(expected, act.bodies, strict=True))
            game.play_of |= dict.fromkeys(expected, act.key)
        elif act.ruling is None:
            game.said |= dict.fromkeys(game.numbers[act.of])
        else:
            game.said[game.numbers[act.of][act.part]] = act.ruling
        return None

    def _scored(self, act: Score, refused: tuple[str, ...]) -> str | None:
        score = self.scores.get(act.number)
        if score is not None and (score.is_rolled_back or score.state == "rejected"):
            return None  # asked again: it says what became of it
        if refused:
            return (
                None
                if refused == ("banned",) and self.hidden.get(act.player) == "ban"
                else f"{act}: {refused}"
            )
        if score is None:
            if self.hidden.get(act.player) == "ban":
                return f"{act} of somebody banned was acknowledged"
            self.scores[act.number] = PlainScore(act.player, act.score, len(self.scores))
        return None

    def _reviewed(self, act: Review, refused: tuple[str, ...]) -> str | None:
        score = self.scores.get(act.number)
        if refused == ("unknown",) and (score is None or score.state == "sent"):
            return None
        if act.key in self.decided:
            return f"{act} was done, and then {refused}" if refused else None
        assert score is not None, act
        if score.state == "sent":
            score.state = self._judged(score)
        counts, waits = score.state == "clean", score.state == "flagged"
        is_expected, state, taken = {
            "quarantine": (counts and not score.is_rolled_back, "flagged", False),
            "accept": (waits and not score.is_rolled_back, "clean", False),
            "reject": (waits and not score.is_rolled_back, "rejected", False),
            "roll_back": (
                score.state != "rejected" and not score.is_rolled_back,
                score.state,
                True,
            ),
            "restore": (score.is_rolled_back or score.state == "rejected", "clean", False),
        }[act.decision]
        if is_expected is bool(refused):
            return f"{act} of {score}: {refused or 'acknowledged'}"
        if not refused:
            score.state, score.is_rolled_back = state, taken
            self.decided.append(act.key)
        return None

    def _judged(self, score: PlainScore) -> str:
        return "flagged" if self.thirteens and score.score % 13 == 0 else "clean"

    def _sanctioned(self, act: Sanction, refused: tuple[str, ...]) -> str | None:
        if act.key in self.decided:
            return f"{act} was done, and then {refused}" if refused else None
        is_expected = act.kind != "lift" or act.player in self.hidden
        if is_expected is bool(refused):
            return f"{act}: {refused or 'acknowledged'}"
        if not refused:
            self.decided.append(act.key)
            if act.kind == "lift":
                del self.hidden[act.player]
            else:
                self.hidden[act.player] = act.kind
        return None

    def board(self, aggregation: str, days: dict[int, Any], day: Any = None) -> dict[int, int]:
        """By player, of those who are seen.

        `days`: of each score by number, for the board of one day.
        """
        best: dict[int, int] = {}
        for number, score in sorted(self.scores.items(), key=lambda item: item[1].order):
            if score.state == "sent":
                score.state = self._judged(score)
            if score.state != "clean" or score.is_rolled_back or score.player in self.hidden:
                continue
            if day is not None and days.get(number) != day:
                continue
            was = best.get(score.player)
            if was is None or aggregation == "latest":
                best[score.player] = score.score
            else:
                best[score.player] = (
                    was + score.score if aggregation == "sum" else max(was, score.score)
                )
        return best
