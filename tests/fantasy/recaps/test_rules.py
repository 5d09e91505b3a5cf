"""A recap claims only what the gameweek's numbers say."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from app.fantasy.amounts import decimal_points
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.recaps.power import power_ranking
from app.fantasy.recaps.rules import SHORTEST_STREAK, Claim, claims
from app.fantasy.recaps.values import (
    Match,
    PastScore,
    Pick,
    PlayerScore,
    PlayRef,
    TeamWeek,
    Week,
)
from app.fantasy.standings.fixtures import DRAW, LOSS, WIN

FORMAT = FORMATS["nfl-classic"]
STARTERS = len(FORMAT.starters)
GENERATED_WEEKS = 200


def play(number: int) -> PlayRef:
    return PlayRef("g1", number, f"Play {number}.")


def pick(player: str, position: str, points: int, *, has_played: bool = True) -> Pick:
    return Pick(player, player.title(), position, points, 0, has_played)


def total_of(
    team_format: Format, picks: list[Pick], captain: int, vice: int
) -> tuple[int, list[int]]:
    """The rule of automatic substitutes and captains in plain words: total and multipliers.

    A substitute who played comes on for the first starter who did not, if the formation stays
    legal; the captain counts double, the vice-captain if the captain did not play.
    """
    size = len(team_format.starters)
    playing = list(range(size))
    counts = [1] * size + [0] * (len(picks) - size)
    for substitute in range(size, len(picks)):
        if not picks[substitute].has_played:
            continue
        for starter in range(size):
            if starter not in playing or picks[starter].has_played:
                continue
            after = [place for place in playing if place != starter] + [substitute]
            groups = [0] * len(team_format.groups)
            for place in after:
                groups[team_format.group_of(picks[place].position) or 0] += 1
            if team_format.fills(groups):
                playing, counts[starter], counts[substitute] = after, 0, 1
                break
    for armband in (captain, vice):
        if picks[armband - 1].has_played:
            counts[armband - 1] *= 2
            break
    return sum(count * place.points for count, place in zip(counts, picks, strict=True)), counts


def team_of(rng: Random, team_format: Format, member_id: int) -> TeamWeek:
    """A team with random picks; some did not play, many points are equal."""
    picks = [
        pick(
            f"p{member_id}-{place}",
            rng.choice(slot.accepts),
            rng.randrange(-2, 12) * 500 if (has_played := rng.random() < 0.8) else 0,
            has_played=has_played,
        )
        for place, slot in enumerate(team_format.places)
    ]
    captain, vice = rng.sample(range(1, len(team_format.starters) + 1), 2)
    total, counts = total_of(team_format, picks, captain, vice)
    counted = tuple(
        replace(place, multiplier=count) for place, count in zip(picks, counts, strict=True)
    )
    return TeamWeek(member_id, f"Team {member_id}", total, counted, captain, vice)


def week_of(seed: int) -> Week:
    rng = Random(seed)  # noqa: S311 (made-up gameweeks)
    team_format = rng.choice([FORMAT, FORMATS["soccer"]])
    ids = list(range(1, rng.choice((2, 3, 4, 6)) + 1))
    teams = tuple(team_of(rng, team_format, member_id) for member_id in ids)
    matches = tuple(
        Match(home, away, play(home) if rng.random() < 0.7 else None)
        for home, away in zip(ids[::2], ids[1::2], strict=False)
    )
    past = tuple(
        PastScore(member_id, f"Team {member_id}", week, rng.randrange(60) * 1000)
        for week in range(1, rng.randrange(1, 4))
        for member_id in ids
    )
    best = {place.player_id: play(9) for team in teams for place in team.picks if place.points > 0}
    decided = play(5) if rng.random() < 0.7 else None
    return Week(
        "Week 4",
        team_format,
        teams,
        matches,
        decided,
        best,
        past,
        {member_id: rng.choices((WIN, LOSS, DRAW), (4, 4, 1), k=7) for member_id in ids},
        PlayerScore("Past", 2, rng.randrange(4, 12) * 500) if rng.random() < 0.8 else None,
    )


def gains(week: Week) -> list[int]:
    """What every other single choice would have changed for every team, recomputed plainly."""
    size = len(week.team_format.starters)
    changes = []
    for team in week.teams:
        for out in range(size):
            for come_in in range(size, len(team.picks)):
                picks = list(team.picks)
                picks[out], picks[come_in] = picks[come_in], picks[out]
                groups = [0] * len(week.team_format.groups)
                for starter in picks[:size]:
                    groups[week.team_format.group_of(starter.position) or 0] += 1
                if week.team_format.fills(groups):
                    total, _ = total_of(week.team_format, picks, team.captain, team.vice_captain)
                    changes.append(total - team.points)
        for captain in range(1, size + 1):
            vice = team.captain if captain == team.vice_captain else team.vice_captain
            total, _ = total_of(week.team_format, list(team.picks), captain, vice)
            changes.append(total - team.points)
    return changes


def check(claim: Claim, week: Week) -> None:
    """The claim follows from the week by a computation of its own."""
    by_id = {team.member_id: team for team in week.teams}
    named = [by_id[member] for member in claim.member_ids]
    totals = sorted((team.points for team in week.teams), reverse=True)
    for team in named:
        assert team.name in claim.words
    assert claim.figure in claim.words
    if claim.points:
        assert claim.figure == decimal_points(claim.points)
    match claim.kind:
        case "winner":
            assert claim.points == named[0].points == totals[0]
            assert claim.play == week.decided
            assert totals[:2].count(totals[0]) == 1
            if len(named) > 1:
                assert named[1].points == totals[1]
                assert decimal_points(totals[0] - totals[1]) in claim.words
        case "game":
            margins = [
                abs(by_id[match.home].points - by_id[match.away].points) for match in week.matches
            ]
            margin = named[0].points - named[1].points
            assert 0 < margin == min(filter(None, margins))
            pair = {team.member_id for team in named}
            (match,) = [match for match in week.matches if {match.home, match.away} == pair]
            assert claim.play == match.decided
        case "best_decision":
            doubled = [place for team in week.teams for place in team.picks if place.multiplier > 1]
            assert claim.points == max(place.points for place in doubled) > 0
        case "worst_decision":
            changes = gains(week)
            assert claim.points == max(changes) > 0
            assert changes.count(claim.points) == 1
        case "bench":
            benches = {
                team.member_id: sum(place.points for place in team.picks if not place.multiplier)
                for team in week.teams
            }
            assert claim.points == benches[named[0].member_id] == max(benches.values()) > 0
        case "record":
            assert claim.points == totals[0] > max(score.points for score in week.past)
        case "player_record":
            check_player_record(claim, week)
        case "won_streak" | "lost_streak":
            check_streak(claim, week)


def check_player_record(claim: Claim, week: Week) -> None:
    assert week.best_before is not None
    places = [place for team in week.teams for place in team.picks if place.has_played]
    points = {place.player_id: place.points for place in places}
    assert claim.points == max(points.values()) > week.best_before.points
    (player,) = [player for player, number in points.items() if number == claim.points]
    assert player.title() in claim.words
    assert set(claim.member_ids) == {
        team.member_id for team in week.teams if player in [place.player_id for place in team.picks]
    }


def check_streak(claim: Claim, week: Week) -> None:
    match = re.search(r"(\d+) games in a row", claim.words)
    assert match is not None
    result, games = WIN if claim.kind == "won_streak" else LOSS, int(match[1])
    assert games >= SHORTEST_STREAK
    latest = {member: set(results[-games:]) for member, results in week.results.items()}
    assert [member for member in latest if latest[member] == {result}] == list(claim.member_ids)


def test_every_claim_of_generated_weeks_is_true() -> None:
    kinds = set()
    for seed in range(GENERATED_WEEKS):
        week = week_of(seed)
        for claim in claims(week):
            check(claim, week)
            kinds.add(claim.kind)
    assert kinds == {
        "winner",
        "game",
        "best_decision",
        "worst_decision",
        "bench",
        "record",
        "player_record",
        "won_streak",
        "lost_streak",
    }, "the generated weeks lead to every kind of claim"


def test_streaks_and_a_players_record_in_plain_words() -> None:
    sheet = team_of(Random(1), FORMAT, 1)  # noqa: S311 (a made-up team)
    star = replace(sheet.picks[0], name="Star", points=31_500, has_played=True)
    ann = replace(sheet, name="Ann's", picks=(star, *sheet.picks[1:]))
    bob = TeamWeek(2, "Bob's", 9_000, ())
    week = Week(
        "Week 4",
        FORMAT,
        (ann, bob),
        (),
        None,
        {star.player_id: play(7)},
        (),
        {1: (LOSS, WIN, WIN, WIN), 2: (LOSS, LOSS, DRAW)},
        PlayerScore("Past", 2, 31_000),
    )
    by_kind = {claim.kind: claim for claim in claims(week)}
    assert by_kind["won_streak"].words == "Ann's has won 3 games in a row."
    assert "lost_streak" not in by_kind
    assert by_kind["player_record"].words == (
        "Star scored 31.50 for Ann's, the most by any player in this league this season (previous: "
        "Past, 31.00 in Week 2)."
    )
    assert by_kind["player_record"].play == play(7)


def test_teams_level_in_front_are_no_winner() -> None:
    week = replace(
        week_of(1),
        teams=(TeamWeek(1, "Ann's", 9000, ()), TeamWeek(2, "Bob's", 9000, ())),
        matches=(Match(1, 2, None),),
        past=(),
    )
    assert claims(week) == ()


def test_a_week_in_plain_words() -> None:
    ann, bob = TeamWeek(1, "Ann's", 91_240, ()), TeamWeek(2, "Bob's", 90_000, ())
    past = (PastScore(2, "Bob's", 2, 91_000), PastScore(1, "Ann's", 1, 80_000))
    week = Week("Week 3", FORMAT, (ann, bob), (Match(1, 2, play(7)),), play(5), {}, past)
    cards = [(claim.figure, claim.line, claim.words, claim.play) for claim in claims(week)]
    assert cards == [
        (
            "91.24",
            "1.24 ahead of Bob's",
            "Ann's won Week 3 with 91.24 points, 1.24 ahead of Bob's.",
            play(5),
        ),
        (
            "1.24",
            "beat Bob's, 91.24 to 90.00",
            "Ann's beat Bob's by 1.24, 91.24 to 90.00.",
            play(7),
        ),
        (
            "91.24",
            "previous: Bob's, 91.00 in Week 2",
            "Ann's scored 91.24, the most by any team this season (previous: Bob's, 91.00 in "
            "Week 2).",
            play(5),
        ),
    ]


@pytest.mark.parametrize(
    ("weeks", "ranking"),
    [
        ([], []),
        # 80% of the weight of the later gameweek: (0.8 * 10 + 30) / 1.8 and (0.8 * 30 + 10) / 1.8
        ([{1: 10_000, 2: 30_000}, {1: 30_000, 2: 10_000}], [(1, 21_110, 1, 2), (2, 18_890, 2, 1)]),
        # Who joined later is ranked by the gameweeks played.
        ([{1: 10_000}, {1: 10_000, 2: 10_000}], [(1, 10_000, 1, 1), (2, 10_000, 1, None)]),
    ],
)
def test_the_power_ranking(
    weeks: list[dict[int, int]], ranking: list[tuple[int, int, int, int | None]]
) -> None:
    rows = power_ranking(weeks)
    assert [(row.member_id, row.strength, row.rank, row.rank_before) for row in rows] == ranking
