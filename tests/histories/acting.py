"""What people do, carried out on the product's own doors.

The console's, the members', the moderators', the API's.

Each act gives an answer: what was acknowledged, or the codes of its refusal. Anything that keeps
the answer away is raised (NO_ANSWER, Killed); whoever acts then asks again, as a console, a phone
or a game server would: under the same key, or, where people act by hand, after a look at what
became of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import redis
from kafka.errors import KafkaError
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.core.page_cache.tagged_connection import CannotRevokeError
from app.core.refusals import Refusal
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.leagues import services as leagues
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.transfers import Draft
from app.moderation import sanctions
from app.moderation.models import Sanction as StandingSanction
from app.predictions import guesses
from app.predictions.entries import NewGuess
from app.record import events as ev
from app.scores import events
from app.scores.models import ScoreCorrection
from app.scores.review import corrections
from app.scores.submission import submit
from app.scores.submission.claims import Claim, Origin, Submitted, Unavailable
from app.scores.submission.claims import Refused as RefusedScore
from scorer_console.lease.leases import Holder, take
from scorer_console.record.numbering import Entry, RefusedEntryError
from scorer_console.record.numbering import submit as enter
from tests.histories.schedule import (
    Act,
    Enter,
    Guess,
    Join,
    Lock,
    Review,
    Rule,
    Sanction,
    Save,
    Score,
)
from tests.histories.world import World, squads, token


class NotNowError(Exception):
    """The server said: not now."""


NO_ANSWER = (DBAPIError, PoolTimeout, redis.RedisError, KafkaError, CannotRevokeError, NotNowError)


@dataclass(frozen=True)
class Answer:
    """`refused`: codes, empty where it was acknowledged.

    `numbers`: of the events that an entry became.
    """

    refused: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


DONE = Answer()


@dataclass
class Actor:
    """`entered`: by game and key the numbers that an entry got, for rulings to name.

    `player_of`: who sent a score.
    """

    world: World
    entered: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict)
    player_of: dict[int, int] = field(default_factory=dict)

    def can(self, act: Act) -> bool:
        """Whether there is anything that the act could name.

        What it corrects may have been left out or refused.
        """
        return not isinstance(act, Rule) or (act.game, act.of) in self.entered

    def do(self, act: Act) -> Answer:
        """In an application context. Raises NO_ANSWER."""
        db.session.rollback()
        match act:
            case Enter() | Rule():
                return self._enter(act)
            case Save():
                return self._save(act)
            case Guess():
                return self._guess(act)
            case Join():
                refused = leagues.join(
                    self.world.members[act.member],
                    self.world.private,
                    f"Team {act.member}",
                    clock.now(),
                )
                return _answer(refused)
            case Lock():
                lock_gameweek(self.world.weeks[0], clock.now())
                return DONE
            case Score():
                return self._score(act)
            case Review():
                return self._review(act)
            case Sanction():
                return self._sanction(act)
        raise TypeError(act)

    def _enter(self, act: Enter | Rule) -> Answer:
        game, console = self.world.games[act.game], f"console {act.game}"
        bodies = act.bodies if isinstance(act, Enter) else (self._ruling(act),)
        take(game, Holder(console, "Ann"), clock.now())
        entries = [Entry(body, f"{act.key}/{place}") for place, body in enumerate(bodies)]
        try:
            accepted = enter(game, entries, clock.now(), console=console)
        except RefusedEntryError as refused:
            return Answer((str(refused),))
        numbers = tuple(event.event_number for event in accepted)
        self.entered[act.game, act.key] = numbers
        return Answer(numbers=numbers)

    def _ruling(self, act: Rule) -> ev.Body:
        numbers = self.entered[act.game, act.of]
        if act.ruling is None:
            return ev.Nullify(events=numbers, reason=act.key)
        return ev.Overturn(event=numbers[act.part], ruling=act.ruling, reason=act.key)

    def _save(self, act: Save) -> Answer:
        is_first = act.week == 1 and not act.is_late
        now = self.world.before if is_first else clock.now()
        draft = Draft(squads()[act.squad].picks, act.captain, act.vice_captain)
        week = self.world.weeks[act.week - 1]
        saved = sheets.save(
            self.world.members[act.member], self.world.team_rules_id, week, draft, now
        )
        return (
            Answer(tuple(refusal.code for refusal in saved.refusals))
            if isinstance(saved, sheets.Refused)
            else DONE
        )

    def _guess(self, act: Guess) -> Answer:
        now = clock.now() if act.is_late or act.match >= 2 else self.world.before
        guess = NewGuess(self.world.matches[act.match], act.home, act.away)
        refused = guesses.save(
            self.world.tournament_id, self.world.players[act.member], [guess], now
        )
        return Answer(tuple(refusal.code for refusal in refused))

    def _score(self, act: Score) -> Answer:
        mode = db.session.get_one(Mode, self.world.mode_id)
        attempt = self.world.attempts[act.number]
        claim = Claim(
            mode,
            self.world.players[act.player],
            attempt,
            token(self.world, act.player, act.number),
            act.score,
        )
        outcome = submit.submit_all([claim], Origin(), clock.now())[0]
        match outcome:
            case Unavailable():
                raise NotNowError
            case RefusedScore(reasons):
                return Answer(tuple(reason.code for reason in reasons))
            case Submitted():
                self.player_of[act.number] = act.player
                return DONE

    def event_id(self, player: int, number: int) -> Any:
        return events.event_id(self.world.players[player], self.world.attempts[number])

    def _review(self, act: Review) -> Answer:
        player = self.player_of.get(act.number)
        if player is None:
            return Answer(("unknown",))
        done = select(ScoreCorrection.id).where(ScoreCorrection.reason == act.key)
        if (
            db.session.scalar(
                done.where(ScoreCorrection.event_id == self.event_id(player, act.number))
            )
            is not None
        ):
            return DONE
        event, by, now = self.event_id(player, act.number), self.world.moderator, clock.now()
        match act.decision:
            case "accept" | "reject":
                outcome = corrections.review(
                    event, accept=act.decision == "accept", by=by, reason=act.key, now=now
                )
            case "quarantine":
                outcome = corrections.quarantine(event, by=by, reason=act.key, now=now)
            case "roll_back":
                outcome = corrections.roll_back(event, by=by, reason=act.key, now=now)
            case _:
                outcome = corrections.restore(event, by=by, reason=act.key, now=now)
        return _answer(outcome)

    def _sanction(self, act: Sanction) -> Answer:
        player, by, now = self.world.players[act.player], self.world.moderator, clock.now()
        reason_column = (
            StandingSanction.lift_reason if act.kind == "lift" else StandingSanction.reason
        )
        done = select(StandingSanction.id).where(
            StandingSanction.player_id == player, reason_column == act.key
        )
        if db.session.scalar(done) is not None:
            return DONE
        if act.kind == "lift":
            return _answer(sanctions.lift(player, by=by, reason=act.key, now=now))
        return _answer(
            sanctions.impose(player, sanctions.Measure(act.kind), by=by, reason=act.key, now=now)
        )


def _answer(outcome: object) -> Answer:
    return Answer((outcome.code,)) if isinstance(outcome, Refusal) else DONE
