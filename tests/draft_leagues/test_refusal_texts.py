"""What refusals ask of their readers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

APP = Path(__file__).parents[2] / "app"
PACKAGES = (
    "draft_leagues",
    "fantasy/rosters",
    "fantasy/sheets",
    "fantasy/leagues",
    "predictions/pools.py",
    "moderation/naming.py",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_refusal_asks_for_no_reload_because_its_page_is_the_current_one(package: str) -> None:
    """The page comes again with what stands now, and a program has no page."""
    path = APP / package
    files = [path] if path.is_file() else [*path.rglob("*.py")]
    assert files
    asking = [file.name for file in files if re.search(r"reload the page", file.read_text(), re.I)]
    assert asking == []
