"""The forms of moderators, and of members who report, appeal or delete their account.

What a text must say is judged by the services, whose refusals name the field.
"""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField, DateField, StringField, TextAreaField
from wtforms.validators import Optional


def _text(value: Any) -> str:
    return value or ""


def _word(value: Any) -> str:
    return _text(value).strip()


class AuditReasonForm(FlaskForm):
    """Why something is done; it is kept in the audit."""

    reason = TextAreaField("Reason", filters=[_text])


class SanctionForm(AuditReasonForm):
    """A ban or a suspension, which has a last day."""

    kind = StringField("Sanction", filters=[_text])
    until = DateField("Until", [Optional()])


class AppealDecisionForm(AuditReasonForm):
    """The answer to an appeal."""

    decision = StringField("Decision", filters=[_text])


class RollbackForm(AuditReasonForm):
    """Takes back what was previewed: `digest` says what that was."""

    digest = StringField("Preview", filters=[_text])


class BoardForm(AuditReasonForm):
    """Freezes or thaws a board, named `game:mode:window`."""

    board = StringField("Board", filters=[_word])


class LimitsForm(AuditReasonForm):
    """Sets the limits of a mode, or goes back to the promised ones."""

    back = BooleanField("Reset to default limits")


class TextForm(FlaskForm):
    """A note about a player, or a report of a post."""

    text = TextAreaField("Text", filters=[_text])


class ReportForm(TextForm):
    """A report of a player."""

    kind = StringField("What's wrong?", filters=[_text])


class AppealForm(TextForm):
    """An appeal against a sanction (its number) or a score (its id)."""

    about = StringField("Against", filters=[_text])


class NewsForm(TextForm):
    """News about a player of the season."""

    source_url = StringField("Source", filters=[_text])
    status = StringField("Status", filters=[_text])


class EraseForm(FlaskForm):
    """Deletes an account or a player; its name is typed to confirm."""

    confirm = StringField("Name", filters=[_word])


class ExportForm(FlaskForm):
    """Everything about a member as files."""

    excel = BooleanField("For Excel")
