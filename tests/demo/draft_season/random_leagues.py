"""Draft leagues with random settings, of every type in turn. Pure."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from app.draft_leagues.setting_faults import playoff_rounds
from app.draft_leagues.settings import (
    PRESETS,
    DraftLeagueSettings,
    SeasonSettings,
    TradeSettings,
    WaiverSettings,
)

TYPES = tuple(PRESETS)
DRAFTS = ("snake", "auction", "third_round_reversal", "offline", "linear")
WAIVERS = ("blind_bids", "rolling", "reverse_standings", "blind_bids", "free", "rolling")
REVIEWS = ("commissioner", "vote", "none")
TIE_BREAKS = ("result_between", "division_record", "points_for", "points_against", "all_play")


def random_league(seed: int) -> DraftLeagueSettings:
    """Settings that a season of the eight demo clubs can hold; equal seeds give equal settings."""
    rng = Random(f"league {seed}")  # noqa: S311
    base = PRESETS[TYPES[seed % len(TYPES)]]
    teams = rng.choice((4, 5, 6, 6, 7, 8))
    kind = DRAFTS[(seed + seed // len(TYPES)) % len(DRAFTS)]
    best_ball = base.roster.best_ball
    return replace(
        base,
        franchises=teams,
        scoring=rng.choice(("half_ppr_idp", "ppr_idp", "standard_idp")),
        roster=replace(
            base.roster,
            bench=rng.randint(2, 4),
            taxi=min(base.roster.taxi, 2),
            substitutes_come_on=not best_ball and rng.random() < 0.5,
        ),
        draft=replace(base.draft, kind=kind),
        waivers=_waivers(rng, seed),
        trades=_trades(rng, seed, teams),
        season=_season(rng, teams),
    )


def _waivers(rng: Random, seed: int) -> WaiverSettings:
    return WaiverSettings(
        WAIVERS[seed % len(WAIVERS)],
        budget=rng.choice((30, 100)),
        least_bid=rng.choice((0, 1)),
        days=rng.choice((("WED",), ("TUE", "WED", "FRI"), ("WED", "SAT"))),
        hours_after_drop=rng.choice((0, 24, 48)),
        locks_at_kickoff=rng.random() < 0.7,
    )


def _trades(rng: Random, seed: int, teams: int) -> TradeSettings:
    return TradeSettings(
        REVIEWS[seed % len(REVIEWS)],
        review_hours=rng.choice((12, 24)),
        votes_to_stop=rng.randint(1, teams - 2),
        offer_hours=rng.choice((24, 72, None)),
        deadline_week=rng.choice((3, None)),
    )


def _season(rng: Random, teams: int) -> SeasonSettings:
    playoff_teams = rng.choice([size for size in (0, 2, 3, 4, 5, 6) if size <= teams])
    rounds = playoff_rounds(playoff_teams)
    weeks = tuple(rng.choice((1, 1, 2)) for _ in range(rounds)) if rounds < 3 else (1,) * rounds
    divisions = rng.choice((0, 2))
    tie_breaks = rng.sample(TIE_BREAKS, rng.randint(1, len(TIE_BREAKS)))
    if not divisions and "division_record" in tie_breaks:
        tie_breaks.remove("division_record")
    return SeasonSettings(
        divisions=divisions,
        first_week=1,
        regular_weeks=rng.randint(3, 5),
        median_game=rng.random() < 0.4,
        tie_breaks=(*tie_breaks, "coin"),
        playoff_teams=playoff_teams,
        weeks_per_round=weeks,
        reseed=rng.random() < 0.5,
        lower_bracket=rng.choice(("none", "consolation", "last_place")),
    )
