"""A market of footballers to draft: `QB1` is the dearest quarterback, and so on."""

from __future__ import annotations

from datetime import datetime

from app.core.db import db, upsert
from app.fantasy.market.models import FootballerSeason, Season
from app.record.models import Club, Footballer
from tests.worlds.seasons import KICKOFF, make_weekly_season

CLUBS = ("HAR", "SUM", "BAY", "OAK")
FIRST_NAMES = {
    "QB": "Quentin",
    "RB": "Robin",
    "WR": "Wes",
    "TE": "Theo",
    "K": "Kit",
    "DST": "Defence",
}
SURNAMES = ("Adams", "Bell", "Cole", "Dunn", "Ellis", "Frost", "Grant", "Hale")


def make_market(
    each: int = 16,
    year: int = 2026,
    *,
    first: datetime = KICKOFF,
    is_simulated: bool = False,
) -> Season:
    """A season with so many footballers of each position, all without a game.

    `first`: the deadline of the first of its four gameweeks.
    """
    season, _ = make_weekly_season(
        4, first, year=year, name=f"NFL {year}", is_simulated=is_simulated
    )
    clubs = [
        {"id": club, "name": club.title(), "nickname": "", "colour": "#224466"} for club in CLUBS
    ]
    upsert(Club, ("id",), clubs)
    people = [
        {
            "id": f"{position}{number}",
            "name": name_of(f"{position}{number}"),
            "position": position,
            "club_id": CLUBS[number % len(CLUBS)],
        }
        for position in FIRST_NAMES
        for number in range(1, each + 1)
    ]
    upsert(Footballer, ("id",), people)
    upsert(
        FootballerSeason,
        ("season_id", "footballer_id"),
        [
            {
                "season_id": season.id,
                "footballer_id": person["id"],
                "position": person["position"],
                "price": 150 - place % each,
                "start_price": 150 - place % each,
            }
            for place, person in enumerate(people)
        ],
    )
    db.session.commit()
    return season


def name_of(footballer: str) -> str:
    """The name of `WR7`."""
    position = footballer.rstrip("0123456789")
    number = int(footballer.removeprefix(position))
    return f"{FIRST_NAMES[position]} {SURNAMES[number % len(SURNAMES)]} {number}"
