"""`python -m tests.vocabulary`: finds words and phrases that Pressbox does not print.

It looks at the texts of templates and at sentences in Python:

- words that docs/glossary.md replaces. Wire formats, tables and code keep the sources' names
  (gameweek, team sheet, footballer), and so do texts for programs;
- phrases that are not idiomatic English, in every text;
- names of exceptions, which users do not know, and a period after a name, which may end in one.

Ends with 1 if it finds any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
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
# Phrases of the English that Pressbox once spoke, with what a native speaker would write.
ODD_PHRASES = {
    r"(?<!if )any ?more(?=[).,:;]|$)(?<!anymore)": "no longer",
    r"small letters": "lowercase letters",
    r"lower-case": "lowercase",
    r"names nobody": "there is no such ...",
    r"exchange the two": "swap the two",
    r"(?<!there )is no (?:moment|field|token|json|id|delivery|event)\b": "is not a ...",
    r"what became of": "the outcome of",
    r"the most there can be": "which is the limit",
    r"not read back as": "could not be read back",
    r"(?:bring|brings|brought) (?:it|them|the \w+) back": "restore",
    r"look at (?:the|a|--)": "check",
    r"ask for an? (?:new )?attempt": "request an attempt",
    r"give it once": "send it once",
    r"comes? twice": "is listed twice",
    r"no success": "the status alone",
    r"is yourself": "is you",
    r"(?<!all )of (?:yours|ours|theirs)\b": "your, our, their",
    r"(?:stands?|stood) (?:here|there|below|above)": "is here",
    r"all the same": "anyway",
    r"empty: for": "leave blank",
    r"is not (?:right|as it should)": "is not valid",
    r"will do\.": "works",
    r"does no harm": "is safe",
    r"is none of (?=\{|[a-z_]+[,.]|$)": "is not one of",
    r"how long the (?:first|oldest)[^.]* waits": "has waited",
    r"(?-i:\b(?:Def|Off)ence\b)": "Defense, Offense",
    r"\bstyle guide of\b": "Style guide: ...",
    r"must be like\b": "must look like",
}
_ODD = re.compile("|".join(f"(?:{phrase})" for phrase in ODD_PHRASES), re.IGNORECASE)
# `{{ name|isolated }}.`: the name may be Harrison Jr.; `|with_period` adds the period if needed
_NAME_AND_PERIOD = re.compile(r"\|\s*isolated\s*\}\}(?:</\w+>)*\.(?!\w)")
# not in a name of SQL, an address or a file: `t.gameweeks`, `:gameweek`, `css/notices.css`
_WORDS = re.compile(rf"(?<![\w.:/])({'|'.join(BANNED)})e?s?(?!\w|[./]\w)", re.IGNORECASE)
_SHOWN_ATTRIBUTES = re.compile(r"""\b(?:aria-label|title|placeholder|alt)="([^"]*)\"""")
_TAGS = re.compile(r"<[^>]*>", re.DOTALL)
_SQL = re.compile(r"\b(SELECT|UPDATE|INSERT|DELETE|CREATE|WITH|JOIN|WHERE|CASE|ORDER BY)\b")


def in_template(source: str) -> Iterator[tuple[int, str]]:
    """The line and each banned word or odd phrase that a reader of the page would see."""
    for match in _NAME_AND_PERIOD.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, f"{match[0]} (use |with_period)"
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
    for pattern in (_WORDS, _ODD):
        for match in pattern.finditer(visible):
            yield visible.count("\n", 0, match.start()) + 1, match[0]


def _visible_part(tag: re.Match[str]) -> str:
    """What a reader sees of a tag, on as many lines."""
    texts = " ".join(_SHOWN_ATTRIBUTES.findall(tag[0]))
    return texts + "\n" * (tag[0].count("\n") - texts.count("\n"))


def in_python(source: str, *, for_programs: bool = False) -> Iterator[tuple[int, str]]:
    """The line and each find in a sentence of the code, docstrings aside.

    Texts for programs may have the sources' names, but no odd phrases.
    """
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from _in_f_string(node)
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) in docstrings or " " not in node.value.strip() or _SQL.search(node.value):
            continue
        if "(?:" in node.value:
            continue  # a regular expression
        for pattern in (_ODD,) if for_programs else (_WORDS, _ODD):
            for match in pattern.finditer(node.value):
                yield node.lineno, match[0]


def _in_f_string(node: ast.JoinedStr) -> Iterator[tuple[int, str]]:
    """Names of exceptions in a sentence, and a period after a name that may end in one.

    >>> list(_in_f_string(ast.parse("f'No answer ({type(error).__name__}).'").body[0].value))
    [(1, 'type(error).__name__')]
    >>> list(_in_f_string(ast.parse("f'Ask {isolated(name)}.'").body[0].value))
    [(1, 'isolated(name) and a period')]
    """
    parts: list[str] = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            parts.append(ast.unparse(value.value))
        elif isinstance(value, ast.Constant):
            parts.append(str(value.value))
    for before, part in pairwise(parts):
        if part == "type(error).__name__" and before.endswith("("):
            yield node.lineno, part
    if len(parts) > 1 and parts[-1] == "." and parts[-2].startswith("isolated("):
        yield node.lineno, f"{parts[-2]} and a period"


def findings() -> list[str]:
    """`path:line: word` of each banned word, in the order of the files."""
    banned_words = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for line, word in in_template(path.read_text()):
            banned_words.append(f"{path.relative_to(ROOT)}:{line}: {word}")
    packages = ("app", "scorer_console", "workers")
    for path in sorted(path for package in packages for path in (ROOT / package).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name.startswith(FOR_DEVELOPERS):
            continue
        for_programs = name.startswith(FOR_PROGRAMS)
        for line, word in in_python(path.read_text(), for_programs=for_programs):
            banned_words.append(f"{name}:{line}: {word}")
    return banned_words


if __name__ == "__main__":
    banned = findings()
    if banned:
        sys.exit("\n".join([*banned, f"{len(banned)} words and phrases to replace."]))
