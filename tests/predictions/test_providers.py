"""Providers: JSON over HTTP, nflverse's games.csv, and the official record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.core import clock
from app.core.db import db
from app.predictions.providers import fetching, http_json, nflverse
from app.predictions.providers.http_json import HttpJson
from app.predictions.providers.nflverse import NflverseGames
from app.predictions.providers.offer import (
    Offer,
    OfferedMatch,
    Provider,
    ProviderError,
    Seen,
    Unchanged,
)
from app.predictions.providers.official_record import OfficialRecord
from app.predictions.providers.registry import name_of
from app.record import events as ev
from app.record.models import Game
from tests.predictions.providing import Answering, Served, match, season
from tests.worlds.games import KICKOFF, ingest, make_game, messages, touchdown_drive

HEADER = (
    "game_id,season,game_type,week,gameday,weekday,gametime,"
    "away_team,away_score,home_team,home_score,location"
)
OPENER = "2026_01_GB_CHI,2026,REG,1,2026-09-10,Thursday,20:20,GB,10,CHI,3,Home"
TO_COME = "2026_02_CHI_GB,2026,REG,2,2026-11-15,Sunday,13:00,CHI,NA,GB,NA,Home"
OF_OLD = "1999_01_MIN_ATL,1999,REG,1,1999-09-12,Sunday,,MIN,17,ATL,14,Home"
SUPER_BOWL = "2026_22_GB_KC,2026,SB,22,2027-02-14,Sunday,,GB,,KC,,Neutral"


def whole(answer: tuple[Offer | Unchanged, Seen]) -> tuple[Offer, Seen]:
    offer, validators = answer
    assert isinstance(offer, Offer)
    return offer, validators


def test_json_is_read_and_asked_for_again_only_when_it_changed(served: Served) -> None:
    offer, validators = whole(HttpJson().fetch(served.address, Seen()))
    assert [team.name for team in offer.teams] == ["Ars", "Che", "Liv", "Mun"]
    kickoff = datetime(2026, 9, 13, 17, tzinfo=UTC)
    assert offer.matches[0] == OfferedMatch("m1", "week-1", "ars", "che", "scheduled", kickoff)
    assert HttpJson().fetch(served.address, validators) == (Unchanged(), validators)
    served.at("2026-09-13T20:00:00Z")
    ended, seen_then = whole(HttpJson().fetch(served.address, validators))
    assert (ended.matches[0].home_score, ended.matches[0].away_score) == (2, 1)
    assert ended.matches[0].finished_at == datetime(2026, 9, 13, 19, tzinfo=UTC)
    assert seen_then != validators
    assert served.statuses == [200, 304, 200]


def test_a_server_with_dates_alone_is_asked_conditionally_too(server: Answering) -> None:
    server.body = json.dumps(season(match())).encode()
    server.headers = {"Last-Modified": "Sun, 13 Sep 2026 20:00:00 GMT"}
    _, validators = whole(HttpJson().fetch(server.origin, Seen()))
    server.status, server.body = 304, b""
    assert HttpJson().fetch(server.origin, validators) == (Unchanged(), validators)
    assert server.asked[1]["if-modified-since"] == "Sun, 13 Sep 2026 20:00:00 GMT"
    assert "if-none-match" not in server.asked[1]


def test_a_mark_that_no_request_can_carry_is_not_sent_back(server: Answering) -> None:
    server.body = json.dumps(season(match())).encode()
    server.headers = {"ETag": '"\xe9"'}
    _, validators = whole(HttpJson().fetch(server.origin, Seen()))
    assert validators == Seen()
    whole(HttpJson().fetch(server.origin, validators))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("down", "could not be reached: The server closed"),
        ("slow", "could not be reached: No complete response within 0.3 s."),
        ("error", "answered 500."),
        ("broken", "is not JSON"),
    ],
)
def test_what_fails_is_one_sentence(
    served: Served, monkeypatch: pytest.MonkeyPatch, fault: str, sentence: str
) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.3 if fault == "slow" else 60)
    served.provider.fault = fault
    with pytest.raises(ProviderError, match=sentence):
        HttpJson().fetch(served.address, Seen())


@pytest.mark.parametrize(
    ("status", "headers", "sentence"),
    [
        (
            302,
            {"Location": "http://127.0.0.1/"},
            "302, a redirect, which we don't follow",
        ),
        (304, {}, "answered 304"),
        (401, {}, "answered 401"),
        (200, {"Content-Encoding": "gzip"}, "compressed its answer"),
    ],
)
def test_answers_that_are_refused(
    server: Answering, status: int, headers: dict[str, str], sentence: str
) -> None:
    server.status, server.headers = status, headers
    with pytest.raises(ProviderError, match=sentence):
        HttpJson().fetch(server.origin, Seen())
    assert len(server.asked) == 1


def test_a_body_that_is_too_large_is_not_read_to_its_end(
    server: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_BYTES", 1_000)
    server.body = b" " * 1_001
    with pytest.raises(ProviderError, match="larger than 1,000 bytes"):
        HttpJson().fetch(server.origin, Seen())


def test_a_fault_names_the_host_and_no_key(server: Answering) -> None:
    server.status = 403
    with pytest.raises(ProviderError) as caught:
        HttpJson().fetch(f"{server.origin}/season?key=secret", Seen())
    assert "127.0.0.1" in str(caught.value)
    assert "secret" not in str(caught.value)


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in match().items() if key != name}


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            season(match() | {"homeScore": "2"}),
            r"matches\[0\].homeScore: expected `int \| null`, got `str`",
        ),
        (season(match() | {"homeScore": 1000}), r"matches\[0\].homeScore"),
        (season(_without("status")), r"matches\[0\].status: this field is missing"),
        (
            season(match() | {"kickoff": "2026-09-13T17:00:00"}),
            "A time of the match m1 has no time zone",
        ),
        (season(match() | {"kickoff": "Sunday"}), r"matches\[0\].kickoff"),
        (season(match() | {"home": "ghost"}), "The match m1 does not name two teams"),
        (season(match() | {"home": "che"}), "The match m1 names the same team twice"),
        (season(match() | {"round": "final"}), "round final, which is not in the list"),
        (season(match() | {"round": "Week 1"}), r"matches\[0\].round"),
        (season() | {"teams": [{"id": "a", "name": "zero \0"}]}, "zero character"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_json_that_does_not_fit_names_the_field(answer: object, sentence: str) -> None:
    with pytest.raises(ProviderError, match=sentence):
        http_json.decode(json.dumps(answer).encode())


def test_an_answer_that_is_nested_too_deep_is_a_fault() -> None:
    with pytest.raises(ProviderError, match="too deep"):
        http_json.decode(
            b'{"more": '
            + b"[" * 100_000
            + b"]" * 100_000
            + b', "teams": [], "rounds": [], "matches": []}'
        )


def test_a_fault_does_not_say_again_all_that_was_sent() -> None:
    assert len(str(ProviderError("9" * 100_000))) < 1_100


def test_a_games_csv_with_a_zero_character_is_a_fault() -> None:
    with pytest.raises(ProviderError, match=r"U\+0000"):
        nflverse.decode(b"game_id,season\na\x00,2026\n", "2026", "")


def test_bytes_that_are_no_text_are_a_fault() -> None:
    with pytest.raises(ProviderError, match="is not"):
        http_json.decode(b'{"teams": [{"id": "\xff", "name": "x"}], "rounds": [], "matches": []}')


INSIDE = [
    ("http://127.0.0.1", "starts with https"),
    ("https://127.0.0.1", "Use a public address"),
    ("https://[::ffff:127.0.0.1]", "Use a public address"),
    ("https://localhost", "points to a private address"),
]


@pytest.mark.parametrize(("origin", "sentence"), INSIDE)
@pytest.mark.parametrize(("provider", "suffix"), [(HttpJson(), ""), (NflverseGames(), "#2026")])
def test_addresses_inside_are_refused_unless_the_setting_allows_them(
    app: Flask, served: Served, origin: str, sentence: str, provider: Provider, suffix: str
) -> None:
    app.config["PRESSBOX"] = replace(app.config["PRESSBOX"], providers_private=False)
    port = served.origin.rpartition(":")[2]
    with pytest.raises(ProviderError, match=sentence):
        provider.fetch(f"{origin}:{port}/season.json{suffix}", Seen())
    assert served.provider.asked == []


def test_a_file_is_no_web_address(app: Flask) -> None:
    with pytest.raises(ProviderError, match="starts with https"):
        HttpJson().fetch("file:///etc/passwd", Seen())


@pytest.fixture
def games(tmp_path: Path) -> Callable[..., str]:
    """Writes a games.csv of these lines; returns its path."""

    def write(*lines: str) -> str:
        path = tmp_path / "games.csv"
        path.write_text("\n".join((HEADER, *lines)) + "\n")
        return str(path)

    return write


def test_games_csv_is_read_by_season_with_eastern_times(games: Callable[..., str]) -> None:
    path = games(OF_OLD, OPENER, TO_COME, SUPER_BOWL)
    offer, validators = whole(NflverseGames().fetch(f"{path}#2026", Seen()))
    assert [
        (offered_round.slug, offered_round.name, offered_round.position)
        for offered_round in offer.rounds
    ] == [
        ("week-1", "Week 1", 1),
        ("week-2", "Week 2", 2),
        ("week-22", "Super Bowl", 22),
    ]
    opener, to_come, last = offer.matches
    assert opener == OfferedMatch(
        "2026_01_GB_CHI",
        "week-1",
        "CHI",
        "GB",
        "finished",
        opener.kickoff,
        home_score=3,
        away_score=10,
    )
    assert opener.kickoff == datetime(2026, 9, 11, 0, 20, tzinfo=UTC)  # summer time
    assert to_come.kickoff == datetime(2026, 11, 15, 18, 0, tzinfo=UTC)
    assert (to_come.status, to_come.home_score) == ("scheduled", None)
    # no time yet: 9:30, before any game begins
    assert last.kickoff == datetime(2027, 2, 14, 14, 30, tzinfo=UTC)
    assert NflverseGames().fetch(f"{path}#2026", validators) == (Unchanged(), validators)
    games(OPENER, TO_COME.replace("NA", "7"))
    again, _ = whole(NflverseGames().fetch(f"{path}#2026", validators))
    assert again.matches[1].status == "finished"


def test_parts_of_a_season_are_chosen(games: Callable[..., str]) -> None:
    path = games(OF_OLD, OPENER, SUPER_BOWL)
    for season_type, ids in (("REG", ["2026_01_GB_CHI"]), ("POST", ["2026_22_GB_KC"])):
        offer, _ = whole(NflverseGames().fetch(f"{path}#2026/{season_type}", Seen()))
        assert [match.id for match in offer.matches] == ids


@pytest.mark.parametrize(
    ("line", "suffix", "sentence"),
    [
        (OPENER, "", "End the address with the season"),
        (OPENER, "#2026/PRE", "End the address with the season"),
        (OPENER, "#2025/REG", "no game for 2025/REG"),
        (OPENER.replace("REG,1,", "REG,one,"), "#2026", "Line 2 of the file"),
        (OPENER.replace("20:20", "20h"), "#2026", "Line 2 of the file"),
        (OPENER.replace(",3,", ",inf,"), "#2026", "Line 2 of the file"),
        (OPENER.replace(",3,", ",-3,"), "#2026", "homeScore"),
        (OPENER.replace("2026_01_GB_CHI", ""), "#2026", "Line 2 of the file, id: expected"),
        (OPENER.replace("GB,10,CHI", "CHI,10,CHI"), "#2026", "names the same team twice"),
    ],
)
def test_a_games_csv_that_does_not_fit_says_where(
    games: Callable[..., str], line: str, suffix: str, sentence: str
) -> None:
    with pytest.raises(ProviderError, match=sentence):
        NflverseGames().fetch(games(line) + suffix, Seen())


def test_other_files_and_no_file_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    with pytest.raises(ProviderError, match=r"other\.csv cannot be read"):
        NflverseGames().fetch(f"{path}#2026", Seen())
    for content, sentence in (
        (b"a,b\n1,2\n", "column game_id is missing"),
        (b"\xff\xfe", "is not nflverse"),
    ):
        path.write_bytes(content)
        with pytest.raises(ProviderError, match=sentence):
            NflverseGames().fetch(f"{path}#2026", Seen())


def test_games_csv_over_http_is_conditional_too(served: Served) -> None:
    served.at("2026-09-13T20:00:00Z")
    address = f"{served.origin}/games.csv#2026/REG"
    offer, validators = whole(NflverseGames().fetch(address, Seen()))
    assert [(match.id, match.home_score, match.status) for match in offer.matches] == [
        ("m1", 2, "finished"),
        ("m2", 0, "finished"),
    ]
    assert NflverseGames().fetch(address, validators) == (Unchanged(), validators)
    assert served.provider.asked == [("/games.csv", 200), ("/games.csv", 304)]


ADDRESS = "nfl/2026/REG"


def recorded(bodies: list[ev.Body], first: int) -> None:
    assert ingest(messages(bodies, first=first)).dead == 0


def test_the_official_record_is_a_provider(app: Flask) -> None:
    make_game()
    db.session.add(
        Game(
            id="p",
            season=2026,
            season_type="REG",
            week=1,
            kickoff=KICKOFF,
            home_id="HRB",
            away_id="SUM",
            is_practice=True,
        )
    )
    db.session.commit()
    offer, validators = whole(OfficialRecord().fetch(ADDRESS, Seen()))
    assert offer.matches == [OfferedMatch("g1", "week-1", "HRB", "SUM", "scheduled", KICKOFF)]
    assert [(team.id, team.name) for team in offer.teams] == [("HRB", "Harbor"), ("SUM", "Summit")]
    assert OfficialRecord().fetch(ADDRESS, validators) == (Unchanged(), validators)
    recorded(touchdown_drive(), 1)
    live, validators = whole(OfficialRecord().fetch(ADDRESS, validators))
    assert (live.matches[0].status, live.matches[0].home_score, live.matches[0].away_score) == (
        "live",
        7,
        0,
    )
    recorded([ev.GameEnded()], 12)
    # Still live, at the same score: nothing that members guessed has changed (issue 32).
    assert OfficialRecord().fetch(ADDRESS, validators) == (Unchanged(), validators)
    ended, _ = whole(OfficialRecord().fetch(ADDRESS, Seen()))
    assert (ended.matches[0].status, ended.matches[0].finished_at) == ("live", None)
    recorded([ev.Final(home_score=7, away_score=0)], 13)
    final, validators = whole(OfficialRecord().fetch(ADDRESS, validators))
    assert (final.matches[0].status, final.matches[0].home_score) == ("finished", 7)
    assert final.matches[0].finished_at == clock.from_us(1_789_000_000_000_000)
    recorded([ev.Nullify(events=(13,))], 14)
    back, validators = whole(OfficialRecord().fetch(ADDRESS, validators))
    assert (back.matches[0].status, back.matches[0].finished_at) == ("live", None)
    recorded([ev.Final(home_score=9, away_score=0)], 15)
    again, _ = whole(OfficialRecord().fetch(ADDRESS, validators))
    assert (again.matches[0].status, again.matches[0].home_score) == ("finished", 9)


def test_a_record_without_such_games_is_a_fault(app: Flask) -> None:
    with pytest.raises(ProviderError, match="no game for nfl/2026/REG"):
        OfficialRecord().fetch(ADDRESS, Seen())
    for address in ("nfl", "nfl/x/REG", "nfl/2026/CUP", "/2026/REG"):
        with pytest.raises(ProviderError, match="Name competition"):
            OfficialRecord().fetch(address, Seen())


def test_what_providers_are_called_in_jobs() -> None:
    assert name_of("http-json", "https://scores.example.com/x?key=1") == "scores.example.com"
    assert name_of("nflverse-games", "/srv/games.csv#2026") == "nflverse"
    assert name_of("official-record", ADDRESS) == "pressbox"


def test_a_game_of_the_record_that_is_not_played_has_a_word_that_says_so(app: Flask) -> None:
    make_game()
    number = 0

    def after(*bodies: ev.Body) -> tuple[str, int | None]:
        nonlocal number
        ingest(messages(list(bodies), first=number + 1))
        number += len(bodies)
        offer, _ = whole(OfficialRecord().fetch(ADDRESS, Seen()))
        return offer.matches[0].status, offer.matches[0].home_score

    assert after(ev.GameStatus(status="postponed")) == ("postponed", None)
    assert after(ev.GameStatus(status="cancelled")) == ("cancelled", 0)
    assert after(ev.GameStatus(status="forfeited")) == ("void", 0)
    assert after(ev.Final(home_score=2, away_score=0)) == ("finished", 2)
