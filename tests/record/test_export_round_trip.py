"""A game exported as CSV and read back gives the same points and stat lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.asof import valid_events
from app.record.pages.exports.wide_csv import wide_csv
from app.record.play_by_play import read_games
from app.record.queries import events
from app.record.rules.state import game_state
from app.record.services import store_script
from tests.conftest import REAL_GAMES
from tests.record.exports import H, S, back, lines, numbered, points_of, row_of
from tests.worlds.games import KICKOFF, ingest, messages


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_simulated_game_comes_back_with_the_same_points_for_everybody(
    client: FlaskClient, tmp_path: Path, seed: int
) -> None:
    game = simulated_game(seed, KICKOFF)
    store_script(game)
    ingest(messages([step.body for step in game.events], game.game_id))
    response = client.get(f"/games/{game.game_id}/export.csv")
    assert response.mimetype == "text/csv"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{game.game_id}.csv"'
    script, again = back(response.text, tmp_path)
    here = valid_events(events(game.game_id))
    assert len(lines(here)) > 40
    assert points_of(lines(again)) == points_of(lines(here))
    assert lines(again) == lines(here)
    assert (script.game_id, script.season, script.season_type, script.week, script.kickoff) == (
        game.game_id,
        game.season,
        game.season_type,
        game.week,
        game.kickoff,
    )
    then, now = game_state(again), game_state(here, game.home.id, game.away.id)
    assert (then.home_by_period, then.away_by_period, then.status) == (
        now.home_by_period,
        now.away_by_period,
        now.status,
    )


@pytest.mark.full
@pytest.mark.realgames
def test_every_real_game_comes_back_with_the_same_points_for_everybody(tmp_path: Path) -> None:
    files = sorted(REAL_GAMES.glob("*/pbp/*.csv.gz"))
    assert len(files) == 35
    for file in files:
        (script,) = read_games([file], None)
        here = numbered(step.body for step in script.events)
        game = row_of(here, script.home.id, script.away.id, script.game_id)
        _, again = back(wide_csv(game, here, {}), tmp_path)
        assert points_of(lines(again)) == points_of(lines(here)), file.name


def snap(possession: str = H, spot: int = 40, situation: str = "scrimmage") -> ev.Snap:
    down = 1 if situation == "scrimmage" else None
    return ev.Snap(
        possession=possession,
        spot=spot,
        period=1,
        clock=600,
        situation=situation,
        down=down,
        distance=10 if down else None,
    )  # type: ignore[arg-type]


ODD_PLAYS: list[tuple[str, list[ev.Body]]] = [
    (
        "a lateral after a catch that scores",
        [
            snap(),
            ev.Pass(
                team=H,
                passer="H1",
                receiver="H2",
                result="complete",
                throw_yard=40,
                reception_yard=60,
            ),
            ev.Run(team=H, player="H2", kind="after_catch", start_yard=60, end_yard=70),
            ev.Run(
                team=H,
                player="H3",
                kind="after_lateral",
                start_yard=70,
                end_yard=100,
                is_touchdown=True,
            ),
        ],
    ),
    (
        "a lateral on a rush that comes back to the runner",
        [
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=45),
            ev.Run(team=H, player="H2", kind="after_lateral", start_yard=45, end_yard=55),
            ev.Run(team=H, player="H3", kind="after_lateral", start_yard=55, end_yard=60),
        ],
    ),
    (
        "a punt returned for a touchdown",
        [
            snap(),
            ev.Kick(
                team=H, kicker="H9", kind="punt", result="returned", start_yard=40, distance=40
            ),
            ev.Run(
                team=S, player="S2", kind="return", start_yard=20, end_yard=100, is_touchdown=True
            ),
        ],
    ),
    (
        "a muffed punt",
        [
            snap(),
            ev.Kick(
                team=H, kicker="H9", kind="punt", result="recovered", start_yard=40, distance=40
            ),
            ev.Fumble(team=S, player="S2", yard=20),
            ev.Recovery(team=H, player="H3", yard=80),
        ],
    ),
    (
        "a blocked punt brought in",
        [
            snap(),
            ev.Kick(
                team=H,
                kicker="H9",
                kind="punt",
                result="blocked",
                start_yard=40,
                blocked_by="S9",
                blocked_by_team=S,
            ),
            ev.Recovery(team=S, player="S3", yard=70),
            ev.Run(
                team=S,
                player="S3",
                kind="after_recovery",
                start_yard=70,
                end_yard=100,
                is_touchdown=True,
            ),
        ],
    ),
    (
        "an own kickoff recovered in the end zone",
        [
            snap(H, 35, "kickoff"),
            ev.Kick(
                team=H, kicker="H9", kind="kickoff", result="recovered", start_yard=35, distance=65
            ),
            ev.Recovery(team=H, player="H3", yard=100, is_touchdown=True),
        ],
    ),
    (
        "a fumble lost on a sack and brought in",
        [
            snap(),
            ev.Sack(team=H, player="H1", start_yard=40, end_yard=33, by_team=S, by=("S9", "S3")),
            ev.Fumble(team=H, player="H1", yard=33, forced_by="S9", forced_by_team=S),
            ev.Recovery(team=S, player="S3", yard=67),
            ev.Run(
                team=S,
                player="S3",
                kind="after_recovery",
                start_yard=67,
                end_yard=100,
                is_touchdown=True,
            ),
        ],
    ),
    (
        "an own fumble recovered and brought in",
        [
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=50),
            ev.Fumble(team=H, player="H3", yard=50),
            ev.Recovery(team=H, player="H2", yard=52),
            ev.Run(
                team=H,
                player="H2",
                kind="after_recovery",
                start_yard=52,
                end_yard=100,
                is_touchdown=True,
            ),
        ],
    ),
    (
        "an interception returned, with a lateral that scores",
        [
            snap(),
            ev.Pass(
                team=H,
                passer="H1",
                receiver="H2",
                result="intercepted",
                throw_yard=40,
                reception_yard=60,
            ),
            ev.Interception(team=S, player="S9", yard=40),
            ev.Run(team=S, player="S9", kind="return", start_yard=40, end_yard=60),
            ev.Run(
                team=S,
                player="S3",
                kind="after_lateral",
                start_yard=60,
                end_yard=100,
                is_touchdown=True,
            ),
        ],
    ),
    (
        "two points by pass",
        [
            snap(H, 98, "try"),
            ev.Conversion(team=H, kind="pass", good=True, passer="H1", player="H2"),
        ],
    ),
    (
        "two points by run",
        [snap(H, 98, "try"), ev.Conversion(team=H, kind="rush", good=True, player="H3")],
    ),
    (
        "a try brought back",
        [
            snap(H, 98, "try"),
            ev.Conversion(team=H, kind="pass", good=False, passer="H1", player="H2"),
            ev.Conversion(team=S, side="defence", kind="return", good=True, player="S9"),
        ],
    ),
    (
        "a safety",
        [
            snap(H, 5),
            ev.Sack(team=H, player="H1", start_yard=5, end_yard=0, by_team=S, by=("S9",)),
            ev.Safety(team=S, player="S9"),
        ],
    ),
    (
        "a field goal from 61",
        [
            snap(H, 56),
            ev.Kick(
                team=H, kicker="H9", kind="field_goal", result="good", start_yard=56, distance=61
            ),
        ],
    ),
    (
        "a blocked extra point",
        [
            snap(H, 85, "try"),
            ev.Kick(
                team=H,
                kicker="H9",
                kind="extra_point",
                result="blocked",
                start_yard=85,
                distance=33,
                blocked_by="S9",
                blocked_by_team=S,
            ),
        ],
    ),
    (
        "a catch wiped out by a foul",
        [snap(), ev.Penalty(team=H, player="H3", foul="Offensive Holding", yards=10)],
    ),
    (
        "a spike, a kneel and a scramble",
        [
            snap(),
            ev.Pass(team=H, passer="H1", result="spike", throw_yard=40),
            snap(),
            ev.Run(team=H, player="H1", kind="kneel", start_yard=40, end_yard=39),
            snap(),
            ev.Run(team=H, player="H1", kind="scramble", start_yard=39, end_yard=52),
        ],
    ),
    (
        "credits of the defence",
        [
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=38),
            ev.Tackle(team=S, tackler="S9", tackled="H3", kind="primary", yard=38),
            ev.Tackle(team=S, tackler="S3", tackled="H3", kind="assist", yard=38),
            ev.Credit(team=S, player="S9", kind="tackle_for_loss"),
            snap(),
            ev.Pass(team=H, passer="H1", receiver="H2", result="incomplete", throw_yard=38),
            ev.Credit(team=S, player="S3", kind="pass_defended"),
            ev.Credit(team=S, player="S9", kind="qb_hit"),
        ],
    ),
]


@pytest.mark.parametrize(
    "bodies", [bodies for _, bodies in ODD_PLAYS], ids=[word for word, _ in ODD_PLAYS]
)
def test_an_odd_play_comes_back_as_it_was(tmp_path: Path, bodies: list[ev.Body]) -> None:
    here = numbered([ev.GameStarted(home=H, away=S), *bodies])
    _, again = back(wide_csv(row_of(here), here, {}), tmp_path)
    assert lines(again) == lines(here)
    scores = [
        (state.home_score, state.away_score) for state in (game_state(again), game_state(here))
    ]
    assert scores[0] == scores[1]


def test_the_third_runner_of_a_chain_of_laterals_has_no_column(tmp_path: Path) -> None:
    """As docs/exports.md says: a second lateral's yards have no column.

    The first two runners' are right.
    """
    here = numbered(
        [
            ev.GameStarted(home=H, away=S),
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=45),
            ev.Run(team=H, player="H2", kind="after_lateral", start_yard=45, end_yard=50),
            ev.Run(team=H, player="H1", kind="after_lateral", start_yard=50, end_yard=58),
        ]
    )
    _, again = back(wide_csv(row_of(here), here, {}), tmp_path)
    assert lines(again)["H3"].stats["rushing_yards"] == 5
    assert lines(again)["H2"].stats["rushing_yards"] == 5
    assert "H1" not in lines(again)
