"""What players are expected to score before a season: each right value is worked out beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from app.fantasy.projections.preseason import (
    PICKS,
    Career,
    EarlierSeason,
    Preseason,
    Prospect,
    preseason,
)
from app.fantasy.projections.typical_lines import typical_figures
from app.fantasy.scoring.rules import HALF_PPR, YAHOO

# Ten backs of the position with 10 points in each of 17 games of 2025: the mean is 10.
AVERAGE = [
    Prospect(
        f"average{number}",
        "RB",
        Career(first_season=2020),
        [EarlierSeason(2025, 17, 170_000, 17 * 10_000.0**2)],
    )
    for number in range(10)
]
SEVENTEEN = {2025: 17}


def season(year: int, games: int, per_game: int) -> EarlierSeason:
    return EarlierSeason(year, games, games * per_game, games * float(per_game) ** 2)


def expected(prospect: Prospect, club_games: dict[int, int] | None = None) -> Preseason:
    return preseason([*AVERAGE, prospect], 2026, club_games or SEVENTEEN, HALF_PPR)[prospect.id]


def back(
    seasons: Sequence[EarlierSeason], pick: int | None = 1, born: date | None = None
) -> Prospect:
    return Prospect("ann", "RB", Career(born, 2020, pick), seasons)


def test_a_season_is_drawn_towards_what_the_pick_usually_scores() -> None:
    # The mean of everybody is (170 x 10 + 17 x 20) / 187 = 10.909, and the first pick scores 2.3
    # times as much, 25.091: (17 x 20 + 2 x 25.091) / 19 = 20.536.
    # The pick usually plays in 0.95 - 0.7 x sqrt(1/262) = 0.907: (1 + 0.6 x 0.907) / 1.6 = 0.965.
    projection = expected(back([season(2025, 17, 20_000)]))
    assert (projection.per_game, projection.share) == (20_536, 965)


def test_the_latest_season_counts_most() -> None:
    # Undrafted: 0.6 x the mean of 2025, (170 x 10 + 17 x 12) / 187 = 10.182, is 6.109.
    # (17 x 12 + 0.4 x 17 x 20 + 2 x 6.109) / (17 + 6.8 + 2) = 352.218 / 25.8 = 13.652
    twice = back([season(2025, 17, 12_000), season(2024, 17, 20_000)], pick=None)
    assert expected(twice, {2025: 17, 2024: 17}).per_game == 13_652


def test_a_season_without_a_game_lowers_the_share_only() -> None:
    # 17 of 17 games, then none: (1 + 0.6 x 0.12) / (1 + 0.6) = 0.67 with the season before alone,
    # (0.4 + 0.072) / (1 + 0.4 + 0.6) = 0.236 if a whole season was missed since.
    player = back([season(2024, 17, 12_000)], pick=None)
    assert expected(player, {2024: 17}).share == 670
    assert expected(player, {2025: 17, 2024: 17}).share == 236


@pytest.mark.parametrize(
    ("born", "change"),
    [
        (date(2001, 9, 1), 1.0),  # 25 in September 2026: grown up, not past the peak
        (date(2003, 9, 1), 1 + 2 * 0.03),  # 23: two years below 25, 3 % each
        (date(1999, 9, 1), 1 - 2 * 0.05),  # 27: two years above 25, 5 % each
        (date(1990, 9, 1), 0.85),  # 36: never more than 15 % in a year
    ],
)
def test_points_change_with_age(born: date, change: float) -> None:
    plain = back([season(2025, 17, 10_000)])
    aged = back([season(2025, 17, 10_000)], born=born)
    # The games alone change, the two games of the pick do not: the mean is 10, the pick's 23.
    assert expected(plain).per_game == round((170_000 + 46_000) / 19)
    assert expected(aged).per_game == pytest.approx((170_000 * change + 46_000) / 19, abs=3)


def test_years_without_a_file_age_too() -> None:
    # 24 in 2024, 25 in 2025, 26 in 2026: +3 %, nothing, -5 % of the games of 2023.
    player = back([season(2023, 17, 10_000)], born=date(2000, 9, 1))
    averages = [replace(each, seasons=[season(2023, 17, 10_000)]) for each in AVERAGE]
    projection = preseason([*averages, player], 2026, {2023: 17}, HALF_PPR)["ann"]
    assert projection.per_game == pytest.approx((170_000 * 1.03 * 0.95 + 46_000) / 19, abs=5)


def test_rookies_stand_by_their_pick() -> None:
    rookies = [
        Prospect(f"r{pick}", "RB", Career(date(2004, 1, 1), 2026, pick)) for pick in (1, 8, 40, 200)
    ]
    undrafted = Prospect("undrafted", "RB", Career(date(2004, 1, 1), 2026, None))
    projections = preseason([*AVERAGE, undrafted, *rookies], 2026, SEVENTEEN, HALF_PPR)
    in_order = sorted(projections, key=lambda player: -projections[player].points(17))
    assert [player for player in in_order if not player.startswith("average")] == [
        *("r1", "r8", "r40", "r200"),
        "undrafted",
    ]
    # A rookie scores nine tenths of what the pick usually does: 0.9 x 2.3 x 10.
    assert projections["r1"].per_game == 20_700


def test_a_curve_falls_with_the_pick() -> None:
    for curve in PICKS.values():
        rates = [curve.rate(pick) for pick in (1, 10, 100, 262, 300)]
        shares = [curve.share(pick) for pick in (1, 10, 100, 262, 300)]
        assert rates == sorted(rates, reverse=True)
        assert shares == sorted(shares, reverse=True)
        assert curve.share(None) < curve.share(200)


def test_a_file_of_the_offence_says_nothing_about_a_kicker() -> None:
    kicker = Prospect("kit", "K", Career(first_season=2015))
    rookie = Prospect("new", "K", Career(first_season=2026))
    projections = preseason([*AVERAGE, kicker, rookie], 2026, SEVENTEEN, YAHOO)
    assert projections["kit"] == projections["new"]
    assert projections["kit"].per_game == round(typical_figures("K", YAHOO).mean)


def test_what_a_file_leaves_out_of_a_defence_counts_as_average() -> None:
    # Sacks alone are in the file: 3 points a game in 31 clubs, and 6 in the best one, whose mean is
    # drawn towards the others' as strongly as 17 games: half of the difference to 3.09 remains.
    defences = [
        Prospect(f"c{number}-DST", "DST", None, [season(2025, 17, 3_000)]) for number in range(31)
    ]
    best = Prospect("best-DST", "DST", None, [season(2025, 17, 6_000)])
    projections = preseason([*defences, best], 2026, SEVENTEEN, YAHOO)
    mean = (31 * 3_000 + 6_000) / 32
    typical = typical_figures("DST", YAHOO).mean
    assert projections["best-DST"].per_game == pytest.approx(typical + (6_000 - mean) / 2, abs=1)


def test_players_whom_no_roster_describes_are_placed_below_the_average() -> None:
    unknown = expected(Prospect("who", "RB"))
    assert (unknown.per_game, unknown.share) == (7_000, 500)


def test_without_any_season_the_draft_alone_decides() -> None:
    first, late = (
        Prospect("a", "WR", Career(None, 2020, 2)),
        Prospect("b", "WR", Career(None, 2020, 250)),
    )
    projections = preseason([late, first], 2026, {}, HALF_PPR)
    assert projections["a"].points(17) > 2 * projections["b"].points(17)
