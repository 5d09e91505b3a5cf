"""Extra time and penalties, from the provider's answer to members' points and pages.

Authority: what a tournament declares (docs/providers.md, "Which score counts").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import IntegrityError

from app.core.db import db
from app.core.errors import UserError
from app.predictions import points, pools, tournaments
from app.predictions.counted_score import CountedScore
from app.predictions.matches import findings
from app.predictions.models import Match, Pool, ProviderSource, SettlementAudit, Tournament
from app.predictions.points import PRESETS, PointRule
from app.predictions.providers.offer import OfferedScore
from tests.worlds.cup import Cup
from tests.worlds.tournament import BEFORE, END, World

Make = Callable[..., World]
SignIn = Callable[..., FlaskClient]
REGULATION, EXTRA_TIME, SHOOTOUT = (
    CountedScore.REGULATION,
    CountedScore.EXTRA_TIME,
    CountedScore.SHOOTOUT,
)
SLAM = PointRule(winner=100, grand_slam=500)


def part(home: int, away: int) -> OfferedScore:
    return OfferedScore(home, away)


def guessed(world: World) -> World:
    """One match of week 1: Ann guesses a draw, Bob the home team, Zoe the away team."""
    world.match("m1")
    world.poll(BEFORE)
    for name, home, away in (("Ann", 1, 1), ("Bob", 2, 1), ("Zoe", 0, 1)):
        assert world.guess(name, "m1", home, away) == []
    return world


def end(world: World, status: str, home: int, away: int, **parts: OfferedScore | None) -> None:
    world.ended("m1", home, away, **parts)
    world.match("m1", status=status)
    world.poll()
    world.settle()


def stored(world: World) -> Match:
    db.session.rollback()
    return db.session.get_one(Match, world.id_of("m1"))


def standing_findings(world: World) -> list[tuple[str, str]]:
    return [(row.kind, row.subject) for row, _ in findings.current(END, world.id)]


ON_PENALTIES: dict[str, Any] = {
    "regulation": part(1, 1),
    "after_extra_time": part(2, 2),
    "shootout": part(4, 3),
}


@pytest.mark.parametrize(
    ("declared", "earned", "score"),
    [
        (CountedScore.AS_GIVEN, {"Ann": 0, "Bob": 100, "Zoe": 0}, (6, 5)),
        (REGULATION, {"Ann": 100, "Bob": 0, "Zoe": 0}, (1, 1)),
        (EXTRA_TIME, {"Ann": 100, "Bob": 0, "Zoe": 0}, (2, 2)),
        (SHOOTOUT, {"Ann": 0, "Bob": 100, "Zoe": 0}, (2, 2)),
    ],
)
def test_a_shoot_out_is_settled_as_declared(
    world: Make, declared: CountedScore, earned: dict[str, int], score: tuple[int, int]
) -> None:
    cup = guessed(world(declared=declared))
    end(cup, "PEN", 6, 5, **ON_PENALTIES)
    match = stored(cup)
    assert cup.points() == earned
    assert (match.home_score, match.away_score) == score
    assert (match.duration, match.regulation_home, match.extra_time_away, match.shootout) == (
        "shootout",
        1,
        2,
        (4, 3),
    )


def test_a_final_score_alone_waits_for_the_one_after_90_minutes(world: Make) -> None:
    """Operators are told once; with the missing part, points arrive and the finding goes."""
    cup = guessed(world(SLAM, declared=REGULATION))
    end(cup, "AET", 2, 1)
    assert cup.points() == {"Ann": 0, "Bob": 0, "Zoe": 0}
    match = stored(cup)
    assert (match.status, match.fate, match.home_score, match.terms) == (
        "not-defined",
        None,
        None,
        None,
    )
    assert standing_findings(cup) == [("unknown-score", "m1")]
    (row, _) = findings.current(END, cup.id)[0]
    assert "It should send `regulation`" in row.text
    assert cup.guess("Ann", "m1", 2, 1, END) == ["guess_locked"]
    assert cup.poll().findings == []
    end(cup, "AET", 2, 1, regulation=part(1, 1))
    assert cup.points() == {"Ann": 600, "Bob": 0, "Zoe": 0}  # the round is complete now
    assert standing_findings(cup) == []


@pytest.mark.parametrize(
    "values", [{"status": "AET", "home_score": 0, "away_score": 0}, {"status": "FT"}]
)
def test_a_match_that_has_ended_without_a_kickoff_locks_its_guesses(
    world: Make, values: dict[str, Any]
) -> None:
    """Though the score that counts is not known: everybody has seen the match."""
    cup = guessed(world(declared=REGULATION))
    cup.match("m1", kickoff=None, **values)
    cup.poll()
    assert stored(cup).status == "not-defined"
    assert cup.guess("Ann", "m1", 2, 2, END) == ["guess_locked"]


def test_the_score_after_90_minutes_is_enough_where_it_counts(world: Make) -> None:
    cup = guessed(world(declared=REGULATION))
    cup.match("m1", status="AET", regulation=part(1, 1), finished_at=END)
    cup.poll()
    cup.settle()
    assert (cup.points()["Ann"], standing_findings(cup)) == (100, [])


@pytest.mark.parametrize("declared", [REGULATION, EXTRA_TIME, SHOOTOUT])
def test_a_match_of_90_minutes_settles_without_parts(world: Make, declared: CountedScore) -> None:
    cup = guessed(world(declared=declared))
    end(cup, "FT", 2, 1)
    assert cup.points() == {"Ann": 0, "Bob": 100, "Zoe": 0}
    assert (stored(cup).duration, standing_findings(cup)) == (None, [])


def test_after_extra_time_without_a_shoot_out_the_final_score_is_that_after_extra_time(
    world: Make,
) -> None:
    cup = guessed(world(declared=EXTRA_TIME))
    end(cup, "AET", 2, 1)
    assert cup.points() == {"Ann": 0, "Bob": 100, "Zoe": 0}
    assert (stored(cup).extra_time_home, stored(cup).extra_time_away) == (2, 1)


def test_a_corrected_part_settles_the_match_again(world: Make) -> None:
    cup = guessed(world(declared=SHOOTOUT))
    end(cup, "PEN", 6, 5, **ON_PENALTIES)
    end(cup, "PEN", 5, 6, **ON_PENALTIES | {"shootout": part(3, 4)})
    assert cup.points() == {"Ann": 0, "Bob": 0, "Zoe": 100}
    audits = db.session.scalars(db.select(SettlementAudit).order_by(SettlementAudit.id)).all()
    assert [(row.after["home"], row.after["shootout"]) for row in audits] == [(2, 1), (2, -1)]
    end(cup, "PEN", 5, 6, **ON_PENALTIES | {"shootout": None})
    # the part was taken back, and the match waits
    assert cup.points() == {"Ann": 0, "Bob": 0, "Zoe": 0}
    assert standing_findings(cup) == [("unknown-score", "m1")]


def test_the_winner_of_the_shoot_out_decides_slams_closest_guesses_and_pools(world: Make) -> None:
    """Each of them is worked out by SQL of its own."""
    rule = PointRule(winner=100, closest=100, grand_slam=500)
    cup = guessed(world(rule, declared=SHOOTOUT))
    office = pools.create(cup.id, cup.player("Bob"), "Office")
    assert isinstance(office, Pool)
    pools.join(office.id, office.code, cup.player("Ann"))
    end(cup, "PEN", 2, 2, **ON_PENALTIES)
    assert cup.points() == {"Ann": 0, "Bob": 700, "Zoe": 0}
    pool = db.session.get_one(Pool, office.id)
    assert [(row.display_name, row.points) for row in pools.table(pool, rule)] == [
        ("Bob", 700),
        ("Ann", 0),
    ]


def test_parts_turn_with_the_sides(world: Make) -> None:
    """Guesses belong to teams (docs/decisions/0074).

    The provider lists the match the other way round.
    """
    cup = guessed(world(declared=SHOOTOUT))
    cup.match("m1", home="che", away="ars")
    end(cup, "PEN", 2, 2, **ON_PENALTIES | {"regulation": part(1, 2)})
    match = stored(cup)
    assert (match.regulation_home, match.regulation_away, match.shootout) == (2, 1, (3, 4))
    assert cup.points() == {"Ann": 0, "Bob": 0, "Zoe": 100}


def test_the_outcome_in_sql_is_that_of_the_terms(world: Make) -> None:
    cup = world(declared=SHOOTOUT)
    for number, (final, kicks) in enumerate(
        [((2, 2), (4, 3)), ((2, 2), (3, 4)), ((2, 1), (1, 3)), ((0, 0), None)]
    ):
        cup.match(f"m{number}")
        shootout = None if kicks is None else part(*kicks)
        status = "FT" if kicks is None else "PEN"
        cup.ended(f"m{number}", *final, after_extra_time=part(*final), shootout=shootout)
        cup.match(
            f"m{number}", status=status, **({"after_extra_time": None} if kicks is None else {})
        )
    cup.poll()
    cup.settle()
    outcome = db.text(f"SELECT {points.outcome_sql('terms')} FROM matches ORDER BY external_id")
    assert [int(row[0]) for row in db.session.execute(outcome)] == [1, -1, 1, 0]
    # settled before there were shoot-outs
    db.session.execute(db.text("UPDATE matches SET terms = terms - 'shootout'"))
    assert [int(row[0]) for row in db.session.execute(outcome)] == [0, 0, 1, 0]


def test_the_declaration_stays_once_a_match_has_ended(world: Make) -> None:
    cup = guessed(world())
    source = db.session.get_one(ProviderSource, cup.id)
    source.etag, source.polled_at = "seen", BEFORE
    db.session.commit()
    assert tournaments.declare(cup.id, REGULATION) == "The Cup"
    db.session.expire_all()
    # everything is read again, by the new declaration
    assert (source.etag, source.polled_at) == (None, None)
    end(cup, "AET", 2, 1, regulation=part(1, 1))
    assert cup.points() == {"Ann": 100, "Bob": 0, "Zoe": 0}
    with pytest.raises(UserError, match="Create a new tournament"):
        tournaments.declare(cup.id, EXTRA_TIME)
    db.session.rollback()
    with pytest.raises(IntegrityError, match="the score that counts stays"):
        db.session.execute(
            db.update(Tournament).where(Tournament.id == cup.id).values(counted_score="shootout")
        )
    db.session.rollback()


def test_scores_of_american_football_include_overtime(world: Make) -> None:
    tournament = tournaments.create(
        "NFL", PRESETS["winner"], tournaments.Provider("official-record", "nfl/2026/REG")
    )
    assert tournament.counted_score == "overtime"
    for act in (
        lambda: tournaments.create(
            "CFB",
            PRESETS["winner"],
            tournaments.Provider("official-record", "ncaa/2026/REG"),
            declared=REGULATION,
        ),
        lambda: tournaments.declare(tournament.id, REGULATION),
    ):
        with pytest.raises(UserError, match="include overtime"):
            act()
        db.session.rollback()


@pytest.mark.parametrize(
    ("declared", "rule", "on_the_match"),
    [
        (
            REGULATION,
            "The score after 90 minutes and stoppage time counts.",
            "The score after 90 minutes counts.",
        ),
        (
            EXTRA_TIME,
            "Penalty shootouts don&#39;t: a draw stays a draw.",
            "The score after extra time counts.",
        ),
        (
            SHOOTOUT,
            "winner of the penalty shootout",
            "a shootout decides the winner of a draw",
        ),
        (
            CountedScore.AS_GIVEN,
            "the score from the data provider counts",
            "The provider&#39;s score counts.",
        ),
    ],
)
def test_members_read_which_score_counts(
    world: Make, sign_in: SignIn, declared: CountedScore, rule: str, on_the_match: str
) -> None:
    today = Cup(world(declared=declared))
    today.guess("Ann", "m1", 1, 1)
    client = sign_in(username="ann")
    before = client.get(today.round).text
    assert rule in before
    assert "after 90 minutes, " not in before
    today.world.match("m1", status="PEN", **ON_PENALTIES)
    today.world.ended("m1", 6, 5, today.now, kickoff=BEFORE)
    today.world.match("m1", status="PEN")
    today.world.poll(today.now)
    today.world.settle(today.now)
    for path in (
        today.round,
        today.path("matches", today.world.id_of("m1")),
        today.path("history"),
    ):
        text = client.get(path).text
        assert "1–1 after 90 minutes, 2–2 after extra time, 4–3 on penalties." in text
        assert on_the_match in text


def test_in_extra_time_points_are_by_the_score_that_counts(world: Make, sign_in: SignIn) -> None:
    today = Cup(world(declared=REGULATION))
    today.guess("Ann", "m1", 1, 1)
    in_extra_time = {
        "home_score": 2,
        "away_score": 1,
        "regulation": part(1, 1),
        "after_extra_time": part(2, 1),
    }
    today.kick_off("m1", status="ET", **in_extra_time)
    text = sign_in(username="ann").get(today.round).text
    assert "1–1 after 90 minutes. The score after 90 minutes counts." in text
    assert "1 point <small>if it ended now" in text
    assert "2–1 after extra time" not in text


def test_members_read_that_overtime_counts(world: Make, sign_in: SignIn) -> None:
    today = Cup(world(declared=CountedScore.OVERTIME))
    today.world.player("Ann")
    assert (
        "Overtime counts: the final score is used." in sign_in(username="ann").get(today.round).text
    )


def test_a_match_that_waits_for_its_score_says_so(world: Make, sign_in: SignIn) -> None:
    today = Cup(world(declared=REGULATION))
    today.guess("Ann", "m1", 1, 1)
    today.kick_off("m1", status="AET", home_score=2, away_score=1)
    text = sign_in(username="ann").get(today.round).text
    assert "Score pending" in text
    assert "Points follow" in text
    assert "2–1 after extra time. The score after 90 minutes counts." in text


def test_the_api_gives_the_score_that_counts(client: FlaskClient, world: Make) -> None:
    """The body of matches is the design's; which score is in it, the list of tournaments says."""
    cup = guessed(world(declared=EXTRA_TIME))
    end(cup, "PEN", 6, 5, **ON_PENALTIES)
    (listed,) = client.get("/api/v2/tournaments").json["data"]  # type: ignore[index]
    assert listed["countedScore"] == "extra_time"
    (row,) = client.get(f"/api/v2/tournaments/{cup.id}/matches/week-1").json["data"]  # type: ignore[index]
    assert (row["status"], row["home"]["score"], row["away"]["score"]) == ("ended", 2, 2)
    table = client.get(f"/api/v2/tournaments/{cup.id}/standings").json["data"]  # type: ignore[index]
    assert [team["points"] for team in table] == [1, 1, 0, 0]
