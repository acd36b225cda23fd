import os
from pathlib import Path

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.notify.urls import filled, send, service

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
