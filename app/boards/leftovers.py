"""What boards and tables of another timeline left in Redis: nobody finds it any more, and most of
it never expires.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.boards.parts import chunks
from app.core.redis import boards_redis, is_cluster
from app.core.timeline import epoch, key_of

BATCH = 1_000  # keys of one round trip
PATTERNS = ("lb:*", "pressbox:{table-*")
_GENERATION = re.compile(r":g(?:(\d+)\.)?\d+[a-z]\w*}")


def drop_other_timelines() -> int:
    """Unlinks the keys of boards and league tables that are not of this timeline; how many.

    Raises RedisAway.
    """
    dropped = 0
    for keys in chunks((key for key in _keys() if not is_ours(key)), BATCH):
        pipeline = boards_redis().pipeline(transaction=False)
        for key in keys:
            pipeline.unlink(key)
        dropped += sum(pipeline.execute())
    return dropped


def is_ours(key: str) -> bool:
    """Whether a key of a board (BoardSpec.tag) or of a table (timeline.key_of) is of this
    timeline."""
    generation = _GENERATION.search(key)
    if generation is not None:
        return int(generation[1] or 0) == epoch()
    mark = re.search(r"@\d+(?=:|$)", key)
    return (mark[0] if mark else "") == key_of("")


def _keys() -> Iterator[str]:
    client = boards_redis()
    scan = {"target_nodes": "primaries"} if is_cluster(client) else {}
    for pattern in PATTERNS:
        for key in client.scan_iter(pattern, count=1000, **scan):
            yield key.decode()
