"""Leagues: found them, join and leave, and what their commissioner does before the first deadline.

Lives here: one function a thing somebody does, one transaction each; refusals are values. Not here:
adjustments and retroactive changes (adjustments.py, rule_changes.py), what settings mean
(rules.py), who may look (below: `for_member` and `for_commissioner` are the only doors from an
address to a league).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, func, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.accounts.names import normalised
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.gameweeks import live
from app.fantasy.leagues import commissioners, owners, rules
from app.fantasy.leagues.addresses import free_slug, name_refusals, new_code
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import begin_with, ensure_team_rules, first_open_week
from app.fantasy.notices import news
from app.fantasy.notices import services as notices
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice
from app.fantasy.notices.words import Words
from app.fantasy.rosters import franchises
from app.fantasy.scoring import pairs
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings import league_scores, schedules
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import DRAFT, SALARY_CAP, League, LeagueMember, LeagueScore

MOST_LEAGUES = 100
# Marks the season of a league that was imported from another installation: `nfl@the-row`.
APART = "@"

NOT_THERE = Refusal("not_there", "code", "No league has this code. Ask the person who sent it.")
BANNED = Refusal(
    "banned", "", "The commissioner removed you from this league. Ask them to let you rejoin."
)
TOO_MANY = Refusal(
    "too_many", "", f"You are in {MOST_LEAGUES} leagues, the maximum. Leave one first."
)
STAYS = Refusal(
    "stays", "", "Transfer ownership to another member first. A league needs a commissioner."
)
LAST = Refusal(
    "last",
    "",
    "You are the league's last active member, and its past weeks or other teams still need it. "
    "Invite someone and transfer ownership first.",
)
OVERALL = Refusal(
    "overall",
    "",
    "Everyone with a team is in this league. You can't leave it, and it has no commissioner.",
)
HISTORY = Refusal(
    "history",
    "",
    "This league was imported from another Pressbox as a read-only history.",
)
FULL = Refusal(
    "full",
    "",
    "This league is full. Ask the commissioner for a spot when someone leaves.",
)
DRAFTED = Refusal(
    "drafted",
    "",
    "Your team has already drafted, so its roster stays in the league. Ask the commissioner to "
    "give it to someone else.",
)
DRAFTED_COMMISSIONER = Refusal(
    "drafted",
    "",
    "Your team has already drafted, so its roster stays in the league. Transfer ownership to "
    "another member, who can give your team to someone else.",
)
REPLACE = Refusal(
    "drafted",
    "member",
    "This team has already drafted, so its roster stays in the league. Change the owner instead "
    "of removing them.",
)
SAME_TEAM_NAME = Refusal(
    "taken",
    "team_name",
    "This name is taken in this league. Choose another.",
)
NO_MEMBER = Refusal("no_member", "member", "Choose a member of this league.")
YOURSELF = Refusal("yourself", "member", "Choose a member other than yourself.")


@dataclass(frozen=True)
class NewLeague:
    """A league to be founded.

    `first_week`: the gameweek from which it counts; None for the next that a team can be picked
    for.
    """

    name: str
    team_name: str
    season_id: int
    choice: TeamRulesChoice
    rules: str
    mode: str = "total"
    ties: str = "shared"
    is_public: bool = False
    first_week: int | None = None


def create(member_id: int, new: NewLeague, now: datetime) -> League | list[Refusal]:
    """Found a league with its first member as commissioner, or return all that is wrong with it."""
    refused = refusals(new.name, new.team_name, new.mode, new.ties)
    if (
        worthless := pairs.refusal(format_named(new.choice.format), rules_named(new.rules))
    ) is not None:
        refused.append(worthless)
    if leagues_count(member_id) >= MOST_LEAGUES:
        refused.append(TOO_MANY)
    if refused:
        return refused
    league = add_league(member_id, new, ensure_team_rules(new.season_id, new.choice).id, now)
    db.session.commit()
    live.refresh_league(league.id, now)
    return league


def add_league(
    member_id: int, new: NewLeague, team_rules_id: int, now: datetime, *, game: str = SALARY_CAP
) -> League:
    """Write a new league with its first member as commissioner. Only the caller commits."""
    league = League(
        season_id=new.season_id,
        team_rules_id=team_rules_id,
        slug=free_slug(new.name),
        name=normalised(new.name),
        invite_code=new_code(),
        is_public=new.is_public,
        rules=new.rules,
        game=game,
        mode=new.mode,
        ties=new.ties,
        first_week=new.first_week or first_open_week(team_rules_id, now),
        commissioner_id=member_id,
        created_at=now,
    )
    db.session.add(league)
    db.session.flush()
    if game == DRAFT:
        begin_with(team_rules_id, league.first_week)
    _add(league.id, member_id, new.team_name, now)
    return league


def refusals(name: str, team_name: str, mode: str, ties: str) -> list[Refusal]:
    """Return what is wrong with the names and the table of a new league."""
    return [
        *name_refusals(name),
        *name_refusals(team_name, "team_name", rules.TEAM_NAME_MAX),
        *rules.read_table_rules(mode, ties),
    ]


def join(member_id: int, league_id: int, team_name: str, now: datetime) -> Refusal | None:
    """Join the league, with the gameweeks that the member played under its team rules.

    The caller has checked that the member may join, by its public page or by its code. Joining
    again changes nothing.
    """
    if refused := name_refusals(team_name, "team_name", rules.TEAM_NAME_MAX):
        return refused[0]

    def act(league: League) -> Refusal | None:
        if db.session.get(LeagueMember, (league.id, member_id)) is not None:
            return None
        if (refused := _join_refusal(league, member_id)) is not None:
            return refused
        if _has_team(league, team_name, but=(member_id, _vacant_owner(league))):
            return SAME_TEAM_NAME
        if league.game == DRAFT and not franchises.take(league.id, member_id):
            if not _take_over(league, member_id, normalised(team_name), now):
                return FULL
        else:
            _add(league.id, member_id, team_name, now)
        news.note(news.JOINED, [league.id], member_id, now)
        commissioners.appoint([league], now)
        if league.commissioner_id not in (None, member_id):
            words = notice_words.joined(
                league.name, normalised(team_name), is_draft=league.game == DRAFT
            )
            _notify(league, [league.commissioner_id], f"joined:{member_id}", words, now)
        return None

    return _change_owners(league_id, act, now)


def _vacant_owner(league: League) -> int | None:
    """The owner of the team that the next member takes over, and may keep the name of."""
    waiting = owners.next_waiting(league.id) if league.game == DRAFT else None
    return None if waiting is None else waiting.member_id


def _take_over(league: League, member_id: int, team_name: str, now: datetime) -> bool:
    """Give the member the team that waits for an owner, and tell the others; False without one."""
    waiting = owners.next_waiting(league.id)
    if waiting is None:
        return False
    old_name = db.session.get_one(LeagueMember, (league.id, waiting.member_id)).team_name
    owners.take_over(league, member_id, team_name, now)
    others = db.session.scalars(
        select(LeagueMember.member_id).where(
            LeagueMember.league_id == league.id,
            LeagueMember.member_id.not_in((member_id, league.commissioner_id or 0)),
        )
    ).all()
    words = notice_words.took_over(league.name, team_name, old_name)
    _notify(league, others, f"joined:{member_id}", words, now)
    return True


def _join_refusal(league: League, member_id: int) -> Refusal | None:
    """Why the member, who is not in the league, may not join it."""
    if league.is_overall:
        return OVERALL
    if is_history(league):
        return HISTORY
    if is_banned(league.id, member_id):
        return BANNED
    if leagues_count(member_id) >= MOST_LEAGUES:
        return TOO_MANY
    return None


def leave(member_id: int, league_id: int, now: datetime) -> Refusal | None:
    """Leave the league, whose history keeps the member's gameweeks.

    A league without a gameweek is deleted with its last member.
    """

    def act(league: League) -> Refusal | None:
        if (refused := leave_refusal(league, member_id)) is not None:
            return refused
        if league.game == DRAFT and not franchises.leave(league.id, member_id, now):
            return DRAFTED
        if league.commissioner_id == member_id:
            db.session.delete(league)
            return None
        _tell_of_leaver(league, member_id, now)
        _end_membership(league.id, member_id)
        return None

    return _change_owners(league_id, act, now)


def _tell_of_leaver(league: League, member_id: int, now: datetime) -> None:
    """Tell the commissioner that a member leaves."""
    membership = db.session.get(LeagueMember, (league.id, member_id))
    if membership is None or league.commissioner_id is None:
        return
    words = notice_words.left(league.name, membership.team_name, is_draft=league.game == DRAFT)
    _notify(league, [league.commissioner_id], f"left:{member_id}", words, now)


def leave_refusal(league: League, member_id: int) -> Refusal | None:
    """Why the member cannot leave the league now."""
    if league.is_overall:
        return OVERALL
    runs_it = league.commissioner_id == member_id
    if league.game == DRAFT and franchises.has_moved(league.id):
        return DRAFTED_COMMISSIONER if runs_it else DRAFTED
    if not runs_it:
        return None
    if commissioners.heir(league.id, besides=member_id) is not None:
        return STAYS
    return LAST if _others(league.id, member_id) or _has_history(league.id) else None


def remove(league_id: int, member_id: int, now: datetime) -> Refusal | None:
    """Remove a member from the league.

    They cannot rejoin by code or page until `let_back`.
    """

    def act(league: League) -> Refusal | None:
        if (refused := remove_refusal(league, member_id)) is not None:
            return refused
        if league.game == DRAFT:
            franchises.leave(league.id, member_id, now)
        if not _end_membership(league.id, member_id):
            return NO_MEMBER
        db.session.execute(
            insert(LeagueBan)
            .values(league_id=league.id, member_id=member_id)
            .on_conflict_do_nothing()
        )
        words = notice_words.removed(league.name)
        notice = NewNotice.of(
            member_id, "league", _notice_key(league, "removed", now), words, "/leagues"
        )
        notices.notify([notice], now)
        return None

    return _change_owners(league_id, act, now)


def remove_refusal(league: League, member_id: int) -> Refusal | None:
    """Why the commissioner cannot remove the member now."""
    if league.commissioner_id == member_id:
        return YOURSELF
    if league.game == DRAFT and franchises.has_moved(league.id):
        return REPLACE
    return None


def is_banned(league_id: int, member_id: int) -> bool:
    """Whether the commissioner removed the member and has not let them back in."""
    return db.session.get(LeagueBan, (league_id, member_id)) is not None


def let_back(league_id: int, member_id: int) -> None:
    """Allow a removed member to join again. Commits."""
    db.session.execute(
        delete(LeagueBan).where(LeagueBan.league_id == league_id, LeagueBan.member_id == member_id)
    )
    db.session.commit()


def rename(league_id: int, name: str, now: datetime) -> list[Refusal]:
    """Rename the league and notify its members; its address stays, so links keep working."""
    if refused := name_refusals(name):
        return refused
    league = db.session.get_one(League, league_id)
    old, league.name = league.name, normalised(name)
    if old != league.name:
        members = db.session.scalars(
            select(LeagueMember.member_id).where(
                LeagueMember.league_id == league_id,
                LeagueMember.member_id != league.commissioner_id,
            )
        )
        words = notice_words.renamed(old, league.name)
        _notify(league, members.all(), "renamed", words, now)
    db.session.commit()
    return []


def rename_team(league_id: int, member_id: int, team_name: str) -> list[Refusal]:
    """Rename the member's team; past gameweeks keep the old name."""
    if refused := name_refusals(team_name, "team_name", rules.TEAM_NAME_MAX):
        return refused
    try:
        query = select(League).where(League.id == league_id).with_for_update(key_share=True)
        league = db.session.scalars(query).one()
        if _has_team(league, team_name, but=(member_id,)):
            return [SAME_TEAM_NAME]
        db.session.get_one(LeagueMember, (league_id, member_id)).team_name = normalised(team_name)
        db.session.commit()
    finally:
        db.session.rollback()  # after the commit: nothing to undo
    return []


