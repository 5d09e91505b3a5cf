"""Leagues from Sleeper's documents. The people and footballers are invented."""

from __future__ import annotations

import copy
import io
import zipfile
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.refusals import Refusal
from app.draft_leagues.importing.files import read_league
from app.draft_leagues.importing.sleeper import read_sleeper
from app.draft_leagues.importing.sleeper_scoring import read_scoring
from app.draft_leagues.importing.values import ImportedLeague, ImportedPick
from app.draft_leagues.settings import PRESETS, StarterCount
from tests.worlds.sleeper_league import LEAGUE, ROSTERS, sleeper_id, sleeper_league

NAMES = {
    footballer: (f"Dante {footballer.title()}", footballer[4:].rstrip("1"), footballer[:3])
    for listed in ROSTERS.values()
    for footballer in listed
}


def read(documents: dict[str, Any]) -> ImportedLeague:
    league = read_sleeper(documents, "files")
    assert isinstance(league, ImportedLeague), league
    return league


def test_settings_are_taken_over() -> None:
    league = read(sleeper_league(NAMES))
    assert (league.name, league.year) == ("The Old League", 2026)
    taken = league.settings
    assert taken.roster.starters == tuple(
        StarterCount(slot, 1) for slot in ("QB", "RB", "WR", "TE", "FLEX", "K", "DST")
    )
    assert (taken.franchises, taken.roster.bench, taken.roster.reserve) == (4, 3, 1)
    assert (taken.waivers.kind, taken.waivers.budget) == ("blind_bids", 100)
    assert taken.trades.deadline_week == 11
    assert (taken.season.first_week, taken.season.regular_weeks) == (1, 14)
    assert (taken.season.playoff_teams, taken.season.weeks_per_round) == (4, (1, 2))


def test_scoring_is_taken_over_and_what_is_not_is_told() -> None:
    league = read(sleeper_league(NAMES))
    assert league.scoring["passing_yards"] == 40
    assert league.scoring["receptions"] == 1000
    assert league.scoring["dst_allowed_14_17"] == league.scoring["dst_allowed_18_20"] == 1000
    assert league.notes == (
        "Scoring we don't have: bonus_rec_te.",
        "The REC_FLEX slot becomes a flex, which takes all of these positions.",
    )


def test_teams_have_their_rosters_and_owners() -> None:
    first, second, _, last = read(sleeper_league(NAMES)).teams
    assert (first.name, first.owner, first.budget_used) == ("Team of ann77", "ann77", 10)
    assert first.waiver_priority == 4
    assert last.name == "dan_the_man"  # who gave the team no name
    defence = first.players[-1]
    assert (defence.key, defence.position, defence.club) == ("HAR", "DEF", "HAR")
    assert [player.spot for player in second.players].count("reserve") == 1


def test_results_are_those_of_weeks_with_points() -> None:
    league = read(sleeper_league(NAMES))
    assert league.played_weeks == [1, 2]
    game = next(game for game in league.games if game.week == 1 and game.home == "1")
    assert (game.away, game.home_points, game.away_points) == ("2", 101_500, 88_240)
    assert [game.home_points for game in league.games if game.week == 3] == [None, None]


def test_picks_of_later_drafts_that_changed_hands_come_along() -> None:
    assert read(sleeper_league(NAMES)).picks == (ImportedPick(2027, 1, "2", "3"),)


def test_a_commissioners_own_points_count() -> None:
    documents = sleeper_league(NAMES)
    documents["matchups_1.json"][0]["custom_points"] = 55.5
    assert read(documents).games[0].home_points == 55_500


