"""Flask's request, typed with what htmx says of itself: `request.htmx`, true for its requests.

`htmx_response` makes a response with what htmx is to do: redirect, refresh, reswap, retarget.
"""

from __future__ import annotations

from typing import cast

from flask import request as flask_request
from htmx_flask import make_response as htmx_response
from htmx_flask.requests import HtmxAwareRequest

__all__ = ["htmx_response", "request"]

request = cast("HtmxAwareRequest", flask_request)
