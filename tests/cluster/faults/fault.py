"""What a fault is, and how long something stays broken.

What they break: pressbox.py, machines.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import Random

from tests.cluster.pressbox import Pressbox
from tests.sizes import size

EVERY_WAY = size("FAULT_WAYS", 0, 1)  # of the same fault, or one that shows it
Breaks = Callable[[Pressbox, Random], AbstractContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """`number`: of the twenty (tests/twenty_faults.py); `breaks`: broken inside, healed after.

    `is_another_way`: of a fault that another day has, and long; the full run alone has it.
    """

    number: int
    title: str
    breaks: Breaks
    is_another_way: bool = False

    @property
    def name(self) -> str:
        return self.title.replace(" ", "-").replace(",", "").lower()
