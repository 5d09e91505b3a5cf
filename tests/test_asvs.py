"""The walk through OWASP ASVS in docs/security.md.

Every item of levels 1 and 2 once, every path and test there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs/security.md"
# of version 5.0.0, levels 1 and 2; their ids alone
ITEMS = (ROOT / "tests/asvs_items.txt").read_text().split()
ITEM = re.compile(r"\d+\.\d+\.\d+")
PATH = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:py|md|js|toml|txt|json|html|csv)|deploy/Caddyfile")


def rows() -> list[tuple[str, str, str]]:
    """Items, what is said, and what holds it, of every row of the walk."""
    walk = DOCUMENT.read_text().split("# OWASP ASVS 5.0", 1)[1]
    rows = [
        line.strip("|").split("|")
        for line in walk.splitlines()
        if line.startswith("|") and ITEM.match(line[2:])
    ]
    assert all(len(row) == 3 for row in rows), [row for row in rows if len(row) != 3]
    return [(items.strip(), claim.strip(), evidence.strip()) for items, claim, evidence in rows]


def test_every_item_of_levels_1_and_2_is_there_once() -> None:
    assert len(ITEMS) == len(set(ITEMS)) == 253
    claim = [item for items, _, _ in rows() for item in items.split(", ")]
    assert sorted(claim) == sorted(ITEMS)


def test_every_path_and_test_that_is_named_exists() -> None:
    for items, claim, evidence in rows():
        for named in [part for part in evidence.split(", ") if part]:
            path, _, test = named.partition("::")
            assert PATH.fullmatch(path), f"{items}: {named} is no path"
            assert (ROOT / path).is_file(), f"{items}: there is no {path}"
            assert not test or f"def {test}(" in (ROOT / path).read_text(), (
                f"{items}: there is no {named}"
            )
        for quoted in re.findall(r"`([^`]+)`", claim):
            if "/" in quoted and PATH.fullmatch(quoted):
                assert (ROOT / quoted).is_file(), f"{items}: there is no {quoted}"


def test_whatever_nothing_holds_has_a_reason() -> None:
    reasons = ("not used", "no hints", "no expression is made")
    for items, claim, evidence in rows():
        assert claim, items
        assert evidence or any(reason in claim for reason in reasons), (
            f"{items}: name a test, a file or the reason"
        )


@pytest.mark.parametrize("name", [".git", "tests", "secrets", "var", ".venv"])
def test_the_image_holds_no_repository_no_tests_and_no_secrets(name: str) -> None:
    assert name in (ROOT / ".dockerignore").read_text().splitlines()
