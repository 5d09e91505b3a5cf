"""The texts of all notices (PRODUCT G5): what happened, by how much, and why. Pure.

Points are in thousandths, ranks count from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

from app.core.bidi import isolated
from app.core.time_of_day import time_of_day
from app.fantasy.amounts import decimal_points, signed_points
from app.record.words import Sentence, marked

LEAGUE_CHARACTERS = 20  # of a league's name at the beginning of a title
MOST_NAMED = 3  # names in one notice; of more, the first two and the number of others


@dataclass(frozen=True)
class Words:
    """The text of a notice.

    Attributes:
        title: One line.
        body: A Sentence if it names footballers.
        delta: By how much a total of the reader changed; None if none did.
    """

    title: str
    body: str
    delta: int | None = None


@dataclass(frozen=True)
class Moved:
    """A member's points before and after, and their rank if they have one."""

    old: int
    new: int
    old_rank: int | None = None
    new_rank: int | None = None

    @property
    def delta(self) -> int:
        """The change in points."""
        return self.new - self.old


@dataclass(frozen=True)
class Match:
    """A head-to-head game as a member sees it.

    `against`: the opponent's team, or `the average`.
    """

    against: str
    mine: int
    opponents: int | Fraction


def of_leagues(leagues: Sequence[str], title: str) -> str:
    """A title that begins with the leagues that a team plays in, so that no screen cuts them.

    >>> of_leagues(["The Press Row"], "Week 1 is locked")
    'The Press Row: Week 1 is locked'
    >>> of_leagues(["The Newsroom of the Evening Post", "Pub"], "Week 1 is locked")
    'The Newsroom of the… +1: Week 1 is locked'
    >>> of_leagues([], "Week 1 is locked")
    'Week 1 is locked'
    """
    if not leagues:
        return title
    name = leagues[0]
    if len(name) > LEAGUE_CHARACTERS:
        name = f"{name[: LEAGUE_CHARACTERS - 1].rstrip()}…"
    more = f" +{len(leagues) - 1}" if len(leagues) > 1 else ""
    return f"{isolated(name)}{more}: {title}"


@dataclass(frozen=True)
class TeamDeadline:
    """When a team of these leagues locks. `time_zone`: that of the leagues."""

    leagues: Sequence[str]
    gameweek: str
    locks_at: datetime
    time_zone: str

    def title(self, verb: str) -> str:
        """Return the title of a reminder: what happens when, in the time zone of the leagues."""
        local = _local_words(self.locks_at, self.time_zone)
        return of_leagues(self.leagues, f"{self.gameweek} {verb} {local}")


def deadline_near(
    team_deadline: TeamDeadline, *, state: str, problems: Sequence[str] = ()
) -> Words:
    """Up to a day before the deadline.

    `state`: of the team sheet: `saved`, `none`, or `carried` (an earlier team plays again).
    `problems`: starters who may not play, as in `Sam Hill (injured)`.

    >>> moment = datetime.fromisoformat("2026-09-10T22:00:00+00:00")
    >>> deadline = TeamDeadline(["The Row"], "Week 1", moment, "America/New_York")
    >>> deadline_near(deadline, state="none").title
    'The Row: Week 1 locks Thu 6:00 PM EDT'
    """
    if state == "carried":
        advice = "No changes yet: last week's team will be used."
    elif state == "none":
        advice = "You have no team yet. Pick one before then."
    elif problems:
        starters = _listed([marked(problem) for problem in problems], "other starters")
        advice = f"Your team is set, but check {starters}."
    else:
        advice = "Your team is set. You can change it until then."
    return Words(team_deadline.title("locks"), Sentence.of(advice))


def deadline_passed(leagues: Sequence[str], gameweek: str, *, is_carried: bool) -> Words:
    """After the deadline, for a member with a team sheet."""
    change = (
        "You made no changes, so last week's team is used."
        if is_carried
        else "Your saved team counts."
    )
    return Words(of_leagues(leagues, f"{gameweek} is locked"), change)


