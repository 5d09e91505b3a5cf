"""The box score of a game as values: tables of each club's players, club totals, the scoring summary. Pure.

Numbers of players come from stat lines; punts and the yards of returns, which no stat line holds, from the events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.queries import ClubRow, GameRow
from app.record.rules.drives import Snapped, downs, snapped, time_of_possession
from app.record.rules.stat_lines import Numbered, credits
from app.record.rules.state import ScoringPlay, scoring_plays
from app.record.words import UNNAMED, clock_words, period_words

Stats = Mapping[str, int]
Lines = Sequence[tuple[str, str, dict[str, int]]]


@dataclass(frozen=True)
class PlayerRow:
    player_id: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One part of a club's box score. `columns`: abbreviation and what it means; `rows` may be empty."""

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[PlayerRow, ...]


@dataclass(frozen=True)
class ClubBoxScore:
    club: ClubRow
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Total:
    label: str
    away: str
    home: str


@dataclass(frozen=True)
class Score:
    """A scoring play and the score after it."""

    club_id: str
    clock: str
    words: str
    away: int
    home: int
    play_number: int


@dataclass(frozen=True)
class BoxScore:
    """Away club first, as everywhere."""

    clubs: tuple[ClubBoxScore, ...]
    totals: tuple[Total, ...]
    scores: tuple[Score, ...]


Cell = Callable[[Stats], str]


def _count(*stats: str) -> Cell:
    return lambda line: str(sum(line.get(stat, 0) for stat in stats))


def _of(made: str, tried: str) -> Cell:
    return lambda line: f"{line.get(made, 0)}/{line.get(tried, 0)}"


def average(amount: int, count: int) -> str:
    """One decimal, halves rounded up away from zero; `0.0` of nothing.

    >>> average(31, 8), average(-5, 2), average(7, 0)
    ('3.9', '-2.5', '0.0')
    """
    if not count:
        return "0.0"
    tenths = (abs(amount) * 20 + count) // (2 * count)
    return f"{'-' if amount < 0 and tenths else ''}{tenths // 10}.{tenths % 10}"


