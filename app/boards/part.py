"""The keys in Redis of one part of a board: a hash shard, a score range, or the whole of it.

Not here: which parts a board has, and which of them holds whom (hashed.py, ranged.py).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """The keys of one part; all share its hash tag.

    `directory`: where its distinct scores are kept together with those of other parts on the same
    server; '' where they are its own.
    """

    ranking: str
    directory: str = ""

    @property
    def distinct(self) -> str:
        return f"{self.directory or self.ranking}:distinct"

    @property
    def details(self) -> str:
        return f"{self.ranking}:details"

    @property
    def version(self) -> str:
        return f"{self.ranking}:version"

    @property
    def seen(self) -> str:
        return f"{self.ranking}:seen"

    @property
    def size(self) -> str:
        """How many members were written: what the ranking must hold, if nothing of it was lost."""
        return f"{self.ranking}:size"

    @property
    def ties(self) -> str:
        """Where times decide ties: what each member holds, by member.

        The ranking has them by time and name.
        """
        return f"{self.ranking}:ties"

    @property
    def changed(self) -> str:
        """How often something of it has changed that a reader sees."""
        return f"{self.ranking}:changed"

    @property
    def placed(self) -> tuple[str, str, str, str, str]:
        """Keys of a member's place."""
        return (
            self.ranking,
            self.distinct,
            f"{self.directory or self.ranking}:counts",
            self.size,
            self.ties,
        )

    @property
    def written(self) -> tuple[str, ...]:
        """Keys of the functions that write."""
        return *self.placed, self.seen, f"{self.ranking}:rests"

    @property
    def published(self) -> tuple[str, ...]:
        """Keys of the functions that write a whole table."""
        return *self.placed, self.version

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.written, self.details, self.version, self.changed)
