"""The web application: pages, forms, sessions and the API.

They stand on top of what every process has (app/worker_app.py). What is on a page lives in the
subjects.
"""

from __future__ import annotations

from flask import Flask
from flask_wtf import CSRFProtect
from htmx_flask import Htmx
from werkzeug.middleware.proxy_fix import ProxyFix

from app.core import time_tags, viewer
from app.core.http import access, request_validation, responses, static_files
from app.core.page_cache import conditional_get
from app.core.page_cache import pages as page_cache
from app.core.postgres.timeouts import Use
from app.core.templates import Environment
from app.offline import keeping
from app.settings import Settings
from app.subjects import web_modules
from app.web_config import flask_config
from app.worker_app import worker_app

csrf = CSRFProtect()


def web_app(settings: Settings | None, use: Use) -> Flask:
    """See `app.create_app`."""
    app = worker_app(settings, use)
    settings = app.config["PRESSBOX"]
    app.jinja_environment = Environment
    app.config.update(flask_config(settings))
    _trust_proxies(app, settings.trusted_proxies)
    request_validation.init_app(app)  # before anything reads a form
    csrf.init_app(app)
    page_cache.init_app(app)
    Htmx(app)
    responses.init_app(app, settings.asset_base_url)
    static_files.init_app(app, settings.var, responses.guards(app))
    time_tags.init_app(app)
    keeping.init_app(app)
    access.init_app(app)
    for subject in web_modules():
        subject.init_app(app)
    viewer.init_app(app)
    conditional_get.init_app(app)
    return app


def _trust_proxies(app: Flask, count: int) -> None:
    if count:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=count, x_proto=count, x_host=0
        )
