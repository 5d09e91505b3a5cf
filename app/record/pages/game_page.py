"""What the game pages show, as values: board, field, leaders and plays. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.asof import valid_events
from app.record.pages.box_score import BoxScore, Lines, box_score
from app.record.pages.drive_list import DriveGroup, DriveRow, by_drive, drive_rows, drives_of
from app.record.pages.play_list import PlayFilter, PlayRow, filtered, plays_of, spot_words, where
from app.record.play_sentence import surnames
from app.record.queries import EventRow, GameRow
from app.record.rules.state import OVER
from app.record.rules.statistics import LEVEL_STATS
from app.record.words import clock_words, down_and_distance, period_words

FIELD_YARD = 10  # units of the drawing per yard; end zones are ten yards deep
SHOWN_PLAYS = 12


@dataclass(frozen=True)
class Field:
    """Positions on the drawing, in its units from the left; home defends the left end zone."""

    ball: int
    scrimmage: int
    to_gain: int | None
    drives_right: bool


@dataclass(frozen=True)
class Leader:
    """A club's best player in one category, with their line."""

    club_id: str
    player_id: str
    name: str
    line: str


@dataclass(frozen=True)
class Leaders:
    """One category and its leaders."""

    title: str
    home: Leader | None
    away: Leader | None


@dataclass(frozen=True)
class GamePage:
    """What every page of a game shows: the board, the field and the last plays.

    `is_over`: nothing on the page can change any more, so it does not poll. `possession`: the club
    that has the ball, "" if no play is on. `drive`: the drive on the field. `with_slips`: the plays
    in which the scorer corrected an entry, for the game book; newest first like `plays`. `latest`:
    the last plays by drive.
    """

    game: GameRow
    is_over: bool
    period: str
    clock: str
    situation: str
    where: str
    possession: str
    field: Field | None
    drive: DriveRow | None
    periods: tuple[str, ...]
    plays: tuple[PlayRow, ...]
    with_slips: tuple[PlayRow, ...]
    leaders: tuple[Leaders, ...]
    latest: tuple[DriveGroup, ...]
    at: At | None


@dataclass(frozen=True)
class At:
    """A past moment that the page shows: its last event, and the moment in words."""

    number: int
    words: str


@dataclass(frozen=True)
class PlaysPage:
    """The plays that match the filter, by drive, and the values to filter by.

    `count`: the plays that match. `of`: the number of all plays. `players`: id and name by club.
    """

    criteria: PlayFilter
    groups: tuple[DriveGroup, ...]
    count: int
    of: int
    quarters: tuple[tuple[str, str], ...]
    players: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def status_words(game: GameRow) -> str:
    """`Final`, `Q3 4:12` or `Postponed`.

    Empty for a game that has not begun; its kickoff is shown instead.
    """
    if game.status == "live":
        return f"{period_words(game.state['period'])} {clock_words(game.state['clock'])}"
    return _STATUS_WORDS.get(game.status, "")


def situation_words(game: GameRow) -> str:
    """Down, distance and spot of a live game's last snap; "" before a kickoff or a try."""
    state = game.state
    if game.status != "live" or state.get("down") is None:
        return ""
    names = ("possession", "spot", "period", "clock", "down", "distance")
    snap = ev.Snap(**{name: state[name] for name in names})
    return f"{down_and_distance(snap)}, {where(snap, game)}"


_STATUS_WORDS = {"ended": "Over"} | {
    status: status.capitalize()
    for status in ("final", "postponed", "suspended", "cancelled", "forfeited")
}


