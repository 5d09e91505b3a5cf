"""Training the anomaly model: scikit-learn's IsolationForest.

scikit-learn takes some 100 MB of memory, which a process that has imported it keeps. So only
`grow` imports it, and processes that go on afterwards call `grow_in_child`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from app.core.errors import UserError
from app.scores.anticheat.features import NAMES
from app.scores.anticheat.forest import Forest, Tree, read, write

SMALLEST = 500
TREES = 100
# share of the training scores below the threshold; docs/anticheat.md
HONEST_SHARE = 0.9999
CHILD_SECONDS = 300.0  # a busy machine may need many times the two seconds that it usually takes


class TrainingError(UserError):
    """No model could be trained; the text says why."""


def grow(vectors: Sequence[Sequence[float]], now: datetime, *, seed: int = 1) -> Forest:
    """Train a forest on these vectors, which are assumed to be honest.

    Raises:
        TrainingError: There are too few vectors.
    """
    if len(vectors) < SMALLEST:
        raise TrainingError(
            f"{len(vectors)} clean scores are too few for a model; try again with {SMALLEST} or "
            "more."
        )
    import sklearn
    from sklearn.ensemble import IsolationForest

    grown = IsolationForest(n_estimators=TREES, random_state=seed).fit(vectors)
    trees = [_tree(estimator.tree_) for estimator in grown.estimators_]
    forest = Forest(
        features=list(NAMES),
        sklearn=sklearn.__version__,
        sample=int(grown.max_samples_),
        threshold=1.0,
        trained_at=now.isoformat(),
        trained_on=len(vectors),
        trees=trees,
    )
    anomalies = sorted(-float(sample) for sample in grown.score_samples(vectors))
    threshold = anomalies[min(int(HONEST_SHARE * len(anomalies)), len(anomalies) - 1)]
    return Forest(
        **(
            {name: getattr(forest, name) for name in forest.__struct_fields__}
            | {"threshold": threshold}
        )
    )


def grow_in_child(vectors: Sequence[Sequence[float]], now: datetime) -> Forest:
    """Train as `grow`, in a process that ends afterwards.

    Raises:
        TrainingError: There are too few vectors, or the process failed.
    """
    try:
        child = subprocess.run(
            [sys.executable, "-m", __name__],
            input=msgspec.json.encode(_Task(now, vectors)),
            capture_output=True,
            timeout=CHILD_SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise TrainingError(f"Training took longer than {CHILD_SECONDS:.0f} s.") from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise TrainingError(f"Training failed: {lines[-1]}") from error
    return read(child.stdout)


class _Task(msgspec.Struct, frozen=True):
    now: datetime
    vectors: Sequence[Sequence[float]]


def _tree(tree: Any) -> Tree:
    return Tree(
        left=tree.children_left.tolist(),
        right=tree.children_right.tolist(),
        feature=tree.feature.tolist(),
        threshold=tree.threshold.tolist(),
        size=tree.n_node_samples.tolist(),
    )


if __name__ == "__main__":
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=_Task)
    sys.stdout.buffer.write(write(grow(task.vectors, task.now)))
