"""A day of Pressbox as a load.

Games entered, scores sent in, team sheets saved and guesses made, several at once.

Each act is repeated until it is acknowledged, as a console, a phone or a game server would, under
the same key: what was acknowledged must then be there, once. A day of another name does the same
acts on games, members, boards and a tournament of its own, so that days can be compared, and many
be lived on the same stores. Not here: what came of it (day_tables.py), faults (trial.py).
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import NamedTuple
from uuid import UUID

import msgspec
import redis
from flask import Flask
from kafka.errors import KafkaError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.accounts import services as accounts
from app.accounts.models import Member, Player
from app.boards.catalogue.rules import NewMode
from app.boards.models import Mode
from app.core import clock
from app.core.db import db, upsert
from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.demo.market import SquadLimits, draw_squad, market
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.transfers import Draft
from app.predictions import guesses
from app.predictions.entries import NewGuess
from app.predictions.matches import polling
from app.predictions.models import Match, ProviderSource, Tournament
from app.predictions.points import PRESETS
from app.record.models import Club, Footballer, Game
from app.record.services import store_defences, store_script
from app.scores.submission import attempts, submit
from app.scores.submission.claims import Claim, Origin, Submitted, Unavailable
from scorer_console.record.replay import enter_steps
from tests.sizes import size
from tests.waiting import rest, until
from tests.worlds.score_games import make_score_game, make_score_mode

SEASON = 2026
GAMES = size("DAY_GAMES", 2, 3)  # each of some 580 events: most of what a day takes of two cores
MEMBERS, SCORES, SHEETS, GUESSES = 6, 60, 36, 36
STEPS = 6  # of a game's script in one act
PASSWORD = "correct horse battery"
PATIENCE_SECONDS = 180.0
PAUSE_SECONDS = 0.2  # before an act that was not acknowledged is tried again
# What an act may end with while something is away. Anything else is a fault of ours and ends the
# day.
NOT_ACKNOWLEDGED = (DBAPIError, PoolTimeout, redis.RedisError, KafkaError)


class NotAcknowledgedError(Exception):
    """The server said: not now."""


class Act(NamedTuple):
    name: str
    do: Callable[[], None]


@dataclass
class Lived:
    """What the day's acts met.

    Acts tried, acts acknowledged, and the longest an act was tried, in seconds.
    """

    tried: int = 0
    acknowledged: list[str] = field(default_factory=list)
    longest: float = 0.0
    met: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, name: str, tried: int, seconds: float) -> None:
        with self._lock:
            self.tried += tried
            self.acknowledged.append(name)
            self.longest = max(self.longest, seconds)

    def note_error(self, error: Exception) -> None:
        with self._lock:
            self.met[type(error).__name__] += 1


class Day:
    """`name`: lower-case letters, digits and hyphens."""

    def __init__(self, app: Flask, name: str) -> None:
        self.app, self.name = app, name
        self.kickoff = clock.now() - timedelta(hours=1)
        self.lived = Lived()
        self.games: list[str] = []
        self.members: list[int] = []
        self.players: list[UUID] = []
        with app.app_context():
            self._make_games()
            self._make_league()
            self._make_board()
            self._make_tournament()

    # The world, before anything is broken.

    def _make_games(self) -> None:
        """Those of week 1 are played, those of week 2 are a month away and are guessed."""
        self.steps: list[int] = []
        for number in range(GAMES):
            script = simulate_game(
                100 + number,
                Fixture(
                    game_id=f"{self.name}-{number}",
                    home=CLUBS[2 * number],
                    away=CLUBS[2 * number + 1],
                    kickoff=self.kickoff,
                    season=SEASON,
                    week=1,
                ),
                rosters(),
            )
            store_script(replace(script, competition=self.name))
            self.games.append(script.game_id)
            self.steps.append(len(script.events))
        for number in range(GAMES):
            db.session.add(
                Game(
                    id=f"{self.name}-later-{number}",
                    competition=self.name,
                    season=SEASON,
                    season_type="REG",
                    week=2,
                    kickoff=self.kickoff + timedelta(days=30),
                    home_id=CLUBS[2 * number + 1].id,
                    away_id=CLUBS[2 * number].id,
                )
            )
        db.session.commit()

    def _make_league(self) -> None:
        season = ensure_season(
            NewSeason(
                self.name,
                SEASON,
                "REG",
                name=self.name,
                time_zone="UTC",
                rules="half_ppr_idp",
                is_simulated=True,
            )
        )
        upsert(Club, ["id"], [asdict(club) for club in CLUBS])
        upsert(
            Footballer,
            ["id"],
            [asdict(footballer) for roster in rosters().values() for footballer in roster],
        )
        store_defences([club.id for club in CLUBS])
        weeks = [
            ensure_gameweek(season, 1, self.kickoff),
            ensure_gameweek(season, 2, self.kickoff + timedelta(days=30)),
        ]
        set_deadlines(season.id)
        put_on_market(
            season,
            [OnMarket(footballer.id, footballer.position) for footballer in market()],
            {footballer.id: footballer.price for footballer in market()},
        )
        league = ensure_overall_league(season)
        db.session.commit()
        self.league_id, self.team_rules_id = league.id, league.team_rules_id
        self.weeks = [week.id for week in weeks]
        template, chance = FORMATS["nfl-classic"], Random(7)  # noqa: S311 (whom they own is no secret)
        self.squads = []
        for number in range(MEMBERS):
            member = accounts.register(f"{self.name}-m{number}", f"Member {number}", PASSWORD, [])
            assert isinstance(member, Member), member
            squad = draw_squad(chance, SquadLimits.of(template), market())
            self.members.append(member.id)
            self.squads.append(squad)
            draft = Draft(squad.picks, squad.captain, squad.vice_captain)
            saved = sheets.save(
                member.id,
                self.team_rules_id,
                self.weeks[0],
                draft,
                self.kickoff - timedelta(days=1),
            )
            assert isinstance(saved, sheets.Saved), saved
        lock_gameweek(self.weeks[0], clock.now())

    def _make_board(self) -> None:
        game = make_score_game(self.name, self.name)
        new_mode = NewMode(
            "solo", "Solo", "sum", "shared", 0, 10_000, windows=("daily", "all-time")
        )
        self.mode_id = make_score_mode(game, new_mode, clock.now()).id
        self.players = []
        for number, member in enumerate(self.members):
            player = Player(display_name=f"Player {number}", member_id=member)
            db.session.add(player)
            db.session.flush()
            self.players.append(player.id)
        db.session.commit()
        issued = [
            attempts.issue(
                attempts.AttemptRequest(
                    self.mode_id, self.players[n % MEMBERS], 10_000, timedelta(hours=6)
                ),
                clock.now(),
            )
            for n in range(SCORES)
        ]
        self.attempts = [(grant.attempt_id, token) for grant, token in issued]

    def _make_tournament(self) -> None:
        tournament = Tournament(
            name=f"Cup {self.name}", rule=msgspec.to_builtins(PRESETS["exact"]), is_simulated=True
        )
        db.session.add(tournament)
        db.session.flush()
        self.tournament_id: UUID = tournament.id
        address = f"{self.name}/{SEASON}/REG"
        db.session.add(
            ProviderSource(
                tournament_id=tournament.id, kind="official-record", name=self.name, address=address
            )
        )
        db.session.commit()
        polling.poll(self.tournament_id, self.kickoff - timedelta(days=1))
        self.matches = [self._match(game) for game in self.games]
        self.later = [self._match(f"{self.name}-later-{number}") for number in range(GAMES)]
        for number, player in enumerate(self.players):
            guess_query = [NewGuess(match, 20 + number, 17) for match in self.matches]
            assert (
                guesses.save(
                    self.tournament_id, player, guess_query, self.kickoff - timedelta(hours=2)
                )
                == []
            )

    def _match(self, game: str) -> UUID:
        guessed = db.select(Match.id).where(
            Match.tournament_id == self.tournament_id, Match.external_id == game
        )
        return db.session.scalars(guessed).one()

    # The acts.

    def acts(self) -> dict[str, list[Act]]:
        """By lane: each lane's acts follow each other, the lanes run side by side."""
        lanes = {
            game: list(self._entries(game, last))
            for game, last in zip(self.games, self.steps, strict=True)
        }
        lanes["scores"] = [Act(f"score {n}", lambda n=n: self._score(n)) for n in range(SCORES)]  # type: ignore[misc]
        lanes["sheets"] = [Act(f"sheet {n}", lambda n=n: self._sheet(n)) for n in range(SHEETS)]  # type: ignore[misc]
        lanes["guesses"] = [Act(f"guess {n}", lambda n=n: self._guess(n)) for n in range(GUESSES)]  # type: ignore[misc]
        return lanes

    def _entries(self, game: str, last: int) -> Iterator[Act]:
        for _, step in pairwise([*range(0, last, STEPS), last]):
            yield Act(f"{game} to {step}", lambda step=step: enter_steps(game, step))  # type: ignore[misc]

    def _score(self, number: int) -> None:
        attempt_id, token = self.attempts[number]
        mode = db.session.get_one(Mode, self.mode_id)
        claim = Claim(mode, self.players[number % MEMBERS], attempt_id, token, 10 + number)
        outcome = submit.submit_all([claim], Origin(), clock.now(), wait=False)[0]
        if isinstance(outcome, Unavailable):
            raise NotAcknowledgedError
        assert isinstance(outcome, Submitted), outcome

    def _sheet(self, number: int) -> None:
        """Each save has another captain; the last one of each member stands."""
        squad = self.squads[number % MEMBERS]
        captain = number // MEMBERS % len(FORMATS["nfl-classic"].starters) + 1
        draft = Draft(squad.picks, captain, captain % len(FORMATS["nfl-classic"].starters) + 1)
        member = self.members[number % MEMBERS]
        saved = sheets.save(member, self.team_rules_id, self.weeks[1], draft, clock.now())
        assert isinstance(saved, sheets.Saved), saved

    def _guess(self, number: int) -> None:
        guess = NewGuess(self.later[number % GAMES], number, 3)
        assert (
            guesses.save(self.tournament_id, self.players[number % MEMBERS], [guess], clock.now())
            == []
        )

    # Living it.

    def live(self, seconds: float) -> Lived:
        """All acts, each lane's spread over so many seconds.

        Returns when the last one is acknowledged. Raises what an act ended with that is no sign of
        something's being away, and AssertionError after PATIENCE_SECONDS of one.
        """
        lived, lanes = self.lived, self.acts()
        with ThreadPoolExecutor(len(lanes)) as pool:
            for done in [pool.submit(self._lane, acts, seconds, lived) for acts in lanes.values()]:
                done.result()
        return lived

    def _lane(self, acts: Sequence[Act], seconds: float, lived: Lived) -> None:
        began = time.monotonic()
        for number, act in enumerate(acts):
            # the day's own tempo
            rest(max(0.0, began + seconds * number / len(acts) - time.monotonic()))
            self._until_acknowledged(act, lived)

    def _until_acknowledged(self, act: Act, lived: Lived) -> None:
        began, tried = time.monotonic(), 0

        def is_acknowledged() -> bool:
            nonlocal tried
            tried += 1
            with self.app.app_context():
                try:
                    act.do()
                except (*NOT_ACKNOWLEDGED, NotAcknowledgedError) as error:
                    lived.note_error(error)
                    db.session.rollback()
                    return False
            return True

        until(
            is_acknowledged,
            lambda: f"{act.name} is acknowledged: {lived.met}",
            PATIENCE_SECONDS,
            PAUSE_SECONDS,
        )
        lived.note(act.name, tried, time.monotonic() - began)
