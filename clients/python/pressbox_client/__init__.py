"""A client of Pressbox's API on Python's standard library: copy this folder into your project.

One method per operation, named as in the OpenAPI document and made from it by `python -m
clients.generate`; answers are dicts as the document says, {} without a body. A 429 or 503 is tried
again after its Retry-After, with the same body and key, so that nothing counts twice. Everything
else above 399 raises ApiError.

    client = Client("https://scores.example", key="pbk_...")
"""

from __future__ import annotations

from .calls import ApiError
from .operations import Operations

__all__ = ["ApiError", "Client"]


class Client(Operations):
    """A client for one caller.

    Attributes:
        url: where Pressbox is.
        key: an integrator's key, for a game server.
        token: a player's access token, for their own scores.
        tries: how often a request is sent at most while the answer is 429 or 503, or there is none.
        timeout: seconds to wait for an answer.
    """
