"""What there is before a history begins.

Two games, a season with its gameweeks, members with a team each, two leagues, a board and a
tournament, all under a name of the history's own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from random import Random
from uuid import UUID

import msgspec

from app.accounts import services as accounts
from app.accounts.models import Member, Player
from app.boards.catalogue.rules import NewMode
from app.core import clock
from app.core.db import db, upsert
from app.demo.clubs import CLUBS, rosters
from app.demo.market import Squad, SquadLimits, draw_squad, market
from app.fantasy.leagues import services as leagues
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.transfers import Draft
from app.fantasy.standings.models import League
from app.predictions.matches import polling
from app.predictions.models import Match, ProviderSource, Tournament
from app.predictions.points import PRESETS
from app.record.models import Club, Footballer, Game
from app.record.services import store_defences
from app.scores.submission import attempts
from tests.histories.schedule import GAMES, LATER, MEMBERS, SQUADS, clubs_of
from tests.worlds.score_games import make_score_game, make_score_mode

SEASON, RULES, FORMAT = 2026, "half_ppr_idp", "nfl-classic"
PASSWORD = "correct horse battery"
SCORES = 20
CAP = 10_000
NOBODY = UUID(int=0)


@cache
def squads() -> list[Squad]:
    chance, roster_format = Random("squads"), FORMATS[FORMAT]  # noqa: S311
    return [draw_squad(chance, SquadLimits.of(roster_format), market()) for _ in range(SQUADS)]


@dataclass
class World:
    """Names and ids. `name`: small letters and digits."""

    name: str
    aggregation: str
    kickoff: datetime
    season_id: int = 0
    team_rules_id: int = 0
    games: list[str] = field(default_factory=list)
    weeks: list[int] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    players: list[UUID] = field(default_factory=list)
    moderator: int = 0
    overall: int = 0
    private: int = 0
    mode_id: UUID = NOBODY
    attempts: list[UUID] = field(default_factory=list)
    tournament_id: UUID = NOBODY
    matches: list[UUID] = field(default_factory=list)

    @property
    def before(self) -> datetime:
        """A moment before the deadline and every kickoff."""
        return self.kickoff - timedelta(days=1)


def make(name: str, aggregation: str, seed: int) -> World:
    """Commits.

    Every member has a team for the first gameweek: squad 0 with places 1 and 2 as captains.
    """
    world = World(name, aggregation, clock.now() - timedelta(hours=1))
    _make_games(world)
    _make_people(world)
    _make_season(world)
    _make_board(world, Random(f"attempts {seed}"))  # noqa: S311
    _make_tournament(world)
    return world


def _make_games(world: World) -> None:
    upsert(Club, ["id"], [asdict(club) for club in CLUBS])
    upsert(
        Footballer,
        ["id"],
        [asdict(footballer) for roster in rosters().values() for footballer in roster],
    )
    store_defences([club.id for club in CLUBS])
    for number in range(GAMES + LATER):
        is_later = number >= GAMES
        home, away = reversed(clubs_of(number - GAMES)) if is_later else clubs_of(number)
        kickoff = world.kickoff + timedelta(days=30 * is_later)
        game = f"{world.name}-{number}"
        world.games.append(game)
        db.session.add(
            Game(
                id=game,
                competition=world.name,
                season=SEASON,
                season_type="REG",
                week=1 + is_later,
                kickoff=kickoff,
                home_id=home,
                away_id=away,
            )
        )
    db.session.commit()


def _make_people(world: World) -> None:
    """Their passwords are nobody's: nobody signs in."""
    for number in range(MEMBERS):
        member = accounts.new_member(f"{world.name}-m{number}", f"Member {number}", "-")
        assert isinstance(member, Member), member
        player = Player(display_name=f"Member {number}", member_id=member.id)
        db.session.add(player)
        db.session.flush()
        world.members.append(member.id)
        world.players.append(player.id)
    moderator = accounts.new_member(f"{world.name}-mod", "Mod", "-", ["moderator"])
    assert isinstance(moderator, Member), moderator
    world.moderator = moderator.id
    db.session.commit()


def _make_season(world: World) -> None:
    season = ensure_season(
        NewSeason(
            world.name,
            SEASON,
            "REG",
            name=world.name,
            time_zone="UTC",
            rules=RULES,
            is_simulated=True,
        )
    )
    for week in (1, 2):
        world.weeks.append(
            ensure_gameweek(season, week, world.kickoff + timedelta(days=30 * (week - 1))).id
        )
    set_deadlines(season.id)
    everybody = market()
    prices = {member.id: member.price for member in everybody}
    put_on_market(season, [OnMarket(member.id, member.position) for member in everybody], prices)
    overall = ensure_overall_league(season)
    db.session.commit()
    world.season_id, world.overall, world.team_rules_id = (
        season.id,
        overall.id,
        overall.team_rules_id,
    )
    for member in world.members:
        draft = Draft(squads()[0].picks, 1, 2)
        saved = sheets.save(member, world.team_rules_id, world.weeks[0], draft, world.before)
        assert isinstance(saved, sheets.Saved), saved
    private = leagues.create(
        world.members[0],
        leagues.NewLeague(
            f"{world.name} row",
            "Zero",
            season.id,
            TeamRulesChoice.of(FORMAT, "UTC"),
            "standard_idp",
        ),
        world.before,
    )
    assert isinstance(private, League), private
    assert private.team_rules_id == world.team_rules_id
    world.private = private.id


def _make_board(world: World, chance: Random) -> None:
    game = make_score_game(world.name, world.name)
    new_mode = NewMode(
        "solo", "Solo", world.aggregation, "shared", 0, CAP, windows=("daily", "all-time")
    )
    world.mode_id = make_score_mode(game, new_mode, clock.now() - timedelta(days=2)).id
    world.attempts = [UUID(int=chance.getrandbits(128), version=4) for _ in range(SCORES)]


def token(world: World, player: int, number: int) -> str:
    """The attempt's token for this player."""
    lifetime = timedelta(hours=12)
    return attempts.issue(
        attempts.AttemptRequest(
            world.mode_id,
            world.players[player],
            CAP,
            lifetime,
            attempt_id=world.attempts[number],
        ),
        clock.now(),
    )[1]


def _make_tournament(world: World) -> None:
    tournament = Tournament(
        name=f"Cup {world.name}", rule=msgspec.to_builtins(PRESETS["winner"]), is_simulated=True
    )
    db.session.add(tournament)
    db.session.flush()
    world.tournament_id = tournament.id
    address = f"{world.name}/{SEASON}/REG"
    db.session.add(
        ProviderSource(
            tournament_id=tournament.id, kind="official-record", name=world.name, address=address
        )
    )
    db.session.commit()
    polling.poll(world.tournament_id, world.before)
    points = dict(
        db.session.execute(
            db.select(Match.external_id, Match.id).where(Match.tournament_id == tournament.id)
        ).all()
    )
    world.matches = [points[game] for game in world.games]
