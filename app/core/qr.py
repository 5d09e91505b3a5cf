"""QR codes as inline SVG."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr_code(text: str) -> Markup:
    """A text as an SVG element, dark on light in every theme, as large as its box."""
    drawn = segno.make(text, micro=False)
    svg = drawn.svg_inline(scale=5, border=4, dark="#000", light="#fff", omitsize=True)
    return Markup(svg)  # noqa: S704 (drawn by the library, no markup of the text)
