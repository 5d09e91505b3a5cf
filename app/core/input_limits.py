"""How much may come in over HTTP: the one table of these limits.

The server (workers/web/gateway.py), the check before every view (app/core/http), the API, the texts
on pages and docs/input-limits.md take their numbers from here.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB

# Of a text that is brought to a normal form of Unicode, which takes the square of the number of
# combining marks in a row. No rule allows longer ones.
NORMALIZED_CHARACTERS = 4_000
# Of a text in a form or a query, unless its view takes longer ones. The longest texts that people
# write here have 1,000.
FIELD_CHARACTERS = NORMALIZED_CHARACTERS
FORM_FIELDS = 10_000  # a file of rankings has up to 5,000 rows, each a field when it is confirmed

HEAD_BYTES = 32 * KIB  # of a request: its line and headers
FORM_BYTES = MIB  # of a page's form, and of JSON that a page sends, unless the view takes more
API_BYTES = 64 * KIB  # of an API call, unless its operation takes more
BULK_BYTES = MIB  # of scores sent in bulk
REQUEST_BYTES = 4 * MIB  # of every request except LARGE_REQUESTS
PICTURE_BYTES = REQUEST_BYTES - 64 * KIB  # the other fields of the form need room
PICTURE = f"{PICTURE_BYTES // 1_000_000} MB"
# Sleeper's map of all players has about 15 million bytes, and 3 million quotes, each of which takes
# another byte inside JSON.
LEAGUE_FILES_BYTES = 24 * MIB
LEAGUE_FILES_UNPACKED_BYTES = 48 * MIB  # of all files of a request, also of those in ZIP files
JSON_VALUES = 2_000_000  # of a document; an empty one takes 64 bytes, the map has 0.6 million
LEAGUE_FILES = 100  # in a request, also in ZIP files
IMPORT_PAGE = "/leagues/draft/import"
IMPORT_OPERATION = "/api/v1/draft-leagues/import"
LARGE_REQUESTS = {
    "/leagues/import": LEAGUE_FILES_BYTES,
    IMPORT_PAGE: LEAGUE_FILES_BYTES,
    f"{IMPORT_PAGE}/confirm": LEAGUE_FILES_BYTES,
    IMPORT_OPERATION: LEAGUE_FILES_BYTES,
    f"{IMPORT_OPERATION}/preview": LEAGUE_FILES_BYTES,
}


def most_request_bytes(path: str) -> int:
    """How large the body of a request for this path may be for the server to read it."""
    return LARGE_REQUESTS.get(path, REQUEST_BYTES)


def size_in_words(size: int) -> str:
    """A number of bytes as people read it.

    >>> size_in_words(FORM_BYTES), size_in_words(API_BYTES), size_in_words(24 * MIB)
    ('1 MiB', '64 KiB', '24 MiB')
    """
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


@dataclass(frozen=True)
class InputLimit:
    """A row of the documented table: an input, its limit, and the answer to what is larger."""

    what: str
    most: str
    answer: str


PAGE_OR_PROBLEM = "413 as a page, or as a problem document for programs"
TABLE = (
    InputLimit("request line and headers", size_in_words(HEAD_BYTES), "431"),
    InputLimit("body of a request", size_in_words(REQUEST_BYTES), PAGE_OR_PROBLEM),
    InputLimit("body of a page's form", size_in_words(FORM_BYTES), PAGE_OR_PROBLEM),
    InputLimit("fields of a form", f"{FORM_FIELDS:,}", PAGE_OR_PROBLEM),
    InputLimit(
        "text in a form or a query",
        f"{FIELD_CHARACTERS:,} characters, and what its field says",
        "413 or 414, which quotes how the text begins; 422 at the field",
    ),
    InputLimit(
        "text that is brought to a normal form of Unicode",
        f"{NORMALIZED_CHARACTERS:,} characters",
        "refused by the rule about its length",
    ),
    InputLimit("body of an API call", size_in_words(API_BYTES), "413 as a problem document"),
    InputLimit("body of scores in bulk", size_in_words(BULK_BYTES), "413 as a problem document"),
    InputLimit(
        "text in an API call", "as documented in docs/openapi.json", "400, which names the field"
    ),
    InputLimit("picture in a post", PICTURE, "422 at the field, or 413"),
    InputLimit(
        "files of a league, by page and by API",
        f"{size_in_words(LEAGUE_FILES_BYTES)}; "
        f"unpacked {size_in_words(LEAGUE_FILES_UNPACKED_BYTES)}, {LEAGUE_FILES} files and "
        f"{JSON_VALUES:,} values of JSON, over all ZIP files",
        "422 at the field, or 413; 503 while four others are sent",
    ),
)
