"""A trained isolation forest as plain values, without scikit-learn (Liu, Ting and Zhou 2008).

It is stored as its trees' numbers, not as a pickle: somebody who can write to the blob store cannot
run code here, and a model outlives the version of scikit-learn that trained it. training.py trains
one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from app.core.errors import UserError
from app.scores.anticheat.features import NAMES

FORMAT = 1
EULER = 0.5772156649015329
MIN_SAMPLE = 2  # the smallest number of vectors that a tree can divide


class UnfitModelError(UserError):
    """The stored model cannot be used; the text says how to make one that can."""


class Tree(msgspec.Struct, frozen=True):
    """Nodes by number.

    A node whose `left` is -1 is a leaf. Values up to the threshold go left. `size` is the number of
    scores that reached the node.
    """

    left: list[int]
    right: list[int]
    feature: list[int]
    threshold: list[float]
    size: list[int]


class Forest(msgspec.Struct, frozen=True, kw_only=True):
    """A forest; `anomaly` above `threshold` is suspicious.

    `trained_at` (ISO 8601) and `trained_on` say when, and on how many scores, it was trained.
    """

    format: int = FORMAT
    features: list[str]
    sklearn: str
    sample: int
    threshold: float
    trained_at: str
    trained_on: int
    trees: list[Tree]

    def anomaly(self, values: Sequence[float]) -> float:
        """Return the anomaly: from 0 (like all others) to 1 (isolated after a step or two)."""
        depth = sum(_depth(tree, values) for tree in self.trees) / len(self.trees)
        return float(2.0 ** (-depth / _mean_depth(self.sample)))


def read(data: bytes) -> Forest:
    """Decode a forest.

    Raises:
        UnfitModelError: The stored model cannot be used.
    """
    again = "train it again with `pressbox anticheat train`."
    try:
        forest = msgspec.json.decode(data, type=Forest)
    except msgspec.MsgspecError as error:
        raise UnfitModelError(
            f"The stored anomaly model cannot be read ({error}): {again}"
        ) from error
    if forest.format != FORMAT:
        raise UnfitModelError(
            f"The stored anomaly model has format {forest.format}, but this version reads "
            f"{FORMAT}: {again}"
        )
    if tuple(forest.features) != NAMES:
        raise UnfitModelError(
            f"The stored anomaly model uses {', '.join(forest.features)}, not "
            f"{', '.join(NAMES)}: {again}"
        )
    for tree in forest.trees:
        if not _is_sound(tree):
            raise UnfitModelError(f"The stored anomaly model has a tree that does not end: {again}")
    if not forest.trees or forest.sample < MIN_SAMPLE:
        raise UnfitModelError(f"The stored anomaly model is empty: {again}")
    return forest


def write(forest: Forest) -> bytes:
    """Encode the forest as JSON."""
    return msgspec.json.encode(forest)


def _is_sound(tree: Tree) -> bool:
    """Children come after their parents, as scikit-learn numbers them, so every walk ends."""
    size = len(tree.left)
    same = all(
        len(values) == size for values in (tree.right, tree.feature, tree.threshold, tree.size)
    )
    return (
        bool(size)
        and same
        and all(
            left == -1 or (node < left < size and node < right < size and 0 <= feature < len(NAMES))
            for node, (left, right, feature) in enumerate(
                zip(tree.left, tree.right, tree.feature, strict=True)
            )
        )
    )


def _depth(tree: Tree, values: Sequence[float]) -> float:
    node, depth = 0, 0
    while tree.left[node] != -1:
        goes_left = values[tree.feature[node]] <= tree.threshold[node]
        node = tree.left[node] if goes_left else tree.right[node]
        depth += 1
    return depth + _mean_depth(tree.size[node])


def _mean_depth(size: int) -> float:
    """Return the mean depth at which a search in a binary tree of this size ends."""
    if size <= 1:
        return 0.0
    if size == MIN_SAMPLE:
        return 1.0
    return 2.0 * (math.log(size - 1) + EULER) - 2.0 * (size - 1) / size