def test_an_id_of_the_record_is_kept() -> None:
    documents = sleeper_league(NAMES)
    documents["players.json"][sleeper_id("HAR-QB1")]["gsis_id"] = " 00-0033873"
    assert read(documents).teams[0].players[0].ids == ("00-0033873",)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("league.json", "the league (https://api.sleeper.app/v1/league/ID)"),
        ("users.json", "its users"),
        ("rosters.json", "its rosters"),
        ("players.json", "the players"),
    ],
)
def test_a_missing_file_is_named_with_its_address(file: str, words: str) -> None:
    documents = sleeper_league(NAMES)
    del documents[file]
    refusal = read_sleeper(documents, "files")
    assert isinstance(refusal, Refusal)
    assert words in refusal.text


def test_files_come_one_by_one_in_a_zip_or_in_one_document() -> None:
    documents = sleeper_league(NAMES)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, document in documents.items():
            archive.writestr(f"export/{name}", msgspec.json.encode(document))
    whole = {
        "league": documents["league.json"],
        "users": documents["users.json"],
        "rosters": documents["rosters.json"],
        "players": documents["players.json"],
        "traded_picks": documents["traded_picks.json"],
        "matchups": {week: documents[f"matchups_{week}.json"] for week in (1, 2, 3)},
    }
    uploads = (
        [(name, msgspec.json.encode(document)) for name, document in documents.items()],
        [("sleeper.zip", packed.getvalue())],
        [("all.json", msgspec.json.encode(whole))],
    )
    leagues = [read_league(files, "", PRESETS["redraft"], "files") for files in uploads]
    assert leagues[0] == leagues[1] == leagues[2] == read(documents)


@settings(max_examples=60, deadline=None, database=None)
@given(
    where=st.sampled_from(["name", "season", "roster_positions", "scoring_settings", "settings"]),
    value=st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
)
def test_a_document_that_is_not_as_documented_is_refused_with_a_sentence(
    where: str, value: object
) -> None:
    documents = sleeper_league(NAMES) | {"league.json": copy.deepcopy(LEAGUE) | {where: value}}
    read_documents = read_sleeper(documents, "files")
    if isinstance(read_documents, Refusal):
        assert read_documents.text.endswith("Save that Sleeper page again.")


@pytest.mark.parametrize(
    "uploads",
    [
        [],
        [("a.zip", b"PK\x03\x04 and no more")],
        [("a.json", b'{"some": "thing"}')],
        [("a.json", b"{broken")],
        [("a.png", b"\x89PNG")],
    ],
)
def test_other_files_are_refused(uploads: list[tuple[str, bytes]]) -> None:
    assert isinstance(read_league(uploads, "", PRESETS["redraft"], "files"), Refusal)


def switched(**switches: object) -> dict[str, Any]:
    """The documents with other settings of the league."""
    documents = sleeper_league(NAMES)
    return documents | {"league.json": LEAGUE | {"settings": LEAGUE["settings"] | switches}}


@pytest.mark.parametrize(
    "name",
    ["matchups_3 (1).json", "matchups_3(2).json", "week3_copy2.json", "week-3-2026.json", "3.json"],
)
def test_the_week_of_matchups_survives_what_browsers_do_to_names(name: str) -> None:
    documents = sleeper_league(NAMES)
    documents[name] = documents.pop("matchups_3.json")
    assert read(documents) == read(sleeper_league(NAMES))


def test_two_files_that_claim_one_week_or_none_are_refused() -> None:
    documents = sleeper_league(NAMES)
    documents["matchups_1 (1).json"] = documents["matchups_1.json"]  # the same once more
    assert read(documents).played_weeks == [1, 2]
    documents["matchups_1 (1).json"] = documents["matchups_2.json"]
    refusal = read_sleeper(documents, "files")
    assert isinstance(refusal, Refusal)
    assert (
        "matchups_1.json and matchups_1 (1).json are both named as the matchups of week 1"
        in refusal.text
    )
    documents["some.json"] = documents.pop("matchups_1 (1).json")
    refusal = read_sleeper(documents, "files")
    assert isinstance(refusal, Refusal)
    assert "some.json does not say which week" in refusal.text


