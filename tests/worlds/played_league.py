"""A league whose gameweeks were played, settled and adjusted.

Made-up game records, real services.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from app.core.db import db
from app.fantasy.gameweeks import live, settlement
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.schedules import pair_gameweek
from app.record.models import Game, GameState, StatLine
from tests.worlds.games import KICKOFF, make_game
from tests.worlds.seasons import make_weekly_season

SETTLED = KICKOFF + timedelta(days=30)
FOUNDED = KICKOFF - timedelta(days=9)
EARLY = KICKOFF - timedelta(hours=2)
CHOICE = TeamRulesChoice.of("nfl-classic", "UTC")
OVER = {"period": 4, "clock": 0, "last_event_number": 1}
RUSHING = ("H3", "S3", "H9", "S9")


@dataclass
class Played:
    """`members`: ids by name.

    Each has a runner as captain who ran so many yards in each gameweek.
    """

    league: League
    members: Mapping[str, int]
    gameweeks: Sequence[Gameweek]


def played_league(
    members: Mapping[str, int],
    yards: Sequence[Mapping[str, int]],
    *,
    settled: int | None = None,
    mode: str = "total",
    ties: str = "shared",
    rules: str = "standard_idp",
) -> Played:
    """`yards`: for each gameweek, how far each member's own runner ran; the captain counts twice.

    At most four members.

    The first of them founds the league. `settled`: how many gameweeks are settled (default: all).
    """
    season, gameweeks = make_weekly_season(len(yards) + 1, rules=rules, is_simulated=True)
    names = list(members)
    league = leagues.create(
        members[names[0]],
        NewLeague("The Row", f"{names[0].title()} FC", season.id, CHOICE, rules, mode, ties),
        FOUNDED,
    )
    assert isinstance(league, League), league
    for name in names[1:]:
        assert leagues.join(members[name], league.id, f"{name.title()} FC", FOUNDED) is None
    runner = dict(zip(names, RUSHING, strict=False))
    for week, ran in enumerate(yards, start=1):
        gameweek = gameweeks[week - 1]
        _play(week, {runner[name]: distance for name, distance in ran.items()})
        for name in ran:
            add_sheet(members[name], league, gameweek, runner[name])
        pair_gameweek(gameweek.id)
        gameweek.locked_at = gameweek.deadline
        db.session.commit()
        live.refresh_gameweek(gameweek.id, gameweek.deadline + timedelta(hours=4))
        if settled is None or week <= settled:
            settle(gameweek, gameweek.deadline + timedelta(days=1))
    return Played(league, members, gameweeks)


def settle(gameweek: Gameweek, now: datetime) -> None:
    """Settles it, unless a running scheduler was first: a story has one beside it."""
    settlement.settle(gameweek.id, now)
    assert gameweek.settled_at is not None


def _play(week: int, ran: Mapping[str, int]) -> None:
    game = f"g{week}"
    make_game(game, week)
    db.session.get_one(Game, game).kickoff = KICKOFF + timedelta(weeks=week - 1)
    db.session.add(
        GameState(
            game_id=game,
            status="final",
            home_score=7,
            away_score=3,
            state=OVER,
            version=1,
            updated_at=KICKOFF,
        )
    )
    for player, distance in ran.items():
        db.session.add(
            StatLine(
                game_id=game,
                player_id=player,
                team="HRB",
                stats={"rushing_yards": distance, "carries": 1},
                held={},
            )
        )
    db.session.flush()
    for rules in PRESETS.values():
        if rules.sport == "football":
            store_points_of([game], rules)


def add_sheet(
    member_id: int,
    league: League,
    gameweek: Gameweek,
    runner: str,
    saved_at: datetime | None = None,
) -> None:
    places = len(FORMATS["nfl-classic"].places)
    db.session.add(
        TeamSheet(
            member_id=member_id,
            team_rules_id=league.team_rules_id,
            gameweek_id=gameweek.id,
            picks=["", runner, *[""] * (places - 2)],
            captain=2,
            vice_captain=1,
            purchase_prices=[0] * places,
            bank=0,
            free_transfers=None,
            saved_at=saved_at or gameweek.deadline - timedelta(hours=2),
        )
    )
    db.session.flush()


def totals(league: League) -> dict[int, int]:
    query = select(LeagueMember.member_id, LeagueMember.total_points).where(
        LeagueMember.league_id == league.id
    )
    return dict(db.session.execute(query).all())