def lineup_near(
    team_deadline: TeamDeadline, *, is_stored: bool, problems: Sequence[Sentence] = ()
) -> Words:
    """Up to a day before the first kickoff of a gameweek, for a member of a draft league.

    `problems`: starters who may not play, as in `Sam Hill (injured)`.

    >>> moment = datetime.fromisoformat("2026-09-10T22:00:00+00:00")
    >>> deadline = TeamDeadline(["The Row"], "Week 1", moment, "America/New_York")
    >>> lineup_near(deadline, is_stored=True).title
    'The Row: Week 1 kicks off Thu 6:00 PM EDT'
    """
    if problems:
        starters = _listed([marked(problem) for problem in problems], "other starters")
        advice = f"Check {starters} in your lineup."
    elif is_stored:
        advice = "Your lineup is set. Each player locks at kickoff."
    else:
        advice = "No changes yet: your last lineup will be used."
    return Words(team_deadline.title("kicks off"), Sentence.of(advice))


def lineup_begun(leagues: Sequence[str], gameweek: str, *, is_carried: bool) -> Words:
    """After the first kickoff of a gameweek, for a member of a draft league."""
    change = (
        "You made no changes, so your last lineup is used." if is_carried else "Your lineup is set."
    )
    title = of_leagues(leagues, f"{gameweek} has started")
    return Words(title, f"{change} Each player locks at kickoff.")


def no_team_sheet(leagues: Sequence[str], gameweek: str) -> Words:
    """After the deadline, for a member of a league who never saved a sheet."""
    return Words(
        of_leagues(leagues, f"you had no team when {gameweek} locked"),
        "You score 0 points this week. Pick your team before the next deadline.",
    )


@dataclass(frozen=True)
class Result:
    """A member's settled gameweek in a league.

    Attributes:
        points: The points of the gameweek.
        total: The total after it.
        rank: The rank after it.
        members: How many members rank.
        match: The head-to-head game, if there was one.
    """

    points: int
    total: int
    rank: int
    members: int
    match: Match | None = None


def result(league: str, gameweek: str, settled: Result) -> Words:
    """A gameweek was settled."""
    standing = (
        f"You are {ordinal(settled.rank)} of {settled.members} with "
        f"{decimal_points(settled.total)} points."
    )
    played = f"{_match_words(settled.match)} " if settled.match else ""
    points = decimal_points(settled.points)
    return Words(f"{gameweek} in {isolated(league)}: {points} points", played + standing)


@dataclass(frozen=True)
class Corrected:
    """What a correction did to a member in one league.

    The head-to-head game is mentioned if its outcome changed, or nothing else of the member did.

    Attributes:
        moved: The points of the gameweek.
        why: The sentences of the rulings, in the order of the record.
        match: The head-to-head game before and after.
    """

    league: str
    moved: Moved
    why: Sequence[str]
    match: tuple[Match, Match] | None = None


def correction(gameweek: str, corrected: Corrected) -> Words:
    """A correction of the record changed the member's gameweek in a league."""
    delta = corrected.moved.delta
    change = f": {signed_points(delta)} in" if delta else ","
    why = dict.fromkeys(marked(reason) for reason in corrected.why)
    sentences = [_corrected(gameweek, corrected), _why(list(why))]
    return Words(
        f"Stat correction in {isolated(corrected.league)}{change} {gameweek}",
        Sentence.of(" ".join(filter(None, sentences))),
        delta or None,
    )


def corrections(gameweek: str, league: str, count: int) -> str:
    """The title of several corrections of a gameweek in a league.

    >>> corrections("Week 4", "The Press Row", 9)
    '9 stat corrections in The Press Row, Week 4'
    """
    return f"{count} stat corrections in {isolated(league)}, {gameweek}"


def clocks_ran_out(league: str, count: int) -> str:
    """The title of several turns in a draft that ended without a pick.

    >>> clocks_ran_out("The Press Row", 13)
    'Your clock ran out 13 times in The Press Row'
    """
    return f"Your clock ran out {count} times in {isolated(league)}"


def teams_joined(league: str, count: int) -> str:
    """The title of several teams that joined a league.

    >>> teams_joined("The Press Row", 11)
    '11 teams joined The Press Row'
    """
    return f"{count} teams joined {isolated(league)}"


def _corrected(gameweek: str, corrected: Corrected) -> str:
    parts = [_change(corrected.moved, gameweek)]
    if corrected.match is not None and (
        _outcome(corrected.match[0]) != _outcome(corrected.match[1]) or not corrected.moved.delta
    ):
        parts.append(f"{_match_words(corrected.match[1])} Previously {_score(corrected.match[0])}.")
    parts.append(_rank_words(corrected.moved))
    return " ".join(filter(None, parts))


