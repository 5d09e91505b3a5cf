"""What members read, sentence by sentence."""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.draft_leagues.drafts import words as drafts
from app.draft_leagues.keepers import words as keepers
from app.draft_leagues.roster_acts import words as cuts
from app.draft_leagues.season import words as season
from app.draft_leagues.trades import words as trades
from app.draft_leagues.waivers import words as waivers
from app.fantasy.notices import words
from app.fantasy.notices.words import Corrected, Match, Moved, Result, TeamDeadline, Words

APP = Path(__file__).parents[3] / "app"
LEAGUE = "The Press Row"
TITLE = 45  # characters of a title that a phone's lock screen shows
RESULT = Result(92_400, 250_100, 3, 12, Match("Bob FC", 92_400, 80_000))
ARGUMENTS: dict[str, Any] = {
    "league": LEAGUE,
    "leagues": [LEAGUE, "Pub"],
    "old": LEAGUE,
    "new": "The Newsroom",
    "gameweek": "Week 13",
    "team_deadline": TeamDeadline(
        [LEAGUE, "Pub"], "Week 13", datetime(2026, 12, 4, 1, 15, tzinfo=UTC), "America/New_York"
    ),
    "starts_at": datetime(2026, 9, 5, 23, 30, tzinfo=UTC),
    "deadline": datetime(2026, 9, 5, 23, 30, tzinfo=UTC),
    "time_zone": "America/New_York",
    "state": "saved",
    "settled": RESULT,
    "corrected": Corrected(LEAGUE, Moved(92_400, 86_400, 2, 4), ["A fumble."]),
    "old_rules": "Half PPR",
    "new_rules": "PPR",
    "reason": "A typo.",
    "moved": Moved(50_000, 47_500, 1, 2),
    "points": -12_250,
    "what": "Ann FC gets Kupp.",
    "by": "Ann Marsh",
    "service": "Discord",
    "franchise": 12,
    "team": "Rushing Roulette",
    "old_team": "Bob FC",
    "teams": ["Ann FC", "Bob FC"],
    "opponent": "Rushing Roulette",
    "pick": "Pick 2.05",
    "footballer": "Sam Hill",
    "before": "Bob FC",
    "after": "Ann FC",
    "names": ["Sam Hill"],
    "season": "2027",
    "keepers": ["Sam Hill"],
    "left_out": [],
    "outcomes": [],
    "review": "The commissioner can stop it.",
}
# Notices between people, and of what belongs to no league.
OF_NO_LEAGUE = {words.friend_asked, words.friend_accepted}
NOTICES = [
    function
    for module in (words, cuts, drafts, keepers, season, trades, waivers)
    for _, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
    and function.__annotations__["return"] == "Words"
    and function not in OF_NO_LEAGUE
]


@pytest.mark.parametrize(
    "notice", NOTICES, ids=[f"{each.__module__}.{each.__name__}" for each in NOTICES]
)
def test_a_notice_names_its_league_where_a_phone_shows_it(notice: Callable[..., Words]) -> None:
    parameters = inspect.signature(notice).parameters.values()
    for is_so in (True, False):
        text = notice(
            **{
                each.name: is_so
                if each.annotation == "bool"
                else "Ann FC and Bob FC"
                if (each.name, each.annotation) == ("teams", "str")
                else ARGUMENTS[each.name]
                for each in parameters
                if each.annotation == "bool" or each.name in ARGUMENTS
            }
        )
        assert LEAGUE in text.title[:TITLE], text.title


def test_a_notice_that_is_worded_elsewhere_names_its_league_first() -> None:
    """Calls of `Words` outside of the modules whose functions the test above tries out."""
    tried_out = {Path(inspect.getfile(notice)) for notice in NOTICES}
    titles = [
        (path.name, ast.unparse(call.args[0]))
        for path in APP.rglob("*.py")
        if path not in tried_out
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("Words", "words.Words")
    ]
    assert titles
    unnamed = [each for each in titles if "{isolated(league.name)}: " not in each[1]]
    assert unnamed == []


def test_the_examples_in_the_docstrings_hold() -> None:
    results = doctest.testmod(words)
    assert (results.failed, results.attempted > 0) == (0, True)


def test_a_correction_says_old_and_new_the_difference_the_ranks_and_why() -> None:
    ruling = "Replay review: the pass to Sam Hill was incomplete."
    notice = words.correction(
        "Week 3", Corrected("The Press Row", Moved(92_400, 86_400, 2, 4), [ruling])
    )
    assert notice.title == "Stat correction in The Press Row: -6.00 in Week 3"
    assert notice.body == (
        "Week 3 went from 92.40 to 86.40 points (-6.00). You moved from 2nd to 4th. "
        "Why: Replay review: the pass to Sam Hill was incomplete."
    )
    assert notice.delta == -6000


def test_a_correction_that_moved_nobody_says_that_they_stay() -> None:
    notice = words.correction(
        "Week 1", Corrected("Row", Moved(10_000, 10_500, 3, 3), ["One yard more"])
    )
    assert (
        notice.body
        == "Week 1 went from 10.00 to 10.50 points (+0.50). You are still 3rd. Why: One yard more."
    )


