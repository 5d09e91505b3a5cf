"""What a corrected line-up is, and what is wrong with one. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.refusals import Refusal
from app.fantasy.market.formats import Format

NO_CHANGE = Refusal("change", "", "Nothing would change. Choose different starters.")
PLACES = Refusal("places", "", "The lineup slots have changed. Set the lineup again.")


def refusals(
    team_format: Format,
    starters: Sequence[str],
    stored: Sequence[str],
    eligible: Mapping[str, str],
    names: Mapping[str, str],
) -> list[Refusal]:
    """Everything that is wrong with these starters.

    Args:
        team_format: The line-up's format.
        starters: The new starters by place, '' for nobody.
        stored: The stored picks, by place.
        eligible: The position of everybody who could have played for the team, by id.
        names: Their names.
    """
    if len(starters) != len(team_format.starters):
        return [PLACES]
    if tuple(starters) == tuple(stored[: len(starters)]):
        return [NO_CHANGE]
    refused = []
    for place, (slot, pick) in enumerate(zip(team_format.starters, starters, strict=True), 1):
        if not pick:
            continue
        name = names.get(pick, "This player")
        if pick not in eligible:
            words = f"{name} was not on the team when the week locked. Choose another player."
        elif pick in starters[: place - 1]:
            words = f"{name} starts twice. Choose another player for {slot.name}."
        elif eligible[pick] not in slot.accepts:
            words = f"{name} plays {eligible[pick]}: {slot.name} takes {', '.join(slot.accepts)}."
        else:
            continue
        refused.append(Refusal("picks", f"place-{place}", words, place=place))
    return refused


def corrected(
    team_format: Format, starters: Sequence[str], stored: Sequence[str]
) -> tuple[str, ...]:
    """The whole line-up with these starters.

    Whoever was on the bench stays in order, then come those who started. If the bench is too small,
    the last of them leave the line-up.

    >>> from app.fantasy.market.formats import format_named
    >>> corrected(format_named("draft:QB1,RB1,BN2"), ("q2", "r"), ("q1", "r", "q2", ""))
    ('q2', 'r', 'q1', '')
    """
    size, places = len(team_format.starters), len(team_format.places)
    bench = [pick for pick in (*stored[size:], *stored[:size]) if pick and pick not in starters]
    return (*starters, *bench, *[""] * places)[:places]


def change_words(
    before: Sequence[str], after: Sequence[str], names: Mapping[str, str], size: int
) -> str:
    """Who starts now and who does not, in a sentence. `size`: how many places start.

    >>> change_words(("a", "b"), ("c", "b"), {"a": "Ann", "c": "Cid"}, 1)
    'Cid starts, Ann does not.'
    """
    come = [names.get(who, who) for who in after[:size] if who and who not in before[:size]]
    leave = [names.get(who, who) for who in before[:size] if who and who not in after[:size]]
    parts = []
    if come:
        parts.append(f"{' and '.join(come)} {'starts' if len(come) == 1 else 'start'}")
    if leave:
        parts.append(f"{' and '.join(leave)} {'does' if len(leave) == 1 else 'do'} not")
    if not parts:
        return "Starters change slots."
    sentence = ", ".join(parts) if come else f"{parts[0]} start"
    return f"{sentence}."
