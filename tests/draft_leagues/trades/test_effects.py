"""What a trade does to line-ups, by an example and beside the search of all formations."""

from __future__ import annotations

import numpy as np

from app.draft_leagues.settings import PRESETS, RosterSettings, StarterCount
from app.draft_leagues.trades.effects import Effect, Forecast, effects, lineup_points
from app.draft_leagues.trades.terms import AgreedTrade, Balance, FootballerGift, Terms
from app.fantasy.market.formats import DRAFT_SLOTS, draft_format_name, format_named
from app.fantasy.rosters.rules import Place, Rosters
from app.fantasy.sheets.best_lineup import SquadPlayer, best_lineup

ROSTER = RosterSettings((StarterCount("RB", 1), StarterCount("WR", 1)), bench=1)
NAMES = {1: "Ann FC", 2: "Bob FC"}


def test_a_trade_changes_the_best_lineup_of_each_team() -> None:
    """Ann gives her second runner, who starts nowhere, for Bob's receiver."""
    rosters = Rosters(
        {
            "henry": Place(1),
            "cook": Place(1),
            "moore": Place(1),
            "hill": Place(2),
            "kupp": Place(2),
            "hurt": Place(2, "reserve"),
        }
    )
    forecasts = {
        "henry": Forecast("RB", 200_000),
        "cook": Forecast("RB", 150_000),
        "moore": Forecast("WR", 80_000),
        "hill": Forecast("WR", 160_000),
        "kupp": Forecast("WR", 140_000),
        "hurt": Forecast("RB", 190_000),
    }
    terms = Terms((FootballerGift("cook", 1, 2), FootballerGift("kupp", 2, 1)))
    trade = AgreedTrade(0, terms, {}, None)
    assert effects(trade, rosters, forecasts, ROSTER, NAMES) == {
        1: Effect(280_000, 340_000, Balance(140_000, 150_000), None),
        2: Effect(160_000, 310_000, Balance(150_000, 140_000), None),
    }
    gift = Terms((FootballerGift("kupp", 2, 1),))
    full = effects(AgreedTrade(0, gift, {}, None), rosters, forecasts, ROSTER, NAMES)
    assert full[1].refusal is not None
    assert full[1].refusal.text == (
        "Ann FC would have 4 active players, but the limit is 3. Choose 1 to drop."
    )
    with_drop = AgreedTrade(0, gift, {1: ("henry",)}, None)
    dropped = effects(with_drop, rosters, forecasts, ROSTER, NAMES)[1]
    assert dropped == Effect(280_000, 290_000, Balance(140_000, 200_000), None)
    assert dropped.difference == 10_000


def test_the_best_lineup_is_that_of_the_search_of_all_formations() -> None:
    randomness = np.random.default_rng(5)
    for name in ("redraft", "dynasty", "two-quarterback"):
        roster = PRESETS[name].roster
        team_format = format_named(
            draft_format_name({each.slot: each.count for each in roster.starters}, roster.bench)
        )
        positions = sorted({p for each in roster.starters for p in DRAFT_SLOTS[each.slot].accepts})
        for _ in range(6):
            squad = [
                SquadPlayer(str(number), str(position), int(randomness.integers(0, 300)))
                for number, position in enumerate(randomness.choice(positions, 14))
            ]
            best = best_lineup(team_format, squad)
            points = lineup_points(
                [Forecast(player.position, player.points) for player in squad], roster.starters
            )
            assert points == best.points
