"""The sentence on a page after an act, by the code in its address."""

from __future__ import annotations

from flask import request

SENTENCES = {
    "sent": "Your appeal is sent. A moderator answers it on this page.",
    "post": "The post is removed. The league reads your reason in its place.",
    "report": "The report is closed.",
    "granted": "The appeal is granted: what it was about is undone, and every board shows it.",
    "declined": "The appeal is declined. The player reads your answer.",
    "sanction": "It holds from their next request on, and they are off every board.",
    "lift": "It is lifted. Every board shows again what stood.",
    "note": "The note is kept, for moderators alone.",
    "rename": "The name is taken away. Boards show a plain one until you give it back.",
    "free_name": "They have their own name back, and boards show it.",
    "picture": "The picture is removed. Everybody sees their crest within a few minutes.",
    "minor": "The account is marked: a name that says nothing, and no requests from strangers.",
    "no_minor": "The mark is taken back, and they have the name that they had before it.",
    "taken": "The scores are taken back, and every board is worked out without them.",
    "undone": "The scores count again, and every board is worked out with them.",
    "quarantine": "The score is held back: it counts nowhere until somebody reviews it.",
    "restore": "The score counts again.",
    "freeze": "The board is frozen: nothing public moves. Scores go on counting.",
    "thaw": "The board is shown as it is again.",
    "news": "The news is on the player's page.",
    "news_erased": "The news is erased.",
    "limits": "The limits hold from the next score on.",
}


def sentence() -> str | None:
    """Return the sentence for the act in the page's address, or None."""
    return SENTENCES.get(request.args.get("done", ""))
