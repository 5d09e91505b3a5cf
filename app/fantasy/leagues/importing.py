"""Imports a league's exported history, as a whole or not at all.

It reads and checks the document; import_tables.py writes it. A later export equals the import.

The games of the league are not in this installation, so its points stay as they were imported. It
gets a season of its own (`nfl@the-row`), apart from those that are played, and is not played on.
People are found by username; those without an account get one that nobody can sign in to.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from app.fantasy.leagues import commissioners, exported_rosters, import_tables
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.addresses import free_slug
from app.fantasy.leagues.document import FORMAT, VERSION, Document
from app.fantasy.leagues.import_tables import BadLeagueError
from app.fantasy.market.formats import FORMATS, format_named
from app.fantasy.market.models import Season
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.standings.models import League
from app.fantasy.standings.ranking import BETWEEN, HEAD_TO_HEAD, MODES, TIES

MOST_BYTES = 64 * 1024 * 1024
_document = msgspec.json.Decoder(Document)


def read(data: bytes) -> Document:
    """Read and check the document.

    Raises:
        BadLeagueError: Its text names the places that are wrong.
    """
    try:
        document = json_decoding.decode(_document, data, most_bytes=MOST_BYTES)
    except InvalidJsonError as error:
        raise BadLeagueError(
            f"This is not an exported league: {error}. Send the JSON as it was exported."
        ) from error
    if (document.format, document.version) != (FORMAT, VERSION):
        raise BadLeagueError(
            f"format and version: expected {FORMAT} {VERSION}, found {document.format} "
            f"{document.version}."
        )
    faults = _faults(document)
    if faults:
        raise BadLeagueError("\n".join(faults))
    return document


def _faults(document: Document) -> list[str]:
    """Everything that is wrong with the document, each with its place."""
    return [
        *_people_faults(document),
        *_settings_faults(document),
        *_reference_faults(document),
        *exported_rosters.faults(document),
    ]


def _people_faults(document: Document) -> list[str]:
    faults = [
        f"people: {person.username!r} is not a valid username. {fault}"
        for person in document.people
        if (fault := username_fault(person.username))
    ]
    faults += _name_faults(document)
    if len({person.username.lower() for person in document.people}) != len(document.people):
        faults.append("people: a username is listed twice. Remove one.")
    return faults


def _name_faults(document: Document) -> list[str]:
    """Names that no form would accept, except display names of accounts that exist here."""
    usernames = {person.username.lower() for person in document.people}
    existing = set(
        db.session.scalars(
            select(func.lower(Member.username)).where(func.lower(Member.username).in_(usernames))
        )
    )
    faults = [
        f"people: the display name of {person.username!r}: {fault}"
        for person in document.people
        if person.username.lower() not in existing
        and (fault := public_name_fault(normalised(person.display_name)))
    ]
    names = {"league.name": document.league.name}
    names |= {
        f"people: the team of {person.username!r}": person.team_name or "-"
        for person in document.people
    }
    names |= {f"franchises: team {each.number}": each.name for each in document.franchises}
    return faults + [
        f"{place}: {fault}" for place, name in names.items() if (fault := hidden_fault(name))
    ]


def _settings_faults(document: Document) -> list[str]:
    league, team_format = document.league, document.team_rules.format
    faults = []
    if not _is_format(team_format):
        faults.append(
            f"team_rules.format: {team_format!r} is not one of {', '.join(FORMATS)}, nor a draft "
            "league's format."
        )
    if league.mode not in MODES:
        faults.append(f"league.mode: {league.mode!r} is not one of {', '.join(MODES)}.")
    if league.ties not in TIES:
        faults.append(f"league.ties: {league.ties!r} is not one of {', '.join(TIES)}.")
    if league.ties in BETWEEN and league.mode != HEAD_TO_HEAD:
        faults.append(f"league.ties: {league.ties!r} needs the mode {HEAD_TO_HEAD!r}.")
    if league.commissioner is None and not league.is_overall:
        faults.append("league.commissioner: give one of the people.")
    return faults


def _is_format(name: str) -> bool:
    try:
        format_named(name)
    except (KeyError, ValueError):
        return False
    return True


def _reference_faults(document: Document) -> list[str]:
    """People, gameweeks and scoring rules that are named but not in the document."""
    usernames = {person.username for person in document.people}
    weeks = {gameweek.week for gameweek in document.gameweeks}
    rules = {*PRESETS, *(scoring.name for scoring in document.scoring)}
    return [
        *(
            f"{place}: {name!r} is not listed under people."
            for place, name in dict.fromkeys(_people_named(document))
            if name and name not in usernames
        ),
        *(
            f"{place}: there is no week {week}."
            for place, week in dict.fromkeys(_weeks_named(document))
            if week not in weeks
        ),
        *(
            f"{place}: there is no scoring {name!r}."
            for place, name in dict.fromkeys(_rules_named(document))
            if name not in rules
        ),
    ]


def _people_named(document: Document) -> Iterator[tuple[str, str | None]]:
    yield "league.commissioner", document.league.commissioner
    for score in document.scores:
        yield "scores", score.member
    for sheet in document.sheets:
        yield "sheets", sheet.member
    for match in document.matchups:
        yield "matchups", match.home
        yield "matchups", match.away
    for adjustment in document.adjustments:
        yield "adjustments", adjustment.member
        yield "adjustments", adjustment.by
    for change in document.rule_changes:
        yield "rule_changes", change.by
    yield from exported_rosters.people_named(document)


def _weeks_named(document: Document) -> Iterator[tuple[str, int]]:
    for place in ("scores", "sheets", "matchups", "deadlines", "adjustments"):
        for row in getattr(document, place):
            yield place, row.week


def _rules_named(document: Document) -> Iterator[tuple[str, str]]:
    yield "league.rules", document.league.rules
    yield "season.rules", document.season.rules
    for change in document.rule_changes:
        yield "rule_changes", change.old_rules
        yield "rule_changes", change.new_rules


def take_in(document: Document, *, by: int | None) -> League:
    """Write the league in one transaction, with an entry in the audit.

    Args:
        document: What `read` returned.
        by: The operator; None for a command.

    Raises:
        BadLeagueError: The league exists here already, or the database refuses a part of it.
    """
    slug = free_slug(document.league.slug)
    same = (
        select(League)
        .join(Season, Season.id == League.season_id)
        .where(
            League.name == document.league.name,
            League.created_at == document.league.created_at,
            Season.competition.startswith(
                f"{document.season.competition}{leagues.APART}", autoescape=True
            ),
        )
    )
    if (existing := db.session.scalars(same).first()) is not None:
        db.session.rollback()
        raise BadLeagueError(f"This league is already here, as /leagues/{existing.slug}.")
    try:
        league = import_tables.write(document, slug)
        commissioners.appoint([league], clock.now())  # a commissioner may be banned here
        audit.record(Act.LEAGUE_IMPORTED, actor_id=by, subject=f"league:{slug}")
        db.session.commit()
    except (IntegrityError, DataError) as error:
        db.session.rollback()
        reason = str(error.orig).splitlines()[0]
        raise BadLeagueError(
            f"The document contradicts itself, so the database refuses it: {reason}."
        ) from error
    return league
