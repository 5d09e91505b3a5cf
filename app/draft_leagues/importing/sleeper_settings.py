"""Sleeper's settings of a league as settings of Pressbox, with notes of what differs. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from app.draft_leagues.importing.sleeper_values import Values
from app.draft_leagues.setting_faults import TRADERS, playoff_rounds
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
    Weekday,
)

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
_DAYS: tuple[Weekday, ...] = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
NO_DEADLINE = 99
KEEPER, DYNASTY = 1, 2
USUAL_ROOKIE_ROUNDS, MOST_ROOKIE_ROUNDS = 4, 10
LONG_FINAL, DOUBLE_ROUNDS = 1, 2
MOST_SLOTS = 10
HOURS = 24
LONGEST_DAYS = 7
# The state of the season there, not settings of the league.
_STATE = frozenset(
    (
        "leg",
        "last_report",
        "last_scored_leg",
        "num_teams",
        "daily_waivers_last_ran",
        "daily_waivers_days",
        "squads",
        "capacity_override",
        "commissioner_direct_invite",
        "veto_show_votes",
        "was_auto_archived",
        "max_keepers",  # of a league without keepers
        "draft_rounds",  # of a league that keeps no rosters
        "offseason_adds",
    )
)


def read_settings(league: Values, teams: int, notes: list[str]) -> DraftLeagueSettings:
    """The settings; what could not be taken over is added to `notes` in sentences.

    Raises:
        UnreadableDocumentError: A value is not what Sleeper documents.
    """
    switches = league.inner("settings", "the league")
    usual = PRESETS["redraft"]
    kind = switches.whole("type", 0, most=DYNASTY)
    settings = DraftLeagueSettings(
        franchises=teams,
        scoring=usual.scoring,
        time_zone=usual.time_zone,
        roster=_roster(league, switches, notes),
        draft=usual.draft,
        waivers=_waivers(switches, notes),
        trades=_trades(switches, teams, notes),
        season=_season(switches, teams, notes),
        keepers=KeeperSettings(
            most=switches.whole("max_keepers", 0, most=30) if kind == KEEPER else 0,
            keeps_all=kind == DYNASTY,
            future_seasons=3 if kind == DYNASTY else 1,
            rookie_rounds=_rookie_rounds(switches) if kind == DYNASTY else USUAL_ROOKIE_ROUNDS,
        ),
    )
    unread = sorted(name for name in switches.unread() if name not in _STATE)
    if unread:
        notes.append(f"Sleeper settings we don't have: {', '.join(unread)}.")
    return settings


def _rookie_rounds(switches: Values) -> int:
    """How many rounds a dynasty's rookie drafts have; its first draft has more."""
    rounds = switches.whole("draft_rounds", USUAL_ROOKIE_ROUNDS, most=50)
    return rounds if 1 <= rounds <= MOST_ROOKIE_ROUNDS else USUAL_ROOKIE_ROUNDS


def _roster(league: Values, switches: Values, notes: list[str]) -> RosterSettings:
    counts: dict[SlotName, int] = {}
    bench = 0
    for place in league.ids("roster_positions"):
        slot = _SLOTS.get(place) or _WIDER.get(place)
        if slot is not None:
            counts[slot] = counts.get(slot, 0) + 1
        if place in _WIDER:
            notes.append(f"The {place} slot becomes a flex, which takes all of these positions.")
        elif place == "BN":
            bench += 1
        elif slot is None and place != "IR":
            notes.append(f"We don't have the {place} slot.")
    for slot, count in counts.items():
        if count > MOST_SLOTS:
            notes.append(f"A lineup has {MOST_SLOTS} {slot} slots instead of {count}.")
    return RosterSettings(
        tuple(StarterCount(slot, min(MOST_SLOTS, count)) for slot, count in counts.items()),
        bench=min(30, bench),
        reserve=switches.whole("reserve_slots", 0, most=10),
        taxi=switches.whole("taxi_slots", 0, most=10),
        best_ball=switches.whole("best_ball", 0, most=1) == 1,
    )


