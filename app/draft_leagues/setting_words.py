"""The settings of a draft league as people read them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.core.plurals import counted
from app.draft_leagues.settings import DraftLeagueSettings

DRAFT_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "snake": "Snake: the order reverses each round",
        "third_round_reversal": "Snake with third-round reversal",
        "linear": "Linear: the same order every round",
        "auction": "Auction",
        "offline": "Offline: the commissioner enters the picks",
    }
)
WAIVER_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "rolling": "Rolling priority: a successful claim drops you to last",
        "reverse_standings": "Reverse standings: the worst team claims first",
        "blind_bids": "Blind bids from a budget (FAAB)",
        "free": "None: first come, first served",
    }
)
REVIEWS: Mapping[str, str] = MappingProxyType(
    {
        "none": "None: accepted trades go through",
        "commissioner": "Commissioner",
        "vote": "League vote",
    }
)
LOWER_BRACKETS: Mapping[str, str] = MappingProxyType(
    {
        "none": "None",
        "consolation": "Consolation: winners advance",
        "last_place": "Last place: losers advance",
    }
)
TIE_BREAKS: Mapping[str, str] = MappingProxyType(
    {
        "points_for": "Points for",
        "result_between": "Head-to-head record",
        "division_record": "Division record",
        "points_against": "Points against",
        "all_play": "All-play record",
        "coin": "Coin flip",
    }
)
DAYS: Mapping[str, str] = MappingProxyType(
    {
        "MON": "Monday",
        "TUE": "Tuesday",
        "WED": "Wednesday",
        "THU": "Thursday",
        "FRI": "Friday",
        "SAT": "Saturday",
        "SUN": "Sunday",
    }
)
PRESET_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "redraft": (
            "Redraft",
            "Half PPR, snake draft, new rosters every year.",
        ),
        "dynasty": (
            "Dynasty",
            "Keep your whole roster, with a taxi squad and blind bids.",
        ),
        "two-quarterback": ("Two quarterbacks", "2 starting QBs each."),
        "idp": (
            "Individual defenders (IDP)",
            "Linemen, linebackers and backs replace the team defense.",
        ),
        "best-ball": (
            "Best ball",
            "Draft once, no lineups: your best players count automatically.",
        ),
    }
)

# The steps of the wizard, each with the part of the settings that it changes.
STEPS: Mapping[str, str] = MappingProxyType(
    {
        "league": "Size and scoring",
        "roster": "Rosters",
        "draft": "Draft",
        "waivers": "Waivers",
        "trades": "Trades",
        "season": "Season",
        "keepers": "Keepers",
    }
)
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


@dataclass(frozen=True)
class Line:
    """A setting in words. `step`: one of STEPS."""

    step: str
    label: str
    value: str


@dataclass(frozen=True)
class Change:
    """A setting that becomes another. '' is a setting that does not count with the other ones."""

    step: str
    label: str
    before: str
    after: str


def changes(
    before: DraftLeagueSettings, after: DraftLeagueSettings, titles: Mapping[str, str]
) -> list[Change]:
    """Every setting that becomes another, in the order of the steps.

    `titles`: the titles of scoring rules by their names.
    """
    old = {(line.step, line.label): line.value for line in lines(before, titles)}
    new = {(line.step, line.label): line.value for line in lines(after, titles)}
    steps = list(STEPS)
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    changed.sort(key=lambda key: steps.index(key[0]))
    return [Change(*key, old.get(key, ""), new.get(key, "")) for key in changed]


def lines(settings: DraftLeagueSettings, titles: Mapping[str, str]) -> list[Line]:
    """All settings that count, in the order of the steps.

    `titles`: the titles of scoring rules by their names.
    """
    values = {
        "league": {
            "Teams": str(settings.franchises),
            "Scoring": titles.get(settings.scoring, settings.scoring),
            "Time zone": _zone(settings),
        },
        "roster": _roster(settings),
        "draft": _draft(settings),
        "waivers": _waivers(settings),
        "trades": _trades(settings),
        "season": _season(settings),
        "keepers": _keepers(settings),
    }
    return [
        Line(step, label, value) for step in STEPS for label, value in values[step].items() if value
    ]


def duration_words(seconds: int) -> str:
    """A length of time in the largest units that give it exactly.

    >>> [duration_words(seconds) for seconds in (45, 90, 120, 3_600, 5_400, 172_800)]
    ['45 seconds', '90 seconds', '2 minutes', '1 hour', '90 minutes', '2 days']
    """
    for unit, word in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= unit and seconds % unit == 0:
            return counted(seconds // unit, word)
    return counted(seconds, "second")


def _yes(is_on: bool) -> str:
    return "Yes" if is_on else "No"


def _roster(settings: DraftLeagueSettings) -> dict[str, str]:
    roster = settings.roster
    starters = ", ".join(f"{each.count} {each.slot}" for each in roster.starters)
    return {
        "Starters": starters,
        "Bench": str(roster.bench),
        "Injured reserve": str(roster.reserve),
        "Taxi squad": str(roster.taxi),
        "Lineups": (
            "Best ball: your best lineup counts automatically"
            if roster.best_ball
            else "Set by members each week"
        ),
        "Automatic subs": ("" if roster.best_ball else _yes(roster.substitutes_come_on)),
    }


def _draft(settings: DraftLeagueSettings) -> dict[str, str]:
    draft = settings.draft
    is_auction, is_timed = draft.kind == "auction", draft.kind != "offline"
    return {
        "Type": DRAFT_KINDS[draft.kind],
        "Who can be drafted": _rookies(settings) if settings.drafts_rookies else "",
        "Rounds": str(settings.draft_rounds),
        "Time per nomination" if is_auction else "Time per pick": (
            duration_words(draft.seconds_per_pick) if is_timed else ""
        ),
        "Time after a bid": duration_words(draft.seconds_per_bid) if is_auction else "",
        "Auction budget": str(draft.budget) if is_auction else "",
        "Overnight pause": _night_pause(settings) if is_timed else "",
    }


def _night_pause(settings: DraftLeagueSettings) -> str:
    pause = settings.draft.night_pause
    return f"{pause.starts} to {pause.ends}, {_zone(settings)} time" if pause else "No"


def _zone(settings: DraftLeagueSettings) -> str:
    """The league's time zone as pages write it, for example `America/New York`."""
    return settings.time_zone.replace("_", " ")


