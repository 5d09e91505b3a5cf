"""Says what this process has without importing anything of Pressbox (test_forking.py)."""

from __future__ import annotations

import os
import sys

import psutil

if __name__ == "__main__":
    expected = ("app.web_app", "workers.jobs.ingest_events", "workers.rq_worker")
    print(" ".join(psutil.Process().cmdline()).rstrip())
    print(*sys.argv[1:])
    print(*(name for name in expected if name in sys.modules))
    print(os.environ["PRESSBOX_VAR"])
    sys.exit(3)
