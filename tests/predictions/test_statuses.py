"""The words of providers.

Authorities: their own references, named in app/predictions/statuses.py.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from app.core.db import db
from app.predictions.matches import findings
from app.predictions.models import Match
from app.predictions.statuses import VOCABULARIES, duration, has_begun, is_known, normalised
from tests.worlds.tournament import BEFORE, END, KICKOFF, World

Make = Callable[..., World]

OPEN, ENDED, UNCLEAR = ("open", None), ("ended", None), ("not-defined", None)
POSTPONED, ABANDONED, VOID = (("not-defined", fate) for fate in ("postponed", "abandoned", "void"))


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("finished", ENDED),
        ("Finished", ENDED),
        ("FT", ENDED),
        ("notstarted", OPEN),
        ("In Progress", OPEN),
        ("1st half", OPEN),
        ("interrupted", OPEN),
        ("postponed", POSTPONED),
        ("abandoned", ABANDONED),
        ("Cancelled", VOID),
        ("to be announced", UNCLEAR),
    ],
)
def test_a_providers_word_has_one_meaning_here(word: str, meaning: tuple[str, str | None]) -> None:
    assert normalised(word) == meaning


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        (
            "Time To Be Defined / Not Started / scheduled / created / flex-schedule / time-tbd / "
            "delayed",
            OPEN,
        ),
        (
            "First Half, Kick Off / Halftime / Second Half, 2nd Half Started / Extra Time / Break "
            "Time",
            OPEN,
        ),
        ("Break Time (in Extra Time) / Penalty In Progress / In Progress", OPEN),
        ("Match Suspended / Match Interrupted / inprogress / halftime / suspended", OPEN),
        ("Match Finished / complete / closed / Technical Loss / WalkOver", ENDED),
        ("Match Finished After Extra Time / Match Finished After Penalty", ENDED),
        ("Match Postponed / postponed", POSTPONED),
        ("Match Abandoned", ABANDONED),
        ("Match Cancelled / cancelled", VOID),
    ],
)
def test_phrases_of_public_providers_are_known(words: str, meaning: tuple[str, str | None]) -> None:
    """API-Football v3 (fixture.status.long) and Sportradar's NFL v7 (game.status)."""
    for word in words.split(" / "):
        assert (word, normalised(word)) == (word, meaning)


@pytest.mark.parametrize(
    ("word", "length"),
    [
        ("Match Finished", None),
        ("Match Finished After Extra Time", "extra_time"),
        ("Break Time (in Extra Time)", "extra_time"),
        ("Match Finished After Penalty", "shootout"),
    ],
)
def test_the_long_phrase_of_an_end_says_how_far_the_match_went(
    word: str, length: str | None
) -> None:
    """API-Football v3: status.long of AET, BT and PEN as its reference had it first.

    Now it says Match Finished.
    """
    assert duration(word) == length


def test_words_that_sportradar_has_for_other_sports_are_no_words_of_football() -> None:
    """Its NFL v7 has no if-necessary, unnecessary (NBA v8) and wdelay (MLB v7).

    They are reported as unknown.
    """
    assert [is_known(word) for word in ("if-necessary", "unnecessary", "wdelay")] == [False] * 3


