"""Captains and substitutes on whole arrays, against the rule written in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, permutations
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.fantasy.engine.ownership import Counted, Ownership, Totals
from app.fantasy.market.formats import FORMATS, Format
from tests.sizes import size


@dataclass(frozen=True)
class Player:
    id: str
    position: str
    points: int
    played: bool
    is_over: bool


def legal(roster_format: Format, positions: list[str]) -> bool:
    """Whether the players can stand in the starting places in some order.

    Tries them one after the other.
    """

    def fill(left: tuple[str, ...], place: int) -> bool:
        if place == len(roster_format.starters):
            return not left
        return any(
            fill(left[:n] + left[n + 1 :], place + 1)
            for n, position in enumerate(left)
            if position in roster_format.starters[place].accepts
        )

    return fill(tuple(positions), 0)


def plain(roster_format: Format, players: list[Player], captain: int, vice: int) -> list[int]:
    size = len(roster_format.starters)
    multipliers = [1] * size + [0] * (len(players) - size)
    on = list(range(size))
    replaced: set[int] = set()
    for bench in range(size, len(players)):
        if not players[bench].played:
            continue
        for place in range(size):
            if place in replaced or not players[place].is_over or players[place].played:
                continue
            others = [index for index in on if index != place]
            if legal(roster_format, [players[index].position for index in [*others, bench]]):
                multipliers[place], multipliers[bench] = 0, 1
                on = [*others, bench]
                replaced.add(place)
                break
    for armband in (captain, vice):
        if players[armband].played or not players[armband].is_over:
            multipliers[armband] *= 2
            break
    return multipliers


def drawn(roster_format: Format, rng: Random) -> list[Player]:
    players = []
    for index, slot in enumerate(roster_format.places):
        played = rng.random() < 0.6
        players.append(
            Player(
                f"m{index}",
                rng.choice(slot.accepts),
                rng.randint(-5, 30) * 100 if played else 0,
                played,
                rng.random() < 0.7,
            )
        )
    return players


@dataclass(frozen=True)
class Sheet:
    """A team sheet: footballers by place, armbands as places from 1."""

    picks: list[str]
    captain: int
    vice_captain: int


def totals_of(roster_format: Format, sheets: list[Sheet], players: dict[str, Player]) -> Totals:
    """What these sheets have, with players by the ids of the picks."""
    ownership = Ownership.of(roster_format, sheets)
    counted = {
        pick: Counted(pick, player.position, player.points, 0, player.played, player.is_over)
        for pick, player in players.items()
    }
    return ownership.totals(ownership.arrays(counted))


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, max_examples=40)
@example(seed=0, number_of_sheets=0)
@example(seed=0, number_of_sheets=1)
@example(seed=0, number_of_sheets=2)
@given(seed=st.integers(0, 2**32), number_of_sheets=st.integers(0, 8))
def test_any_number_of_sheets_at_once_count_as_one_after_the_other(
    name: str, seed: int, number_of_sheets: int
) -> None:
    """No sheets at all are a number too: a league founded during a gameweek has none yet."""
    roster_format, rng = FORMATS[name], Random(seed)  # noqa: S311
    sheets = []
    for _ in range(number_of_sheets):
        players = drawn(roster_format, rng)
        captain, vice = rng.sample(range(len(roster_format.starters)), 2)
        sheets.append((players, captain, vice))
    totals = totals_of(
        roster_format,
        [
            Sheet([f"{number}-{player.id}" for player in players], captain + 1, vice + 1)
            for number, (players, captain, vice) in enumerate(sheets)
        ],
        {
            f"{number}-{player.id}": player
            for number, (players, _, _) in enumerate(sheets)
            for player in players
        },
    )
    multipliers, points, held_points = totals.multipliers, totals.points, totals.held_points
    assert multipliers.shape == (number_of_sheets, len(roster_format.places))
    assert points.shape == held_points.shape == (number_of_sheets,)
    for number, (players, captain, vice) in enumerate(sheets):
        expected = plain(roster_format, players, captain, vice)
        assert multipliers[number].tolist() == expected
        assert points[number] == sum(
            player.points * n for player, n in zip(players, expected, strict=True)
        )
    assert not np.any(held_points)


def test_a_formation_that_would_be_illegal_passes_a_substitute_over() -> None:
    """3-5-2 with a defender out.

    The forward first on the bench would leave two defenders, so the second comes on.
    """
    roster_format = FORMATS["soccer"]
    positions = [
        "GK",
        "DEF",
        "DEF",
        "DEF",
        "MID",
        "MID",
        "FWD",
        "MID",
        "MID",
        "MID",
        "FWD",
        "GK",
        "FWD",
        "DEF",
        "DEF",
    ]
    players = [Player(str(n), position, 1000, n != 1, True) for n, position in enumerate(positions)]
    sheet = Sheet([player.id for player in players], 1, 5)
    totals = totals_of(roster_format, [sheet], {player.id: player for player in players})
    multipliers = totals.multipliers[0].tolist()
    assert multipliers == [2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("word", "captain", "vice", "doubled"),
    [
        ("the captain plays", (True, True), (True, True), 0),
        ("the captain's game is still to come", (False, False), (True, True), 0),
        ("the captain stays away", (False, True), (True, True), 1),
        ("the vice-captain's game is still to come", (False, True), (False, False), 1),
        ("both stay away", (False, True), (False, True), None),
    ],
)
def test_the_vice_captain_is_doubled_when_the_captain_does_not_play(
    word: str, captain: tuple[bool, bool], vice: tuple[bool, bool], doubled: int | None
) -> None:
    roster_format = FORMATS["soccer-five"]
    states = [captain, vice, *[(True, True)] * 3, (False, True), (False, True)]
    positions = ["GK", "DEF", "MID", "MID", "FWD", "GK", "MID"]
    players = [
        Player(str(n), position, 1000 * played, played, is_over)
        for n, (position, (played, is_over)) in enumerate(zip(positions, states, strict=True))
    ]
    sheet = Sheet([player.id for player in players], 1, 2)
    totals = totals_of(roster_format, [sheet], {player.id: player for player in players})
    multipliers = totals.multipliers[0].tolist()
    assert [place for place, n in enumerate(multipliers) if n == 2] == (
        [] if doubled is None else [doubled]
    ), word


@pytest.mark.sized
@pytest.mark.parametrize("name", FORMATS)
def test_a_formations_legality_by_counts_is_that_of_trying_every_order(name: str) -> None:
    roster_format, rng = FORMATS[name], Random(name)  # noqa: S311
    for _ in range(size("PRESSBOX_PROPERTY_CASES", 1, 60)):
        positions = [rng.choice(roster_format.positions) for _ in roster_format.starters]
        counts = [
            sum(position in group for position in positions) for group in roster_format.groups
        ]
        assert roster_format.fills(counts) == legal(roster_format, positions)
    first = [slot.accepts[0] for slot in roster_format.starters]
    for order in islice(permutations(first), 5):
        assert legal(roster_format, list(order))
