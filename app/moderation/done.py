"""The sentence on a page after an act, by the code in its address."""

from __future__ import annotations

from flask import request

SENTENCES = {
    "sent": "Appeal sent. A moderator will answer on this page.",
    "post": "Post removed. The league sees your reason in its place.",
    "report": "Report closed.",
    "granted": "Appeal granted. The decision is undone on all boards.",
    "declined": "Appeal declined. The player sees your answer.",
    "sanction": "Done. It applies from their next request, and they are off all boards.",
    "lift": "Lifted. Their scores are back on all boards.",
    "note": "Note saved. Only moderators can see it.",
    "rename": "Name removed. Boards show a neutral one until you restore it.",
    "free_name": "Name restored on all boards.",
    "picture": "Picture removed. Everyone will see their crest within a few minutes.",
    "minor": "Marked as a minor. Others see a neutral name and can't send requests.",
    "no_minor": "No longer marked as a minor. Their name is restored.",
    "taken": "Scores rolled back. All boards are recalculated.",
    "undone": "The scores count again. All boards are recalculated.",
    "quarantine": "Score held. It doesn't count until someone reviews it.",
    "restore": "The score counts again.",
    "freeze": "Board frozen. Scores keep counting, but the public view stays still.",
    "thaw": "Board unfrozen.",
    "news": "News published on the player's page.",
    "news_erased": "News erased.",
    "limits": "Limits saved. They apply from the next score.",
}


def sentence() -> str | None:
    """Return the sentence for the act in the page's address, or None."""
    return SENTENCES.get(request.args.get("done", ""))
