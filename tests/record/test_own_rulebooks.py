"""An installation's own rules of the game.

A file beside the shipped rulebooks, refused when it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.record.rules.football import chapters
from app.record.rules.football.rulebook import install, rulebook

OWN = """
[town]
title = "Town league"
names = ["town-*"]
like = "nfhs"
season = 2019

[nfl]
title = "As we play it"
like = "ncaa"
season = 2019
"""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    def write(text: str) -> Path:
        (tmp_path / "rulebooks.toml").write_text(text)
        return tmp_path / "rulebooks.toml"

    yield write
    install(None)


def test_a_competition_plays_by_the_installations_own_chapter(file: Callable[[str], Path]) -> None:
    install(file(OWN))
    assert (rulebook("town-2026", 2026).title, rulebook("town-2026", 2026).kickoff) == (
        "Town league",
        40,
    )
    assert rulebook("nfl", 2019).touchdown_fouls == "choice"
    assert rulebook("nfl", 2019).try_spot == 97
    assert rulebook("nfhs", 2019).title == "High school (NFHS)"
    install(None)
    assert rulebook("nfl", 2019).try_spot == 85


def test_simulated_games_keep_the_rules_that_they_are_played_by() -> None:
    assert (
        rulebook("demo", 2026).kickoff_touchback == rulebook("sim-7", 2026).kickoff_touchback == 25
    )
    assert [rulebook("nfl", season).kickoff_touchback for season in (2023, 2024, 2025, 2026)] == [
        25,
        30,
        35,
        35,
    ]


def test_overtime_is_longer_in_the_play_offs() -> None:
    assert [rulebook("nfl", 2019, kind).period_seconds(5) for kind in ("REG", "POST")] == [600, 900]


def test_the_play_offs_win_overtime_by_their_own_rule_and_have_no_tie() -> None:
    books = [
        rulebook("nfl", season, kind)
        for season in (2009, 2010, 2022, 2025)
        for kind in ("REG", "POST")
    ]
    assert [book.overtime_rule for book in books] == [
        *(
            "sudden_death",
            "sudden_death",
            "sudden_death",
            "modified",
            "modified",
            "both",
            "both",
            "both",
        )
    ]
    assert [book.overtime_periods for book in books] == [1, 0] * 4


WRONG = {
    "no TOML": ("[town", "cannot be read as TOML"),
    "a number without an end": (
        f"[town]\nseason = {'9' * 5000}\n",
        "cannot be read as TOML (Exceeds the limit",
    ),
    "a misspelt field": (
        '[town]\ntitle = "T"\nlikes = "nfl"\n',
        "chapter town: Object contains unknown field `likes`",
    ),
    "neither changes nor another chapter": (
        '[town]\ntitle = "T"\n',
        "chapter town: needs either `changes`, or `like`",
    ),
    "like a chapter that is not there": (
        '[town]\ntitle = "T"\nlike = "moon"\nseason = 2019\n',
        "chapter town: like 'moon' is no chapter with rules of its own",
    ),
    "a change without its season": (
        '[town]\ntitle = "T"\n[[town.changes]]\nkickoff = 35\n',
        "needs `from`",
    ),
    "too few values": (
        '[town]\ntitle = "T"\n[[town.changes]]\nfrom = 2019\nkickoff = 35\n',
        "chapter town: the first of its `changes` lacks excess_timeout_clock, free_kick",
    ),
    "a foul of nobody": (
        '[town]\ntitle = "T"\n[town.fouls]\nRough = [{ side = "us", yards = 5, basis = "end" }]\n',
        "chapter town: Invalid enum value 'us' - at `$.fouls[...][0].side`",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_with_its_chapter_and_what_is_wrong(
    case: str, file: Callable[[str], Path]
) -> None:
    text, words = WRONG[case]
    with pytest.raises(UserError) as refused:
        install(file(text))
    assert words in str(refused.value)
    assert str(refused.value).startswith("RULEBOOKS_FILE=")
    assert rulebook("town", 2019) == rulebook("nfl", 2019)


def test_a_value_out_of_range_is_refused(file: Callable[[str], Path]) -> None:
    shipped = (Path(chapters.__file__).parent / chapters.SHIPPED).read_text()
    with pytest.raises(UserError, match=r"chapter nfl: Expected `int` <= 99 - at `\$.kickoff`"):
        install(file(shipped.replace("kickoff = 30", "kickoff = 130")))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        install(tmp_path / "none.toml")
