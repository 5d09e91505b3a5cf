"""The pages of leagues, with plain forms: what somebody sees, may do, and is refused."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text, update
from werkzeug.test import TestResponse

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core.db import db
from app.fantasy.leagues import history
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.leagues.queries import PAGE_ROWS
from app.fantasy.market.models import Season
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.rules import points as rule_points
from app.fantasy.scoring.statistics import STATISTICS, Statistic
from app.fantasy.standings.models import League, LeagueMember
from tests.polling import forget_parts
from tests.snapshots import made_once
from tests.statements import count_statements
from tests.worlds.played_league import CHOICE, FOUNDED, Played, played_league

SignIn = Callable[..., FlaskClient]
FORM = {
    "name": "The Row",
    "team_name": "Ann FC",
    "access": "code",
    "rules": "half_ppr_idp",
    "mode": "head_to_head",
    "ties": "shared",
    "format": "nfl-classic",
    "lock": "gameweek",
    "time_zone": "Europe/Berlin",
    "deadline": "",
    "budget": "100.0",
    "club_limit": "4",
    "free_transfers": "2",
    "bank_limit": "5",
    "transfer_cost": "4",
    "postponed_games": "played",
}


@pytest.fixture
@made_once
def played(sign_in: SignIn, member: Callable[..., Member]) -> Played:
    ids = {name: member(name).id for name in ("ann", "bob", "cat", "dan")}
    yards = (
        {"ann": 50, "bob": 40, "cat": 30, "dan": 20},
        {"ann": 10, "bob": 40, "cat": 30, "dan": 90},
    )
    return played_league(ids, yards)


def the_league() -> League:
    return db.session.scalars(select(League)).one()


def test_founding_a_league_and_joining_by_its_code(sign_in: SignIn, season: Season) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    assert "You are not in a league yet" in ann.get("/leagues").text
    page = ann.get("/leagues/new")
    assert 'value="Ann&#39;s team"' in page.text
    answer = ann.post("/leagues/new", data=FORM)
    assert (answer.status_code, answer.headers["Location"]) == (
        303,
        "/leagues/the-row/settings?made=1",
    )
    code = the_league().invite_code
    settings = ann.get("/leagues/the-row/settings?made=1").text
    assert f"{code[:4]}-{code[4:]}" in settings
    assert "You can change these until the first deadline" in settings
    answer = bob.get(f"/join?code={code.lower()}")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/join/{code}")
    invitation = bob.get(f"/join/{code}")
    assert "Join The Row" in invitation.text
    assert "You play another team each week" in invitation.text
    answer = bob.post(f"/join/{code}", data={"team_name": "Bob FC"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/leagues/the-row")
    assert "Bob FC" in ann.get("/leagues/the-row/members").text
    assert "The Row" in bob.get("/leagues").text


def test_every_fault_of_a_new_league_is_at_its_field(sign_in: SignIn, season: Season) -> None:
    ann = sign_in(username="ann")
    bad = FORM | {
        "name": "",
        "budget": "lots",
        "time_zone": "Mars",
        "mode": "ladder",
        "rules": "soccer",
    }
    answer = ann.post("/leagues/new", data=bad)
    assert answer.status_code == 422
    faults = re.findall(r'class="fault" id="(\w+)-fault"', answer.text)
    assert sorted(faults) == ["budget", "mode", "name", "rules", "time_zone"]
    assert db.session.scalars(select(League)).all() == []


def test_a_wrong_code_says_what_to_do(sign_in: SignIn, season: Season) -> None:
    ann = sign_in(username="ann")
    answer = ann.get("/join?code=NOPE")
    assert answer.status_code == 422
    assert "No league has this code" in answer.text


def test_a_visitor_and_a_member_read_that_the_code_of_a_link_is_wrong(
    client: FlaskClient, sign_in: SignIn, season: Season
) -> None:
    for reader in (client, sign_in(username="ann")):
        answer = reader.get("/join/NOPE")
        assert answer.status_code == 422
        assert "No league has this code" in answer.text


def test_public_leagues_are_listed_and_joined_by_their_page(
    sign_in: SignIn, season: Season
) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    ann.post("/leagues/new", data=FORM)
    assert "The Row" not in bob.get("/leagues/public").text
    assert bob.get("/leagues/the-row/join").status_code == 404
    ann.post("/leagues/the-row/settings/access", data={"access": "public"})
    assert "The Row" in bob.get("/leagues/public?q=row").text
    assert "No public league" in bob.get("/leagues/public?q=column").text
    assert bob.post("/leagues/the-row/join", data={"team_name": ""}).status_code == 422
    assert bob.post("/leagues/the-row/join", data={"team_name": "Bob FC"}).status_code == 303
    assert leagues.for_member("the-row", accounts.find_member("bob").id) is not None  # type: ignore[union-attr]


PAGES = ("settings", "scoring", "adjust", "hand-over")


def test_strangers_and_members_do_not_see_the_commissioners_pages(
    sign_in: SignIn, season: Season
) -> None:
    ann, bob, eve = (sign_in(username=name) for name in ("ann", "bob", "eve"))
    ann.post("/leagues/new", data=FORM)
    bob.post(f"/join/{the_league().invite_code}", data={"team_name": "Bob FC"})
    for page in PAGES:
        assert ann.get(f"/leagues/the-row/{page}").status_code == 200, page
        refused = bob.get(f"/leagues/the-row/{page}")
        assert (refused.status_code, "Only the commissioner" in refused.text) == (403, True), page
        assert re.search(r"Ask \W*Ann\W*, who runs \W*The Row", refused.text), page
        assert '<a class="button" href="/leagues/the-row">Back to the league</a>' in refused.text
        assert eve.get(f"/leagues/the-row/{page}").status_code == 404, page
    for page in ("members", "rules", "history", "race", "leave"):
        assert bob.get(f"/leagues/the-row/{page}").status_code == 200, page
        assert eve.get(f"/leagues/the-row/{page}").status_code == 404, page
    for act in (
        "settings/name",
        "settings/code",
        "settings/rules",
        "settings/access",
        "adjust",
        "scoring",
        "hand-over",
    ):
        assert bob.post(f"/leagues/the-row/{act}").status_code == 403, act
        assert eve.post(f"/leagues/the-row/{act}").status_code == 404, act
    assert (
        bob.post(f"/leagues/the-row/members/{the_league().commissioner_id}/remove").status_code
        == 403
    )


def test_rules_are_set_on_the_page_until_the_first_deadline(
    sign_in: SignIn, season: Season
) -> None:
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    answer = ann.post(
        "/leagues/the-row/settings/rules", data=FORM | {"mode": "total", "ties": "fewest_transfers"}
    )
    assert answer.status_code == 303
    assert (the_league().mode, the_league().ties) == ("total", "fewest_transfers")
    assert (
        ann.post("/leagues/the-row/settings/rules", data=FORM | {"budget": "?"}).status_code == 422
    )
    points = {"base": "half_ppr_idp", "points-receptions": "0.75"}
    assert (
        ann.post("/leagues/the-row/scoring/preview", data=points)
        .headers["Location"]
        .endswith("saved=1")
    )
    assert "0.75" in ann.get("/leagues/the-row/rules").text
    assert ann.post("/leagues/the-row/scoring/preview", data=points).status_code == 422


def test_a_listed_statistic_can_be_scored(
    sign_in: SignIn, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STATISTICS, "targets", Statistic("targets", "Throw to a receiver"))
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    form = ann.get("/leagues/the-row/scoring").text
    assert '<label for="points-targets">Throw to a receiver</label>' in form
    points = {"base": "standard_idp", "points-targets": "0.25"}
    assert ann.post("/leagues/the-row/scoring/preview", data=points).status_code == 303
    assert "Throw to a receiver" in ann.get("/leagues/the-row/rules").text
    assert (
        rule_points({"targets": 8, "carries": 9}, rulebook.rules_named(the_league().rules)) == 2_000
    )


def test_removing_and_letting_back(sign_in: SignIn, season: Season) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    ann.post("/leagues/new", data=FORM)
    code, bobs = the_league().invite_code, accounts.find_member("bob").id  # type: ignore[union-attr]
    bob.post(f"/join/{code}", data={"team_name": "Bob FC"})
    assert "Remove Bob?" in ann.get(f"/leagues/the-row/members/{bobs}/remove").text
    assert ann.post(f"/leagues/the-row/members/{bobs}/remove").status_code == 303
    refused = bob.post(f"/join/{code}", data={"team_name": "Bob FC"})
    assert refused.status_code == 422
    assert "The commissioner removed you" in refused.text
    assert "to rejoin" in ann.get("/leagues/the-row/members").text
    ann.post(f"/leagues/the-row/members/{bobs}/let-back")
    assert bob.post(f"/join/{code}", data={"team_name": "Bob FC"}).status_code == 303


def test_handing_over_and_leaving(sign_in: SignIn, season: Season) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    ann.post("/leagues/new", data=FORM)
    bob.post(f"/join/{the_league().invite_code}", data={"team_name": "Bob FC"})
    refused = ann.post("/leagues/the-row/leave")
    assert refused.status_code == 422
    assert "Transfer ownership" in refused.text
    assert ann.post("/leagues/the-row/hand-over", data={"member": ""}).status_code == 422
    bobs = str(accounts.find_member("bob").id)  # type: ignore[union-attr]
    assert ann.post("/leagues/the-row/hand-over", data={"member": bobs}).status_code == 303
    assert ann.post("/leagues/the-row/leave").status_code == 303
    assert bob.get("/leagues/the-row/settings").status_code == 200
    bob.post("/leagues/the-row/settings/name", data={"name": "Bob's Row"})
    bob.post("/leagues/the-row/team-name", data={"team_name": "Bob United"})
    page = bob.get("/leagues/the-row/members").text
    assert "Bob&#39;s Row" in page
    assert "Bob United" in page


def test_adjusting_shows_who_moves_and_the_reason_stays(sign_in: SignIn, played: Played) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    asked = {"member": played.members["dan"], "gameweek": played.gameweeks[0].id, "points": "-9.5"}
    preview = ann.get("/leagues/the-row/adjust", query_string=asked)
    assert preview.status_code == 200
    assert "2 teams affected" in preview.text
    assert "Deduct 9.50 points" in preview.text
    assert (
        ann.get("/leagues/the-row/adjust", query_string=asked | {"points": "x"}).status_code == 422
    )
    assert ann.post("/leagues/the-row/adjust", data=asked | {"reason": ""}).status_code == 422
    assert db.session.scalars(select(ScoreAdjustment)).all() == []
    assert (
        ann.post("/leagues/the-row/adjust", data=asked | {"reason": "Fielded twice"}).status_code
        == 303
    )
    for page in ("rules", "history/1", f"teams/{played.members['dan']}?week=1"):
        assert "Fielded twice" in bob.get(f"/leagues/the-row/{page}").text, page
    assert "Adjusted: Fielded twice" in bob.get(f"/gamers/{played.members['dan']}").text


def test_an_adjustment_that_is_sent_twice_counts_once(sign_in: SignIn, played: Played) -> None:
    ann = sign_in(username="ann")
    asked = {"member": played.members["dan"], "gameweek": played.gameweeks[0].id, "points": "-9.5"}
    match = re.search(
        r'name="seen" value="(\d+)"', ann.get("/leagues/the-row/adjust", query_string=asked).text
    )
    assert match is not None
    form = asked | {"reason": "Fielded twice", "seen": match[1]}
    assert ann.post("/leagues/the-row/adjust", data=form).status_code == 303
    again = ann.post("/leagues/the-row/adjust", data=form)
    assert again.status_code == 422
    assert "Points were adjusted since you opened this page" in again.text
    assert len(db.session.scalars(select(ScoreAdjustment)).all()) == 1


def test_changing_the_scoring_shows_who_moves_first(sign_in: SignIn, played: Played) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    page = ann.get("/leagues/the-row/scoring").text
    assert 'name="points-rushing_yards" value="0.1"' in page
    points = {"base": "standard_idp", "points-rushing_yards": "0.2"}
    preview = ann.post("/leagues/the-row/scoring/preview", data=points)
    assert "Rushing yard: 0.10 → 0.20" in preview.text
    assert "4 teams affected" in preview.text
    assert the_league().rules == "standard_idp"
    assert ann.post("/leagues/the-row/scoring", data=points | {"reason": " "}).status_code == 422
    assert (
        ann.post("/leagues/the-row/scoring", data=points | {"points-receptions": "1/2"}).status_code
        == 422
    )
    assert (
        ann.post(
            "/leagues/the-row/scoring", data=points | {"reason": "Runs were cheap"}
        ).status_code
        == 303
    )
    for page in ("rules", "history/2"):
        assert "Runs were cheap" in bob.get(f"/leagues/the-row/{page}").text, page


@pytest.mark.parametrize(
    ("mode", "first", "season_pages"),
    [("total", "table", []), ("head_to_head", "matchup", ["standings", "matchups"])],
)
def test_a_league_has_five_places(
    sign_in: SignIn, season: Season, mode: str, first: str, season_pages: list[str]
) -> None:
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM | {"mode": mode})
    places = re.findall(r'id="place-(\w+)"\s+href="([^"]+)"', ann.get("/leagues/the-row").text)
    assert [name for name, _ in places] == [first, "team", "players", "league", "talk"]
    for place, address in places:
        page = ann.get(address).text
        assert re.findall(r'id="place-(\w+)"[^>]+aria-current', page) == [place]
        assert re.findall(r'id="place-(\w+)"\s+href="([^"]+)"', page) == places
    page = ann.get(dict(places)["league"]).text
    shared = ["history", "race", "recap", "members", "rules"]
    assert re.findall(r'id="tab-(?!settings)(\w+)"', page) == season_pages + shared


def test_the_editor_stays_in_the_league_that_one_came_from(sign_in: SignIn, season: Season) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    for name in ("The Row", "The Yard"):
        ann.post("/leagues/new", data=FORM | {"name": name})
    bob.post("/leagues/new", data=FORM | {"name": "A Street"})
    editor = f"/team/{db.session.scalars(select(League.team_rules_id).limit(1)).one()}"

    def league_of(answer: TestResponse) -> str:
        [place] = re.findall(r'id="place-league"\s+href="/leagues/([\w-]+)', answer.text)
        return place

    for _ in range(2):  # rendered, and from the cache
        assert league_of(ann.get(f"{editor}?league=the-yard")) == "the-yard"
        assert league_of(ann.get(editor)) == "the-row"
        assert league_of(ann.get(f"{editor}?league=a-street")) == "the-row", "not a league of Ann's"
    assert 'form="sheet" name="league" value="the-yard"' in (
        ann.get(f"{editor}?league=the-yard").text
    )
    assert league_of(ann.get(f"{editor}?league=the-yard&view=list&fill=1")) == "the-yard"
    act = {"league": "the-yard", "view": "list", "fill": "1"}
    answer = ann.get(editor, query_string=act, headers={"HX-Request": "true"})
    assert "?view=list&league=the-yard&" in answer.headers["HX-Replace-Url"]
    assert 'id="place-league"' not in answer.text


def test_players_have_the_bar_of_the_league_that_the_address_names(
    sign_in: SignIn, season: Season
) -> None:
    ann = sign_in(username="ann")
    ann.post("/leagues/new", data=FORM)
    assert 'id="place-league"' in ann.get("/players?scoring=league:the-row").text
    for path in ("/players", "/players?scoring=half_ppr_idp"):
        assert 'id="place-league"' not in ann.get(path).text
    assert 'id="place-league"' not in (
        sign_in(username="bob").get("/players?scoring=league:the-row").text
    )


def test_a_leagues_name_leads_to_the_other_leagues(sign_in: SignIn, season: Season) -> None:
    ann = sign_in(username="ann")
    for name in ("The Row", "The <b> Yard"):
        ann.post("/leagues/new", data=FORM | {"name": name, "mode": "total"})
    page = ann.get("/leagues/the-row").text
    menu = page[page.index('id="my-leagues"') : page.index("All leagues")]
    assert re.findall(r'<a href="(/leagues/[^"]+)"( aria-current="true")?><bdi>([^/]+)<', menu) == [
        ("/leagues/the-b-yard", "", "The &lt;b&gt; Yard"),
        ("/leagues/the-row", ' aria-current="true"', "The Row"),
    ]
    ann.post("/leagues/the-row/settings/name", data={"name": "The New Row"})
    assert "<bdi>The New Row</bdi></a>" in ann.get("/leagues/the-b-yard").text


def test_history_and_race_by_gameweek(sign_in: SignIn, played: Played) -> None:
    bob = sign_in(username="bob")
    assert bob.get("/leagues/the-row/history").headers["Location"] == "/leagues/the-row/history/3"
    first = bob.get("/leagues/the-row/history/1").text
    names = re.findall(r"(\w+) FC</bdi><small>", first)
    assert names == ["Ann", "Bob", "Cat", "Dan"]
    assert "10.00, rank 1" in first
    assert bob.get("/leagues/the-row/history/4").status_code == 404
    points, ranks = (
        bob.get("/leagues/the-row/race").text,
        bob.get("/leagues/the-row/race?by=rank").text,
    )
    # a wide drawing and a narrow one
    assert points.count("<polyline") == ranks.count("<polyline") == 2 * 4
    row = re.search(r"<bdi>Dan FC</bdi></th>(.*?)</tr>", ranks, re.S)
    assert row is not None
    assert re.findall(r'class="number">(\d)<', row[1]) == ["4", "1"]


def test_after_one_week_the_race_has_bars_and_says_when_lines_begin(
    sign_in: SignIn, played: Played
) -> None:
    db.session.execute(text("UPDATE gameweeks SET settled_at = NULL WHERE week > 1"))
    db.session.commit()
    page = sign_in(username="bob").get("/leagues/the-row/race").text
    assert page.count("<polyline") == 0
    bars = re.findall(r'<rect width="(\d+)" height="1"', page)
    assert (len(bars), max(bars, key=int)) == (4, "100"), "the leader's bar is the longest"
    assert "Their lines start once two weeks are final." in page


def test_a_line_of_the_race_has_the_colour_that_its_member_chose(
    sign_in: SignIn, played: Played
) -> None:
    """Two lines of one color differ: the later one is dashed."""
    chosen = {"ann": 3, "bob": 3, "cat": 5, "dan": 16}
    for name, colour in chosen.items():
        accounts.find_member(name).colour = colour  # type: ignore[union-attr]
    db.session.commit()
    page = sign_in(username="ann").get("/leagues/the-row/race").text
    lines = re.findall(r'<g data-team="(\d+)" class="([^"]*)">', page)
    assert sorted(int(colour) for colour, _ in lines) == sorted(2 * list(chosen.values()))
    assert sum("again" in classes for _, classes in lines) == 2, "one in each of the two drawings"


def test_the_race_has_the_order_of_the_week_that_it_shows(
    app: Flask, member: Callable[..., Member]
) -> None:
    """It had the order of the season as it stands, with the figures of the last whole week."""
    members = {name: member(name).id for name in ("ann", "bob")}
    yards = [{"ann": 10, "bob": 20}, {"ann": 90, "bob": 5}]
    league = played_league(members, yards, settled=1).league
    race = history.race(league, members["ann"], None)
    assert [racer.team_name for racer in race.racers] == ["Bob FC", "Ann FC"]
    assert [racer.team_name for racer in race.chart] == ["Bob FC", "Ann FC"]


def test_a_page_that_has_no_part_of_its_own_answers_htmx_as_a_whole(
    sign_in: SignIn, played: Played
) -> None:
    """The race was drawn by a macro outside the part, so this request alone was a 500."""
    page = sign_in(username="bob").get("/leagues/the-row/race", headers={"HX-Request": "true"})
    assert (page.status_code, "<polyline" in page.text) == (200, True)


@pytest.mark.parametrize("path", ["members?q=bob", "history/1"])
def test_parts_of_pages_that_htmx_asks_for_have_crests_too(
    sign_in: SignIn, played: Played, path: str
) -> None:
    """The macro was imported outside of the part, so this request alone was a 500."""
    ann = sign_in(username="ann")
    part = ann.get(f"/leagues/the-row/{path}", headers={"HX-Request": "true"}).text
    assert f"/gamers/{played.members['bob']}/picture?initials=BF" in part
    assert "<html" not in part


def test_a_gamers_page_shows_what_the_viewer_may_see(sign_in: SignIn, played: Played) -> None:
    bob, eve, ann = sign_in(username="bob"), sign_in(username="eve"), played.members["ann"]
    page = bob.get(f"/gamers/{ann}").text
    assert "The Row" in page
    assert re.findall(r'<strong class="big">([\d.]+)</strong>', page) == ["10.00", "2.00"]
    assert "The Row" not in eve.get(f"/gamers/{ann}").text
    assert bob.get("/gamers/999").status_code == 404
    assert bob.post("/gamers/me/country", data={"country": "gh"}).status_code == 303
    assert "GH" in eve.get(f"/gamers/{played.members['bob']}").text
    assert bob.post("/gamers/me/country", data={"country": "G1"}).status_code == 422
    # ISO 3166-1: ZZ and AA are free for users, EU is reserved; none is a country.
    assert [
        bob.post("/gamers/me/country", data={"country": code}).status_code
        for code in ("ZZ", "AA", "EU")
    ] == [422] * 3


def test_anothers_sheet_is_hidden_until_its_deadline(sign_in: SignIn, season: Season) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    ann.post("/leagues/new", data=FORM)
    bob.post(f"/join/{the_league().invite_code}", data={"team_name": "Bob FC"})
    anns = accounts.find_member("ann").id  # type: ignore[union-attr]
    page = f"/leagues/the-row/teams/{anns}?week=1"
    assert "Lineups stay hidden until the deadline" in bob.get(page).text
    assert "You have no team for Week 1 yet." in ann.get(page).text


def crowd(league: League, size: int) -> None:
    first = db.session.scalar(select(db.func.max(Member.id))) or 0
    db.session.add_all(
        Member(username=f"m{n}", display_name=f"M {n}", password_hash="!") for n in range(size)
    )
    db.session.flush()
    ids = db.session.scalars(select(Member.id).where(Member.id > first).order_by(Member.id)).all()
    db.session.add_all(
        LeagueMember(
            league_id=league.id,
            member_id=member_id,
            team_name=f"T {member_id}",
            standing=[member_id],
            total_points=member_id,
        )
        for member_id in ids
    )
    db.session.commit()


def test_thousands_of_members_are_paged_and_my_place_is_always_reachable(
    sign_in: SignIn, played: Played
) -> None:
    crowd(played.league, 2000)
    ann = sign_in(username="ann")
    db.session.execute(
        update(LeagueMember)
        .where(LeagueMember.member_id == played.members["ann"])
        .values(standing=[0], total_points=0)
    )
    db.session.commit()
    mine = ann.get("/leagues/the-row/members").text
    assert f'id="member-{played.members["ann"]}"' in mine
    assert mine.count("<tr id=") <= PAGE_ROWS
    first = ann.get("/leagues/the-row/members?page=1").text
    assert first.count("<tr id=") == PAGE_ROWS
    assert f'page=41#member-{played.members["ann"]}">My rank' in first
    assert "M 1999" in ann.get("/leagues/the-row/members?q=m+1999").text
    assert ann.get("/leagues/the-row/members?page=0").status_code == 404


def test_more_members_and_leagues_cost_no_more_queries(sign_in: SignIn, played: Played) -> None:
    ann = sign_in(username="ann")
    pages = (
        "/leagues",
        "/leagues/the-row/members",
        "/leagues/the-row/history/1",
        "/leagues/the-row/race",
        f"/gamers/{played.members['ann']}",
    )
    counts = []
    for _ in range(2):
        counts.append([])
        for page in pages:
            forget_parts(ann)
            with count_statements() as counted:
                assert ann.get(page).status_code == 200
                counts[-1].append(counted())
        crowd(played.league, 60) if len(counts) == 1 else None
        league = leagues.create(
            played.members["ann"],
            leagues.NewLeague("Other", "Ann FC", played.league.season_id, CHOICE, "ppr_idp"),
            FOUNDED,
        )
        assert isinstance(league, League)
    assert counts[0] == counts[1]


def test_no_season_no_league(sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    assert "No season is open" in ann.get("/leagues/new").text
    assert ann.post("/leagues/new", data=FORM).status_code == 303