def test_another_members_correction_that_turned_my_match_has_both_scores() -> None:
    match = (Match("Team Bob", 80_000, 78_000), Match("Team Bob", 80_000, 84_000))
    notice = words.correction(
        "Week 1",
        Corrected("Row", Moved(80_000, 80_000, 1, 2), ["A touchdown was given."], match),
    )
    assert notice.title == "Stat correction in Row, Week 1"
    assert notice.body == (
        "You lost to Team Bob, 80.00 to 84.00. Previously 80.00 to 78.00. You moved from 1st to "
        "2nd. Why: A touchdown was given."
    )
    assert notice.delta is None


def test_a_match_whose_outcome_stayed_is_left_out_of_a_correction_of_points() -> None:
    match = (Match("Team Bob", 80_000, 60_000), Match("Team Bob", 81_000, 60_000))
    notice = words.correction(
        "Week 1", Corrected("Row", Moved(80_000, 81_000), ["Why not."], match)
    )
    assert "Bob" not in notice.body


def test_a_ruling_that_two_corrections_share_is_told_once() -> None:
    why = ["The catch was overturned.", "One yard less.", "The catch was overturned."]
    notice = words.correction("Week 3", Corrected("Row", Moved(92_400, 86_400), why))
    assert notice.body == (
        "Week 3 went from 92.40 to 86.40 points (-6.00). Why: The catch was overturned. One yard "
        "less."
    )


@pytest.mark.parametrize(
    ("mine", "opponents", "body"),
    [
        (
            92_400,
            80_000,
            "You beat the average, 92.40 to 80.00. You are 3rd of 12 with 250.10 points.",
        ),
        (
            80_000,
            92_400,
            "You lost to the average, 80.00 to 92.40. You are 3rd of 12 with 250.10 points.",
        ),
        (
            80_000,
            80_000,
            "You tied the average, 80.00 to 80.00. You are 3rd of 12 with 250.10 points.",
        ),
    ],
    ids=["won", "lost", "drawn"],
)
def test_a_result_tells_the_match_the_rank_and_the_total(
    mine: int, opponents: int, body: str
) -> None:
    settled = Result(mine, 250_100, 3, 12, Match("the average", mine, opponents))
    notice = words.result("Row", "Week 3", settled)
    assert notice.body == body
    assert notice.title == f"Week 3 in Row: {'92.40' if mine > 90_000 else '80.00'} points"


def test_a_result_without_a_match_has_the_standing_alone() -> None:
    assert (
        words.result("Row", "Week 1", Result(0, 0, 12, 12)).body
        == "You are 12th of 12 with 0.00 points."
    )


def test_a_deadline_is_shown_in_the_leagues_own_time_across_daylight_saving() -> None:
    summer, winter = datetime(2026, 9, 10, 22, tzinfo=UTC), datetime(2026, 11, 12, 23, tzinfo=UTC)
    for moment, day in ((summer, "6:00 PM EDT"), (winter, "6:00 PM EST")):
        deadline = TeamDeadline(["Row"], "Week 1", moment, "America/New_York")
        notice = words.deadline_near(deadline, state="saved")
        assert notice.title == f"Row: Week 1 locks Thu {day}"
    assert notice.body == "Your team is set. You can change it until then."


def test_after_the_deadline_a_carried_sheet_a_saved_one_and_none_are_three_texts() -> None:
    texts = {
        words.deadline_passed(["Row"], "GW", is_carried=True),
        words.deadline_passed(["Row"], "GW", is_carried=False),
    }
    assert len({*texts, words.no_team_sheet(["Row"], "GW")}) == 3


def test_an_adjustment_names_what_was_given_or_taken_and_the_reason() -> None:
    notice = words.adjusted("Row", "Week 2", -2_500, "late team sheet", Moved(50_000, 47_500, 1, 2))
    assert notice.title == "Row: -2.50 commissioner adjustment"
    assert notice.body == (
        "The commissioner deducted 2.50 points in Week 2. Your total went from 50.00 to "
        "47.50 points (-2.50). You moved from 1st to 2nd. Why: late team sheet."
    )
    bonus = words.adjusted("Row", "Week 2", 125, "Made good.", Moved(0, 125))
    assert bonus.title == "Row: +0.125 commissioner adjustment"
    assert bonus.body.startswith("The commissioner added 0.125 points in Week 2.")


def test_a_change_of_rules_names_both_rules_and_the_reason_even_where_no_total_moved() -> None:
    notice = words.rules_changed("Row", "Half PPR", "PPR", "We voted!", Moved(5, 5, 1, 1))
    assert (
        notice.body
        == "Scoring changed from Half PPR to PPR for the whole season. You are still 1st. "
        "Why: We voted!"
    )
    assert notice.delta is None


def test_a_place_that_somebody_elses_adjustment_changed_says_whose() -> None:
    notice = words.moved_by_another(
        "Row", "Team Bob was given 3.00 points in Week 1", "A typo", Moved(9, 9, 1, 2)
    )
    assert (
        notice.body
        == "Team Bob was given 3.00 points in Week 1. You moved from 1st to 2nd. Why: A typo."
    )