def test_a_week_that_sleeper_has_not_scored_is_no_result() -> None:
    # last_scored_leg is Sleeper's word for "scored up to here".
    league = read(switched(leg=2, last_scored_leg=1))
    assert league.played_weeks == [1]
    assert "Week 2 is still being played on Sleeper, so its points are not final." in league.notes


def test_settings_that_exist_here_are_taken_over_and_the_others_told() -> None:
    league = read(
        switched(
            playoff_seed_type=1,
            trade_review_days=2,
            veto_votes_needed=2,
            veto_auto_poll=1,
            waiver_day_of_week=1,
            waiver_clear_days=2,
            waiver_bid_min=5,
            disable_trades=1,
            taxi_years=2,
        )
    )
    taken = league.settings
    assert taken.season.reseed
    assert (taken.trades.review, taken.trades.review_hours) == ("vote", 48)
    assert taken.trades.votes_to_stop == 2
    assert (taken.waivers.days, taken.waivers.hours_after_drop) == (("TUE",), 48)
    for note in ("The minimum bid is 1 instead of 5.", "Trades are open here", "taxi_years"):
        assert any(note in each for each in league.notes), note


@pytest.mark.parametrize(("drafted_there", "rounds"), [(3, 3), (25, 4)])
def test_a_dynasty_drafts_rookies_in_its_rounds(drafted_there: int, rounds: int) -> None:
    """Until a dynasty's first draft is over, Sleeper gives the rounds of that one."""
    keepers = read(switched(type=2, draft_rounds=drafted_there)).settings.keepers
    assert (keepers.keeps_all, keepers.rookie_rounds) == (True, rounds)


@pytest.mark.parametrize("order", [("fgm_50p", "fgm_60p"), ("fgm_60p", "fgm_50p")])
def test_ranges_that_overlap_add_up_in_any_order(order: tuple[str, str]) -> None:
    # Sleeper's points are the sum of worth times statistic: a goal from 61 yards has both.
    worth = {"fgm_50p": 5, "fgm_60p": 6}
    rules, _ = read_scoring({name: worth[name] for name in order})
    assert rules == {"fg_made_50_59": 5_000, "fg_made_60_plus": 11_000}


def test_points_that_must_be_rounded_are_told() -> None:
    rules, notes = read_scoring({"pass_yd": 0.03333333, "rush_yd": 0.10000000149011612})
    assert rules == {"passing_yards": 33, "rushing_yards": 100}
    assert notes == ["pass_yd is 0.033 here instead of 0.03333333: points have three decimals."]


@pytest.mark.parametrize(
    ("file", "place", "value", "words"),
    [
        ("league.json", ("settings", "waiver_budget"), "lots", "gives “lots” for waiver_budget"),
        ("league.json", ("scoring_settings", "pass_td"), "six", "gives “six” for pass_td"),
        ("rosters.json", (0, "roster_id"), None, "gives nothing for roster_id"),
        ("rosters.json", (0, "settings", "waiver_budget_used"), 2.5, "for waiver_budget_used"),
        ("matchups_1.json", (0, "points"), "NaN", "A matchup of week 1 gives “NaN” for points"),
        ("matchups_1.json", (0, "roster_id"), 9, "week 1 matchups include a roster"),
        ("traded_picks.json", (0, "round"), 0, "A traded pick gives “0” for round"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(
    file: str, place: tuple[Any, ...], value: object, words: str
) -> None:
    documents = copy.deepcopy(sleeper_league(NAMES))
    inner = documents[file]
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    refusal = read_sleeper(documents, "files")
    assert isinstance(refusal, Refusal)
    assert words in refusal.text


def test_a_file_that_is_cut_off_is_named() -> None:
    refusal = read_league([("league.json", b'{"name": ')], "", PRESETS["redraft"], "files")
    assert isinstance(refusal, Refusal)
    assert (
        refusal.text == "league.json is not a complete JSON file. Save the page again, unchanged."
    )
