"""Every kind of call that corrections.csv knows is published and leaves nothing standing."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.record import events as ev
from tests.record.deliveries import standing_of
from tests.worlds.called_games import (
    FOOT,
    NOTHING_STANDS,
    THEFT,
    C,
    P,
    R,
    call,
    of_play,
    read_called,
    steps,
)
from tests.worlds.play_by_play import (
    CATCHER,
    KICKER,
    PASSER,
    RUNNER,
    TACKLER,
    THIEF,
    H,
    S,
    bodies,
    named,
)

# word, the call, and what is published: type and the values of the fields named
ACTIONS: list[tuple[str, dict[str, object], list[tuple[type, dict[str, object]]]]] = [
    (
        "a run for a touchdown",
        call(40, "run", yards=70, touchdown=1, **R),
        [(ev.Run, {"kind": "rush", "end_yard": 100, "is_touchdown": True})],
    ),
    (
        "a kneel",
        call(40, "kneel", yards=-1, **R),
        [(ev.Run, {"kind": "kneel", "start_yard": 30, "end_yard": 29})],
    ),
    (
        "a scramble",
        call(40, "scramble", yards=4, **R),
        [(ev.Run, {"kind": "scramble", "end_yard": 34})],
    ),
    ("a spike", call(40, "spike", **P), [(ev.Pass, {"result": "spike"})]),
    (
        "an interception brought home",
        call(40, "interception", yards=20, touchdown=1, tackler_ids=RUNNER, **P, **THEFT),
        [
            (ev.Pass, {"result": "intercepted"}),
            (ev.Interception, {"team": S, "player": THIEF}),
            (ev.Run, {"team": S, "kind": "return", "is_touchdown": True}),
            (ev.Tackle, {"team": H, "tackler": RUNNER}),
        ],
    ),
    (
        "a catch fumbled away",
        call(
            40,
            "complete",
            yards=6,
            fumble=1,
            fumble_lost=1,
            recovered_team=S,
            recovered_by="T.Quick",
            tackler_ids=TACKLER,
            **P,
            **C,
        ),
        [
            (ev.Pass, {"reception_yard": 36}),
            (ev.Fumble, {"player": CATCHER, "yard": 36}),
            (ev.Recovery, {"team": S, "player": THIEF}),
            (ev.Tackle, {"tackler": TACKLER, "tackled": CATCHER}),
        ],
    ),
    (
        "a fumble brought home",
        call(40, "run", yards=3, touchdown=1, fumble=1, fumble_lost=1, recovered_team=S, **R),
        [
            (ev.Run, {"is_touchdown": False}),
            (ev.Fumble, {"player": RUNNER}),
            (ev.Recovery, {"team": S, "is_touchdown": True}),
        ],
    ),
    (
        "a fumble kept",
        call(40, "run", yards=3, fumble=1, fumble_lost=0, **R),
        [(ev.Run, {}), (ev.Fumble, {})],
    ),
    (
        "a shared sack",
        call(40, "sack", yards=-7, tackler_ids=f"{TACKLER};{THIEF}", **P),
        [
            (ev.Sack, {"end_yard": 23, "by": (TACKLER, THIEF)}),
            (ev.Tackle, {"kind": "primary"}),
            (ev.Tackle, {"kind": "assist"}),
        ],
    ),
    (
        "a safety",
        call(40, "sack", yards=-30, safety=1, **P),
        [(ev.Sack, {"end_yard": 0}), (ev.Safety, {"team": S})],
    ),
    (
        "a punt brought home",
        call(40, "punt", yards=40, touchdown=1, **named("punter", KICKER, "")),
        [
            (ev.Kick, {"kind": "punt", "distance": 40, "kicker": KICKER}),
            (
                ev.Run,
                {
                    "team": S,
                    "kind": "return",
                    "start_yard": 30,
                    "end_yard": 100,
                    "is_touchdown": True,
                },
            ),
        ],
    ),
    (
        "a field goal",
        call(40, "field_goal", yards=51, good=1, **FOOT),
        [(ev.Kick, {"kind": "field_goal", "result": "good", "distance": 51})],
    ),
    (
        "a missed field goal",
        call(40, "field_goal", yards=51, good=0, **FOOT),
        [(ev.Kick, {"result": "missed"})],
    ),
    (
        "an extra point",
        call(40, "extra_point", good=1, **FOOT),
        [(ev.Kick, {"kind": "extra_point", "result": "good"})],
    ),
    (
        "two points thrown",
        call(40, "two_point", good=1, **P, **C),
        [(ev.Conversion, {"kind": "pass", "good": True, "passer": PASSER, "player": CATCHER})],
    ),
    (
        "two points missed on the ground",
        call(40, "two_point", good=0, **R),
        [(ev.Conversion, {"kind": "rush", "good": False, "player": RUNNER})],
    ),
    (
        "the other club had the ball",
        call(40, "run", yards=5, offense=S, defense=H, **R),
        [(ev.Run, {"team": S, "start_yard": 70, "end_yard": 75})],
    ),
]


@pytest.mark.parametrize(("word", "row", "published"), ACTIONS, ids=[case[0] for case in ACTIONS])
def test_every_kind_of_call_is_published_and_leaves_nothing(
    folder: Path, word: str, row: dict[str, object], published: list[tuple[type, dict[str, object]]]
) -> None:
    script = read_called(folder, row)
    assert script.left_out == ()
    play = of_play(steps(script), 4)
    movements = [body for body in play if not isinstance(body, NOTHING_STANDS)]
    assert [type(body) for body in movements] == [kind for kind, _ in published]
    for body, (_, fields) in zip(movements, published, strict=True):
        assert {name: getattr(body, name) for name in fields} == fields
    assert [ev.check(body) for body in play] == play
    assert [body for *_, body in standing_of(steps(script))] == bodies(script)
