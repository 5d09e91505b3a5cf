"""A leaderboard in Redis: scores of members under one key, with a version. Disposable: rebuilt from PostgreSQL.

Key: `lb:{game:mode:window}:s0`; the braces are the cluster hash tag, so a board's keys live together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.redis import boards_redis

# Whole table or nothing, and never an older one over a newer: two writers may arrive in either order.
_PUBLISH = """
local held = tonumber(redis.call('HGET', KEYS[2], 'version') or '0')
if tonumber(ARGV[1]) < held then return 0 end
redis.call('DEL', KEYS[1])
for i = 2, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[2], 'version', ARGV[1])
return 1
"""


@dataclass(frozen=True)
class Board:
    game: str
    mode: str
    window: str

    @property
    def key(self) -> str:
        return f"lb:{{{self.game}:{self.mode}:{self.window}}}:s0"

    @property
    def meta_key(self) -> str:
        return f"lb:{{{self.game}:{self.mode}:{self.window}}}:meta"

    def publish(self, version: int, scores: Mapping[int, int]) -> bool:
        """Replaces the board's scores at once; False when the board already holds a newer version."""
        arguments: list[int] = [version]
        for member, score in scores.items():
            arguments += [score, member]
        script = boards_redis().register_script(_PUBLISH)
        return bool(script(keys=[self.key, self.meta_key], args=arguments))

    def read(self) -> tuple[int, dict[int, int]] | None:
        """Version and score by member, best first (ties by member, unordered for people); None when not held."""
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.hget(self.meta_key, "version")
        pipeline.zrevrange(self.key, 0, -1, withscores=True)
        version, entries = pipeline.execute()
        if version is None:
            return None
        return int(version), {int(member): int(score) for member, score in entries}


def held_versions(boards: Sequence[Board]) -> list[int | None]:
    """The version each board has in Redis, None where it is not held; one round trip, same order."""
    pipeline = boards_redis().pipeline(transaction=False)
    for board in boards:
        pipeline.hget(board.meta_key, "version")
    return [None if version is None else int(version) for version in pipeline.execute()]
