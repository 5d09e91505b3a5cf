"""The text of posts: what is cleaned, refused and mentioned."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.talk import rules

WRITTEN = datetime(2026, 9, 10, 17, tzinfo=UTC)
MEMBERS = {"ann": 1, "ann lee": 2, "dana": 3, "red hounds fc": 4}


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Go @Ann!", "Go <@1>!"),
        ("Go @ann lee!", "Go <@2>!"),
        ("@ANN LEES", "<@1> LEES"),
        ("@Annika is nobody", "@Annika is nobody"),
        ("mail me at bob@dana.org", "mail me at bob@dana.org"),
        ("@Red Hounds FC lost", "<@4> lost"),
        ("@", "@"),
        ("@@dana", "@<@3>"),
    ],
)
def test_the_longest_name_after_an_at_sign_is_a_mention(typed: str, stored: str) -> None:
    assert rules.with_mentions(typed, MEMBERS) == stored


def test_nobody_can_type_a_mention_by_its_number() -> None:
    assert rules.mentioned(rules.with_mentions("<@7> and <@1>", MEMBERS)) == []


def test_a_post_mentions_at_most_ten() -> None:
    stored = rules.with_mentions("@ann " * 12, MEMBERS)
    assert stored.count("<@1>") == rules.MOST_MENTIONS


def test_a_text_comes_back_as_it_was_typed_with_the_names_of_now() -> None:
    stored = rules.with_mentions("Hey @Ann Lee, @dana", MEMBERS)
    assert rules.as_typed(stored, {2: "Anna Lee", 3: "Dana"}) == "Hey @Anna Lee, @Dana"


def test_characters_that_turn_or_bury_a_text_are_left_out_and_emoji_stay() -> None:
    family = "\U0001f468‍\U0001f469‍\U0001f467"
    assert rules.cleaned(f"a‮b{family}") == f"ab{family}"
    england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    assert rules.cleaned(f"{england} 3-1") == f"{england} 3-1"
    assert rules.cleaned("\U0001f3f4\U000e0068\U000e0069\U000e007f") == "\U0001f3f4", "hidden words"
    assert rules.cleaned("z" + "́" * 50).count("́") <= rules.MOST_MARKS


@pytest.mark.parametrize(
    ("text", "has_picture", "refusal"),
    [
        ("", False, rules.EMPTY),
        ("", True, None),
        ("a" * rules.LONGEST_POST, False, None),
        ("a" * (rules.LONGEST_POST + 1), True, rules.TOO_LONG),
    ],
)
def test_a_post_needs_a_text_of_at_most_1000_characters_or_a_picture(
    text: str, has_picture: bool, refusal: object
) -> None:
    assert rules.text_refusal(text, has_picture=has_picture) == refusal


def test_a_post_can_be_edited_for_ten_minutes() -> None:
    assert rules.is_editable(WRITTEN, WRITTEN + timedelta(minutes=9, seconds=59))
    assert not rules.is_editable(WRITTEN, WRITTEN + timedelta(minutes=10))
