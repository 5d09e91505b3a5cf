"""Every promise names tests that exist, and docs/promises.md is current."""

from __future__ import annotations

import pytest

from tests.promises.catalogue import Promise, find_problems, load_promises
from tests.promises.collecting import tiers_of
from tests.promises.document import DOCUMENT, render, tiers_in
from tests.promises.sources import faults_by_test

THIS_TEST = "tests/promises/test_promises.py::test_every_promise_is_held_by_tests_that_exist"


def test_every_promise_is_held_by_tests_that_exist() -> None:
    assert find_problems(load_promises()) == []


def test_the_document_is_current() -> None:
    text = DOCUMENT.read_text()
    assert text == render(load_promises(), tiers_in(text)), (
        "docs/promises.md is old: run `make promises`"
    )
    assert "?" not in tiers_in(text).values()


@pytest.mark.parametrize(
    ("promise", "problem"),
    [
        (
            Promise("A1", "text", ()),
            "A1: no test holds this promise; name one, or say what is not built",
        ),
        (Promise("Z1", "text", (THIS_TEST,)), "Z1 is not a known promise"),
        (
            Promise("A1", "text", ("tests/nowhere.py::test_nothing_like_this",)),
            "A1: tests/nowhere.py::test_nothing_like_this: there is no such file and no test of "
            "that name; "
            "name another test that holds this promise",
        ),
        (
            Promise("A1", "text", (THIS_TEST.replace("promises.py", "elsewhere.py"),)),
            f"A1: tests/promises/test_elsewhere.py::{THIS_TEST.partition('::')[2]} has moved: name "
            f"{THIS_TEST} instead",
        ),
        (
            Promise("A1", "text", (THIS_TEST.replace("every_promise", "each_promise"),)),
            f"A1: {THIS_TEST.replace('every_promise', 'each_promise')}: there is no such test in "
            "the file; "
            f"similar ones are {THIS_TEST.partition('::')[2]}",
        ),
    ],
    ids=["no test", "unknown id", "no such file", "moved", "renamed"],
)
def test_a_problem_says_what_to_fix(promise: Promise, problem: str) -> None:
    others = [other for other in load_promises() if other.id != promise.id]
    assert find_problems([promise, *others]) == [problem]


def test_a_promise_that_is_left_out_or_listed_twice_is_a_problem() -> None:
    promises = load_promises()
    assert find_problems(promises[1:]) == [f"{promises[0].id} is not listed"]
    assert find_problems([*promises, promises[0]]) == [f"{promises[0].id} is listed 2 times"]


def test_fault_markers_are_read_from_functions_and_modules() -> None:
    assert set(faults_by_test("tests/record/test_finality.py").values()) == {frozenset({7})}
    windows = faults_by_test("tests/boards/test_windows.py")
    assert windows["test_known_windows"] == {18}
    assert windows["test_times_far_off_are_refused"] == set()


@pytest.mark.parametrize(
    ("markers", "tiers"),
    [
        (set(), {"test"}),
        ({"fault", "realgames"}, {"test"}),
        ({"sized"}, {"test", "full"}),
        ({"breadth"}, {"test-all"}),
        ({"breadth", "smoke"}, {"smoke"}),
        ({"sized", "full"}, {"full"}),
        ({"cluster", "smoke"}, {"cluster", "smoke"}),
    ],
)
def test_markers_say_which_tier_runs_a_test(markers: set[str], tiers: set[str]) -> None:
    assert tiers_of(markers) == tiers
