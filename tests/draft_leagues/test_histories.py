"""Random histories of a draft league against a plain model.

Members add, drop, claim and move footballers, the commissioner acts and takes back. Each act is
accepted exactly if the model says that it can be, and afterwards everybody is where the model has
them. The log gives the same rosters again, now and as of every moment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import update

from app.accounts.models import Member
from app.core.db import db, transaction
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import WaiverSettings
from app.draft_leagues.transactions import services as transactions
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.services import Wish
from app.fantasy.market.models import FootballerSeason
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import Move, Spot, folded
from tests.sizes import size
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league

ACTS = 120
# Whoever is dropped is a free agent at once, so that the model needs no clock.
OPEN = replace(
    SETTINGS,
    waivers=WaiverSettings("free"),
    roster=replace(SETTINGS.roster, bench=1, reserve=1, taxi=1),
)
INJURED = 3  # every third footballer


@dataclass
class Plain:
    """Where everybody is, and how the act before each one left them."""

    most: dict[str, int]
    places: dict[str, tuple[int, str]] = field(default_factory=dict)
    before: dict[int, dict[str, tuple[int, str] | None]] = field(default_factory=dict)
    after: dict[int, dict[str, tuple[int, str] | None]] = field(default_factory=dict)
    reversed: set[int] = field(default_factory=set)

    def size(self, franchise: int, spot: str) -> int:
        return sum(place == (franchise, spot) for place in self.places.values())

    def can(self, moves: dict[str, tuple[int, str] | None]) -> bool:
        """Whether no roster grows over its size by these moves."""
        old = dict(self.places)
        counts = {(f, s): self.size(f, s) for f in range(1, 5) for s in self.most}
        self._put(moves)
        grown = any(
            self.size(f, s) > self.most[s] and self.size(f, s) > counts[f, s] for f, s in counts
        )
        self.places = old
        return not grown

    def act(self, number: int, moves: dict[str, tuple[int, str] | None]) -> None:
        self.before[number] = {who: self.places.get(who) for who in moves}
        self.after[number] = dict(moves)
        self._put(moves)

    def _put(self, moves: dict[str, tuple[int, str] | None]) -> None:
        for who, place in moves.items():
            if place is None:
                self.places.pop(who, None)
            else:
                self.places[who] = place


class History:
    def __init__(self, world: DraftWorld, seed: int) -> None:
        self.world, self.random = world, Random(f"history {seed}")  # noqa: S311
        self.league_id = world.league.id
        roster = world.settings.roster
        self.plain = Plain({"active": roster.active, "reserve": 1, "taxi": 1})
        for who, place in rosters_of(self.league_id).places.items():
            self.plain.places[who] = (place.franchise, place.spot)
        self.footballers = [
            *self.plain.places,
            *(each for position in ("QB", "RB", "WR", "TE") for each in world.free(position)[:5]),
        ]
        self.injured = set(self.footballers[::INJURED])
        db.session.execute(
            update(FootballerSeason)
            .where(FootballerSeason.footballer_id.in_(self.injured))
            .values(status="injured")
        )
        db.session.commit()
        self.number = len(transactions_of(self.league_id))
        self.now = DRAFTED

    def play(self) -> int:
        """Do random acts; returns how many were accepted."""
        first = self.number
        acts = (self.add, self.drop, self.move, self.trade, self.take_back)
        for _ in range(ACTS):
            self.now += timedelta(minutes=1)
            self.random.choice(acts)()
            assert self.stored() == self.plain.places
        return self.number - first

    def stored(self) -> dict[str, tuple[int, str]]:
        places = rosters_of(self.league_id).places
        return {who: (place.franchise, place.spot) for who, place in places.items()}

    def expect(self, accepted: bool, moves: dict[str, tuple[int, str] | None], can: bool) -> None:
        assert accepted == (can and self.plain.can(moves)), moves
        if accepted:
            self.number += 1
            self.plain.act(self.number, moves)

    def someone(self, franchise: int | None = None) -> str:
        """A footballer of the franchise if it has one, else anybody."""
        candidates = [who for who, place in self.plain.places.items() if place[0] == franchise]
        return self.random.choice(candidates or self.footballers)

    def add(self) -> None:
        franchise = self.random.randint(1, 4)
        who, drop = self.random.choice(self.footballers), None
        if self.random.random() < 0.7:
            drop = self.someone(franchise)
        refused = waivers.add(
            self.league_id, self.world.members[franchise - 1], Wish(who, drop), self.now
        )
        moves: dict[str, tuple[int, str] | None] = {who: (franchise, "active")}
        can = who not in self.plain.places
        if drop is not None:
            can = can and self.plain.places.get(drop, (0, ""))[0] == franchise
            moves = {drop: None, **moves}
        self.expect(not refused, moves, can)

    def drop(self) -> None:
        franchise = self.random.randint(1, 4)
        who = self.someone(self.random.choice((franchise, None)))
        refused = roster_acts.drop(self.league_id, self.world.members[franchise - 1], who, self.now)
        self.expect(not refused, {who: None}, self.plain.places.get(who, (0, ""))[0] == franchise)

    def move(self) -> None:
        franchise = self.random.randint(1, 4)
        who = self.someone(self.random.choice((franchise, franchise, None)))
        spots: tuple[Spot, ...] = ("active", "reserve", "taxi")
        spot = self.random.choice(spots)
        refused = roster_acts.move(
            self.league_id, self.world.members[franchise - 1], who, spot, self.now
        )
        owner, old_spot = self.plain.places.get(who, (0, ""))
        can = owner == franchise and old_spot != spot
        can = can and (spot != "reserve" or who in self.injured)
        self.expect(not refused, {who: (franchise, spot)}, can)

    def trade(self) -> None:
        """An exchange on somebody's behalf, which is the log's part of a trade."""
        first, second = self.random.sample(range(1, 5), 2)
        give, take = self.someone(first), self.someone(second)
        owners = [self.plain.places.get(who, (0, "active")) for who in (give, take)]
        result = commissioner.act(
            self.league_id,
            [
                Move(give, first, second, from_spot=owners[0][1]),  # type: ignore[arg-type]
                Move(take, second, first, from_spot=owners[1][1]),  # type: ignore[arg-type]
            ],
            by_member_id=self.world.members[0],
            reason="Agreed",
            now=self.now,
        )
        can = (owners[0][0], owners[1][0]) == (first, second) and give != take
        moves = {give: (second, "active"), take: (first, "active")}
        self.expect(isinstance(result, int), dict(moves), can)

    def take_back(self) -> None:
        if not self.plain.after:
            return
        number = self.random.choice([*self.plain.after])
        is_again = number in self.plain.reversed
        result = commissioner.reverse(
            self.league_id,
            number,
            by_member_id=self.world.members[0],
            reason="A mistake",
            now=self.now,
        )
        if is_again:
            return  # recorded once, or refused: nothing moves, as `play` checks
        moves = self.plain.before[number]
        owners = {who: place and place[0] for who, place in self.plain.after[number].items()}
        can = all(
            (self.plain.places.get(who) or (None,))[0] == owner for who, owner in owners.items()
        )
        accepted = isinstance(result, int)
        self.expect(accepted, dict(moves), can)
        if accepted:
            self.plain.reversed.add(number)
            del self.plain.after[self.number]  # a reversal is not taken back itself


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size("DRAFT_LEAGUE_HISTORIES", 2, 20)))
def test_a_random_history_is_that_of_a_plain_model(
    app: Flask, member: Callable[..., Member], seed: int
) -> None:
    history = History(make_drafted_league(member, OPEN), seed)
    accepted = history.play()
    assert accepted > ACTS / 5
    log = transactions_of(history.league_id)
    assert [each.number for each in log] == list(range(1, history.number + 1))
    with transaction():
        rebuilt = transactions.rebuild(locked(history.league_id))
    assert {who: place.franchise for who, place in rebuilt.places.items()} == {
        who: franchise for who, (franchise, _) in history.plain.places.items()
    }
    drafted = folded(each.transaction for each in log[:24]).places
    assert as_of(history, DRAFTED) == {who: place.franchise for who, place in drafted.items()}


def as_of(history: History, moment: datetime) -> dict[str, int]:
    log = transactions_of(history.league_id, until=moment)
    places = folded(each.transaction for each in log).places
    return {who: place.franchise for who, place in places.items()}
