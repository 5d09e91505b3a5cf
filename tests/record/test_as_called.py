"""Games as first called.

Corrections.csv beside the play-by-play becomes plays that are published, then taken away.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.csv_files import FileError
from app.record import events as ev
from app.record.play_by_play import first_calls, read_games
from tests.record.deliveries import standing_of
from tests.worlds.called_games import COLUMNS, FOOT, R, call, of_play, read_called, steps
from tests.worlds.play_by_play import (
    CATCHER,
    GAME,
    KICKER,
    PASSER,
    RUNNER,
    TACKLER,
    THIEF,
    WIDE,
    Cells,
    H,
    S,
    bodies,
    named,
    play,
    small_game,
    write,
)


def test_without_the_table_nobody_knows(folder: Path) -> None:
    (script,) = read_games([folder / "pbp" / f"{GAME}.csv"])
    assert script.as_called is None


def test_a_game_without_a_row_was_called_right(folder: Path) -> None:
    script = read_called(folder, call(40, "run") | {"game_id": "2031090701"})
    assert steps(script) == bodies(script)


def test_the_nearest_table_counts(folder: Path) -> None:
    write(folder / "pbp" / "corrections.csv", COLUMNS, [])
    script = read_called(folder, call(40, "run", **named("rusher", RUNNER, "R.Legs")))
    assert steps(script) == bodies(script)


def test_a_nullified_play_is_published_and_taken_away_after_its_foul(folder: Path) -> None:
    script = read_called(
        folder,
        call(
            40,
            "complete",
            yards=12,
            touchdown=0,
            tacklers="T.Wall;T.Quick",
            tackler_ids=f"{TACKLER};{THIEF}",
            **named("passer", PASSER, "P.Arm"),
            **named("receiver", CATCHER, "C.Hands"),
        ),
    )
    published = of_play(steps(script), 4)
    catch = ev.Pass(
        team=H, passer=PASSER, receiver=CATCHER, result="complete", throw_yard=30, reception_yard=42
    )
    foul = ev.Penalty(team=S, player=TACKLER, foul="Offside", yards=5, outcome="nullify")
    first = steps(script).index(catch) + 1
    assert published == [
        catch,
        ev.Tackle(team=S, tackler=TACKLER, tackled=CATCHER, kind="primary", yard=42),
        ev.Tackle(team=S, tackler=THIEF, tackled=CATCHER, kind="assist", yard=42),
        foul,
        ev.Nullify(events=(first, first + 1, first + 2), reason="Offside"),
    ]
    assert of_play(bodies(script), 4) == [foul]


def test_a_whistle_before_the_snap_leaves_nothing_to_take_away(folder: Path) -> None:
    script = read_called(folder, call(40, "", live_action=0))
    assert steps(script) == bodies(script)
    assert script.left_out == ()


def test_a_reversed_play_is_challenged_and_corrected_into_the_final_record(folder: Path) -> None:
    """First a catch out of bounds is incomplete.

    In the end it is a touchdown with a run after the catch.
    """
    write(
        folder / "teams.csv",
        ["team", "nickname", "name"],
        [
            {"team": H, "nickname": "Herons", "name": "Harbor City Herons"},
            {"team": S, "nickname": "", "name": "Summit"},
        ],
    )
    script = read_called(
        folder,
        call(
            20,
            "incomplete",
            "reversed",
            challenged_by="Harbor City",
            ruling="incomplete pass",
            **named("passer", PASSER, "P.Arm"),
        ),
    )
    final = of_play(bodies(script), 2)
    published = of_play(steps(script), 2)
    dropped = ev.Pass(team=H, passer=PASSER, result="incomplete", throw_yard=40)
    assert (
        published
        == [
            dropped,
            ev.Challenge(by=H, ruling="pending", reason="incomplete pass"),
            ev.Challenge(by=H, ruling="overturned", reason="incomplete pass"),
            ev.Overturn(
                event=steps(script).index(dropped) + 1, ruling=final[0], reason="incomplete pass"
            ),  # type: ignore[arg-type]
            *final[1:],
        ]
    )
    assert [type(body) for body in final] == [ev.Pass, ev.Run]


def test_a_booth_review_says_so(folder: Path) -> None:
    script = read_called(
        folder,
        call(20, "incomplete", "reversed", challenged_by="The Replay Official", ruling="catch"),
    )
    reviews = [body for body in of_play(steps(script), 2) if isinstance(body, ev.Challenge)]
    assert [(review.by, review.reason) for review in reviews] == [
        (None, "The Replay Official: catch")
    ] * 2


def test_a_play_reversed_and_then_nullified_goes_both_ways(folder: Path) -> None:
    catcher = named("receiver", CATCHER, "C.Hands")
    script = read_called(
        folder,
        call(40, "complete", yards=9, **catcher),
        call(40, "incomplete", "reversed", **catcher),
    )
    types = [type(body) for body in of_play(steps(script), 4)]
    assert types == [ev.Pass, ev.Challenge, ev.Challenge, ev.Overturn, ev.Penalty, ev.Nullify]


def test_offsetting_fouls_bring_a_play_that_the_final_record_has_not(tmp_path: Path) -> None:
    rows = [*small_game(), play(45, "no_play", down=1, ydstogo=5)]
    write(
        tmp_path / "pbp" / f"{GAME}.csv",
        WIDE,
        sorted(rows, key=lambda row: int(str(row["play_id"]))),
    )
    script = read_called(
        tmp_path,
        call(
            45,
            "sack",
            yards=-6,
            tackler_ids=TACKLER,
            **named("passer", PASSER, "P.Arm"),
            fouls="HRB:Offensive Holding:offsetting|SUM:Tripping:offsetting",
        ),
    )
    published = of_play(steps(script), 5)
    assert [type(body) for body in published] == [
        ev.Sack,
        ev.Tackle,
        ev.Penalty,
        ev.Penalty,
        ev.Nullify,
    ]
    assert [(b.team, b.foul, b.outcome) for b in published if isinstance(b, ev.Penalty)] == [
        (H, "Offensive Holding", "offsetting"),
        (S, "Tripping", "offsetting"),
    ]
    assert len(steps(script)) == len(bodies(script)) + 6


def test_declined_fouls_are_published_beside_the_accepted_one(folder: Path) -> None:
    script = read_called(folder, call(40, "run", fouls="SUM:Offside:5 yd|SUM:Face Mask:declined"))
    fouls = [body for body in of_play(steps(script), 4) if isinstance(body, ev.Penalty)]
    assert [(foul.foul, foul.status, foul.outcome) for foul in fouls] == [
        ("Offside", "accepted", "nullify"),
        ("Face Mask", "declined", "decline"),
    ]


def test_a_kickoff_is_the_kickers_whoever_the_file_names(folder: Path) -> None:
    back = play(9, "no_play", S, yardline_100=35, penalty=1, penalty_team=H, penalty_yards=5)
    write(folder / "pbp" / f"{GAME}.csv", WIDE, [back, *small_game()])
    script = read_called(
        folder, call(9, "kickoff", offense=S, defense=H, yards=60, fouls="", **FOOT)
    )
    kick = of_play(steps(script), 1)[0]
    assert isinstance(kick, ev.Kick)
    assert (kick.team, kick.kicker, kick.kind, kick.distance) == (H, KICKER, "kickoff", 60)


def test_who_played_only_in_plays_that_did_not_stand_is_named_all_the_same(folder: Path) -> None:
    script = read_called(folder, call(40, "run", **named("rusher", "00-0000077", "N.Body")))
    assert [
        (footballer.name, footballer.club_id)
        for footballer in script.footballers
        if footballer.id == "00-0000077"
    ] == [("N.Body", H)]


def test_steps_of_both_variants_never_go_back_in_time(folder: Path) -> None:
    script = read_called(folder, call(40, "run"), call(20, "incomplete", "reversed"))
    assert script.as_called is not None
    for events in (script.events, script.as_called):
        times = [event.at_ms for event in events]
        assert times == sorted(times)


def test_calls_that_cannot_be_replayed_are_named_with_the_reason(folder: Path) -> None:
    script = read_called(
        folder,
        call(999, "run"),
        call(40, "other"),
        call(50, "quick kick", live_action="", fouls=""),
    )
    assert script.left_out == (
        "corrections.csv, line 2, play 999: the play-by-play has no such play",
        "corrections.csv, line 3, play 40: action other does not say what was called; only its "
        "fouls are imported",
        "corrections.csv, line 4, play 50: action quick kick does not say what was called; only "
        "its fouls are imported",
    )
    assert [body for *_, body in standing_of(steps(script))] == bodies(script)


BROKEN = [
    ("kind", "undone", "must be nullified or reversed, not 'undone'"),
    ("kind", "", "is empty"),
    ("play_id", "", "is empty"),
    ("play_id", "first", "must be a number, not 'first'"),
    ("yards", "ten", "must be a number, not 'ten'"),
    ("yards", "111", "must be from -110 to 110, not 111"),
    ("touchdown", "maybe", "must be 0 or 1, not 'maybe'"),
    ("fumble_lost", "2", "must be 0 or 1, not '2'"),
    ("offense", "NYJ", "must be SUM or HRB, the clubs of this game, not 'NYJ'"),
    ("fouls", "holding", "must look like HRB:False Start:5 yd"),
    ("fouls", "NYJ:Offside:5 yd", "must look like HRB:False Start:5 yd"),
    ("live_action", "yes", "must be 0 or 1, not 'yes'"),
]


@pytest.mark.parametrize(
    ("column", "value", "says"), BROKEN, ids=[f"{case[0]}={case[1]}" for case in BROKEN]
)
def test_a_broken_cell_is_named_by_file_line_and_column(
    folder: Path, column: str, value: str, says: str
) -> None:
    good = call(40, "run", fumble=1, **R)
    with pytest.raises(FileError) as caught:
        read_called(folder, good, good | {column: value})
    assert str(caught.value).startswith(
        f"{folder / 'corrections.csv'}, line 3, column {column}: {says}"
    )


def test_a_table_without_its_columns_is_refused(folder: Path) -> None:
    write(
        folder / "corrections.csv",
        ["game_id", "play_id", "stars"],
        [{"game_id": GAME, "play_id": 1, "stars": 2}],
    )
    with pytest.raises(
        FileError, match=r"corrections\.csv, line 1, column kind: the header has no such column"
    ):
        list(read_games([folder / "pbp" / f"{GAME}.csv"]))


def test_bytes_that_are_no_table_are_refused(folder: Path) -> None:
    (folder / "corrections.csv").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    with pytest.raises(FileError, match=r"corrections\.csv, line 1"):
        list(read_games([folder / "pbp" / f"{GAME}.csv"]))


PLAYERS = st.sampled_from(["", PASSER, CATCHER, RUNNER, TACKLER, THIEF])
FLAGS = st.sampled_from(["", "0", "1"])
CALLS = st.fixed_dictionaries(
    {
        "game_id": st.just(GAME),
        "play_id": st.sampled_from([10, 20, 30, 40, 50, 60, 80, 999]),
        "kind": st.sampled_from(["nullified", "reversed"]),
        "action": st.sampled_from([*sorted(first_calls.ACTIONS), "", "other"]),
        "offense": st.sampled_from(["", H, S]),
        "yards": st.just("") | st.integers(-110, 110).map(str),
        "recovered_team": st.sampled_from(["", H, S]),
        "tackler_ids": st.lists(PLAYERS, max_size=4).map(";".join),
        "challenged_by": st.sampled_from(["", H, "The Replay Official"]),
        "fouls": st.sampled_from(
            ["", "SUM:Offside:5 yd", "HRB:Clip:declined|SUM:Offside:5 yd", "HRB:Clip:offsetting"]
        ),
    }
    | {
        f"{who}_player_id": PLAYERS
        for who in ("passer", "receiver", "rusher", "interceptor", "kicker", "punter")
    }
    | dict.fromkeys(("live_action", "good", "touchdown", "safety", "fumble", "fumble_lost"), FLAGS)
)
BESIDE_THE_PLAY = ev.Snap | ev.Penalty | ev.Challenge


@settings(max_examples=100, deadline=None)
@given(st.lists(CALLS, max_size=6))
def test_whatever_was_called_the_final_record_stands_in_the_end(table: list[Cells]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "pbp" / f"{GAME}.csv", WIDE, small_game())
        script = read_called(folder, *table)
    assert [
        body for *_, body in standing_of(steps(script)) if not isinstance(body, BESIDE_THE_PLAY)
    ] == [body for body in bodies(script) if not isinstance(body, BESIDE_THE_PLAY)]
