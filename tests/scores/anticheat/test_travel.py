"""Impossible travel: two scores of a player from places that nobody gets between in the time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from mmdb_writer import MMDBWriter
from netaddr import IPSet
from structlog.testing import capture_logs

from app.embedded.valkey import Valkey
from app.scores.anticheat import layers
from app.scores.anticheat.stores import RedisStops
from app.scores.anticheat.submission import CLEAN, FLAGGED, Location, Submission, through
from app.scores.anticheat.travel import (
    MICROSECONDS_PER_HOUR,
    Stop,
    Travel,
    distance_km,
    is_impossible,
)
from app.scores.events import event_id
from app.scores.submission import locations

BERLIN, MUNICH, NEW_YORK, SYDNEY = (52.5, 13.4), (48.1, 11.6), (40.7, -74.0), (-33.9, 151.2)
NOW = 1_790_000_000_000_000
PLAYER, OTHER = UUID(int=7), UUID(int=8)


def score(hours: float, location: Location | None, player: UUID = PLAYER) -> Submission:
    """A score of the player, so many hours after NOW."""
    attempt = uuid4()
    return Submission(
        event_id=event_id(player, attempt),
        attempt_id=attempt,
        player_id=player,
        mode_id=UUID(int=1),
        score=5,
        cap=None,
        achieved_at=NOW + int(hours * MICROSECONDS_PER_HOUR),
        device=None,
        address=None,
        replay_hash=None,
        min_score=0,
        max_score=100,
        location=location,
    )


@pytest.mark.parametrize(
    ("first", "other", "kilometres"),
    [
        (BERLIN, NEW_YORK, 6385),
        (BERLIN, MUNICH, 505),
        (BERLIN, SYDNEY, 16_095),
        (BERLIN, BERLIN, 0),
    ],
)
def test_distances_are_those_of_great_circles(
    first: Location, other: Location, kilometres: int
) -> None:
    """Published great-circle distances between the cities, to one per cent."""
    assert distance_km(first, other) == pytest.approx(kilometres, rel=0.01)
    assert distance_km(other, first) == pytest.approx(distance_km(first, other))


@given(
    hours=st.floats(0, 24),
    places=st.tuples(*[st.tuples(st.floats(-90, 90), st.floats(-180, 180))] * 2),
)
def test_a_day_is_enough_for_every_place_and_no_time_is_needed_nearby(
    hours: float, places: tuple[Location, Location]
) -> None:
    before = Stop(NOW, "a", places[0])
    assert not is_impossible(before, Stop(NOW + 24 * MICROSECONDS_PER_HOUR, "b", places[1]))
    after = Stop(NOW + int(hours * MICROSECONDS_PER_HOUR), "b", places[1])
    if distance_km(*places) <= 500:
        assert not is_impossible(before, after)


@pytest.fixture
def travel(app: Flask) -> Travel:
    return Travel(RedisStops())


def states(travel: Travel, *batch: Submission) -> list[str]:
    return [verdict.state for verdict in travel.judge(batch, NOW)]


def test_a_score_from_across_the_ocean_is_held_if_nobody_flies_that_fast(travel: Travel) -> None:
    """Section 4.9 of the platform's design: impossible travel between submissions."""
    home, away = score(0, BERLIN), score(3, NEW_YORK)
    assert states(travel, home) == [CLEAN]
    (verdict,) = travel.judge([away], NOW)
    assert (verdict.state, verdict.reasons) == (FLAGGED, ("impossible_travel",))
    assert states(travel, score(11, BERLIN)) == [CLEAN], "eight hours are enough to fly back"


def test_nearby_places_slow_journeys_and_other_players_pass(travel: Travel) -> None:
    batch = [
        score(0, BERLIN),
        score(0.1, MUNICH),
        score(0.2, SYDNEY, OTHER),
        score(9, NEW_YORK),
        score(9.1, None),
    ]
    assert states(travel, *batch[:1], *batch[2:]) == [CLEAN] * 4
    assert is_impossible(Stop(NOW, "a", BERLIN), Stop(NOW, "b", NEW_YORK))


def test_a_replay_of_the_log_says_the_same(travel: Travel) -> None:
    batch = [score(0, BERLIN), score(1, NEW_YORK), score(2, NEW_YORK)]
    first = states(travel, *batch)
    assert first == [CLEAN, FLAGGED, CLEAN]
    assert states(travel, *batch) == first
    assert states(travel, batch[1]) == [FLAGGED]


def test_without_redis_the_layer_abstains(app: Flask, own_valkey: Valkey) -> None:
    own_valkey.stop()
    layer = next(layer for layer in layers() if layer.name == "travel")
    assert [verdict.state for verdict in through([layer], [score(0, BERLIN)], NOW)] == [CLEAN]


@pytest.fixture
def table(app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that knows 203.0.113.0/24 and 2001:db8::/32, and no place for 198.51.100.0/24."""
    writer = MMDBWriter(ip_version=6, ipv4_compatible=True, database_type="City")
    writer.insert_network(
        IPSet(["203.0.113.0/24"]), {"location": {"latitude": 52.5234, "longitude": 13.4114}}
    )
    writer.insert_network(
        IPSet(["2001:db8::/32"]), {"location": {"latitude": 40.7128, "longitude": -74.006}}
    )
    writer.insert_network(IPSet(["198.51.100.0/24"]), {"country": {"iso_code": "DE"}})
    path = tmp_path / "city.mmdb"
    writer.to_db_file(str(path))
    use(app, monkeypatch, str(path))
    return path


def use(app: Flask, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], geoip_database=path)
    )


def test_an_address_is_located_to_a_tenth_of_a_degree(table: Path) -> None:
    assert locations.locate("203.0.113.9") == BERLIN
    assert locations.locate("2001:db8::1") == NEW_YORK
    for unknown in ("198.51.100.1", "192.0.2.1", "::1", "no address"):
        assert locations.locate(unknown) is None, unknown


@pytest.mark.parametrize("content", [None, b"", b"no table"])
def test_a_table_that_cannot_be_read_is_said_and_nobody_is_located(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    path = tmp_path / f"{uuid4()}.mmdb"
    if content is not None:
        path.write_bytes(content)
    use(app, monkeypatch, str(path))
    with capture_logs() as lines:
        assert locations.locate("203.0.113.9") is None
        assert locations.locate("203.0.113.9") is None
    assert [line["event"] for line in lines] == ["geoip_database_not_read"]
