"""A game as the XML that college statistics software exchanges. Pure.

The root is `fbgame`, as in StatCrew's TAS. There is no public specification: the elements and
attributes are those that a file of TAS Football 4.20 and two public readers of such files agree on
(docs/exports.md names them). A sack counts as the competition's rulebook says; `sackrush="Y"` in
`rules` marks competitions in which it is a rush, such as college and high school football.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from xml.etree import ElementTree as ET

from app.record.asof import valid_events
from app.record.pages.box_tables import average
from app.record.pages.reading import Reading
from app.record.play_sentence import play_sentences
from app.record.queries import ClubRow, DetailsRow, GameRow
from app.record.rules.box_statistics import by_club, kicking_lines, red_zone, returns_and_longs
from app.record.rules.club_figures import charged
from app.record.rules.downs import FirstDowns, downs, first_downs
from app.record.rules.drives import Drive, Snapped, drives, snapped, time_of_possession
from app.record.rules.football.rulebook import Rulebook, rulebook_of
from app.record.rules.score_details import score_times
from app.record.rules.stat_lines import game_credits
from app.record.rules.state import OVER, scoring_plays
from app.record.words import GOAL_LINE, MIDFIELD, clock_words, stadium_time

# Each element with its attributes, and the statistics that add up to each attribute. A player
# has an element if one of its attributes is not 0.
_GROUPS: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        "rush",
        (
            ("att", ("carries",)),
            ("yds", ("rushing_yards",)),
            ("td", ("rushing_tds",)),
            ("long", ("rushing_long",)),
        ),
    ),
    (
        "pass",
        (
            ("comp", ("completions",)),
            ("att", ("attempts",)),
            ("int", ("passing_interceptions",)),
            ("yds", ("passing_yards",)),
            ("td", ("passing_tds",)),
            ("long", ("passing_long",)),
            ("sacks", ("sacks_suffered",)),
            ("sackyds", ("sack_yards_lost",)),
        ),
    ),
    (
        "rcv",
        (
            ("no", ("receptions",)),
            ("yds", ("receiving_yards",)),
            ("td", ("receiving_tds",)),
            ("long", ("receiving_long",)),
        ),
    ),
    (
        "punt",
        (
            ("no", ("punts",)),
            ("yds", ("punt_yards",)),
            ("long", ("punt_long",)),
            ("tb", ("punt_touchbacks",)),
            ("inside20", ("punts_inside_20",)),
        ),
    ),
    (
        "fg",
        (
            ("made", ("fg_made",)),
            ("att", ("fg_att",)),
            ("long", ("fg_long",)),
            ("blkd", ("fg_blocked",)),
        ),
    ),
    ("pat", (("kickatt", ("pat_att",)), ("kickmade", ("pat_made",)))),
    (
        "defense",
        (
            ("tackua", ("tackles_solo",)),
            ("tacka", ("tackles_with_assist", "tackle_assists")),
            ("tot_tack", ("tackles_solo", "tackles_with_assist", "tackle_assists")),
            ("brup", ("passes_defended",)),
            ("qbh", ("qb_hits",)),
            ("ff", ("fumbles_forced",)),
            ("fr", ("fumbles_recovered_opp",)),
            ("int", ("interceptions_made",)),
            ("intyds", ("interception_return_yards",)),
            ("blkd", ("kicks_blocked",)),
        ),
    ),
    (
        "kr",
        (
            ("no", ("kickoff_returns",)),
            ("yds", ("kickoff_return_yards",)),
            ("long", ("kickoff_return_long",)),
        ),
    ),
    (
        "pr",
        (
            ("no", ("punt_returns",)),
            ("yds", ("punt_return_yards",)),
            ("long", ("punt_return_long",)),
        ),
    ),
    (
        "ir",
        (
            ("no", ("interceptions_made",)),
            ("yds", ("interception_return_yards",)),
            ("long", ("interception_return_long",)),
        ),
    ),
    ("fumbles", (("no", ("fumbles",)), ("lost", ("fumbles_lost",)))),
)
_TYPES = {"touchdown": "TD", "field_goal": "FG", "safety": "SAF"}
# Characters that XML 1.0 does not allow.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def college_xml(reading: Reading, jerseys: Mapping[str, int | None], now: datetime) -> str:
    """The game as an XML document.

    `jerseys`: numbers by footballer; without one the attribute `uni` is left out.
    """
    game = reading.game
    book = rulebook_of(game)
    plays = snapped(valid_events(reading.events))
    series = drives(plays, is_over=game.status in OVER)
    root = _element(None, "fbgame", source="Pressbox", version="1", generated=_day(now))
    _venue(root, game, book, reading.details)
    lines = {
        player: (club, Counter(charged(stats, book)))
        for player, (club, stats) in _lines(reading, plays).items()
    }
    for side, club in (("V", game.away), ("H", game.home)):
        team = _team(root, side, club, game)
        _totals(team, club.id, reading, plays, series)
        of_club = {player: stats for player, (of, stats) in lines.items() if of == club.id}
        _players(team, of_club, reading.names, jerseys)
    _scores(root, reading)
    _drives(root, game, series)
    _plays(root, reading, plays)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _element(parent: ET.Element | None, tag: str, /, **attributes: object) -> ET.Element:
    plain = {key.rstrip("_"): _ILLEGAL.sub("", str(value)) for key, value in attributes.items()}
    return ET.Element(tag, plain) if parent is None else ET.SubElement(parent, tag, plain)


def _day(moment: datetime) -> str:
    return f"{moment.month}/{moment.day}/{moment.year}"


def _venue(root: ET.Element, game: GameRow, book: Rulebook, details: DetailsRow) -> None:
    optional = {
        "stadium": details.stadium,
        "end": details.ended,
        "weather": details.weather,
        "attend": "" if details.attendance is None else str(details.attendance),
    }
    venue = _element(
        root,
        "venue",
        gameid=game.id,
        visid=game.away.id,
        homeid=game.home.id,
        visname=game.away.name,
        homename=game.home.name,
        date=_day(stadium_time(game.kickoff, game.time_zone)),
        start=details.started or f"{stadium_time(game.kickoff, game.time_zone):%H:%M %Z}",
        **{name: words for name, words in optional.items() if words},
    )
    _element(
        venue,
        "rules",
        qtrs=4,
        mins=book.period // 60,
        downs=4,
        yds=10,
        kospot=book.kickoff,
        tbspot=book.touchback,
        kotbspot=book.kickoff_touchback,
        safspot=book.free_kick,
        td=6,
        fg=3,
        pat=1,
        patx=2,
        saf=2,
        field=100,
        toh=book.timeouts,
        sackrush="Y" if book.sacks_rush else "N",
        netpunttb="Y",
    )


def _lines(reading: Reading, plays: Sequence[Snapped]) -> dict[str, tuple[str, Counter[str]]]:
    """Each player's club and complete statistics."""
    lines = {player: (club, Counter(stats)) for player, club, stats in reading.lines}
    for of_plays in (kicking_lines(plays), returns_and_longs(plays)):
        for (player, club), stats in of_plays.items():
            lines.setdefault(player, (club, Counter()))[1].update(stats)
    return lines


