"""Training the anomaly model: scikit-learn's IsolationForest, the optional extra `anticheat`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.core.errors import UserError
from app.scores.anticheat.features import NAMES
from app.scores.anticheat.forest import Forest, Tree

SMALLEST = 500
TREES = 100
# share of the training scores below the threshold; docs/anticheat.md
HONEST_SHARE = 0.9999


class TrainingError(UserError):
    """No model could be trained; the text says what is missing."""


def grow(vectors: Sequence[Sequence[float]], now: datetime, *, seed: int = 1) -> Forest:
    """Train a forest on these vectors, which are assumed to be honest.

    Raises:
        TrainingError: There are too few vectors, or scikit-learn is missing.
    """
    if len(vectors) < SMALLEST:
        raise TrainingError(
            f"{len(vectors)} clean scores are too few for a model; try again with {SMALLEST} or "
            "more."
        )
    try:
        import sklearn
        from sklearn.ensemble import IsolationForest
    except ImportError as error:
        raise TrainingError(
            "The anomaly model needs scikit-learn: install it with `pip install "
            "'pressbox[anticheat]'`. "
            "The other layers go on without it."
        ) from error
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


def _tree(tree: Any) -> Tree:
    return Tree(
        left=tree.children_left.tolist(),
        right=tree.children_right.tolist(),
        feature=tree.feature.tolist(),
        threshold=tree.threshold.tolist(),
        size=tree.n_node_samples.tolist(),
    )
