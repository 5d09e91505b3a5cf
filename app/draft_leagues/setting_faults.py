"""What makes the settings of a draft league impossible. Pure.

Each refusal names its setting as a path of the settings document, such as `season.playoff_teams`,
and says what to choose instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from zoneinfo import available_timezones

from app.core.plurals import counted
from app.core.refusals import Refusal
from app.draft_leagues.places import TITLES, lineup_format
from app.draft_leagues.settings import DraftLeagueSettings, SlotName
from app.fantasy.market.formats import DRAFT_SLOTS
from app.fantasy.scoring.pairs import presets_for, worthless_places
from app.fantasy.scoring.rules import PRESETS, ScoringRules

# With fewer teams the median of a gameweek is the result of its matchup.
LEAST_FOR_MEDIAN = 4
# The two teams of a trade do not vote about it.
TRADERS = 2


@dataclass(frozen=True)
class SeasonFacts:
    """What the season offers to a draft league.

    Attributes:
        last_week: The number of its last gameweek.
        footballers: How many are on the market, by position.
        first_week: The gameweek from which a league counts that names none.
    """

    last_week: int
    footballers: Mapping[str, int]
    first_week: int = 1


def playoff_rounds(teams: int) -> int:
    """How many rounds the play-offs of this many teams have; the best seeds sit out the first.

    >>> [playoff_rounds(teams) for teams in (0, 2, 4, 6, 8, 12)]
    [0, 1, 2, 3, 3, 4]
    """
    return (teams - 1).bit_length() if teams else 0


def faults(
    settings: DraftLeagueSettings,
    facts: SeasonFacts | None = None,
    scoring: ScoringRules | None = None,
) -> list[Refusal]:
    """Everything that makes these settings impossible, in the order of the settings.

    Args:
        settings: The settings.
        facts: What the season offers; None leaves out what depends on it.
        scoring: The scoring rules of the settings if they are no preset.
    """
    rules = scoring or PRESETS.get(settings.scoring)
    refusals = [*_general(settings, rules), *_roster(settings), *_draft(settings)]
    if facts is not None:
        refusals += _market(settings, facts)
    refusals += [*_waivers(settings), *_trades(settings), *_season(settings, facts)]
    return [*refusals, *_keepers(settings)]


def _refusal(field: str, text: str) -> Refusal:
    return Refusal(field.rpartition(".")[2], field, text)


def _general(settings: DraftLeagueSettings, rules: ScoringRules | None) -> Iterator[Refusal]:
    lineup = lineup_format(settings.roster)
    if rules is None:
        yield _refusal("scoring", "Choose a scoring from the list.")
    elif places := worthless_places(lineup, rules):
        fitting = presets_for(lineup)
        titles = ", ".join(preset.title for preset in fitting)
        choose = f"Choose one of {titles}; or" if titles else "Choose another scoring, or"
        yield _refusal(
            "scoring",
            f"{' and '.join(places)} would score nothing under {rules.title}. {choose} take "
            f"{'it' if len(places) == 1 else 'them'} out of the lineup.",
        )
    if settings.time_zone not in available_timezones():
        yield _refusal("time_zone", "Unknown time zone. Use a name like America/New_York.")


def _roster(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    roster = settings.roster
    if not roster.starters:
        yield _refusal("roster.starters", "A lineup needs at least one starter. Add one.")
    slots = Counter(starter.slot for starter in roster.starters)
    for slot, times in slots.items():
        if times > 1:
            yield _refusal("roster.starters", f"{slot} is listed {times} times. List it once.")
    if roster.best_ball and roster.substitutes_come_on:
        yield _refusal(
            "roster.substitutes_come_on",
            "Best ball always counts the best lineup. Turn automatic subs off.",
        )


def _draft(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    draft, roster = settings.draft, settings.roster
    room = roster.active + roster.taxi
    if settings.draft_rounds > room and not settings.drafts_rookies:
        yield _refusal(
            "draft.rounds",
            f"A roster has room for {room} players, so the draft can have at most {room} rounds.",
        )
    if draft.kind == "auction" and draft.budget < settings.draft_rounds:
        yield _refusal(
            "draft.budget",
            f"Each of the {settings.draft_rounds} players costs at least 1. Set a budget of "
            f"at least {settings.draft_rounds}.",
        )
    pause = draft.night_pause
    if pause is not None and pause.starts == pause.ends:
        yield _refusal(
            "draft.night_pause",
            "The overnight pause would never end. Change its end or turn it off.",
        )


def can_fill_lineups(settings: DraftLeagueSettings, facts: SeasonFacts) -> bool:
    """Whether the season has enough players for the starters of all teams."""
    starters = [(starter.slot, starter.count) for starter in settings.roster.starters]
    return not _scarce_places(settings.franchises, starters, facts.footballers)


def _market(settings: DraftLeagueSettings, facts: SeasonFacts) -> Iterator[Refusal]:
    starters = [(starter.slot, starter.count) for starter in settings.roster.starters]
    if not starters:
        return  # _roster says so
    short = _scarce_places(settings.franchises, starters, facts.footballers)
    if short:
        supply = _supply(short, facts.footballers)
        needed = settings.franchises * sum(count for slot, count in starters if slot in short)
        yield _refusal(
            "roster.starters",
            f"{settings.franchises} teams need {needed} players at "
            f"{' and '.join(TITLES[slot].lower() for slot in short)}, but only {supply} are "
            "available. Use fewer of these slots, or fewer teams.",
        )
    positions = {position for slot, _ in starters for position in DRAFT_SLOTS[slot].accepts}
    market = sum(count for position, count in facts.footballers.items() if position in positions)
    room = settings.roster.active + settings.roster.taxi
    if not short and settings.franchises * room > market:
        yield _refusal(
            "roster.bench",
            f"{settings.franchises} rosters of {room} need {settings.franchises * room} "
            f"players, but only {market} are available. Use a shorter bench, or fewer teams.",
        )


def _scarce_places(
    franchises: int, starters: list[tuple[SlotName, int]], footballers: Mapping[str, int]
) -> tuple[SlotName, ...]:
    """The fewest kinds of places that the market cannot fill for all teams; Hall's theorem."""
    counts = Counter[SlotName]()
    for slot, count in starters:
        counts[slot] += count
    for size in range(1, len(counts) + 1):
        for chosen in combinations(counts, size):
            needed = franchises * sum(counts[slot] for slot in chosen)
            if needed > _supply(chosen, footballers):
                return chosen
    return ()