def game_page(
    game: GameRow,
    events: Sequence[EventRow],
    names: Mapping[str, str],
    stat_lines: Lines,
    at: At | None = None,
) -> GamePage:
    """What every page of a game shows, with all plays, newest first.

    `at`: the moment that the page shows; None is now.
    """
    rows = plays_of(events, names, game)
    plays = tuple(play for play in rows if play.situation or play.lines)
    snap = _last_snap(events) if game.status == "live" else None
    drives = drive_rows(game, events) if snap else []
    count = max(ev.QUARTERS, len(game.state.get("home_by_period", ())))
    return GamePage(
        game=game,
        is_over=game.status in OVER or at is not None,
        period=_period(game),
        clock=clock_words(game.state["clock"]) if game.status == "live" else "",
        situation=down_and_distance(snap) if snap else "",
        where=f"at {spot_words(snap, game)}" if snap else "",
        possession=snap.possession if snap else "",
        field=_field(snap, game) if snap else None,
        drive=_drive_on(snap, drives),
        periods=tuple(period_words(number) for number in range(1, count + 1)),
        plays=plays,
        with_slips=tuple(play for play in rows if play.slips),
        leaders=_leaders(stat_lines, surnames(names), game),
        latest=tuple(by_drive(plays[:SHOWN_PLAYS], game, events)),
        at=at,
    )


def _period(game: GameRow) -> str:
    if game.status == "live":
        return period_words(game.state["period"])
    return status_words(game) or "Not started"


def players_in(events: Sequence[EventRow], stat_lines: Lines) -> set[str]:
    """Ids of all footballers whom the page may name."""
    players = {player for player, _, _ in stat_lines}
    for row in events:
        players |= ev.players_of(row.body)
    return players


def at_words(game: GameRow, number: int) -> At:
    """The moment after event `number`; `game` is as it stood then."""
    return At(number, status_words(game) or "the kickoff")


def box_score_of(
    game: GameRow, events: Sequence[EventRow], names: Mapping[str, str], stat_lines: Lines
) -> BoxScore:
    """The box score of a game, from the events that are valid."""
    return box_score(game, valid_events(events), stat_lines, names)


def plays_page(
    page: GamePage,
    events: Sequence[EventRow],
    names: Mapping[str, str],
    stat_lines: Lines,
    criteria: PlayFilter,
) -> PlaysPage:
    """The play list. Players to filter by are those with a stat line, by name, then id."""
    game = page.game
    plays = filtered(page.plays, criteria, drives_of(game, events))
    return PlaysPage(
        criteria=criteria,
        groups=tuple(by_drive(plays, game, events)),
        count=len(plays),
        of=len(page.plays),
        quarters=tuple((str(n), name) for n, name in enumerate(page.periods, start=1)),
        players=tuple(
            (
                club.name,
                tuple(
                    sorted(
                        ((p, names.get(p, p)) for p, team, _ in stat_lines if team == club.id),
                        key=lambda player: (player[1], player[0]),
                    )
                ),
            )
            for club in (game.away, game.home)
        ),
    )


def _drive_on(snap: ev.Snap | None, drives: Sequence[DriveRow]) -> DriveRow | None:
    """The drive that the snap belongs to, if it is from scrimmage. `drives`: newest first."""
    if snap is None or snap.situation != "scrimmage" or not drives:
        return None
    return drives[0]


def _last_snap(events: Sequence[EventRow]) -> ev.Snap | None:
    return next(
        (body for _, _, body in reversed(valid_events(events)) if isinstance(body, ev.Snap)), None
    )


def _field(snap: ev.Snap, game: GameRow) -> Field:
    right = snap.possession == game.home.id

    def across(yard: int) -> int:
        return (10 + (yard if right else 100 - yard)) * FIELD_YARD

    to_gain = None
    if snap.situation == "scrimmage" and snap.distance is not None:
        to_gain = across(min(100, snap.spot + snap.distance))
    return Field(
        ball=across(snap.spot), scrimmage=across(snap.spot), to_gain=to_gain, drives_right=right
    )


