"""A play as a game book writes it: one sentence with where it ended and what it gained. Pure.

`A to B to the PHL 41 for 10 (C).` The words of each event by itself are in app/record/events; the
console and the list of a play's parts use those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from app.record import events as ev
from app.record.events.kicks import KICK_WORDS, LANDED_WORDS
from app.record.rules.steps import Row
from app.record.rules.team_defence import is_defence
from app.record.words import (
    GOAL_LINE,
    Sentence,
    called,
    marked,
    named_sentence,
    sentence_of,
    spot,
    yards,
)

Clubs = tuple[str, str]  # home, away

_KICK_NOUNS = {
    "kickoff": "kickoff",
    "onside": "onside kick",
    "free_kick": "free kick",
    "punt": "punt",
    "extra_point": "extra point",
}
_TRY_ENDS = {"good": "is good", "missed": "is no good", "blocked": "is blocked"}
_CARRIES = {
    "rush": "runs",
    "scramble": "scrambles",
    "after_catch": "runs after the catch",
    "after_lateral": "takes the lateral",
    "return": "returns it",
    "after_recovery": "runs with it",
}
_KICK_ENDS = {
    "touchback": "touchback",
    "fair_catch": "fair catch",
    "out_of_bounds": "out of bounds",
    "downed": "downed",
}


def play_sentences(
    bodies: Sequence[ev.Body], names: Mapping[str, str], clubs: Clubs | None = None
) -> tuple[Sentence, ...]:
    """What happened in one play.

    Args:
        bodies: The play's standing events in the order of the game.
        names: The name to show by player id.
        clubs: The clubs of the game; without them no spot is told, and no club of a final score.

    Returns:
        First the movement of the ball with its credits as one sentence, if there is one; then a
        sentence for each safety, and for each event that stands beside it (flags, reviews,
        time-outs). Empty for a snap alone.
    """
    movements = [body for body in bodies if body.part == "action"]
    credits_ = [body for body in bodies if isinstance(body, ev.Tackle | ev.Credit)]
    safeties = [body for body in bodies if isinstance(body, ev.Safety)]
    others = [
        body
        for body in bodies
        if body.part not in ("action", "credit") and not isinstance(body, ev.Snap)
    ]
    ball_sentence = _Teller(bodies, names, clubs).tell(movements, credits_)
    sentences = [ball_sentence] if ball_sentence else []
    beside = (sentence_beside(body, names, clubs) for body in (*safeties, *others))
    return (*sentences, *beside)


def ball_events(bodies: Iterable[ev.Body]) -> list[ev.Body]:
    """What is told of a play where only its ball matters: snap, movements and their credits.

    Flags, reviews, time-outs and the ends of periods and of the game stay out.
    """
    return [
        body for body in bodies if isinstance(body, ev.Snap) or body.part in ("action", "credit")
    ]


def sentence_beside(body: ev.Body, names: Mapping[str, str], clubs: Clubs | None) -> Sentence:
    """An event that does not move the ball; a final score with the clubs if they are known."""
    if isinstance(body, ev.Final) and clubs is not None:
        home, away = clubs
        return sentence_of(f"Final: {away} {body.away_score}, {home} {body.home_score}")
    return named_sentence(body, names)


def joined(sentences: Sequence[str]) -> Sentence:
    """Sentences one after another, with the names that they mark."""
    return Sentence.of(" ".join(marked(sentence) for sentence in sentences))


def standing(rows: Sequence[Row], before: int | None = None) -> list[ev.Body]:
    """The bodies that counted just before correction `before`; None: those that count now.

    `rows`: revisions of events, in the order of the game.
    """
    return [row.body for row in rows if _stands(row, before)]


def _stands(row: Row, before: int | None) -> bool:
    if before is None:
        return row.taken_by is None
    return max(row.number, row.revision) < before and (
        row.taken_by is None or row.taken_by >= before
    )


def rulings(rows: Iterable[Row]) -> list[list[int]]:
    """The numbers of the corrections of a play.

    Those with consecutive numbers are one ruling: the console sends them together.

    Args:
        rows: Revisions of the play's events.
    """
    numbers = sorted(
        {row.taken_by for row in rows if row.taken_by is not None}
        | {row.revision for row in rows if row.revision}
    )
    together: list[list[int]] = []
    for number in numbers:
        if together and number == together[-1][-1] + 1:
            together[-1].append(number)
        else:
            together.append([number])
    return together


def surnames(names: Mapping[str, str]) -> dict[str, str]:
    """The names by which people call these players, by id.

    Everything behind the first word; with an initial where two of them share it, and whole if that
    does not help. A name of one word stays, and so does that of a club's defence.

    >>> surnames({"1": "Bo Hill", "2": "Al St. Brown", "3": "Cy Hill", "4": "Zoe"})
    {'1': 'B. Hill', '2': 'St. Brown', '3': 'C. Hill', '4': 'Zoe'}
    >>> surnames({"1": "Bo Hill", "2": "Ben Hill"})
    {'1': 'Bo Hill', '2': 'Ben Hill'}
    >>> surnames({"KC-DST": "Kansas City D/ST"})
    {'KC-DST': 'Kansas City D/ST'}
    """
    forms = {name: _forms(name) for player, name in names.items() if not is_defence(player)}
    bearers = [form for all_forms in forms.values() for form in all_forms]
    return {
        player: next((form for form in forms.get(name, ()) if bearers.count(form) == 1), name)
        for player, name in names.items()
    }


def _forms(name: str) -> list[str]:
    first, _, surname = name.partition(" ")
    return [surname, f"{first[0]}. {surname}"] if surname else [name]


class _Teller:
    """Follows the ball through one play and says where it went."""

    def __init__(
        self, play: Sequence[ev.Body], names: Mapping[str, str], clubs: Clubs | None
    ) -> None:
        self.clubs = clubs
        self.snap = next((body for body in play if isinstance(body, ev.Snap)), None)
        self.who = called(names)
        self.clauses: list[str] = []
        self.carrier: str | None = None

    def tell(self, movements: Sequence[ev.Body], credits_: Sequence[ev.Body]) -> Sentence | None:
        """The sentence of these movements with their credits; None if there is nothing to say."""
        for group in _groups(movements):
            self.clauses.append(self._clause(group))
        if not self.clauses:
            words = ", ".join(credit.words(self.who) for credit in credits_)
            return sentence_of(words) if words else None
        sacks = [body for body in movements if isinstance(body, ev.Sack)]
        words = ", ".join(self.clauses) + _in_brackets(self._defenders(credits_, sacks))
        for credit in credits_:
            hitter = credit.player if _is_credit(credit, "qb_hit") else None
            if hitter is not None and self.who(hitter) not in words:
                words += f", passer hit by {self.who(hitter)}"
        scored = any(getattr(body, "is_touchdown", False) for body in movements)
        return sentence_of(words, is_touchdown=scored)

    def _clause(self, group: Sequence[ev.Body]) -> str:
        """The words of movements that belong together: see _groups."""
        first = group[0]
        match first:
            case ev.Pass():
                clause = self._pass(first, group[-1])
            case ev.Run() if len(group) > 1:
                clause = f"muffed by {self.who(first.player)}{self._at(first.team, first.end_yard)}"
            case ev.Run():
                clause = self._run(first)
            case ev.Sack():
                clause = self._sack(first)
            case ev.Interception():
                clause = self._interception(first)
            case ev.Kick():
                clause = self._kick(first)
            case ev.Fumble():
                clause = self._fumble(first)
            case ev.Recovery():
                clause = self._recovery(first)
            case ev.Conversion():
                clause = self._conversion(first)
            case _:
                clause = first.words(self.who)
        return clause

    def _pass(self, thrown: ev.Pass, last: ev.Body) -> str:
        """A pass. `last`: the run after the catch, or the pass itself."""
        where = "".join(f" {word}" for word in (thrown.length, thrown.location) if word)
        to = f" to {self.who(thrown.receiver)}" if thrown.receiver else ""
        passer = f"{self.who(thrown.passer)}{where}"
        match thrown.result:
            case "complete":
                return f"{passer} to {self.who(thrown.receiver)}{self._catch(thrown, last)}"
            case "spike":
                return f"{self.who(thrown.passer)} spikes the ball"
            case "intercepted":
                self.carrier = thrown.passer
                return f"{passer}{to}, intercepted" if to else f"{passer} intercepted"
        if thrown.incompletion == "thrown_away":
            return f"{self.who(thrown.passer)} throws the ball away"
        dropped = " (dropped)" if thrown.incompletion == "dropped" else ""
        return (
            f"{passer}{to}, incomplete{dropped}" if to else f"{passer} throws incomplete{dropped}"
        )

    def _catch(self, thrown: ev.Pass, last: ev.Body) -> str:
        """The gain of a completed pass, from the line of scrimmage to the end."""
        self.carrier = thrown.receiver
        end = last.end_yard if isinstance(last, ev.Run) else thrown.reception_yard or 0
        scored = getattr(last, "is_touchdown", False)
        return self._gain(thrown.team, thrown.throw_yard, end, scored=scored)

    def _run(self, run: ev.Run) -> str:
        before, self.carrier = self.carrier, run.player
        runner = self.who(run.player)
        if run.kind == "kneel":
            return f"{runner} kneels{self._at(run.team, run.end_yard)}"
        gain = self._gain(run.team, run.start_yard, run.end_yard, scored=run.is_touchdown)
        if not self.clauses or run.is_rush:
            return f"{runner} {_carried(run)}{gain}"
        if run.kind == "after_lateral":
            return f"lateral to {runner}{gain}"
        by = "" if run.player == before and run.player is not None else f" by {runner}"
        is_own = run.kind == "after_recovery" and self.snap and run.team == self.snap.possession
        return f"{'advanced' if is_own else 'returned'}{by}{gain}"

    def _sack(self, sack: ev.Sack) -> str:
        self.carrier = sack.player
        loss = self._gain(sack.team, sack.start_yard, sack.end_yard, ("at", "in"))
        sackers = [self.who(player) for player in sack.by if player is not None]
        return f"{self.who(sack.player)} sacked{loss}{_in_brackets(sackers)}"

    def _interception(self, caught: ev.Interception) -> str:
        self.carrier = caught.player
        at = "" if caught.is_touchdown else self._at(caught.team, caught.yard)
        if not self.clauses:
            return f"intercepted by {self.who(caught.player)} for {caught.team}{at}"
        thrown = self.clauses.pop().removesuffix(", intercepted").removesuffix(" intercepted")
        return f"{thrown}, intercepted by {self.who(caught.player)}{at}"

    def _kick(self, kick: ev.Kick) -> str:
        kicker = self.who(kick.kicker)
        if kick.kind in ("field_goal", "extra_point"):
            return self._try(kick, kicker)
        if kick.result == "blocked":
            return f"{_KICK_NOUNS[kick.kind]} by {kicker} blocked{self._by(kick.blocked_by)}"
        length = f" {yards(kick.distance)}" if kick.distance else ""
        end = LANDED_WORDS.get(kick.landed or "", _KICK_ENDS.get(kick.result, ""))
        if kick.result in ("downed", "out_of_bounds", "fair_catch") and kick.distance is not None:
            start = kick.start_yard
            if start is None and self.snap is not None:
                start = self.snap.spot
            end += "" if start is None else self._at(kick.team, start + kick.distance)
        return f"{kicker} {KICK_WORDS[kick.kind]}{length}{f', {end}' if end else ''}"

    def _try(self, kick: ev.Kick, kicker: str) -> str:
        """A kick between the posts."""
        noun = _KICK_NOUNS.get(kick.kind, "field goal")
        if kick.kind == "field_goal" and kick.distance:
            noun = f"{kick.distance}-yard field goal"
        end = _TRY_ENDS.get(kick.result, "is not kicked")
        return f"{kicker} {noun} {end}{self._by(kick.blocked_by)}"

    def _fumble(self, fumble: ev.Fumble) -> str:
        forced = self._by(fumble.forced_by)
        details = [f"forced{forced}"] if forced else []
        if fumble.out_of_bounds:
            details.append(f"out of bounds{self._at(fumble.team, fumble.out_yard)}")
        behind = f" ({', '.join(details)})" if details else ""
        if not self.clauses:
            return f"{self.who(fumble.player)} fumbles{behind}"
        if fumble.player == self.carrier and fumble.player is not None:
            return f"fumble{behind}"
        return f"fumble by {self.who(fumble.player)}{behind}"

    def _recovery(self, recovery: ev.Recovery) -> str:
        self.carrier = recovery.player
        at = "" if recovery.is_touchdown else self._at(recovery.team, recovery.yard)
        return f"recovered by {self.who(recovery.player)} for {recovery.team}{at}"

    def _defenders(self, credits_: Sequence[ev.Body], sacks: Sequence[ev.Sack]) -> list[str]:
        """Who made the tackle, broke up the pass or stopped the run for a loss, each once.

        The tackles of a sack are in its clause.
        """
        tackles = [body for body in credits_ if isinstance(body, ev.Tackle)]
        names = [
            self.who(tackle.tackler)
            for tackle in tackles
            if tackle.tackler is not None and not any(_is_of_sack(tackle, sack) for sack in sacks)
        ]
        stops = [body for body in credits_ if _is_credit(body, "pass_defended", "tackle_for_loss")]
        clauses = "".join(self.clauses)
        names += [
            self.who(stop.player)
            for stop in stops
            if stop.player is not None and self.who(stop.player) not in clauses
        ]
        return list(dict.fromkeys(names))

    def _conversion(self, tried: ev.Conversion) -> str:
        player = self.who(tried.player)
        if tried.side == "defence":
            points = "two points" if tried.good else "no good"
            return f"{player} returns the try for {tried.team}, {points}"
        act = f"{self.who(tried.passer)} to {player}" if tried.kind == "pass" else f"{player} runs"
        return f"{act} on the two-point try, {'good' if tried.good else 'no good'}"

    def _by(self, player: str | None) -> str:
        return "" if player is None else f" by {self.who(player)}"

    def _gain(
        self,
        club: str,
        start: int,
        end: int,
        places: tuple[str, str] = ("to", "into"),
        *,
        scored: bool = False,
    ) -> str:
        """Where a movement ended and its yards: ` to the HRB 37 for 10`.

        A touchdown has no spot: ` for 65 yards`. `places`: the words for a yard line and the end
        zone.
        """
        place = "" if scored else self._place(club, end, *places)
        if not place:
            return f" for {yards(end - start)}"
        return f" {place} for {end - start or 'no gain'}"

    def _at(self, club: str, yard: int | None) -> str:
        place = "" if yard is None else self._place(club, yard, "at", "in")
        return f" {place}" if place else ""

    def _place(self, club: str, yard: int, word: str, word_of_end_zone: str) -> str:
        if self.clubs is None:
            return ""
        if not 0 < yard < GOAL_LINE:
            return f"{word_of_end_zone} the end zone"
        home, away = self.clubs
        return f"{word} the {spot(club, yard, away if club == home else home).removeprefix('the ')}"


def _groups(movements: Sequence[ev.Body]) -> list[list[ev.Body]]:
    """Movements that become one clause: a catch with the run after it, and a muff.

    A muff is recorded as a return of no yards and a fumble. It is no possession (NFL Rule 3, muff),
    so it is neither.
    """
    groups: list[list[ev.Body]] = []
    for body in movements:
        is_after_kick = len(groups) > 1 and isinstance(groups[-2][0], ev.Kick)
        if groups and (
            _is_run_after_catch(groups[-1][-1], body)
            or (is_after_kick and _is_muff(groups[-1][-1], body))
        ):
            groups[-1].append(body)
        else:
            groups.append([body])
    return groups


def _is_run_after_catch(before: ev.Body, body: ev.Body) -> bool:
    return (
        isinstance(before, ev.Pass)
        and before.result == "complete"
        and isinstance(body, ev.Run)
        and body.kind == "after_catch"
        and body.player == before.receiver
    )


def _is_of_sack(tackle: ev.Tackle, sack: ev.Sack) -> bool:
    return tackle.tackler in sack.by and tackle.tackled in (None, sack.player)


def _is_muff(before: ev.Body, body: ev.Body) -> bool:
    return (
        isinstance(before, ev.Run)
        and before.kind == "return"
        and before.start_yard == before.end_yard
        and isinstance(body, ev.Fumble)
        and body.player == before.player
        and body.forced_by_team is None
    )


def _is_credit(body: ev.Body, *kinds: str) -> TypeGuard[ev.Credit]:
    return isinstance(body, ev.Credit) and body.kind in kinds


def _carried(run: ev.Run) -> str:
    """How the ball was carried: `up the middle`, `left end`, `scrambles right`, else `runs`."""
    direction = " ".join(word for word in (run.location, run.gap) if word)
    if run.location == "middle":
        direction = "up the middle"
    verb = _CARRIES[run.kind]
    return direction if direction and run.kind == "rush" else f"{verb} {direction}".rstrip()


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
