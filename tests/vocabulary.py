"""`python -m tests.vocabulary`: finds words that Pressbox does not use on pages and in messages.

It looks at the texts of templates and at sentences in Python. Wire formats, tables and code keep
the sources' names (gameweek, team sheet, footballer). docs/glossary.md has the words to use. Ends
with 1 if it finds any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment

ROOT = Path(__file__).parents[1]
# Programs read what these packages say: it names fields of the API, of files and of commands.
FOR_PROGRAMS = ("app/api/", "app/cli/", "app/stream/", "app/record/play_by_play/")
# docs/fantasy-queries.md is made of these; it describes tables.
FOR_DEVELOPERS = (
    "app/plans/",
    "app/fantasy/api_queries/statements.py",
    "app/fantasy/scoring/footballers.py",
)

BANNED = {
    "gameweek": "week",
    "footballer": "player",
    "team sheet": "lineup",
    "line-up": "lineup",
    "play-off": "playoff",
    "armband": "captain",
    "substitute": "bench",
    "notice": "notification",
    "whoever": "a plain subject",
    "anew": "again",
    "for ever": "forever, or no limit",
    "nobody whom": "no players",
}
# not in a name of SQL, an address or a file: `t.gameweeks`, `:gameweek`, `css/notices.css`
_WORDS = re.compile(rf"(?<![\w.:/])({'|'.join(BANNED)})e?s?(?!\w|[./]\w)", re.IGNORECASE)
_SHOWN_ATTRIBUTES = re.compile(r"""\b(?:aria-label|title|placeholder|alt)="([^"]*)\"""")
_TAGS = re.compile(r"<[^>]*>", re.DOTALL)
_SQL = re.compile(r"\b(SELECT|UPDATE|INSERT|DELETE|CREATE|WITH|JOIN|WHERE|CASE|ORDER BY)\b")


def in_template(source: str) -> Iterator[tuple[int, str]]:
    """The line and each banned word that a reader of the page would see."""
    page = ""
    for _, kind, value in Environment().lex(source):  # noqa: S701 (nothing is rendered)
        if kind == "data":
            page += value
        elif kind == "string" and (" " in value or value[1:2].isupper()):
            # a text that an expression shows; quotes, which would end an attribute, are replaced
            page += f" {value[1:-1]} ".replace('"', "'")
        else:
            page += "\n" * value.count("\n")
    visible = _TAGS.sub(_visible_part, page)
    for match in _WORDS.finditer(visible):
        yield visible.count("\n", 0, match.start()) + 1, match[0]


def _visible_part(tag: re.Match[str]) -> str:
    """What a reader sees of a tag, on as many lines."""
    texts = " ".join(_SHOWN_ATTRIBUTES.findall(tag[0]))
    return texts + "\n" * (tag[0].count("\n") - texts.count("\n"))


def in_python(source: str) -> Iterator[tuple[int, str]]:
    """The line and each banned word of a sentence in the code, docstrings aside."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) in docstrings or " " not in node.value.strip() or _SQL.search(node.value):
            continue
        if "(?:" in node.value:
            continue  # a regular expression
        for match in _WORDS.finditer(node.value):
            yield node.lineno, match[0]


def findings() -> list[str]:
    """`path:line: word` of each banned word, in the order of the files."""
    banned_words = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for line, word in in_template(path.read_text()):
            banned_words.append(f"{path.relative_to(ROOT)}:{line}: {word}")
    for path in sorted((ROOT / "app").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name.startswith(FOR_PROGRAMS + FOR_DEVELOPERS):
            continue
        for line, word in in_python(path.read_text()):
            banned_words.append(f"{name}:{line}: {word}")
    return banned_words


if __name__ == "__main__":
    banned = findings()
    if banned:
        sys.exit("\n".join([*banned, f"{len(banned)} words that the glossary replaces."]))