def stat_summary(stats: Mapping[str, int]) -> str:
    """The main figures of a stat line in the words of a box score.

    >>> stat_summary({"completions": 18, "attempts": 30, "passing_yards": 203, "passing_tds": 1})
    '18/30, 203 yd, 1 TD passing'
    >>> stat_summary({"fg_att": 2, "fg_made": 1, "pat_made": 3})
    '1/2 FG, 3 XP'
    >>> stat_summary({"pat_made": 1})
    '1 XP'
    >>> allowed = {"dst_points_allowed": 17, "dst_yards_allowed": 301, "dst_allowed_14_17": 1}
    >>> stat_summary({**allowed, "dst_sacks": 3})
    '17 points, 301 yd allowed; 3 sacks'
    """
    if any(level in stats for level in LEVEL_STATS):
        return _defence_summary(stats)
    parts = [
        _part(
            stats,
            "attempts",
            f"{stats.get('completions', 0)}/{stats.get('attempts', 0)}",
            "passing",
        ),
        _part(stats, "carries", f"{stats.get('carries', 0)} car", "rushing"),
        _part(stats, "receptions", f"{stats.get('receptions', 0)} rec", "receiving"),
    ]
    if stats.get("fg_att"):
        parts.append(
            f"{stats.get('fg_made', 0)}/{stats['fg_att']} FG, {stats.get('pat_made', 0)} XP"
        )
    elif stats.get("pat_made"):
        parts.append(f"{stats['pat_made']} XP")
    if stats.get("fumbles_lost"):
        parts.append(
            f"{stats['fumbles_lost']} fumble{'' if stats['fumbles_lost'] == 1 else 's'} lost"
        )
    if stats.get("special_teams_tds"):
        parts.append(f"{stats['special_teams_tds']} return TD")
    return "; ".join(part for part in parts if part)


def _defence_summary(stats: Mapping[str, int]) -> str:
    allowed = (
        f"{stats.get('dst_points_allowed', 0)} points, {stats.get('dst_yards_allowed', 0)} yd "
        "allowed"
    )
    takeaways_and_sacks = [
        f"{amount} {word}{'s' if amount > 1 and plural else ''}"
        for stat, word, plural in (
            ("dst_sacks", "sack", True),
            ("dst_interceptions", "INT", False),
            ("dst_fumble_recoveries", "fumble", True),
            ("dst_touchdowns", "TD", False),
        )
        if (amount := stats.get(stat, 0))
    ]
    if not takeaways_and_sacks:
        return allowed
    return f"{allowed}; {', '.join(takeaways_and_sacks)}"


def _part(stats: Mapping[str, int], trigger: str, head: str, kind: str) -> str:
    if not stats.get(trigger) and not stats.get(f"{kind}_yards"):
        return ""
    words = f"{head}, {stats.get(f'{kind}_yards', 0)} yd"
    if stats.get(f"{kind}_tds"):
        words += f", {stats[f'{kind}_tds']} TD"
    if kind == "passing" and stats.get("passing_interceptions"):
        words += f", {stats['passing_interceptions']} INT"
    return f"{words} {kind}"


def _tackles(stats: Mapping[str, int]) -> int:
    return stats.get("tackles_solo", 0) + stats.get("tackles_assist", 0)


def _leaders(
    stat_lines: Sequence[tuple[str, str, dict[str, int]]], names: Mapping[str, str], game: GameRow
) -> tuple[Leaders, ...]:
    """Each club's leader in four categories; ties go to the lower player id."""

    def best(club: str, key: str) -> Leader | None:
        def amount(stats: Mapping[str, int]) -> int:
            return _tackles(stats) if key == "tackles" else stats.get(key, 0)

        of_club = [
            (player, stats)
            for player, team, stats in stat_lines
            if team == club and amount(stats) > 0
        ]
        if not of_club:
            return None
        player, stats = max(of_club, key=lambda row: amount(row[1]))
        line = (
            f"{amount(stats)} tackles"
            if key == "tackles"
            else _part(stats, key, _HEADS[key](stats), key[:-6])
        )
        return Leader(club, player, names.get(player, player), line.removesuffix(f" {key[:-6]}"))

    return tuple(
        Leaders(title, best(game.home.id, key), best(game.away.id, key))
        for title, key in (
            ("Passing", "passing_yards"),
            ("Rushing", "rushing_yards"),
            ("Receiving", "receiving_yards"),
            ("Tackles", "tackles"),
        )
    )


_HEADS = {
    "passing_yards": lambda stats: f"{stats.get('completions', 0)}/{stats.get('attempts', 0)}",
    "rushing_yards": lambda stats: f"{stats.get('carries', 0)} car",
    "receiving_yards": lambda stats: f"{stats.get('receptions', 0)} rec",
}
