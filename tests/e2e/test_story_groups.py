"""The groups in which stories are given to workers."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.story_groups import GROUPS, OTHERS, PROCESSES, story_group

HERE = Path(__file__).parent
ASKS_FOR_PROCESSES = re.compile(r"\bprocesses: None\b")


def test_every_file_of_a_group_exists_and_is_in_no_other() -> None:
    files = [file for group in GROUPS.values() for file in group]
    assert [file for file in files if not (HERE / file).exists()] == []
    assert len(files) == len(set(files))


def test_stories_that_need_all_processes_share_one_group() -> None:
    asking = {
        file.name for file in HERE.glob("test_*.py") if ASKS_FOR_PROCESSES.search(file.read_text())
    }
    assert asking == set(GROUPS[PROCESSES])


def test_a_story_has_a_group_and_another_test_has_none() -> None:
    assert story_group("tests/e2e/test_drive.py::test_a_story[phone]") == "tests/e2e:console"
    assert story_group("tests/e2e/test_friends.py::test_a_story") == f"tests/e2e:{OTHERS}"
    assert story_group("tests/web/test_headers.py::test_a_page") is None