def halves(count: int) -> str:
    """Sacks as people write them.

    >>> halves(3), halves(4)
    ('1.5', '2')
    """
    return f"{count // 2}.5" if count % 2 else str(count // 2)


# Title, the statistics that bring a player in, columns (abbreviation, meaning, cell), what the rows are ordered by.
_TABLES: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str, Cell], ...], tuple[str, ...]], ...] = (
    (
        "Passing",
        ("attempts", "sacks_suffered", "passing_2pt"),
        (
            ("C/A", "completions and attempts", _of("completions", "attempts")),
            ("YDS", "passing yards", _count("passing_yards")),
            ("TD", "touchdowns", _count("passing_tds")),
            ("INT", "interceptions", _count("passing_interceptions")),
            (
                "SK",
                "times sacked and yards lost",
                lambda line: f"{line.get('sacks_suffered', 0)}-{line.get('sack_yards_lost', 0)}",
            ),
        ),
        ("passing_yards",),
    ),
    (
        "Rushing",
        ("carries", "rushing_yards", "rushing_2pt"),
        (
            ("CAR", "carries", _count("carries")),
            ("YDS", "rushing yards", _count("rushing_yards")),
            ("AVG", "yards a carry", lambda line: average(line.get("rushing_yards", 0), line.get("carries", 0))),
            ("TD", "touchdowns", _count("rushing_tds")),
        ),
        ("rushing_yards",),
    ),
    (
        "Receiving",
        ("targets", "receiving_yards", "receiving_2pt"),
        (
            ("REC", "catches", _count("receptions")),
            ("TGT", "targets", _count("targets")),
            ("YDS", "receiving yards", _count("receiving_yards")),
            ("TD", "touchdowns", _count("receiving_tds")),
        ),
        ("receiving_yards", "receptions"),
    ),
    (
        "Fumbles",
        ("fumbles", "fumbles_recovered_own", "fumbles_recovered_opp"),
        (
            ("FUM", "fumbles", _count("fumbles")),
            ("LOST", "fumbles lost", _count("fumbles_lost")),
            ("REC", "fumbles recovered", _count("fumbles_recovered_own", "fumbles_recovered_opp")),
        ),
        ("fumbles",),
    ),
    (
        "Defence",
        (
            "tackles_solo",
            "tackles_assist",
            "half_sacks",
            "interceptions_made",
            "passes_defended",
            "fumbles_forced",
            "qb_hits",
            "tackles_for_loss",
            "safeties",
            "kicks_blocked",
        ),
        (
            ("SOLO", "solo tackles, those with help included", _count("tackles_solo", "tackles_with_assist")),
            ("AST", "assisted tackles", _count("tackle_assists")),
            ("SCK", "sacks", lambda line: halves(line.get("half_sacks", 0))),
            ("INT", "interceptions", _count("interceptions_made")),
            ("PD", "passes defended", _count("passes_defended")),
            ("FF", "fumbles forced", _count("fumbles_forced")),
        ),
        ("tackles_solo", "tackles_assist", "half_sacks"),
    ),
    (
        "Kicking",
        ("fg_att", "pat_att"),
        (
            ("FG", "field goals made and tried", _of("fg_made", "fg_att")),
            ("XP", "extra points made and tried", _of("pat_made", "pat_att")),
            ("PTS", "points", lambda line: str(3 * line.get("fg_made", 0) + line.get("pat_made", 0))),
        ),
        ("fg_made", "pat_made"),
    ),
    (
        "Punting",
        ("punts",),
        (
            ("NO", "punts", _count("punts")),
            ("YDS", "yards", _count("punt_yards")),
            ("AVG", "yards a punt", lambda line: average(line.get("punt_yards", 0), line.get("punts", 0))),
        ),
        ("punt_yards",),
    ),
    (
        "Returns",
        ("kickoff_returns", "punt_returns", "kickoff_return_yards", "punt_return_yards"),
        (
            ("KR", "kickoff returns", _count("kickoff_returns")),
            ("YDS", "yards of kickoff returns", _count("kickoff_return_yards")),
            ("PR", "punt returns", _count("punt_returns")),
            ("YDS", "yards of punt returns", _count("punt_return_yards")),
            ("TD", "touchdowns", _count("special_teams_tds")),
        ),
        ("kickoff_return_yards", "punt_return_yards"),
    ),
)


def box_score(game: GameRow, events: Sequence[Numbered], lines: Lines, names: Mapping[str, str]) -> BoxScore:
    """The box score of these valid events. Players by their main figure, the most first, then by id."""
    plays = snapped(events)
    kicked = kicking_lines(plays)
    whole = {player: (club, stats | kicked.pop((player, club), {})) for player, club, stats in lines}
    for (player, club), stats in kicked.items():
        whole.setdefault(player, (club, dict(stats)))
    clubs = (game.away, game.home)
    return BoxScore(
        clubs=tuple(
            ClubBoxScore(club, tuple(_table(spec, club.id, whole, names) for spec in _TABLES)) for club in clubs
        ),
        totals=_totals(game, events, plays),
        scores=_scores(game, scoring_plays(events), names),
    )


def _table(
    spec: tuple[str, tuple[str, ...], tuple[tuple[str, str, Cell], ...], tuple[str, ...]],
    club: str,
    lines: Mapping[str, tuple[str, Stats]],
    names: Mapping[str, str],
) -> Table:
    title, triggers, columns, order = spec
    of_club = [
        (player, stats)
        for player, (team, stats) in lines.items()
        if team == club and any(stats.get(trigger) for trigger in triggers)
    ]
    of_club.sort(key=lambda one: (-sum(one[1].get(stat, 0) for stat in order), one[0]))
    return Table(
        title,
        tuple((short, meaning) for short, meaning, _ in columns),
        tuple(
            PlayerRow(player, names.get(player, player), tuple(cell(stats) for _, _, cell in columns))
            for player, stats in of_club
        ),
    )