def _groups(parent: ET.Element, stats: Mapping[str, int]) -> None:
    for name, attributes in _GROUPS:
        values = {key: sum(stats.get(stat, 0) for stat in of) for key, of in attributes}
        if any(values.values()):
            _element(parent, name, **values)


def _team(root: ET.Element, side: str, club: ClubRow, game: GameRow) -> ET.Element:
    team = _element(root, "team", vh=side, id=club.id, name=club.name)
    by_period = game.state.get("home_by_period" if side == "H" else "away_by_period") or ()
    score = (game.home_score if side == "H" else game.away_score) or 0
    line = _element(
        team, "linescore", prds=len(by_period), line=",".join(map(str, by_period)), score=score
    )
    for number, points in enumerate(by_period, start=1):
        _element(line, "lineprd", prd=number, score=points)
    return team


def _players(
    team: ET.Element,
    lines: Mapping[str, Mapping[str, int]],
    names: Mapping[str, str],
    jerseys: Mapping[str, int | None],
) -> None:
    for player, stats in sorted(lines.items()):
        name = names.get(player, player)
        jersey = jerseys.get(player)
        uni = {} if jersey is None else {"uni": jersey}
        _groups(_element(team, "player", name=name, shortname=name, gp=1, **uni), stats)


def _totals(
    team: ET.Element,
    club: str,
    reading: Reading,
    plays: Sequence[Snapped],
    series: Sequence[Drive],
) -> None:
    sums: Counter[str] = Counter()
    for credit in game_credits(valid_events(reading.events)):
        if credit.team == club:
            sums[credit.stat] += credit.amount
    of_plays = by_club(plays).get(club, Counter())
    sums.update(
        {
            stat: amount
            for stat, amount in of_plays.items()
            if stat.endswith("_long") or stat in _OF_PLAYS
        }
    )
    yards = sums["passing_yards"] - sums["sack_yards_lost"] + sums["rushing_yards"]
    count = sums["attempts"] + sums["sacks_suffered"] + sums["carries"]
    book = rulebook_of(reading.game)
    sums = Counter(charged(sums, book))
    totals = _element(
        team, "totals", totoff_plays=count, totoff_yards=yards, totoff_avg=average(yards, count)
    )
    firsts: FirstDowns = first_downs(plays, club)
    total = firsts.rush + firsts.passed + firsts.penalty
    _element(
        totals,
        "firstdowns",
        no=total,
        rush=firsts.rush,
        pass_=firsts.passed,
        penalty=firsts.penalty,
    )
    conversions = downs(plays, club)
    _element(
        totals,
        "conversions",
        thirdconv=conversions.third_made,
        thirdatt=conversions.third_tried,
        fourthconv=conversions.fourth_made,
        fourthatt=conversions.fourth_tried,
    )
    game = reading.game
    possession = time_of_possession(
        plays,
        (game.away.id, game.home.id),
        is_over=game.status in OVER,
        quarter_seconds=book.period,
        overtime_seconds=book.overtime,
    )
    _element(totals, "misc", top=clock_words(possession[club]))
    chances = red_zone(series, plays, club)
    _element(
        totals,
        "redzone",
        att=chances.drives,
        scores=chances.touchdowns + chances.field_goals,
        fgmade=chances.field_goals,
    )
    _groups(totals, sums)


