"""The settings of a draft league as people read them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.draft_leagues.settings import DraftLeagueSettings

DRAFT_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "snake": "Snake: the order turns around after each round",
        "third_round_reversal": "Snake with third-round reversal",
        "linear": "Linear: the same order in each round",
        "auction": "Auction",
        "offline": "Offline: the commissioner types the picks in",
    }
)
WAIVER_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "rolling": "Rolling priority: whoever gets somebody moves to the end",
        "reverse_standings": "Reverse standings: the worst team chooses first",
        "blind_bids": "Blind bids from a budget (FAAB)",
        "free": "None: whoever comes first",
    }
)
REVIEWS: Mapping[str, str] = MappingProxyType(
    {
        "none": "Nobody: accepted trades take effect",
        "commissioner": "The commissioner",
        "vote": "A vote of the other teams",
    }
)
LOWER_BRACKETS: Mapping[str, str] = MappingProxyType(
    {
        "none": "Nothing",
        "consolation": "A consolation bracket: winners move up",
        "last_place": "A bracket for the last place: losers move down",
    }
)
TIE_BREAKS: Mapping[str, str] = MappingProxyType(
    {
        "points_for": "Points scored",
        "result_between": "Results between them",
        "division_record": "Record in the division",
        "points_against": "Points scored against them",
        "all_play": "Record against everybody in each gameweek",
        "coin": "A coin",
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
            "10 teams, half a point per catch, a snake draft, and everybody starts anew each year.",
        ),
        "dynasty": (
            "Dynasty",
            "12 teams keep their whole rosters for years, with a taxi squad and blind bids.",
        ),
        "two-quarterback": ("Two quarterbacks", "10 teams that start two quarterbacks each."),
        "idp": (
            "Individual defence",
            "10 teams with linemen, linebackers and backs in place of a team defence.",
        ),
        "best-ball": (
            "Best ball",
            "12 teams draft once; the best line-up counts by itself, and nobody sets one.",
        ),
    }
)

# The steps of the wizard, each with the part of the settings that it changes.
STEPS: Mapping[str, str] = MappingProxyType(
    {
        "league": "League",
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


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "team"), counted(3, "week")
    ('1 team', '3 weeks')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"


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
        "Line-ups": (
            "Best ball: the best line-up counts by itself"
            if roster.best_ball
            else "Members set them each week"
        ),
        "Bench comes on for starters who do not play": (
            "" if roster.best_ball else _yes(roster.substitutes_come_on)
        ),
    }


def _draft(settings: DraftLeagueSettings) -> dict[str, str]:
    draft = settings.draft
    is_auction, is_timed = draft.kind == "auction", draft.kind != "offline"
    return {
        "Kind": DRAFT_KINDS[draft.kind],
        "Who can be drafted": _rookies(settings) if settings.drafts_rookies else "",
        "Rounds": str(settings.draft_rounds),
        "Time for a nomination" if is_auction else "Time for a pick": (
            duration_words(draft.seconds_per_pick) if is_timed else ""
        ),
        "Time after a bid": duration_words(draft.seconds_per_bid) if is_auction else "",
        "Auction budget": str(draft.budget) if is_auction else "",
        "Night pause": _night_pause(settings) if is_timed else "",
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
        return {"Kind": WAIVER_KINDS["free"]}
    bids = waivers.kind == "blind_bids"
    days = ", ".join(name for day, name in DAYS.items() if day in waivers.days)
    return {
        "Kind": WAIVER_KINDS[waivers.kind],
        "Waiver budget": str(waivers.budget) if bids else "",
        "Minimum bid": str(waivers.least_bid) if bids else "",
        "Processed": f"{days} at {waivers.time}, {_zone(settings)} time",
        "After a drop": f"{counted(waivers.hours_after_drop, 'hour')} on waivers"
        if waivers.hours_after_drop
        else "Free at once",
        "From kickoff on": (
            "On waivers until the first run after the gameweek"
            if waivers.locks_at_kickoff
            else "Free again when the game has ended"
        ),
    }


def _trades(settings: DraftLeagueSettings) -> dict[str, str]:
    trades = settings.trades
    is_reviewed = trades.review != "none"
    deadline = f"Week {trades.deadline_week}" if trades.deadline_week else "None"
    return {
        "Review by": REVIEWS[trades.review],
        "Review lasts": counted(trades.review_hours, "hour") if is_reviewed else "",
        "Votes to stop a trade": str(trades.votes_to_stop) if trades.review == "vote" else "",
        "Offers stand": counted(trades.offer_hours, "hour") if trades.offer_hours else "For ever",
        "Trade deadline": deadline,
        "Future picks": _yes(trades.with_picks),
        "Waiver budget in trades": _yes(trades.with_budget),
    }


def _season(settings: DraftLeagueSettings) -> dict[str, str]:
    season = settings.season
    has_playoffs = season.playoff_teams > 0
    first = f"gameweek {season.first_week}" if season.first_week else "the draft"
    weeks = ", ".join(counted(each, "week") for each in season.weeks_per_round)
    return {
        "Regular season": f"{counted(season.regular_weeks, 'gameweek')} from {first} on",
        "Divisions": str(season.divisions) if season.divisions > 1 else "None",
        "Game against the median": _yes(season.median_game),
        "Tie-breaks": ", then ".join(
            TIE_BREAKS[each].lower() for each in season.tie_breaks
        ).capitalize(),
        "Play-offs": counted(season.playoff_teams, "team") if has_playoffs else "None",
        "Weeks of each round": weeks if has_playoffs else "",
        "Bracket": (
            ("The best seed meets the worst in each round" if season.reseed else "Fixed")
            if has_playoffs
            else ""
        ),
        "The others play": LOWER_BRACKETS[season.lower_bracket] if has_playoffs else "",
    }


def _rookies(settings: DraftLeagueSettings) -> str:
    return "Rookies only" if settings.keepers.rookies_only else "Rookies and free agents"


def _keepers(settings: DraftLeagueSettings) -> dict[str, str]:
    keepers = settings.keepers
    future = (
        counted(keepers.future_seasons, "season") + " ahead" if keepers.future_seasons else "No"
    )
    if keepers.keeps_all:
        who = _rookies(settings).lower()
        return {
            "Keepers": "Whole rosters stay (dynasty)",
            "Rookie draft": f"{counted(keepers.rookie_rounds, 'round')}, {who}",
            "Picks traded": future,
        }
    if not keepers.most:
        return {"Keepers": "None: everybody starts anew", "Picks traded": future}
    undrafted = f"Round {keepers.undrafted_round}" if keepers.undrafted_round else "The last round"
    return {
        "Keepers": f"Up to {keepers.most}",
        "A keeper costs": (
            f"The pick {counted(keepers.rounds_earlier, 'round')} earlier"
            if keepers.rounds_earlier
            else "The pick of the same round"
        ),
        "Somebody undrafted costs": undrafted,
        "In a row": counted(keepers.most_seasons, "season") if keepers.most_seasons else "No limit",
        "Picks traded": future,
    }
