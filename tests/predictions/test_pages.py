"""The pages of tournaments as a browser asks for them.

Guessing, polling, places, reasons, corrections.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from app.predictions import notices, pools
from app.predictions.models import Pool
from app.predictions.pages import board
from tests.polling import forget_pages
from tests.statements import count_statements
from tests.worlds.cup import HOUR, POLL, Cup, many, poll
from tests.worlds.tournament import World

Make = Callable[..., World]
SignIn = Callable[..., FlaskClient]


def test_a_round_is_filled_by_a_plain_form_and_changed_again(today: Cup, ann: FlaskClient) -> None:
    page = ann.get(today.round)
    assert page.status_code == 200
    assert "2 picks missing" in page.text
    sent = ann.post(today.round, data=today.fields("m1", 24, 17) | today.fields("m2", "", ""))
    assert sent.status_code == 303
    page = ann.get(sent.location)
    assert "Saved." in page.text
    assert "Your pick: 24–17" in page.text
    assert "1 pick missing" in page.text
    ann.post(today.round, data=today.fields("m1", 20, 17) | today.fields("m2", 0, 0))
    assert today.world.guesses("Ann") == {
        today.world.id_of("m1"): (20, 17),
        today.world.id_of("m2"): (0, 0),
    }
    assert "All 2 picks made" in ann.get(today.round).text


@pytest.mark.parametrize(
    ("home", "away"), [("x", "1"), ("-1", "2"), ("201", "0"), ("1.5", "2"), ("3", "")]
)
def test_what_is_no_guess_is_said_at_the_match_and_the_others_are_saved(
    today: Cup, ann: FlaskClient, home: str, away: str
) -> None:
    answer = ann.post(today.round, data=today.fields("m1", home, away) | today.fields("m2", 3, 0))
    assert answer.status_code == 422
    assert (
        "Enter both scores" if not away else "Enter two whole numbers from 0 to 200."
    ) in answer.text
    assert f'value="{home}"' in answer.text
    assert today.world.guesses("Ann") == {today.world.id_of("m2"): (3, 0)}


def test_a_match_saves_itself_as_it_is_typed(today: Cup, ann: FlaskClient) -> None:
    address = f"{today.round}?match={today.world.id_of('m1')}"
    half = ann.post(address, data=today.fields("m1", 24, ""), headers=POLL)
    assert half.status_code == 200
    assert "Enter the other score." in half.text
    saved = ann.post(
        address, data=today.fields("m1", 24, 17) | today.fields("m2", "x", "y"), headers=POLL
    )
    assert saved.status_code == 200
    assert "Saved: 24–17" in saved.text
    assert 'id="missing"' in saved.text
    assert "1 pick missing" in saved.text
    assert "<html" not in saved.text
    wrong = ann.post(address, data=today.fields("m1", 24, "many"), headers=POLL)
    assert wrong.status_code == 422
    assert today.world.guesses("Ann") == {today.world.id_of("m1"): (24, 17)}
    assert ann.post(f"{today.round}?match={uuid4()}", data={}, headers=POLL).status_code == 404


def test_a_guess_after_the_kickoff_is_refused_and_the_one_before_stands(
    today: Cup, ann: FlaskClient
) -> None:
    today.guess("Ann", "m1", 24, 17)
    today.kick_off("m1")
    late = ann.post(
        f"{today.round}?match={today.world.id_of('m1')}",
        data=today.fields("m1", 99, 0),
        headers=POLL,
    )
    assert late.status_code == 422
    assert late.headers["HX-Retarget"] == f"#match-{today.world.id_of('m1')}"
    assert "The match has started, so picks are closed. Your last saved pick counts." in late.text
    assert "24–17" in late.text
    assert "99–0" not in late.text
    assert 'value="99"' not in late.text
    plain = ann.post(today.round, data=today.fields("m1", 99, 0) | today.fields("m2", 3, 0))
    assert plain.status_code == 422
    assert "Your last saved pick counts." in plain.text
    assert today.world.guesses("Ann") == {
        today.world.id_of("m1"): (24, 17),
        today.world.id_of("m2"): (3, 0),
    }
    # What stands may be sent again with the others, by a page that was opened before.
    assert (
        ann.post(
            today.round, data=today.fields("m1", 24, 17) | today.fields("m2", 4, 0)
        ).status_code
        == 303
    )


def test_an_old_form_without_scripts_never_replaces_a_newer_guess(
    today: Cup, ann: FlaskClient
) -> None:
    """A form is what its page showed.

    What was not changed on it is no wish (lost updates, RFC 6585 section 3).
    """
    today.guess("Ann", "m1", 10, 0)
    old_page = ann.get(today.round).text
    m1, m2 = today.world.id_of("m1"), today.world.id_of("m2")
    assert f'name="shown-{m1}" value="10:0"' in old_page
    shown_fields = {f"shown-{m1}": "10:0", f"shown-{m2}": ""}
    today.guess("Ann", "m1", 30, 0)  # in another browser
    unchanged = today.fields("m1", 10, 0) | today.fields("m2", 3, 0) | shown_fields
    assert ann.post(today.round, data=unchanged).status_code == 303
    assert today.world.guesses("Ann") == {m1: (30, 0), m2: (3, 0)}
    refused = ann.post(today.round, data=today.fields("m1", 20, 7) | shown_fields)
    assert refused.status_code == 422
    assert (
        "You saved 30–0 on another device in the meantime. Save again to replace that pick."
        in refused.text
    )
    assert today.world.guesses("Ann")[m1] == (30, 0)
    assert f'name="shown-{m1}" value="30:0"' in refused.text
    again = today.fields("m1", 20, 7) | {f"shown-{m1}": "30:0"}
    assert ann.post(today.round, data=again).status_code == 303
    assert today.world.guesses("Ann")[m1] == (20, 7)


def test_a_wrong_code_is_said_at_its_field(today: Cup, ann: FlaskClient) -> None:
    answer = ann.post(today.path("pools", "join"), data={"code": "nope"})
    assert answer.status_code == 422
    assert "No pool has this code" in answer.text
    assert ann.post(today.path("pools"), data={"name": " "}).status_code == 422


def test_a_pools_table_is_sent_again_when_one_joins_while_another_leaves(
    today: Cup, ann: FlaskClient
) -> None:
    """An ETag differs when what it stands for does (RFC 9110, 8.8.1).

    The number of members alone stays the same.
    """
    people = {name: today.world.player(name) for name in ("Ann", "Bob", "Cyd")}
    for number, name in enumerate(people):
        today.guess(name, "m1", number, 17)
    pool = pools.create(today.world.id, people["Ann"], "The Row")
    assert isinstance(pool, Pool)
    assert pools.join(pool.id, pool.code, people["Bob"]) is None
    path = today.path("pools", str(pool.id))
    table = poll(ann, path)
    assert poll(ann, path, table.headers["ETag"]).status_code == 304
    pools.leave(pool.id, people["Bob"])
    assert pools.join(pool.id, pool.code, people["Cyd"]) is None
    assert "Cyd" in poll(ann, path, table.headers["ETag"]).text


def test_a_poll_costs_nothing_until_something_changes_and_ends_with_the_round(
    today: Cup, ann: FlaskClient
) -> None:
    today.guess("Ann", "m1", 24, 17)
    first = poll(ann, today.round)
    assert first.status_code == 200
    etag = first.headers["ETag"]
    with count_statements() as counted:
        assert poll(ann, today.round, etag).status_code == 304
    assert counted() <= 4
    today.kick_off("m1", status="live", home_score=14, away_score=10)
    live = poll(ann, today.round, etag)
    assert live.status_code == 200
    # 24:17 by 7, it stands 14:10 by 4: the winner, and the margin within 5.
    assert "1.5 points" in live.text
    assert "if it ended now" in live.text
    assert "Winning margin off by 3" in live.text
    assert "hx-swap-oob" in live.text
    assert f'name="home-{today.world.id_of("m1")}"' not in live.text  # locked
    today.end("m1", 21, 24)
    today.world.match("m2", status="cancelled")
    today.world.poll(today.now)
    ended = poll(ann, today.round, live.headers["ETag"])
    assert ended.status_code == 286
    assert "Wrong winner" in ended.text
    assert "hx-get" not in ended.text.split("<article")[0]


def test_a_match_that_opens_again_reloads_the_page(today: Cup, ann: FlaskClient) -> None:
    today.kick_off("m1")
    page = poll(ann, today.round)
    assert "HX-Refresh" not in page.headers
    today.world.match("m1", kickoff=today.now + timedelta(days=7))
    today.world.poll(today.now)
    again = poll(ann, f"{today.round}?open=1&of=2", page.headers["ETag"])
    assert again.headers["HX-Refresh"] == "true"


@pytest.mark.parametrize(
    ("values", "sentence", "is_open"),
    [
        ({"status": "postponed"}, "you can change it until the new kickoff", True),
        (
            {"status": "abandoned"},
            "No points unless a result is awarded later.",
            False,
        ),
        ({"status": "cancelled"}, "The round is complete without it", False),
        ({"status": "mystery"}, "It isn&#39;t clear yet whether this match will be played.", True),
        ({"kickoff": None}, "Kickoff time to be announced.", True),
    ],
)
def test_what_becomes_of_a_match_is_said_with_what_it_means_for_the_guess(
    today: Cup, ann: FlaskClient, values: dict[str, object], sentence: str, is_open: bool
) -> None:
    today.guess("Ann", "m1", 2, 1)
    today.world.match("m1", **values)
    today.world.poll(today.now)
    page = ann.get(today.round).text
    assert sentence in page
    assert (f'name="home-{today.world.id_of("m1")}"' in page) == is_open


def test_the_home_opens_at_the_current_round(today: Cup, ann: FlaskClient) -> None:
    assert 'aria-current="page">Week 1<' in ann.get(today.path()).text
    for match_id in ("m1", "m2"):
        today.end(match_id, 3, 0)
    assert 'aria-current="page">Week 2<' in ann.get(today.path()).text
    today.end("m3", 3, 0)
    page = ann.get(today.path()).text
    assert 'aria-current="page">Week 2<' in page
    assert "Right winner (or draw): 1 point." in page


def test_a_tournament_without_matches_and_no_tournament_say_so(
    world: Make, sign_in: SignIn
) -> None:
    client = sign_in(username="ann")
    none_yet = client.get("/tournaments").text
    assert "No tournaments yet" in none_yet
    assert "Tournaments</h2>" not in client.get("/").text
    empty = world()
    assert "No matches yet" in client.get(f"/tournaments/{empty.id}").text
    assert "The Cup" in client.get("/tournaments").text
    assert "The Cup" in client.get("/").text


def test_the_list_shows_my_place(today: Cup, ann: FlaskClient) -> None:
    assert "You haven't made a pick yet." in ann.get("/tournaments").text
    for name, home in (("Ann", 10), ("Bob", 21), ("Cyd", 21)):
        today.guess(name, "m1", home, 20)
    today.end("m1", 21, 20)
    page = ann.get("/tournaments").text
    assert "<dd>2</dd>" in page  # Bob and Cyd share the first rank
    assert "1 of 3 played" in page


def test_the_list_counts_the_picks_that_the_viewer_can_still_make(
    today: Cup, ann: FlaskClient
) -> None:
    assert "2 picks missing" in ann.get("/tournaments").text
    today.guess("Ann", "m1", 10, 20)
    assert "1 pick missing" in ann.get("/tournaments").text
    today.guess("Ann", "m2", 10, 20)
    page = ann.get("/tournaments").text
    assert "missing" not in page
    assert "Next: " in page


def test_ranks_are_dense_and_my_place_has_the_four_around_me(
    today: Cup, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(today, 12)
    today.guess("Ann", "m1", 22, 17)
    # 13: those who said 20 to 24 are off by 10 to 6; the closest share a point
    today.end("m1", 30, 17)
    page = ann.get(today.path("leaderboard")).text
    assert 'class="me"' in page
    assert 'id="around-' not in page  # my row is on this page already
    expected = sorted(today.world.points().items(), key=lambda item: (-item[1], item[0]))
    distinct = sorted({total for _, total in expected}, reverse=True)
    rows = re.findall(
        r'class="rank[^>]*>(\d+)</td>\s*<th scope="row" class="team">\s*<span class="who">\s*'
        r"<img[^>]*><bdi>(\w+)",
        page,
    )
    ranks, listed = [int(rank) for rank, _ in rows], [name for _, name in rows]
    assert listed == [name for name, _ in expected]
    assert ranks == [distinct.index(total) + 1 for _, total in expected]
    place = [name for name, _ in expected].index("Ann")
    monkeypatch.setattr(board, "PAGE_ROWS", 1)
    forget_pages(ann)
    page = ann.get(today.path("leaderboard")).text
    around, _, everybody = page.partition('id="board-title"')
    assert around.count('id="around-') == 5
    assert "<small>You</small>" in around
    assert 'class="me"' not in everybody
    for name, _ in expected[place - 2 : place + 3]:
        assert f">{name}" in around


def test_the_leaderboards_poll_is_304_until_points_move(today: Cup, ann: FlaskClient) -> None:
    today.guess("Ann", "m1", 22, 17)
    first = poll(ann, today.path("leaderboard"))
    assert poll(ann, today.path("leaderboard"), first.headers["ETag"]).status_code == 304
    today.end("m1", 22, 17)
    moved = poll(ann, today.path("leaderboard"), first.headers["ETag"])
    assert moved.status_code == 200
    assert "2.5" in moved.text
    assert "<html" not in moved.text


def test_my_points_come_with_their_reasons_and_with_corrections(
    today: Cup, ann: FlaskClient
) -> None:
    today.guess("Ann", "m1", 24, 17)
    today.guess("Bob", "m1", 20, 19)
    today.end("m1", 21, 20)
    page = ann.get(today.path("history")).text
    assert "Right winner" in page
    assert "1 point" in page
    assert "Corrected results" not in page
    later = today.now + timedelta(minutes=5)
    today.world.ended("m1", 20, 21, today.now, kickoff=today.now - 3 * HOUR)
    today.world.poll(later)
    today.world.settle(later)
    page = ann.get(today.path("history")).text
    assert "The result was corrected from 21–20 to 20–21." in page
    assert "Your pick 24–17 now earns 0 points, not 1." in page
    assert "Wrong winner" in page
    bell = ann.get("/notices").text
    assert "Corrected: Ars vs Che ended 20–21" in bell
    assert "You picked 24–17. It earns 0 points, not 1." in bell


def test_a_member_is_reminded_once_of_a_round_that_begins_within_a_day(
    today: Cup, ann: FlaskClient
) -> None:
    today.guess("Ann", "m1", 24, 17)
    assert notices.remind_missing(today.now - timedelta(days=2)) == 0  # begins later than in a day
    assert notices.remind_missing(today.now) == 1
    assert notices.remind_missing(today.now + timedelta(minutes=1)) == 0
    page = ann.get("/notices").text
    assert "Week 1: 1 pick missing (The Cup)" in page
    assert re.search(r"Starts \w{3} \d{1,2} \w{3}, \d\d:\d\d UTC\. Picks lock", page)


def test_the_teams_table_is_the_apis(today: Cup, ann: FlaskClient) -> None:
    today.end("m1", 3, 0)
    page = ann.get(today.path("standings")).text
    assert page.index("Ars") < page.index("Che")
