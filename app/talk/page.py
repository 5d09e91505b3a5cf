"""View models of talk: a thread, and the text of a post as HTML."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from flask import url_for
from jinja2.utils import urlize
from markupsafe import Markup

from app.accounts.member_pictures import team_colours
from app.talk import rules
from app.talk.queries import PostPage, PostRow

LINK_LENGTH = 60  # characters of an address that are shown
LINK_REL = "nofollow ugc noopener noreferrer"


@dataclass(frozen=True)
class Thread:
    """A board or the thread of a matchup.

    Attributes:
        key: See models.Post.
        title: Of the matchup; empty for the board.
        address: The page's path.
    """

    key: str
    title: str
    address: str

    @property
    def is_board(self) -> bool:
        """Whether it is the thread of the whole league."""
        return self.key == rules.BOARD


def version_of(page: PostPage, read: int | None) -> str:
    """Return a version that differs whenever the page does.

    `read`: the id of the last post before new ones.
    """
    return hashlib.blake2b(repr((page, read)).encode(), digest_size=12).hexdigest()


def colours_of(posts: Iterable[PostRow]) -> dict[int, int]:
    """Return the colors of the teams that have written these posts or scored in them, by member."""
    posts = list(posts)
    scorers = [member_id for post in posts for member_id, _ in post.data.get("scores", ())]
    return team_colours([*(post.member_id for post in posts), *scorers])


def text_html(post: PostRow, viewer_id: int) -> Markup:
    """Return the text of a post with links and mentions. Everything else is escaped."""
    pieces = []
    for piece in rules.split(post.text):
        if isinstance(piece, int):
            pieces.append(_mention_html(piece, post.names.get(piece), is_me=piece == viewer_id))
        else:
            # urlize escapes its text
            linked = urlize(piece, trim_url_limit=LINK_LENGTH, rel=LINK_REL)
            pieces.append(Markup(linked))  # noqa: S704
    return Markup("").join(pieces)


def _mention_html(member_id: int, name: str | None, *, is_me: bool) -> Markup:
    if name is None:
        return Markup("@somebody")
    return Markup('<a class="mention{}" href="{}">@<bdi>{}</bdi></a>').format(
        " mention-me" if is_me else "", url_for("gamers.show", member_id=member_id), name
    )
