"""Who runs a franchise of a draft league, and how it changes hands. Only the caller commits.

Line-ups, scores and matchups belong to members. So a franchise that nobody runs has a placeholder,
an account that nobody can sign in to, and whoever takes the franchise over takes these rows too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import delete, select, update

from app.accounts.models import Member
from app.accounts.placeholders import PREFIX, is_person
from app.accounts.staff import NO_PASSWORD
from app.core.db import db
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Words
from app.fantasy.rosters import franchises
from app.fantasy.rosters.models import Franchise
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings import league_scores
from app.fantasy.standings.models import League, LeagueMember, LeagueScore, Matchup


def is_placeholder(member_id: int) -> bool:
    """Whether the member only stands in for a franchise that nobody runs."""
    return db.session.get_one(Member, member_id).username.startswith(PREFIX)


def waiting_for_owners(league_id: int) -> set[int]:
    """The numbers of the franchises that nobody runs, with a placeholder or without."""
    return set(
        db.session.scalars(
            select(Franchise.number)
            .outerjoin(Member, Member.id == Franchise.member_id)
            .where(
                Franchise.league_id == league_id,
                Member.id.is_(None) | ~is_person(),
            )
        )
    )


def add_placeholder(franchise: Franchise) -> Member:
    """Write the account that stands in for a franchise; the one that did before is used again."""
    username = f"{PREFIX}{franchise.league_id}:{franchise.number}"
    member = db.session.scalar(select(Member).where(Member.username == username))
    if member is None:
        member = Member(username=username, display_name=franchise.name, password_hash=NO_PASSWORD)
        db.session.add(member)
        db.session.flush()
    return member


def next_waiting(league_id: int) -> Franchise | None:
    """The first franchise that has a placeholder, which whoever joins next takes over."""
    return db.session.scalar(
        select(Franchise)
        .join(Member, Member.id == Franchise.member_id)
        .where(
            Franchise.league_id == league_id,
            ~is_person(),
        )
        .order_by(Franchise.number)
        .limit(1)
    )


def take_over(league: League, member_id: int, team_name: str, now: datetime) -> bool:
    """Give the member the franchise that waits, under this name; False if none waits."""
    franchise = next_waiting(league.id)
    if franchise is None:
        return False
    hand_over(league, franchise, member_id, now)
    db.session.get_one(LeagueMember, (league.id, member_id)).team_name = team_name
    return True


def hand_over(league: League, franchise: Franchise, member_id: int, now: datetime) -> None:
    """Give a franchise, its name and its history to a member who is not in the league.

    Whoever ran it leaves the league, and what only they wanted ends.
    """
    old_id = franchise.member_id
    assert old_id is not None
    old = db.session.get_one(LeagueMember, (league.id, old_id))
    db.session.add(
        LeagueMember(
            league_id=league.id,
            member_id=member_id,
            team_name=old.team_name,
            joined_at=now,
            total_points=old.total_points,
            standing=old.standing,
        )
    )
    db.session.flush()
    for table in (LeagueScore, ScoreAdjustment):
        db.session.execute(
            update(table)
            .where(table.league_id == league.id, table.member_id == old_id)
            .values(member_id=member_id)
        )
    for column in (Matchup.home_id, Matchup.away_id):
        db.session.execute(
            update(Matchup)
            .where(Matchup.league_id == league.id, column == old_id)
            .values({column: member_id})
        )
    db.session.execute(
        update(TeamSheet)
        .where(TeamSheet.team_rules_id == league.team_rules_id, TeamSheet.member_id == old_id)
        .values(member_id=member_id)
    )
    franchise.member_id = member_id
    db.session.flush()
    if not is_placeholder(old_id):
        franchises.end_wishes(league.id, franchise.number, now)
    _leave(league.id, old_id)


def franchises_of(leagues: Sequence[League], member_id: int) -> list[tuple[League, Franchise]]:
    """The member's franchises in these leagues."""
    by_league = {league.id: league for league in leagues}
    rows = db.session.scalars(
        select(Franchise)
        .where(Franchise.league_id.in_(by_league), Franchise.member_id == member_id)
        .order_by(Franchise.league_id)
        .execution_options(populate_existing=True)
    )
    return [(by_league[franchise.league_id], franchise) for franchise in rows]


def tell_commissioners(
    owned: Sequence[tuple[League, Franchise]],
    member_id: int,
    words: Callable[[str, int], Words],
    now: datetime,
) -> None:
    """Tell the commissioners that these franchises of a member have no owner who can act."""
    notify(
        [
            NewNotice.of(
                league.commissioner_id,
                "league",
                f"league:{league.id}:owner-away:{franchise.number}:{now:%Y%m%d%H%M%S}",
                words(league.name, franchise.number),
                f"/leagues/{league.slug}/commissioner",
            )
            for league, franchise in owned
            if league.commissioner_id not in (None, member_id)
        ],
        now,
    )


def vacate(owned: Sequence[tuple[League, Franchise]], member_id: int, now: datetime) -> None:
    """Make the member's franchises vacant, each under its number, because the person is erased.

    The member leaves these leagues; line-ups, scores and matchups stay with the franchises.
    """
    for league, franchise in owned:
        if franchises.leave(league.id, member_id, now):
            _leave(league.id, member_id)
            continue
        placeholder = add_placeholder(franchise)
        hand_over(league, franchise, placeholder.id, now)
        franchise.name = placeholder.display_name = f"Team {franchise.number}"
        for table in (LeagueMember, LeagueScore):
            db.session.execute(
                update(table)
                .where(table.league_id == league.id, table.member_id == placeholder.id)
                .values(team_name=franchise.name)
            )


def _leave(league_id: int, member_id: int) -> None:
    league_scores.keep_live(league_id, member_id)
    db.session.execute(
        delete(LeagueMember).where(
            LeagueMember.league_id == league_id, LeagueMember.member_id == member_id
        )
    )