def kicking_lines(plays: Sequence[Snapped]) -> dict[tuple[str, str], dict[str, int]]:
    """Punts and return yards by player and club: `punts`, `punt_yards`, `punt_return_yards`, `kickoff_return_yards`."""
    found: dict[tuple[str, str], Counter[str]] = {}

    def add(player: str | None, club: str, stat: str, amount: int) -> None:
        if player is not None:
            found.setdefault((player, club), Counter())[stat] += amount

    for play in plays:
        stat = ""
        for body in play.bodies:
            match body:
                case ev.Kick():
                    kinds = {"punt": "punt", "kickoff": "kickoff", "onside": "kickoff", "free_kick": "kickoff"}
                    stat = kinds.get(body.kind, "")
                    if body.kind == "punt" and body.result != "aborted":
                        add(body.kicker, body.team, "punts", 1)
                        add(body.kicker, body.team, "punt_yards", body.distance or 0)
                case ev.Fumble() | ev.Recovery() | ev.Interception() | ev.Pass() | ev.Sack():
                    stat = ""
                case ev.Run(kind="return" | "after_lateral") if stat:
                    add(body.player, body.team, f"{stat}_return_yards", body.end_yard - body.start_yard)
    return {who: dict(stats) for who, stats in found.items()}


def _totals(game: GameRow, events: Sequence[Numbered], plays: Sequence[Snapped]) -> tuple[Total, ...]:
    clubs = (game.away.id, game.home.id)
    over = game.status in ("ended", "final")
    sums = {club: Counter[str]() for club in clubs}
    for credit in credits(events):
        if credit.team in sums:
            sums[credit.team][credit.stat] += credit.amount
    flags = {club: [0, 0] for club in clubs}
    for _, _, body in events:
        if isinstance(body, ev.Penalty) and body.status == "accepted" and body.team in flags:
            flags[body.team][0] += 1
            flags[body.team][1] += body.yards
    held = time_of_possession(plays, clubs, over=over)
    made = {club: downs(plays, club) for club in clubs}

    def net_passing(club: str) -> int:
        return sums[club]["passing_yards"] - sums[club]["sack_yards_lost"]

    rows: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("First downs", lambda club: str(made[club].first_downs)),
        ("Third downs", lambda club: f"{made[club].third_made}/{made[club].third_tried}"),
        ("Fourth downs", lambda club: f"{made[club].fourth_made}/{made[club].fourth_tried}"),
        ("Total yards", lambda club: str(net_passing(club) + sums[club]["rushing_yards"])),
        ("Passing yards, net", lambda club: str(net_passing(club))),
        ("Rushing yards", lambda club: str(sums[club]["rushing_yards"])),
        ("Sacked, yards lost", lambda club: f"{sums[club]['sacks_suffered']}-{sums[club]['sack_yards_lost']}"),
        ("Turnovers", lambda club: str(sums[club]["passing_interceptions"] + sums[club]["fumbles_lost"])),
        ("Penalties, yards", lambda club: f"{flags[club][0]}-{flags[club][1]}"),
        ("Time of possession", lambda club: clock_words(held[club])),
    )
    return tuple(Total(label, cell(clubs[0]), cell(clubs[1])) for label, cell in rows)


def _scores(game: GameRow, plays: Sequence[ScoringPlay], names: Mapping[str, str]) -> tuple[Score, ...]:
    away = home = 0
    found = []
    for play in plays:
        away += play.points if play.team == game.away.id else 0
        home += play.points if play.team == game.home.id else 0
        clock = f"{period_words(play.period)} {clock_words(play.clock)}"
        found.append(Score(play.team, clock, _scored(play, names), away, home, play.play_number))
    return tuple(found)


_KINDS = {
    "touchdown": "Touchdown",
    "extra_point": "Extra point",
    "two_point": "Two points",
    "defensive_two_point": "Two points for the defence",
    "field_goal": "Field goal",
    "safety": "Safety",
}


def _scored(play: ScoringPlay, names: Mapping[str, str]) -> str:
    player = UNNAMED if play.player is None else names.get(play.player, play.player)
    thrown = play.passer is not None and play.kind in ("touchdown", "two_point")
    by = f", pass from {names.get(play.passer or '', play.passer)}" if thrown else ""
    if play.kind == "safety" and play.player is None:
        return "Safety"
    return f"{_KINDS[play.kind]}: {player}{by}"
