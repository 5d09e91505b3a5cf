"""What an import comes to: who is found, what is wrong, and the acts that make rosters. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.refusals import Refusal
from app.draft_leagues.importing.values import ImportedLeague, ImportedPlayer
from app.draft_leagues.name_matching import Known, Matcher
from app.fantasy.rosters.rules import BudgetMove, Move, PickMove, Transaction

MOST_BENCH, MOST_RESERVE = 30, 10  # of the settings
TWICE = "The files list this player on two rosters or in two rows."
ID_DIFFERS = "The ID in the files belongs to a player with a different name, position or club."
REASON = "Imported with the league"


@dataclass(frozen=True)
class Doubt:
    """A footballer of the files who is not found.

    Attributes:
        suggestions: Who may be meant.
        reason: Why the files do not decide it, if somebody was found.
    """

    team: str
    player: ImportedPlayer
    suggestions: tuple[Known, ...]
    reason: str = ""


@dataclass(frozen=True)
class Matched:
    """Whom the files mean.

    `ids`: footballers of the record by the key of the file; `doubts`: the others, in order.
    """

    ids: Mapping[str, str]
    doubts: Sequence[Doubt]


def match_players(
    league: ImportedLeague, known: Iterable[Known], choices: Mapping[str, str]
) -> Matched:
    """Find everybody on the rosters.

    Args:
        league: The league of the files.
        known: Everybody on the season's market.
        choices: The footballer whom somebody chose, by the key of the file; '' to leave them out.

    Somebody whom two rows mean is a doubt of both, unless it was chosen.
    """
    listed = list(known)
    matcher = Matcher(listed)
    on_market = {each.id for each in listed}
    players = [(team.name, player) for team in league.teams for player in team.players]
    matches = {
        player.key: matcher.match(player.named)
        for _, player in players
        if player.key not in choices
    }
    chosen = {key: chosen for key, chosen in choices.items() if chosen in on_market}
    meant = Counter(match.footballer.id for match in matches.values() if match.footballer)
    meant.update(chosen[player.key] for _, player in players if player.key in chosen)
    ids: dict[str, str] = {}
    doubts = []
    for team_name, player in players:
        match = matches.get(player.key)
        if match is None:
            if player.key in chosen:
                ids[player.key] = chosen[player.key]
        elif match.footballer is None:
            has_id = any(each.id in player.ids for each in match.suggestions)
            doubts.append(Doubt(team_name, player, match.suggestions, ID_DIFFERS if has_id else ""))
        elif meant[match.footballer.id] > 1:
            doubts.append(Doubt(team_name, player, (match.footballer,), TWICE))
        else:
            ids[player.key] = match.footballer.id
    return Matched(ids, doubts)


def import_faults(league: ImportedLeague, ids: Mapping[str, str]) -> list[Refusal]:
    """What makes the league impossible here, with remedies."""
    names = Counter(team.key for team in league.teams)
    refused = [
        Refusal("team_twice", "", f"Two teams are called {key}. Give them different names.")
        for key, count in names.items()
        if count > 1
    ]
    named = {player.key: player.name for team in league.teams for player in team.players}
    places = Counter(
        ids[player.key] for team in league.teams for player in team.players if player.key in ids
    )
    for key, name in named.items():
        footballer = ids.get(key)
        if footballer and places[footballer] > 1:
            places[footballer] = 0  # once is enough
            refused.append(
                Refusal("player_twice", "", f"{name} is on two rosters. Remove one of them.")
            )
    return [*refused, *_game_faults(league), *_size_faults(league)]


def _size_faults(league: ImportedLeague) -> list[Refusal]:
    """Rosters that are larger than any here. The settings have places for the largest."""
    roster = league.settings.roster
    return [
        Refusal("too_many", "", f"A roster has {count} {what}. The limit is {most}.")
        for count, most, what in (
            (roster.bench, MOST_BENCH, "players on the bench"),
            (roster.reserve, MOST_RESERVE, "players on injured reserve"),
            (roster.taxi, MOST_RESERVE, "players on the taxi squad"),
        )
        if count > most
    ]


def _game_faults(league: ImportedLeague) -> list[Refusal]:
    names = {team.key: team.name for team in league.teams}
    sides = Counter(
        (game.week, side)
        for game in league.games
        for side in (game.home, game.away)
        if side is not None
    )
    return [
        Refusal(
            "game_twice",
            "",
            f"{names.get(side, side)} plays twice in week {week}. Correct the results.",
        )
        for (week, side), count in sides.items()
        if count > 1
    ]


def roster_acts(
    league: ImportedLeague, ids: Mapping[str, str], numbers: Mapping[str, int], by_member_id: int
) -> list[Transaction]:
    """The commissioner's acts that make the rosters, budgets and picks of the files.

    `numbers`: franchises by the keys of their teams.
    """
    acts = []
    for team in league.teams:
        number = numbers[team.key]
        moves = tuple(
            Move(ids[player.key], None, number, player.spot)
            for player in team.players
            if player.key in ids
        )
        used = team.budget_used
        budgets = (BudgetMove(number, -used),) if used else ()
        if moves or budgets:
            acts.append(
                Transaction(
                    "commissioner",
                    moves,
                    budgets,
                    by_member_id=by_member_id,
                    reason=REASON,
                    source=f"import:{number}",
                )
            )
    picks = tuple(
        PickMove(
            pick.season,
            pick.round,
            numbers[pick.original],
            numbers[pick.original],
            numbers[pick.owner],
        )
        for pick in league.picks
        if pick.original in numbers and pick.owner in numbers
    )
    if picks:
        acts.append(
            Transaction(
                "commissioner",
                picks=picks,
                by_member_id=by_member_id,
                reason=REASON,
                source="import:picks",
            )
        )
    return acts
