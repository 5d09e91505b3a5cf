"""Simulated honest and cheating traffic; the same seed gives the same scores. Plain values.

Honest traffic: people of different skill who improve a little, breaks between games, families that
share a tablet, a school behind one address, and eager players who send as much as the mode's limits
allow. The figures of docs/anticheat.md hold only for this traffic.
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
SHARED_TABLETS = 0.3  # share of players who play on their household's tablet
LONG_BREAKS = 0.125  # share of gaps between games that are long breaks
CHEATS = ("impossible score", "bot cadence", "shared device farm", "replay mismatch", "slow drift")


@dataclass(frozen=True)
class Sent:
    """A simulated score; `cheat` is empty for honest ones, `replay` is the server's upload."""

    submission: Submission
    cheat: str
    replay: bytes | None


@dataclass(frozen=True)
class _Sender:
    player: UUID
    device: str
    address: str


class Traffic:
    """Scores of one seed. Each method adds a kind of player; `sent` has them all by time."""

    def __init__(self, seed: int, limits: Limits = PROMISED) -> None:
        self._random = random.Random(seed)  # noqa: S311  (no secret)
        self._limits = limits
        self._sent: list[Sent] = []

    @property
    def sent(self) -> list[Sent]:
        """Return all scores by time, then by event id."""
        return sorted(
            self._sent, key=lambda item: (item.submission.achieved_at, item.submission.event_id)
        )

    def honest(self, players: int) -> None:
        """Add honest players."""
        # three people of a household share address and tablet
        homes = [f"home-{n // 3}" for n in range(players)]
        for number in range(players):
            in_school = number % 4 == 0
            address = f"school-{number // 400}" if in_school else homes[number]
            device = homes[number] if self._random.random() < SHARED_TABLETS else f"own-{number}"
            skill = self._random.gauss(0, 0.35)
            at = START + self._random.randrange(6 * 3600) * SECOND
            for game in range(self._random.randint(3, 20)):
                at += self._gap()
                score = self._score(skill + 0.05 * math.log1p(game))
                sender = _Sender(self._player("honest", number), device, address)
                self._add("", sender, score, at)

    def eager(self, players: int) -> None:
        """Add honest players at the promised limits.

        Each sends a minute's scores in one burst, again and again, until the hour's are used up;
        then again in the next hour. A score gets its time up to 4 s after the door has counted it.
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
                sender = _Sender(self._player("eager", number), f"fast-{number}", "arcade")
                self._add("", sender, self._score(skill), at)

    def cheating(self, kind: str, cheaters: int) -> None:
        """Add cheaters of one kind (CHEATS)."""
        for number in range(cheaters):
            self._cheat(kind, number)

    def _cheat(self, kind: str, number: int) -> None:
        at = START + self._random.randrange(12 * 3600) * SECOND
        place = f"{kind}-{number}"
        sender = _Sender(self._player(kind, number), place, place)
        if kind == "impossible score":  # half of them above the mode's bounds, half within them
            score = (
                MAX_SCORE + 1 if number % 2 else self._random.randrange(MAX_SCORE // 2, MAX_SCORE)
            )
            self._add(kind, sender, score, at)
        elif kind == "bot cadence":  # a game every 4 to 6 seconds
            for _ in range(40):
                at += int(self._random.uniform(4, 6) * SECOND)
                self._add(kind, sender, self._score(0.2), at)
        # one device plays for 20 accounts in turn, at a person's pace
        elif kind == "shared device farm":
            for account in range(20):
                at += 90 * SECOND
                account_sender = _Sender(self._player(place, account), place, place)
                self._add(kind, account_sender, self._score(0.2), at)
        elif kind == "replay mismatch":
            self._add(kind, sender, self._score(0.5), at, forged=True)
        elif kind == "slow drift":  # a machine that plays every 200 s and scores 6 % more each time
            score = self._score(0.0)
            for _ in range(40):
                at += int(self._random.uniform(195, 205) * SECOND)
                score = int(score * 1.06)
                self._add(kind, sender, min(score, MAX_SCORE), at)
        else:
            raise ValueError(kind)

    def _gap(self) -> int:
        """Microseconds between two games: about 4 minutes, one time in eight a long break."""
        mean = 3600 if self._random.random() < LONG_BREAKS else 240
        return int(max(40.0, self._random.lognormvariate(math.log(mean), 0.6)) * SECOND)

    def _score(self, skill: float) -> int:
        return min(int(1000 * math.exp(skill + self._random.gauss(0, 0.35))), MAX_SCORE)

    @staticmethod
    def _player(kind: str, number: int) -> UUID:
        return UUID(bytes=hashlib.sha256(f"{kind}/{number}".encode()).digest()[:16])

    def _add(
        self,
        cheat: str,
        sender: _Sender,
        score: int,
        at: int,
        *,
        forged: bool = False,
    ) -> None:
        attempt = UUID(int=self._random.getrandbits(128))
        replay = attempt.bytes + score.to_bytes(8, "big")
        submission = Submission(
            event_id(sender.player, attempt),
            attempt,
            sender.player,
            MODE,
            score,
            None,
            at,
            sender.device,
            sender.address,
            hashlib.sha256(replay).hexdigest(),
            0,
            MAX_SCORE,
            self._limits,
        )
        self._sent.append(Sent(submission, cheat, b"another game" if forged else replay))
