"""Drafts a league through the room's services: members pick, bid, or let their clock run out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import services
from app.draft_leagues.drafts.automatic import Choosing, Helper, auction_prices, choose
from app.draft_leagues.drafts.queries import Room, Snapshot, load_room, load_snapshot
from app.draft_leagues.drafts.services import Done, Outcome, Submission
from app.draft_leagues.drafts.settling import due_at
from app.draft_leagues.settings import DraftLeagueSettings
from app.fantasy.standings.models import League

_ASLEEP = 0.1  # of the picks are left to the clock
_TASTE = 6.0  # standard deviation, in ranks, between a member's order and the ranking
_THINKING = (2, 4)  # seconds before a pick


class Drafting:
    """A league's draft, from its plan to the rosters. `at`: the time that it has reached."""

    def __init__(
        self, league: League, settings: DraftLeagueSettings, members: Sequence[int], rng: Random
    ) -> None:
        self.league, self.settings, self.members, self.rng = league, settings, members, rng
        self._orders: dict[int, list[str]] = {}

    def play(self, begin: datetime) -> datetime:
        """Plan the draft a day before, and make every pick; returns when it ended."""
        order = list(range(1, self.settings.franchises + 1))
        self.rng.shuffle(order)
        refused = draft_planning.schedule(
            self.league.id,
            DraftDate(order=tuple(order)),
            self.members[0],
            begin - timedelta(days=1),
        )
        assert refused == [], refused
        planned = draft_planning.draft_of(self.league.id)
        assert planned is not None
        self.draft_id = planned.id
        self.at = begin
        self._expect(services.start(self._room(self.members[0]), Submission(begin)))
        while (snapshot := load_snapshot(self.draft_id)).draft.status == "running":
            if snapshot.draft.on_turn is None:
                self._finish()
            elif self.settings.draft.kind == "auction":
                self._sell(snapshot)
            else:
                self._pick(snapshot)
        return self.at

    def _finish(self) -> None:
        self._wait(1)
        if self.settings.draft.kind == "offline":
            self._expect(services.finish(self._room(self.members[0]), Submission(self.at)))
        else:
            assert services.advance(self.draft_id, self.at), "the draft was not completed"

    def _pick(self, snapshot: Snapshot) -> None:
        franchise = snapshot.draft.on_turn
        assert franchise is not None
        if self.settings.draft.kind == "offline":
            self._wait(self.rng.randint(*_THINKING))
            room = self._room(self.members[0])
            chosen = self._choice(snapshot, franchise)
            self._expect(services.pick_for(room, chosen, Submission(self.at)))
        elif franchise in snapshot.draft.autopilots or self.rng.random() < _ASLEEP:
            self._let_the_clock_run()
        else:
            self._wait(self.rng.randint(*_THINKING))
            room = self._room(self.members[franchise - 1])
            submission = Submission(self.at, expected=snapshot.draft.expected)
            self._expect(services.pick(room, self._choice(snapshot, franchise), submission))

    def _sell(self, snapshot: Snapshot) -> None:
        """Nominate somebody, let the others bid once each, and wait for the hammer."""
        draft = snapshot.draft
        franchise = draft.on_turn
        assert franchise is not None
        footballer_id = self._choice(snapshot, franchise)
        price = auction_prices(snapshot.pool, draft).get(footballer_id, 1)
        self._wait(1)
        most = max(1, min(draft.most(franchise), price * self.rng.randint(60, 110) // 100))
        room = self._room(self.members[franchise - 1])
        self._expect(services.nominate(room, footballer_id, most, Submission(self.at)))
        others = [number for number in draft.plan.order if number != franchise]
        for other in self.rng.sample(others, min(3, len(others))):
            maximum = min(draft.most(other), price * self.rng.randint(60, 120) // 100)
            now = load_snapshot(self.draft_id).draft
            lot = now.lot
            if lot is None or not now.open_places(other) or maximum <= lot.standing.price:
                continue
            self._wait(1)
            # The hammer may fall first: then the bid is refused.
            services.bid(self._room(self.members[other - 1]), maximum, Submission(self.at))
        while load_snapshot(self.draft_id).draft.lot is not None:
            self._let_the_clock_run()

    def _let_the_clock_run(self) -> None:
        due = due_at(load_snapshot(self.draft_id).draft)
        assert due is not None
        self.at = max(self.at, due)
        assert services.advance(self.draft_id, self.at), "the clock decided nothing"

    def _choice(self, snapshot: Snapshot, franchise: int) -> str:
        helper = Helper(order=self._order_of(snapshot, franchise))
        chosen = choose(Choosing(snapshot.draft, snapshot.pool, franchise, helper))
        assert chosen is not None, "nobody is left to be drafted"
        return chosen.id

    def _order_of(self, snapshot: Snapshot, franchise: int) -> Sequence[str]:
        """The ranking as this member sees it."""
        if franchise not in self._orders:
            ranks = {
                each.id: each.rank + self.rng.gauss(0, _TASTE) for each in snapshot.pool.footballers
            }
            self._orders[franchise] = sorted(ranks, key=lambda each: (ranks[each], each))
        return self._orders[franchise]

    def _room(self, member_id: int) -> Room:
        room = load_room(self.draft_id, member_id)
        assert room is not None
        return room

    def _wait(self, seconds: int) -> None:
        self.at += timedelta(seconds=seconds)

    def _expect(self, outcome: Outcome) -> None:
        assert isinstance(outcome, Done), outcome
