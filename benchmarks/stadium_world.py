"""The world of benchmarks.stadium: a gameweek of simulated games with many team sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import text

from app.core import clock
from app.core.db import db, upsert
from app.demo.clubs import CLUBS, rosters
from app.demo.market import Player as OnSale
from app.demo.market import market
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import points
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.sheets.lineups import Footballers, Lineups
from app.record.models import Club, Footballer
from app.record.rules.team_defence import is_defence
from app.record.script import Footballer as OnRoster
from app.record.script import GameScript
from app.record.services import store_defences
from benchmarks.games import encoded, named, register, simulated
from benchmarks.live_teams import OWNED, copy
from benchmarks.season import Lines, plain_lines

FORMAT = FORMATS["nfl-classic"]
RULES = "half_ppr_idp"
ELSEWHERE = range(2, 5)  # copies of the clubs, whose games are later in the week


@dataclass
class World:
    """The world; `owned[n, places]` are indexes into `players`."""

    players: Sequence[OnSale]
    lineups: Lineups
    star: int
    game: GameScript
    quiet: GameScript
    others: Sequence[GameScript]
    league_id: int = 0
    lines: list[Lines] = field(default_factory=list)

    def footballers(self, lines: Sequence[Lines], *, is_over: bool) -> Footballers:
        """Return the footballers with these stat lines; only the star's game may be unfinished."""
        rules = rules_named(RULES)
        earned = [
            [points(game[player.id], rules, player.position) for game in lines if player.id in game]
            for player in self.players
        ]
        done = {club.id for game in self.others for club in (game.home, game.away)}
        done |= {self.game.home.id, self.game.away.id} if is_over else set()
        return Footballers(
            points=np.array([sum(games_points) for games_points in earned], np.int64),
            held_points=np.zeros(len(earned), np.int64),
            group=np.array(
                [FORMAT.group_of(player.position) or 0 for player in self.players], np.int8
            ),
            played=np.array([bool(games_points) for games_points in earned]),
            is_over=np.array([player.club in done for player in self.players]),
        )


def _elsewhere() -> list[OnSale]:
    """Return footballers of clubs that play later, which make the market four times the demo's."""
    return [
        replace(player, id=f"{player.id}-{n}", club=f"{player.club}{n}")
        for n in ELSEWHERE
        for player in market()
        if not is_defence(player.id)
    ]


def made(count: int, seed: int) -> World:
    """Make games of the demo's clubs, and legal sheets.

    The star is the runner with the most yards in the first game.
    """
    kickoff = clock.now() - timedelta(minutes=5)
    scripts = simulated(len(CLUBS) // 2, kickoff.year, 1, kickoff)
    quiet = replace(named(scripts[1], "bench-quiet"), week=99)
    places = FORMAT.places
    players = [
        player
        for player in (*market(), *_elsewhere())
        if any(player.position in slot.accepts for slot in places)
    ]
    lines = plain_lines(scripts[0], encoded(scripts[0]))
    star = max(
        range(len(players)), key=lambda n: lines.get(players[n].id, {}).get("rushing_yards", 0)
    )
    fit: list[list[int]] = [[] for _ in places]
    dealt: Counter[str] = Counter()
    # distributed over the places, so that no sheet has a footballer twice
    for n, player in enumerate(players):
        accepting = [place for place, slot in enumerate(places) if player.position in slot.accepts]
        fit[accepting[dealt[player.position] % len(accepting)]].append(n)
        dealt[player.position] += 1
    chance = np.random.default_rng(seed)
    owned = np.stack([chance.choice(np.array(numbers, np.int32), count) for numbers in fit], axis=1)
    at = next(place for place, numbers in enumerate(fit) if star in numbers)
    owned[:, at] = np.where(chance.random(count) < OWNED, star, owned[:, at])
    starters = len(FORMAT.starters)
    captain = chance.integers(0, starters, count).astype(np.int8)
    vice = ((captain + chance.integers(1, starters, count)) % starters).astype(np.int8)
    return World(players, Lineups(owned, captain, vice), star, scripts[0], quiet, scripts[1:])


def _store_market(world: World) -> Season:
    """Store the season with its clubs, footballers and games."""
    season = ensure_season(
        NewSeason(
            "demo",
            world.game.season,
            "REG",
            name="Stadium",
            time_zone="UTC",
            rules=RULES,
            is_simulated=True,
        )
    )
    clubs = [*CLUBS, *(replace(club, id=f"{club.id}{n}") for n in ELSEWHERE for club in CLUBS)]
    upsert(Club, ["id"], [asdict(club) for club in clubs])
    upsert(
        Footballer, ["id"], [asdict(player) for roster in rosters().values() for player in roster]
    )
    known = {player.id for roster in rosters().values() for player in roster}
    more = [player for player in world.players if player.id not in known]
    upsert(
        Footballer,
        ["id"],
        [asdict(OnRoster(player.id, player.id, player.club, player.position)) for player in more],
    )
    store_defences([club.id for club in CLUBS])
    later = [
        replace(
            named(script, f"{script.game_id}-later-{n}"),
            home=replace(script.home, id=f"{script.home.id}{n}"),
            away=replace(script.away, id=f"{script.away.id}{n}"),
            kickoff=script.kickoff + timedelta(days=1),
        )
        for n in ELSEWHERE
        for script in (world.game, *world.others)
    ]
    register([world.game, world.quiet, *world.others, *later])
    on_sale = [*market(), *_elsewhere()]
    put_on_market(
        season,
        [OnMarket(player.id, player.position) for player in on_sale],
        {player.id: player.price for player in on_sale},
    )
    return season


def store(world: World, kickoff: datetime) -> None:
    """Store everything but the plays, as the owner of the tables; all sheets are locked."""
    season = _store_market(world)
    gameweek = ensure_gameweek(season, 1, kickoff)
    set_deadlines(season.id)
    league = ensure_overall_league(season, FORMAT.name)
    db.session.flush()
    world.league_id = league.id
    count = len(world.lineups.owned)
    db.session.execute(text("ALTER TABLE members ALTER id SET GENERATED BY DEFAULT"))
    everybody = range(1, count + 1)
    copy(
        "members",
        "id, username, display_name, password_hash",
        ((n, f"b{n}", f"Member {n}", "-") for n in everybody),
    )
    copy(
        "league_members",
        "league_id, member_id, team_name",
        ((league.id, n, f"Team {n}") for n in everybody),
    )
    names, saved, prices = (
        [player.id for player in world.players],
        kickoff - timedelta(days=1),
        [0] * len(FORMAT.places),
    )
    # saving them is not what is measured
    db.session.execute(text("ALTER TABLE team_sheets DISABLE TRIGGER USER"))
    copy(
        "team_sheets",
        "member_id, team_rules_id, gameweek_id, picks, captain, vice_captain, purchase_prices, "
        "bank, saved_at",
        (
            (
                n + 1,
                league.team_rules_id,
                gameweek.id,
                [names[owned] for owned in world.lineups.owned[n]],
                int(world.lineups.captain[n]) + 1,
                int(world.lineups.vice_captain[n]) + 1,
                prices,
                0,
                saved,
            )
            for n in range(count)
        ),
    )
    db.session.execute(text("ALTER TABLE team_sheets ENABLE TRIGGER USER"))
    gameweek.locked_at = kickoff
    db.session.commit()
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
