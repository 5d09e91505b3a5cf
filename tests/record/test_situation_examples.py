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
    suggestion = CASES[case].suggestion
    line = (
        suggestion.possession,
        suggestion.spot,
        suggestion.down,
        suggestion.distance,
        suggestion.situation,
    )
    assert (line, suggestion.check, suggestion.over) == (
        CASES[case].line,
        CASES[case].check,
        CASES[case].over,
    )


@pytest.mark.parametrize("case", [case for case, situation in CASES.items() if situation.choices])
def test_the_offended_club_sees_what_follows_from_each_answer(case: str) -> None:
    answers = [
        (
            choice.by,
            choice.act,
            (choice.possession, choice.spot, choice.down, choice.distance, choice.situation),
            choice.wipes,
        )
        for choice in CASES[case].suggestion.choices
    ]
    assert answers == list(CASES[case].choices)


def test_every_answer_is_one_sentence() -> None:
    for case, situation in CASES.items():
        assert situation.suggestion.why[:1].isupper(), case
        assert situation.suggestion.why.endswith("."), case


def test_the_browser_reads_these_examples() -> None:
    assert FILE.read_text() == written(), (
        "write them anew: python -m tests.record.situation_examples"
    )


@pytest.mark.parametrize("competition", ["nfl", "ncaa", "nfhs"])
def test_there_is_a_case_of_every_foul_of_the_rulebook(competition: str) -> None:
    fouls = rulebook(competition, 2026).fouls.values()
    assert fouls_of(competition) == {row.name for rows in fouls for row in rows}
