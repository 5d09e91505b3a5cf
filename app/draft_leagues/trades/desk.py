"""A league at which trades are made: loaded under its lock, for services. Only callers commit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import func, select

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.drafts.desk import Desk as DraftDesk
from app.draft_leagues.drafts.desk import open_running
from app.draft_leagues.franchises.refusals import NO_FRANCHISE, team_refusal
from app.draft_leagues.franchises.services import Team, locked, runs_league, teams
from app.draft_leagues.free_text import reason_refusals
from app.draft_leagues.models import DRAFTING, DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.trades import words
from app.draft_leagues.trades.models import TradeEvent
from app.draft_leagues.trades.queries import HistoryEntry, TradeView, able_to_vote
from app.draft_leagues.trades.rules import Event
from app.draft_leagues.trades.terms import PickRange, Terms
from app.draft_leagues.trades.window import JUST_BEGUN, pick_range, window_refusal
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.notices.words import Words
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.queries import names_of
from app.fantasy.rosters.rules import Names
from app.fantasy.standings.models import League

NO_REASON = Refusal(
    "reason", "reason", "Give a reason for acting for another team. Everyone in the league sees it."
)


@dataclass(frozen=True)
class Actor:
    """Who acts, and for which franchise: None for their own.

    A commissioner may act for others, with a reason.
    """

    member_id: int
    franchise: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Desk:
    """A draft league, locked until the transaction ends, and the moment of the act.

    `running`: its draft while that is on, locked too.
    """

    draft_league: DraftLeague
    league: League
    settings: DraftLeagueSettings
    teams: dict[int, Team]
    now: datetime
    running: DraftDesk | None = None

    @classmethod
    def load(cls, league_id: int, now: datetime) -> Desk:
        """Lock and load a league, after its draft if that is on, as the draft itself does."""
        running = open_running(league_id, now)
        draft_league = locked(league_id)
        return cls(
            draft_league,
            db.session.get_one(League, league_id),
            settings_of(draft_league),
            {team.number: team for team in teams(league_id)},
            now,
            running,
        )

    @property
    def picks(self) -> PickRange:
        """The picks that can be traded now."""
        draft = self.running.draft if self.running is not None else None
        return pick_range(self.draft_league, self.settings, draft)

    @property
    def names(self) -> dict[int, str]:
        """The names of franchises by number."""
        return {number: team.name for number, team in self.teams.items()}

    def named(self, franchises: tuple[int, ...]) -> str:
        """These franchises in a sentence."""
        return words.listed([self.teams[number].name for number in franchises])

    def what(self, trade: TradeView) -> str:
        """What each of a trade's teams gets, in sentences."""
        named = names_of(gift.footballer_id for gift in trade.terms.footballers)
        return " ".join(words.gets(trade.terms, Names(named, self.names)))

    def acting(self, actor: Actor) -> tuple[int, Refusal | None]:
        """The franchise for which somebody acts, or why they cannot."""
        of_member = db.session.scalar(
            select(Franchise).filter_by(league_id=self.league.id, member_id=actor.member_id)
        )
        franchise = of_member
        if actor.franchise is not None and (
            of_member is None or of_member.number != actor.franchise
        ):
            if not runs_league(self.league.id, actor.member_id):
                return 0, NO_FRANCHISE
            if refused := reason_refusals(actor.reason, NO_REASON):
                return 0, refused[0]
            franchise = db.session.get(Franchise, (self.league.id, actor.franchise))
        refusal = self.window_refusal or team_refusal(franchise)
        return (franchise.number if franchise is not None else 0), refusal

    def voters(self, terms: Terms) -> list[int]:
        """The teams that can vote on a trade: not part of it, and with an owner who can act."""
        return able_to_vote(self.league.id, self.teams, terms)

    @property
    def window_refusal(self) -> Refusal | None:
        """Why the league makes no trades now; None if it does."""
        if self.draft_league.phase == DRAFTING and self.running is None:
            return window_refusal(self.draft_league) or JUST_BEGUN
        return window_refusal(self.draft_league)

    def append(self, trade: TradeView, event: Event, by_member_id: int | None) -> TradeView:
        """Add an event to a trade, and return the trade after it."""
        number = db.session.scalar(select(func.count()).where(TradeEvent.trade_id == trade.row.id))
        db.session.add(
            TradeEvent(
                trade_id=trade.row.id,
                number=(number or 0) + 1,
                body=msgspec.to_builtins(event),
                by_member_id=by_member_id,
                made_at=self.now,
            )
        )
        after = TradeView(trade.row, [*trade.history, HistoryEntry(event, self.now, by_member_id)])
        trade.row.status, trade.row.due_at = after.state.status, after.state.due_at
        db.session.flush()
        return after

    def notify_of_end(self, trade: TradeView, what: str, words_of: dict[bool, Words]) -> None:
        """Tell how a trade ended: its parties, and everybody if all were told of a review.

        `words_of`: the words for a party (True) and for other teams (False).
        """
        parties = trade.terms.franchises
        was_reviewed = any(entry.event.kind == "agreed" for entry in trade.history)
        recipients = self.teams if was_reviewed else parties
        self.notify(trade, what, {number: words_of[number in parties] for number in recipients})

    def notify(self, trade: TradeView, what: str, texts: dict[int, Words]) -> None:
        """Tell the members of these franchises something about a trade, once each.

        `what`: names the event in the key of the notice.
        """
        notices.notify(
            [
                NewNotice.of(
                    member_id,
                    "league",
                    f"trade:{trade.row.id}:{what}",
                    text,
                    f"/leagues/{self.league.slug}/trades/{trade.row.id}",
                )
                for franchise, text in texts.items()
                if (member_id := self.teams[franchise].member_id) is not None
            ],
            self.now,
        )
