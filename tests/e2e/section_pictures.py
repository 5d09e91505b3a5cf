"""Small pictures of the style guide's sections, and what differs between two of them.

`make thumbnails` stores them; tests/e2e/test_look_of_components.py compares.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageOps
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import Locator, Page

from tests.e2e.looking import LAPTOP, PHONE

FOLDER = Path(__file__).parent / "thumbnails"
OF_PAGES = ("games", "leagues", "drafts", "talk", "tournaments", "staff")
LOOKS = [(theme, size) for theme in ("light", "dark") for size in ("phone", "laptop")]
SIZES = {"phone": PHONE, "laptop": LAPTOP}
SHRINK = 8  # pixels of the screen, each way, for one of the picture
BITS = 5  # of each channel that are stored: a picture is half as large, and off by 7 steps at most
# The size of a section on the screen is stored with its picture: 4 px of padding change it. A part
# of a pixel may be rounded to either side.
SIZE_TOLERANCE = 1  # px
# Each pixel is the mean of 64 of the screen's: other antialiasing moves it by one or two steps, and
# the bits that are not stored by up to 7. Another color or a missing line moves it more.
PIXEL_TOLERANCE = 16  # steps of 255, in any channel
MOST_DIFFERENT = 3  # pixels; a chip has 15
# The bar at a phone's foot covers whatever part of a tall section happens to be below it.
HIDE_BAR = "document.querySelector('.site-nav').style.visibility = 'hidden'"
SIZE = "size"  # the key of a stored picture's size


@dataclass(frozen=True)
class SmallPicture:
    """A section's small picture, and its width and height on the screen."""

    picture: Image.Image
    size: tuple[int, int]


@dataclass(frozen=True)
class Difference:
    """What differs between two pictures of a section. `picture` marks it in red."""

    words: str
    picture: Image.Image


def sections(page: Page) -> Iterator[tuple[str, Locator]]:
    """The components of the style guide that is open, by name, in their order."""
    for component in page.locator(".component").all():
        heading = component.locator("h1, h2").first
        name = heading.inner_text().lower().replace("’", "").replace(" ", "-")
        yield name, component


def small_pictures(page: Page) -> Mapping[str, SmallPicture]:
    """A small picture of each component of the style guide that is open."""
    page.evaluate("document.fonts.ready.then(() => null)")
    page.evaluate(HIDE_BAR)
    return {name: small_picture(component) for name, component in sections(page)}


def small_picture(component: Locator) -> SmallPicture:
    """The component as it is on the screen now."""
    with Image.open(io.BytesIO(component.screenshot(animations="disabled"))) as screen:
        return shrunk(screen)


def shrunk(screen: Image.Image) -> SmallPicture:
    """A picture in which each pixel is the mean of several of the screen's."""
    width, height = (max(1, side // SHRINK) for side in screen.size)
    small = screen.convert("RGB").resize((width, height), Image.Resampling.BOX)
    return SmallPicture(small, screen.size)


def store(small: SmallPicture, path: Path) -> None:
    """Store it."""
    size = PngInfo()
    size.add_text(SIZE, "x".join(map(str, small.size)))
    ImageOps.posterize(small.picture, BITS).save(path, optimize=True, pnginfo=size)


def load(path: Path) -> SmallPicture:
    """A stored picture."""
    with Image.open(path) as picture:
        width, height = map(int, picture.info[SIZE].split("x"))
        return SmallPicture(picture.convert("RGB"), (width, height))


def difference(stored: SmallPicture, now: SmallPicture) -> Difference | None:
    """What differs beyond the tolerance; None if nothing does."""
    if any(
        abs(then - side) > SIZE_TOLERANCE for then, side in zip(stored.size, now.size, strict=True)
    ):
        (width, height), (width_now, height_now) = stored.size, now.size
        words = f"{width} by {height} px before, now {width_now} by {height_now}"
        return Difference(words, beside(stored.picture, now.picture))
    present = now.picture.resize(stored.picture.size)
    channels = ImageChops.difference(stored.picture, present).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    marked = most.point(lambda step: 255 if step > PIXEL_TOLERANCE else 0)
    different = marked.histogram()[255]
    if different <= MOST_DIFFERENT:
        return None
    red = present.copy()
    red.paste((255, 0, 0), mask=marked)
    return Difference(f"{different} pixels differ", beside(stored.picture, present, red))


def beside(*pictures: Image.Image) -> Image.Image:
    """The pictures side by side: stored, now, and what differs."""
    gap = 4
    width = sum(picture.width + gap for picture in pictures)
    canvas = Image.new("RGB", (width, max(picture.height for picture in pictures)), (128, 128, 128))
    left = 0
    for picture in pictures:
        canvas.paste(picture, (left, 0))
        left += picture.width + gap
    return canvas
