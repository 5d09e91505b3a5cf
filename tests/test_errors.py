"""What a person is told when something is refused."""

from __future__ import annotations

from app.core.errors import LONGEST_LINE, UserError


def test_each_line_of_an_error_is_short_and_keeps_its_end() -> None:
    sent = "9" * 100_000
    lines = str(
        UserError(f"rules.toml: unknown field `{sent}`: leave it out\nNothing was written.")
    ).split("\n")
    assert lines[0].startswith("rules.toml: unknown field `9")
    assert lines[0].endswith("9`: leave it out")
    assert len(lines[0]) == LONGEST_LINE + len(" ... ")
    assert lines[1] == "Nothing was written."


def test_an_error_of_the_usual_length_is_shown_whole() -> None:
    assert str(UserError("x" * LONGEST_LINE)) == "x" * LONGEST_LINE