def _waivers(switches: Values, notes: list[str]) -> WaiverSettings:
    kind = switches.whole("waiver_type", 0, most=99)
    if kind not in _WAIVERS:
        notes.append(
            f"We don't have Sleeper's waiver type {kind}. The league uses rolling waivers."
        )
    least = switches.whole("waiver_bid_min", 0, most=10_000)
    if least > 1:
        notes.append(f"The minimum bid is 1 instead of {least}.")
    day = switches.whole("waiver_day_of_week", 2, most=6)
    if switches.whole("daily_waivers", 0, most=1):
        days = _DAYS
    else:
        days = (_DAYS[day],)
        switches.names_read.add("daily_waivers_hour")  # counts for daily waivers only
    return WaiverSettings(
        kind=_WAIVERS.get(kind, "rolling"),  # type: ignore[arg-type]
        budget=switches.whole("waiver_budget", 100, most=10_000),
        least_bid=min(1, least),
        days=days,
        hours_after_drop=HOURS * switches.whole("waiver_clear_days", 1, most=LONGEST_DAYS),
    )


def _trades(switches: Values, teams: int, notes: list[str]) -> TradeSettings:
    week = switches.whole("trade_deadline", NO_DEADLINE, most=NO_DEADLINE)
    days = switches.whole("trade_review_days", 1, most=LONGEST_DAYS)
    votes = switches.whole("veto_votes_needed", 0, most=100)
    by_vote = switches.whole("veto_auto_poll", 0, most=1) == 1
    voters = teams - TRADERS
    if by_vote and votes > voters >= 1:
        notes.append(f"{voters} votes stop a trade instead of {votes}.")
    if votes and not by_vote and days:
        notes.append(
            f"The commissioner reviews trades; on Sleeper {votes} votes stopped one. To keep "
            "voting, choose League vote in the trade settings."
        )
    if switches.whole("disable_trades", 0, most=1):
        notes.append(
            "Trades are open here but were off on Sleeper. To close them, set a trade deadline in "
            "the past."
        )
    is_vote = by_vote and votes > 0 and voters >= 1
    return TradeSettings(
        review="none" if not days else "vote" if is_vote else "commissioner",
        review_hours=HOURS * days or HOURS,
        votes_to_stop=max(1, min(votes, voters)) if is_vote else TradeSettings().votes_to_stop,
        deadline_week=week if 0 < week <= 30 else None,  # noqa: PLR2004 (gameweeks of a season)
        with_picks=switches.whole("pick_trading", 1, most=1) == 1,
    )


def _season(switches: Values, teams: int, notes: list[str]) -> SeasonSettings:
    first = switches.whole("start_week", 1, most=30) or 1
    playoff_teams = switches.whole("playoff_teams", 6, most=100)
    if playoff_teams > min(teams, 16):
        notes.append(f"{min(teams, 16)} teams make the playoffs instead of {playoff_teams}.")
        playoff_teams = min(teams, 16)
    start = switches.whole("playoff_week_start", 15, most=31)
    has_playoffs = start > first and playoff_teams > 1
    if not has_playoffs:
        notes.append("The Sleeper league has no playoffs; its regular season has 14 weeks here.")
    rounds = playoff_rounds(playoff_teams) if has_playoffs else 0
    divisions = switches.whole("divisions", 0, most=8)
    return SeasonSettings(
        divisions=divisions if divisions > 1 else 0,
        first_week=first,
        regular_weeks=start - first if has_playoffs else 14,
        median_game=switches.whole("league_average_match", 0, most=1) == 1,
        playoff_teams=playoff_teams if has_playoffs else 0,
        weeks_per_round=_weeks_per_round(switches, rounds),
        reseed=switches.whole("playoff_seed_type", 0, most=1) == 1,
    )


def _weeks_per_round(switches: Values, rounds: int) -> tuple[int, ...]:
    kind = switches.whole("playoff_round_type", 0, most=DOUBLE_ROUNDS)
    if kind == DOUBLE_ROUNDS:
        return (2,) * rounds
    if kind == LONG_FINAL and rounds:
        return (*(1,) * (rounds - 1), 2)
    return (1,) * rounds
