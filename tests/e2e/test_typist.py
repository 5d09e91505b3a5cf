"""Real games typed by keys alone.

The published points, nothing left out, and the same rows from the stream again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from app.accounts.models import Member
from app.embedded.stack import Stack
from app.record import events as ev
from tests.e2e.cable import DEAD_LINE, Cable
from tests.e2e.running import RunningPressbox
from tests.e2e.typist.answers import Person, Spot, last_name
from tests.e2e.typist.headless import with_jerseys
from tests.e2e.typist.lines import type_lines
from tests.e2e.typist.match import compare, make_ready, type_script, type_script_with_the_line_cut
from tests.e2e.typist.rebuilt import compare_rebuilt
from tests.e2e.typist.scene import Scene
from tests.e2e.typist.scorer import plain_drives, plays_of
from tests.e2e.typist.snaps import read, wanted
from tests.e2e.typist.tally import Tally, closing, lines
from tests.e2e.typist.tasks import next_task
from tests.worlds.real_games import FILES, name_of, real_game

SHORTEST = "2019090901"
# Overtime and three reversals; a muff undone; two rulings of one play. `make typist` types all 35.
CHOSEN = ("2019012001", "2019091512", "2019090804")
CUT = "2019091507"
# Painting a large window takes a quarter of the processor time of a whole game.
SMALL = {"width": 640, "height": 360}


@pytest.fixture
def cable(site: str) -> Iterator[Cable]:
    cable = Cable(site)
    yield cable
    cable.cut()


@pytest.fixture
def check(
    pressbox: RunningPressbox, stack: Stack, tmp_path: Path, measured: Callable[[str], None]
) -> Callable[..., None]:
    """Once everything is in the record.

    Points, plays, and all derived rows anew from the stream.
    """

    def of(tally: Tally, page: Page) -> None:
        page.close()
        pressbox.wait_until_idle()
        script = real_game(file_of(tally.game))
        compare(tally, script)
        compare_rebuilt(tally, stack.settings, tmp_path / "blobs")
        measured(lines(tally)[0])
        assert tally.is_right, "\n".join(lines(tally))

    return of


def file_of(game: str) -> Path:
    return next(file for file in FILES if name_of(file) == game)


@pytest.mark.e2e
@pytest.mark.realgames
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(SHORTEST, marks=pytest.mark.smoke),
        *(pytest.param(game, marks=pytest.mark.full) for game in CHOSEN),
    ],
)
def test_a_real_game_is_typed_by_keys_alone(
    game: str,
    processes: None,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
    check: Callable[..., None],
) -> None:
    script = real_game(file_of(game))
    make_ready(script)
    member("sal", role="scorer")
    page = open_page("sal", service_workers="allow", viewport=SMALL)
    check(type_script(page, script), page)


@pytest.mark.e2e
@pytest.mark.realgames
@pytest.mark.full
@pytest.mark.timeout(1800)
def test_a_real_game_is_typed_in_one_line_entry(
    processes: None,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
    check: Callable[..., None],
) -> None:
    script = with_jerseys(real_game(file_of(SHORTEST)))
    make_ready(script)
    member("sal", role="scorer")
    page = open_page("sal", service_workers="allow", viewport=SMALL)
    check(type_lines(page, script), page)


@pytest.mark.e2e
@pytest.mark.realgames
@pytest.mark.full
@pytest.mark.timeout(1800)
def test_a_real_game_is_typed_with_the_line_cut_for_a_whole_drive(
    processes: None,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
    cable: Cable,
    check: Callable[..., None],
) -> None:
    script = real_game(file_of(CUT))
    make_ready(script)
    member("sal", role="scorer")
    page = open_page(
        "sal", base_url=cable.address, service_workers="allow", expect_errors=DEAD_LINE
    )
    check(type_script_with_the_line_cut(page, script, cable), page)


# --- what the typist makes of what it knows and sees


SCENE = Scene("HRB", "SUM", {})


def test_a_snap_is_read_as_the_console_says_it() -> None:
    for sentence, snap in (
        (
            "SUM ball, 2nd & 7 at HRB 28, 12:31 Q1.",
            ev.Snap(possession="SUM", spot=72, period=1, clock=751, down=2, distance=7),
        ),
        (
            "HRB ball, 1st & goal at SUM 4, 0:09 2OT.",
            ev.Snap(possession="HRB", spot=96, period=6, clock=9, down=1, distance=4),
        ),
        (
            "Kickoff by HRB from HRB 35, 15:00 Q3.",
            ev.Snap(possession="HRB", spot=35, period=3, clock=900, situation="kickoff"),
        ),
        (
            "Try by SUM from HRB 15, 3:00 OT.",
            ev.Snap(possession="SUM", spot=85, period=5, clock=180, situation="try"),
        ),
        (
            "SUM ball, 1st & 10 at the 50, 1:00 Q4.",
            ev.Snap(possession="SUM", spot=50, period=4, clock=60, down=1, distance=10),
        ),
    ):
        assert read(sentence, SCENE) == wanted(snap), sentence


def test_a_spot_is_typed_as_scorers_say_it() -> None:
    def typed(yard: int, touchdown: bool = False) -> str:
        return Spot("HRB", "SUM", yard, touchdown).text

    assert [typed(20), typed(50), typed(80), typed(100), typed(-5)] == [
        "20",
        "50",
        "d20",
        "d0",
        "e5",
    ]
    assert [typed(100, touchdown=True), typed(95, touchdown=True)] == ["t", "d5!"]
    assert [last_name(name) for name in ("Odell Beckham Jr.", "T.Brady", "Prince")] == [
        "Beckham",
        "Brady",
        "Prince",
    ]


def test_the_line_is_cut_for_a_drive_without_flag_or_review() -> None:
    def play(club: str, *bodies: ev.Body, situation: str = "scrimmage") -> list[ev.Body]:
        return [
            ev.Snap(possession=club, spot=25, period=1, clock=800, situation=situation),
            *bodies,
        ]  # type: ignore[arg-type]

    flag = ev.Penalty(team="SUM")
    bodies = [
        *play("HRB", situation="kickoff"),
        *(play("SUM") + play("SUM") + play("SUM", flag)),
        *(play("HRB") + play("HRB")),
        *play("SUM"),
    ]
    assert plain_drives(plays_of(bodies)) == [range(4, 6), range(6, 7)]


def test_the_closing_line_counts_keys_prompts_and_plays() -> None:
    first, other = (
        Tally("a", plays=[10, 20, 30], prompts=8, wrong=[], rebuilt=[]),
        Tally("b", plays=[40], prompts=2, wrong=["x"]),
    )
    first.overrule("Pass: Passer")
    first.could_not(2, ev.GameEnded(), "no key")
    first.could_not(2, ev.GameEnded(), "no key either")
    assert closing([first, other]) == (
        "1 of 2 games equal to the published points, 1 the same from the stream again; "
        "4 plays, keys a play: median 25, 90th percentile 37; "
        "prompts overruled: 1 (10.0% of 10 that proposed something); plays that could not be "
        "typed: 1"
    )
    assert lines(first)[1] == "  play 2, game_ended: not typed: no key"


def made(*bodies: ev.Body) -> dict[str, list[int]]:
    """The steps that the first entry for these brings about, by question.

    `` for those that it makes in any case.
    """
    people = {name: Person(name) for name in ("back", "end", "one", "two")}
    task = next_task(list(enumerate(bodies, 1)), Scene("HRB", "SUM", people))
    return {"": task.made} | {question: ask.made for question, ask in task.asks.items() if ask.made}


def stop(tackler: str, kind: Literal["solo", "primary", "assist"], yard: int = 22) -> ev.Tackle:
    return ev.Tackle(team="SUM", tackler=tackler, tackled="back", kind=kind, yard=yard)


RUN = ev.Run(team="HRB", player="back", kind="rush", start_yard=25, end_yard=22)
LOSS = ev.Credit(team="SUM", player="one", kind="tackle_for_loss")


def test_one_entry_brings_about_what_the_console_asks_for_with_it() -> None:
    assert made(RUN, stop("one", "primary"), stop("two", "assist"), LOSS) == {
        "": [1],
        "Tackled by": [2, 3],
        "A tackle for loss?": [4],
    }
    assert made(RUN, stop("one", "solo"), stop("two", "solo")) == {"": [1], "Tackled by": [2]}
    assert made(RUN, stop("one", "solo", yard=30)) == {"": [1]}, (
        "somewhere else: a tackle of its own"
    )
    sack = ev.Sack(
        team="HRB", player="back", start_yard=25, end_yard=22, by_team="SUM", by=("one",)
    )
    hit = ev.Credit(team="SUM", player="one", kind="qb_hit")
    assert made(sack, stop("one", "solo"), hit, LOSS) == {
        "": [1],
        "Then": [2],
        "Credited with": [3, 4],
    }
    caught = ev.Pass(
        team="HRB",
        passer="end",
        receiver="back",
        result="complete",
        throw_yard=25,
        reception_yard=30,
    )
    on = ev.Run(team="HRB", player="back", kind="after_catch", start_yard=30, end_yard=40)
    assert made(caught, on, stop("one", "solo", yard=40)) == {
        "": [1],
        "Ran to": [2],
        "Tackled by": [3],
    }


def test_the_last_foul_for_which_the_play_does_not_count_strikes_it_out() -> None:
    flag = ev.Penalty(team="SUM", outcome="nullify")
    declined = ev.Penalty(team="HRB", status="declined", outcome="decline")
    strike = ev.Nullify(events=(1,))
    assert made(flag, declined, strike) == {"": [1], "Strike out the play?": [3]}
    assert made(flag, flag, strike) == {"": [1]}
