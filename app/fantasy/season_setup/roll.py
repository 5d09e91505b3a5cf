"""From one season to the next: the market at new prices, and the leagues with their members.

History stays as it is.

Lives here: rolling over, making a season by hand, and the list of seasons. Not here: schedules and
rosters (importing.py), which bring the next season's games and footballers.
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
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, TeamRules
from app.fantasy.market.seasons import ensure_season, ensure_team_rules
from app.fantasy.scoring import pairs
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.standings import schedules
from app.fantasy.standings.models import League, LeagueMember
from app.record.models import Footballer, Game


class CannotRoll(UserError):
    """The season cannot be rolled over, or made; the text says what to do first."""


@dataclass(frozen=True)
class SeasonRow:
    """Sizes of a season. `settled`: of its gameweeks; `gamers`: members with a team sheet."""

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
    """`footballers`, `leagues`: those that were not there yet."""

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


def create(
    competition: str,
    year: int,
    season_type: str,
    name: str,
    time_zone: str,
    rules: str,
    format: str,
) -> Season:
    """A season without gameweeks yet, with its league of everybody.

    One that is there stays as it is. Commits.
    """
    try:
        zone(time_zone)
    except BadDeadlineError as error:
        raise CannotRoll(str(error)) from error
    if rules not in PRESETS:
        raise CannotRoll(
            f"rules: there are none called {rules!r}; choose one of {', '.join(sorted(PRESETS))}"
        )
    if format not in FORMATS:
        raise CannotRoll(
            f"format: there is none called {format!r}; choose one of {', '.join(FORMATS)}"
        )
    if (worthless := pairs.refusal(FORMATS[format], PRESETS[rules])) is not None:
        raise CannotRoll(f"rules: {worthless.text}")
    season = ensure_season(
        competition, year, season_type, name=name, time_zone=time_zone, rules=rules
    )
    ensure_overall_league(season, format)
    db.session.commit()
    return season


def roll(competition: str, year: int | None = None, *, leagues: bool = True) -> Rolled:
    """The season after `year` (None: the last that was played) gets market and leagues of that one.

    Commits once.

    Its games come first, from its schedule. Prices start from the points of the season that ended;
    who has left, or has no club, is not taken along. Each league goes on under the same name with
    its rules, its members (but those who were erased) and those who were removed, and with a new
    invite code; the one of the old season keeps its address. Again: only what is missing is made.
    Raises CannotRoll.
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
        raise CannotRoll(
            f"There are no gameweeks of {competition} {old.season + 1}: import its schedule first "
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
        there = set(
            db.session.scalars(
                select(FootballerSeason.footballer_id).where(FootballerSeason.season_id == new.id)
            )
        )
        footballers = put_on_market(
            new, [OnMarket(player, position) for player, position in players if player not in there]
        )
        ensure_overall_league(new, _format_of_everybody(old))
        made = _roll_leagues(old, new) if leagues else 0
    return Rolled(new.name, len(gameweeks), footballers, made)


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
        raise CannotRoll(
            f"No season of {which} has been played: `pressbox season list` shows which there are."
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
        raise CannotRoll(
            f"{open_week} of {season.name} is not settled yet: roll over when the season has ended."
        )
    return season


def _format_of_everybody(season: Season) -> str:
    found = (
        select(TeamRules.format)
        .join(League, League.team_rules_id == TeamRules.id)
        .where(League.season_id == season.id, League.is_overall)
    )
    return db.session.scalars(found).first() or "nfl-classic"


def _roll_leagues(old: Season, new: Season) -> int:
    """Those that nobody has carried over yet, whatever leagues the new season has besides."""
    carried = select(League.continues_id).where(
        League.season_id == new.id, League.continues_id.is_not(None)
    )
    leagues = db.session.scalars(
        select(League)
        .where(League.season_id == old.id, ~League.is_overall, League.id.not_in(carried))
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
        found = db.session.execute(
            select(*(getattr(model, name) for name in columns))
            .join(Member, Member.id == model.member_id)
            .where(model.league_id == league.id, Member.erased_at.is_(None))
        ).all()
        rows = [{"league_id": row.id, **dict(zip(columns, one, strict=True))} for one in found]
        if rows:
            db.session.execute(insert(model), rows)
    commissioners.appoint([row], clock.now())
    schedules.plan([row])
