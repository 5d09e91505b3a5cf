"""Reads a league from the JSON that Sleeper publishes, uploaded as files. Pure.

The documents are those of https://docs.sleeper.com: the league, its users, its rosters, the
matchups of each week, the picks that were traded, and the map of players. Each is known by its
shape, whatever its file is called; only the week of matchups is in the file's name or path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.core.refusals import Refusal
from app.draft_leagues.importing.sleeper_scoring import read_scoring
from app.draft_leagues.importing.values import (
    ImportedGame,
    ImportedLeague,
    ImportedPick,
    ImportedPlayer,
    ImportedTeam,
    Spot,
)
from app.draft_leagues.setting_faults import playoff_rounds
from app.draft_leagues.settings import (
    PRESETS,
    DraftLeagueSettings,
    KeeperSettings,
    RosterSettings,
    SeasonSettings,
    SlotName,
    StarterCount,
    TradeSettings,
    WaiverSettings,
)

ADDRESS = "https://api.sleeper.app/v1"
_SLOTS: Mapping[str, SlotName] = {
    "QB": "QB",
    "RB": "RB",
    "WR": "WR",
    "TE": "TE",
    "FLEX": "FLEX",
    "SUPER_FLEX": "SUPERFLEX",
    "K": "K",
    "DEF": "DST",
    "DL": "DL",
    "LB": "LB",
    "DB": "DB",
    "IDP_FLEX": "IDP",
}
# Places that take fewer positions there.
_WIDER: Mapping[str, SlotName] = {"WRRB_FLEX": "FLEX", "REC_FLEX": "FLEX", "WRRB_WRT": "FLEX"}
_WAIVERS = {0: "rolling", 1: "reverse_standings", 2: "blind_bids"}
NO_DEADLINE = 99
LONGEST_WEEK = 2  # digits
DYNASTY, LONG_FINAL, DOUBLE_ROUNDS = 2, 1, 2
# What reading a document raises whose parts are of other kinds than the documented ones.
NOT_AS_DOCUMENTED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    msgspec.ValidationError,
)
_NO_ONE = "0"  # an empty place of a line-up


@dataclass
class Documents:
    """Sleeper's documents of one league."""

    league: dict[str, Any] | None = None
    users: list[dict[str, Any]] = field(default_factory=list)
    rosters: list[dict[str, Any]] = field(default_factory=list)
    matchups: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    players: dict[str, dict[str, Any]] = field(default_factory=dict)
    traded_picks: list[dict[str, Any]] = field(default_factory=list)


def is_sleeper(documents: Mapping[str, object]) -> bool:
    """Whether these documents, by the names of their files, hold a league of Sleeper's."""
    return _sorted(documents).league is not None


def read_sleeper(documents: Mapping[str, object], field_name: str) -> ImportedLeague | Refusal:
    """The league, or what is missing. `documents`: parsed JSON by the name of its file."""
    loaded = _sorted(documents)
    missing = [
        f"{what} ({ADDRESS}/{path})"
        for what, path, document in (
            ("the league", "league/ID", loaded.league),
            ("its users", "league/ID/users", loaded.users),
            ("its rosters", "league/ID/rosters", loaded.rosters),
            ("the players", "players/nfl", loaded.players),
        )
        if not document
    ]
    if missing or loaded.league is None:
        return Refusal("missing", field_name, f"Add the file of {', and of '.join(missing)}.")
    try:
        return _league(loaded, loaded.league)
    except NOT_AS_DOCUMENTED as error:
        return Refusal(
            "sleeper",
            field_name,
            f"A file is not as Sleeper documents it ({error}). Load it again.",
        )


def _sorted(documents: Mapping[str, object]) -> Documents:
    loaded = Documents()
    for name, document in _flat(documents):
        if isinstance(document, dict):
            _sort_object(loaded, document)
        elif isinstance(document, list) and document and isinstance(document[0], dict):
            _sort_list(loaded, name, document)
    return loaded


