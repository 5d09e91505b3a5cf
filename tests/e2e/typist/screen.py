"""The console as a scorer sees and uses it: what stands on the screen, and the keyboard.

Nothing of football here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as TooLate

from tests.waiting import patience

PATIENCE_MS = round(patience(60) * 1000)  # how long the server's answer to an entry is waited for

# Only what is shown: the texts of the panel, and which of the choices Enter would take.
_READ = """() => {
  const text = (id) => document.getElementById(id).textContent.trim();
  const offers = document.getElementById("offers");
  return {
    mode: text("mode"),
    question: text("question"),
    hint: text("hint"),
    opens: text("opens"),
    typed: document.getElementById("cmd").value,
    sentence: text("sentence"),
    label: text("sentence-label"),
    said: text("said"),
    tone: document.getElementById("said").dataset.tone ?? "",
    warnings: [...document.querySelectorAll("#warnings li")].map((one) => one.textContent.trim()),
    unsent: document.querySelectorAll("#unsent li").length,
    offers: offers.hidden ? [] : [...offers.querySelectorAll("li")].map((one) => ({
      label: one.querySelector(":scope > span").textContent.trim(),
      key: one.querySelector("kbd")?.textContent.trim() ?? "",
      proposed: one.getAttribute("aria-selected") === "true",
    })),
  };
}"""
_ANSWERED = """(unsent) => {
  const said = document.getElementById("said").textContent.trim();
  const waits = document.querySelectorAll("#unsent li").length;
  const isAccepted = unsent === null ? said.startsWith("Recorded as") : waits >= unsent;
  return said.startsWith("Refused:") || isAccepted;
}"""
_NOTHING_UNSENT = """() => document.getElementById("unsent-box").hidden"""
_OTHER_QUESTION = """(question) => {
  const said = document.getElementById("said");
  const fault = said.dataset.tone === "fault" && said.textContent;
  return Boolean(fault) || document.getElementById("question").textContent.trim() !== question;
}"""


class CannotTypeError(Exception):
    """What is to be entered has no way into the console.

    The text says at which prompt, and what stood there.
    """


@dataclass(frozen=True)
class Offer:
    label: str
    key: str
    proposed: bool


@dataclass(frozen=True)
class Screen:
    mode: str
    question: str
    hint: str
    opens: str
    typed: str
    sentence: str
    label: str
    said: str
    tone: str
    warnings: list[str]
    unsent: int
    offers: list[Offer]

    @property
    def title(self) -> str:
        """What is being entered: `Pass`, `Kick`; `Ready` when nothing is."""
        return self.mode.split(" · ")[0]

    @property
    def stem(self) -> str:
        """The question without club and examples: `Caught by` of `Caught by (GB)`."""
        return re.split(r" \(|, ", self.question)[0].strip()

    @property
    def proposed(self) -> Offer | None:
        """What Enter would take."""
        return next((offer for offer in self.offers if offer.proposed), None)

    @property
    def is_complete(self) -> bool:
        return self.question.startswith("Correct?")

    @property
    def is_ready(self) -> bool:
        """Nothing is being entered."""
        return self.title == "Ready"

    def __str__(self) -> str:
        offers = ", ".join(
            f"{'*' * offer.proposed}{offer.key}:{offer.label}" for offer in self.offers
        )
        return (
            f"[{self.mode}] {self.question!r} typed {self.typed!r} offers ({offers}) sentence "
            f"{self.sentence!r}"
            f" said {self.said!r}"
        )


class Keyboard:
    """Presses keys of a console that has the focus, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    def screen(self) -> Screen:
        fields = self.page.evaluate(_READ)
        return Screen(**(fields | {"offers": [Offer(**offer) for offer in fields["offers"]]}))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.pressed += 1
            self.page.keyboard.press("Space" if key == " " else key)

    def write(self, text: str) -> None:
        self.press(*text)

    def clear(self, typed: str) -> None:
        self.press(*["Backspace"] * len(typed))

    def write_until(self, text: str, enough: Callable[[Screen], bool]) -> Screen:
        """Types letter by letter, no further than until the screen shows what is wanted."""
        for letter in text:
            self.press(letter)
            if enough(screen := self.screen()):
                return screen
        return self.screen()

    def answered(self, unsent: int | None) -> Screen:
        """The screen once the entry is recorded.

        `unsent`: once so many entries are kept here, the line being dead.
        """
        return self._wait(_ANSWERED, unsent, "recorded")

    def all_sent(self) -> None:
        """Waits until nothing is kept here any more, the line being back."""
        self._wait(_NOTHING_UNSENT, None, "everything that was kept is sent")

    def asked_on(self, question: str) -> Screen:
        """The screen once another question stands there.

        An older event is asked from the server.
        """
        return self._wait(_OTHER_QUESTION, question, "the next question")

    def _wait(self, condition: str, argument: object, what: str) -> Screen:
        try:
            self.page.wait_for_function(condition, arg=argument, timeout=PATIENCE_MS, polling=20)
        except TooLate as error:
            raise CannotTypeError(
                f"not within {PATIENCE_MS // 1000} s: {what}; {self.screen()}"
            ) from error
        return self.screen()
