"""Links with which members share what happened in a league: a play's swing, a recap, a matchup.

The pages of a league are visible only to its members. Such a link is signed, and shows everybody
who has it a single thing with the names of teams and of the league, but of no member. It ends if
the member who made it removes it, leaves the league, is banned or erased.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from flask import current_app
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts import sanctions
from app.accounts.models import Member
from app.core.db import db, transaction
from app.fantasy.leagues.models import SwingShare, WeekShare

MOST = 100  # of one member and kind; the oldest ends when there are more

S = TypeVar("S", SwingShare, WeekShare)


@dataclass(frozen=True)
class Links(Generic[S]):
    """The links of a kind. `about`: the columns of the model that say what a link shows."""

    model: type[S]
    salt: str

    def make(self, league_id: int, member_id: int, **about: Any) -> str:
        """Make the member's link if there is none, and return its token. Commits."""
        values = {"league_id": league_id, "member_id": member_id, **about}
        with transaction():
            db.session.execute(insert(self.model).values(values).on_conflict_do_nothing())
            newest = (
                select(self.model.id)
                .where(self.model.member_id == member_id)
                .order_by(self.model.id.desc())
                .limit(MOST)
            )
            db.session.execute(
                delete(self.model).where(
                    self.model.member_id == member_id, self.model.id.not_in(newest)
                )
            )
        token = self.token_of(league_id, member_id, **about)
        assert token is not None
        return token

    def token_of(self, league_id: int, member_id: int, **about: Any) -> str | None:
        """The token of the member's link; None without one."""
        query = select(self.model.id).filter_by(league_id=league_id, member_id=member_id, **about)
        share_id = db.session.scalar(query)
        return None if share_id is None else str(self._serializer().dumps(share_id))

    def find(self, token: str, now: datetime) -> S | None:
        """What the link shares.

        None if the signature is wrong, the link was removed, or the member who made it is banned.
        """
        try:
            share_id = self._serializer().loads(token)
        except BadSignature:
            return None
        share = db.session.get(self.model, share_id, populate_existing=True)
        maker = db.session.get(Member, share.member_id) if share else None
        if maker is None or sanctions.current(maker, now) is not None:
            return None
        return share

    def take_back(self, league_id: int, member_id: int, **about: Any) -> None:
        """End the member's link; without one nothing changes. Commits."""
        with transaction():
            db.session.execute(
                delete(self.model).filter_by(league_id=league_id, member_id=member_id, **about)
            )

    def _serializer(self) -> URLSafeSerializer:
        return URLSafeSerializer(current_app.config["SECRET_KEY"], salt=self.salt)


SWINGS = Links(SwingShare, "pressbox.swings.share.v1")
WEEKS = Links(WeekShare, "pressbox.weeks.share.v1")


def recap(gameweek_id: int) -> dict[str, int | str]:
    """What a link in WEEKS to the recap of a gameweek is about."""
    return {"gameweek_id": gameweek_id, "kind": "recap", "home_id": 0}


def matchup(gameweek_id: int, home_id: int) -> dict[str, int | str]:
    """What a link in WEEKS to a matchup is about."""
    return {"gameweek_id": gameweek_id, "kind": "matchup", "home_id": home_id}