# By the references of the providers: football-data.org v4 (match), API-Football v3
# (fixture.status.short), Sportmonks v3 (states), Sportradar Soccer v4 (status, match_status), ESPN
# (status.type.name).
@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("SCHEDULED TIMED / TBD NS / TBA / not_started start_delayed / STATUS_SCHEDULED", OPEN),
        ("IN_PLAY PAUSED EXTRA_TIME PENALTY_SHOOTOUT SUSPENDED", OPEN),
        ("1H HT 2H ET BT P SUSP INT LIVE", OPEN),
        (
            "INPLAY_1ST_HALF INPLAY_2ND_HALF BREAK INPLAY_ET INPLAY_ET_SECOND_HALF "
            "INPLAY_PENALTIES PEN_BREAK",
            OPEN,
        ),
        ("started awaiting_extra extra_time_halftime / STATUS_FIRST_HALF", OPEN),
        (
            "FINISHED / FT AET PEN / FT_PEN / closed aet ap / STATUS_FULL_TIME STATUS_FINAL_PEN",
            ENDED,
        ),
        ("AWARDED / AWD WO / STATUS_FORFEIT", ENDED),
        ("POSTPONED / PST / STATUS_POSTPONED", POSTPONED),
        ("ABD / ABANDONED", ABANDONED),
        ("CANCELLED / CANC / DELETED / STATUS_CANCELED", VOID),
    ],
)
def test_the_words_of_public_providers_are_known(
    words: str, meaning: tuple[str, str | None]
) -> None:
    for word in words.replace("/", " ").split():
        assert (word, normalised(word)) == (word, meaning)


def test_no_word_means_two_things() -> None:
    meanings: dict[str, set[str]] = {}
    for vocabulary in VOCABULARIES.values():
        for meaning, words in vocabulary.items():
            for word in words.lower().split():
                meanings.setdefault(word.removeprefix("status_"), set()).add(meaning)
    assert {
        word: meanings_of_word
        for word, meanings_of_word in meanings.items()
        if len(meanings_of_word) > 1
    } == {}


@pytest.mark.parametrize(
    "word", ["IN_PLAY", "1H", "P", "PENALTY_SHOOTOUT", "INPLAY_ET", "2nd_extra", "SUSP"]
)
def test_a_match_in_play_has_begun_at_0_0(word: str) -> None:
    assert has_begun(word, 0, 0)


def test_an_awarded_match_without_a_score_is_void() -> None:
    """It earns nothing, and its round can end."""
    assert normalised("WO", has_score=False) == VOID
    assert normalised("FT", has_score=False) == UNCLEAR


def test_a_match_decided_on_penalties_is_settled(world: Make) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    here.match("m1", status="PEN", home_score=2, away_score=1, finished_at=END)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 100}


@pytest.mark.parametrize("word", ["IN_PLAY", "scheduled", "a word that nobody knows"])
def test_a_match_past_its_kickoff_stays_closed_when_it_is_postponed(world: Make, word: str) -> None:
    """docs/providers.md: once it had begun it counts as abandoned, whatever its word was."""
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    now = KICKOFF + timedelta(minutes=50)
    here.match("m1", status=word, home_score=0, away_score=0)
    here.poll(now)
    here.match("m1", status="POSTPONED", home_score=None, away_score=None)
    for _ in range(2):
        here.poll(now)
        db.session.rollback()
        assert db.session.get_one(Match, here.id_of("m1")).fate == "abandoned"
        assert here.guess("Ann", "m1", 1, 0, now) == ["guess_locked"]


def test_one_with_an_unknown_word_and_a_score_is_locked_before_its_kickoff(world: Make) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.match("m1", status="Q1", home_score=7, away_score=0)
    here.poll(BEFORE)
    assert here.guess("Ann", "m1", 2, 1, BEFORE) == ["guess_locked"]


def test_each_unknown_word_is_reported_once(world: Make) -> None:
    here = world()
    here.match("m1", status="HYPED")
    here.match("m2", "liv", "mun", status="HYPED")
    assert not is_known("HYPED")
    (finding,) = here.poll(BEFORE).findings
    assert (finding.kind, finding.subject) == ("unknown-status", "HYPED")
    assert "'HYPED' (of the match m1) is unknown" in finding.text
    assert here.poll(BEFORE).findings == []
    assert [row.ProviderFinding.subject for row in findings.current(BEFORE, here.id)] == ["HYPED"]
    here.match("m1", status="NS")
    here.match("m2", status="NS")
    here.poll(BEFORE)
    assert findings.current(BEFORE, here.id) == [], "it is gone with the word"
    here.match("m1", status="HYPED")
    assert len(here.poll(BEFORE).findings) == 1, "and is new when it comes back"
