"""A play as people say it: one sentence with the gain that a game book shows. Pure.

`A to B for 10 yards to the PHL 41, tackle by C.` The words of each event by itself are in
app/record/events; the console and the list of a play's parts use those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
_CREDITS = {
    "pass_defended": "broken up",
    "qb_hit": "passer hit",
    "tackle_for_loss": "stopped for a loss",
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
        """The sentence of these movements, then of the credits; None if there is nothing to say."""
        for group in _groups(movements):
            self.clauses.append(self._clause(group))
        sacks = [body for body in movements if isinstance(body, ev.Sack)]
        tackles = [body for body in credits_ if isinstance(body, ev.Tackle)]
        self.clauses.append(
            self._tackles(
                [
                    tackle
                    for tackle in tackles
                    if not any(_is_of_sack(tackle, sack) for sack in sacks)
                ]
            )
        )
        for credit in credits_:
            if isinstance(credit, ev.Credit):
                self.clauses.append(self._credit(credit))
        words = ", ".join(clause for clause in self.clauses if clause)
        scored = any(getattr(body, "is_touchdown", False) for body in movements)
        return sentence_of(words, is_touchdown=scored) if words else None

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
        gain = f" for {yards(end - thrown.throw_yard)}"
        if getattr(last, "is_touchdown", False):
            return gain
        is_no_gain = end == thrown.throw_yard
        return f"{gain}{self._at(thrown.team, end) if is_no_gain else self._to(thrown.team, end)}"

    def _run(self, run: ev.Run) -> str:
        before, self.carrier = self.carrier, run.player
        if not self.clauses or run.is_rush:
            return f"{run.words(self.who)}{self._end(run)}"
        gain = f" for {yards(run.end_yard - run.start_yard)}{self._end(run)}"
        runner = self.who(run.player)
        if run.kind == "after_lateral":
            return f"lateral to {runner}{gain}"
        by = "" if run.player == before and run.player is not None else f" by {runner}"
        is_own = run.kind == "after_recovery" and self.snap and run.team == self.snap.possession
        return f"{'advanced' if is_own else 'returned'}{by}{gain}"

    def _sack(self, sack: ev.Sack) -> str:
        self.carrier = sack.player
        return f"{sack.words(self.who)}{self._at(sack.team, sack.end_yard)}"

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
        article = "the" if kick.kind == "extra_point" else "a"
        if kick.kind == "field_goal" and kick.distance:
            noun = f"{kick.distance}-yard field goal"
        match kick.result:
            case "good":
                return f"{kicker} makes {article} {noun}"
            case "missed":
                return f"{kicker} misses {article} {noun}"
            case "blocked":
                return f"{noun} by {kicker} blocked{self._by(kick.blocked_by)}"
        return f"{noun} by {kicker} not kicked"

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

    def _tackles(self, tackles: Sequence[ev.Tackle]) -> str:
        tacklers = [self.who(tackle.tackler) for tackle in tackles if tackle.tackler is not None]
        return f"tackle by {_listed(tacklers)}" if tacklers else ""

    def _credit(self, credit: ev.Credit) -> str:
        """Nobody is named twice: a tackle for a loss is a tackle, and a sack hits the passer."""
        player = self.who(credit.player)
        if credit.player is None or any(player in clause for clause in self.clauses):
            return ""
        return f"{_CREDITS[credit.kind]} by {player}"

    def _conversion(self, tried: ev.Conversion) -> str:
        player = self.who(tried.player)
        if tried.side == "defence":
            points = "two points" if tried.good else "no good"
            return f"{player} returns the try for {tried.team}, {points}"
        act = f"{self.who(tried.passer)} to {player}" if tried.kind == "pass" else f"{player} runs"
        return f"{act} on the two-point try, {'good' if tried.good else 'no good'}"

    def _by(self, player: str | None) -> str:
        return "" if player is None else f" by {self.who(player)}"

    def _end(self, run: ev.Run) -> str:
        """Where a run ended; a touchdown has no spot."""
        if run.is_touchdown:
            return ""
        is_still = run.kind == "kneel" or run.end_yard == run.start_yard
        return (self._at if is_still else self._to)(run.team, run.end_yard)

    def _to(self, club: str, yard: int) -> str:
        return f" {place}" if (place := self._place(club, yard, "to", "into")) else ""

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


def _listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
