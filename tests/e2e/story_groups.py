"""Which stories stay together on one worker of xdist, so that each worker starts its site once.

A site is a web process and a browser. The stories that ask for `processes` need all other processes
too, whose start and idle time cost more than most stories, so they share one worker.
"""

from __future__ import annotations

from pathlib import PurePosixPath

FOLDER = "tests/e2e"
PROCESSES = "processes"
# Each takes about a minute of processor time. A file that none of them names belongs to OTHERS.
GROUPS = {
    PROCESSES: ("test_game_night.py", "test_moderation.py", "test_operations.py", "test_typist.py"),
    "pages": ("test_every_page.py",),
    "offline": (
        "test_browsers.py",
        "test_dead_line.py",
        "test_member_offline.py",
        "test_offline.py",
        "test_push.py",
    ),
    "console": (
        "test_drive.py",
        "test_game_book.py",
        "test_officials.py",
        "test_one_line.py",
        "test_play_list.py",
        "test_roster.py",
        "test_spotter.py",
        "test_stadium.py",
        "test_two_scorers.py",
        "test_warnings.py",
    ),
}
OTHERS = "others"


def story_group(nodeid: str) -> str | None:
    """The group of a story by its pytest id; None if the test is no story."""
    path = PurePosixPath(nodeid.partition("::")[0])
    if not path.is_relative_to(FOLDER):
        return None
    name = next((name for name, files in GROUPS.items() if path.name in files), OTHERS)
    return f"{FOLDER}:{name}"
