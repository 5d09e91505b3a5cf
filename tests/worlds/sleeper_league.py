"""A league of four as Sleeper publishes it, with invented people, over draft_season's footballers.

Two gameweeks are played, in the third nobody has points yet.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import update

from app.core.db import db
from app.fantasy.market.models import Gameweek

OWNERS = ("ann77", "bobby", "catfish", "dan_the_man")
ROSTERS = {
    1: ("HAR-QB1", "HAR-RB1", "HAR-WR1", "HAR-TE1", "HAR-K1", "HAR-DST"),
    2: ("SUM-QB1", "SUM-RB1", "SUM-WR1", "SUM-TE1", "SUM-K1", "SUM-DST"),
    3: ("MES-QB1", "MES-RB1", "MES-WR1", "MES-TE1", "MES-K1", "MES-DST"),
    4: ("DEL-QB1", "DEL-RB1", "DEL-WR1", "DEL-TE1", "DEL-K1", "DEL-DST"),
}
# Week: pairs of rosters with their points.
RESULTS = {
    1: (((1, 101.5), (2, 88.24)), ((3, 75.0), (4, 90.0))),
    2: (((1, 60.0), (3, 61.0)), ((2, 99.9), (4, 0.0))),
    3: (((1, 0.0), (4, 0.0)), ((2, 0.0), (3, 0.0))),
}


def settle_weeks(season_id: int, last: int = 2) -> None:
    """Make the first gameweeks of the season final, as they are when a league moves here."""
    db.session.execute(
        update(Gameweek)
        .where(Gameweek.season_id == season_id, Gameweek.week <= last)
        .values(settled_at=Gameweek.deadline)
    )
    db.session.commit()


def sleeper_id(footballer_id: str) -> str:
    """What Sleeper calls a footballer of ours: a number, and a defence by its club."""
    club, _, place = footballer_id.partition("-")
    return club if place == "DST" else str(sum(map(ord, footballer_id)) * 1000 + ord(club[0]))


def sleeper_league(names: dict[str, tuple[str, str, str]]) -> dict[str, Any]:
    """The documents by file. `names`: name, position and club of each footballer by id."""
    users = [
        {
            "user_id": str(900 + number),
            "display_name": owner,
            "metadata": {"team_name": f"Team of {owner}"} if number < 4 else {},
        }
        for number, owner in enumerate(OWNERS, start=1)
    ]
    rosters = [
        {
            "roster_id": number,
            "owner_id": str(900 + number),
            "players": [sleeper_id(footballer) for footballer in footballers],
            "starters": [sleeper_id(footballer) for footballer in footballers[:5]] + ["0"],
            "reserve": [sleeper_id(footballers[3])] if number == 2 else None,
            "taxi": None,
            "settings": {
                "wins": 1,
                "losses": 1,
                "ties": 0,
                "fpts": 161,
                "fpts_decimal": 50,
                "waiver_position": 5 - number,
                "waiver_budget_used": 10 * number,
                "division": 1,
            },
        }
        for number, footballers in ROSTERS.items()
    ]
    matchups = {
        week: [
            {"roster_id": number, "matchup_id": game, "points": points, "starters": []}
            for game, pair in enumerate(pairs, start=1)
            for number, points in pair
        ]
        for week, pairs in RESULTS.items()
    }
    players = {}
    for footballer in (each for listed in ROSTERS.values() for each in listed):
        name, position, club = names[footballer]
        key = sleeper_id(footballer)
        first, _, last = name.partition(" ")
        players[key] = {
            "player_id": key,
            "first_name": first,
            "last_name": last,
            "full_name": name,
            "position": "DEF" if position == "DST" else position,
            "team": club,
            "gsis_id": None,
        }
    return {
        "league.json": LEAGUE,
        "users.json": users,
        "rosters.json": rosters,
        "players.json": players,
        "traded_picks.json": TRADED_PICKS,
        **{f"matchups_{week}.json": games for week, games in matchups.items()},
    }


LEAGUE = {
    "league_id": "42",
    "name": "The Old League",
    "season": "2026",
    "total_rosters": 4,
    "roster_positions": ["QB", "RB", "WR", "TE", "REC_FLEX", "K", "DEF", "BN", "BN", "BN", "IR"],
    "scoring_settings": {
        "pass_yd": 0.04,
        "pass_td": 4.0,
        "pass_int": -1.0,
        "rush_yd": 0.1,
        "rush_td": 6.0,
        "rec": 1.0,
        "rec_yd": 0.1,
        "rec_td": 6.0,
        "fgm_30_39": 3.0,
        "xpm": 1.0,
        "sack": 1.0,
        "pts_allow_14_20": 1.0,
        "bonus_rec_te": 0.5,
        "fum": 0.0,
    },
    "settings": {
        "num_teams": 4,
        "playoff_teams": 4,
        "playoff_week_start": 15,
        "playoff_round_type": 1,
        "waiver_type": 2,
        "waiver_budget": 100,
        "trade_deadline": 11,
        "reserve_slots": 1,
        "taxi_slots": 0,
        "start_week": 1,
        "type": 0,
        "league_average_match": 0,
    },
}

# Of the draft after this season, and one that is back where it came from.
TRADED_PICKS = [
    {"season": "2027", "round": 1, "roster_id": 2, "previous_owner_id": 2, "owner_id": 3},
    {"season": "2027", "round": 2, "roster_id": 1, "previous_owner_id": 4, "owner_id": 1},
    {"season": "2026", "round": 1, "roster_id": 1, "previous_owner_id": 1, "owner_id": 2},
]
