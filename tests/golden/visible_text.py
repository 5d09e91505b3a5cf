"""What a person gets from a page.

Its text, where links and forms lead, and what screen readers say.
"""

from __future__ import annotations

from html.parser import HTMLParser

SILENT = {"script", "style", "template", "svg"}
VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
}
INLINE = {
    "a",
    "abbr",
    "b",
    "bdi",
    "em",
    "i",
    "kbd",
    "mark",
    "output",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "time",
}
# Attributes that people see or that decide what a click or a poll does.
TOLD = (
    "action",
    "alt",
    "aria-label",
    "checked",
    "disabled",
    "href",
    "hx-get",
    "hx-post",
    "hx-trigger",
    "method",
    "name",
    "placeholder",
    "selected",
    "title",
    "type",
    "value",
)
SECRET_FIELDS = {"csrf_token"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.silent_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.silent_depth += 1
        attributes = dict(attrs)
        if self.silent_depth or attributes.get("name") in SECRET_FIELDS or tag in ("link", "meta"):
            return
        attribute_texts = [
            f"{name}={(attributes[name] or '').strip()}" for name in TOLD if name in attributes
        ]
        if attribute_texts:
            self.parts.append(f" [{tag} {' '.join(attribute_texts)}] ")
        elif tag not in INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self.silent_depth -= 1
        elif tag not in INLINE and tag not in VOID:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent_depth:
            self.parts.append(data)


def visible_text(html: str) -> str:
    """One line per block, spaces collapsed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (
        " ".join(line.split())
        for line in "".join(
            part if part == "\n" else part.replace("\n", " ") for part in reader.parts
        ).split("\n")
    )
    return "\n".join(line for line in lines if line)
