"""Describes entries of the audit in words. Pure: the caller looks names up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.audit.acts import Act
from app.core.bidi import isolated

# What follows the name of who did it; {about} is whom or what it was done to.
DID: Mapping[str, str] = {
    Act.SIGNED_IN: "signed in",
    Act.SIGN_IN_FAILED: "failed to sign in as {about}",
    Act.SIGNED_OUT: "signed out",
    Act.SESSIONS_ENDED: "ended sessions of {about}",
    Act.PASSWORD_CHANGED: "changed the password of {about}",
    Act.COMMAND: "ran a command on the server",
    Act.DRILL: "started a drill",
    Act.DEAD_LETTERS_REPLAYED: "sent dead letters again",
    Act.DEAD_LETTERS_DROPPED: "discarded dead letters",
    Act.BOARD_REBUILT: "had {about} rebuilt",
    Act.BACKUP_RESTORED: "restored {about}",
    Act.FEED_CHANGED: "changed {about}",
    Act.GAME_DECLARED: "declared how {about} is played",
    Act.GAME_MOVED: "moved the kickoff of {about}",
    Act.GAME_CORRECTED: "corrected the registration of {about}",
    Act.GAME_DETAILS: "wrote the details of {about}",
    Act.CLUB_REGISTERED: "registered {about}",
    Act.MATCH_VOIDED: "voided {about}",
    Act.MATCH_COUNTED_AGAIN: "had {about} count again",
    Act.MATCH_REDATED: "gave {about} a new kickoff",
    Act.MATCH_RELEASED: "reset the kickoff of {about} to its provider's",
    Act.MATCH_MERGED: "merged {about} into another one",
    Act.LEAGUE_IMPORTED: "imported {about}",
    Act.PASSWORD_LINK_MADE: "created a password link for {about}",
    Act.EMAIL_CHANGED: "changed the email address of {about}",
    Act.ACCOUNT_MADE: "created the account of {about}",
    Act.ROLES_CHANGED: "changed the roles of {about}",
    Act.SECOND_FACTOR_ADDED: "added two-step sign-in for {about}",
    Act.SECOND_FACTOR_REMOVED: "removed two-step sign-in of {about}",
    Act.KEY_MADE: "created {about}",
    Act.KEY_REVOKED: "revoked {about}",
    Act.INTEGRATOR_CHANGED: "changed {about}",
    Act.INTEGRATOR_DELETED: "requested the deletion of {about}",
    Act.INTEGRATOR_GONE: "finished deleting {about}",
    Act.SCORE_ACCEPTED: "accepted a held score",
    Act.SCORE_REJECTED: "rejected a score",
    Act.SCORE_QUARANTINED: "held a score",
    Act.SCORE_RESTORED: "restored a score",
    Act.SCORES_ROLLED_BACK: "rolled back scores",
    Act.ROLLBACK_UNDONE: "undid a rollback of scores",
    Act.BANNED: "banned {about}",
    Act.SUSPENDED: "suspended {about}",
    Act.SHADOWED: "shadow banned {about}",
    Act.SANCTION_LIFTED: "lifted the sanction on {about}",
    Act.NOTE_WRITTEN: "wrote a note about {about}",
    Act.PLAYER_RENAMED: "removed the name of {about}",
    Act.NAME_FREED: "restored the name of {about}",
    Act.PICTURE_REMOVED: "removed the picture of {about}",
    Act.MARKED_MINOR: "marked {about} as a minor",
    Act.UNMARKED_MINOR: "unmarked {about} as a minor",
    Act.POST_REMOVED: "removed {about}",
    Act.REPORT_CLOSED: "closed a report about {about}",
    Act.APPEAL_DECIDED: "decided an appeal of {about}",
    Act.BOARD_FROZEN: "froze {about}",
    Act.BOARD_THAWED: "unfroze {about}",
    Act.GAME_CHANGED: "changed {about}",
    Act.MODE_CHANGED: "changed {about}",
    Act.GAME_DELETED: "requested the deletion of {about}",
    Act.GAME_GONE: "finished deleting {about}",
    Act.MODE_DELETED: "requested the deletion of {about}",
    Act.MODE_GONE: "finished deleting {about}",
    Act.LIMITS_SET: "set the anti-cheat limits of {about}",
    Act.COMPETITION_CHANGED: "changed {about}",
    Act.NEWS_WRITTEN: "wrote news about {about}",
    Act.NEWS_ERASED: "erased news about {about}",
    Act.AUDIT_EXPORTED: "downloaded the audit log",
    Act.DATA_EXPORTED: "downloaded the data of {about}",
    Act.ERASED: "erased {about}",
}
KINDS: Mapping[str, str] = {
    "member": "member {}",
    "player": "player {}",
    "board": "the board {}",
    "mode": "the mode {}",
    "game": "the game {}",
    "match": "the match {}",
    "league": "the league {}",
    "post": "the post {}",
    "key": "API key {}",
    "integrator": "the integrator {}",
    "backup": "the backup {}",
    "competition": "the competition {}",
    "footballer": "the player {}",
    "feed": "the feed {}",
}

# What an act is about, for a list of all acts. The others are about a member.
_NOUNS: Mapping[str, tuple[Act, ...]] = {
    "a board": (Act.BOARD_REBUILT, Act.BOARD_FROZEN, Act.BOARD_THAWED),
    "a backup": (Act.BACKUP_RESTORED,),
    "a game": (Act.GAME_DECLARED, Act.GAME_MOVED, Act.GAME_CORRECTED, Act.GAME_DETAILS),
    "a club": (Act.CLUB_REGISTERED,),
    "a feed": (Act.FEED_CHANGED,),
    "a match": (
        *(Act.MATCH_VOIDED, Act.MATCH_COUNTED_AGAIN, Act.MATCH_REDATED, Act.MATCH_RELEASED),
        Act.MATCH_MERGED,
    ),
    "a league": (Act.LEAGUE_IMPORTED,),
    "an API key": (Act.KEY_MADE, Act.KEY_REVOKED),
    "an integrator": (Act.INTEGRATOR_CHANGED, Act.INTEGRATOR_DELETED, Act.INTEGRATOR_GONE),
    "a post": (Act.POST_REMOVED,),
    "a leaderboard game": (Act.GAME_CHANGED, Act.GAME_DELETED, Act.GAME_GONE),
    "a mode": (Act.MODE_CHANGED, Act.MODE_DELETED, Act.MODE_GONE, Act.LIMITS_SET),
    "a competition": (Act.COMPETITION_CHANGED,),
    "a player": (Act.NEWS_WRITTEN, Act.NEWS_ERASED),
}

# Acts whose details have each field before and after.
CHANGES = frozenset({Act.GAME_CHANGED.value, Act.MODE_CHANGED.value, Act.INTEGRATOR_CHANGED.value})


def sentence(act: str, who: str, about: str, name: str | None) -> str:
    """What `who` did, in a sentence. `about`: the entry's subject; `name`: its name if known.

    >>> sentence("player.banned", "Ada", "player:7", "Bob")
    'Ada banned Bob.'
    >>> sentence("board.frozen", "Ada", "board:dice:ranked:all-time", None)
    'Ada froze the board dice:ranked:all-time.'
    """
    did = _did(act) if about or act in DID else f"did {act}"
    return f"{isolated(who)} {did.format(about=isolated(name) if name else _called(about))}."


def details(act: str, values: Mapping[str, Any]) -> list[str]:
    """The details of an entry in words, by name, without empty ones.

    >>> details("account.sessions_ended", {"sessions": 2, "until": None})
    ['sessions: 2']
    >>> details("game.changed", {"title": ["Dice", "Dice II"]})
    ['title: Dice, then Dice II']
    """
    describe = _change if act in CHANGES else _one
    return [
        f"{name.replace('_', ' ')}: {describe(value)}"
        for name, value in sorted(values.items())
        if value is not None
    ]


def acts() -> list[tuple[str, str]]:
    """Every act by code with its label for a list of choices, ordered by label."""
    nouns = {act: noun for noun, about_it in _NOUNS.items() for act in about_it}
    named = [(act.value, _did(act).format(about=nouns.get(act, "a member"))) for act in Act]
    return sorted(
        ((code, words[0].upper() + words[1:]) for code, words in named),
        key=lambda labelled: labelled[1],
    )


def _did(act: str) -> str:
    """The words of an act; the code itself if a newer Pressbox wrote the entry."""
    return DID.get(act, f"did {act} to {{about}}")


def _called(about: str) -> str:
    kind, _, of = about.partition(":")
    return KINDS[kind].format(of) if kind in KINDS and of else about or "an unknown account"


def _change(value: Any) -> str:
    match value:
        case [was, to]:
            return f"{_one(was)}, then {_one(to)}"
        case _:
            return _one(value)


def _one(value: Any) -> str:
    match value:
        case None | "":
            return "nothing"
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return " and ".join(_one(item) for item in value) or "nothing"
        case dict():
            return "; ".join(details("", value)) or "nothing"
        case _:
            return str(value)
