"""Posts that Pressbox writes: once per cause, without names, again if a result changes."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import case, select, text, update

from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.notices import news as league_news
from app.fantasy.notices.models import LeagueNews
from app.fantasy.standings.models import LeagueScore
from app.moderation import privacy
from app.talk import news, queries, rules, words
from app.talk.models import Post
from tests.talk.conftest import NOW, Talk
from tests.waiting import patience, until

LATER = NOW + timedelta(hours=1)
TEAMS = {1: "Ann FC", 2: "Bob FC", 3: "Cat FC"}
RESULT: dict[str, Any] = {
    "name": "Week 1",
    "best": [[1, 92_400]],
    "leaders": [[2, 190_000]],
    "games": [[1, 92_400, 2, 80_000, 3], [3, 70_000, None, 70_000, 1]],
}


def lines(talk: Talk, name: str) -> list[str]:
    return [str(post.news) for post in talk.posts(name) if post.news]


def score(talk: Talk, **points: int) -> None:
    """The points of the first gameweek, as settlement writes them."""
    gameweek = talk.leagues.gameweeks[0]
    gameweek.settled_at = NOW
    ranked = sorted(points.values(), reverse=True)
    for name, number in points.items():
        row = {
            "league_id": talk.league.id,
            "member_id": talk.leagues.ids[name],
            "gameweek_id": gameweek.id,
        }
        old = db.session.get(LeagueScore, tuple(row.values()))
        new = old or LeagueScore(**row, team_name=f"{name.title()} FC")
        new.points = new.total = number
        new.rank = ranked.index(number) + 1
        db.session.add(new)
    db.session.commit()


def note(talk: Talk, kind: str, ref: int) -> None:
    league_news.note(kind, [talk.league.id], ref, NOW)
    db.session.commit()


def test_a_result_names_the_winners_the_best_team_and_the_leader() -> None:
    assert str(words.news("result", None, RESULT, TEAMS)).split("\n") == [
        "Week 1: Ann FC led all scoring with 92.40",
        "Ann FC beat Bob FC, 92.40 to 80.00.",
        "The average tied Cat FC, 70.00 to 70.00.",
        "Bob FC leads the league with 190.00 points.",
    ]


def test_teams_without_a_name_are_former_members() -> None:
    text = str(words.news("joined", 9, {}, TEAMS))
    assert text == "A former member joined the league."


@pytest.mark.parametrize(
    ("changed", "is_news"),
    [
        ({"best": [[1, 91_000]]}, False),
        ({"best": [[2, 93_000]]}, True),
        ({"leaders": [[1, 190_000]]}, True),
        ({"games": [[1, 80_000, 2, 80_000, 1], RESULT["games"][1]]}, True),
    ],
)
def test_a_correction_is_news_if_somebody_else_won(changed: dict[str, Any], is_news: bool) -> None:
    assert (words.outcome(RESULT | changed) != words.outcome(RESULT)) is is_news


def test_who_joins_is_posted_once_and_not_by_name(talk: Talk) -> None:
    assert news.post_news(NOW) == 2, "Bob and Cat joined; Ann founded the league"
    assert news.post_news(NOW) == 0
    assert lines(talk, "ann") == ["Cat FC joined the league.", "Bob FC joined the league."]
    stored = db.session.scalars(select(Post)).all()
    assert "FC" not in str([post.data for post in stored])
    leagues.rename_team(talk.league.id, talk.leagues.ids["bob"], "New FC")
    assert lines(talk, "ann")[1] == "New FC joined the league."


def test_a_post_of_pressbox_is_written_once_even_if_noted_again(talk: Talk) -> None:
    score(talk, ann=3_000, bob=2_000, cat=1_000)
    for _ in range(2):
        note(talk, league_news.RESULT, talk.leagues.gameweeks[0].id)
        news.post_news(NOW)
    assert [line.split("\n")[0] for line in lines(talk, "ann")].count(
        "Week 1: Ann FC won with 3.00"
    ) == 1


def test_a_correction_that_changes_the_result_is_posted_and_another_is_not(talk: Talk) -> None:
    gameweek = talk.leagues.gameweeks[0]
    news.post_news(NOW)
    score(talk, ann=3_000, bob=2_000, cat=1_000)
    note(talk, league_news.RESULT, gameweek.id)
    news.post_news(NOW)
    score(talk, ann=3_100, bob=2_000, cat=1_500)
    note(talk, league_news.CORRECTED, gameweek.id)
    news.post_news(LATER)
    assert len(lines(talk, "ann")) == 3, "nobody else won"
    score(talk, ann=1_000, bob=2_000, cat=1_500)
    note(talk, league_news.CORRECTED, gameweek.id)
    news.post_news(LATER)
    newest = lines(talk, "ann")[0].split("\n")
    assert newest[0] == f"{gameweek.name} corrected: Bob FC won with 2.00"
    assert newest[-1] == "Bob FC leads the league with 2.00 points."


def test_a_hidden_members_arrival_is_seen_by_themselves_only(talk: Talk) -> None:
    cat = queries.room(talk.league.slug, talk.leagues.ids["cat"])
    assert cat is not None
    db.session.execute(
        db.text("UPDATE players SET hidden_at = now() WHERE id = :id"),
        {"id": cat.viewer.player_id},
    )
    db.session.commit()
    news.post_news(NOW)
    assert lines(talk, "ann") == ["Bob FC joined the league."]


def test_an_erased_members_arrival_is_gone(talk: Talk) -> None:
    news.post_news(NOW)
    cat = talk.leagues.ids["cat"]
    privacy.erase(cat, by=cat, reason="asked", now=LATER)
    assert lines(talk, "ann") == ["Bob FC joined the league."]


def test_nothing_is_noted_for_an_overall_league(talk: Talk) -> None:
    news.post_news(NOW)
    talk.league.is_overall = True
    db.session.commit()
    note(talk, league_news.RESULT, talk.leagues.gameweeks[0].id)
    assert db.session.scalars(select(LeagueNews)).all() == []


def test_posts_of_pressbox_are_new_to_everybody(talk: Talk) -> None:
    news.post_news(NOW)
    assert queries.load_page(talk.room("bob"), rules.BOARD).posts[0].author == ""


def test_a_correction_under_way_is_posted_though_the_same_was_noted_before(
    talk: Talk, app: Flask
) -> None:
    """Its note is that of the correction before; a post made from it would lack the new points."""
    gameweek_id = talk.leagues.gameweeks[0].id
    news.post_news(NOW)
    score(talk, ann=3_000, bob=2_000, cat=1_000)
    note(talk, league_news.RESULT, gameweek_id)
    news.post_news(NOW)
    note(talk, league_news.CORRECTED, gameweek_id)
    league_id, bob = talk.league.id, talk.leagues.ids["bob"]
    with app.app_context():  # a session of its own
        rank = case((LeagueScore.member_id == bob, 1), else_=2)
        points = case((LeagueScore.member_id == bob, 9_000), else_=LeagueScore.points)
        db.session.execute(
            update(LeagueScore)
            .where(LeagueScore.league_id == league_id)
            .values(rank=rank, points=points, total=points)
        )
        league_news.note(league_news.CORRECTED, [league_id], gameweek_id, NOW)
        with app.app_context():
            assert news.post_news(LATER) == 0, "the note is being written"
        db.session.commit()
    assert news.post_news(LATER) == 1
    newest = lines(talk, "ann")[0].split("\n")
    assert newest[0].endswith("corrected: Bob FC won with 9.00")
    assert newest[-1] == "Bob FC leads the league with 9.00 points."


def test_a_correction_while_a_post_is_written_waits_and_is_posted_then(
    talk: Talk, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    gameweek_id = talk.leagues.gameweeks[0].id
    news.post_news(NOW)
    score(talk, ann=3_000, bob=2_000, cat=1_000)
    note(talk, league_news.RESULT, gameweek_id)
    news.post_news(NOW)
    note(talk, league_news.CORRECTED, gameweek_id)
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
        "wait_event_type = 'Lock'"
    )
    league_id = talk.league.id

    def correct() -> None:
        with app.app_context():
            league_news.note(league_news.CORRECTED, [league_id], gameweek_id, LATER)
            db.session.commit()

    with ThreadPoolExecutor(1) as thread:
        written: list[Future[None]] = []

        def corrected(_: Any) -> None:
            written.append(thread.submit(correct))
            with app.app_context():  # each look ends a transaction, and this one goes on
                until(lambda: db.session.scalar(waiting) == 1, "the correction waits for the post")

        with monkeypatch.context() as patch:
            patch.setattr(news, "_CONTENTS", {league_news.CORRECTED: corrected})
            news._post_next(LATER)
        written[0].result(timeout=patience(120))
    assert news.post_news(LATER) == 1
