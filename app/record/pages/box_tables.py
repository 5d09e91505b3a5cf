"""The tables of players in a box score: their columns, and which players are in which. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Stats = Mapping[str, int]
Cell = Callable[[Stats], str]


def _count(*stats: str) -> Cell:
    return lambda line: str(sum(line.get(stat, 0) for stat in stats))


def _of(successes: str, attempts: str) -> Cell:
    return lambda line: f"{line.get(successes, 0)}/{line.get(attempts, 0)}"


def average(amount: int, count: int) -> str:
    """The average with one decimal, halves rounded away from zero; `0.0` if the count is 0.

    >>> average(31, 8), average(-5, 2), average(7, 0)
    ('3.9', '-2.5', '0.0')
    """
    if not count:
        return "0.0"
    tenths = (abs(amount) * 20 + count) // (2 * count)
    return f"{'-' if amount < 0 and tenths else ''}{tenths // 10}.{tenths % 10}"


def halves(count: int) -> str:
    """A count of half sacks as sacks.

    >>> halves(3), halves(4)
    ('1.5', '2')
    """
    return f"{count // 2}.5" if count % 2 else str(count // 2)


# Title, the statistics that put a player in the table, columns (abbreviation, meaning, cell), and
# the statistics that order the rows.
TableSpec = tuple[str, tuple[str, ...], tuple[tuple[str, str, Cell], ...], tuple[str, ...]]

TABLES: tuple[TableSpec, ...] = (
    (
        "Passing",
        ("attempts", "sacks_suffered", "passing_2pt"),
        (
            ("C/A", "completions and attempts", _of("completions", "attempts")),
            ("YDS", "passing yards", _count("passing_yards")),
            ("TD", "touchdowns", _count("passing_tds")),
            ("INT", "interceptions", _count("passing_interceptions")),
            ("LG", "longest gain", _count("passing_long")),
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
            (
                "AVG",
                "yards per carry",
                lambda line: average(line.get("rushing_yards", 0), line.get("carries", 0)),
            ),
            ("TD", "touchdowns", _count("rushing_tds")),
            ("LG", "longest run", _count("rushing_long")),
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
            ("LG", "longest catch and run", _count("receiving_long")),
        ),
        ("receiving_yards", "receptions"),
    ),
    (
        "Fumbles",
        ("fumbles", "fumbles_recovered_own", "fumbles_recovered_opp", "fumble_recovery_tds"),
        (
            ("FUM", "fumbles", _count("fumbles")),
            ("LOST", "fumbles lost", _count("fumbles_lost")),
            ("REC", "fumbles recovered", _count("fumbles_recovered_own", "fumbles_recovered_opp")),
            ("YDS", "return yards", _count("fumble_return_yards")),
            ("TD", "fumble recovery touchdowns", _count("fumble_recovery_tds")),
        ),
        ("fumbles",),
    ),
    (
        "Defense",
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
            "def_tds",
        ),
        (
            (
                "SOLO",
                "solo tackles, including those with help",
                _count("tackles_solo", "tackles_with_assist"),
            ),
            ("AST", "assisted tackles", _count("tackle_assists")),
            ("TOT", "tackles, solo and assisted", _count("tackles_solo", "tackles_assist")),
            ("SCK", "sacks", lambda line: halves(line.get("half_sacks", 0))),
            ("TFL", "tackles for loss", _count("tackles_for_loss")),
            ("QH", "quarterback hits", _count("qb_hits")),
            ("PD", "passes defended", _count("passes_defended")),
            ("FF", "fumbles forced", _count("fumbles_forced")),
            ("BLK", "kicks blocked", _count("kicks_blocked")),
            ("TD", "defensive touchdowns", _count("def_tds")),
        ),
        ("tackles_solo", "tackles_assist", "half_sacks"),
    ),
    (
        "Interceptions",
        ("interceptions_made", "interception_return_yards"),
        (
            ("INT", "interceptions", _count("interceptions_made")),
            ("YDS", "return yards", _count("interception_return_yards")),
            ("LG", "longest return", _count("interception_return_long")),
        ),
        ("interceptions_made", "interception_return_yards"),
    ),
    (
        "Kicking",
        ("fg_att", "pat_att"),
        (
            ("FG", "field goals made and attempted", _of("fg_made", "fg_att")),
            ("LG", "longest field goal", _count("fg_long")),
            ("XP", "extra points made and attempted", _of("pat_made", "pat_att")),
            (
                "PTS",
                "points",
                lambda line: str(3 * line.get("fg_made", 0) + line.get("pat_made", 0)),
            ),
        ),
        ("fg_made", "pat_made"),
    ),
    (
        "Punting",
        ("punts",),
        (
            ("NO", "punts", _count("punts")),
            ("YDS", "yards", _count("punt_yards")),
            (
                "AVG",
                "yards per punt",
                lambda line: average(line.get("punt_yards", 0), line.get("punts", 0)),
            ),
            ("TB", "touchbacks", _count("punt_touchbacks")),
            ("I20", "punts inside the 20", _count("punts_inside_20")),
            ("LG", "longest punt", _count("punt_long")),
        ),
        ("punt_yards",),
    ),
    (
        "Kickoffs",
        ("kickoffs",),
        (
            ("NO", "kickoffs", _count("kickoffs")),
            ("TB", "touchbacks", _count("kickoff_touchbacks")),
            ("OB", "kickoffs out of bounds", _count("kickoffs_out_of_bounds")),
        ),
        ("kickoffs",),
    ),
    (
        "Returns",
        (
            "kickoff_returns",
            "punt_returns",
            "kickoff_return_yards",
            "punt_return_yards",
            "special_teams_tds",
        ),
        (
            ("KR", "kickoff returns", _count("kickoff_returns")),
            ("YDS", "kickoff return yards", _count("kickoff_return_yards")),
            ("LG", "longest kickoff return", _count("kickoff_return_long")),
            ("PR", "punt returns", _count("punt_returns")),
            ("YDS", "punt return yards", _count("punt_return_yards")),
            ("LG", "longest punt return", _count("punt_return_long")),
            ("TD", "touchdowns", _count("special_teams_tds")),
        ),
        ("kickoff_return_yards", "punt_return_yards"),
    ),
)
