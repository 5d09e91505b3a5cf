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


_BLOCKS = (
    "blockquote|caption|dd|details|div|dl|dt|fieldset|form|h[1-6]|label|legend|li|main|nav|ol"
    "|optgroup|option|p|section|select|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)


def compact(page: str) -> str:
    """Remove the blanks that no reader sees.

    They stand around blocks, just inside of elements and between the attributes of a tag.
    """
    page = re.sub(r"<[^>]*>", lambda tag: re.sub(r"\s+", " ", tag[0]).replace(" >", ">"), page)
    page = re.sub(r"\s+", " ", page)
    page = re.sub(r"(<[a-z][^>]*>) | (</[a-z]+>)", lambda tag: tag[1] or tag[2], page)
    return re.sub(rf" ?(</?(?:{_BLOCKS})\b[^>]*>) ?", r"\1", page)


def has_markup(page: str, markup: str) -> bool:
    """Whether the page contains the markup, however the template breaks its lines."""
    return compact(markup) in compact(page)
