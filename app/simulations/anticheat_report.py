"""False positives and detected cheaters of the anti-cheat layers in simulated traffic.

The layers are the real ones on in-memory sources. Cohort and model come from honest traffic of
another seed. The command is in app/cli/anticheat.py.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from app.scores.anticheat import features
from app.scores.anticheat.anomaly import Anomaly
from app.scores.anticheat.bounds import Bounds
from app.scores.anticheat.distribution import Cohort, Distribution, cohort_of
from app.scores.anticheat.features import Past
from app.scores.anticheat.forest import Forest
from app.scores.anticheat.nonce import Nonce
from app.scores.anticheat.replay import Replay
from app.scores.anticheat.submission import CLEAN, PROMISED, Layer, Limits, Submission
from app.scores.anticheat.training import grow
from app.scores.anticheat.velocity import MemorySightings, Velocity
from app.simulations.score_traffic import CHEATS, Sent, Traffic

SEED = 20260405
HONEST_PLAYERS = 2000
EAGER_PLAYERS = 6  # besides the honest ones; each sends as much as the mode's limits allow
CHEATERS = 60
SLOW = Limits(
    per_minute=6, per_hour=90, reach=6
)  # for a mode whose games take at least ten seconds
BATCH = 500


@dataclass(frozen=True)
class Rate:
    """A share: `hits` of `of`."""

    hits: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the rate (Wilson 1927)."""
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.96, self.of, self.hits / self.of
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, (middle - half) / (1 + z * z / n)), min(
            1.0, (middle + half) / (1 + z * z / n)
        )


@dataclass(frozen=True)
class LayerReport:
    """The figures of one layer.

    Attributes:
        name: Of the layer.
        wrong: Honest scores that it flags.
        detected: Cheaters with at least one flagged score, by kind of cheat; a farm counts as one.
    """

    name: str
    wrong: Rate
    detected: dict[str, Rate]


def measure(
    limits: Limits = PROMISED,
    seed: int = SEED,
    honest: int = HONEST_PLAYERS,
    cheaters: int = CHEATERS,
) -> list[LayerReport]:
    """Measure every layer alone, and all together as `all`, in a mode with these limits.

    Raises:
        TrainingError: scikit-learn is missing.
    """
    past = Traffic(seed + 1, limits)
    past.honest(honest)
    past.eager(EAGER_PLAYERS)
    cohort = cohort_of(Counter(item.submission.score for item in past.sent))
    model = grow(vectors(past.sent, cohort), datetime(2026, 4, 5, tzinfo=UTC))
    traffic = Traffic(seed, limits)
    traffic.honest(honest)
    traffic.eager(EAGER_PLAYERS)
    for kind in CHEATS:
        traffic.cheating(kind, cheaters)
    sent = traffic.sent
    caught = {layer.name: _caught(layer, sent) for layer in _layers(sent, cohort, model)}
    caught["all"] = set().union(*caught.values())
    return [_report(name, sent, events) for name, events in caught.items()]


def vectors(sent: Sequence[Sent], cohort: Cohort) -> list[tuple[float, ...]]:
    """Return the feature vectors that the model is trained on."""
    histories = _histories(sent)
    return [
        features.vector(
            Past(submission.achieved_at, submission.score), histories[submission.event_id], cohort
        )
        for submission in (item.submission for item in sent)
    ]


def tables(seed: int = SEED) -> str:
    """Return the figures of a mode with the promised limits and of one with others, as Markdown."""
    parts = []
    for title, limits in (
        ("With the promised limits", PROMISED),
        ("With the limits of a mode whose games take a while", SLOW),
    ):
        rates = f"{limits.per_minute} scores per minute and {limits.per_hour:,} per hour"
        parts.append(f"{title}, {rates}:\n\n{table(measure(limits, seed))}")
    return "\n\n".join(parts)


def table(reports: Sequence[LayerReport]) -> str:
    """Return the reports as a Markdown table."""
    head = ["layer", "false positives (95 % interval)", *CHEATS]
    rows = [head, ["---"] * len(head)]
    for report in reports:
        low, high = report.wrong.interval
        wrong = f"{report.wrong.hits} of {report.wrong.of:,}: {low:.3%} to {high:.3%}"
        rows.append(
            [
                report.name,
                wrong,
                *(f"{report.detected[kind].hits} of {report.detected[kind].of}" for kind in CHEATS),
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _layers(sent: Sequence[Sent], cohort: Cohort, model: Forest) -> list[Layer]:
    replays = {item.submission.event_id: item.replay for item in sent}
    histories = _histories(sent)
    return [
        Nonce(),
        Bounds(),
        Velocity(MemorySightings()),
        Distribution(lambda _: cohort),
        Replay(lambda item: replays[item.event_id]),
        Anomaly(
            lambda _: model,
            lambda _: cohort,
            lambda batch: [histories[item.event_id] for item in batch],
        ),
    ]


def _histories(sent: Sequence[Sent]) -> dict[UUID, list[Past]]:
    so_far: dict[UUID, list[Past]] = defaultdict(list)
    histories = {}
    for submission in (item.submission for item in sent):
        histories[submission.event_id] = so_far[submission.player_id][-features.HISTORY :]
        so_far[submission.player_id].append(Past(submission.achieved_at, submission.score))
    return histories


def _caught(layer: Layer, sent: Sequence[Sent]) -> set[UUID]:
    flagged: set[UUID] = set()
    for start in range(0, len(sent), BATCH):
        batch: list[Submission] = [
            submission.submission for submission in sent[start : start + BATCH]
        ]
        verdicts = layer.judge(batch, batch[-1].achieved_at)
        flagged |= {
            submission.event_id
            for submission, verdict in zip(batch, verdicts, strict=True)
            if verdict.state != CLEAN
        }
    return flagged


def _report(name: str, sent: Sequence[Sent], caught: set[UUID]) -> LayerReport:
    honest = [item.submission.event_id for item in sent if not item.cheat]
    cheaters: dict[str, set[str | None]] = defaultdict(set)
    caught_devices: dict[str, set[str | None]] = defaultdict(set)
    for item in sent:
        if item.cheat:
            cheaters[item.cheat].add(item.submission.device)
            if item.submission.event_id in caught:
                caught_devices[item.cheat].add(item.submission.device)
    return LayerReport(
        name,
        Rate(sum(event in caught for event in honest), len(honest)),
        {kind: Rate(len(caught_devices[kind]), len(cheaters[kind])) for kind in CHEATS},
    )
