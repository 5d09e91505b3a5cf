"""What the game pages show, as values: board, field, plays in words, leaders. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.record import events as ev
from app.record.queries import EventRow, GameRow
from app.record.words import clock_words, down_and_distance, period_words, sentence, spot

FIELD_YARD = 10  # units of the drawing for a yard; end zones are ten yards deep
SHOWN_PLAYS = 25
OVER = ("ended", "final")


@dataclass(frozen=True)
class Line:
    """A sentence of a play. `taken_away`: it does not count any more; `tone`: scored, called, review or plain."""

    words: str
    taken_away: bool
    tone: str


@dataclass(frozen=True)
class PlayRow:
    number: int
    situation: str
    clock: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Field:
    """Positions on the drawing, in its units from the left; home defends the left end zone."""

    ball: int
    scrimmage: int
    to_gain: int | None
    drives_right: bool


@dataclass(frozen=True)
class Leader:
    club_id: str
    name: str
    line: str


@dataclass(frozen=True)
class Leaders:
    title: str
    home: Leader | None
    away: Leader | None


@dataclass(frozen=True)
class GamePage:
    game: GameRow
    over: bool
    period: str
    clock: str
    situation: str
    where: str
    field: Field | None
    periods: tuple[str, ...]
    plays: tuple[PlayRow, ...]
    more_plays: int
    leaders: tuple[Leaders, ...]


def status_words(game: GameRow) -> str:
    """`Final`, `Q3 4:12`, or nothing for a game that has not begun (its kickoff is shown instead)."""
    if game.status in OVER:
        return "Final" if game.status == "final" else "Over"
    if game.status == "live":
        return f"{period_words(game.state['period'])} {clock_words(game.state['clock'])}"
    return ""


def game_page(
    game: GameRow,
    events: Sequence[EventRow],
    names: Mapping[str, str],
    stat_lines: Sequence[tuple[str, str, dict[str, int]]],
    *,
    all_plays: bool,
) -> GamePage:
    """Everything on a game's page; plays newest first, the last SHOWN_PLAYS unless all are asked for."""
    plays = _plays(events, names, game)
    shown = plays if all_plays else plays[:SHOWN_PLAYS]
    snap = _last_snap(events)
    count = max(4, len(game.state.get("home_by_period", ())))
    return GamePage(
        game=game,
        over=game.status in OVER,
        period=_period(game),
        clock=clock_words(game.state["clock"]) if game.status == "live" else "",
        situation=down_and_distance(snap) if snap and game.status == "live" else "",
        where=_where(snap, game) if snap and game.status == "live" else "",
        field=_field(snap, game) if snap and game.status == "live" else None,
        periods=tuple(period_words(number) for number in range(1, count + 1)),
        plays=tuple(shown),
        more_plays=len(plays) - len(shown),
        leaders=_leaders(stat_lines, names, game),
    )


def _period(game: GameRow) -> str:
    if game.status == "live":
        return period_words(game.state["period"])
    return {"final": "Final", "ended": "Over"}.get(game.status, "Not begun")


_PLAYER_FIELDS = (
    "passer", "receiver", "player", "by", "forced_by", "kicker", "blocked_by", "tackler", "tackled",
)  # fmt: skip


def players_in(events: Sequence[EventRow], stat_lines: Sequence[tuple[str, str, dict[str, int]]]) -> set[str]:
    """Ids of all footballers whom the page may name."""
    found = {player for player, _, _ in stat_lines}
    for row in events:
        if isinstance(row.body, ev.Challenge):
            continue  # its `by` is a club
        for field in _PLAYER_FIELDS:
            value = getattr(row.body, field, None)
            found.update(one for one in (value if isinstance(value, tuple) else (value,)) if one)
    return found


def _last_snap(events: Sequence[EventRow]) -> ev.Snap | None:
    snaps = [row for row in events if isinstance(row.body, ev.Snap) and row.valid]
    last = max(snaps, key=lambda row: row.number, default=None)
    return last.body if last and isinstance(last.body, ev.Snap) else None


def _other(team: str, game: GameRow) -> str:
    return game.away.id if team == game.home.id else game.home.id


def _where(snap: ev.Snap, game: GameRow) -> str:
    return f"{snap.possession} ball at {spot(snap.possession, snap.spot, _other(snap.possession, game))}"


def _field(snap: ev.Snap, game: GameRow) -> Field:
    right = snap.possession == game.home.id

    def across(yard: int) -> int:
        return (10 + (yard if right else 100 - yard)) * FIELD_YARD

    to_gain = None
    if snap.situation == "scrimmage" and snap.distance is not None:
        to_gain = across(min(100, snap.spot + snap.distance))
    return Field(ball=across(snap.spot), scrimmage=across(snap.spot), to_gain=to_gain, drives_right=right)


