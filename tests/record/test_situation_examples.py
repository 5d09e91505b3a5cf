"""The next snap after each example of tests/js/examples/situations.json.

The browser's rules read the same file.
"""

from __future__ import annotations

import pytest

from app.record.rules.football.rulebook import rulebook
from tests.record.situation_every_foul_cases import fouls_of
from tests.record.situation_examples import CASES, FILE, written


@pytest.mark.parametrize("case", CASES)
def test_the_next_snap_is_the_rule_books(case: str) -> None:
    found = CASES[case].suggestion
    line = (found.possession, found.spot, found.down, found.distance, found.situation)
    assert (line, found.check, found.over) == (
        CASES[case].line,
        CASES[case].check,
        CASES[case].over,
    )


@pytest.mark.parametrize("case", [case for case, one in CASES.items() if one.choices])
def test_the_offended_club_sees_what_follows_from_each_answer(case: str) -> None:
    found = [
        (
            choice.by,
            choice.act,
            (choice.possession, choice.spot, choice.down, choice.distance, choice.situation),
            choice.wipes,
        )
        for choice in CASES[case].suggestion.choices
    ]
    assert found == list(CASES[case].choices)


def test_every_answer_is_one_sentence() -> None:
    for case, one in CASES.items():
        assert one.suggestion.why[:1].isupper(), case
        assert one.suggestion.why.endswith("."), case


def test_the_browser_reads_these_examples() -> None:
    assert FILE.read_text() == written(), (
        "write them anew: python -m tests.record.situation_examples"
    )


@pytest.mark.parametrize("competition", ["nfl", "ncaa", "nfhs"])
def test_there_is_a_case_of_every_foul_of_the_rulebook(competition: str) -> None:
    fouls = rulebook(competition, 2026).fouls.values()
    assert fouls_of(competition) == {row.name for rows in fouls for row in rows}
