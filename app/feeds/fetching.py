"""Brings the file of a feed here: over HTTP by a conditional request, or from a folder.

Web addresses go through app/core/http/outbound.py, each redirect too. Nothing is fetched as long as
the publisher's timestamp file, the ETag or the time of the file say that nothing has changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urljoin, urlsplit

from flask import current_app

from app.core.http import outbound
from app.core.json_decoding import InvalidJsonError, plain_json
from app.feeds.presets import SUFFIXES, PublishedFile
from app.settings import Settings

SECONDS = 120.0  # for a whole file of a season
MOST_BYTES = 256 * 1024 * 1024  # a season's play-by-play has about 90 MB as plain CSV
TIMESTAMP_SECONDS, TIMESTAMP_BYTES = 15.0, 10_000
MOST_REDIRECTS = 5
LONGEST_MARK = 500  # characters of an ETag or time that is sent with the next request
LONGEST_NAME = 100  # characters of a file
LONGEST_WAIT = timedelta(days=1)  # that an answer may ask for
HTTP_OK, HTTP_NOT_MODIFIED, HTTP_NOT_FOUND, HTTP_GONE = 200, 304, 404, 410
REDIRECTS = (301, 302, 303, 307, 308)
_CHUNK = 1024 * 1024


@dataclass(frozen=True)
class Marks:
    """What is remembered of the file that was fetched last, to see whether it has changed."""

    published: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Fetched:
    """The outcome of a look at the publisher's.

    Attributes:
        path: The file; None if it has not changed.
        marks: What to remember once it has been entered.
        size: Of the file in bytes.
        is_local: Whether the file is in a folder that another program may change meanwhile.
    """

    path: Path | None
    marks: Marks
    size: int | None = None
    is_local: bool = False


class NotFetchedError(Exception):
    """There is no file. The text says why and what to do.

    Attributes:
        retry_after: How long the publisher asks to wait.
        is_missing: Whether the publisher has no such file, now or at all.
    """

    def __init__(
        self, text: str, *, retry_after: timedelta | None = None, is_missing: bool = False
    ) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        self.is_missing = is_missing


def is_web(address: str) -> bool:
    """Whether the address is one on the internet, not a folder."""
    return address.startswith(("http://", "https://"))


def address_fault(address: str) -> str | None:
    """Return what is wrong with the address of a feed, or None."""
    if is_web(address):
        return outbound.url_fault(address, private=_private())
    folder = Path(address)
    if not folder.is_absolute():
        return "Give the folder's full path, or a web address that begins with https://."
    return (
        None
        if folder.is_dir()
        else f"There is no folder {address}. Create it, or correct the path."
    )


@contextmanager
def fetched(
    address: str, file: PublishedFile, season: int, marks: Marks, now: datetime
) -> Iterator[Fetched]:
    """Provide the file for the length of the block.

    Args:
        address: A web address, or a folder.
        file: What the publisher has; its names are looked for in a folder.
        season: The year.
        marks: Those of the last file that was entered.
        now: The time, to work out how long an answer asks to wait.

    Raises:
        NotFetchedError: There is no file.
    """
    if not is_web(address):
        yield _from_folder(Path(address), file, season, marks)
        return
    published = _published(file.timestamp.format(season=season))
    if published is not None and published == marks.published and marks.sha256 is not None:
        yield Fetched(None, marks)
        return
    with TemporaryDirectory(prefix="pressbox-feed-") as folder:
        name = re.sub(r"[^\w.-]", "_", urlsplit(address).path.rpartition("/")[2]) or file.kind
        yield _download(address, Path(folder) / name[-LONGEST_NAME:], marks, published, now)


def _from_folder(folder: Path, file: PublishedFile, season: int, marks: Marks) -> Fetched:
    names = [name.format(season=season) for name in file.names]
    path = next(
        (
            folder / f"{name}{suffix}"
            for name in names
            for suffix in SUFFIXES
            if (folder / f"{name}{suffix}").is_file()
        ),
        None,
    )
    if path is None:
        listed = " or ".join(names)
        raise NotFetchedError(
            f"There is no {listed} file ({', '.join(SUFFIXES)}) in {folder}. It will be imported "
            "once it is there.",
            is_missing=True,
        )
    try:
        stamp = _stamp(path)
        if stamp == marks.etag and marks.sha256 is not None:
            return Fetched(None, marks)
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise NotFetchedError(f"{path} is larger than {MOST_BYTES:,} bytes.")
        return Fetched(path, Marks(etag=stamp, sha256=sha256_of(path)), size, is_local=True)
    except OSError as error:
        raise NotFetchedError(
            f"{path} cannot be read ({error.strerror}): let the account that runs Pressbox read it."
        ) from error


def _stamp(path: Path) -> str:
    """Names, times and sizes of the file and of the play_stats beside it."""
    files = [path, *sorted((path.parent / "play_stats").glob("*.csv*"))]
    stats = [(file.name, file.stat()) for file in files]
    text = "|".join(f"{name} {stat.st_mtime_ns} {stat.st_size}" for name, stat in stats)
    return hashlib.sha256(text.encode()).hexdigest()


def has_changed_since(fetched_file: Fetched) -> bool:
    """Whether the file in its folder is no longer the one that was read."""
    if fetched_file.path is None or not fetched_file.is_local:
        return False
    try:
        return _stamp(fetched_file.path) != fetched_file.marks.etag
    except OSError:
        return True


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _published(address: str) -> str | None:
    """When the publisher's data were made, in its own words; None if it does not say so.

    It only spares fetching the file, so whatever is wrong with it is no fault.
    """
    if not address:
        return None
    limits = outbound.Limits(TIMESTAMP_SECONDS, TIMESTAMP_BYTES)
    for _ in range(MOST_REDIRECTS + 1):
        if outbound.url_fault(address, private=_private()):
            return None
        answer = outbound.get(
            address,
            _HEADERS,
            private=_private(),
            seconds=limits.seconds,
            most_bytes=limits.most_bytes,
        )
        if answer.status in REDIRECTS and answer.headers.get("location"):
            address = urljoin(address, answer.headers["location"])
            continue
        return _last_updated(answer.body) if answer.status == HTTP_OK else None
    return None


def _last_updated(body: bytes) -> str | None:
    try:
        document = plain_json(body)
    except InvalidJsonError:
        return None
    updated = document.get("last_updated") if isinstance(document, dict) else None
    if isinstance(updated, list):
        updated = next(iter(updated), None)
    return updated[:LONGEST_MARK] if isinstance(updated, str) and updated else None


_HEADERS = {"User-Agent": "Pressbox"}


def _download(
    address: str, path: Path, marks: Marks, published: str | None, now: datetime
) -> Fetched:
    headers = dict(_HEADERS)
    if marks.sha256 is not None and marks.etag:
        headers["If-None-Match"] = marks.etag
    if marks.sha256 is not None and marks.last_modified:
        headers["If-Modified-Since"] = marks.last_modified
    answer = _follow(address, headers, path)
    host = urlsplit(address).hostname
    if answer.status == HTTP_NOT_MODIFIED and marks.sha256 is not None:
        return Fetched(None, replace(marks, published=published))
    if answer.status != HTTP_OK:
        raise _refusal(answer, address, now)
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise NotFetchedError(f"{host} compressed its answer although it was asked not to.")
    digest, size = sha256_of(path), path.stat().st_size
    current = Marks(
        published,
        _repeatable(answer.headers.get("etag")),
        _repeatable(answer.headers.get("last-modified")),
        digest,
    )
    return Fetched(None if digest == marks.sha256 else path, current, size)


def _follow(address: str, headers: dict[str, str], path: Path) -> outbound.Answer:
    """Download from the address, or from where it leads. Raises NotFetchedError."""
    limits = outbound.Limits(SECONDS, MOST_BYTES)
    for _ in range(MOST_REDIRECTS + 1):
        host = urlsplit(address).hostname or "the publisher"
        if fault := outbound.url_fault(address, private=_private()):
            raise NotFetchedError(f"The address cannot be used ({host}). {fault}")
        with path.open("wb") as target:
            answer = outbound.download(address, headers, target, limits, private=_private())
        if answer.fault is not None:
            raise NotFetchedError(f"{host} could not be reached: {answer.fault}")
        if answer.status not in REDIRECTS or not answer.headers.get("location"):
            return answer
        address = urljoin(address, answer.headers["location"])
    raise NotFetchedError(f"The address redirects more than {MOST_REDIRECTS} times.")


def _refusal(answer: outbound.Answer, address: str, now: datetime) -> NotFetchedError:
    host, path = urlsplit(address).hostname, urlsplit(address).path
    name = path.rpartition("/")[2]
    if answer.status in (HTTP_NOT_FOUND, HTTP_GONE):
        return NotFetchedError(
            f"{host} has no {name} ({answer.status}). It may come later; if it does not, remove "
            "this feed.",
            is_missing=True,
        )
    wait = _retry_after(answer.headers.get("retry-after"), now)
    until = f" It asks us to wait {_minutes(wait)}." if wait is not None else ""
    return NotFetchedError(
        f"{host} answered {answer.status} for {name}.{until} We will ask again later.",
        retry_after=wait,
    )


def _minutes(wait: timedelta) -> str:
    minutes = max(1, -(-int(wait.total_seconds()) // 60))
    return f"{minutes} minute{'' if minutes == 1 else 's'}"


def _retry_after(value: str | None, now: datetime) -> timedelta | None:
    """The wait that a Retry-After header asks for (RFC 9110: seconds or a date), at most a day.

    >>> _retry_after("120", datetime(2026, 9, 1, tzinfo=UTC))
    datetime.timedelta(seconds=120)
    """
    if value is None:
        return None
    if value.strip().isdigit():
        seconds = min(int(value.strip()[:9]), LONGEST_WAIT.total_seconds())
        return timedelta(seconds=seconds)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return min(max(moment - now, timedelta(0)), LONGEST_WAIT)


def _repeatable(value: str | None) -> str | None:
    """Return a header's value if it can be sent back unchanged, else None."""
    is_usable = value and len(value) <= LONGEST_MARK and value.isascii() and value.isprintable()
    return value if is_usable else None


def _private() -> bool:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.providers_private
