"""Reads a league from the JSON that Sleeper publishes, uploaded as files. Pure.

The documents are those of https://docs.sleeper.com: the league, its users, its rosters, the
matchups of each week, the picks that were traded, and the map of players.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from app.core.refusals import Refusal
from app.draft_leagues.importing.sleeper_documents import ADDRESS, Documents, sort_documents
from app.draft_leagues.importing.sleeper_scoring import read_scoring
from app.draft_leagues.importing.sleeper_settings import read_settings
from app.draft_leagues.importing.sleeper_values import UnreadableDocumentError, Values
from app.draft_leagues.importing.values import (
    LEAST_TEAMS,
    MOST_BUDGET,
    MOST_DIVISIONS,
    MOST_POINTS,
    MOST_PRIORITY,
    MOST_TEAMS,
    ImportedGame,
    ImportedLeague,
    ImportedPick,
    ImportedPlayer,
    ImportedTeam,
    Spot,
)
from app.draft_leagues.settings import DraftLeagueSettings

MOST_ROSTERS = 1_000  # numbers of rosters
MOST_ROUNDS = 50
PAIR = 2
_NO_ONE = "0"  # an empty place of a line-up


def read_sleeper(documents: Mapping[str, object], field: str) -> ImportedLeague | Refusal:
    """The league, or what is missing or wrong. `documents`: parsed JSON by the name of its file."""
    try:
        loaded = sort_documents(documents)
        missing = _missing(loaded)
        if missing:
            return Refusal("missing", field, f"Add the file of {', and of '.join(missing)}.")
        return _league(loaded)
    except UnreadableDocumentError as error:
        return Refusal("sleeper", field, str(error))


def _missing(loaded: Documents) -> list[str]:
    return [
        f"{what} ({ADDRESS}/{path})"
        for what, path, document in (
            ("the league", "league/ID", loaded.league),
            ("its users", "league/ID/users", loaded.users),
            ("its rosters", "league/ID/rosters", loaded.rosters),
            ("the players", "players/nfl", loaded.players),
        )
        if not document
    ]


def _league(loaded: Documents) -> ImportedLeague:
    league, notes = Values("the league", loaded.league or {}), list[str]()
    scoring, scoring_notes = read_scoring(league.inner("scoring_settings", "the scoring").values)
    notes += scoring_notes
    if not LEAST_TEAMS <= len(loaded.rosters) <= MOST_TEAMS:
        raise UnreadableDocumentError(
            f"The rosters file has {len(loaded.rosters)} teams. A league here has "
            f"{LEAST_TEAMS} to {MOST_TEAMS}."
        )
    settings = read_settings(league, len(loaded.rosters), notes)
    teams = tuple(_teams(loaded))
    keys = {team.key for team in teams}
    if len(keys) < len(teams):
        raise UnreadableDocumentError("Two rosters have the same number. Save league/ID/rosters.")
    year = league.whole("season", 0, most=9999) or None
    games = tuple(_games(loaded, league, settings, notes))
    for game in games:
        if not {game.home, game.away} - {None} <= keys:
            raise UnreadableDocumentError(
                f"The week {game.week} matchups include a roster that is not in the rosters file. "
                "Save both pages again."
            )
    if loaded.others:
        notes.append(f"Files we ignored: {', '.join(loaded.others)}.")
    return ImportedLeague(
        league.text("name") or "Sleeper league",
        year,
        settings,
        teams,
        games,
        scoring,
        tuple(_picks(loaded.traded_picks, year or 0, keys, notes)),
        tuple(notes),
    )


def _teams(loaded: Documents) -> Iterator[ImportedTeam]:
    users = {str(user.get("user_id")): Values("a user", user) for user in loaded.users}
    nobody, known_keys = Values("a user", {}), set[str]()
    rosters = [
        (Values("a roster", roster).whole("roster_id", most=MOST_ROSTERS), roster)
        for roster in loaded.rosters
    ]
    for number, roster in sorted(rosters, key=lambda pair: pair[0]):
        values = Values(f"roster {number}", roster)
        user = users.get(values.text("owner_id"), nobody)
        yield _team(number, values, user, loaded.players, known_keys)


def _team(
    number: int,
    roster: Values,
    user: Values,
    players: Mapping[str, dict[str, Any]],
    known_keys: set[str],
) -> ImportedTeam:
    """The team of a roster. `known_keys`: the players of other rosters, whose keys are taken."""
    owner = user.text("display_name")
    switches = roster.inner("settings", roster.about)
    spots: dict[str, Spot] = dict.fromkeys(roster.ids("players"), "active")
    spots |= dict.fromkeys(roster.ids("reserve"), "reserve")
    spots |= dict.fromkeys(roster.ids("taxi"), "taxi")
    keys = {key: f"{number}-{key}" if key in known_keys else key for key in spots if key != _NO_ONE}
    known_keys.update(keys)
    return ImportedTeam(
        str(number),
        (user.inner("metadata", "a user").text("team_name") or owner or f"Team {number}")[:200],
        owner[:200],
        tuple(
            replace(_player(key, players.get(key, {}), spots[key]), key=own_key)
            for key, own_key in keys.items()
        ),
        # Sleeper counts budget that was traded away as used, and takes off what was won.
        switches.whole("waiver_budget_used", 0, least=-MOST_BUDGET, most=MOST_BUDGET),
        switches.whole("waiver_position", 0, most=MOST_PRIORITY) or None,
        switches.whole("division", 0, most=MOST_DIVISIONS),
    )


def _player(key: str, values: dict[str, Any], spot: Spot) -> ImportedPlayer:
    """A footballer of Sleeper's map; a team defence is called by its club's abbreviation."""
    player = Values(f"player {key}", values)
    full = f"{player.text('first_name')} {player.text('last_name')}"
    is_defence = player.text("position") == "DEF" or not key.isdigit()
    gsis = player.text("gsis_id")
    return ImportedPlayer(
        key[:200],
        (player.text("full_name") or full.strip() or key)[:200],
        "DEF" if is_defence else player.text("position")[:200],
        (player.text("team") or (key if is_defence else ""))[:200],
        (gsis[:200],) if gsis else (),
        spot,
    )


def _games(
    loaded: Documents, league: Values, settings: DraftLeagueSettings, notes: list[str]
) -> Iterator[ImportedGame]:
    """The games of the regular season.

    A week has results if anybody has points, and Sleeper has scored it to its end.
    """
    season = settings.season
    first = season.first_week or 1
    last_scored = league.inner("settings", "the league").whole("last_scored_leg", 99, most=99)
    later = []
    for week, sides in sorted(loaded.matchups.items()):
        pairs = _pairs(week, sides)
        has_points = any(points for pair in pairs for _, points in pair)
        if not first <= week < first + season.regular_weeks:
            later += [str(week)] if has_points else []
            continue
        if has_points and week > last_scored:
            notes.append(
                f"Week {week} is still being played on Sleeper, so its points are not final."
            )
        is_played = has_points and week <= last_scored
        for (home, home_points), *others in pairs:
            away, away_points = others[0] if others else (None, None)
            yield ImportedGame(
                week,
                home,
                away,
                home_points if is_played else None,
                away_points if is_played and away else None,
            )
    if later:
        notes.append(
            f"Results outside the regular season are not imported: week {', '.join(later)}."
        )


def _pairs(week: int, sides: Iterable[dict[str, Any]]) -> list[list[tuple[str, int]]]:
    """The games of a week: each side's roster with its points in thousandths."""
    games: dict[str, list[tuple[str, int]]] = {}
    for side in sides:
        values = Values(f"a matchup of week {week}", side)
        roster = str(values.whole("roster_id", most=MOST_ROSTERS))
        points = values.thousandths("points", MOST_POINTS) or 0
        custom = values.thousandths("custom_points", MOST_POINTS)  # set by a commissioner
        game = values.text("matchup_id") or f"alone {roster}"
        games.setdefault(game, []).append((roster, points if custom is None else custom))
    for game, pair in games.items():
        if len(pair) > PAIR:
            raise UnreadableDocumentError(
                f"Matchup {game} of week {week} has {len(pair)} teams. Save the page again."
            )
    return list(games.values())


def _picks(
    traded: Iterable[dict[str, Any]], year: int, keys: set[str], notes: list[str]
) -> Iterator[ImportedPick]:
    """Picks of drafts after this season that belong to another roster than the original one."""
    for each in traded:
        pick = Values("a traded pick", each)
        season = pick.whole("season", least=1900, most=2200)
        original = str(pick.whole("roster_id", most=MOST_ROSTERS))
        owner = str(pick.whole("owner_id", most=MOST_ROSTERS))
        if season <= year or owner == original:
            continue
        round_number = pick.whole("round", least=1, most=MOST_ROUNDS)
        if not {original, owner} <= keys:
            notes.append(
                f"A {season} round {round_number} pick belongs to a roster that is not in the "
                "files, so it is not imported."
            )
            continue
        yield ImportedPick(season, round_number, original, owner)
