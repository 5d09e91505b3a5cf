"""Official credits become movements of a play, which give the same statistics again."""

from __future__ import annotations

import pytest

from app.record import events as ev
from app.record.play_by_play.field import span
from tests.record.official_plays import CATCH, PLAYS, Credits, lines, play_bodies
from tests.worlds.play_by_play import H, S


@pytest.mark.parametrize(("word", "rows", "expected"), PLAYS, ids=[play[0] for play in PLAYS])
def test_official_credits_come_back_out_of_the_movements(
    word: str, rows: Credits, expected: dict[str, dict[str, int]]
) -> None:
    computed = lines(play_bodies(rows))
    for player, stats in expected.items():
        assert {stat: computed.get(player, {}).get(stat, 0) for stat in stats} == stats, player


@pytest.mark.parametrize("spot", [1, 30, 99])
@pytest.mark.parametrize(("word", "rows", "expected"), PLAYS, ids=[play[0] for play in PLAYS])
def test_official_yards_win_wherever_the_ball_lay(
    word: str, rows: Credits, expected: dict[str, dict[str, int]], spot: int
) -> None:
    assert lines(play_bodies(rows, spot)) == lines(play_bodies(rows, 50))


def test_movements_join_at_real_spots() -> None:
    thrown, ran, tackle = play_bodies([*CATCH, (79, 0, S, "tackler")])
    assert thrown == ev.Pass(
        team=H,
        passer="passer",
        receiver="catcher",
        result="complete",
        throw_yard=30,
        reception_yard=38,
    )
    assert ran == ev.Run(team=H, player="catcher", kind="after_catch", start_yard=38, end_yard=42)
    assert tackle == ev.Tackle(team=S, tackler="tackler", tackled="catcher", kind="solo", yard=42)


def test_a_touchdown_ends_in_the_end_zone() -> None:
    (ran,) = play_bodies([(11, 5, H, "runner")], spot=90)
    assert ran == ev.Run(
        team=H, player="runner", kind="rush", start_yard=95, end_yard=100, is_touchdown=True
    )


def test_an_interception_lies_where_the_throw_was_aimed() -> None:
    thrown, taken, back = play_bodies(
        [(19, 0, H, "passer"), (112, 20, H, "passer"), (25, 15, S, "thief")]
    )
    assert isinstance(thrown, ev.Pass)
    assert (thrown.result, thrown.reception_yard) == ("intercepted", 50)
    assert taken == ev.Interception(team=S, player="thief", yard=50)
    assert back == ev.Run(team=S, player="thief", kind="return", start_yard=50, end_yard=65)


def test_a_snap_that_rolled_back_and_was_lost_lies_where_it_was_lost() -> None:
    rows: Credits = [
        (10, 0, H, "r"),
        (57, -5, H, "r"),
        (53, 0, H, "r"),
        (106, 0, H, "r"),
        (59, 0, S, "thief"),
    ]
    assert play_bodies(rows)[-1] == ev.Recovery(team=S, player="thief", yard=75)
    out = play_bodies([(10, 0, H, "r"), (57, -3, H, "r"), (53, 0, H, "r"), (54, 0, H, "r")])
    assert out[-1] == ev.Fumble(team=H, player="r", yard=27, out_of_bounds=True)


def test_who_forced_a_fumble_forced_the_one_that_the_list_calls_forced() -> None:
    """Stat id 52 is a forced fumble, 53 an unforced one (NFL play_stats)."""
    rows: Credits = [
        (10, 4, H, "r"),
        (53, 0, H, "r"),
        (55, 0, H, "r"),
        (52, 0, H, "r"),
        (91, 0, S, "forcer"),
        (106, 0, H, "r"),
        (59, 0, S, "thief"),
    ]
    fumbles = [body for body in play_bodies(rows) if isinstance(body, ev.Fumble)]
    assert [fumble.forced_by for fumble in fumbles] == [None, "forcer"]


def test_the_yards_of_a_tackle_for_loss_say_where_a_fumble_was_kept() -> None:
    rows: Credits = [
        (20, -6, H, "r"),
        (52, 0, H, "r"),
        (55, 0, H, "mate"),
        (120, 0, S, "t"),
        (402, 4, S, "t"),
    ]
    assert play_bodies(rows)[2] == ev.Recovery(team=H, player="mate", yard=26)


def test_movements_never_leave_the_field() -> None:
    assert span(97, 5) == (95, 100)
    assert span(3, -8) == (8, 0)
    assert span(0, 108, scored=True) == (0, 100)


def test_kinds_of_runs_and_throws() -> None:
    assert [
        body.kind
        for body in play_bodies([(10, 5, H, "r")], is_scramble=True)
        if isinstance(body, ev.Run)
    ] == ["scramble"]
    assert [
        body.kind
        for body in play_bodies([(10, -1, H, "r")], is_kneel=True)
        if isinstance(body, ev.Run)
    ] == ["kneel"]
    (spike,) = play_bodies([(14, 0, H, "passer")], is_spike=True)
    assert isinstance(spike, ev.Pass)
    assert spike.result == "spike"


KICKS = [
    ("touchback", [(41, 65, H, "k"), (44, 0, H, "k")], "kickoff", "touchback"),
    ("brought back", [(41, 60, H, "k"), (45, 20, S, "r")], "kickoff", "returned"),
    ("out of bounds", [(41, 50, H, "k"), (49, 0, S, None)], "kickoff", "out_of_bounds"),
    ("short and recovered", [(41, 11, H, "k"), (107, 0, H, "c")], "onside", "recovered"),
    ("fair catch", [(29, 40, H, "p"), (39, 0, S, "r")], "punt", "fair_catch"),
    ("downed", [(29, 40, H, "p"), (38, 0, S, None)], "punt", "downed"),
    ("missed", [(69, 51, H, "k")], "field_goal", "missed"),
    ("good", [(72, 0, H, "k")], "extra_point", "good"),
    ("aborted", [(301, 0, H, "k")], "extra_point", "aborted"),
    ("blocked", [(74, 0, H, "k"), (87, 0, S, "b")], "extra_point", "blocked"),
]


@pytest.mark.parametrize(
    ("word", "rows", "kind", "result"), KICKS, ids=[f"{kick[2]} {kick[0]}" for kick in KICKS]
)
def test_kicks_end_as_they_did(word: str, rows: Credits, kind: str, result: str) -> None:
    kick = play_bodies(rows)[0]
    assert isinstance(kick, ev.Kick)
    assert (kick.kind, kick.result) == (kind, result)