def _has_team(league: League, team_name: str, *, but: Collection[int | None]) -> bool:
    """Whether a team of nobody in `but` has this name, whatever the case of its letters.

    In the overall league it never has: everybody plays there, and many choose the same name.
    """
    if league.is_overall:
        return False
    return bool(
        db.session.scalar(
            select(
                exists().where(
                    LeagueMember.league_id == league.id,
                    LeagueMember.member_id.not_in([member for member in but if member is not None]),
                    func.lower(LeagueMember.team_name) == func.lower(normalised(team_name)),
                )
            )
        )
    )


def set_public(league_id: int, is_public: bool) -> None:
    """List the league as public, or stop listing it. Commits."""
    db.session.get_one(League, league_id).is_public = is_public
    db.session.commit()


def renew_code(league_id: int) -> str:
    """Replace the invite code; the old one no longer works. Commits."""
    league = db.session.get_one(League, league_id)
    league.invite_code = new_code()
    db.session.commit()
    return league.invite_code


def hand_over(league_id: int, member_id: int, now: datetime) -> Refusal | None:
    """Make another active member the commissioner."""

    def act(league: League) -> Refusal | None:
        if league.commissioner_id == member_id:
            return YOURSELF
        if not commissioners.is_active_member(league.id, member_id):
            return NO_MEMBER
        by_id = league.commissioner_id
        by = db.session.scalar(select(Member.display_name).where(Member.id == by_id))
        league.commissioner_id = member_id
        commissioners.forget_heirs(league.id)
        words = notice_words.made_commissioner(league.name, by or "Someone")
        _notify(league, [member_id], "commissioner", words, now)
        commissioners.tell_members(league, by_id, now)
        return None

    return with_league(league_id, act)


