"""Takes a league's exported history in, whole or not at all.

What it exports afterwards equals what came in.

Lives here: reading and checking the document. Not here: what is in it (document.py), writing it
(import_tables.py).

The games of the league are not here, so that its points are kept as they came: it gets a season of
its own, apart from those that are played (`nfl@the-row`), and is not played on. People are found by
username; for who has no account one is made that nobody can sign in to.
"""

from __future__ import annotations

import msgspec
from sqlalchemy import func, select
from sqlalchemy.exc import DataError, IntegrityError

from app.accounts.models import Member
from app.accounts.names import hidden_fault, normalised
from app.accounts.rules import username_fault
from app.accounts.services import public_name_fault
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock, json_decoding
from app.core.db import db
from app.core.json_decoding import InvalidJsonError
from app.fantasy.leagues import commissioners, import_tables
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.addresses import free_slug
from app.fantasy.leagues.document import FORMAT, VERSION, Document
from app.fantasy.leagues.import_tables import BadLeagueError
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Season
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings.models import League
from app.fantasy.standings.ranking import BETWEEN, HEAD_TO_HEAD, MODES, TIES

MOST_BYTES = 64 * 1024 * 1024
_document = msgspec.json.Decoder(Document)


def read(data: bytes) -> Document:
    """The document, checked. Raises BadLeagueError, whose text names the place in it."""
    try:
        found = json_decoding.decode(_document, data, most_bytes=MOST_BYTES)
    except InvalidJsonError as error:
        raise BadLeagueError(
            f"This is no exported league: {error}. Send the JSON as it was exported."
        ) from error
    if (found.format, found.version) != (FORMAT, VERSION):
        raise BadLeagueError(
            f"format and version: expected {FORMAT} {VERSION}, found {found.format} "
            f"{found.version}."
        )
    faults = _faults(found)
    if faults:
        raise BadLeagueError("\n".join(faults))
    return found


def _name_faults(found: Document) -> list[str]:
    """Names that no form here would take.

    Whoever has an account already keeps the name that they have.
    """
    usernames = {person.username.lower() for person in found.people}
    known = set(
        db.session.scalars(
            select(func.lower(Member.username)).where(func.lower(Member.username).in_(usernames))
        )
    )
    faults = [
        f"people: the display name of {person.username!r}: {fault}"
        for person in found.people
        if person.username.lower() not in known
        and (fault := public_name_fault(normalised(person.display_name)))
    ]
    named = {"league.name": found.league.name}
    named |= {
        f"people: the team of {person.username!r}": person.team_name or "-"
        for person in found.people
    }
    return faults + [
        f"{place}: {fault}" for place, name in named.items() if (fault := hidden_fault(name))
    ]


def _faults(found: Document) -> list[str]:
    people = {one.username for one in found.people}
    weeks = {one.week for one in found.gameweeks}
    rules = {*PRESETS, *(one.name for one in found.scoring)}
    faults = [
        f"people: {one.username!r} is no username. {fault}"
        for one in found.people
        if (fault := username_fault(one.username))
    ]
    faults += _name_faults(found)
    if len({name.lower() for name in people}) != len(found.people):
        faults.append("people: a username stands there twice; take one out.")
    if found.team_rules.format not in FORMATS:
        faults.append(
            f"team_rules.format: {found.team_rules.format!r} is none of {', '.join(FORMATS)}."
        )
    if found.league.mode not in MODES:
        faults.append(f"league.mode: {found.league.mode!r} is none of {', '.join(MODES)}.")
    if found.league.ties not in TIES:
        faults.append(f"league.ties: {found.league.ties!r} is none of {', '.join(TIES)}.")
    if found.league.ties in BETWEEN and found.league.mode != HEAD_TO_HEAD:
        faults.append(f"league.ties: {found.league.ties!r} needs the mode {HEAD_TO_HEAD!r}.")
    if found.league.commissioner is None and not found.league.is_overall:
        faults.append("league.commissioner: name one of the people.")
    named: list[tuple[str, str | None]] = [("league.commissioner", found.league.commissioner)]
    named += [("scores", one.member) for one in found.scores] + [
        ("sheets", one.member) for one in found.sheets
    ]
    named += [("matchups", name) for one in found.matchups for name in (one.home, one.away)]
    named += [("adjustments", name) for one in found.adjustments for name in (one.member, one.by)]
    named += [("rule_changes", one.by) for one in found.rule_changes]
    faults += [
        f"{at}: {name!r} is not among the people."
        for at, name in dict.fromkeys(named)
        if name and name not in people
    ]
    dated = [("scores", one.week) for one in found.scores] + [
        ("sheets", one.week) for one in found.sheets
    ]
    dated += [("matchups", one.week) for one in found.matchups] + [
        ("deadlines", one.week) for one in found.deadlines
    ]
    dated += [("adjustments", one.week) for one in found.adjustments]
    faults += [
        f"{at}: there is no gameweek {week}."
        for at, week in dict.fromkeys(dated)
        if week not in weeks
    ]
    scored = [("league.rules", found.league.rules), ("season.rules", found.season.rules)]
    scored += [
        ("rule_changes", name)
        for one in found.rule_changes
        for name in (one.old_rules, one.new_rules)
    ]
    faults += [
        f"{at}: there is no scoring {name!r}."
        for at, name in dict.fromkeys(scored)
        if name not in rules
    ]
    return faults


def take_in(found: Document, *, by: int | None) -> League:
    """Writes it in one transaction, with who did it in the audit (None: a command).

    Raises BadLeagueError where it is here already, or the database refuses a part.
    """
    slug = free_slug(found.league.slug)
    same = (
        select(League)
        .join(Season, Season.id == League.season_id)
        .where(
            League.name == found.league.name,
            League.created_at == found.league.created_at,
            Season.competition.startswith(
                f"{found.season.competition}{leagues.APART}", autoescape=True
            ),
        )
    )
    if (there := db.session.scalars(same).first()) is not None:
        db.session.rollback()
        raise BadLeagueError(f"This league is here already, as /leagues/{there.slug}.")
    try:
        league = import_tables.write(found, slug)
        commissioners.appoint([league], clock.now())  # its own may be kept out here
        audit.record(Act.LEAGUE_IMPORTED, actor_id=by, subject=f"league:{slug}")
        db.session.commit()
    except (IntegrityError, DataError) as error:
        db.session.rollback()
        reason = str(error.orig).splitlines()[0]
        raise BadLeagueError(
            f"The document contradicts itself, and the database refuses it: {reason}."
        ) from error
    return league