def _waivers(settings: DraftLeagueSettings) -> dict[str, str]:
    waivers = settings.waivers
    if waivers.kind == "free":
        return {"Type": WAIVER_KINDS["free"]}
    bids = waivers.kind == "blind_bids"
    days = ", ".join(name for day, name in DAYS.items() if day in waivers.days)
    return {
        "Type": WAIVER_KINDS[waivers.kind],
        "Waiver budget": str(waivers.budget) if bids else "",
        "Minimum bid": str(waivers.least_bid) if bids else "",
        "Processed": f"{days} at {waivers.time}, {_zone(settings)} time",
        "After a drop": f"{counted(waivers.hours_after_drop, 'hour')} on waivers"
        if waivers.hours_after_drop
        else "Free agents right away",
        "After kickoff": (
            "On waivers until the first run after the week"
            if waivers.locks_at_kickoff
            else "Free agents again when the game ends"
        ),
    }


def _trades(settings: DraftLeagueSettings) -> dict[str, str]:
    trades = settings.trades
    is_reviewed = trades.review != "none"
    deadline = f"Week {trades.deadline_week}" if trades.deadline_week else "None"
    return {
        "Trade review": REVIEWS[trades.review],
        "Review period": counted(trades.review_hours, "hour") if is_reviewed else "",
        "Votes to stop a trade": str(trades.votes_to_stop) if trades.review == "vote" else "",
        "Offers expire after": counted(trades.offer_hours, "hour")
        if trades.offer_hours
        else "Never",
        "Trade deadline": deadline,
        "Future picks in trades": _yes(trades.with_picks),
        "Waiver budget in trades": _yes(trades.with_budget),
    }


def _season(settings: DraftLeagueSettings) -> dict[str, str]:
    season = settings.season
    has_playoffs = season.playoff_teams > 0
    start = f"in Week {season.first_week}" if season.first_week else "after the draft"
    weeks = ", ".join(counted(each, "week") for each in season.weeks_per_round)
    return {
        "Regular season": f"{counted(season.regular_weeks, 'week')}, starting {start}",
        "Divisions": str(season.divisions) if season.divisions > 1 else "None",
        "Median game": _yes(season.median_game),
        "Tiebreakers": ", then ".join(
            TIE_BREAKS[each].lower() for each in season.tie_breaks
        ).capitalize(),
        "Playoffs": counted(season.playoff_teams, "team") if has_playoffs else "None",
        "Weeks per round": weeks if has_playoffs else "",
        "Bracket": (("Reseeded each round" if season.reseed else "Fixed") if has_playoffs else ""),
        "Consolation bracket": LOWER_BRACKETS[season.lower_bracket] if has_playoffs else "",
    }


def _rookies(settings: DraftLeagueSettings) -> str:
    return "Rookies only" if settings.keepers.rookies_only else "Rookies and free agents"


def _keepers(settings: DraftLeagueSettings) -> dict[str, str]:
    keepers = settings.keepers
    future = (
        counted(keepers.future_seasons, "season") + " ahead" if keepers.future_seasons else "None"
    )
    if keepers.keeps_all:
        who = _rookies(settings).lower()
        return {
            "Keepers": "Whole rosters (dynasty)",
            "Rookie draft": f"{counted(keepers.rookie_rounds, 'round')}, {who}",
            "Tradable future picks": future,
        }
    if not keepers.most:
        return {"Keepers": "None (redraft)", "Tradable future picks": future}
    undrafted = f"Round {keepers.undrafted_round}" if keepers.undrafted_round else "The last round"
    return {
        "Keepers": f"Up to {keepers.most}",
        "Keeper cost": (
            f"Pick {counted(keepers.rounds_earlier, 'round')} earlier"
            if keepers.rounds_earlier
            else "Pick in the same round"
        ),
        "Undrafted keeper costs": undrafted,
        "Seasons in a row": counted(keepers.most_seasons, "season")
        if keepers.most_seasons
        else "No limit",
        "Tradable future picks": future,
    }
