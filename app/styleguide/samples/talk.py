"""Posts of a league."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app.talk.queries import PostRow, Quote, ReactionCount
from app.talk.rules import REACTIONS
from app.talk.words import News

NO_REACTION = tuple(ReactionCount(kind, label, 0, False) for kind, label in REACTIONS.items())
REACTED = tuple(
    replace(reaction, count=number, is_mine=reaction.kind == "fire")
    for number, reaction in enumerate(NO_REACTION, 1)
)
_POST = PostRow(
    id=1,
    thread="",
    kind="post",
    member_id=2,
    author="Hana",
    team="Hail Mary Poppins",
    text="Who starts a kicker on a bye? <@1>, I see you.",
    data={},
    names={1: "Dana"},
    news=None,
    has_picture=False,
    created_at=datetime(2026, 9, 13, 17, 0, tzinfo=UTC),
    is_edited=False,
    is_pinned=False,
    is_mine=False,
    is_blocked=False,
    removed_as=None,
    removal_reason=None,
    answers=None,
    reactions=REACTED,
)
POSTS = (
    _POST,
    replace(_POST, id=2, text="Asking for a friend.", reactions=NO_REACTION, is_edited=True),
    replace(
        _POST,
        id=3,
        member_id=1,
        author="Dana",
        is_mine=True,
        text="He was on the bench.",
        answers=Quote(1, "Hana", "Who starts a kicker on a bye?"),
        reactions=NO_REACTION,
    ),
    replace(_POST, id=4, is_blocked=True, member_id=4, author="Bea"),
    replace(
        _POST,
        id=5,
        text="",
        member_id=3,
        author="Mateus",
        team="Margin Notes",
        removed_as="commissioner",
        removal_reason="Off topic",
    ),
    replace(
        _POST,
        id=6,
        kind="week",
        member_id=None,
        news=News("Week 4 is final: Inkwell Irregulars win with 121.36."),
        reactions=NO_REACTION,
    ),
)
