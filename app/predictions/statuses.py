"""What a provider's status means here. Pure.

`open`: to be played or being played, with a kickoff. `ended`: has a result. `not-defined`: neither, for the reason that
`fate` names:

- `postponed`: guesses stay and are open again until the new kickoff; one that was in play is abandoned instead;
- `abandoned`: begun and not finished; guesses earn nothing unless the provider gives a result after all;
- `void`: will not be played; guesses earn nothing, and the round is complete without it;
- no fate: the provider does not say.

A match that is only moved keeps its guesses, which lock at the new kickoff.
"""

from __future__ import annotations

OPEN, ENDED, NOT_DEFINED = "open", "ended", "not-defined"
STATUSES = (OPEN, ENDED, NOT_DEFINED)
POSTPONED, ABANDONED, VOID = "postponed", "abandoned", "void"
FATES = (POSTPONED, ABANDONED, VOID)

# One that is interrupted is still being played: its guesses must not open again.
_IN_PLAY = "inprogress in_progress live 1st_half halftime 2nd_half paused suspended interrupted"
_WORDS = {
    OPEN: f"open notstarted not_started scheduled timed delayed {_IN_PLAY}",
    ENDED: "ended finished final ft aet ap after_extra_time after_penalties",
    POSTPONED: "postponed",
    ABANDONED: "abandoned",
    VOID: "void canceled cancelled annulled",
}
_MEANING = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}


def normalised(provider_status: str) -> tuple[str, str | None]:
    """Status and fate. An unknown word is not defined, without a fate."""
    meaning = _MEANING.get(_plain(provider_status))
    if meaning in FATES:
        return NOT_DEFINED, meaning
    return meaning or NOT_DEFINED, None


def has_begun(provider_status: str, home_score: int | None, away_score: int | None) -> bool:
    """Whether a match without a result is being played: its word says so, or there is a score.

    0:0 alone is none, as some providers give it to every match that is to come.
    """
    return _plain(provider_status) in _IN_PLAY.split() or bool(home_score or away_score)


def _plain(provider_status: str) -> str:
    return provider_status.strip().lower().replace(" ", "_").replace("-", "_")
