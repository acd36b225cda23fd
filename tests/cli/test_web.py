import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Home
from tests.web.dashboard import opened


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
    with opened(slept_home) as (dashboard, shown):
        token = dashboard.address.partition("token=")[2]
        assert shown.startswith("file://")
        assert token not in shown
        page = Path(shown.removeprefix("file://"))
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