def is_history(league: League) -> bool:
    """Whether the league was imported from another installation.

    Its games are not in this one, so its points are never recomputed.
    """
    return APART in db.session.get_one(Season, league.season_id).competition


def for_member(slug: str, member_id: int) -> League | None:
    """The league, for one of its members."""
    return db.session.scalar(
        select(League)
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .where(League.slug == slug, LeagueMember.member_id == member_id)
    )


def of_team(team_rules_id: int, member_id: int, slug: str) -> League | None:
    """A league of the member in which their team of these rules plays.

    Args:
        team_rules_id: The rules of the team.
        member_id: The member.
        slug: The league that is preferred; else it is the first by name, the overall one last.
    """
    return db.session.scalar(
        select(League)
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .where(League.team_rules_id == team_rules_id, LeagueMember.member_id == member_id)
        .order_by(League.slug != slug, League.is_overall, League.name, League.id)
        .limit(1)
    )


def for_commissioner(slug: str, member_id: int) -> League | None:
    """The league, for its commissioner."""
    return db.session.scalar(
        select(League).where(League.slug == slug, League.commissioner_id == member_id)
    )


def public(slug: str) -> League | None:
    """The league, for everybody, when it is public."""
    return db.session.scalar(select(League).where(League.slug == slug, League.is_public))


