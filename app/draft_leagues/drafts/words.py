"""The notices of a draft. Pure; moments are given in the league's time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from app.core.bidi import isolated
from app.core.time_of_day import time_of_day
from app.fantasy.notices.words import Words


def planned(league: str, starts_at: datetime | None, time_zone: str) -> Words:
    """The draft room is open, or its date changed.

    >>> moment = datetime.fromisoformat("2026-09-05T23:30:00+00:00")
    >>> planned("The Row", moment, "UTC").body
    'The draft begins on Saturday 5 September at 11:30 PM UTC. Queue players before then.'
    """
    begins = (
        f"The draft begins on {moment_words(starts_at, time_zone)}"
        if starts_at is not None
        else "The commissioner will start the draft"
    )
    return Words(
        f"The draft room of {isolated(league)} is open", f"{begins}. Queue players before then."
    )


def soon(league: str, starts_at: datetime, time_zone: str) -> Words:
    """The draft begins within an hour."""
    return Words(
        f"The draft of {isolated(league)} begins soon",
        f"It begins on {moment_words(starts_at, time_zone)}. Join the draft room on time.",
    )


def begun(league: str) -> Words:
    """The draft has begun."""
    return Words(f"The draft of {isolated(league)} has begun", "Enter the room to make your picks.")


def drawn(league: str, teams: Sequence[str]) -> Words:
    """The lottery was held. `teams`: in the order of the first round."""
    order = ", ".join(isolated(team) for team in teams)
    return Words(f"Draft lottery results, {isolated(league)}", f"First-round order: {order}.")


def your_turn(league: str, what: str, deadline: datetime | None, time_zone: str) -> Words:
    """It is the reader's turn. `what`: the pick, such as `Pick 2.05`.

    >>> moment = datetime.fromisoformat("2026-09-05T23:31:30+00:00")
    >>> your_turn("The Row", "Pick 1.02", moment, "UTC").body.partition(", then")[0]
    'Pick 1.02. You have until Saturday 5 September at 11:31:30 PM UTC'
    """
    day = (
        f" You have until {moment_words(deadline, time_zone)}, then you get an auto-pick."
        if deadline is not None
        else ""
    )
    return Words(f"You're on the clock in {isolated(league)}", f"{what}.{day}")


def autopilot(league: str, *, is_by_commissioner: bool) -> Words:
    """The reader's team is drafted for from now on."""
    why = (
        "The commissioner turned autopilot on for your team."
        if is_by_commissioner
        else "Your clock ran out twice in a row."
    )
    return Words(
        f"You are on autopilot in {isolated(league)}",
        f"{why} Picks are automatic until you turn autopilot off in the draft room.",
    )


def clock_ran_out(league: str, pick: str, footballer: str) -> Words:
    """The reader's clock ran out, and somebody was picked for them."""
    return Words(
        f"Your clock ran out in {isolated(league)}",
        f"Auto-pick: {footballer}, {pick}. Queue players to guide your next one.",
    )


def picked_for(league: str, pick: str, footballer: str) -> Words:
    """The commissioner picked for the reader."""
    return Words(
        f"{isolated(league)}: the commissioner picked {footballer} for you",
        f"{pick.capitalize()}. If that is wrong, ask the commissioner to replace it.",
    )


def replaced(league: str, pick: str, before: str, after: str) -> Words:
    """The commissioner replaced a pick of the reader."""
    return Words(
        f"{isolated(league)}: the commissioner replaced {before} with {after}",
        f"{pick.capitalize()}. If that is wrong, ask the commissioner to replace it again.",
    )


def taken_back(league: str, pick: str, footballer: str) -> Words:
    """The commissioner took a pick of the reader back."""
    return Words(
        f"{isolated(league)}: the commissioner undid your pick of {footballer}",
        f"{pick.capitalize()}. The pick will be made again.",
    )


def over(league: str, *, is_best_ball: bool, is_rookie_draft: bool = False) -> Words:
    """The draft is complete.

    >>> over("The Row", is_best_ball=True, is_rookie_draft=True).body
    'Check your roster. If it is over the limit, drop players before the first game.'
    """
    advice = (
        "No lineup to set: your best players count automatically."
        if is_best_ball
        else "Set your lineup for the first week."
    )
    if is_rookie_draft:
        advice = "Check your roster. If it is over the limit, drop players before the first game."
    return Words(f"The draft of {isolated(league)} is complete", advice)


def moment_words(moment: datetime, time_zone: str) -> str:
    """Such as `Saturday 5 September at 7:30 PM EDT`."""
    local = moment.astimezone(ZoneInfo(time_zone))
    return f"{local:%A} {local.day} {local:%B} at {time_of_day(moment, time_zone)}"
