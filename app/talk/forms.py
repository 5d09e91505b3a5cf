"""Forms of talk. rules.py finds their faults, which are shown at the fields."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import FileField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice

from app.core.input_limits import PICTURE
from app.talk import rules
from app.talk.formats import SERVICES

MENTIONS_HINT = "Message, @ to mention"  # shown while nothing is typed


class PostForm(FlaskForm):
    """A new post."""

    text = TextAreaField("Message", description=MENTIONS_HINT)
    picture = FileField("Picture", description=f"PNG, JPEG or WebP, up to {PICTURE}")


class ReplyForm(PostForm):
    """A new post that answers another one. It is sent to the same address."""

    text = TextAreaField("Your reply", description=MENTIONS_HINT)


class EditForm(FlaskForm):
    """The text of one's own post."""

    text = TextAreaField("Message")


class RemoveForm(FlaskForm):
    """Why a post is removed."""

    reason = StringField(
        "Reason",
        description=f"Up to {rules.LONGEST_REASON} characters. The whole league can see it.",
    )


class ConnectionForm(FlaskForm):
    """An address to which posts of Pressbox go too."""

    service = SelectField(
        "Service",
        choices=[SelectChoice(name, title) for name, title in SERVICES.items()],
        validate_choice=False,
    )
    url = StringField(
        "Webhook address",
        description="Keep it secret: anyone who has it can post there. It is not shown again.",
    )
