"""Plays by the official statisticians' credits, and each player's expected statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.record import events as ev
from app.record.play_by_play import chain
from app.record.play_by_play.playstats import StatRow
from app.record.play_by_play.stat_ids import Play
from app.record.rules.stat_lines import game_credits, stat_lines
from tests.worlds.play_by_play import H, S, numbered

Credits = Sequence[tuple[int, int, str, str | None]]


def play_bodies(rows: Credits, spot: int = 30, **more: object) -> list[ev.Body]:
    """The bodies of a play of Harbor from (stat id, yards, team, player) rows, each validated."""
    stats = tuple(StatRow(stat, yards, team, player, player) for stat, yards, team, player in rows)
    bodies = chain.bodies(Play(possession=H, other=S, spot=spot, rows=stats, **more))  # type: ignore[arg-type]
    return [ev.check(body) for body in bodies]


def lines(bodies: Iterable[ev.Body]) -> dict[str, dict[str, int]]:
    snap = ev.Snap(possession=H, spot=30, period=1, clock=0)
    return {
        player: line.stats
        for player, line in stat_lines(game_credits(numbered([snap, *bodies]))).items()
    }


CATCH: Credits = [
    (15, 12, H, "passer"),
    (111, 8, H, "passer"),
    (21, 12, H, "catcher"),
    (115, 0, H, "catcher"),
]

# word, the play's credits, and what each player must have of the statistics named
PLAYS: list[tuple[str, Credits, dict[str, dict[str, int]]]] = [
    (
        "a catch and run",
        CATCH,
        {
            "passer": {"passing_yards": 12, "completions": 1, "attempts": 1},
            "catcher": {"receiving_yards": 12, "receptions": 1, "targets": 1},
        },
    ),
    (
        "two laterals and a touchdown",
        [
            (16, 70, H, "passer"),
            (111, 8, H, "passer"),
            (21, 12, H, "catcher"),
            (115, 0, H, "catcher"),
            (23, 20, H, "second"),
            (24, 38, H, "third"),
        ],
        {
            "passer": {"passing_yards": 70, "passing_tds": 1},
            "catcher": {"receiving_yards": 12, "receiving_tds": 0},
            "second": {"receiving_yards": 20, "receptions": 0},
            "third": {"receiving_yards": 38, "receiving_tds": 1, "receptions": 0},
        },
    ),
    (
        "a lateral nobody knows the runner of",
        [(16, 70, H, "passer"), (22, 30, H, "catcher"), (115, 0, H, "catcher")],
        {
            "passer": {"passing_yards": 70, "passing_tds": 1},
            "catcher": {"receiving_yards": 30, "receiving_tds": 1},
        },
    ),
    (
        "a passing touchdown that no receiver is credited with",
        [(16, 30, H, "passer"), (21, 30, H, "catcher"), (115, 0, H, "catcher")],
        {
            "passer": {"passing_yards": 30, "passing_tds": 1},
            "catcher": {"receiving_yards": 30, "receiving_tds": 0},
        },
    ),
    (
        "a passer who catches their own pass",
        [(15, -4, H, "passer"), (21, -4, H, "passer"), (115, 0, H, "passer")],
        {"passer": {"passing_yards": -4, "receiving_yards": -4, "receptions": 1, "completions": 1}},
    ),
    (
        "two passers",
        [(14, 0, H, "first"), (15, 9, H, "second"), (21, 9, H, "catcher"), (115, 0, H, "catcher")],
        {"first": {"attempts": 1, "completions": 0}, "second": {"attempts": 1, "passing_yards": 9}},
    ),
    (
        "a lateral on a rush",
        [(10, 4, H, "runner"), (13, 66, H, "second")],
        {
            "runner": {"carries": 1, "rushing_yards": 4},
            "second": {"carries": 0, "rushing_yards": 66, "rushing_tds": 1},
        },
    ),
    (
        "a sack shared",
        [(20, -7, H, "passer"), (84, -7, S, "one"), (84, -7, S, "two")],
        {
            "passer": {"sacks_suffered": 1, "sack_yards_lost": 7, "attempts": 0},
            "one": {"half_sacks": 1},
        },
    ),
    (
        "half a sack, the other the team's",
        [(20, -7, H, "passer"), (84, -7, S, "one")],
        {"one": {"half_sacks": 1}},
    ),
    (
        "two whole sacks on a play",
        [(20, -7, H, "passer"), (83, -7, S, "one"), (83, 0, S, "two")],
        {"passer": {"sacks_suffered": 1}, "one": {"half_sacks": 2}, "two": {"half_sacks": 2}},
    ),
    (
        "a strip-sack carried home",
        [
            (20, -7, H, "passer"),
            (83, -7, S, "one"),
            (52, 0, H, "passer"),
            (106, 0, H, "passer"),
            (91, 0, S, "one"),
            (60, 23, S, "two"),
        ],
        {
            "passer": {"fumbles": 1, "fumbles_lost_scoring": 1},
            "one": {"fumbles_forced": 1},
            "two": {
                "fumbles_recovered_opp": 1,
                "fumble_recovery_tds": 1,
                "def_tds": 1,
                "special_teams_tds": 0,
            },
        },
    ),
    (
        "an interception fumbled back",
        [
            (19, 0, H, "passer"),
            (112, 20, H, "passer"),
            (115, 0, H, "catcher"),
            (25, 10, S, "thief"),
            (52, 0, S, "thief"),
            (106, 0, S, "thief"),
            (59, 3, H, "passer"),
        ],
        {
            "passer": {"passing_interceptions": 1, "attempts": 1, "fumbles_recovered_opp": 1},
            "catcher": {"targets": 1, "receptions": 0},
            "thief": {"interceptions_made": 1, "fumbles_lost": 1, "fumbles_lost_scoring": 0},
        },
    ),
    (
        "an interception brought home after a lateral",
        [(19, 0, H, "passer"), (25, 10, S, "thief"), (28, 40, S, "mate")],
        {
            "thief": {"interceptions_made": 1, "def_tds": 0},
            "mate": {"def_tds": 1, "interceptions_made": 0},
        },
    ),
    (
        "two fumbles on a play, both lost",
        [
            (10, 5, H, "runner"),
            (52, 0, H, "runner"),
            (106, 0, H, "runner"),
            (59, 6, S, "thief"),
            (53, 0, S, "thief"),
            (106, 0, S, "thief"),
            (60, 20, H, "mate"),
        ],
        {
            "runner": {"fumbles_lost_scoring": 1},
            "thief": {"fumbles_lost": 1, "fumbles_lost_scoring": 0, "fumbles_recovered_opp": 1},
            "mate": {"fumble_recovery_tds": 1, "fumbles_recovered_opp": 1},
        },
    ),
    (
        "two fumbles listed before both recoveries",
        [
            (10, 5, H, "runner"),
            (53, 0, S, "thief"),
            (106, 0, S, "thief"),
            (52, 0, H, "runner"),
            (106, 0, H, "runner"),
            (59, 6, S, "thief"),
            (59, 2, H, "mate"),
        ],
        {"runner": {"fumbles_lost": 1, "fumbles_lost_scoring": 1}, "thief": {"fumbles_lost": 1}},
    ),
    (
        "a lost fumble that nobody is credited with recovering",
        [(10, 60, H, "runner"), (53, 0, H, "runner"), (54, 0, H, "runner"), (106, 0, H, "runner")],
        {"runner": {"fumbles": 1, "fumbles_lost": 1, "fumbles_lost_scoring": 1}},
    ),
    (
        "a fumble the other club recovered, officially not lost",
        [(10, 6, H, "runner"), (53, 0, H, "runner"), (59, 0, S, "thief")],
        {"runner": {"fumbles": 1, "fumbles_lost": 0}, "thief": {"fumbles_recovered_opp": 1}},
    ),
    (
        "a forced fumble out of bounds is one fumble",
        [(10, 6, H, "runner"), (52, 0, H, "runner"), (54, 0, H, "runner"), (91, 0, S, "one")],
        {"runner": {"fumbles": 1, "fumbles_lost": 0}, "one": {"fumbles_forced": 1}},
    ),
    (
        "a recovery without a fumble",
        [(10, 6, H, "runner"), (60, 30, S, "thief")],
        {
            "runner": {"fumbles_lost": 0},
            "thief": {"fumbles_recovered_opp": 1, "fumble_recovery_tds": 1},
        },
    ),
    (
        "an aborted snap kept, then a rush of nothing",
        [(53, 0, H, "passer"), (55, 0, H, "passer"), (10, 0, H, "passer"), (57, -3, H, "passer")],
        {
            "passer": {
                "fumbles": 1,
                "fumbles_recovered_own": 1,
                "carries": 1,
                "rushing_yards": 0,
                "fumbles_lost": 0,
            }
        },
    ),
    (
        "an aborted snap kept, then a completed pass",
        [(53, 0, H, "centre"), (55, 0, H, "passer"), *CATCH],
        {
            "centre": {"fumbles": 1, "fumbles_lost": 0},
            "passer": {"passing_yards": 12, "fumbles_recovered_own": 1},
        },
    ),
    (
        "a centre's bad snap lost",
        [
            (10, 0, H, "passer"),
            (57, -5, H, "centre"),
            (53, 0, H, "centre"),
            (106, 0, H, "centre"),
            (59, 4, S, "thief"),
        ],
        {
            "centre": {"fumbles_lost": 1, "fumbles_lost_scoring": 0},
            "passer": {"carries": 1, "fumbles_lost": 0},
        },
    ),
    (
        "a lateral after a recovery",
        [(10, 5, H, "runner"), (53, 0, H, "runner"), (55, 2, H, "mate"), (58, 63, H, "other")],
        {
            "mate": {"fumbles_recovered_own": 1, "fumble_recovery_tds": 0},
            "other": {"own_fumble_recovery_tds": 1},
        },
    ),
    (
        "a receiver of a lateral who loses the ball",
        [
            *CATCH[:2],
            (21, 7, H, "catcher"),
            (115, 0, H, "catcher"),
            (23, 5, H, "second"),
            (53, 0, H, "second"),
            (106, 0, H, "second"),
            (59, 0, S, "thief"),
        ],
        {"second": {"fumbles_lost": 1, "fumbles_lost_scoring": 0, "receiving_yards": 5}},
    ),
    (
        "a punt brought back",
        [(29, 45, H, "punter"), (34, 75, S, "returner")],
        {"returner": {"punt_returns": 1, "special_teams_tds": 1, "def_tds": 0}},
    ),
    (
        "a muff that the kickers carry home",
        [
            (29, 45, H, "punter"),
            (53, 0, S, "returner"),
            (106, 0, S, "returner"),
            (33, 0, S, "returner"),
            (60, 12, H, "cover"),
        ],
        {
            "returner": {"fumbles_lost": 1, "fumbles_lost_scoring": 0, "punt_returns": 1},
            "cover": {"fumble_recovery_tds": 1, "special_teams_tds": 0},
        },
    ),
    (
        "a blocked punt picked up",
        [(2, 0, H, "punter"), (86, 0, S, "tall"), (64, 20, S, "back")],
        {
            "back": {"special_teams_tds": 1, "fumbles_recovered_opp": 0},
            "tall": {"kicks_blocked": 1},
        },
    ),
    (
        "a blocked field goal fumbled on the way back",
        [
            (88, 0, S, "tall"),
            (71, 40, H, "kicker"),
            (63, 20, S, "back"),
            (52, 0, S, "back"),
            (106, 0, S, "back"),
            (59, 0, H, "holder"),
        ],
        {
            "kicker": {"fg_att": 1, "fg_blocked": 1},
            "back": {"fumbles_lost": 1, "fumbles_lost_scoring": 0},
        },
    ),
    (
        "a missed field goal brought back",
        [(69, 58, H, "kicker"), (64, 100, S, "back")],
        {
            "kicker": {"fg_missed": 1},
            "back": {"special_teams_tds": 1, "kickoff_returns": 0, "punt_returns": 0},
        },
    ),
    (
        "yards of their own sort on a punt are no return",
        [(29, 40, H, "punter"), (64, 60, S, "back")],
        {"back": {"special_teams_tds": 1, "punt_returns": 0}},
    ),
    (
        "a kickoff brought back after a lateral",
        [(41, 60, H, "kicker"), (45, 10, S, "returner"), (48, 85, S, "mate")],
        {
            "returner": {"kickoff_returns": 1, "special_teams_tds": 0},
            "mate": {"special_teams_tds": 1},
        },
    ),
    (
        "their own kickoff recovered in the end zone",
        [(41, 65, H, "kicker"), (108, 0, H, "cover")],
        {"cover": {"special_teams_tds": 1, "fumble_recovery_tds": 0}},
    ),
    (
        "a throw after a blocked punt",
        [
            (2, 0, H, "punter"),
            (86, 0, S, "tall"),
            (16, 70, H, "punter"),
            (22, 70, H, "catcher"),
            (115, 0, H, "catcher"),
        ],
        {
            "punter": {"passing_tds": 1, "special_teams_tds": 1},
            "catcher": {"receiving_tds": 1, "special_teams_tds": 1},
        },
    ),
    (
        "a fake punt is no special-teams play",
        [(16, 70, H, "punter"), (22, 70, H, "catcher"), (115, 0, H, "catcher")],
        {"punter": {"passing_tds": 1, "special_teams_tds": 0}},
    ),
    (
        "a conversion brought back by the defence",
        [(78, 0, H, "passer"), (105, 0, H, "catcher"), (404, 0, S, "thief")],
        {"thief": {"def_2pt": 1}},
    ),
    (
        "a good conversion",
        [(77, 0, H, "passer"), (104, 0, H, "catcher")],
        {
            "passer": {"passing_2pt": 1, "attempts": 0},
            "catcher": {"receiving_2pt": 1, "targets": 0},
        },
    ),
    (
        "a sack without a sacker",
        [(20, -18, H, "passer"), (53, 0, H, "passer"), (106, 0, H, "passer"), (59, 0, S, "thief")],
        {"passer": {"sacks_suffered": 1, "fumbles_lost_scoring": 1}},
    ),
    (
        "six tackle credits",
        [
            *CATCH,
            *[(79, 0, S, f"solo{n}") for n in range(2)],
            (80, 0, S, "first"),
            *[(82, 0, S, f"help{n}") for n in range(2)],
            (79, 0, S, None),
        ],
        {
            "solo1": {"tackles_solo": 1},
            "first": {"tackles_with_assist": 1},
            "help1": {"tackle_assists": 1},
        },
    ),
]
