"""Flask's configuration of the web application, made from the settings."""

from __future__ import annotations

from typing import Any

from app.accounts.rules import LONGEST_SESSION
from app.core.input_limits import FORM_BYTES
from app.core.redis import clients
from app.settings import Settings


def flask_config(settings: Settings) -> dict[str, Any]:
    """Return what Flask and its extensions read: cookies, forms and rate limits."""
    return {
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": settings.secure_cookies,
        "PERMANENT_SESSION_LIFETIME": LONGEST_SESSION,
        # A response that was under way while somebody signed out must not bring the cookie back.
        "SESSION_REFRESH_EACH_REQUEST": False,
        "REMEMBER_COOKIE_SECURE": settings.secure_cookies,
        "REMEMBER_COOKIE_HTTPONLY": True,
        "REMEMBER_COOKIE_SAMESITE": "Lax",
        "WTF_CSRF_TIME_LIMIT": None,  # as long as the session
        "MAX_CONTENT_LENGTH": FORM_BYTES,
        "RATELIMIT_STORAGE_URI": settings.rate_limit_url,
        "RATELIMIT_STORAGE_OPTIONS": clients.TIMEOUTS,
        "RATELIMIT_IN_MEMORY_FALLBACK_ENABLED": True,
        "RATELIMIT_HEADERS_ENABLED": True,
        # Any 60 seconds: a fixed minute lets twice as many pass around its end.
        "RATELIMIT_STRATEGY": "moving-window",
    }
