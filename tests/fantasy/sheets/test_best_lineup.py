"""The best line-up of a squad is that of trying every one."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.sheets.best_lineup import SquadPlayer, best_lineup

SMALL = ("soccer-five", "nfl-offence")


def by_trying_all(team_format: Format, squad: list[SquadPlayer]) -> int:
    """The most points of as many players as have places, each their own, the best of them twice."""
    for size in range(len(team_format.starters), -1, -1):
        totals = [
            sum(player.points for player in chosen)
            + max((player.points for player in chosen), default=0)
            for chosen in combinations(squad, size)
            if have_places([player.position for player in chosen], team_format)
        ]
        if totals:
            return max(totals)
    return 0


def have_places(positions: list[str], team_format: Format) -> bool:
    """Whether each position finds a starting place of its own, by trying."""

    def fit(waiting: list[str], free: list[tuple[str, ...]]) -> bool:
        if not waiting:
            return True
        return any(
            waiting[0] in accepts and fit(waiting[1:], free[:place] + free[place + 1 :])
            for place, accepts in enumerate(free)
        )

    return fit(positions, [slot.accepts for slot in team_format.starters])


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_legal_line_up_has_more_points(name: str, data: st.DataObject) -> None:
    team_format = FORMATS[name]
    players = st.tuples(st.sampled_from(team_format.positions), st.integers(-3_000, 30_000))
    drawn = data.draw(st.lists(players, max_size=len(team_format.places)))
    squad = [SquadPlayer(str(n), position, points) for n, (position, points) in enumerate(drawn)]

    best = best_lineup(team_format, squad)

    assert best.points == by_trying_all(team_format, squad)
    positions = {player.id: player.position for player in squad}
    assert have_places([positions[player] for player in best.starters], team_format)


def test_as_many_places_are_filled_as_the_squad_can_fill_even_at_a_loss() -> None:
    squad = [SquadPlayer("q", "QB", -2_000), SquadPlayer("r", "RB", 5_000)]
    best = best_lineup(FORMATS["nfl-classic"], squad)
    assert (best.starters, best.captain, best.points) == (("q", "r"), "r", 8_000)


def test_two_quarterbacks_have_one_place_and_the_second_a_superflex() -> None:
    squad = [SquadPlayer("a", "QB", 20_000), SquadPlayer("b", "QB", 18_000)]
    assert best_lineup(FORMATS["nfl-classic"], squad).starters == ("a",)
    assert best_lineup(FORMATS["nfl-superflex"], squad).starters == ("a", "b")
