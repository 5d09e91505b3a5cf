"""Pages of a scorer's own keys: choose, export and import them."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, Response, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from wtforms import StringField

from app.core import json_decoding
from app.core.db import db
from app.core.http.access import audience
from app.core.http.responses import respond
from app.core.json_decoding import InvalidJsonError
from app.core.viewer import current_user
from scorer_console import queries
from scorer_console.entry.views import SCORER
from scorer_console.keys.rules import STANDARD, key_faults, keys_with
from scorer_console.models import KeyMap

blueprint = Blueprint("keys", __name__, url_prefix="/console/keys")
LARGEST_FILE = 20_000
_keys = msgspec.json.Decoder(dict[str, str])


class KeysForm(FlaskForm):
    """The form of the keys. Its fields, one per action, are added below."""

    def in_order(self) -> list[Any]:
        """The fields in the order of the actions."""
        return [self[name] for name in STANDARD]

    def chosen(self) -> dict[str, str]:
        """The keys that differ from the standard ones."""
        typed = {name: (self[name].data or "").strip() for name in STANDARD}
        return {name: key for name, key in typed.items() if key and key != STANDARD[name]}


for _name in STANDARD:
    _limits = {"maxlength": 1, "autocapitalize": "none", "autocomplete": "off"}
    setattr(KeysForm, _name, StringField(_name.replace("_", " ").capitalize(), render_kw=_limits))


class ImportForm(FlaskForm):
    """A file of keys."""

    file = FileField("Keys from a file", [FileRequired("Choose a file downloaded from this page.")])


@blueprint.get("/")
@audience(SCORER)
def show() -> ResponseReturnValue:
    """Show the scorer's keys."""
    return _page(KeysForm(data=keys_with(queries.key_map(_me()))), ImportForm())


@blueprint.post("/")
@audience(SCORER)
def save() -> ResponseReturnValue:
    """Save the scorer's keys."""
    form = KeysForm()
    form.validate()
    faults = key_faults(form.chosen())
    if faults:
        for name, fault in faults.items():
            form[name].errors = [fault]
        return _page(form, ImportForm(formdata=None), status=422)
    return _stored(form.chosen())


@blueprint.post("/usual")
@audience(SCORER)
def usual() -> ResponseReturnValue:
    """Restore the standard keys."""
    return _stored({})


@blueprint.get("/pressbox-keys.json")
@audience(SCORER)
def export() -> ResponseReturnValue:
    """Send the keys as a file."""
    response = jsonify(keys_with(queries.key_map(_me())))
    response.headers["Content-Disposition"] = 'attachment; filename="pressbox-keys.json"'
    return response


@blueprint.post("/import")
@audience(SCORER)
def bring_in() -> ResponseReturnValue:
    """Import the keys from a file."""
    form = ImportForm()
    keys = KeysForm(formdata=None, data=keys_with(queries.key_map(_me())))
    if not form.validate_on_submit():
        return _page(keys, form, status=422)
    try:
        imported = json_decoding.decode(
            _keys, request.files["file"].stream.read(LARGEST_FILE + 1), most_bytes=LARGEST_FILE
        )
    except InvalidJsonError as error:
        form.file.errors = [
            f"This is not a keys file ({error}). Choose one downloaded from this page."
        ]
        return _page(keys, form, status=422)
    chosen = {name: key for name, key in imported.items() if STANDARD.get(name) != key}
    if faults := key_faults(chosen):
        form.file.errors = [f"{name}: {fault}" for name, fault in faults.items()]
        return _page(keys, form, status=422)
    return _stored(chosen)


def _me() -> int:
    return int(current_user.get_id())


def _page(form: KeysForm, import_form: ImportForm, status: int = 200) -> Response:
    return respond("console/keys.html", form=form, import_form=import_form, status=status)


def _stored(chosen: dict[str, str]) -> ResponseReturnValue:
    if chosen:
        statement = insert(KeyMap).values(member_id=_me(), keys=chosen)
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["member_id"], set_={"keys": statement.excluded["keys"]}
            )
        )
    else:
        db.session.execute(delete(KeyMap).where(KeyMap.member_id == _me()))
    db.session.commit()
    return redirect(url_for("keys.show", saved=1), 303)
