"""Pages as tests compare them."""

import re

# payload.time.signature, as itsdangerous signs: the time is that of the second in which the page
# was made.
TOKEN = re.compile(r"[\w-]{20,}\.[\w-]{6}\.[\w-]{27}")


def without_tokens(page: str) -> str:
    """The page with every signed token replaced.

    Two pages made in different seconds differ in nothing else.
    """
    return TOKEN.sub("TOKEN", page)


# Their blanks are what a reader or a program gets.
_VERBATIM = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)
_BLOCKS = (
    "blockquote|caption|dd|details|div|dl|dt|fieldset|form|h[1-6]|label|legend|li|main|nav|ol"
    "|optgroup|option|p|section|select|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)


def compact(page: str) -> str:
    """Remove what only the layout of the templates puts into a page.

    Blanks run together, as in a browser; those around blocks, line breaks just inside of an
    element and between the attributes of a tag are gone.
    """
    parts = _VERBATIM.split(page)
    return "".join(
        _compact(text) + verbatim
        for text, verbatim in zip(parts[::3], [*parts[1::3], ""], strict=True)
    )


def _compact(markup: str) -> str:
    markup = re.sub(r"<[^>]*>", lambda tag: re.sub(r"\s+", " ", tag[0]).replace(" >", ">"), markup)
    markup = re.sub(r"(<[a-z][^>]*>)\s*\n\s*|\s*\n\s*(?=</)", lambda match: match[1] or "", markup)
    markup = re.sub(r"\s+", " ", markup)
    return re.sub(rf" ?(</?(?:{_BLOCKS})\b[^>]*>) ?", r"\1", markup)
