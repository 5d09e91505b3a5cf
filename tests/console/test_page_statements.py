"""The list of games and a game at the console take at most four statements, however long the game.

Opened again, and after an entry, when the page is rendered anew.
"""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from scorer_console.keys.rules import STANDARD
from tests.console.conftest import RUN, SNAP, Enter
from tests.console.test_key_press import fill, hand_over
from tests.statements import count_statements

MOST = 4


def statements(scorer: FlaskClient, path: str) -> int:
    with count_statements() as counted:
        assert scorer.get(path).status_code == 200
    return counted()


@pytest.mark.parametrize("events", [3, 300])
def test_a_game_takes_at_most_four_statements(
    scorer: FlaskClient, enter: Enter, game: str, events: int
) -> None:
    path = f"/console/{game}"
    enter(SNAP, RUN)
    scorer.get(path)
    assert statements(scorer, path) <= MOST
    hand_over(game)
    fill(game, events)
    assert statements(scorer, path) <= MOST
    assert f"#{events + 1}" in scorer.get(path).text


def test_the_list_takes_at_most_four_statements(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    scorer.get("/console/")
    assert statements(scorer, "/console/") <= MOST
    enter(SNAP, RUN)
    assert statements(scorer, "/console/") <= MOST
    assert "#2" in scorer.get("/console/").text


@pytest.mark.parametrize("path", ["/console/", "/console/g1"])
def test_opened_again_only_the_version_is_read(
    scorer: FlaskClient, enter: Enter, game: str, path: str
) -> None:
    assert game == "g1"
    enter(SNAP, RUN)
    scorer.get(path)
    assert statements(scorer, path) == 1


def test_each_scorer_gets_their_own_part_of_a_page_that_is_rendered_once(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP, RUN)
    pages = [scorer.get(f"/console/{game}").text for _ in range(2)]
    keys = [page.partition('name="key" type="hidden" value="')[2][:36] for page in pages]
    assert len(set(keys)) == 2, "each page enters an event of its own"
    assert scorer.post("/console/keys/", data=dict(STANDARD) | {"run": "5"}).status_code == 303
    assert '"run": "5"' in scorer.get(f"/console/{game}").text


def test_an_entry_takes_five_statements(scorer: FlaskClient, enter: Enter) -> None:
    """Of decision 92: lock, new events, leases, write and read."""
    enter(SNAP)
    with count_statements() as counted:
        enter(RUN)
    assert counted() == 5
