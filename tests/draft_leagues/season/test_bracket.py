"""Brackets as they are drawn: who is in which game, and where the others come from."""

from __future__ import annotations

from msgspec.structs import replace

from app.draft_leagues.season.bracket import BracketGame, BracketPart, bracket_parts
from app.draft_leagues.settings import SeasonSettings
from tests.draft_leagues.season.test_playoffs import SETTINGS, places, played

Points = dict[int, dict[int, int]]


def drawn(
    settings: SeasonSettings, teams: int, points: Points, *, settled: int = 0
) -> list[BracketPart]:
    table = places(*range(1, teams + 1))
    result = played(settings, teams, points, settled=settled)
    return bracket_parts(settings, result, table, {15: "Week 15"}, has_points=True)


def texts(game: BracketGame) -> list[str]:
    """Each side as its seed, or where it comes from; the winner with a star."""
    return [
        f"{side.seed}{'*' if side.is_winner else ''}" if side.franchise else side.text
        for side in game.sides
    ]


def test_six_teams_before_the_first_game() -> None:
    championship, third, _ = drawn(SETTINGS, 10, {})
    assert [(round_.title, round_.weeks) for round_ in championship.rounds] == [
        ("Quarterfinals", "Week 15"),
        ("Semifinals", "Week 16"),
        ("Final", "Week 17"),
    ]
    assert [[texts(game) for game in round_.games] for round_ in championship.rounds] == [
        [["1"], ["4", "5"], ["2"], ["3", "6"]],
        [["1", "Winner of 4 vs 5"], ["2", "Winner of 3 vs 6"]],
        [["Winner of Semifinal, game 1", "Winner of Semifinal, game 2"]],
    ]
    assert championship.has_lines
    assert texts(third.rounds[0].games[0]) == [
        "Loser of Semifinal, game 1",
        "Loser of Semifinal, game 2",
    ]


def test_sides_stand_in_the_order_of_the_games_they_come_from_with_their_points() -> None:
    points = {15: {3: 10, 6: 20, 4: 30, 5: 1}, 16: {1: 1, 4: 40, 2: 9, 6: 8}}
    championship, third, _ = drawn(SETTINGS, 10, points, settled=2)
    semifinals = championship.rounds[1].games
    assert [texts(game) for game in semifinals] == [["1", "4*"], ["2*", "6"]]
    assert [[side.points for side in game.sides] for game in semifinals] == [[1, 40], [9, 8]]
    [final] = championship.rounds[2].games
    assert texts(final) == ["4", "2"]
    assert [side.points for side in final.sides] == [None, None]
    assert texts(third.rounds[0].games[0]) == ["1", "6"]


def test_a_bracket_that_is_seeded_anew_has_no_lines() -> None:
    championship, *_ = drawn(replace(SETTINGS, reseed=True), 10, {})
    assert not championship.has_lines
    assert texts(championship.rounds[1].games[0]) == ["Set after Quarterfinals"] * 2


def test_in_a_bracket_for_the_last_place_losers_move_on() -> None:
    settings = replace(SETTINGS, lower_bracket="last_place")
    *_, lower = drawn(settings, 10, {15: {7: 1, 8: 2, 9: 3, 10: 4}})
    assert lower.title == "Last place"
    [last] = lower.rounds[-1].games
    assert (last.name, texts(last)) == ("Last place", ["Loser of 7 vs 10", "Loser of 8 vs 9"])
