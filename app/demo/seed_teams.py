"""The demo season's leagues and team sheets, made through the services that members use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.demo.market import Player, Squad, market
from app.demo.season import CURRENT, DemoSeason, DemoTeam
from app.demo.year.choices import Look, Owned, next_squad
from app.fantasy.gameweeks import after_deadline
from app.fantasy.market.choice import CLASSIC, TeamRulesChoice
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, TeamRules
from app.fantasy.market.seasons import ensure_team_rules
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.models import League, LeagueMember

_BEFORE = timedelta(hours=6)  # before the deadline: when the members pick their teams


def make_leagues(season: DemoSeason, made: Season) -> None:
    """The leagues with all their members. Commits."""
    members = _members(season.teams)
    team_rules = ensure_team_rules(made.id, TeamRulesChoice.of(CLASSIC, made.time_zone))
    before = season.weeks[0].deadline - timedelta(days=2)
    for league in season.leagues:
        if db.session.scalar(select(League.id).where(League.slug == league.slug)) is not None:
            continue
        row = League(
            season_id=made.id,
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


def pick_teams(season: DemoSeason, made: Season) -> None:
    """Team sheets of every gameweek that has begun, each locked at its deadline.

    Nobody has picked for the next one.

    Who does not look at their team in a gameweek has last gameweek's carried over.
    """
    for week in season.weeks[:CURRENT]:
        gameweek = db.session.scalars(
            select(Gameweek).where(Gameweek.season_id == made.id, Gameweek.week == week.number)
        ).one()
        if gameweek.locked_at is None:
            pick_teams_for(season.teams, made, gameweek, week.deadline - _BEFORE)
            after_deadline.lock_gameweek(gameweek.id, week.deadline)


def pick_teams_for(
    teams: Sequence[DemoTeam], made: Season, gameweek: Gameweek, now: datetime
) -> None:
    """Team sheets of the gameweek, saved at `now`, of those members who look at their team and have
    not saved one.
    """
    members = _members(teams)
    (overall,) = db.session.scalars(
        select(League).where(League.season_id == made.id, League.is_overall)
    ).all()
    team_rules = db.session.get_one(TeamRules, overall.team_rules_id)
    on_market = _market_of(made.id)
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
    """What they want to save; None: nothing, or it is saved already."""
    if last is None:
        return team.squad
    rng = Random(f"{week} {team.account.username}")  # noqa: S311
    if last.saved_at is not None or rng.random() > team.diligence:
        return None
    look = Look(FORMATS[team_rules.format], team_rules.budget, team_rules.club_limit, on_market)
    return next_squad(
        rng,
        look,
        Owned(last.picks, last.captain, last.vice_captain, last.purchase_prices, last.bank),
    )


def _save(
    member_id: int, team_rules_id: int, gameweek_id: int, squad: Squad, now: datetime
) -> None:
    wanted = sheets.Wanted(squad.picks, squad.captain, squad.vice_captain)
    done = sheets.save(member_id, team_rules_id, gameweek_id, wanted, now)
    assert isinstance(done, sheets.Saved), done


def _market_of(season_id: int) -> dict[str, Player]:
    """The market at today's prices."""
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
    wanted = [team.account.username for team in teams]
    return {
        one.username: one
        for one in db.session.scalars(select(Member).where(Member.username.in_(wanted)))
    }
