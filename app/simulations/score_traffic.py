"""Honest and cheating traffic, made up from a seed: the same seed gives the same scores.

Plain values.

Honest: people of different skill who get a little better, breaks between games, families that share
a tablet, a school behind one address, and eager ones who send as much as the mode's limits allow.
Not real traffic: the figures of docs/anticheat.md hold for this one only.
"""

from __future__ import annotations

import hashlib
import math
import random
from dataclasses import dataclass
from uuid import UUID

from app.scores.anticheat.submission import PROMISED, Limits, Submission
from app.scores.events import event_id

SECOND = 1_000_000
START = 1_775_000_000 * SECOND
MAX_SCORE = 100_000
MODE = UUID(int=0xA17)
CHEATS = ("impossible score", "bot cadence", "shared device farm", "replay mismatch", "slow drift")


@dataclass(frozen=True)
class Sent:
    """One simulated score. `cheat` empty: honest. `replay`: what the game server uploads."""

    submission: Submission
    cheat: str
    replay: bytes | None


class Traffic:
    """Scores of one seed; each method adds a kind of player and `sent` holds them all by time."""

    def __init__(self, seed: int, limits: Limits = PROMISED) -> None:
        self._random = random.Random(seed)  # noqa: S311  (no secret)
        self._limits = limits
        self._sent: list[Sent] = []

    @property
    def sent(self) -> list[Sent]:
        return sorted(
            self._sent, key=lambda one: (one.submission.achieved_at, one.submission.event_id)
        )

    def honest(self, players: int) -> None:
        # three of a household share address and tablet
        homes = [f"home-{n // 3}" for n in range(players)]
        for number in range(players):
            in_school = number % 4 == 0
            address = f"school-{number // 400}" if in_school else homes[number]
            device = homes[number] if self._random.random() < 0.3 else f"own-{number}"
            skill = self._random.gauss(0, 0.35)
            at = START + self._random.randrange(6 * 3600) * SECOND
            for game in range(self._random.randint(3, 20)):
                at += self._gap()
                score = self._score(skill + 0.05 * math.log1p(game))
                self._add("", self._player("honest", number), score, at, device, address)

    def eager(self, players: int) -> None:
        """Honest ones at the promised limits: a minute's scores in one burst, again and again,
        until the hour's are used up; then again in the next hour. A score gets its time up to 4 s
        after the door has counted it.
        """
        per_minute, per_hour = self._limits.per_minute, self._limits.per_hour
        for number in range(players):
            skill, begins = (
                self._random.gauss(0, 0.35),
                START + self._random.randrange(6 * 3600) * SECOND,
            )
            for game in range(per_hour + per_minute):
                hour, of_hour = divmod(game, per_hour)
                at_the_door = begins + (hour * 3600 + of_hour // per_minute * 60) * SECOND + game
                at = at_the_door + int(self._random.uniform(0, 4) * SECOND)
                self._add(
                    "",
                    self._player("eager", number),
                    self._score(skill),
                    at,
                    f"fast-{number}",
                    "arcade",
                )

    def cheating(self, kind: str, cheaters: int) -> None:
        for number in range(cheaters):
            self._cheat(kind, number)

    def _cheat(self, kind: str, number: int) -> None:
        at = START + self._random.randrange(12 * 3600) * SECOND
        player, own = self._player(kind, number), f"{kind}-{number}"
        if kind == "impossible score":  # half of them above the mode's bounds, half within them
            score = (
                MAX_SCORE + 1 if number % 2 else self._random.randrange(MAX_SCORE // 2, MAX_SCORE)
            )
            self._add(kind, player, score, at, own, own)
        elif kind == "bot cadence":  # a game every 4 to 6 seconds
            for _ in range(40):
                at += int(self._random.uniform(4, 6) * SECOND)
                self._add(kind, player, self._score(0.2), at, own, own)
        # one device plays for 20 accounts in turn, at a person's pace
        elif kind == "shared device farm":
            for account in range(20):
                at += 90 * SECOND
                self._add(kind, self._player(own, account), self._score(0.2), at, own, own)
        elif kind == "replay mismatch":
            self._add(kind, player, self._score(0.5), at, own, own, forged=True)
        elif kind == "slow drift":  # a machine that plays every 200 s and scores 6 % more each time
            score = self._score(0.0)
            for _ in range(40):
                at += int(self._random.uniform(195, 205) * SECOND)
                score = int(score * 1.06)
                self._add(kind, player, min(score, MAX_SCORE), at, own, own)
        else:
            raise ValueError(kind)

    def _gap(self) -> int:
        """From one game to the next: about 4 minutes, one time in eight a long break."""
        mean = 3600 if self._random.random() < 0.125 else 240
        return int(max(40.0, self._random.lognormvariate(math.log(mean), 0.6)) * SECOND)

    def _score(self, skill: float) -> int:
        return min(int(1000 * math.exp(skill + self._random.gauss(0, 0.35))), MAX_SCORE)

    @staticmethod
    def _player(kind: str, number: int) -> UUID:
        return UUID(bytes=hashlib.sha256(f"{kind}/{number}".encode()).digest()[:16])

    def _add(
        self,
        cheat: str,
        player: UUID,
        score: int,
        at: int,
        device: str,
        address: str,
        *,
        forged: bool = False,
    ) -> None:
        attempt = UUID(int=self._random.getrandbits(128))
        replay = attempt.bytes + score.to_bytes(8, "big")
        submission = Submission(
            event_id(player, attempt),
            attempt,
            player,
            MODE,
            score,
            None,
            at,
            device,
            address,
            hashlib.sha256(replay).hexdigest(),
            0,
            MAX_SCORE,
            self._limits,
        )
        self._sent.append(Sent(submission, cheat, b"another game" if forged else replay))
