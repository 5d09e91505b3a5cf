"""The browser of tests that need no real one."""

from __future__ import annotations

from typing import Any

from flask import g, has_app_context
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.pages import compact


class Client(FlaskClient):
    """Each request has its own member and token, and pages have no layout.

    The tests' application context would keep the last one's for all. The `text` of a page is
    compact, so that tests do not depend on how its template breaks lines; `data` is as it was sent.
    """

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        if has_app_context():
            for name in ("_login_user", "csrf_token"):
                g.pop(name, None)
        response = super().open(*args, **kwargs)
        # Werkzeug leaves the temporary file of a large body open
        response.request.input_stream.close()
        # Closes the file that it is read from; what streams has no length.
        if response.content_length is not None or response.status_code == 304:
            data = response.get_data()
            response.close()
            if response.mimetype == "text/html" and "Content-Encoding" not in response.headers:
                response.text = compact(data.decode())
        return response
