"""Pictures of the page for the documentation, from the page that `make demo` writes: light, dark and on a phone."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "examples" / "report.html"
FOLDER = REPOSITORY / "docs" / "images"
WIDE, NARROW = {"width": 1000, "height": 900}, {"width": 390, "height": 800}
PICTURES = [
    ("page-light.png", "#B9b976", {"viewport": WIDE, "color_scheme": "light"}),
    ("page-dark.png", "", {"viewport": WIDE, "color_scheme": "dark"}),
    ("page-phone.png", "#B9b976", {"viewport": NARROW, "color_scheme": "light"}),
]


def main():
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed (Debian: apt-get install chromium)")
    if not PAGE.exists():
        sys.exit("`make demo` writes the page first")
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, fragment, options in PICTURES:
            page = browser.new_context(**options).new_page()
            page.goto(PAGE.as_uri() + fragment)
            page.screenshot(path=FOLDER / name)
        browser.close()


if __name__ == "__main__":
    main()
