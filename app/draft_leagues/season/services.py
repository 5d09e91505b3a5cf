"""Writes the schedule of a season, and the games of its play-offs.

Play-offs follow from the settings and the results (playoffs.py). `update` compares what follows
with what is stored: before a round it writes the games that are known, and after a correction the
games that are others now, also of gameweeks that have been played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.models import FINISHED, SEASON, BracketChange, DraftLeague
from app.draft_leagues.season import words
from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season.schedule import regular_season
from app.fantasy.gameweeks import live
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.notices.words import Words
from app.fantasy.standings.fixtures import Pair
from app.fantasy.standings.models import League, Matchup


@dataclass(frozen=True)
class ChangedWeek:
    """A gameweek of the play-offs whose games are others than those stored, as franchises."""

    gameweek: Gameweek
    before: Sequence[Pair]
    after: Sequence[Pair]


def write_schedule(draft_league: DraftLeague) -> None:
    """Write the games of the whole regular season. Only the caller commits.

    All franchises have members.
    """
    write_missing_weeks(draft_league.league_id)


def write_missing_weeks(league_id: int) -> None:
    """Write the games of those gameweeks of the regular season that have none."""
    view = load_season(league_id)
    season = view.settings.season
    rounds = regular_season(
        len(view.teams),
        len(view.regular),
        view.divisions,
        rivals=season.rivals,
        rivals_week=season.rivals_week,
    )
    for gameweek, pairs in zip(view.regular, rounds, strict=True):
        if gameweek.id not in view.pairs:
            _write_pairs(view, gameweek, pairs)


def write_weeks_of_season(season_id: int) -> None:
    """Write the games that leagues of the season lack since it has more gameweeks.

    A league before or in its draft gets all of its games when the draft ends. Only the caller
    commits.
    """
    leagues = db.session.scalars(
        select(DraftLeague.league_id)
        .join(League, League.id == DraftLeague.league_id)
        .where(League.season_id == season_id, DraftLeague.phase == SEASON)
        .order_by(DraftLeague.league_id)
        .with_for_update(key_share=True, of=DraftLeague)
    ).all()
    for league_id in leagues:
        write_missing_weeks(league_id)


def changed_weeks(view: SeasonView) -> list[ChangedWeek]:
    """The gameweeks of the play-offs whose games would change by the present results."""
    changed = []
    for gameweek in view.playoff_weeks:
        before = view.pairs.get(gameweek.id, [])
        after = view.playoffs.pairs(gameweek.week) if view.is_regular_over else []
        if set(before) != set(after):
            changed.append(ChangedWeek(gameweek, before, after))
    return changed


def update(league_id: int, now: datetime) -> list[ChangedWeek]:
    """Bring the play-offs up to date with the results; again it changes nothing. Commits.

    Returns:
        The gameweeks whose games have changed.
    """
    try:
        draft_league = locked(league_id)
        version = _version(league_id)
        view = load_season(league_id)
        changed = changed_weeks(view)
        for week in changed:
            db.session.execute(
                delete(Matchup).where(
                    Matchup.league_id == league_id, Matchup.gameweek_id == week.gameweek.id
                )
            )
            _write_pairs(view, week.gameweek, week.after)
            _notify_week(view, week, now)
            if week.before:
                _keep_change(league_id, week.gameweek.id, week.before, week.after, now)
        _note_champion(draft_league, view, now)
        draft_league.seen_version = version
        if any(week.gameweek.deadline <= now for week in changed):
            db.session.flush()
            live.refresh_league(league_id, now)
        else:
            db.session.commit()
    finally:
        db.session.rollback()  # after the commit: nothing to undo
    return changed


_BEHIND = text("""
    SELECT d.league_id FROM draft_leagues d
    WHERE d.phase IN ('season', 'finished') AND d.seen_version <> coalesce(
      (SELECT sum(v.version) FROM league_versions v WHERE v.league_id = d.league_id), 0)
    ORDER BY d.league_id
""")


def update_behind(now: datetime) -> int:
    """Update every league whose tables have changed since its last update; returns how many."""
    behind = db.session.scalars(_BEHIND).all()
    db.session.rollback()
    for league_id in behind:
        update(league_id, now)
    return len(behind)


def _version(league_id: int) -> int:
    """The versions of the league's tables, added up: it rises with every change of a result."""
    total = db.session.scalar(
        text("SELECT sum(version) FROM league_versions WHERE league_id = :league_id"),
        {"league_id": league_id},
    )
    return int(total or 0)


def _write_pairs(view: SeasonView, gameweek: Gameweek, pairs: Sequence[Pair]) -> None:
    members = {team.number: team.member_id for team in view.teams}
    rows = [
        {
            "league_id": view.league.id,
            "gameweek_id": gameweek.id,
            "home_id": members[home],
            "away_id": members[away] if away is not None else None,
        }
        for home, away in pairs
    ]
    if rows:
        db.session.execute(insert(Matchup), rows)


def _note_champion(draft_league: DraftLeague, view: SeasonView, now: datetime) -> None:
    """Keep who won, and whether the season is over."""
    champion = view.champion
    draft_league.phase = FINISHED if view.is_over else SEASON
    if champion == draft_league.champion:
        return
    names = {team.number: team.name for team in view.teams}
    before = names[draft_league.champion] if draft_league.champion is not None else None
    if draft_league.champion is not None:
        new = [(champion, None)] if champion is not None else []
        _keep_change(draft_league.league_id, None, [(draft_league.champion, None)], new, now)
    draft_league.champion = champion
    if champion is not None:
        notice_words = words.champion(view.league.name, names[champion], before)
        _notify(
            view, [team.number for team in view.teams], f"champion:{champion}", notice_words, now
        )


def _keep_change(
    league_id: int,
    gameweek_id: int | None,
    before: Sequence[Pair],
    after: Sequence[Pair],
    now: datetime,
) -> None:
    db.session.add(
        BracketChange(
            league_id=league_id,
            gameweek_id=gameweek_id,
            before=list(before),
            after=list(after),
            changed_at=now,
        )
    )


def _notify_week(view: SeasonView, week: ChangedWeek, now: datetime) -> None:
    """Tell everybody whose game is another now."""
    names = {team.number: team.name for team in view.teams}
    before = _opponents(week.before)
    after = _opponents(week.after)
    for number in sorted({*before, *after}):
        if before.get(number) == after.get(number):
            continue
        opponent = after.get(number)
        if opponent is not None:
            notice_words = words.playoff_game(
                view.league.name,
                week.gameweek.name,
                names[opponent],
                is_change=bool(week.before),
            )
        else:
            notice_words = words.playoff_game_gone(view.league.name, week.gameweek.name)
        _notify(view, [number], f"playoffs:{week.gameweek.id}:{opponent}", notice_words, now)


def _opponents(pairs: Sequence[Pair]) -> dict[int, int]:
    opponents: dict[int, int] = {}
    for home, away in pairs:
        if away is not None:
            opponents |= {home: away, away: home}
    return opponents


def _notify(
    view: SeasonView, franchises: Sequence[int], key: str, notice_words: Words, now: datetime
) -> None:
    path = f"/leagues/{view.league.slug}"
    members = {team.number: team.member_id for team in view.teams}
    notices.notify(
        [
            NewNotice.of(
                member_id,
                "league",
                f"league:{view.league.id}:{key}:{now:%Y%m%d%H%M}",
                notice_words,
                path,
            )
            for number in franchises
            if (member_id := members[number]) is not None
        ],
        now,
    )