def _flat(documents: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Each document with its name; one file may hold several by the names of their parts."""
    for name, document in documents.items():
        parts = ("league", "users", "rosters", "matchups")
        if isinstance(document, dict) and any(part in document for part in parts):
            for part, inner in document.items():
                if part == "matchups" and isinstance(inner, dict):
                    yield from ((f"matchups/{week}", games) for week, games in inner.items())
                else:
                    yield part, inner
        else:
            yield name, document


def _sort_object(loaded: Documents, document: dict[str, Any]) -> None:
    if "roster_positions" in document:
        loaded.league = document
        return
    first = next(iter(document.values()), None)
    if isinstance(first, dict) and "position" in first:
        loaded.players = document


def _sort_list(loaded: Documents, name: str, document: list[Any]) -> None:
    first = document[0]
    if "matchup_id" in first:
        week = re.findall(r"\d+", name)
        if week and len(week[-1]) <= LONGEST_WEEK:
            loaded.matchups[int(week[-1])] = document
    elif "previous_owner_id" in first:
        loaded.traded_picks = document
    elif "owner_id" in first and "roster_id" in first:
        loaded.rosters = document
    elif "display_name" in first:
        loaded.users = document


def _league(loaded: Documents, league: dict[str, Any]) -> ImportedLeague:
    notes: list[str] = []
    scoring, unknown = read_scoring(league.get("scoring_settings") or {})
    if unknown:
        notes.append(f"Scoring that does not exist here: {', '.join(unknown)}.")
    settings = _settings(league, len(loaded.rosters), notes)
    users = {str(user.get("user_id")): user for user in loaded.users}
    teams = tuple(
        _team(roster, users.get(str(roster.get("owner_id")), {}), loaded.players)
        for roster in sorted(loaded.rosters, key=lambda roster: int(roster["roster_id"]))
    )
    season = str(league.get("season") or "")
    imported = ImportedLeague(
        str(league.get("name") or "Sleeper league")[:60],
        int(season) if season.isascii() and season.isdigit() else None,
        settings,
        teams,
        tuple(_games(loaded.matchups, settings)),
        scoring,
        tuple(_picks(loaded.traded_picks, season)),
        tuple(notes),
    )
    # The values keep to the limits of their types, whatever the files hold.
    return msgspec.convert(msgspec.to_builtins(imported), ImportedLeague)


def _settings(league: dict[str, Any], teams: int, notes: list[str]) -> DraftLeagueSettings:
    switches = {
        name: value
        for name, value in (league.get("settings") or {}).items()
        if isinstance(value, int)
    }
    usual = PRESETS["redraft"]
    return DraftLeagueSettings(
        franchises=teams,
        scoring=usual.scoring,
        time_zone=usual.time_zone,
        roster=_roster(league, switches, notes),
        draft=usual.draft,
        waivers=WaiverSettings(
            kind=_WAIVERS.get(switches.get("waiver_type", 0), "rolling"),  # type: ignore[arg-type]
            budget=switches.get("waiver_budget", 100),
            least_bid=min(1, switches.get("waiver_bid_min", 0)),
        ),
        trades=TradeSettings(
            deadline_week=_deadline(switches),
            with_picks=bool(switches.get("pick_trading", 1)),
        ),
        season=_season(switches, teams),
        keepers=KeeperSettings(
            most=min(30, switches.get("max_keepers", 0)) if switches.get("type") == 1 else 0,
            keeps_all=switches.get("type") == DYNASTY,
            future_seasons=3 if switches.get("type") == DYNASTY else 1,
        ),
    )


def _roster(
    league: dict[str, Any], switches: Mapping[str, int], notes: list[str]
) -> RosterSettings:
    counts: dict[SlotName, int] = {}
    bench = 0
    for place in league.get("roster_positions") or ():
        slot = _SLOTS.get(place) or _WIDER.get(place)
        if slot is not None:
            counts[slot] = counts.get(slot, 0) + 1
        if place in _WIDER:
            notes.append(f"The place {place} is a flex here, which takes every such position.")
        elif place == "BN":
            bench += 1
        elif slot is None and place != "IR":
            notes.append(f"The place {place} does not exist here.")
    return RosterSettings(
        tuple(StarterCount(slot, count) for slot, count in counts.items()),
        bench=bench,
        reserve=switches.get("reserve_slots", 0),
        taxi=switches.get("taxi_slots", 0),
        best_ball=switches.get("best_ball") == 1,
    )


def _deadline(switches: Mapping[str, int]) -> int | None:
    week = switches.get("trade_deadline", NO_DEADLINE)
    return week if 0 < week <= 30 else None  # noqa: PLR2004 (the most gameweeks of a season)


def _season(switches: Mapping[str, int], teams: int) -> SeasonSettings:
    first = max(1, switches.get("start_week", 1))
    playoff_teams = min(switches.get("playoff_teams", 6), teams)
    start = switches.get("playoff_week_start", 15)
    has_playoffs = start > first and playoff_teams > 1
    rounds = playoff_rounds(playoff_teams) if has_playoffs else 0
    weeks = [1] * rounds
    kind = switches.get("playoff_round_type", 0)
    if kind == DOUBLE_ROUNDS:
        weeks = [2] * rounds
    elif kind == LONG_FINAL and weeks:
        weeks[-1] = 2
    divisions = switches.get("divisions", 0)
    return SeasonSettings(
        divisions=divisions if divisions > 1 else 0,
        first_week=first,
        regular_weeks=start - first if has_playoffs else 14,
        median_game=switches.get("league_average_match") == 1,
        playoff_teams=playoff_teams if has_playoffs else 0,
        weeks_per_round=tuple(weeks),
    )


def _team(
    roster: dict[str, Any], user: dict[str, Any], players: Mapping[str, dict[str, Any]]
) -> ImportedTeam:
    metadata = user.get("metadata") or {}
    owner = str(user.get("display_name") or "")
    number = int(roster["roster_id"])
    switches = roster.get("settings") or {}
    spots: dict[str, Spot] = dict.fromkeys(_ids(roster.get("players")), "active")
    spots |= dict.fromkeys(_ids(roster.get("reserve")), "reserve")
    spots |= dict.fromkeys(_ids(roster.get("taxi")), "taxi")
    position = switches.get("waiver_position")
    return ImportedTeam(
        str(number),
        str(metadata.get("team_name") or owner or f"Team {number}")[:40],
        owner,
        tuple(_player(key, players.get(key, {}), spot) for key, spot in spots.items()),
        max(0, int(switches.get("waiver_budget_used") or 0)),
        int(position) if position else None,
        int(switches.get("division") or 0),
    )


def _ids(listed: object) -> list[str]:
    ids = [str(key) for key in listed] if isinstance(listed, list) else []
    return [key for key in ids if key != _NO_ONE]


def _player(key: str, player: Mapping[str, Any], spot: Spot) -> ImportedPlayer:
    """A footballer of Sleeper's map; a team defence is called by its club's abbreviation."""
    full = f"{player.get('first_name') or ''} {player.get('last_name') or ''}"
    is_defence = player.get("position") == "DEF" or not key.isdigit()
    gsis = str(player.get("gsis_id") or "").strip()
    return ImportedPlayer(
        key,
        str(player.get("full_name") or full).strip() or key,
        "DEF" if is_defence else str(player.get("position") or ""),
        str(player.get("team") or (key if is_defence else "")),
        (gsis,) if gsis else (),
        spot,
    )


def _games(
    matchups: Mapping[int, Iterable[dict[str, Any]]], settings: DraftLeagueSettings
) -> Iterator[ImportedGame]:
    """The games of the regular season; a week in which nobody has points was not played."""
    season = settings.season
    first = season.first_week or 1
    for week, sides in sorted(matchups.items()):
        if not first <= week < first + season.regular_weeks:
            continue
        listed = list(sides)
        is_played = any(side.get("points") for side in listed)
        by_game: dict[object, list[dict[str, Any]]] = {}
        for side in listed:
            key = side.get("matchup_id") or f"alone-{side['roster_id']}"
            by_game.setdefault(key, []).append(side)
        for pair in by_game.values():
            home, away = pair[0], pair[1] if len(pair) > 1 else None
            yield ImportedGame(
                week,
                str(home["roster_id"]),
                str(away["roster_id"]) if away else None,
                _points(home) if is_played else None,
                _points(away) if is_played and away else None,
            )


def _picks(traded: Iterable[dict[str, Any]], season: str) -> Iterator[ImportedPick]:
    """Picks of drafts after this season that belong to another roster than the original one."""
    for pick in traded:
        if str(pick["season"]) > season and pick["owner_id"] != pick["roster_id"]:
            yield ImportedPick(
                int(pick["season"]),
                int(pick["round"]),
                str(pick["roster_id"]),
                str(pick["owner_id"]),
            )


def _points(side: Mapping[str, Any]) -> int:
    """Points with what a commissioner set by hand."""
    custom = side.get("custom_points")
    return round(float(custom if custom is not None else side.get("points") or 0) * 1000)