def _supply(places: tuple[SlotName, ...], footballers: Mapping[str, int]) -> int:
    positions = {position for slot in places for position in DRAFT_SLOTS[slot].accepts}
    return sum(footballers.get(position, 0) for position in positions)


def _waivers(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    waivers = settings.waivers
    if waivers.kind == "free":
        return
    if not waivers.days:
        yield _refusal(
            "waivers.days",
            "Choose at least one day for waivers, or turn waivers off.",
        )
    if len(set(waivers.days)) < len(waivers.days):
        yield _refusal("waivers.days", "A day is listed twice. List each day once.")
    if waivers.kind == "blind_bids" and waivers.budget < max(1, waivers.least_bid):
        yield _refusal("waivers.budget", "The budget is too small to bid. Set it to at least 1.")


def _trades(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    trades = settings.trades
    if trades.review == "none":
        return
    if not trades.review_hours:
        yield _refusal(
            "trades.review_hours", "Set a review period of at least 1 hour, or turn review off."
        )
    voters = settings.franchises - TRADERS
    if trades.review != "vote" or trades.votes_to_stop <= voters:
        return
    if voters < 1:
        text = "No other team is left to vote. Choose commissioner review."
    else:
        text = (
            f"Only {counted(voters, 'team')} can vote on a trade. Require at most "
            f"{counted(voters, 'vote')} to stop it."
        )
    yield _refusal("trades.votes_to_stop", text)


def _season(settings: DraftLeagueSettings, facts: SeasonFacts | None) -> Iterator[Refusal]:
    season = settings.season
    if season.divisions > settings.franchises // 2:
        yield _refusal(
            "season.divisions",
            f"Each division needs at least 2 teams. Choose at most {settings.franchises // 2} "
            "divisions.",
        )
    if season.median_game and settings.franchises < LEAST_FOR_MEDIAN:
        yield _refusal(
            "season.median_game",
            f"With fewer than {LEAST_FOR_MEDIAN} teams, the median game only repeats the "
            "matchup. Turn it off.",
        )
    yield from _tie_breaks(settings)
    yield from _playoffs(settings)
    if facts is not None:
        yield from _weeks(settings, facts)


def _tie_breaks(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    chain = settings.season.tie_breaks
    if not chain:
        yield _refusal("season.tie_breaks", "Choose at least one tiebreaker, such as a coin flip.")
    if len(set(chain)) < len(chain):
        yield _refusal("season.tie_breaks", "A tiebreaker is listed twice. Use each once.")
    if "coin" in chain[:-1]:
        yield _refusal("season.tie_breaks", "A coin flip breaks every tie. Put it last.")
    # One division, or none, is the whole league.
    if "division_record" in chain and settings.season.divisions < 2:  # noqa: PLR2004
        yield _refusal(
            "season.tie_breaks",
            "Without divisions there is no division record. Add divisions, or choose "
            "another tiebreaker.",
        )


def _playoffs(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    season = settings.season
    if season.playoff_teams == 1:
        yield _refusal(
            "season.playoff_teams",
            "One team has no opponent. Choose at least 2, or 0 for no playoffs.",
        )
        return
    if season.playoff_teams > settings.franchises:
        yield _refusal(
            "season.playoff_teams",
            f"The league has {settings.franchises} teams. At most {settings.franchises} can make "
            "the playoffs.",
        )
        return
    # more divisions than that are refused themselves
    if 0 < season.playoff_teams < season.divisions <= settings.franchises // 2:
        yield _refusal(
            "season.playoff_teams",
            f"All {season.divisions} division winners make the playoffs. Choose at least "
            f"{season.divisions} teams.",
        )
    rounds = playoff_rounds(season.playoff_teams)
    if len(season.weeks_per_round) != rounds:
        yield _refusal(
            "season.weeks_per_round",
            f"Playoffs with {season.playoff_teams} teams have {counted(rounds, 'round')}. "
            "Set the weeks of each round.",
        )


def _weeks(settings: DraftLeagueSettings, facts: SeasonFacts) -> Iterator[Refusal]:
    season = settings.season
    first = season.first_week or facts.first_week
    if first > facts.last_week:
        yield _refusal(
            "season.first_week", f"The season ends with Week {facts.last_week}. Start earlier."
        )
        return
    playoff_weeks = sum(season.weeks_per_round) if season.playoff_teams else 0
    left = facts.last_week - first + 1
    if season.regular_weeks > left:
        yield _refusal(
            "season.regular_weeks",
            f"The season has {counted(left, 'week')} from Week {first} on. Choose at most {left}.",
        )
    elif season.regular_weeks + playoff_weeks > left:
        room = left - playoff_weeks
        end = first + season.regular_weeks + playoff_weeks - 1
        remedy = f"Play at most {room} regular-season weeks, or choose " if room > 0 else "Choose "
        yield _refusal(
            "season.weeks_per_round",
            f"The playoffs would end in Week {end}, but the season ends with Week "
            f"{facts.last_week}. {remedy}shorter playoffs.",
        )


def _keepers(settings: DraftLeagueSettings) -> Iterator[Refusal]:
    keepers, roster = settings.keepers, settings.roster
    if keepers.most > roster.active + roster.taxi:
        yield _refusal(
            "keepers.most",
            f"A roster has {roster.active + roster.taxi} players. Choose at most as many keepers.",
        )
    if keepers.keeps_all:
        return  # nobody costs a round
    if keepers.undrafted_round is not None and keepers.undrafted_round > settings.draft_rounds:
        yield _refusal(
            "keepers.undrafted_round",
            f"The draft has {settings.draft_rounds} rounds. Choose one of them.",
        )
