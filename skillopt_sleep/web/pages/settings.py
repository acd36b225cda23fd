"""The page of the settings: what each is and where it comes from; a few that only make nights smaller can be changed.

Consent, models, addresses, keys and higher limits are never set in a browser.
"""

import hashlib
import hmac
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.errors import ConfigError, UnsafeEdit
from skillopt_sleep.kit.toml import written
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.records import Record
from skillopt_sleep.settings import Paths, Section as SectionSettings, Settings, origins
from skillopt_sleep.settings.sentences import rest_of, sentence_of
from skillopt_sleep.settings.written import changed, remaining, replace_file, value_of
from skillopt_sleep.web.forms import done, sent
from skillopt_sleep.web.site import Page, settings_of, show, site_of

LOWERED = "budget"
FREE = {
    "daemon.at": "when nights begin, by this machine's clock, as in 04:17",
    "bank.keep": "how long texts are kept, as in 180d; 0d keeps them for good",
}
_KEPT = "At the end of the next night, what is older is forgotten. That can't be taken back."
_DEFAULT = "default"
NO_LIMIT = "no limit"
_REFUSED = 400


class Setting(Record, frozen=True, kw_only=True):
    """A setting, its value as it is written, and where it comes from; `hint` says how it can be changed here."""

    key: str
    name: str
    says: str
    value: str
    origin: str
    hint: str = ""


class Section(Record, frozen=True, kw_only=True):
    """A section of the settings, with what its comment says of all; so many of them are `chosen`, not default."""

    name: str
    says: str
    chosen: int
    settings: tuple[Setting, ...]


class Wrong(Record, frozen=True, kw_only=True):
    """A value that was typed for a setting and can't be taken, and why."""

    key: str
    typed: str
    message: str
    remedy: str


class AllSettings(Record, frozen=True, kw_only=True):
    """Every setting, the file they are in, and what was wrong with the value that was typed for one."""

    file: str
    exists: bool
    changeable: tuple[Setting, ...]
    sections: tuple[Section, ...]
    wrong: Wrong | None = None


class Change(Record, frozen=True, kw_only=True):
    """A change that waits for a yes: `seen` is the digest of the file that it was worked out from."""

    key: str
    value: str
    before: str
    after: str
    file: str
    warning: str
    seen: str


def all_settings(settings: Settings, paths: Paths, *, wrong: Wrong | None = None) -> AllSettings:
    """Return every setting with its value and its origin."""
    try:
        found = origins(paths)
    except ConfigError:
        found = {}
    sections: list[Section] = []
    for field in msgspec.structs.fields(Settings):
        section: SectionSettings = getattr(settings, field.name)
        rows: list[Setting] = []
        for inner in msgspec.structs.fields(section):
            key = f"{field.name}.{inner.name}"
            origin = found.get(key, _DEFAULT)
            rows.append(
                Setting(
                    key=key,
                    name=inner.name,
                    says=sentence_of(key),
                    value=_shown(key, getattr(section, inner.name)),
                    origin=_named(origin, paths),
                    hint=_hint(key) if origin in {_DEFAULT, str(paths.config_file)} else "",
                )
            )
        says = rest_of(type(section))
        chosen = sum(row.origin != _DEFAULT for row in rows)
        sections.append(Section(name=field.name, says=says, chosen=chosen, settings=tuple(rows)))
    file = paths.config_file
    changeable = [row for section in reversed(sections) for row in section.settings if row.hint]
    return AllSettings(
        file=home_path(str(file)),
        exists=file.exists(),
        changeable=tuple(changeable),
        sections=tuple(sections),
        wrong=wrong,
    )


def _shown(key: str, value: Any) -> str:
    """Return a value as it is written in the file; a limit that is 0 as what it means."""
    return NO_LIMIT if value == 0 and key.startswith(f"{LOWERED}.") else written(value)


def _named(origin: str, paths: Paths) -> str:
    return paths.config_file.name if origin == str(paths.config_file) else origin


def _hint(key: str) -> str:
    """Say what can be typed for a setting that can be changed here, "" for any other."""
    if key.startswith(f"{LOWERED}."):
        return "a lower limit than now"
    return FREE.get(key, "")


def proposed(settings: Settings, paths: Paths, *, key: str, typed: str) -> tuple[Change, str]:
    """Return a change and the new text of the file; ConfigError if it is wrong, UnsafeEdit if it is not for here."""
    if not _hint(key):
        raise UnsafeEdit(
            f"{key!r} can't be changed in the browser", remedy=f"skillopt-sleep config set {key} …, or config edit"
        )
    origin = origins(paths).get(key, _DEFAULT)
    if origin not in {_DEFAULT, str(paths.config_file)}:
        raise UnsafeEdit(f"{key} is set by {origin}, which the file doesn't change", remedy=f"unset {origin}")
    section, _, name = key.partition(".")
    now: Any = getattr(getattr(settings, section), name)
    text = paths.config_file.read_text(encoding="utf-8") if paths.config_file.exists() else ""
    after = changed(text, key, typed, path=paths.config_file)
    new: Any = value_of(typed, is_list=False) if not isinstance(now, str) else typed
    if section == LOWERED and not _is_lower(float(new), float(now)):
        raise UnsafeEdit(
            f"{key} is {written(now)}, and the browser only lowers limits",
            remedy=f"raise it in a terminal: skillopt-sleep config set {key} {typed}",
        )
    change = Change(
        key=key,
        value=typed,
        before=written(now),
        after=written(new),
        file=home_path(str(paths.config_file)),
        warning=_KEPT if key == "bank.keep" else "",
        seen=_digest(text),
    )
    return change, after


def _is_lower(new: float, now: float) -> bool:
    """Tell whether a limit is lower than now, where 0 is no limit."""
    if new <= 0:
        return False
    return now == 0 or new < now


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _show(request: Request) -> Response:
    settings, _ = settings_of(request)
    return show(request, "settings.html.j2", all_settings(settings, site_of(request).paths), title="Settings")


def _ask(request: Request) -> Response:
    """Show what a change would do, before it is made."""
    settings, problem = settings_of(request)
    if problem:
        raise ConfigError(problem, remedy="fix it first: skillopt-sleep config edit")
    form, paths = sent(request), site_of(request).paths
    key, typed = form.one("key"), form.one("value").strip()
    try:
        change, _ = proposed(settings, paths, key=key, typed=typed)
    except (ConfigError, UnsafeEdit) as error:
        if not _hint(key):
            raise
        wrong = Wrong(key=key, typed=typed, message=error.message, remedy=error.remedy)
        view = all_settings(settings, paths, wrong=wrong)
        return show(request, "settings.html.j2", view, title="Settings", status=_REFUSED)
    return show(request, "setting.html.j2", change, title="Change a setting")


def _change(request: Request) -> Response:
    """Make a change, if the file is still as it was when the change was shown."""
    settings, _ = settings_of(request)
    paths = site_of(request).paths
    form = sent(request)
    change, text = proposed(settings, paths, key=form.one("key"), typed=form.one("value").strip())
    if not hmac.compare_digest(change.seen, form.one("seen")):
        return show(request, "setting.html.j2", change, title="Change a setting", status=409)
    problem = remaining(text, paths.config_file)
    if problem is not None:
        raise problem
    replace_file(paths.config_file, text, check=True)
    return done(request, "/settings", f"{change.key} is {change.after} now.")


PAGE = Page(
    "/settings",
    "Settings",
    (
        Route("/settings", _show),
        Route("/settings/ask", _ask, methods=["POST"]),
        Route("/settings/change", _change, methods=["POST"]),
    ),
)
