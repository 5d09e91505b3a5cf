"""The front page of a member, the first steps of a newcomer, and invitations before sign-in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks.models import LiveGameweek
from app.fantasy.leagues.queries import cards
from app.fantasy.market.gameweeks import gameweek_row
from app.fantasy.market.models import Gameweek
from app.fantasy.market.seasons import set_deadlines
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.pages.home import page, views
from app.fantasy.pages.home.public_table import PublicLeague, load_table
from app.fantasy.scoring.my_games import LiveTotal, Opponent
from app.fantasy.scoring.swings import cache as swing_cache
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings import queries
from app.fantasy.standings.models import League, LeagueMember, LeagueScore, Matchup
from app.record.models import GameState
from app.styleguide.samples.games import SWING
from tests.polling import forget_parts
from tests.statements import count_statements
from tests.worlds.games import NOW, ingest_and_refresh, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.team_sheets import World, make_world

SignIn = Callable[..., FlaskClient]
LOCKED = clock.now() - timedelta(days=1)


def elements(tag: str, html: str) -> list[str]:
    """The text of each of these elements."""
    inner = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>|[\u2068\u2069]", " ", text).split()) for text in inner]


@pytest.fixture
def world(app: object) -> World:
    return make_world(real=True, first=clock.now() + timedelta(days=2))


def private_league(world: World, commissioner: int, slug: str = "row") -> League:
    league = League(
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        slug=slug,
        name="The Press Row",
        invite_code="ABCDEFGH" if slug == "row" else f"{slug}-code",
        rules="soccer",
        commissioner_id=commissioner,
    )
    db.session.add(league)
    db.session.flush()
    db.session.add(
        LeagueMember(league_id=league.id, member_id=commissioner, team_name="Ann's Eleven")
    )
    db.session.commit()
    return league


def play_each_other(league: League) -> None:
    """Ann plays Bob, and Cat the average."""
    league.mode = "head_to_head"
    gameweek = db.session.scalars(db.select(Gameweek)).one()
    ann, bob, cat = 1, 2, 3
    pairs = [(ann, bob), (cat, None)]
    for home, away in pairs:
        db.session.add(
            Matchup(league_id=league.id, gameweek_id=gameweek.id, home_id=home, away_id=away)
        )
    db.session.commit()


def test_a_newcomer_is_led_to_a_team_and_a_league(world: World, sign_in: SignIn) -> None:
    text = sign_in(username="ann").get("/").text
    assert "Three steps to your first points" in text
    assert f'href="/team/{world.team_rules.id}?fill=1"' in text
    assert "I have a code" in text
    assert "Done" not in text


def test_a_step_that_is_done_is_marked_and_its_button_goes(
    world: World, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    ann = sign_in(username="ann")
    private_league(world, 1)
    text = ann.get("/").text
    assert text.count('class="is-done"') == 1
    assert "I have a code" not in text


def test_a_member_sees_deadline_games_and_the_reasons_why_points_moved(
    league: League, sign_in: SignIn
) -> None:
    ann = sign_in(username="ann")
    ingest_and_refresh(messages(touchdown_drive()))
    notify(
        [NewNotice(1, "result", "old", "Old result", "Old.", "/leagues/row")],
        NOW - timedelta(days=1),
    )
    notify(
        [
            NewNotice(
                1, "correction", "new", "Corrected: Week 1", "Why: a tackle.", "/leagues/row", -500
            )
        ],
        NOW,
    )
    notify(
        [NewNotice(1, "deadline", "later", "Week 2 locks", "Soon.", "/team")],
        NOW + timedelta(days=1),
    )
    db.session.commit()
    text = ann.get("/").text
    assert "Three steps" not in text
    assert "Your rank" in text
    headings = ("Your players live", "Latest", "Your leagues")
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places), "while players play, the page begins with them"
    live, moved = text[places[0] : places[1]], text[places[1] : places[2]]
    assert elements("tr", live)[-2:] == [
        "H. Player1 QB · 1/1, 65 yd, 1 TD passing R Row ×2 6.60",
        "H. Player3 RB · 1 car, 10 yd rushing R Row 1.00",
    ]
    rules = db.session.scalars(db.select(League.rules)).first()
    assert f'href="/games/g1/points/H1?rules={rules}"' in live, "explained by the same scoring"
    assert elements("li", moved) == [
        "-0.50 Corrected: Week 1",
        "+6.60 H. Player1 · passing touchdown, 65 passing yards",
        "+1.00 H. Player3 · 10 rushing yards",
    ]
    assert 'href="/leagues/row/swings/g1/3"' in moved, "a play leads to what it did in the league"
    assert "Old result" not in moved
    assert "Week 2 locks" not in moved


def test_a_deadline_is_a_bar_when_it_is_near_and_urgent_at_the_end(
    app: object, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(real=True, first=clock.now() + timedelta(days=3))
    ann = sign_in(username="ann")
    make_sheet(1, private_league(world, 1), [], saved_at=clock.now())
    db.session.commit()
    assert "Edit team" not in ann.get("/").text
    monkeypatch.setattr(page, "NEAR", timedelta(days=4))
    forget_parts(ann)
    near = ann.get("/").text
    assert "locks in 2 days" in near
    assert "Edit team" in near
    assert "is-urgent" not in near
    monkeypatch.setattr(page, "URGENT", timedelta(days=4))
    forget_parts(ann)
    assert "is-urgent" in ann.get("/").text


def test_a_team_that_is_not_picked_has_a_bar_however_far_its_deadline_is(
    app: object, sign_in: SignIn
) -> None:
    first = clock.now() + timedelta(days=9)
    world = make_world(real=True, first=first)
    ann = sign_in(username="ann")
    make_sheet(1, private_league(world, 1), [], saved_at=clock.now())
    plate = make_world(real=True, first=first, competition="plate")
    second = private_league(plate, 1, slug="plate")
    db.session.commit()
    assert second.team_rules_id != world.team_rules.id
    text = ann.get("/").text
    assert "You have no team yet." in text
    assert f'id="pick-{second.team_rules_id}"' in text
    assert f'id="pick-{world.team_rules.id}"' not in text


def test_nobody_is_reminded_of_a_league_that_they_never_joined(
    app: object, sign_in: SignIn
) -> None:
    first = clock.now() + timedelta(days=1)
    world = make_world(real=True, first=first)
    make_world(real=True, first=first, competition="plate")
    ann = sign_in(username="ann")
    make_sheet(1, private_league(world, 1), [], saved_at=clock.now())
    db.session.commit()
    text = ann.get("/").text
    assert "Edit team" in text
    assert "You have no team yet." not in text


def test_players_who_lock_one_by_one_have_the_next_kickoff_as_their_deadline(
    app: object, sign_in: SignIn
) -> None:
    world = make_world(lock="game", real=True, first=clock.now() + timedelta(hours=3))
    ann = sign_in(username="ann")
    make_sheet(1, private_league(world, 1), ["AYR1"], saved_at=clock.now())
    db.session.commit()
    text = " ".join(ann.get("/").text.split())
    assert re.search(r"<strong>[^<]+ starts locking in 2 h", text)
    assert "starting spots are empty." in text


def test_a_head_to_head_member_sees_the_opponent_while_games_are_played(
    league: League, sign_in: SignIn
) -> None:
    play_each_other(league)
    ingest_and_refresh(messages(touchdown_drive()))
    of_ann = sign_in(username="ann").get("/").text
    # Her captain 2 x 6.60 and a run of 10 yards; his catcher 65 yards and a touchdown.
    assert "You lead by 1.70" in of_ann
    assert 'href="/leagues/row/matchups/1/1"' in of_ann
    assert "You trail by 1.70" in sign_in(username="bob").get("/").text


def test_a_matchup_shows_how_it_is_expected_to_end(league: League, sign_in: SignIn) -> None:
    play_each_other(league)
    ingest_and_refresh(messages(touchdown_drive()))
    text = sign_in(username="ann").get("/").text
    card = text[text.index('class="week-cards') : text.index("You lead by 1.70")]
    assert re.search(r"Projected [\d.]+", card)
    assert "Win probability" in card


def test_every_matchup_shows_its_win_probability(league: League, sign_in: SignIn) -> None:
    play_each_other(league)
    members = {1: "Team ann", 2: "Team bob", 3: "Team cat"}
    play_each_other(make_league(1, members, slug="second"))
    ingest_and_refresh(messages(touchdown_drive()))
    text = sign_in(username="ann").get("/").text
    cards = elements("li", text[text.index('class="week-cards') : text.index("leagues-title")])
    matchups = [card for card in cards if "Team bob" in card]
    assert len(matchups) == 2
    assert all("Win probability" in card for card in matchups)


def test_a_week_under_way_is_shown_without_a_live_game_until_it_is_settled(
    league: League, sign_in: SignIn
) -> None:
    play_each_other(league)
    ingest_and_refresh(messages(touchdown_drive()))
    db.session.query(GameState).update({"status": "final"})
    db.session.commit()
    ann = sign_in(username="ann")
    text = ann.get("/").text
    assert "You lead by 1.70" in text
    assert "Your players live" not in text
    assert "Win probability" not in text, "nothing is still to come"
    db.session.query(Gameweek).update({"settled_at": NOW})
    db.session.commit()
    forget_parts(ann)
    assert "You lead by 1.70" not in ann.get("/").text


def test_the_next_matchup_is_shown_until_its_week_begins(league: League, sign_in: SignIn) -> None:
    play_each_other(league)
    db.session.query(Gameweek).update({"deadline": clock.now() + timedelta(days=4)})
    db.session.commit()
    text = sign_in(username="ann").get("/").text
    [card] = elements("li", text[text.index("week-title") : text.index("leagues-title")])
    assert card.startswith("R Row · Week 1 Team ann Team bob Starts ")
    assert 'href="/leagues/row/matchups/1/1"' in text


def test_the_closest_matchup_comes_first_then_leagues_without_one() -> None:
    def total(slug: str, lead: int | None, *, is_overall: bool = False) -> LiveTotal:
        opponent = None if lead is None else Opponent(2, "Team bob", 9_000 - lead)
        return LiveTotal(1, slug, slug, is_overall, "Team", 1, 1, "Week 1", 9_000, 1, opponent)

    totals = [
        total("far", 5_000),
        total("trailing", -200),
        total("near", 300),
        total("salary", None),
    ]
    overall = total("overall", None, is_overall=True)
    ordered = page.closest_first([*totals, overall])
    assert [total.slug for total in ordered] == ["trailing", "near", "far", "salary"]
    assert page.closest_first([overall]) == [overall]


def test_a_player_is_listed_once_with_the_leagues_that_count_them(
    league: League, sign_in: SignIn
) -> None:
    make_league(1, {1: "Second Team"}, slug="second")
    ppr = make_league(1, {1: "Third Team"}, slug="third", team_format="nfl-offence")
    make_sheet(1, ppr, ["H2", *[""] * 7, "H1"])  # the passer is a substitute there
    db.session.commit()
    ingest_and_refresh(messages(touchdown_drive()))
    text = sign_in(username="ann").get("/").text
    live = text[text.index("live-title") : text.index("latest-title")]
    assert elements("tr", live)[-3:] == [
        "H. Player1 QB · 1/1, 65 yd, 1 TD passing R Row ×2 S Second ×2 6.60",
        "H. Player2 WR · 1 rec, 65 yd, 1 TD receiving T Third 12.50",
        "H. Player3 RB · 1 car, 10 yd rushing R Row S Second 1.00",
    ]
    assert "On your bench" not in text
    assert "2 leagues" in text


def test_who_counts_nowhere_is_folded_below(league: League, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    sheet = db.session.scalars(db.select(TeamSheet).where(TeamSheet.member_id == 1)).one()
    sheet.picks = [*sheet.picks[:1], "", *sheet.picks[2:-1], "H3"]
    db.session.commit()
    ingest_and_refresh(messages(touchdown_drive()))
    text = ann.get("/").text
    parts = ("live-title", "live-bench", "latest-title", "leagues-title")
    live, bench, latest = (
        text[text.index(begin) : text.index(end)] for begin, end in pairwise(parts)
    )
    assert "H. Player3" not in live
    assert elements("tr", bench)[-1] == "H. Player3 RB · 1 car, 10 yd rushing 1.00"
    assert "H. Player3" not in latest, "the run earned no team anything"


def test_a_league_tells_by_how_many_places_the_member_has_moved(
    member: Callable[..., Member], sign_in: SignIn
) -> None:
    ids = [member(name).id for name in ("ann", "bob")]
    league = make_league(ids[0], {number: f"Team {number}" for number in ids}, weeks=2)
    first, second = db.session.scalars(db.select(Gameweek).order_by(Gameweek.week))
    for number, rank in zip(ids, (2, 1), strict=True):
        db.session.add(
            LeagueScore(
                league_id=league.id,
                member_id=number,
                gameweek_id=first.id,
                team_name="Team",
                points=0,
                rank=rank,
            )
        )
    db.session.add(
        LiveGameweek(gameweek_id=second.id, version=1, sheets_version=1, game_statuses="")
    )
    db.session.execute(
        update(LeagueMember).where(LeagueMember.member_id == ids[0]).values(standing=[5])
    )
    db.session.commit()
    assert [cards(number)[0].moved for number in ids] == [1, -1]
    assert '▲1<span class="visually-hidden"> up</span>' in sign_in(username="ann").get("/").text


def test_the_front_page_asks_as_often_for_ten_leagues_as_for_one(
    world: World, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    ann = sign_in(username="ann")
    private_league(world, 1)
    forget_parts(ann)
    with count_statements() as statements:
        ann.get("/")
    for number in range(10):
        more = League(
            season_id=world.season_id,
            team_rules_id=world.team_rules.id,
            slug=f"more-{number}",
            name=f"More {number}",
            invite_code=f"MORE{number}",
            rules="soccer",
            commissioner_id=1,
        )
        db.session.add(more)
        db.session.flush()
        db.session.add(LeagueMember(league_id=more.id, member_id=1, team_name="Ann"))
    db.session.commit()
    forget_parts(ann)
    with count_statements() as many:
        ann.get("/")
    assert statements() == many()


def test_a_play_of_a_game_that_came_into_the_week_meanwhile_is_not_shown_yet(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_and_refresh(messages(touchdown_drive()))
    monkeypatch.setattr(swing_cache, "latest", lambda *_: swing_cache.Latest([SWING], None))
    row = queries.league_for_viewer(league.slug, 1)
    gameweek = db.session.scalars(db.select(Gameweek)).one()
    assert row is not None
    table = load_table(PublicLeague(row, gameweek_row(gameweek)), "1")
    assert (table.live, table.play) == (1, None)


def test_an_invitation_names_the_league_and_its_members_before_sign_in(
    world: World, client: FlaskClient, member: Callable[..., Member]
) -> None:
    ann, kid = member("ann"), member("kid")
    league = private_league(world, ann.id)
    kid.is_minor = True
    db.session.add(LeagueMember(league_id=league.id, member_id=kid.id, team_name="The Colts"))
    db.session.commit()
    answer = client.get("/join/ABCDEFGH")
    assert answer.status_code == 200
    assert "You are invited to The Press Row" in answer.text
    assert "Ann&#39;s Eleven" in answer.text
    assert "The Colts" in answer.text
    assert kid.display_name not in answer.text
    assert "/register?next=/join/ABCDEFGH" in answer.text
    assert client.get("/join/WRONGONE").status_code == 422


def test_whoever_has_just_joined_reads_in_the_table_what_happens_next(
    world: World, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    bob = sign_in(username="bob")
    private_league(world, member("ann").id)
    assert bob.post("/join/ABCDEFGH", data={"team_name": "Bob FC"}).status_code == 303
    text = bob.get("/leagues/row").text
    assert "finished" not in text
    assert "no team yet" in text
    assert "Pick your team for Week 1." in text
    assert f'href="/team/{world.team_rules.id}?fill=1"' in text


def test_the_front_page_polls_what_is_the_members_own(league: League, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    assert 'id="mine"' not in ann.application.test_client().get("/").text, (
        "a visitor's page does not poll"
    )

    def poll(etag: str | None = None) -> TestResponse:
        return ann.get(
            "/", headers={"HX-Request": "true"} | ({"If-None-Match": etag} if etag else {})
        )

    first = poll()
    assert (first.status_code, "<html" in first.text, "Games</h2>" in first.text) == (
        200,
        False,
        False,
    )
    with count_statements() as asked:
        assert poll(first.headers["ETag"]).status_code in (200, 304)
    assert asked() <= 20
    ingest_and_refresh(messages(touchdown_drive()))
    moved = poll(first.headers["ETag"])
    assert moved.status_code == 200
    assert "Your players live" in moved.text
    notify(
        [
            NewNotice(
                1, "correction", "new", "Corrected: Week 1", "Why: a tackle.", "/leagues/row", -500
            )
        ],
        NOW,
    )
    db.session.commit()
    assert "Corrected: Week 1" in poll(moved.headers["ETag"]).text


def test_nothing_new_costs_one_statement_and_no_page(
    league: League, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = sign_in(username="ann")
    # the page changes with each minute of a deadline
    monkeypatch.setattr(views.clock, "now", lambda: NOW)
    etag = ann.get("/", headers={"HX-Request": "true"}).headers["ETag"]
    again = ann.get("/", headers={"HX-Request": "true", "If-None-Match": etag})
    assert (again.status_code, again.text) == (304, "")


def test_who_had_no_team_at_the_lock_reads_what_happens_next(
    world: World, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    league = private_league(world, 1)
    db.session.add(LeagueMember(league_id=league.id, member_id=2, team_name="Bob FC"))
    db.session.execute(
        update(Gameweek).where(Gameweek.id == world.gameweeks[0].id).values(deadline=LOCKED)
    )
    set_deadlines(world.season_id)
    db.session.commit()
    assert "no team for Week 1" in ann.get("/leagues/row?table=week").text
    team_page = ann.get("/leagues/row/teams/1?week=1").text
    assert "No team set for Week 1: 0 points." in team_page
    assert "<strong>Week 2</strong> is open and locks" in team_page
    assert f'href="/team/{world.team_rules.id}"' in team_page
    other = bob.get("/leagues/row/teams/1?week=1").text
    assert "No team set for Week 1: 0 points." in other
    assert "is open and locks" not in other
    assert "You have no team for Week 2 yet." in ann.get("/leagues/row/teams/1?week=2").text
