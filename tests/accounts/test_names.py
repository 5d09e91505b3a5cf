"""What people may call themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy.exc import IntegrityError

from app.accounts import names, services
from app.accounts.models import Member
from tests.conftest import PASSWORD


@pytest.mark.parametrize(
    "name", ["Ann O.", "José Ñ.", "Łukasz", "李小龍", "محمد", "O'Brien", "Ann 🏈", "Ngọc Ánh"]
)
def test_names_of_every_script_are_taken(name: str) -> None:
    assert names.fault(names.normalised(name)) is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Ann \u202egnik", "U+202E"),
        ("Ann\u2066\u2069", "U+2066"),
        ("A\u200bnn", "U+200B"),
        ("A\u200dnn", "U+200D"),
        ("Ann\ufeff", "U+FEFF"),
        ("Ann\u3164", "U+3164"),
        ("Ann\x07", "U+0007"),
        ("Ann\ue000", "U+E000"),
        ("A" + "\u0301" * 3 + "nn", "at most 2 accents"),
        ("...", "at least one letter or digit"),
        ("", "1 to 40"),
        ("x" * 41, "1 to 40"),
    ],
)
def test_a_name_that_hides_something_says_what_to_change(name: str, sentence: str) -> None:
    assert sentence in (names.fault(names.normalised(name)) or "")


@pytest.mark.parametrize(
    "name",
    [
        "Olive Gray",
        "0live  Gray",
        "Оlivе Grаy",
        "OLIVE-GRAY",
        "Ólive Gray",
        "Ｏlive Gray",
        "olive_gray",
        "Oliue Gray",
    ],
)
def test_nobody_looks_like_staff(name: str) -> None:
    refused = names.likeness_fault(name, ["Olive Gray"], []) is not None
    assert refused is (name != "Oliue Gray")


@pytest.mark.parametrize(
    "name", ["Operator", "0perat0r", "M0derator", "Pressbox Support", "PressB0x", "admin"]
)
def test_nobody_looks_like_an_office(name: str) -> None:
    assert names.likeness_fault(name, [], []) is not None


def test_a_name_is_kept_in_one_spelling(app: Flask, member: Callable[..., Member]) -> None:
    registered = services.register("ann", "  Ann   O\u0301. ", PASSWORD)
    assert isinstance(registered, Member), registered
    assert registered.display_name == "Ann Ó."


def test_a_member_looks_like_no_staff_and_holds_no_refused_word(
    app: Flask, member: Callable[..., Member], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member("olive", role="operator")
    words = tmp_path / "words.txt"
    words.write_text("# not here\nRubbish\n")
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], refused_names_file=str(words))
    )
    assert services.register("0live", "Somebody", PASSWORD) == {
        "username": "This name could be mistaken for a staff member's. Choose another one."
    }
    for name in ("Оlive", "The rubb1sh one"):
        refused = services.register("somebody", name, PASSWORD)
        assert isinstance(refused, dict)
        assert list(refused) == ["display_name"]
    assert isinstance(services.register("somebody", "Somebody Else", PASSWORD), Member)


def test_only_a_name_that_is_taken_is_called_taken(app: Flask) -> None:
    """An unknown role is a fault of the caller, not of the name."""
    with pytest.raises(IntegrityError):
        services.register("newcomer", "Newcomer", PASSWORD, ["referee"])
