import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import PROGRAM, Home
from tests.web.dashboard import Dashboard


def test_the_address_is_printed_alone_and_the_rest_beside(slept_home: Home) -> None:
    process = slept_home.start("web", "--no-open")
    assert process.stdout is not None
    line = process.stdout.readline()
    process.terminate()
    rest, err = process.communicate(timeout=20)
    assert line.startswith("http://127.0.0.1:")
    assert "Ctrl-C" in err
    assert rest == ""


def test_the_browser_gets_the_token_from_a_page_that_nobody_else_may_read(slept_home: Home) -> None:
    """Every user of a machine may read the command line of a browser."""
    told = slept_home.folder / "told"
    browser = slept_home.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {told}.new && mv {told}.new {told}\n', encoding="utf-8")
    browser.chmod(0o700)
    environment = slept_home.environment | {"DISPLAY": ":0", "BROWSER": f"{browser} %s"}
    process = subprocess.Popen([PROGRAM, "web"], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        dashboard = Dashboard(process.stdout.readline().strip())
        until = time.monotonic() + 20
        while not told.exists() and time.monotonic() < until:
            time.sleep(0.05)
        token = dashboard.address.partition("token=")[2]
        opened = told.read_text(encoding="utf-8").strip()
        assert opened.startswith("file://")
        assert token not in opened
        page = Path(opened.removeprefix("file://"))
        assert page.is_relative_to(slept_home.folder / "sleep")
        assert page.stat().st_mode & 0o777 == 0o600
        text = page.read_text(encoding="utf-8")
        assert token in text
        (action,) = re.findall(r'method="post" action="([^"]+)"', text)
        sent = {
            "Origin": "null",
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        entrance = action.removeprefix(dashboard.home)
        assert dashboard.ask("POST", entrance, sent, b"token=wrong").status == 401
        entered = dashboard.ask("POST", entrance, sent, f"token={token}".encode())
        assert 'url=/"' in entered.text, "it leads on by itself, as a browser keeps the cookie back in a redirect"
        assert not page.exists(), "to open it again would count as a second use"
        dashboard.cookie = entered.headers["set-cookie"].partition(";")[0]
        assert dashboard.get("/alive").status == 204
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_the_page_goes_with_the_dashboard(slept_home: Home) -> None:
    process = slept_home.start("web", "--no-open")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert [path for path in slept_home.folder.rglob("*") if path.suffix == ".html"] == []


@pytest.fixture
def slept_home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "uvicorn.py").write_text("raise ModuleNotFoundError('no', name='uvicorn')", encoding="utf-8")
    home = Home(tmp_path / "home")
    done = subprocess.run(
        [sys.executable, "-m", "skillopt_sleep", "web", "--no-open"],
        env={**home.environment, "PYTHONPATH": str(hidden)},
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "the dashboard needs uvicorn" in done.stderr
    assert "starlette" in done.stderr.partition("install it:")[2]
    shutil.rmtree(hidden)
