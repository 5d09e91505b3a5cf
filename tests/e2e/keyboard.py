"""The keys and clicks of a scorer."""

from __future__ import annotations

from playwright.sync_api import Page, expect

NAMED = ("Enter", "Escape", "Shift+Enter", "ArrowDown", "ArrowUp")


def keys(page: Page, *strokes: str) -> None:
    """Types each stroke; `Enter` and other names of keys are pressed."""
    for stroke in strokes:
        if stroke in NAMED:
            page.keyboard.press(stroke)
        else:
            page.keyboard.type(stroke)


def recorded(page: Page, numbers: str) -> None:
    """Waits until the console says that an entry was recorded under these numbers.

    `#3`, `#4 to #6`.
    """
    expect(page.get_by_role("status", name="Result")).to_contain_text(f"Recorded as {numbers}, ")
