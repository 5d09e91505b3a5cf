"""The links to the viewer's leagues, in the menu that a league's name opens."""

from __future__ import annotations

from flask import Flask, request, url_for
from markupsafe import Markup

from app.core.page_cache.pages import add_fillings
from app.core.page_cache.placeholders import is_rendering_for_everybody, placeholder
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
from app.fantasy.standings import queries

OF_MEMBER = "league-links:{member}"  # the cache key
LINKS = "league-links"  # the placeholder on pages for everybody
MOST_LINKS = 12  # the menu leads to the page of all leagues too


def init_app(app: Flask) -> None:
    """Register the links for templates and for cached pages."""
    app.add_template_global(league_links)
    add_fillings(app, {LINKS: filled_links})


def league_links() -> Markup:
    """Items of a list; a placeholder on a page for everybody."""
    if is_rendering_for_everybody():
        return placeholder(LINKS)
    return Markup(filled_links())  # noqa: S704 (escaped below)


def filled_links() -> str:
    """Items of a list as HTML. The link to the league of this page is marked as the current one."""
    member_id = current_user.id

    def load() -> CachedValue[str]:
        items = [
            Markup('<li><a href="{}"><bdi>{}</bdi></a></li>').format(
                url_for("fantasy.league", slug=league.slug), league.name
            )
            for league in queries.leagues_of(member_id)[:MOST_LINKS]
        ]
        return CachedValue("\n".join(items), (f"memberships:{member_id}", "leagues"))

    links = cached_value(OF_MEMBER.format(member=member_id), str, load)
    here = url_for("fantasy.league", slug=(request.view_args or {}).get("slug", ""))
    return links.replace(f'href="{here}"', f'href="{here}" aria-current="true"')
