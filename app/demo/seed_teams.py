"""The demo season's leagues and team sheets, made through the services that members use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.demo.market import Player, Squad, SquadLimits, market
from app.demo.season import CURRENT, DemoSeason, DemoTeam
from app.demo.year.choices import Look, Owned, next_squad
from app.fantasy.gameweeks import after_deadline
from app.fantasy.market.choice import CLASSIC, TeamRulesChoice
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, TeamRules
from app.fantasy.market.seasons import ensure_team_rules
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.models import League, LeagueMember

_BEFORE = timedelta(hours=6)  # the members pick their teams this long before the deadline


def make_leagues(season: DemoSeason, stored_season: Season) -> None:
    """Create the leagues with all their members. Commits."""
    members = _members(season.teams)
    team_rules = ensure_team_rules(
        stored_season.id, TeamRulesChoice.of(CLASSIC, stored_season.time_zone)
    )
    before = season.weeks[0].deadline - timedelta(days=2)
    for league in season.leagues:
        if db.session.scalar(select(League.id).where(League.slug == league.slug)) is not None:
            continue
        row = League(
            season_id=stored_season.id,
            team_rules_id=team_rules.id,
            slug=league.slug,
            name=league.name,
            invite_code=league.invite_code,
            is_public=league.is_public,
            rules=league.rules,
            mode=league.mode,
            commissioner_id=members[league.commissioner].id,
            created_at=before,
        )
        db.session.add(row)
        db.session.flush()
        for team in season.teams:
            member = members[team.account.username]
            db.session.add(
                LeagueMember(
                    league_id=row.id,
                    member_id=member.id,
                    team_name=team.team_name,
                    joined_at=before,
                )
            )
    db.session.commit()


def pick_teams(season: DemoSeason, stored_season: Season) -> None:
    """Save team sheets for every gameweek that has begun, each locked at its deadline.

    Nobody has picked a team for the next one. Members who do not look at their team in a gameweek
    have the sheet of the previous one carried over.
    """
    for week in season.weeks[:CURRENT]:
        gameweek = db.session.scalars(
            select(Gameweek).where(
                Gameweek.season_id == stored_season.id, Gameweek.week == week.number
            )
        ).one()
        if gameweek.locked_at is None:
            pick_teams_for(season.teams, stored_season, gameweek, week.deadline - _BEFORE)
            after_deadline.lock_gameweek(gameweek.id, week.deadline)


def pick_teams_for(
    teams: Sequence[DemoTeam], stored_season: Season, gameweek: Gameweek, now: datetime
) -> None:
    """Save team sheets for the gameweek at `now`.

    Only members who look at their team and have not saved a sheet save one.
    """
    members = _members(teams)
    (overall,) = db.session.scalars(
        select(League).where(League.season_id == stored_season.id, League.is_overall)
    ).all()
    team_rules = db.session.get_one(TeamRules, overall.team_rules_id)
    on_market = _market_of(stored_season.id)
    for team in teams:
        member_id = members[team.account.username].id
        last = sheets.sheet_for(member_id, team_rules.id, gameweek)
        squad = _squad(gameweek.week, team, team_rules, on_market, last)
        if squad is not None:
            _save(member_id, team_rules.id, gameweek.id, squad, now)


def _squad(
    week: int,
    team: DemoTeam,
    team_rules: TeamRules,
    on_market: Mapping[str, Player],
    last: sheets.Sheet | None,
) -> Squad | None:
    """Return the squad that the member saves; None: nothing, or it is saved already."""
    if last is None:
        return team.squad
    rng = Random(f"{week} {team.account.username}")  # noqa: S311
    if last.saved_at is not None or rng.random() > team.diligence:
        return None
    limits = SquadLimits(format_named(team_rules.format), team_rules.budget, team_rules.club_limit)
    return next_squad(
        rng,
        Look(limits, on_market),
        Owned(last.picks, last.captain, last.vice_captain, last.purchase_prices, last.bank),
    )


def _save(
    member_id: int, team_rules_id: int, gameweek_id: int, squad: Squad, now: datetime
) -> None:
    sheet = sheets.Draft(squad.picks, squad.captain, squad.vice_captain)
    done = sheets.save(member_id, team_rules_id, gameweek_id, sheet, now)
    assert isinstance(done, sheets.Saved), done


def _market_of(season_id: int) -> dict[str, Player]:
    """Return the market by id, at today's prices."""
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.price).where(
            FootballerSeason.season_id == season_id
        )
    )
    prices = dict(rows.all())
    return {
        player.id: Player(player.id, player.position, player.club, prices[player.id])
        for player in market()
    }


def _members(teams: Sequence[DemoTeam]) -> dict[str, Member]:
    usernames = [team.account.username for team in teams]
    return {
        member.username: member
        for member in db.session.scalars(select(Member).where(Member.username.in_(usernames)))
    }
