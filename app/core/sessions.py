"""When an answer carries the session's cookie anew."""

from __future__ import annotations

from flask import Flask, request
from flask.sessions import SecureCookieSessionInterface, SessionMixin


class Sessions(SecureCookieSessionInterface):
    """A session lasts 12 hours from the last page that was opened in it, or until it is left.

    Flask would send the cookie with every answer. One to a poll that was under way while another tab signed out
    would sign that browser in again; so only what changed the session, and a page that somebody opens, bring it.
    """

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        return session.modified or (session.permanent and _opens_a_page())


def _opens_a_page() -> bool:
    return "text/html" in request.headers.get("Accept", "") and "HX-Request" not in request.headers
