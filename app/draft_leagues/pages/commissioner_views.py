"""The commissioner's page of a draft league: its teams, and who else runs it."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.accounts.models import Member
from app.core.clock import now
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.numbers import MAX_ID, whole_number
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.draft_leagues.commissioner import lineups, services
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.franchises.services import co_commissioners, without_owner
from app.draft_leagues.models import FINISHED, SEASON
from app.draft_leagues.pages.forms import (
    CoCommissionersForm,
    LeagueReasonForm,
    LockForm,
    TeamReasonForm,
)
from app.draft_leagues.pages.loading import DraftLeaguePage, load_for_commissioner
from app.draft_leagues.transactions import words
from app.fantasy.leagues import owners
from app.fantasy.pages.commissioner.access import refuse
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.rosters.queries import names_of, transactions_of
from app.fantasy.rosters.rules import Transaction
from app.fantasy.standings.models import LeagueMember

blueprint = Blueprint("draft_commissioner", __name__, url_prefix="/leagues/<slug>/commissioner")


def load_for_act(slug: str, franchise: int) -> DraftLeaguePage:
    """As `load_for_commissioner`, for an act on a team; numbers without a team get a 404."""
    page = load_for_commissioner(slug)
    if all(team.number != franchise for team in page.teams):
        abort(404)
    return page


@blueprint.get("")
@audience(MEMBER)
def show(slug: str) -> ResponseReturnValue:
    """Show the teams and who else runs the league."""
    return _page(load_for_commissioner(slug), TeamReasonForm(formdata=None))


@blueprint.post("/lock/<int:franchise>")
@audience(MEMBER)
def lock(slug: str, franchise: int) -> ResponseReturnValue:
    """Stop a team from making transactions, or let it again."""
    page, form = load_for_act(slug, franchise), LockForm()
    is_locked = form.locked.data == "1"
    refused = services.set_locked(page.league.id, franchise, _by(form), now(), is_locked=is_locked)
    return _answer(page, refused, form, f"lock-{franchise}")


@blueprint.post("/owner/<int:franchise>")
@audience(MEMBER)
def open_franchise(slug: str, franchise: int) -> ResponseReturnValue:
    """Take a team from its member, for whoever joins next."""
    page, form = load_for_act(slug, franchise), TeamReasonForm()
    refused = services.open_franchise(page.league.id, franchise, _by(form), now())
    return _answer(page, refused, form, f"owner-{franchise}")


@blueprint.post("/co-commissioners")
@audience(MEMBER)
def set_co_commissioners(slug: str) -> ResponseReturnValue:
    """Let other members run the league too; only the commissioner chooses them."""
    page = load_for_commissioner(slug)
    if page.league.commissioner_id != current_user.id:
        refuse(page.league)
    form = CoCommissionersForm()
    chosen = [whole_number(value, most=MAX_ID) or 0 for value in form.member.data]
    refused = services.set_co_commissioners(page.league.id, chosen, _by(form), now())
    return _answer(page, refused, form, "co")


@blueprint.get("/reverse/<int:number>")
@audience(MEMBER)
@limit_costly_work
def reversal(slug: str, number: int) -> ResponseReturnValue:
    """Show what taking a transaction back would move."""
    page = load_for_commissioner(slug)
    return _reversal(page, number, LeagueReasonForm(formdata=None))


@blueprint.post("/reverse/<int:number>")
@audience(MEMBER)
@limit_costly_work
def reverse(slug: str, number: int) -> ResponseReturnValue:
    """Take a transaction back."""
    page, form = load_for_commissioner(slug), LeagueReasonForm()
    result = services.reverse(
        page.league.id,
        number,
        by_member_id=current_user.id,
        reason=form.reason.data,
        now=now(),
    )
    if isinstance(result, list):
        return _reversal(page, number, form, result)
    return redirect(url_for("draft_transactions.index", slug=slug), 303)


def _by(form: TeamReasonForm) -> By:
    return By(current_user.id, form.reason.data)


def _answer(
    page: DraftLeaguePage, refused: Sequence[Refusal], form: TeamReasonForm, sent: str
) -> ResponseReturnValue:
    """The page again if the form was refused. `sent`: which of its forms it was."""
    if refused:
        return _page(page, form, sent, show_refusals(form, refused), 422)
    return redirect(url_for("draft_commissioner.show", slug=page.league.slug, done=1), 303)


def _page(
    page: DraftLeaguePage,
    form: TeamReasonForm,
    sent: str = "",
    faults: Sequence[str] = (),
    status: int = 200,
) -> ResponseReturnValue:
    league = page.league
    has_lineups = (
        page.draft_league.phase in (SEASON, FINISHED) and not page.settings.roster.best_ball
    )
    gameweeks = lineups.gameweeks(league, now()) if has_lineups else []
    return respond(
        "draft_leagues/commissioner.html",
        league=league,
        teams=page.teams,
        phase=page.draft_league.phase,
        waiting=owners.waiting_for_owners(league.id),
        without_owner=without_owner(league.id),
        co_commissioners=set(co_commissioners(league.id)),
        members=_members(page),
        week=gameweeks[-1].week if gameweeks else 0,
        form=form,
        sent=sent,
        faults=faults,
        done="done" in request.args,
        is_owner=league.commissioner_id == current_user.id,
        tab="settings",
        runs_it=True,
        status=status,
    )


def can_reverse(transaction: Transaction) -> bool:
    """Whether it moved anything that could be taken back."""
    return any((transaction.moves, transaction.budgets, transaction.picks))


def _members(page: DraftLeaguePage) -> list[tuple[int, str]]:
    """Id and name of the members who could be co-commissioners, by name."""
    team_members = {team.member_id for team in page.teams}
    waiting = owners.waiting_for_owners(page.league.id)
    waiting_members = {team.member_id for team in page.teams if team.number in waiting}
    rows = db.session.execute(
        select(Member.id, Member.display_name)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(
            LeagueMember.league_id == page.league.id,
            Member.id.in_(team_members - waiting_members),
            Member.id != page.league.commissioner_id,
        )
        .order_by(Member.display_name, Member.id)
    )
    return [(row.id, row.display_name) for row in rows]


def _reversal(
    page: DraftLeaguePage, number: int, form: LeagueReasonForm, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    recorded = next(
        (each for each in transactions_of(page.league.id) if each.number == number), None
    )
    if recorded is None or not can_reverse(recorded.transaction):
        abort(404)
    act = recorded.transaction
    names = names_of(move.footballer_id for move in act.moves)
    return respond(
        "draft_leagues/commissioner_reverse.html",
        league=page.league,
        recorded=recorded,
        kind=words.KINDS[act.kind],
        lines=[*words.lines(act, names, page.name_of)],
        form=form,
        faults=show_refusals(form, refused),
        tab="settings",
        runs_it=True,
        status=422 if refused else 200,
    )
