"""Judges a past window again, after a mode's limits or its anomaly model changed.

With the layers that these decide: bounds, velocity, distribution and the anomaly model. Replays do
not change, and the places for impossible travel are not stored. A person's decision is final, and
no score that waits for a review is released: its moderator decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from app.accounts.players import names_of
from app.boards.models import Mode
from app.boards.windows.rules import parse_window
from app.core.clock import to_us
from app.core.db import db
from app.core.errors import UserError
from app.core.refusals import Refusal
from app.scores.anticheat.anomaly import Anomaly
from app.scores.anticheat.bounds import Bounds
from app.scores.anticheat.distribution import Distribution, cohort_of
from app.scores.anticheat.mode_limits import mode_limits
from app.scores.anticheat.models import find_mode
from app.scores.anticheat.stores import counts, histories, newest_model
from app.scores.anticheat.submission import (
    CLEAN,
    FLAGGED,
    REJECTED,
    Layer,
    Submission,
    Verdict,
    through,
)
from app.scores.anticheat.velocity import Velocity
from app.scores.archive import months
from app.scores.archive.months import ScoresArchivedError
from app.scores.review import corrections
from app.scores.review.past_window import PastAttempt, PastWindow, StoredSightings, attempts_after

LONGEST = timedelta(days=366)
# Reasons that judging again can find; of others it cannot say that they are gone.
_JUDGED_AGAIN = frozenset(
    {
        "player_too_fast",
        "device_too_fast",
        "device_shared",
        "address_too_fast",
        "outlier",
        "anomaly",
    }
)


class PastWindowError(UserError):
    """The window cannot be judged; the text says what to write instead."""


@dataclass(frozen=True)
class JudgedPlayer:
    """A player's attempts that change from one state to another, with the reasons and counts."""

    player_id: UUID
    name: str
    attempts: int
    before: str
    after: str
    reasons: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Judgement:
    """What judging the window again found.

    Attributes:
        attempts: The attempts that were judged.
        players: Those with attempts that are withheld, most attempts first, then by name and id.
        passing: Attempts that wait for a review and would pass today.
    """

    attempts: int
    players: Sequence[JudgedPlayer]
    passing: int

    @property
    def withheld(self) -> int:
        """The attempts that are withheld."""
        return sum(player.attempts for player in self.players)


def find_window(
    game: str, mode: str, *, name: str = "", start: datetime | None, end: datetime | None
) -> PastWindow:
    """Return the window with this name (`weekly:2026-W14`), or from `start` until before `end`.

    Moments without an offset are in the mode's time zone.

    Raises:
        ModeNotFoundError: The game or its mode is unknown.
        InvalidWindowError: The mode has no such window.
        PastWindowError: It has no beginning or end, ends before it begins or is too long.
        ScoresArchivedError: Scores of the window are archived.
    """
    judged_mode = find_mode(game, mode)
    if name:
        window = parse_window(name, judged_mode.calendar)
        start, end = window.starts, window.ends
    if start is None or end is None:
        raise PastWindowError(
            "Name a window with a beginning and an end, as in --window weekly:2026-W14 or --from "
            "2026-04-01 --to 2026-04-08."
        )
    zone = ZoneInfo(judged_mode.calendar.zone)
    start, end = _in_zone(start, zone), _in_zone(end, zone)
    if end <= start:
        raise PastWindowError("The window ends before it begins. Swap --from and --to.")
    if end - start > LONGEST:
        raise PastWindowError(
            f"The window is longer than {LONGEST.days} days. Split it into several runs."
        )
    if archived := months.archived_between(start, end):
        raise ScoresArchivedError(months.sentence([record.month for record in archived]))
    return PastWindow(judged_mode, start, end)


def _in_zone(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def preview(window: PastWindow, now: datetime) -> Judgement:
    """Return what `apply` would do now. Writes nothing."""
    return _judge(window, now, lambda *_: True)


def apply(window: PastWindow, now: datetime) -> Judgement:
    """Withhold what today's limits, bounds and model find, as `recheck_scores` does.

    Each attempt is withheld and committed by itself. After a crash call it again: what was withheld
    is not judged again.
    """

    def withhold(attempt: PastAttempt, verdict: Verdict) -> bool:
        result = corrections.withhold(
            attempt.submission.event_id,
            reject=verdict.state == REJECTED,
            reasons=verdict.reasons,
            now=now,
            again=True,
        )
        return not isinstance(result, Refusal)  # somebody decided meanwhile

    return _judge(window, now, withhold)


def _judge(
    window: PastWindow, now: datetime, withhold: Callable[[PastAttempt, Verdict], bool]
) -> Judgement:
    withheld: dict[tuple[UUID, str, str], Counter[str]] = {}
    attempts_withheld: Counter[tuple[UUID, str, str]] = Counter()
    attempts = passing = 0
    for attempt, verdict in _verdicts(window, now):
        attempts += 1
        if attempt.state == CLEAN and verdict.state != CLEAN and withhold(attempt, verdict):
            change = (attempt.submission.player_id, attempt.state, verdict.state)
            attempts_withheld[change] += 1
            withheld.setdefault(change, Counter()).update(verdict.reasons)
        elif attempt.state == FLAGGED and verdict.state == CLEAN:
            passing += _JUDGED_AGAIN.issuperset(attempt.reasons)
    names = names_of([player for player, _, _ in withheld])
    db.session.commit()
    players = [
        JudgedPlayer(
            player,
            names.get(player, ""),
            attempts_withheld[player, before, after],
            before,
            after,
            reasons.most_common(),
        )
        for (player, before, after), reasons in withheld.items()
    ]
    players.sort(key=lambda row: (-row.attempts, row.name, str(row.player_id), row.after))
    return Judgement(attempts, players, passing)


def _verdicts(window: PastWindow, now: datetime) -> Iterator[tuple[PastAttempt, Verdict]]:
    """Judge the window in batches; no transaction is open while an attempt is handled."""
    layers, limits = _layers(window.mode), mode_limits([window.mode.id])[window.mode.id]
    last: PastAttempt | None = None
    while batch := attempts_after(window, last):
        submissions: list[Submission] = [
            replace(attempt.submission, limits=limits) for attempt in batch
        ]
        verdicts = through(layers, submissions, to_us(now))
        db.session.commit()
        yield from zip(batch, verdicts, strict=True)
        last = batch[-1]


def _layers(mode: Mode) -> Sequence[Layer]:
    """Return the layers, with one cohort and one model for the whole window."""
    cohort, model = cohort_of(counts(mode.id)), newest_model(mode.id)
    return (
        Bounds(),
        Velocity(StoredSightings(mode.id)),
        Distribution(lambda _: cohort),
        Anomaly(lambda _: model, lambda _: cohort, histories),
    )