def _plays(events: Sequence[EventRow], names: Mapping[str, str], game: GameRow) -> list[PlayRow]:
    """Newest first. A play's corrections stand with it, whenever they were made."""
    corrections = {row.number: row.body for row in events if isinstance(row.body, ev.Overturn | ev.StatCorrection)}
    found = []
    for number, group in groupby(events, key=lambda row: row.play_number):
        rows = list(group)
        snap = next((row.body for row in rows if isinstance(row.body, ev.Snap) and row.valid), None)
        lines = _lines(rows, names, corrections)
        if not lines and snap is None:
            continue
        found.append(
            PlayRow(
                number=number,
                situation=f"{down_and_distance(snap)}, {_where(snap, game)}" if snap else "",
                clock=f"{period_words(snap.period)} {clock_words(snap.clock)}" if snap else "",
                lines=tuple(lines),
            )
        )
    return found[::-1]


def _lines(rows: Sequence[EventRow], names: Mapping[str, str], corrections: Mapping[int, ev.Correction]) -> list[Line]:
    """The lines of one play. A correction is told by the line that it wrote; a ruling replaces its `under review`."""
    reviews = [row.body for row in rows if isinstance(row.body, ev.Challenge)]
    ruled = any(review.ruling != "pending" for review in reviews)
    shown = []
    for row in rows:
        if isinstance(row.body, ev.Snap | ev.Overturn | ev.StatCorrection):
            continue
        if ruled and isinstance(row.body, ev.Challenge) and row.body.ruling == "pending":
            continue
        shown.append(_line(row, names, _because(corrections.get(row.revision), reviews)))
    return shown


def _because(correction: ev.Correction | None, reviews: Sequence[ev.Challenge]) -> tuple[str, str]:
    """What stands before a corrected line and after it; the reason only where no review of the play says it."""
    if correction is None:
        return "", ""
    word = "After review" if reviews else "Corrected"
    if isinstance(correction, ev.StatCorrection):
        word = "Stat correction"
    said = any(review.reason == correction.reason for review in reviews)
    return f"{word}: ", f" ({correction.reason})" if correction.reason and not said else ""


def _line(row: EventRow, names: Mapping[str, str], because: tuple[str, str]) -> Line:
    words = f"{because[0]}{sentence(row.body, names)}{because[1]}"
    if isinstance(row.body, ev.Nullify):
        reason = f" ({row.body.reason})" if row.body.reason else ""
        words = f"No play{reason}."
    tone = "plain"
    if isinstance(row.body, ev.Nullify | ev.Penalty):
        tone = "called"
    elif isinstance(row.body, ev.Challenge):
        tone = "review"
    elif getattr(row.body, "is_touchdown", False) or isinstance(row.body, ev.Safety):
        tone = "scored"
    return Line(words, taken_away=not row.valid, tone=tone)


def stat_summary(stats: Mapping[str, int]) -> str:
    """A stat line in the words of a box score, the main things only.

    >>> stat_summary({"completions": 18, "attempts": 30, "passing_yards": 203, "passing_tds": 1})
    '18/30, 203 yd, 1 TD passing'
    """
    parts = [
        _part(stats, "attempts", f"{stats.get('completions', 0)}/{stats.get('attempts', 0)}", "passing"),
        _part(stats, "carries", f"{stats.get('carries', 0)} car", "rushing"),
        _part(stats, "receptions", f"{stats.get('receptions', 0)} rec", "receiving"),
    ]
    if stats.get("fumbles_lost"):
        parts.append(f"{stats['fumbles_lost']} fumble{'' if stats['fumbles_lost'] == 1 else 's'} lost")
    if stats.get("special_teams_tds"):
        parts.append(f"{stats['special_teams_tds']} return TD")
    return "; ".join(part for part in parts if part)


def _part(stats: Mapping[str, int], trigger: str, head: str, kind: str) -> str:
    if not stats.get(trigger) and not stats.get(f"{kind}_yards"):
        return ""
    words = f"{head}, {stats.get(f'{kind}_yards', 0)} yd"
    if stats.get(f"{kind}_tds"):
        words += f", {stats[f'{kind}_tds']} TD"
    if kind == "passing" and stats.get("passing_interceptions"):
        words += f", {stats['passing_interceptions']} INT"
    return f"{words} {kind}"


def tackles(stats: Mapping[str, int]) -> int:
    return stats.get("tackles_solo", 0) + stats.get("tackles_assist", 0)


def _leaders(
    stat_lines: Sequence[tuple[str, str, dict[str, int]]], names: Mapping[str, str], game: GameRow
) -> tuple[Leaders, ...]:
    """The best of each club in four things; ties go to the lower player id."""

    def best(club: str, key: str) -> Leader | None:
        def amount(stats: Mapping[str, int]) -> int:
            return tackles(stats) if key == "tackles" else stats.get(key, 0)

        of_club = [(player, stats) for player, team, stats in stat_lines if team == club and amount(stats) > 0]
        if not of_club:
            return None
        player, stats = max(of_club, key=lambda one: amount(one[1]))
        line = f"{amount(stats)} tackles" if key == "tackles" else _part(stats, key, _HEADS[key](stats), key[:-6])
        return Leader(club, names.get(player, player), line.removesuffix(f" {key[:-6]}"))

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