# Statistics that only the plays have, not the credits.
_OF_PLAYS = frozenset(
    (
        "punts",
        "punt_yards",
        "punts_inside_20",
        "punt_touchbacks",
        "punt_return_yards",
        "kickoff_return_yards",
        "interception_return_yards",
    )
)


def _scores(root: ET.Element, reading: Reading) -> None:
    game, names = reading.game, reading.names
    scores = _element(root, "scores")
    away = home = 0
    events = valid_events(reading.events)
    plays = scoring_plays(events)
    times = score_times(events, plays)
    for play in plays:
        away += play.points if play.team == game.away.id else 0
        home += play.points if play.team == game.home.id else 0
        if play.kind not in _TYPES:
            if len(scores):  # a try is part of its touchdown, which has the score after it
                scores[-1].set("vscore", str(away))
                scores[-1].set("hscore", str(home))
            continue
        time = times[play.event_number]
        passer = (
            {}
            if play.passer is None
            else {"how": "PASS", "passer": names.get(play.passer, play.passer)}
        )
        scorer = {} if play.player is None else {"scorer": names.get(play.player, play.player)}
        _element(
            scores,
            "score",
            vh="H" if play.team == game.home.id else "V",
            team=play.team,
            qtr=play.period,
            **({} if time is None else {"clock": clock_words(time)}),
            type=_TYPES[play.kind],
            vscore=away,
            hscore=home,
            **scorer,
            **passer,
        )


def _drives(root: ET.Element, game: GameRow, series: Sequence[Drive]) -> None:
    drives = _element(root, "drives")
    for drive in series:
        _element(
            drives,
            "drive",
            vh="H" if drive.club == game.home.id else "V",
            team=drive.club,
            plays=drive.plays,
            yards=drive.yards,
            top=clock_words(drive.seconds),
            start_qtr=drive.period,
            start_time=clock_words(drive.clock),
            start_spot=_spot(game, drive.club, drive.start_yard),
            end_spot=_spot(game, drive.club, drive.end_yard),
            driveindex=drive.number,
        )


def _plays(root: ET.Element, reading: Reading, plays: Sequence[Snapped]) -> None:
    game = reading.game
    listed = _element(root, "plays", format="summary")
    clubs = (game.home.id, game.away.id)
    period: ET.Element | None = None
    for play in plays:
        snap = play.snap
        if period is None or period.get("number") != str(snap.period):
            period = _element(listed, "qtr", number=snap.period)
        down = {} if snap.down is None else {"down": snap.down, "togo": snap.distance or 0}
        text = " ".join(play_sentences([play.snap, *play.bodies], reading.names, clubs))
        where = _spot(game, snap.possession, snap.spot)
        clock = clock_words(snap.clock)
        _element(
            period, "play", hasball=snap.possession, **down, spot=where, clock=clock, text=text
        )


def _spot(game: GameRow, club: str, yard: int) -> str:
    """A spot by the half that it is in, like `DEN08`; midfield is in the half of `club`."""
    other = game.away.id if club == game.home.id else game.home.id
    return f"{club}{yard:02}" if yard <= MIDFIELD else f"{other}{GOAL_LINE - yard:02}"