def invited(code: str) -> League | None:
    """The league of an invite code, however the code was typed."""
    return db.session.scalar(
        select(League).where(League.invite_code == rules.plain_code(code), ~League.is_overall)
    )


def _change_owners(
    league_id: int, act: Callable[[League], Refusal | None], now: datetime
) -> Refusal | None:
    """As `with_league`, for an act after which a team has lost its owner or got one."""
    refused = with_league(league_id, act, refresh=now)
    if refused is None:
        franchises.owners_changed([league_id], now)
    return refused


def with_league(
    league_id: int, act: Callable[[League], Refusal | None], *, refresh: datetime | None = None
) -> Refusal | None:
    """Run an act on a league under a lock, and plan its fixtures anew.

    Acts on who is in a league, and on who runs it, wait for each other.

    Args:
        league_id: The league.
        act: Changes the league, or returns why it cannot.
        refresh: When the table is recomputed, in the same transaction; None if it stays as it is.
    """
    try:
        # With key_share, writers of the league's scores do not wait, so there is no deadlock.
        query = select(League).where(League.id == league_id).with_for_update(key_share=True)
        league = db.session.scalars(query.execution_options(populate_existing=True)).one()
        refused = act(league)
        if refused is not None:
            return refused
        db.session.flush()
        if league in db.session and not is_history(league):
            schedules.plan([league])
        if refresh is not None and league in db.session and not is_history(league):
            live.refresh_league(league_id, refresh)
        else:
            db.session.commit()
    finally:
        db.session.rollback()  # after the commit: nothing to undo
    return None


def _add(league_id: int, member_id: int, team_name: str, now: datetime) -> None:
    league_scores.forget_kept(league_id, member_id)
    db.session.add(
        LeagueMember(
            league_id=league_id, member_id=member_id, team_name=normalised(team_name), joined_at=now
        )
    )


def _notify(
    league: League, members: Sequence[int], event: str, words: Words, now: datetime
) -> None:
    key, path = _notice_key(league, event, now), f"/leagues/{league.slug}"
    notices.notify([NewNotice.of(member, "league", key, words, path) for member in members], now)


def _notice_key(league: League, event: str, now: datetime) -> str:
    return f"league:{league.id}:{event}:{now:%Y%m%d%H%M%S}"


def _end_membership(league_id: int, member_id: int) -> bool:
    league_scores.keep_live(league_id, member_id)
    statement = delete(LeagueMember).where(
        LeagueMember.league_id == league_id, LeagueMember.member_id == member_id
    )
    return db.session.execute(statement.returning(LeagueMember.member_id)).first() is not None


def _others(league_id: int, member_id: int) -> bool:
    others = select(LeagueMember).where(
        LeagueMember.league_id == league_id, LeagueMember.member_id != member_id
    )
    return bool(db.session.scalar(select(others.exists())))


def _has_history(league_id: int) -> bool:
    stored = select(LeagueScore).where(LeagueScore.league_id == league_id)
    return bool(db.session.scalar(select(stored.exists())) or live_scores([league_id]))


def leagues_count(member_id: int) -> int:
    """How many leagues the member is in, without overall leagues."""
    query = (
        select(func.count())
        .select_from(LeagueMember)
        .join(League, League.id == LeagueMember.league_id)
        .where(LeagueMember.member_id == member_id, ~League.is_overall)
    )
    return db.session.scalar(query) or 0
