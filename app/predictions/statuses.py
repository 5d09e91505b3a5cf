"""Translates providers' status words into our statuses. Pure.

`open`: to be played or being played, with a kickoff. `ended`: has a result. `not-defined`: neither,
for the reason that `fate` names:

- `postponed`: guesses stay and are open again until the new kickoff; one that had begun is
  abandoned instead;
- `abandoned`: begun and not finished; guesses earn nothing unless the provider gives a result after
  all;
- `void`: will not be played; guesses earn nothing, and the round is complete without it;
- no fate: the provider does not say, or says it in a word that is in no vocabulary below.

A match that is only moved keeps its guesses, which lock at the new kickoff.
"""

from __future__ import annotations

from datetime import datetime

OPEN, ENDED, NOT_DEFINED = "open", "ended", "not-defined"
STATUSES = (OPEN, ENDED, NOT_DEFINED)
POSTPONED, ABANDONED, VOID = "postponed", "abandoned", "void"
FATES = (POSTPONED, ABANDONED, VOID)

# Two more meanings of words: `in play` is `open` and has begun; `awarded` is `ended` with the
# awarded score, if there is one.
IN_PLAY, AWARDED = "in-play", "awarded"

# The words of public providers by meaning, as documented by each of them. No word has two meanings.
# A match that is interrupted or suspended is still being played, so its guesses must not reopen.
VOCABULARIES: dict[str, dict[str, str]] = {
    "Pressbox and plain words": {
        OPEN: "open notstarted not_started scheduled timed delayed",
        IN_PLAY: (
            "inprogress in_progress live 1st_half halftime 2nd_half paused suspended interrupted"
        ),
        ENDED: "ended finished final ft aet ap after_extra_time after_penalties",
        POSTPONED: "postponed",
        ABANDONED: "abandoned",
        VOID: "void canceled cancelled annulled",
        AWARDED: "awarded walkover forfeited forfeit",
    },
    # docs.football-data.org/general/v4: match.status
    "football-data.org v4": {
        OPEN: "SCHEDULED TIMED",
        IN_PLAY: "LIVE IN_PLAY PAUSED EXTRA_TIME PENALTY_SHOOTOUT SUSPENDED",
        ENDED: "FINISHED",
        POSTPONED: "POSTPONED",
        VOID: "CANCELLED",
        AWARDED: "AWARDED",
    },
    # api-football.com, v3: fixture.status.short
    "API-Football v3": {
        OPEN: "TBD NS",
        IN_PLAY: "1H HT 2H ET BT P SUSP INT LIVE",
        ENDED: "FT AET PEN",
        POSTPONED: "PST",
        ABANDONED: "ABD",
        VOID: "CANC",
        AWARDED: "AWD WO",
    },
    # the same: fixture.status.long; AET, BT and PEN have longer phrases in older editions of the
    # reference
    "API-Football v3, long": {
        OPEN: "time_to_be_defined not_started",
        IN_PLAY: "first_half first_half,_kick_off halftime half_time second_half "
        "second_half,_2nd_half_started"
        " extra_time break_time break_time_(in_extra_time) penalty_in_progress match_suspended "
        "match_interrupted"
        " in_progress",
        ENDED: "match_finished match_finished_after_extra_time match_finished_after_penalty",
        POSTPONED: "match_postponed",
        ABANDONED: "match_abandoned",
        VOID: "match_cancelled",
        AWARDED: "technical_loss walkover",
    },
    # docs.sportmonks.com/football/definitions/states: the state's developer_name; the second line
    # is of version 2
    "Sportmonks v3": {
        OPEN: "NS TBA DELAYED PENDING AWAITING_UPDATES AU",
        IN_PLAY: "INPLAY_1ST_HALF HT INPLAY_2ND_HALF BREAK INPLAY_ET EXTRA_TIME_BREAK "
        "INPLAY_ET_2ND_HALF"
        " INPLAY_ET_SECOND_HALF PEN_BREAK INPLAY_PENALTIES SUSPENDED INTERRUPTED PEN_LIVE",
        ENDED: "FT AET FT_PEN",
        POSTPONED: "POSTPONED POSTP",
        ABANDONED: "ABANDONED ABAN",
        VOID: "CANCELLED CANCL DELETED",
        AWARDED: "AWARDED WO",
    },
    # developer.sportradar.com/soccer, v4: sport_event_status.status and .match_status
    "Sportradar Soccer v4": {
        OPEN: "not_started match_about_to_start start_delayed delayed",
        IN_PLAY: "live started 1st_half halftime 2nd_half awaiting_extra awaiting_extra_time "
        "overtime "
        "1st_extra"
        " extra_time_halftime 2nd_extra awaiting_penalties penalties pause interrupted suspended",
        ENDED: "ended closed aet ap",
        POSTPONED: "postponed",
        ABANDONED: "abandoned",
        VOID: "cancelled",
        AWARDED: "walkover",
    },
    # developer.sportradar.com/football/reference/nfl-faq, v7: game.status
    "Sportradar NFL v7": {
        OPEN: "created scheduled flex-schedule time-tbd delayed",
        IN_PLAY: "inprogress halftime suspended",
        ENDED: "complete closed",
        POSTPONED: "postponed",
        VOID: "cancelled",
    },
    # site.api.espn.com: status.type.name, with or without STATUS_
    "ESPN": {
        OPEN: "STATUS_SCHEDULED STATUS_DELAYED",
        IN_PLAY: "STATUS_IN_PROGRESS STATUS_FIRST_HALF STATUS_HALFTIME STATUS_SECOND_HALF "
        "STATUS_END_PERIOD"
        " STATUS_END_OF_REGULATION STATUS_OVERTIME STATUS_HALFTIME_ET STATUS_END_OF_EXTRATIME "
        "STATUS_SHOOTOUT"
        " STATUS_RAIN_DELAY STATUS_SUSPENDED",
        ENDED: "STATUS_FINAL STATUS_FULL_TIME STATUS_FINAL_AET STATUS_FINAL_PEN STATUS_FINAL_OT",
        POSTPONED: "STATUS_POSTPONED",
        ABANDONED: "STATUS_ABANDONED",
        VOID: "STATUS_CANCELED",
        AWARDED: "STATUS_FORFEIT",
    },
}


