"""The forms for signing in and registering."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import BooleanField, PasswordField, StringField
from wtforms.validators import InputRequired

from app.accounts import rules


class SignInForm(FlaskForm):
    """User name and password."""

    username = StringField("Username", [InputRequired("Enter your username.")])
    password = PasswordField("Password", [InputRequired("Enter your password.")])
    stay = BooleanField(
        "Stay signed in on this device",
        description=(
            "Keeps you signed in for 30 days. Leave it off on a shared device. Staff sign in "
            "every shift."
        ),
    )


class CodeForm(FlaskForm):
    """A code of a second factor."""

    code = StringField(
        "Code",
        [InputRequired("Enter the code.")],
        description="Six digits from your app, or a recovery code.",
    )


class RegisterForm(FlaskForm):
    """A new account."""

    username = StringField("Username", [InputRequired("Choose a username.")])
    display_name = StringField("Display name", [InputRequired("Enter a display name.")])
    password = PasswordField(
        "Password",
        [InputRequired("Choose a password.")],
        description=f"At least {rules.PASSWORD_MIN} characters. A few random words work well.",
    )
