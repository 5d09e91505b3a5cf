"""Makes and refreshes rankings, and changes members' lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.core.db.bulk_insert import insert_rows
from app.core.errors import UserError
from app.core.refusals import Refusal
from app.draft_leagues.models import FINISHED, DraftLeague
from app.draft_leagues.rankings import queries
from app.draft_leagues.rankings.lists import moved
from app.draft_leagues.rankings.models import RankedFootballer, Ranking, RankingList
from app.draft_leagues.rankings.queries import ListedFootballer, ListOwner, owned_by
from app.draft_leagues.rankings.rules import Ranked, Shape, project, rank
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.market.models import Season
from app.fantasy.projections.preseason_store import store_preseason
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import PRESETS as SCORINGS
from app.fantasy.standings.models import League

UNKNOWN = Refusal(
    "footballer", "footballer", "This player is not in the rankings. Choose one from the list."
)


def ranking_of(season_id: int, settings: DraftLeagueSettings, now: datetime) -> list[Ranked]:
    """The ranking of a season's market for a league with these settings, best first.

    It is computed and stored if nobody asked for it before; only the caller commits.
    """
    shape = Shape.of(settings)
    stored = queries.stored_ranking(season_id, settings.scoring, shape.name)
    return stored[1] if stored is not None else make_ranking(season_id, settings, now)


def make_ranking(season_id: int, settings: DraftLeagueSettings, now: datetime) -> list[Ranked]:
    """Compute the ranking from the record of this moment and store it. Only the caller commits."""
    shape = Shape.of(settings)
    rules = rules_named(settings.scoring)
    preseason = store_preseason(db.session.get_one(Season, season_id), rules.name)
    candidates = queries.candidates(season_id, rules.name, shape, preseason)
    ranking = rank(project(candidates, rules), shape)
    statement = insert(Ranking).values(
        season_id=season_id, rules=rules.name, shape=shape.name, made_at=now
    )
    # The row is locked until the commit, so two that compute it at once write one after the other.
    ranking_id = db.session.scalars(
        statement.on_conflict_do_update(
            constraint="uq_rankings_season_id", set_={"made_at": statement.excluded.made_at}
        ).returning(Ranking.id)
    ).one()
    db.session.execute(delete(RankedFootballer).where(RankedFootballer.ranking_id == ranking_id))
    insert_rows(RankedFootballer, [{"ranking_id": ranking_id} | asdict(each) for each in ranking])
    return ranking


def ranked_market(
    competition: str, year: int, scoring: str, franchises: int, now: datetime
) -> list[ListedFootballer]:
    """The market of a regular season, ranked for a league with the usual line-up, best first.

    The ranking is computed anew and stored. Commits.

    Raises:
        UserError: There is no such season, market or scoring; the text says what to do.
    """
    season = db.session.scalars(
        select(Season).where(
            Season.competition == competition, Season.season == year, Season.season_type == "REG"
        )
    ).one_or_none()
    if season is None:
        raise UserError(
            f"There is no season {year} of {competition}: import its schedule first "
            "(`pressbox import schedule`)."
        )
    settings = replace(PRESETS["redraft"], scoring=scoring, franchises=franchises)
    try:
        rules_named(scoring)
    except KeyError as error:
        raise UserError(
            f"--scoring: there are no rules called {scoring!r}; choose one of "
            f"{', '.join(sorted(SCORINGS))}, or the rules of a league."
        ) from error
    with transaction():
        ranking = make_ranking(season.id, settings, now)
    if not ranking:
        raise UserError(
            f"{season.name} has no players yet: import its rosters first (`pressbox import "
            "rosters`)."
        )
    listed = queries.listed(season.id, ranking)
    return [listed[row.footballer_id] for row in ranking if row.footballer_id in listed]


def refresh(now: datetime) -> int:
    """Compute the rankings of all draft leagues again, each once, and return how many.

    Each is a transaction of its own.
    """
    rows = db.session.execute(
        select(League.season_id, DraftLeague)
        .join(DraftLeague, DraftLeague.league_id == League.id)
        .where(DraftLeague.phase != FINISHED)
        .order_by(League.id)
    )
    used: dict[tuple[int, str, str], DraftLeagueSettings] = {}
    for season_id, draft_league in rows:
        settings = settings_of(draft_league)
        used.setdefault((season_id, settings.scoring, Shape.of(settings).name), settings)
    db.session.rollback()  # the list of leagues needs no snapshot
    for (season_id, _, _), settings in used.items():
        with transaction():
            make_ranking(season_id, settings, now)
    return len(used)


def move(
    owner: ListOwner, footballer_id: str, place: int, ranking: Sequence[str], now: datetime
) -> list[Refusal]:
    """Move a footballer to a place (from 1) of somebody's own order.

    Args:
        owner: Whose order it is.
        footballer_id: Who moves.
        place: Where to; a place beyond the end is the last.
        ranking: Everybody in the order that the owner has without a list of their own.
        now: The moment of the change.
    """
    if footballer_id not in ranking:
        return [UNKNOWN]
    with transaction():
        own_list = _locked_list(owner, now)
        own_list.footballer_ids = moved(ranking, own_list.footballer_ids, footballer_id, place)
        own_list.changed_at = now
    return []


def replace_list(
    owner: ListOwner,
    footballer_ids: Sequence[str],
    projections: Mapping[str, int],
    source: str,
    now: datetime,
) -> None:
    """Replace somebody's order by that of a file.

    Args:
        owner: Whose order it is.
        footballer_ids: The footballers of the file, best first.
        projections: Projected points in thousandths, by id, if the file has them.
        source: The name of the file.
        now: The moment of the change.
    """
    with transaction():
        own_list = _locked_list(owner, now)
        own_list.footballer_ids = list(footballer_ids)
        own_list.projections = dict(projections)
        own_list.source, own_list.changed_at = source, now


def forget_list(owner: ListOwner) -> None:
    """Delete somebody's order; the ranking counts again."""
    with transaction():
        db.session.execute(delete(RankingList).where(*owned_by(owner)))


def _locked_list(owner: ListOwner, now: datetime) -> RankingList:
    """The list, made if there is none, and locked so that two changes are both kept."""
    db.session.execute(
        insert(RankingList)
        .values(
            league_id=owner.league_id, member_id=owner.member_id, footballer_ids=[], changed_at=now
        )
        .on_conflict_do_nothing()
    )
    return db.session.scalars(
        select(RankingList)
        .where(*owned_by(owner))
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
