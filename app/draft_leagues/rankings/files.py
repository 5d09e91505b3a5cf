"""Rankings and projections as CSV files, in the formats that public sites use. Pure.

FantasyPros writes `RK, TIERS, PLAYER NAME, TEAM, POS, BYE WEEK` with positions like `WR12`; others
have `Rank, Player, Team, Position, FPTS`. A file without a header is name, position, team, rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.csv_writing import csv_text
from app.core.refusals import Refusal
from app.draft_leagues.name_matching import Known, Matcher, Named
from app.draft_leagues.uploaded_csv import UnreadableNumberError, UploadedRow, read_table

NAMES = ("playername", "player", "name", "fullname", "overall")
TEAMS = ("team", "tm", "nflteam", "teamabbr")
POSITIONS = ("pos", "position")
RANKS = ("rk", "rank", "#", "ecr", "overallrank", "ovr")
POINTS = ("fpts", "projfpts", "projectedpoints", "projection", "proj", "points", "pts", "misc")
IDS = ("gsisid", "playerid", "id")
HEADERLESS = ("name", "position", "team", "rank")
HEADERS = frozenset((*NAMES, *TEAMS, *POSITIONS, *RANKS, *POINTS, *IDS))
EXPORTED = ("RK", "TIERS", "PLAYER NAME", "TEAM", "POS", "BYE WEEK", "FPTS", "ID")


@dataclass(frozen=True)
class Entry:
    """A row of a ranking.

    Attributes:
        line: Its number in the file.
        named: Whom it names.
        rank: Its rank, in thousandths as some files have averages; None for the place in the file.
        points: Projected points of the season in thousandths; None if the file has none.
    """

    line: int
    named: Named
    rank: int | None
    points: int | None


@dataclass(frozen=True)
class MatchedEntry:
    """An entry with the footballer whom it means, or with those who may be meant."""

    entry: Entry
    footballer: Known | None
    suggestions: tuple[Known, ...] = ()


def read_ranking(data: bytes, field: str) -> list[Entry] | Refusal:
    """The entries of a file, best first, or why it cannot be read.

    Without ranks the projected points decide, and without those the order of the file.
    """
    rows = read_table(data, field, HEADERLESS, HEADERS)
    if isinstance(rows, Refusal):
        return rows
    try:
        entries = [_entry(row) for row in rows]
    except UnreadableNumberError as error:
        return Refusal("number", field, str(error))
    entries = [entry for entry in entries if entry.named.name or entry.named.ids]
    if not entries:
        return Refusal(
            "columns",
            field,
            "No column contains names. Name it PLAYER NAME, PLAYER or NAME in the first line.",
        )
    return sorted(entries, key=_order)


def _entry(row: UploadedRow) -> Entry:
    return Entry(
        row.line,
        Named(
            row.text(*NAMES),
            row.text(*POSITIONS),
            row.text(*TEAMS),
            tuple(row.cells[name] for name in IDS if row.cells.get(name)),
        ),
        row.thousandths(*RANKS),
        row.thousandths(*POINTS),
    )


def _order(entry: Entry) -> tuple[bool, int, bool, int, int]:
    """Ranked entries first, then those with points, then by line."""
    return (
        entry.rank is None,
        entry.rank or 0,
        entry.points is None,
        -(entry.points or 0),
        entry.line,
    )


def matched(entries: Iterable[Entry], known: Iterable[Known]) -> list[MatchedEntry]:
    """Whom each entry means; of two that mean the same footballer, the first has them."""
    matcher = Matcher(known)
    taken: set[str] = set()
    matches = []
    for entry in entries:
        match = matcher.match(entry.named)
        if match.footballer is not None and match.footballer.id in taken:
            continue
        if match.footballer is not None:
            taken.add(match.footballer.id)
        matches.append(MatchedEntry(entry, match.footballer, match.suggestions))
    return matches


@dataclass(frozen=True)
class ExportedRow:
    """A footballer of an exported ranking; see EXPORTED. `points`: in thousandths."""

    tier: int
    name: str
    club: str
    position: str
    bye_week: int | None
    points: int
    footballer_id: str


def ranking_csv(rows: Sequence[ExportedRow]) -> str:
    """A ranking as a file that `read_ranking` and FantasyPros' readers take."""
    return csv_text(
        EXPORTED,
        [
            (
                place,
                row.tier,
                row.name,
                row.club,
                row.position,
                row.bye_week or "",
                f"{row.points / 1000:.1f}",
                row.footballer_id,
            )
            for place, row in enumerate(rows, start=1)
        ],
    )


def chosen_order(
    matches: Iterable[tuple[str, int | None]], choices: Mapping[str, str], known: frozenset[str]
) -> tuple[list[str], dict[str, int]]:
    """The order and the projections after a member chose whom the doubtful rows mean.

    Args:
        matches: Of each row in order: the footballer or, if doubtful, its key in `choices`; and the
            projected points.
        choices: The footballer chosen for each doubtful row; a row without one is left out.
        known: Everybody who can be ranked.

    Returns:
        Footballers best first, and projected points in thousandths by footballer.
    """
    points: dict[str, int | None] = {}
    for key, amount in matches:
        footballer = choices.get(key, key)
        if footballer in known:
            points.setdefault(footballer, amount)
    return list(points), {key: amount for key, amount in points.items() if amount is not None}
