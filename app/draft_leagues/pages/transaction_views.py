"""The page of a draft league's transactions: the whole log, with who did what, when and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.draft_leagues.pages.commissioner_views import can_reverse
from app.draft_leagues.pages.loading import DraftLeaguePage, footballers_of, load
from app.draft_leagues.transactions import words
from app.fantasy.rosters.models import RosterTransaction
from app.fantasy.rosters.queries import (
    LogFilter,
    LogPart,
    Recorded,
    latest_transactions,
)
from app.fantasy.rosters.rules import Move, Transaction
from app.record.models import Footballer

blueprint = Blueprint("draft_transactions", __name__, url_prefix="/leagues/<slug>/transactions")

PAGE_ROWS = 50


@dataclass(frozen=True)
class Origin:
    """What a transaction came from, and its page; '' if it has none."""

    text: str
    href: str


@dataclass(frozen=True)
class TransactionLine:
    """A thing that a transaction moves.

    Attributes:
        text: A sentence.
        footballer: Who is moved, if it moves somebody.
        change: What a sign beside the name says in a transaction of one team: who joins its bench
            or leaves it. "" where only the sentence says it.
    """

    text: str
    footballer: Footballer | None
    change: Literal["added", "dropped", ""] = ""


@dataclass(frozen=True)
class Entry:
    """A transaction as the page shows it.

    Attributes:
        kind: In words.
        lines: A sentence for each thing that moved.
        by: The name of the member who did it; '' for a rule, such as an automatic pick.
        origin: The trade or the run of waivers that it came from; None for other acts.
        reverses: The number of the transaction that it took back.
        reversed_by: The number of the reversal that took it back.
        can_reverse: Whether a commissioner may try to take it back.
    """

    recorded: Recorded
    kind: str
    lines: Sequence[TransactionLine]
    by: str
    origin: Origin | None
    reverses: int | None
    reversed_by: int | None
    can_reverse: bool


@blueprint.get("")
@audience(MEMBER)
def index(slug: str) -> ResponseReturnValue:
    """Show the log, the latest first, of one kind or one team if that is asked for."""
    page = load(slug)
    chosen = _filter(page)
    number = page_number()
    part = latest_transactions(
        page.league.id, chosen, offset=(number - 1) * PAGE_ROWS, limit=PAGE_ROWS
    )
    pages = page_count(part.count, PAGE_ROWS)
    if number > pages:
        abort(404)
    return respond(
        "draft_leagues/transactions.html",
        league=page.league,
        entries=_entries(page, part),
        count=part.count,
        number=number,
        pages=pages,
        filter=chosen,
        values={"kind": chosen.kind or None, "team": chosen.franchise},
        kinds=words.KINDS,
        teams=page.teams,
        team=page.team_of,
        tab="transactions",
        runs_it=page.runs_it,
    )


@blueprint.get("/<int:number>")
@audience(MEMBER)
def show(slug: str, number: int) -> ResponseReturnValue:
    """Show one transaction in its place of the log."""
    page = load(slug)
    last = db.session.scalar(
        select(func.max(RosterTransaction.number)).where(
            RosterTransaction.league_id == page.league.id
        )
    )
    if last is None or not 1 <= number <= last:
        abort(404)
    address = url_for(
        "draft_transactions.index",
        slug=slug,
        page=(last - number) // PAGE_ROWS + 1,
        _anchor=f"transaction-{number}",
    )
    return redirect(address)


def _filter(page: DraftLeaguePage) -> LogFilter:
    """The filter of the address; an address with a filter that no league has does not exist."""
    kind, team = request.args.get("kind", ""), query_number("team")
    if kind not in {"", *words.KINDS} or team not in {None, *(each.number for each in page.teams)}:
        abort(404)
    return LogFilter(kind, team)


def _entries(page: DraftLeaguePage, part: LogPart) -> list[Entry]:
    acts = [each.transaction for each in part.transactions]
    footballers = footballers_of(move.footballer_id for act in acts for move in act.moves)
    names = {who.id: who.name for who in footballers.values()}
    members = _member_names(act.by_member_id for act in acts if act.by_member_id is not None)
    return [
        Entry(
            each,
            words.KINDS[act.kind],
            _lines(act, footballers, [*words.lines(act, names, page.name_of)]),
            members.get(act.by_member_id or 0, ""),
            _origin(page.league.slug, act.source or ""),
            act.depends_on,
            part.reversed_by.get(each.number),
            page.runs_it and can_reverse(act) and each.number not in part.reversed_by,
        )
        for each, act in zip(part.transactions, acts, strict=True)
    ]


def _lines(
    act: Transaction, footballers: Mapping[str, Footballer], sentences: Sequence[str]
) -> list[TransactionLine]:
    """The sentences of a transaction, those of its moves with whom they are about."""
    is_of_one_team = len(act.franchises) == 1
    moved = [
        TransactionLine(
            sentence,
            footballers.get(move.footballer_id),
            _change(move) if is_of_one_team and move.footballer_id in footballers else "",
        )
        for sentence, move in zip(sentences, act.moves, strict=False)
    ]
    return moved + [TransactionLine(sentence, None) for sentence in sentences[len(moved) :]]


def _change(move: Move) -> Literal["added", "dropped", ""]:
    if move.to_franchise is None:
        return "dropped"
    return "added" if move.from_franchise is None and move.spot == "active" else ""


def _member_names(ids: Iterable[int]) -> dict[int, str]:
    rows = db.session.execute(select(Member.id, Member.display_name).where(Member.id.in_({*ids})))
    return {row.id: row.display_name for row in rows}


def _origin(slug: str, source: str) -> Origin | None:
    kind, _, remainder = source.partition(":")
    number = remainder.partition(":")[0]
    if kind == "trade":
        return Origin("See the trade", url_for("draft_trades.show", slug=slug, trade_id=number))
    if kind == "waivers":
        report = url_for("draft_waivers.report", slug=slug, run_id=number)
        return Origin("See the waiver run", report)
    return Origin("From the imported league", "") if kind == "import" else None
