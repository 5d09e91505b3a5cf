"""The settings that a page showed, sent with its form: nobody takes back what others have saved.

Two commissioners may have the same step open. The later save is refused if that step has changed
since its page was loaded, and says what changed.
"""

from __future__ import annotations

import base64
import binascii

import msgspec

from app.core.refusals import Refusal
from app.draft_leagues import setting_words
from app.draft_leagues.season_facts import scoring_titles
from app.draft_leagues.setting_words import Change
from app.draft_leagues.settings import DraftLeagueSettings

UNREADABLE = Refusal("shown", "", "This form was incomplete. Check it and save again.")


def encoded(settings: DraftLeagueSettings) -> str:
    """The settings as the form sends them back."""
    return base64.urlsafe_b64encode(msgspec.json.encode(settings)).decode()


def later_changes(
    typed: str, step: str, current: DraftLeagueSettings, requested: DraftLeagueSettings
) -> list[Refusal]:
    """Why a step is not saved: somebody has changed it since its page was loaded.

    Args:
        typed: What the form sent back of `encoded`.
        step: The step of the form.
        current: The settings as they are now.
        requested: The settings with what the form asks for.
    """
    try:
        before = msgspec.json.decode(base64.urlsafe_b64decode(typed), type=DraftLeagueSettings)
    except (binascii.Error, msgspec.DecodeError, ValueError):
        return [UNREADABLE]
    their_changes = _of_step(step, before, current)
    if not their_changes or not _of_step(step, current, requested):  # sent twice, or agreed
        return []
    own_changes = _of_step(step, before, requested)
    text = f"Someone saved other settings after you opened this page: {_listed(their_changes)}."
    if own_changes:
        text += f" Yours are not saved ({_listed(own_changes)}). Check and save again."
    return [Refusal("changed", "", text)]


def _of_step(step: str, before: DraftLeagueSettings, after: DraftLeagueSettings) -> list[Change]:
    titles = scoring_titles(before) | scoring_titles(after)
    changes = setting_words.changes(before, after, titles)
    return [change for change in changes if change.step == step]


def _listed(changes: list[Change]) -> str:
    return "; ".join(
        f"{change.label}: {change.before or 'nothing'} → {change.after or 'nothing'}"
        for change in changes
    )
