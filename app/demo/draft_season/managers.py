"""What the members of a draft league do during its season, through the services that pages use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from sqlalchemy import func, select

from app.core.db import db
from app.core.refusals import Refusal
from app.demo.draft_season import choices
from app.demo.draft_season.choices import Look
from app.draft_leagues.drafts.ranked import Pool
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.trades.queries import TradeView, load_trade
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.queries import availability
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import FootballerSeason, Gameweek, TeamRules
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.rosters.rules import ACTIVE, PickMove, Spot
from app.fantasy.scoring.models import PlayerPoints
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.context import begun_among
from app.fantasy.sheets.transfers import Draft
from app.fantasy.standings.models import League
from app.record.models import Game

_PROJECTED_WEEKS = 17
_ANSWERS = ("accept", "accept", "accept", "decline", "counter", "wait")
_REVIEWS = ("wait", "wait", "wait", "approve", "stop")
_VOTING, _AGAINST = 0.5, 0.4  # of the teams that may vote, and of their votes
_CHANGES_ITS_MIND = 0.4  # share of the line-ups that change between kickoffs


@dataclass
class Managers:
    """The members of a league, by franchise from 1.

    `done` and `refused` count acts by their kind; refusals also by their code.
    """

    league: League
    settings: DraftLeagueSettings
    members: Sequence[int]
    pool: Pool
    rng: Random
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def line_up(self, gameweek: Gameweek, injured: Collection[str], now: datetime) -> None:
        """Save everybody's line-up; those of best ball need none."""
        if self.settings.roster.best_ball:
            return
        look = self._look()
        for franchise in look.rosters:
            picks = choices.lineup(self.rng, look, franchise, injured)
            self._save_lineup(franchise, gameweek, picks, now)

    def rearrange(self, gameweek: Gameweek, now: datetime) -> None:
        """Let some change their line-ups while games are on."""
        if self.settings.roster.best_ball:
            return
        look = self._look()
        for franchise, roster in look.rosters.items():
            if self.rng.random() < _CHANGES_ITS_MIND:
                member_id = self.members[franchise - 1]
                sheet = sheets.sheet_for(member_id, self.league.team_rules_id, gameweek)
                begun = begun_among(roster, gameweek, now)
                if sheet is not None and set(filter(None, sheet.picks)) <= set(roster):
                    picks = choices.rearranged(self.rng, look, sheet.picks, begun)
                    self._save_lineup(franchise, gameweek, picks, now)

    def _save_lineup(
        self, franchise: int, gameweek: Gameweek, picks: tuple[str, ...], now: datetime
    ) -> None:
        saved = sheets.save(
            self.members[franchise - 1],
            self.league.team_rules_id,
            gameweek.id,
            Draft(picks, 0, 0),
            now,
        )
        refused = saved.refusals if isinstance(saved, sheets.Refused) else ()
        self._note("line-up", refused)

    def use_spots(self, injured: Collection[str], now: datetime) -> None:
        """Put the injured on injured reserve; take back whoever is fit, or drop them."""
        for franchise, member_id in enumerate(self.members, start=1):
            roster = rosters_of(self.league.id).of(franchise)
            spots = Counter(place.spot for place in roster.values())
            for footballer, place in roster.items():
                spot: Spot | None = None
                if place.spot == ACTIVE and footballer in injured:
                    spot = "reserve" if spots["reserve"] < self.settings.roster.reserve else None
                elif place.spot != ACTIVE and footballer not in injured:
                    spot = ACTIVE if spots[ACTIVE] < self.settings.roster.active else None
                    if spot is None and place.spot == "reserve":  # it would get nobody else
                        dropped = roster_acts.drop(self.league.id, member_id, footballer, now)
                        self._note("drop", dropped)
                if spot is None:
                    continue
                refused = roster_acts.move(self.league.id, member_id, footballer, spot, now)
                self._note(f"move to {spot}", refused)
                if not refused:
                    spots[place.spot] -= 1
                    spots[spot] += 1

    def want(self, now: datetime) -> None:
        """Claim footballers on waivers, and add free agents at once."""
        look = self._look()
        owned = rosters_of(self.league.id).places
        free = [each for each in look.positions if each not in owned]
        best = look.best(free)[:60]
        states = availability(self.league, self.settings, best, now)
        for franchise in self._in_any_order(look):
            member_id = self.members[franchise - 1]
            claimable = [each for each in best if states[each].clears_at is not None]
            for wish in choices.wishes(self.rng, look, franchise, claimable):
                self._note("claim", waivers.claim(self.league.id, member_id, wish, now))
            addable = [each for each in best if states[each].is_free]
            for wish in choices.wishes(self.rng, look, franchise, addable)[:1]:
                self._note("add", waivers.add(self.league.id, member_id, wish, now))

    def offer_trades(self, number: int, now: datetime) -> None:
        """Make so many offers."""
        look = self._look()
        for _ in range(number):
            first, second = self.rng.sample(list(look.rosters), 2)
            terms = choices.trade(self.rng, look, (first, second), self._picks(second, first))
            drops = choices.drops_for(look, terms, first)
            offer = NewOffer(terms, self._token(), drops=drops)
            self._offer(first, offer, now)

    def answer_trades(self, now: datetime) -> None:
        """Accept, decline, counter or withdraw the offers that are open, or wait."""
        for trade in self._trades("offered"):
            look = self._look()
            for franchise in trade.state.waiting_for:
                answer = self.rng.choice(_ANSWERS)
                actor = Actor(self.members[franchise - 1])
                drops = choices.drops_for(look, trade.terms, franchise)
                if answer == "accept":
                    refused = trades.accept(self.league.id, trade.row.id, actor, drops, now)
                    self._note("acceptance", refused)
                elif answer == "decline":
                    refused = trades.decline(self.league.id, trade.row.id, actor, now)
                    self._note("decline", refused)
                elif answer == "counter":
                    other = trade.row.franchise
                    terms = choices.trade(self.rng, look, (franchise, other), ())
                    drops = choices.drops_for(look, terms, franchise)
                    offer = NewOffer(terms, self._token(), drops=drops, counter_to=trade.row.id)
                    self._offer(franchise, offer, now)

    def review_trades(self, now: datetime) -> None:
        """Stop or approve trades under review, or vote on them."""
        commissioner = self.members[0]
        for trade in self._trades("in_review"):
            if trade.state.review == "vote":
                self._vote(trade, now)
                continue
            verdict = self.rng.choice(_REVIEWS)
            if verdict == "approve":
                refused = trades.approve(self.league.id, trade.row.id, commissioner, now)
                self._note("approval", refused)
            elif verdict == "stop":
                why = "It helps only one side"
                refused = trades.stop(self.league.id, trade.row.id, commissioner, why, now)
                self._note("stop", refused)

    def _vote(self, trade: TradeView, now: datetime) -> None:
        for franchise, member_id in enumerate(self.members, start=1):
            if franchise not in trade.terms.franchises and self.rng.random() < _VOTING:
                stops = self.rng.random() < _AGAINST
                actor = Actor(member_id)
                refused = trades.vote(self.league.id, trade.row.id, actor, now, stops=stops)
                self._note("vote", refused)

    def _offer(self, franchise: int, offer: NewOffer, now: datetime) -> None:
        actor = Actor(self.members[franchise - 1])
        self._note("offer", trades.offer(self.league.id, actor, offer, now).refusals)

    def _note(self, kind: str, refused: Sequence[Refusal]) -> None:
        if refused:
            self.refused[f"{kind}: {refused[0].code}"] += 1
        else:
            self.done[kind] += 1

    def _trades(self, status: str) -> list[TradeView]:
        ids = db.session.scalars(
            select(Trade.id)
            .where(Trade.league_id == self.league.id, Trade.status == status)
            .order_by(Trade.id)
        ).all()
        views = (load_trade(self.league.id, trade_id) for trade_id in ids)
        return [view for view in views if view is not None]

    def _picks(self, from_franchise: int, to_franchise: int) -> list[PickMove]:
        """A pick of next year's draft that the franchise has had from the beginning."""
        if not self.settings.trades.with_picks or not self.settings.keepers.future_seasons:
            return []
        season = self._season_year() + 1
        number = self.rng.randint(1, self.settings.later_rounds)
        return [PickMove(season, number, from_franchise, from_franchise, to_franchise)]

    def _season_year(self) -> int:
        return db.session.scalars(
            select(Gameweek.season).where(Gameweek.season_id == self.league.season_id).limit(1)
        ).one()

    def _in_any_order(self, look: Look) -> list[int]:
        return self.rng.sample(list(look.rosters), len(look.rosters))

    def _look(self) -> Look:
        """What members see now."""
        rosters = rosters_of(self.league.id)
        rules = db.session.get_one(TeamRules, self.league.team_rules_id)
        lineup = format_named(rules.format)
        usable = {position for slot in lineup.starters for position in slot.accepts}
        positions = {
            footballer: position
            for footballer, position in db.session.execute(
                select(FootballerSeason.footballer_id, FootballerSeason.position)
                .where(FootballerSeason.season_id == self.league.season_id)
                .order_by(FootballerSeason.footballer_id)
            )
            if position in usable
        }
        return Look(
            lineup,
            positions,
            self._ratings(),
            {
                franchise: [
                    footballer
                    for footballer, place in rosters.of(franchise).items()
                    if place.spot == ACTIVE
                ]
                for franchise in range(1, self.settings.franchises + 1)
            },
            rosters.budgets,
            self.settings.roster.active,
        )

    def _ratings(self) -> dict[str, int]:
        """Projected and scored points per gameweek, each with half the weight."""
        scored = db.session.execute(
            select(PlayerPoints.player_id, func.sum(PlayerPoints.points), func.count())
            .join(Game, Game.id == PlayerPoints.game_id)
            .where(
                Game.competition == self._competition(),
                PlayerPoints.rules == self.settings.scoring,
            )
            .group_by(PlayerPoints.player_id)
        )
        means = {player: int(total) // games for player, total, games in scored}
        projected = {each.id: each.points // _PROJECTED_WEEKS for each in self.pool.footballers}
        return {
            each: (means.get(each, 0) + projected.get(each, 0)) // 2
            for each in {*means, *projected}
        }

    def _competition(self) -> str:
        return db.session.scalars(
            select(Gameweek.competition).where(Gameweek.season_id == self.league.season_id).limit(1)
        ).one()

    def _token(self) -> str:
        return f"{self.rng.getrandbits(64):016x}"
