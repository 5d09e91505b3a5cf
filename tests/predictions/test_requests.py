"""The settlement job as the contract has it (`match_finished`).

What is read, and what is refused for good.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from app.predictions.settlement import requests
from app.predictions.settlement.requests import BadPayload
from tests.predictions.plain import payloads
from tests.worlds.tournament import World
from workers.jobs import settle_matches

GOOD = {
    "eventType": "match_finished",
    "matchId": "58de2f1b-1374-4c92-bd53-23a81943de4b",
    "tournamentId": "72ae0b2f-1967-49dd-a1d3-3b4965954fd8",
    "finishedAt": "2026-02-14T17:00:00Z",
    "provider": "sofascore",
    "providerStatus": "finished",
    "internalStatus": "ended",
    "detectedAt": "2026-02-14T17:05:03Z",
    "sourceVersion": "evt-884213",
}


def test_the_example_of_the_contract_is_read_and_has_the_key_of_the_contract() -> None:
    assert requests.read(GOOD).key == "58de2f1b-1374-4c92-bd53-23a81943de4b#2026-02-14T17:00:00Z"
    assert (
        requests.read(
            {name: value for name, value in GOOD.items() if name != "sourceVersion"}
        ).source_version
        is None
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"eventType": "match_started"}, "eventType"),
        ({"internalStatus": "open"}, "internalStatus"),
        ({"matchId": "7"}, "matchId"),
        ({"tournamentId": None}, "tournamentId"),
        ({"tournamentId": "7"}, "tournamentId"),
        ({"finishedAt": "2026-02-14T17:00:00"}, "finishedAt"),
        ({"finishedAt": "yesterday"}, "finishedAt"),
        ({"provider": ""}, "provider"),
    ],
)
def test_a_payload_that_breaks_the_contract_is_refused_with_the_name_of_the_field(
    change: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadPayload, match=says):
        requests.read(GOOD | change)


@pytest.mark.parametrize("name", [name for name in GOOD if name != "sourceVersion"])
def test_every_field_of_the_contract_is_required(name: str) -> None:
    with pytest.raises(BadPayload, match=name):
        requests.read({key: value for key, value in GOOD.items() if key != name})


@pytest.mark.parametrize("payload", [None, [], "text", 7])
def test_what_is_no_object_is_refused(payload: Any) -> None:
    with pytest.raises(BadPayload):
        requests.read(payload)


def test_a_job_of_an_unknown_match_tournament_or_end_is_refused(cup: World) -> None:
    cup.ended("m1", 3, 1)
    cup.poll()
    (payload,) = payloads(cup)
    for change, says in (
        ({"matchId": str(uuid4())}, "matchId"),
        ({"tournamentId": str(uuid4())}, "matchId"),
        ({"finishedAt": "2026-02-14T17:00:00Z"}, "finishedAt"),
    ):
        with pytest.raises(BadPayload, match=says):
            settle_matches.run(payload | change)
    assert cup.points() == {"Ann": 0, "Bob": 0}
