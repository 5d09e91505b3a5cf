"""A push service of a test's own.

A real HTTP server that takes pushes, checks who signed them and decrypts them with the browser's
own key, as RFC 8291 and RFC 8292 say. Not with the library that encrypts them: two that agree prove
it.
"""

from __future__ import annotations

import json
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.accounts.push_devices import Subscription
from tests.http_server import Quiet, running, serving
from tests.waiting import patience

CURVE = ec.SECP256R1()


def bytes_of(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def text_of(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def _derived(key: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(key)


def decrypted(body: bytes, key: ec.EllipticCurvePrivateKey, auth: bytes) -> bytes:
    """The message of one record (RFC 8188, 8291), for the browser with this key and secret."""
    salt, length = body[:16], body[20]
    sender, sealed = body[21 : 21 + length], body[21 + length :]
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
    secret = _derived(shared, auth, b"WebPush: info\0" + point_of(key.public_key()) + sender, 32)
    opened = AESGCM(_derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)).decrypt(
        _derived(secret, salt, b"Content-Encoding: nonce\0", 12), sealed, None
    )
    assert opened.rstrip(b"\0").endswith(b"\x02"), "the last record ends with 2"
    return opened.rstrip(b"\0")[:-1]


@dataclass
class Browser:
    """One that has asked the service for a subscription. `auth`: its secret."""

    subscription: Subscription
    key: ec.EllipticCurvePrivateKey
    auth: bytes


@dataclass(frozen=True)
class Pushed:
    """What a browser would have shown, and what the service was told about it."""

    browser: str
    content: dict[str, str]
    headers: dict[str, str]
    claims: dict[str, str]


@dataclass
class PushService:
    """Answers each push by the next of `answers` for its browser, then by 201.

    An answer is a status, or "hang".
    """

    address: str = ""
    browsers: dict[str, Browser] = field(default_factory=dict)
    answers: dict[str, list[int | str]] = field(default_factory=dict)
    taken: list[Pushed] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    is_released: threading.Event = field(default_factory=threading.Event)

    def subscribe(self, name: str) -> Browser:
        key, auth = ec.generate_private_key(CURVE), name.encode().ljust(16, b"-")
        subscription = Subscription(
            f"{self.address}/{name}", text_of(point_of(key.public_key())), text_of(auth)
        )
        self.browsers[name] = Browser(subscription, key, auth)
        return self.browsers[name]


@contextmanager
def push_service() -> Iterator[PushService]:
    state = PushService()

    class Handler(Quiet):
        def do_POST(self) -> None:  # noqa: N802 (http.server calls it by this name)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            name = self.path.lstrip("/")
            state.asked.append(name)
            answers = state.answers.get(name)
            answer = answers.pop(0) if answers else 201
            if answer == "hang":
                state.is_released.wait(patience(60))
                return
            if answer == 201:
                browser = state.browsers[name]
                scheme, _, parameters = self.headers["Authorization"].partition(" ")
                signed = dict(part.strip().split("=", 1) for part in parameters.split(","))
                assert (scheme, self.headers["Content-Encoding"]) == ("vapid", "aes128gcm")
                signer = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, bytes_of(signed["k"]))
                claims = jwt.decode(signed["t"], signer, ["ES256"], audience="http://127.0.0.1")
                content = json.loads(decrypted(body, browser.key, browser.auth))
                state.taken.append(
                    Pushed(name, content, dict(self.headers), {**claims, "k": signed["k"]})
                )
            self.send_response(int(answer))
            if answer == 429:
                self.send_header("Retry-After", "900")
            self.end_headers()

    with running(serving(Handler)) as state.address:
        yield state
        state.is_released.set()
