"""Tells the members of a draft league that another member runs it, in its log and by a notice."""

from __future__ import annotations

from datetime import datetime

from app.accounts.models import Member
from app.core.bidi import isolated
from app.core.db import db
from app.draft_leagues.commissioner import words
from app.draft_leagues.franchises.services import draft_league, locked, teams
from app.draft_leagues.transactions.services import record
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Words
from app.fantasy.rosters.rules import Transaction
from app.fantasy.standings.models import League


def tell_of_new_commissioner(league: League, by_member_id: int | None, now: datetime) -> None:
    """Write the change into the log, and tell everybody else. Only the caller commits.

    The new commissioner and whoever handed the league over know it already.
    """
    if league.commissioner_id is None or draft_league(league.id) is None:
        return
    commissioner = db.session.get_one(Member, league.commissioner_id)
    title = words.new_commissioner(commissioner.display_name)
    entry = Transaction("commissioner", by_member_id=commissioner.id, reason=f"{title}.")
    numbers = record(locked(league.id), [entry], now)
    assert isinstance(numbers, list)  # an act that moves nobody is not refused
    say = Words(
        f"{isolated(league.name)}: {title}", "Ask them for anything only a commissioner can do."
    )
    owners = {team.member_id for team in teams(league.id) if team.member_id is not None}
    recipients = sorted(owners - {commissioner.id, by_member_id})
    key, path = f"league:{league.id}:act:{numbers[0]}", f"/leagues/{league.slug}"
    notify([NewNotice.of(member, "league", key, say, path) for member in recipients], now)
