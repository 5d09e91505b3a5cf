"""Rolls a season over: a market at new prices, and the leagues with their members.

It also makes a season by hand, and lists the seasons. Schedules and rosters bring the next season's
games and footballers (importing.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core import clock
from app.core.db import db, transaction
from app.core.errors import UserError
from app.fantasy.leagues import commissioners
from app.fantasy.leagues.addresses import free_slug, new_code
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.leagues.queries import choice_of
from app.fantasy.leagues.rules import SLUG_MAX
from app.fantasy.market.deadlines import BadDeadlineError, zone
from app.fantasy.market.formats import FORMATS, format_named
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, TeamRules
from app.fantasy.market.seasons import NewSeason, ensure_season, ensure_team_rules
from app.fantasy.scoring import pairs
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.standings import schedules
from app.fantasy.standings.models import SALARY_CAP, League, LeagueMember
from app.record.models import Footballer, Game


class CannotRollError(UserError):
    """The season cannot be rolled over, or made; the text says what to do first."""


@dataclass(frozen=True)
class SeasonRow:
    """Sizes of a season. `settled`: its settled gameweeks; `gamers`: members with a team sheet."""

    competition: str
    season: int
    season_type: str
    name: str
    gameweeks: int
    settled: int
    games: int
    footballers: int
    leagues: int
    gamers: int


@dataclass(frozen=True)
class Rolled:
    """What a roll made. `footballers`, `leagues`: how many are new."""

    name: str
    gameweeks: int
    footballers: int
    leagues: int


_SEASONS = text("""
    SELECT s.competition, s.season, s.season_type, s.name,
      (SELECT count(*) FROM gameweeks w WHERE w.season_id = s.id),
      (SELECT count(*) FROM gameweeks w WHERE w.season_id = s.id AND w.settled_at IS NOT NULL),
      (SELECT count(*) FROM games g
        WHERE (g.competition, g.season, g.season_type) = (s.competition, s.season, s.season_type)),
      (SELECT count(*) FROM footballer_seasons f WHERE f.season_id = s.id),
      (SELECT count(*) FROM leagues l WHERE l.season_id = s.id),
      (SELECT count(DISTINCT t.member_id) FROM team_sheets t JOIN gameweeks w
        ON w.id = t.gameweek_id
        WHERE w.season_id = s.id)
    FROM seasons s ORDER BY s.competition, s.season, s.season_type
