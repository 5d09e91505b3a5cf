"""The memory of a web process (workers/memory.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workers.memory import ARENAS

THREADS = 12

# Each thread allocates and waits for the others; then the C library lists its arenas.
_COUNT_ARENAS = f"""
import ctypes, sys, threading
from workers import memory

if sys.argv[1] == "shared":
    memory.share_arenas()
barrier = threading.Barrier({THREADS})
kept = []

def allocate():
    kept.append(bytes(10_000))
    barrier.wait(30)

threads = [threading.Thread(target=allocate) for _ in range({THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""

_COUNT_FROZEN = """
import gc
from workers import memory

memory.freeze_application()
print(gc.get_freeze_count(), len(gc.get_objects()))
"""


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.skipif(
    sys.platform != "linux", reason="malloc_info lists arenas only in the C library of Linux"
)
def test_threads_share_the_arenas_of_the_allocator(tmp_path: Path) -> None:
    counts = {}
    for kind in ("shared", "own"):
        listing = tmp_path / kind
        run(_COUNT_ARENAS, kind, str(listing))
        counts[kind] = listing.read_text().count("<heap nr=")
    assert counts["shared"] <= ARENAS < counts["own"]


def test_garbage_collections_leave_out_what_was_loaded_before() -> None:
    frozen, collected = map(int, run(_COUNT_FROZEN).split())
    assert frozen > 100 * collected