# Words that say how far a match went. Before extra time or a shoot-out begins, the score is still
# that of the previous stage.
_EXTRA_TIME_WORDS = """
    EXTRA_TIME ET BT AET break_time break_time_(in_extra_time) after_extra_time
    match_finished_after_extra_time INPLAY_ET EXTRA_TIME_BREAK INPLAY_ET_2ND_HALF
    INPLAY_ET_SECOND_HALF PEN_BREAK overtime 1st_extra extra_time_halftime 2nd_extra
    awaiting_penalties STATUS_OVERTIME STATUS_HALFTIME_ET STATUS_END_OF_EXTRATIME STATUS_FINAL_AET
    STATUS_FINAL_OT
"""
_SHOOTOUT_WORDS = """
    PENALTY_SHOOTOUT P penalty_in_progress PEN AP after_penalties match_finished_after_penalty
    INPLAY_PENALTIES PEN_LIVE FT_PEN penalties STATUS_SHOOTOUT STATUS_FINAL_PEN
"""


def is_locked(status: str, fate: str | None, kickoff: datetime | None, now: datetime) -> bool:
    """Whether guesses of a match are closed.

    The trigger in migrations/predictions/predictions.sql applies the same rule.
    """
    if status == ENDED or fate in (ABANDONED, VOID):
        return True
    return kickoff is not None and kickoff <= now and fate != POSTPONED


def _plain(provider_status: str) -> str:
    word = provider_status.strip().lower().replace(" ", "_").replace("-", "_")
    return word.removeprefix("status_")


_MEANING = {
    _plain(word): meaning
    for vocabulary in VOCABULARIES.values()
    for meaning, words in vocabulary.items()
    for word in words.split()
}


_DURATIONS = {_plain(word): "extra_time" for word in _EXTRA_TIME_WORDS.split()} | {
    _plain(word): "shootout" for word in _SHOOTOUT_WORDS.split()
}


def duration(provider_status: str) -> str | None:
    """Return how far the match went by its word: `extra_time`, `shootout`, or None if unknown."""
    return _DURATIONS.get(_plain(provider_status))


def is_over(provider_status: str) -> bool:
    """Whether the word says that the match was played to its end."""
    return _MEANING.get(_plain(provider_status)) == ENDED


def is_awarded(provider_status: str) -> bool:
    """Whether the word says that somebody decided the score."""
    return _MEANING.get(_plain(provider_status)) == AWARDED


def is_known(provider_status: str) -> bool:
    """Whether the word is in a vocabulary."""
    return _plain(provider_status) in _MEANING


def normalised(provider_status: str, *, has_score: bool = True) -> tuple[str, str | None]:
    """Return status and fate of a match. An unknown word gives `not-defined` without a fate.

    Without a score of both teams, a match that ended is `not-defined`, and an awarded one is void.
    """
    meaning = _MEANING.get(_plain(provider_status))
    if meaning in FATES:
        return NOT_DEFINED, meaning
    if meaning == AWARDED:
        return (ENDED, None) if has_score else (NOT_DEFINED, VOID)
    if meaning == ENDED:
        return (ENDED, None) if has_score else (NOT_DEFINED, None)
    return (OPEN if meaning in (OPEN, IN_PLAY) else NOT_DEFINED), None


def has_begun(provider_status: str, home_score: int | None, away_score: int | None) -> bool:
    """Whether a match without a result has begun, by its word or because it has a score.

    A score of 0:0 does not count, because some providers give it to every future match.
    """
    return _MEANING.get(_plain(provider_status)) in (IN_PLAY, ENDED) or bool(
        home_score or away_score
    )
