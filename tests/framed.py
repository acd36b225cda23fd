"""Show a page in a frame of a browser, and measure it: the page itself may run no script."""

import re
import subprocess
from pathlib import Path

BROWSER = "chromium"
_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
]


def framed(page: str, width: int, folder: Path) -> tuple[int, int]:
    """Return how wide a page is and how wide its window, which is at most `width`; refuse errors of the browser."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    measuring = (
        f"<iframe width={width} height=4000 src=page.html></iframe><pre id=wide></pre><script>"
        "onload = () => { const page = document.querySelector('iframe').contentDocument.documentElement;"
        "wide.textContent = `${page.scrollWidth} of ${page.clientWidth}`; }</script>"
    )
    (folder / "frame.html").write_text(measuring, encoding="utf-8")
    address = (folder / "frame.html").as_uri()
    done = subprocess.run([BROWSER, *_OPTIONS, "--dump-dom", address], capture_output=True, text=True, check=True)
    assert "CONSOLE" not in done.stderr
    wide, window = re.findall(r"(\d+) of (\d+)", done.stdout)[0]
    return int(wide), int(window)
