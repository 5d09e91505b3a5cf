from __future__ import annotations

import pytest

from app.predictions.statuses import normalised


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("finished", ("ended", None)),
        ("Finished", ("ended", None)),
        ("FT", ("ended", None)),
        ("notstarted", ("open", None)),
        ("In Progress", ("open", None)),
        ("1st half", ("open", None)),
        ("interrupted", ("open", None)),
        ("postponed", ("not-defined", "postponed")),
        ("abandoned", ("not-defined", "abandoned")),
        ("Cancelled", ("not-defined", "void")),
        ("to be announced", ("not-defined", None)),
    ],
)
def test_a_providers_word_has_one_meaning_here(word: str, meaning: tuple[str, str | None]) -> None:
    assert normalised(word) == meaning
