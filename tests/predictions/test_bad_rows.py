"""A bad row of a provider's answer costs no other row (docs/providers.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.db import db
from app.predictions.matches import findings, mapping
from app.predictions.models import Match
from app.predictions.points import PRESETS
from app.predictions.providers import http_json, nflverse
from app.predictions.providers.nflverse import NflverseGames
from app.predictions.providers.offer import Offer, ProviderError, Seen, faults_of
from tests.predictions.providing import match, season
from tests.worlds.tournament import BEFORE, END, World

Make = Callable[..., World]


def answer(*rows: Any) -> Offer:
    """What a provider's answer with these rows of matches is read as."""
    return http_json.decode(json.dumps(season(*rows)).encode())


def take(world: World, offer: Offer) -> None:
    mapping.apply(world.id, "fake", offer, END)
    db.session.commit()
    world.settle()


def standing(world: World) -> list[tuple[str, str, str]]:
    """Kind, subject and text of what stands."""
    rows = findings.current(END, world.id)
    return sorted((row.kind, row.subject, row.text) for row, _ in rows)


def stored(world: World, match_id: str) -> Match:
    db.session.rollback()
    return db.session.get_one(Match, world.id_of(match_id))


@pytest.fixture
def guessed(world: Make) -> World:
    """Ann has guessed 1 and 2, which are still to come."""
    here = world(PRESETS["exact"])
    here.match("1")
    here.match("2", "liv", "mun")
    here.poll(BEFORE)
    here.guess("Ann", "1", 2, 1)
    here.guess("Ann", "2", 2, 1)
    return here


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"home": "ghost"}, "home"),
        ({"away": "ghost"}, "away"),
        ({"home": "mun"}, "away"),
        ({"round": "final"}, "round"),
        ({"kickoff": "2026-09-13T17:00:00"}, "kickoff"),
        ({"kickoff": "Sunday"}, "kickoff"),
        ({"finishedAt": "9999-01-01T00:00:00Z"}, "finishedAt"),
        ({"homeScore": "2"}, "homeScore"),
        ({"awayScore": -1}, "awayScore"),
        ({"homeScore": 2.5}, "homeScore"),
        ({"status": None}, "status"),
        ({"status": "zero \0"}, "status"),
    ],
)
def test_a_bad_row_is_named_and_the_good_ones_are_settled(
    guessed: World, values: dict[str, Any], field: str
) -> None:
    """One row of two is bad.

    The other earns its points, and nobody takes the bad one for vanished.
    """
    take(guessed, answer(match("1"), match("2", "liv", "mun") | values))
    assert guessed.points() == {"Ann": 300}
    assert stored(guessed, "2").status == "open", "it stays as it was"
    ((kind, subject, text),) = standing(guessed)
    assert (kind, subject) == ("bad-row", "2")
    assert f"matches[1].{field}: " in text
    assert "Ask the provider to fix it" in text


@pytest.mark.parametrize("row", [None, 7, "2", [], {}, {"id": ["2"]}, match("2") | {"id": ""}])
def test_while_a_row_names_no_match_none_is_taken_for_vanished_or_renamed(
    guessed: World, row: Any
) -> None:
    """It may be the missing match.

    Nothing is said of that, and a new id of the same teams is not taken for it.
    """
    take(guessed, answer(match("1"), row, match("99", "liv", "mun")))
    assert guessed.points() == {"Ann": 300}
    assert [(kind, subject) for kind, subject, _ in standing(guessed)] == [
        ("bad-row", "matches[1]")
    ]
    assert guessed.id_of("2") != guessed.id_of("99")


def test_what_left_before_stands_while_a_row_names_no_match(guessed: World) -> None:
    take(guessed, answer(match("1")))
    assert [(kind, subject) for kind, subject, _ in standing(guessed)] == [("left", "2")]
    take(guessed, answer(match("1"), {}))
    assert [kind for kind, _, _ in standing(guessed)] == ["bad-row", "left"]


def test_a_bad_row_is_forgotten_once_it_is_mended(guessed: World) -> None:
    take(guessed, answer(match("1"), match("2", "liv", "mun", homeScore="2")))
    take(guessed, answer(match("1"), match("2", "liv", "mun")))
    assert standing(guessed) == []
    assert guessed.points() == {"Ann": 600}