def _local_words(moment: datetime, time_zone: str) -> str:
    """A moment of the next days in a time zone, with the zone's short name.

    >>> moment = datetime.fromisoformat("2026-09-10T22:05:00+00:00")
    >>> _local_words(moment, "Europe/Berlin"), _local_words(moment, "America/Sao_Paulo")
    ('Fri 12:05 AM CEST', 'Thu 7:05 PM UTC-03')
    """
    local = moment.astimezone(ZoneInfo(time_zone))
    return f"{local:%a} {time_of_day(moment, time_zone)}"


def _listed(names: Sequence[str], others: str) -> str:
    """The first few names, and the number of the others.

    >>> _listed(["Row", "Work"], "more leagues")
    'Row and Work'
    >>> _listed(["Row", "Work", "Pub", "Gym", "Club"], "more leagues")
    'Row, Work and 3 more leagues'
    """
    first_names = names if len(names) <= MOST_NAMED else names[: MOST_NAMED - 1]
    if len(names) > len(first_names):
        return f"{', '.join(first_names)} and {len(names) - len(first_names)} {others}"
    return " and ".join(filter(None, [", ".join(first_names[:-1]), first_names[-1]]))


def rules_changed(league: str, old_rules: str, new_rules: str, reason: str, moved: Moved) -> Words:
    """The commissioner changed the scoring of the whole season. `moved`: the member's total."""
    parts = [
        f"Scoring changed from {old_rules} to {new_rules} for the whole season.",
        _change(moved, "Your total"),
        _rank_words(moved),
        _why([reason]),
    ]
    return Words(
        f"{isolated(league)} changed its scoring",
        " ".join(filter(None, parts)),
        moved.delta or None,
    )


def adjusted(league: str, gameweek: str, points: int, reason: str, moved: Moved) -> Words:
    """The commissioner adjusted the member's points. `moved`: the member's total."""
    verb = "added" if points > 0 else "deducted"
    parts = [
        f"The commissioner {verb} {decimal_points(abs(points))} points in {gameweek}.",
        _change(moved, "Your total"),
        _rank_words(moved),
        _why([reason]),
    ]
    return Words(
        f"{isolated(league)}: {signed_points(points)} commissioner adjustment",
        " ".join(filter(None, parts)),
        moved.delta or None,
    )


def moved_by_another(league: str, what: str, reason: str, moved: Moved) -> Words:
    """Another member's adjustment changed the reader's rank or match.

    `what`: the adjustment in a few words.
    """
    parts = [f"{what}.", _change(moved, "Your total"), _rank_words(moved), _why([reason])]
    return Words(
        f"Your rank changed in {isolated(league)}",
        " ".join(filter(None, parts)),
        moved.delta or None,
    )


def removed(league: str) -> Words:
    """The commissioner removed the member from the league."""
    return Words(
        f"You were removed from {isolated(league)}",
        "The commissioner removed your team. Your other leagues are not affected.",
    )


def friend_asked(name: str) -> Words:
    """Another player asked for friendship."""
    return Words(
        f"{isolated(name)} sent you a friend request", "Accept or decline it under Friends."
    )


def friend_accepted(name: str) -> Words:
    """Another player accepted the reader's request."""
    return Words(
        f"{isolated(name)} accepted your friend request",
        "You now see each other on friends leaderboards.",
    )


def mentioned(by: str, league: str) -> Words:
    """Somebody mentioned the reader in a post. The post itself may change, so it is not quoted."""
    return Words(
        f"{isolated(by)} mentioned you in {isolated(league)}", "Open the post to read and reply."
    )


def replied(by: str, league: str) -> Words:
    """Somebody replied to a post of the reader."""
    return Words(
        f"{isolated(by)} replied to you in {isolated(league)}", "Open the post to read and reply."
    )


def connection_stopped(league: str, service: str, reason: str) -> Words:
    """A connection of the reader's league was switched off."""
    return Words(
        f"{service} was switched off for {isolated(league)}",
        f"The address no longer accepts posts. {reason} Send a test to switch it on again, or "
        "connect a new address.",
    )


