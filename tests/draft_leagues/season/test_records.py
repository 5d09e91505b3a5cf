"""Records across seasons, by example and against a plain count."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import groupby
from random import Random

import pytest

from app.draft_leagues.season.records import (
    PlayedGame,
    Score,
    SeasonHistory,
    Streak,
    longest_streaks,
    records,
)


def game(week: int, home: int, other: int | None, scored: int, conceded: int) -> PlayedGame:
    return PlayedGame(0, week, home, other, (Fraction(scored), Fraction(conceded)))


def test_a_streak_goes_on_into_the_next_season_and_ends_with_a_tie() -> None:
    played = [
        game(1, 1, 2, 10, 9),
        game(2, 1, 2, 10, 9),
        PlayedGame(1, 1, 2, 1, (Fraction(5), Fraction(7))),
        PlayedGame(1, 2, 1, None, (Fraction(5), Fraction(5))),
        PlayedGame(1, 3, 1, 2, (Fraction(9), Fraction(5))),
    ]
    assert longest_streaks(played) == [Streak(1, 3, (0, 1), (1, 1))]


def test_a_tie_of_the_play_offs_is_won_by_the_better_seed() -> None:
    level = PlayedGame(0, 15, 4, 7, (Fraction(8), Fraction(8)), winner=4)
    assert (level.outcome(4), level.outcome(7)) == ("won", "lost")


def test_titles_come_first_then_the_share_of_games_won() -> None:
    first = SeasonHistory(
        2, (1, 2, 3), [game(1, 1, 2, 9, 1)], [Score(0, 1, 1, 9), Score(0, 1, 2, 1)]
    )
    second = SeasonHistory(None, (1, 3), [], [])
    result = records([first, second])
    assert [(career.member, career.seasons, career.titles) for career in result.careers] == [
        (2, 1, [0]),
        (1, 2, []),
        (3, 2, []),
    ]
    assert result.careers[1].against[2].won == 1
    assert [score.points for score in result.highest] == [9, 1]
    assert result.closest == result.widest == first.games


@pytest.mark.parametrize("seed", range(20))
def test_records_are_those_of_a_plain_count(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    seasons = []
    for season in range(3):
        games = []
        for week in range(1, 12):
            order = random.sample(range(1, 7), 6)
            games += [
                PlayedGame(
                    season,
                    week,
                    home,
                    away,
                    (Fraction(random.randrange(6)), Fraction(random.randrange(6))),
                )
                for home, away in zip(order[::2], order[1::2], strict=True)
            ]
        seasons.append(SeasonHistory(None, range(1, 7), games, []))
    result = records(seasons)
    everything = [played for season in seasons for played in season.games]
    for career in result.careers:
        games_of_member = [
            played for played in everything if career.member in (played.one, played.other)
        ]
        results = [
            (scored > conceded) - (scored < conceded)
            for played in games_of_member
            for scored, conceded in [
                played.points if played.one == career.member else played.points[::-1]
            ]
        ]
        counted = Counter(results)
        assert (career.tally.won, career.tally.tied, career.tally.lost) == (
            counted[1],
            counted[0],
            counted[-1],
        )
        assert sum(tally.games for tally in career.against.values()) == len(games_of_member)
        runs = [len([*run]) for outcome, run in groupby(results) if outcome == 1]
        [streak] = [each for each in longest_streaks(everything) if each.member == career.member]
        assert streak.length == max(runs)
    margins = sorted((played.margin for played in everything), reverse=True)
    assert [played.margin for played in result.widest] == margins[:5]
