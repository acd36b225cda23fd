import os
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.notify.urls import Letter, deliver, filled, send, service

SECRET = "a-secret-token"


def test_a_variable_in_an_address_is_taken_from_the_environment() -> None:
    assert filled("slack://$TOKEN/#general", {"TOKEN": SECRET}) == f"slack://{SECRET}/#general"
    assert filled("ntfy://host/a$$b", {}) == "ntfy://host/a$b"


def test_an_unset_variable_is_named() -> None:
    with pytest.raises(ItemError, match=r"\$TOKEN, which is not set"):
        filled("slack://$TOKEN", {})


def test_a_single_dollar_is_reported_without_the_address() -> None:
    with pytest.raises(ItemError) as error:
        filled(f"slack://{SECRET}/$", {})
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(("url", "shown"), [(f"slack://{SECRET}", "slack://…"), (SECRET, "an address without ://")])
def test_only_the_service_of_an_address_is_shown(url: str, shown: str) -> None:
    assert service(url) == shown


def test_services_that_fail_are_named(tmp_path: Path) -> None:
    urls = ("nosuchservice://x", "json://127.0.0.1:9/")
    with pytest.raises(ItemError) as error:
        send("t", "b", urls=urls, environ={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    assert "nosuchservice://… (apprise doesn't know it), json://…" in error.value.message


def test_without_apprise_the_error_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "apprise.py").write_text("raise ModuleNotFoundError('apprise')\n", encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    with pytest.raises(ItemError, match="not installed") as error:
        send("t", "b", urls=("json://127.0.0.1:9/",), environ=environ)
    assert " 'apprise<" in error.value.remedy


class Library:
    """Stands for apprise: knows good:// and bad://, and only good:// takes anything."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str]] = []

    def Apprise(self) -> Any:  # noqa: N802 - as the library names it
        return One(self)


class One:
    def __init__(self, library: Library) -> None:
        self._library, self._url = library, ""

    def add(self, url: str) -> bool:
        self._url = url
        return url.startswith(("good://", "bad://"))

    def notify(self, *, title: str, body: str) -> bool:
        if self._url.startswith("good://"):
            self._library.sent.append((self._url, title, body))
        return self._url.startswith("good://")


def test_every_address_is_tried_and_those_that_failed_are_named() -> None:
    library = Library()
    letter = Letter(urls=("odd://a", "bad://b", "good://c", "good://d"), title="t", body="b")
    assert deliver(letter, library) == ["odd://… (apprise doesn't know it)", "bad://…"]
    assert library.sent == [("good://c", "t", "b"), ("good://d", "t", "b")]