def made_commissioner(league: str, by: str) -> Words:
    """The commissioner handed the league over to the reader."""
    return Words(
        f"You are now commissioner of {isolated(league)}",
        f"{isolated(by)} transferred the league to you.",
    )


def became_commissioner(league: str) -> Words:
    """The league lost its commissioner, and the reader is the heir."""
    return Words(
        f"You are now commissioner of {isolated(league)}",
        "Its commissioner can no longer run it, and you are its longest-standing active member. "
        "You can transfer the league to another member in its settings.",
    )


def commissioner_is_back(league: str) -> Words:
    """The commissioner whose heir the reader was can run the league again."""
    return Words(
        f"The commissioner of {isolated(league)} is back",
        "The previous commissioner is running the league again.",
    )


def owner_kept_out(league: str, franchise: int) -> Words:
    """The owner of a team in the reader's draft league was banned or suspended."""
    return Words(
        f"Team {franchise} in {isolated(league)} has no active owner",
        "Its owner is banned or suspended, so their offers and claims are on hold. Manage "
        "the team or change its owner on the Commissioner page.",
    )


def owner_erased(league: str, franchise: int) -> Words:
    """The owner of a team in the reader's draft league erased their account."""
    return Words(
        f"Team {franchise} in {isolated(league)} needs an owner",
        "Its owner deleted their account. Share the invite link: the next person to join takes "
        "over the team.",
    )


def renamed(old: str, new: str) -> Words:
    """The commissioner renamed the league."""
    return Words(
        f"{isolated(old)} is now called {isolated(new)}",
        "The commissioner renamed the league. Nothing else changed.",
    )


def joined(league: str, team: str, *, is_draft: bool = False) -> Words:
    """Somebody joined the league, for its commissioner."""
    counts = (
        f"{isolated(team)} now has a spot in the league."
        if is_draft
        else f"{isolated(team)} counts from the next open week."
    )
    return Words(f"{isolated(team)} joined {isolated(league)}", counts)


def left(league: str, team: str, *, is_draft: bool = False) -> Words:
    """Somebody left the league, for its commissioner."""
    follows = (
        "The team needs an owner. Share the invite link to fill it; in a draft under way, "
        "autopilot picks for it until then."
        if is_draft
        else "The league keeps the weeks that the team has played."
    )
    return Words(f"{isolated(team)} left {isolated(league)}", follows)


def took_over(league: str, team: str, old_team: str) -> Words:
    """Somebody took over a team that waited for an owner, for the other members."""
    return Words(
        f"{isolated(team)} joined {isolated(league)}",
        f"They took over {isolated(old_team)} with its roster, results and picks.",
    )


def ordinal(number: int) -> str:
    """The English ordinal of a number.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd', '111th']
    """
    ending = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{ending}"


def _change(moved: Moved, what: str) -> str:
    """By how much something moved, as a sentence.

    >>> _change(Moved(92_400, 86_400), "Week 3")
    'Week 3 went from 92.40 to 86.40 points (-6.00).'
    """
    if not moved.delta:
        return ""
    old, new = decimal_points(moved.old), decimal_points(moved.new)
    return f"{what} went from {old} to {new} points ({signed_points(moved.delta)})."


def _rank_words(moved: Moved) -> str:
    if moved.old_rank is None or moved.new_rank is None:
        return ""
    if moved.old_rank == moved.new_rank:
        return f"You are still {ordinal(moved.new_rank)}."
    return f"You moved from {ordinal(moved.old_rank)} to {ordinal(moved.new_rank)}."


def _why(reasons: Sequence[str]) -> str:
    """The reasons as sentences, with a full stop at the end of each."""
    sentences = [reason.strip() for reason in reasons if reason.strip()]
    return (
        "Why: "
        + " ".join(sentence if sentence[-1] in ".!?" else f"{sentence}." for sentence in sentences)
        if sentences
        else ""
    )


def _outcome(match: Match) -> str:
    if match.mine == match.opponents:
        return "tied"
    return "beat" if match.mine > match.opponents else "lost to"


def _match_words(match: Match) -> str:
    return f"You {_outcome(match)} {isolated(match.against)}, {_score(match)}."


def _score(match: Match) -> str:
    return f"{decimal_points(match.mine)} to {decimal_points(match.opponents)}"