""")


def seasons() -> list[SeasonRow]:
    """Every season, by competition, year and type."""
    return [SeasonRow(*row) for row in db.session.execute(_SEASONS)]


def create(new: NewSeason, team_format: str) -> Season:
    """Make a season without gameweeks, and its overall league. Commits.

    An existing season stays as it is.
    """
    try:
        zone(new.time_zone)
    except BadDeadlineError as error:
        raise CannotRollError(str(error)) from error
    if new.rules not in PRESETS:
        raise CannotRollError(
            f"rules: there are no rules {new.rules!r}; choose one of {', '.join(sorted(PRESETS))}"
        )
    if team_format not in FORMATS:
        raise CannotRollError(
            f"format: there is no format {team_format!r}; choose one of {', '.join(FORMATS)}"
        )
    worthless = pairs.refusal(format_named(team_format), PRESETS[new.rules])
    if worthless is not None:
        raise CannotRollError(f"rules: {worthless.text}")
    season = ensure_season(new)
    ensure_overall_league(season, team_format)
    db.session.commit()
    return season


def roll(competition: str, year: int | None = None, *, leagues: bool = True) -> Rolled:
    """Give the next season the market and the leagues of the one that ended. Commits once.

    Footballers who left, or who have no club, are not on the new market; prices start from the
    points of the old season. Each league goes on with its name, its rules, its members (without
    those who were erased), its bans and a new invite code; the old league keeps its address. A
    repeated call makes only what is missing.

    Args:
        competition: The competition.
        year: The season that ended; None for the last that was played.
        leagues: Whether leagues go on.

    Raises:
        CannotRollError: For example, the new season has no schedule yet.
    """
    old = _ended(competition, year)
    new = db.session.scalars(
        select(Season).where(
            Season.competition == competition,
            Season.season == old.season + 1,
            Season.season_type == old.season_type,
        )
    ).first()
    gameweeks = (
        []
        if new is None
        else db.session.scalars(select(Gameweek).where(Gameweek.season_id == new.id)).all()
    )
    if new is None or not gameweeks:
        raise CannotRollError(
            f"There are no weeks of {competition} {old.season + 1}: import its schedule first "
            "(`pressbox import schedule`, for soccer `pressbox import soccer`)."
        )
    with transaction():
        players = db.session.execute(
            select(FootballerSeason.footballer_id, FootballerSeason.position)
            .join(Footballer, Footballer.id == FootballerSeason.footballer_id)
            .where(
                FootballerSeason.season_id == old.id,
                FootballerSeason.status != "left",
                Footballer.club_id.is_not(None),
            )
        ).all()
        on_market = set(
            db.session.scalars(
                select(FootballerSeason.footballer_id).where(FootballerSeason.season_id == new.id)
            )
        )
        footballers = put_on_market(
            new,
            [OnMarket(player, position) for player, position in players if player not in on_market],
        )
        ensure_overall_league(new, _format_of_everybody(old))
        rolled_leagues = _roll_leagues(old, new) if leagues else 0
    return Rolled(new.name, len(gameweeks), footballers, rolled_leagues)


def _ended(competition: str, year: int | None) -> Season:
    played = (
        select(Season)
        .join(Gameweek, Gameweek.season_id == Season.id)
        .where(
            Season.competition == competition,
            Season.season_type == "REG",
            Gameweek.settled_at.is_not(None),
        )
        .order_by(Season.season.desc())
    )
    season = db.session.scalars(
        played if year is None else played.where(Season.season == year)
    ).first()
    if season is None:
        which = competition if year is None else f"{competition} {year}"
        raise CannotRollError(
            f"No season of {which} has been played: `pressbox season list` lists them all."
        )
    open_week = db.session.scalars(
        select(Gameweek.name)
        .join(
            Game,
            (Game.competition == Gameweek.competition)
            & (Game.season == Gameweek.season)
            & (Game.season_type == Gameweek.season_type)
            & (Game.week == Gameweek.week),
        )
        .where(Gameweek.season_id == season.id, Gameweek.settled_at.is_(None))
        .order_by(Gameweek.week)
    ).first()
    if open_week is not None:
        raise CannotRollError(
            f"{open_week} of {season.name} is not settled yet: roll over when the season has ended."
        )
    return season


def _format_of_everybody(season: Season) -> str:
    query = (
        select(TeamRules.format)
        .join(League, League.team_rules_id == TeamRules.id)
        .where(League.season_id == season.id, League.is_overall)
    )
    return db.session.scalars(query).first() or "nfl-classic"


def _roll_leagues(old: Season, new: Season) -> int:
    """Roll the leagues that do not go on in the new season yet, and return how many.

    Draft leagues are left to their commissioners, who choose keepers first.
    """
    carried = select(League.continues_id).where(
        League.season_id == new.id, League.continues_id.is_not(None)
    )
    leagues = db.session.scalars(
        select(League)
        .where(
            League.season_id == old.id,
            League.game == SALARY_CAP,
            ~League.is_overall,
            League.id.not_in(carried),
        )
        .order_by(League.id)
    ).all()
    for league in leagues:
        _roll_league(league, new, free_slug(_next_slug(league.slug, old.season)))
    return len(leagues)


def _next_slug(slug: str, year: int) -> str:
    """The slug of the same league in the next season.

    >>> _next_slug("the-press-row", 2026), _next_slug("the-press-row-2026", 2026)
    ('the-press-row-2027', 'the-press-row-2027')
    """
    stem = slug.removesuffix(f"-{year}")[: SLUG_MAX - 5].strip("-")
    return f"{stem}-{year + 1}"


def _roll_league(league: League, new: Season, slug: str) -> None:
    row = League(
        season_id=new.id,
        team_rules_id=ensure_team_rules(new.id, choice_of(league.team_rules_id)).id,
        slug=slug,
        name=league.name,
        invite_code=new_code(),
        is_public=league.is_public,
        rules=league.rules,
        mode=league.mode,
        ties=league.ties,
        commissioner_id=league.commissioner_id,
        continues_id=league.id,
    )
    db.session.add(row)
    db.session.flush()
    for model, columns in ((LeagueMember, ("member_id", "team_name")), (LeagueBan, ("member_id",))):
        members = db.session.execute(
            select(*(getattr(model, name) for name in columns))
            .join(Member, Member.id == model.member_id)
            .where(model.league_id == league.id, Member.erased_at.is_(None))
        ).all()
        rows = [
            {"league_id": row.id, **dict(zip(columns, values, strict=True))} for values in members
        ]
        if rows:
            db.session.execute(insert(model), rows)
    commissioners.appoint([row], clock.now())
    schedules.plan([row])