def test_a_match_with_a_good_and_a_bad_row_stays_as_it_was(guessed: World) -> None:
    """As with two rows that contradict each other: which of them is right, nobody knows."""
    take(
        guessed,
        answer(match("1"), match("2", "liv", "mun"), match("2", "liv", "mun", homeScore="0")),
    )
    assert stored(guessed, "2").status == "open"
    assert [(kind, subject) for kind, subject, _ in standing(guessed)] == [("bad-row", "2")]


@pytest.mark.parametrize("missing", ["homeScore", "awayScore"])
def test_an_end_without_a_score_is_named(guessed: World, missing: str) -> None:
    take(guessed, answer(match("1"), match("2", "liv", "mun") | {missing: None}))
    assert guessed.points() == {"Ann": 300}
    ((kind, subject, text),) = standing(guessed)
    assert (kind, subject) == ("bad-row", "2")
    assert missing in text


def test_bad_rows_of_teams_and_rounds_cost_their_own_matches_alone(guessed: World) -> None:
    answer = season(match("1"), match("2", "liv", "mun")) | {
        "rounds": [{"slug": "week-1", "name": "One", "position": 1}]
    }
    answer["teams"][2] = {"id": "liv"}
    answer["rounds"].append({"slug": "Week 2"})
    take(guessed, http_json.decode(json.dumps(answer).encode()))
    assert guessed.points() == {"Ann": 300}
    texts = " ".join(text for _, _, text in standing(guessed))
    for named in ("teams[2].name", "rounds[1].slug", "matches[1].home"):
        assert named in texts


@pytest.mark.parametrize(
    "answer",
    [
        season(match("1", homeScore="x"), match("2", status=7)),
        season(match("1")) | {"teams": [1, 2]},
        season(match("1")) | {"matches": {}},
        [],
    ],
)
def test_an_answer_without_one_good_row_stays_an_error(answer: object) -> None:
    with pytest.raises(ProviderError):
        http_json.decode(json.dumps(answer).encode())


def test_ten_thousand_bad_rows_are_listed_up_to_a_hundred(guessed: World) -> None:
    take(guessed, answer(match("1"), match("2", "liv", "mun"), *({} for _ in range(150))))
    texts = [text for _, _, text in standing(guessed)]
    assert len(texts) == 101
    assert "50 more rows of the answer cannot be used." in texts


@pytest.mark.parametrize(
    ("cell", "bad", "column"),
    [
        ("20:20", "20h", "gameday, gametime"),
        ("REG,1,", "REG,3000000000,", "week"),
        ("REG,1,", "REG,-1,", "week"),
    ],
)
def test_a_bad_line_of_a_games_csv_costs_no_other(
    tmp_path: Path, cell: str, bad: str, column: str
) -> None:
    """Line and column are named, and so is the game: it is not taken for vanished.

    A week is a place of a round (docs/schema/provider.json).
    """
    path = tmp_path / "games.csv"
    header = ",".join(nflverse.COLUMNS)
    good = "2026_01_GB_CHI,2026,REG,1,2026-09-10,20:20,GB,10,CHI,3"
    path.write_text(f"{header}\n{good}\n{good.replace('GB_CHI', 'KC_LV').replace(cell, bad)}\n")
    offer, _ = NflverseGames().fetch(f"{path}#2026", Seen())
    assert isinstance(offer, Offer)
    assert [match.id for match in offer.matches] == ["2026_01_GB_CHI"]
    (fault,) = faults_of(offer)
    assert (fault.row, fault.subject) == ("Line 3 of the file", "2026_01_KC_LV")
    assert str(fault).startswith(f"Line 3 of the file, {column}: ")


def test_two_new_teams_of_one_name_are_two_teams(world: Make) -> None:
    """Only one of them is the team that had another id.

    A match between the two stopped every poll.
    """
    here = world()
    here.match("1")
    here.poll(BEFORE)
    answer = season(match("1", "a2", "a3", status="scheduled", homeScore=None, awayScore=None))
    answer["teams"] = [{"id": team, "name": "Ars"} for team in ("a2", "a3")]
    take(here, http_json.decode(json.dumps(answer).encode()))
    assert stored(here, "1").home_id != stored(here, "1").away_id
