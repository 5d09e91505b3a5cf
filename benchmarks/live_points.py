"""How fast a million team sheets are scored, as arrays, against a loop over objects (PRODUCT B7).

`python -m benchmarks.live_points --sheets 1000000` makes sheets of a format and footballers in the
middle of a gameweek: some have not played though their games are over, so that captains and
substitutes move. It times `lineups.counted` and `lineups.totals` on all of them, the same after one
play (only sheets that own its footballers), and the loop on a sample; every sheet of the sample
must come out equal. Nothing but NumPy and the rules runs: no database, no boards.
docs/benchmarks.md holds the figures.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.sheets.lineups import Footballers, Lineups, counted, totals

FOOTBALLERS = 1_700  # about as many as a season's rosters have
ROUNDS = 5
SHARE_NOT_HELD = 0.95  # the others have points under review


@dataclass
class Player:
    """A footballer as an object."""

    position: str
    points: int
    held_points: int
    played: bool
    is_over: bool


@dataclass
class Sheet:
    """A sheet as an object; captains count from 0."""

    picks: list[Player]
    captain: int
    vice_captain: int


@dataclass
class _World:
    roster_format: Format
    lineups: Lineups
    footballers: Footballers
    positions: list[str]

    @classmethod
    def made(cls, roster_format: Format, sheets: int, seed: int) -> _World:
        """Legal sheets: each place draws from footballers of its own.

        One footballer in eight is out, one in four is still to play.
        """
        chance = np.random.default_rng(seed)
        positions = [
            roster_format.positions[number % len(roster_format.positions)]
            for number in range(FOOTBALLERS)
        ]
        owned = np.empty((sheets, len(roster_format.places)), np.int32)
        for place, slot in enumerate(roster_format.places):
            rounds = [
                n // len(roster_format.positions) % len(roster_format.places)
                for n in range(FOOTBALLERS)
            ]
            fit = [n for n, of in enumerate(positions) if of in slot.accepts and rounds[n] == place]
            owned[:, place] = chance.choice(np.array(fit, np.int32), sheets)
        captain = chance.integers(0, len(roster_format.starters), sheets).astype(np.int8)
        vice = (
            (captain + chance.integers(1, len(roster_format.starters), sheets))
            % len(roster_format.starters)
        ).astype(np.int8)
        fate = chance.random(FOOTBALLERS)
        played = fate > 3 / 8
        footballers = Footballers(
            points=np.where(played, chance.integers(-2_000, 30_000, FOOTBALLERS), 0),
            held_points=np.where(fate > SHARE_NOT_HELD, 6_000, 0),
            group=np.array([roster_format.group_of(position) for position in positions], np.int8),
            played=played,
            is_over=(fate < 1 / 8) | played,
        )
        return cls(roster_format, Lineups(owned, captain, vice), footballers, positions)

    def some(self, rows: np.ndarray) -> Lineups:
        every = self.lineups
        return Lineups(every.owned[rows], every.captain[rows], every.vice_captain[rows])

    def objects(self, count: int) -> list[Sheet]:
        of = self.footballers
        players = [
            Player(
                position,
                int(of.points[n]),
                int(of.held_points[n]),
                bool(of.played[n]),
                bool(of.is_over[n]),
            )
            for n, position in enumerate(self.positions)
        ]
        every = self.lineups
        return [
            Sheet(
                [players[n] for n in every.owned[row]],
                int(every.captain[row]),
                int(every.vice_captain[row]),
            )
            for row in range(count)
        ]


def by_loop(roster_format: Format, sheet: Sheet) -> tuple[int, int]:
    """Return points and held points of one sheet by the rule of lineups.py, player by player."""
    size = len(roster_format.starters)
    multipliers = [1] * size + [0] * (len(sheet.picks) - size)
    out = [player.is_over and not player.played for player in sheet.picks]
    plays = list(sheet.picks[:size])
    waiting = out[:size]
    for bench in range(size, len(sheet.picks)):
        player = sheet.picks[bench]
        if not player.played:
            continue
        for place in range(size):
            if waiting[place] and _is_legal(
                roster_format, [*plays[:place], player, *plays[place + 1 :]]
            ):
                plays[place], waiting[place] = player, False
                multipliers[place], multipliers[bench] = 0, 1
                break
    if not out[sheet.captain]:
        multipliers[sheet.captain] *= 2
    elif not out[sheet.vice_captain]:
        multipliers[sheet.vice_captain] *= 2
    return (
        sum(player.points * often for player, often in zip(sheet.picks, multipliers, strict=True)),
        sum(
            player.held_points * often
            for player, often in zip(sheet.picks, multipliers, strict=True)
        ),
    )


def _is_legal(roster_format: Format, plays: Sequence[Player]) -> bool:
    counts = [sum(player.position in group for player in plays) for group in roster_format.groups]
    return roster_format.fills(counts)


def _best_of(rounds: int, work: Callable[[], object]) -> float:
    """Return the processor seconds of the fastest round; waiting for a core does not count."""
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def _measure(roster_format: Format, sheets: int, sample: int, seed: int) -> None:
    world = _World.made(roster_format, sheets, seed)

    def score(lineups: Lineups) -> tuple[np.ndarray, np.ndarray]:
        return totals(
            lineups, counted(roster_format, lineups, world.footballers), world.footballers
        )

    points, held_points = score(world.lineups)
    whole = _best_of(ROUNDS, lambda: score(world.lineups))
    objects = world.objects(sample)
    looped = [by_loop(roster_format, sheet) for sheet in objects]
    if looped != list(zip(points[:sample].tolist(), held_points[:sample].tolist(), strict=True)):
        sys.exit(f"{roster_format.name}: the arrays and the loop disagree.")
    loop = _best_of(ROUNDS, lambda: [by_loop(roster_format, sheet) for sheet in objects])

    # for example passer, runner and tackler
    touched = np.isin(np.arange(FOOTBALLERS), world.lineups.owned[0, :3])
    rows = np.flatnonzero(touched[world.lineups.owned].any(axis=1))
    find = _best_of(ROUNDS, lambda: np.flatnonzero(touched[world.lineups.owned].any(axis=1)))
    play = _best_of(ROUNDS, lambda: score(world.some(rows)))

    each, each_loop = whole / sheets * 1e9, loop / sample * 1e9
    print(
        f"| {roster_format.name} | {whole:.2f} s | {each:,.0f} ns | {each_loop:,.0f} ns | "
        f"{each_loop / each:.0f} × | "
        f"{find * 1000:.0f} ms | {len(rows):,} | {play * 1000:.0f} ms |",
        flush=True,
    )


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--sheets", type=int, default=1_000_000)
    parser.add_argument(
        "--sample", type=int, default=20_000, help="sheets of the loop over objects"
    )
    parser.add_argument("--formats", nargs="+", choices=list(FORMATS), default=list(FORMATS))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(
        f"{arguments.sheets:,} sheets of each format, {FOOTBALLERS:,} footballers; the loop on "
        f"{arguments.sample:,} sheets"
    )
    print(
        "\n| format | all sheets | a sheet | a sheet by the loop | ratio | who is touched | "
        "touched | their totals |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.formats:
        _measure(FORMATS[name], arguments.sheets, arguments.sample, arguments.seed)


if __name__ == "__main__":
    main()
