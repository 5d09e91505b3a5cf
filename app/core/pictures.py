"""Pictures from outside: decoded within limits, scaled, and encoded anew (PRODUCT C11).

A file that somebody sends is never served itself. What is stored is a new WebP that contains only
the pixels. Pictures of clubs are in app/predictions/pictures, those of posts in app/talk.
"""

from __future__ import annotations

import io

MOST_BYTES = 2 * 1024 * 1024
MOST_SIDE = 4096  # pixels; a picture of this size takes 64 MB when decoded
SIDE = 256  # of the stored picture
TYPE = "image/webp"
MAGIC = {b"\x89PNG\r\n\x1a\n": "PNG", b"\xff\xd8\xff": "JPEG"}


class BadPictureError(Exception):
    """The picture cannot be used; the text is a sentence that says why."""


def re_encoded(
    data: bytes, *, side: int = SIDE, most_bytes: int = MOST_BYTES, is_square: bool = False
) -> bytes:
    """Return the picture as WebP of at most `side` by `side` pixels. Raises BadPictureError.

    `is_square`: only the middle of a picture that is wide or high, as large as it fits.

    The type is detected from the content. The size is read from the header before any pixel is
    decoded.
    """
    from PIL import Image, ImageOps  # a large import that most processes never need

    if len(data) > most_bytes:
        raise BadPictureError(f"The picture is larger than {most_bytes // 1_000_000} MB.")
    try:
        with Image.open(io.BytesIO(data), formats=(_kind(data),)) as picture:
            small: Image.Image
            if max(picture.size) > MOST_SIDE:
                raise BadPictureError(
                    f"The picture is {picture.width:,} by {picture.height:,} pixels. It may have "
                    f"up to {MOST_SIDE:,} on each side."
                )
            if is_square:
                shortest = min(side, *picture.size)
                small = ImageOps.fit(picture, (shortest, shortest))
            else:
                picture.thumbnail((side, side))
                small = picture
            pixels = ImageOps.exif_transpose(small).convert("RGBA")
    except BadPictureError:
        raise
    except Exception as error:  # decoders may raise any exception for a broken file
        raise BadPictureError(
            "The picture cannot be read. The file may be damaged or incomplete."
        ) from error
    clean = Image.new("RGBA", pixels.size)
    clean.paste(pixels)  # drops comments, colour profile and GPS position
    encoded = io.BytesIO()
    clean.save(encoded, "WEBP", quality=90, method=4)
    return encoded.getvalue()


def _kind(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            return kind
    raise BadPictureError("The file is not a PNG, JPEG or WebP picture.")
