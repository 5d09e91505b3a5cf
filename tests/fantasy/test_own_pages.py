"""A member's own pages from the page cache: the front page and the editor of their team.

They cost no statement while nothing of them changes, and show each change at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League
from tests.fantasy.sheets.test_sheet_views import draft
from tests.fantasy.test_remembered_polls import banned, signed_out_by_hand, suspended
from tests.polling import forget_pages, is_fast, poll, tables_of_page, tagged_tables
from tests.statements import count_statements
from tests.worlds.games import DRIVE, NULLIFIED_DRIVE, ingest_and_refresh, messages
from tests.worlds.team_sheets import World, make_world

FRONT = "/"
LOCKED = '<span class="muted">Locked</span>'  # of a footballer in the market
MOST_STATEMENTS = 4  # of a first opening, when others have opened the same page
# They are written together with a tagged row: a league's version, a game's state, or the market.
# A feed adds the games of its season, and the line about its data is filled in for each answer.
WRITTEN_TOGETHER = {
    "league_scores",
    "player_points",
    "sheet_points",
    "counted_footballers",
    "score_adjustments",
    "ledger",
    "events",
    "corrections",
    "stat_lines",
    "imported_lines",
    "club_moves",
    "matchups",
    "feeds",
}


pytestmark = pytest.mark.usefixtures("still_clock")


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest_and_refresh(messages(DRIVE))
    return sign_in(username="ann")


@pytest.fixture
def world(app: object) -> World:
    """A season whose first deadline is in two days."""
    return make_world(real=True, first=clock.now() + timedelta(days=2))


def editor_of(world: World) -> str:
    return f"/team/{world.team_rules.id}"


def statements_of(client: FlaskClient, path: str) -> int:
    with count_statements() as counted:
        assert client.get(path).status_code == 200
    return counted()


def test_the_front_page_again_asks_for_nothing(ann: FlaskClient) -> None:
    before = ann.get(FRONT).text
    assert statements_of(ann, FRONT) == 0
    assert ann.get(FRONT).text.count("Your players live") == before.count("Your players live") == 1


def test_the_first_opening_takes_what_everybody_shares_from_the_cache(
    ann: FlaskClient, world: World
) -> None:
    for path in (FRONT, editor_of(world)):
        ann.get(path)
        forget_pages(ann)
        assert 0 < statements_of(ann, path) <= MOST_STATEMENTS, path


def test_the_first_opening_of_an_editor_with_a_saved_team_takes_no_more(
    ann: FlaskClient, world: World
) -> None:
    path = editor_of(world)
    assert ann.post(path, data=draft(world)).status_code == 303
    ann.get(path)
    forget_pages(ann)
    assert 0 < statements_of(ann, path) <= MOST_STATEMENTS


def test_its_unchanged_poll_costs_no_sql_and_one_round_trip(ann: FlaskClient) -> None:
    tag = poll(ann, FRONT).headers["ETag"]
    poll(ann, FRONT, tag)
    assert is_fast(ann, FRONT, tag)


def test_nobody_gets_another_members_page(
    ann: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    assert "Your players live" in ann.get(FRONT).text
    bob = sign_in(username="bob")
    assert "H. Player2" in bob.get(FRONT).text
    assert "H. Player1" not in bob.get(FRONT).text
    assert "H. Player1" in ann.get(FRONT).text


@pytest.mark.parametrize("end_session", [banned, suspended, signed_out_by_hand])
def test_it_ends_with_the_session(ann: FlaskClient, end_session: Callable[[], None]) -> None:
    assert "Your players live" in ann.get(FRONT).text
    end_session()
    assert "Your players live" not in ann.get(FRONT).text


CHANGES_OF_THE_FRONT_PAGE = [
    "UPDATE league_members SET team_name = 'Another'",
    "UPDATE leagues SET name = 'Another'",
    "UPDATE seasons SET name = 'Another'",
    "UPDATE league_versions SET version = version + 1",
    "UPDATE game_states SET home_score = 70",
    "UPDATE clubs SET nickname = 'Another'",
    "UPDATE footballers SET name = 'Another'",
    "UPDATE team_sheets SET version = version + 1",
    "UPDATE sheet_deadlines SET locks_at = locks_at + interval '1 hour'",
    "UPDATE gameweeks SET name = 'Another'",
    "UPDATE members SET display_name = 'Another'",
    "UPDATE members SET theme = 'dark'",
    "UPDATE members SET colour = 3",
    "INSERT INTO notices (member_id, kind, key, title, body, path, created_at)"
    " SELECT id, 'result', 'k', '', '', '/', now() FROM members",
    "UPDATE live_gameweeks SET version = version + 1",
    "INSERT INTO tournaments (id, name, rule, counted_score)"
    " VALUES (gen_random_uuid(), 'Cup', '{}', 'regulation')",
    "INSERT INTO leagues (season_id, team_rules_id, slug, name, invite_code, rules, is_overall)"
    " SELECT season_id, team_rules_id, 'all', 'All', 'ALL', rules, true FROM leagues",
    "DELETE FROM league_members WHERE member_id = 1",
]


@pytest.mark.parametrize("written", CHANGES_OF_THE_FRONT_PAGE)
def test_the_front_page_is_read_again_after_each_change(ann: FlaskClient, written: str) -> None:
    db.session.execute(text("UPDATE seasons SET is_simulated = true"))
    db.session.commit()
    ann.get(FRONT)
    assert statements_of(ann, FRONT) == 0
    db.session.execute(text(written))
    db.session.commit()
    assert statements_of(ann, FRONT) > 0


def test_the_front_page_shows_a_correction_at_once(ann: FlaskClient) -> None:
    assert 'data-value="6600"' in ann.get(FRONT).text
    ingest_and_refresh(messages(NULLIFIED_DRIVE)[len(DRIVE) :])
    assert 'data-value="6600"' not in ann.get(FRONT).text


def test_the_time_to_a_deadline_is_told_anew_each_minute(
    world: World, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = sign_in(username="ann")
    now = clock.now()
    moment = [now]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    editor = ann.get(editor_of(world)).text
    assert statements_of(ann, editor_of(world)) == 0
    moment[0] = clock.next_minute(now)
    assert statements_of(ann, editor_of(world)) > 0
    assert ann.get(editor_of(world)).text != editor


def test_every_table_of_the_front_page_has_tags(ann: FlaskClient) -> None:
    assert tables_of_page(ann, FRONT) - WRITTEN_TOGETHER <= tagged_tables()


def test_every_table_of_the_editor_has_tags(
    world: World, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in(username="ann")
    assert tables_of_page(ann, editor_of(world)) - WRITTEN_TOGETHER <= tagged_tables()


def test_the_editor_shows_what_was_saved_and_changed_since(
    world: World, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in(username="ann")
    path = editor_of(world)
    assert 'name="version" value="0"' in ann.get(path).text
    assert ann.post(path, data=draft(world)).status_code == 303
    assert 'name="version" value="1"' in ann.get(path).text
    assert statements_of(ann, path) == 0


CHANGES_OF_THE_EDITOR = [
    "UPDATE footballer_seasons SET price = price + 1",
    "UPDATE footballer_seasons SET status = 'injured', news = 'Knee'",
    "UPDATE footballer_seasons SET selected = 500",
    "INSERT INTO footballer_totals"
    " (season_id, footballer_id, position, rules, total_points, form, gameweeks)"
    " SELECT season_id, footballer_id, position, 'soccer', 5000, 500, '{}' FROM footballer_seasons",
    "INSERT INTO game_states (game_id, status, home_score, away_score, state, version, updated_at)"
    " SELECT id, 'postponed', 0, 0, '{}', 1, now() FROM games",
    "UPDATE footballers SET name = 'Another'",
    "UPDATE footballers SET club_id = 'AYR'",
    "UPDATE clubs SET name = 'Another'",
    "UPDATE team_rules SET budget = budget + 1",
    "UPDATE sheet_deadlines SET locks_at = locks_at + interval '1 hour'",
    "UPDATE gameweeks SET name = 'Another'",
    "UPDATE leagues SET name = 'Another'",
]


@pytest.mark.parametrize("written", CHANGES_OF_THE_EDITOR)
def test_the_editor_is_read_again_after_each_change(
    world: World, sign_in: Callable[..., FlaskClient], written: str
) -> None:
    assert_read_again(sign_in(username="ann"), editor_of(world), written)


def test_the_editor_of_a_saved_team_is_read_again_after_a_game_has_moved(
    world: World, sign_in: Callable[..., FlaskClient]
) -> None:
    ann, path = sign_in(username="ann"), editor_of(world)
    assert ann.post(path, data=draft(world)).status_code == 303
    assert_read_again(ann, path, "UPDATE games SET kickoff = kickoff + interval '1 hour'")


def assert_read_again(ann: FlaskClient, path: str, written: str) -> None:
    before = ann.get(path).text
    assert statements_of(ann, path) == 0
    db.session.execute(text(written))
    db.session.commit()
    assert statements_of(ann, path) > 0
    assert ann.get(path).text != before


def test_a_page_of_the_editor_ends_at_the_deadline(
    world: World, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the moment, also if it is no whole minute."""
    locks_at = clock.next_minute(clock.now() + timedelta(minutes=1)) + timedelta(seconds=20)
    db.session.execute(
        text("UPDATE sheet_deadlines SET locks_at = :at WHERE gameweek_id = :id"),
        {"at": locks_at, "id": world.gameweeks[0].id},
    )
    db.session.commit()
    ann = sign_in(username="ann")
    moment = [locks_at - timedelta(seconds=10)]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    assert "Your team · Week 1" in ann.get(editor_of(world)).text
    moment[0] = locks_at
    assert "Your team · Week 2" in ann.get(editor_of(world)).text


@pytest.mark.usefixtures("app")
def test_the_market_of_an_editor_locks_footballers_at_their_kickoff(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the moment, although the market's page is cached for all members."""
    kickoff = clock.next_minute(clock.now() + timedelta(minutes=1)) + timedelta(seconds=20)
    world = make_world(real=True, lock="game", first=kickoff)
    ann, path = sign_in(username="ann"), editor_of(world)
    assert ann.post(path, data=draft(world)).status_code == 303
    moment = [kickoff - timedelta(seconds=10)]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    assert LOCKED not in ann.get(path).text
    moment[0] = kickoff
    assert LOCKED in ann.get(path).text


def test_the_clock_of_a_cached_editor_is_that_of_the_answer(
    world: World, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = sign_in(username="ann")
    moment = [clock.next_minute(clock.now())]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    assert f'data-now="{clock.to_ms(moment[0])}"' in ann.get(editor_of(world)).text
    moment[0] += timedelta(seconds=5)
    assert f'data-now="{clock.to_ms(moment[0])}"' in ann.get(editor_of(world)).text
    assert statements_of(ann, editor_of(world)) == 0
