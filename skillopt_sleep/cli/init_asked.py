"""Ask a person for the choices of `init`, or take them from the command line."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.settings import BackendName, BackendSettings, BudgetSettings, Settings, length

if TYPE_CHECKING:
    from skillopt_sleep.cli.init_shown import Project
    from skillopt_sleep.doctor.offers import Offer

Value = TypeVar("Value")

NAMES = tuple(name for name in get_args(BackendName) if name)
APIS = frozenset({"openai", "azure", "anthropic"})
_NOBODY = ("0", "nobody", "none")
_OWN_ADDRESS = "the provider's own"
_OWN_MODEL = "its own choice"
_MORE_BACKENDS = {
    "auto": "each night, whichever agent is logged in",
    "simulated": "a built-in stand-in for trying things out: sends nothing, learns nothing useful",
}


class Given(NamedTuple):
    """The options of the command line; None if not given."""

    backend: str | None = None
    model: str | None = None
    base_url: str | None = None
    calls: int | None = None
    usd: float | None = None
    at: str | None = None
    lookback: str | None = None
    exclude: Sequence[str] | None = None


class Choice(NamedTuple):
    """The chosen keys of each section of config.toml; keys that are missing aren't written."""

    backend: dict[str, Any]
    budget: dict[str, Any]
    daemon: dict[str, Any]
    harvest: dict[str, Any]
    projects: dict[str, Any]

    def sections(self) -> dict[str, dict[str, Any]]:
        """Return the sections that have any key."""
        return {name: keys for name, keys in self._asdict().items() if keys}


def taken(given: Given, offered: "Sequence[Offer]", settings: Settings) -> Choice:
    """Take the choices from the command line without asking; a backend is chosen only if none is set yet."""
    name = given.backend or settings.backend.name or _logged_in(offered)
    has_model = given.model or (settings.backend.model and name == settings.backend.name)
    if name in APIS and not has_model:
        raise ConfigError(f"{name} needs a model", remedy="add --model NAME")
    backend = _without_none(name=name, model=given.model, base_url=given.base_url)
    is_other = name != settings.backend.name or given.base_url not in (None, settings.backend.base_url)
    if given.backend:
        # Naming a backend is the consent to send to it.
        backend["confirmed"] = True
    elif is_other:
        backend["confirmed"] = False
    return _choice(backend, given)


def asked(
    given: Given, offered: "Sequence[Offer]", known: "Sequence[Project]", settings: Settings, *, older: int
) -> Choice:
    """Ask for what the command line doesn't say; an empty answer takes the value in brackets and changes nothing."""
    backend = _ask_backend(given, offered, settings)
    calls, usd = _ask_limits(given, settings.budget, has_backend=bool(backend["name"]))
    at, lookback, exclude = given.at, given.lookback, given.exclude
    if at is None:
        now = settings.daemon.at
        at = _if_changed(_prompt("Start every night at (local time)", now, time_of_day), now)
    if lookback is None and older:
        now = settings.harvest.lookback
        say(f"{older} more sessions are older than {now}, so the first night would leave them out.")
        lookback = _if_changed(_prompt("How far should the first night look back", now, length_of_time), now)
    if exclude is None and known:
        before = list(settings.projects.exclude)
        exclude = _if_changed(_ask_excluded(known, before), before)
    return _choice(backend, Given(calls=calls, usd=usd, at=at, lookback=lookback, exclude=exclude))


def _choice(backend: dict[str, Any], given: Given) -> Choice:
    return Choice(
        backend=backend,
        budget=_without_none(calls=given.calls, usd=None if given.usd is None else float(given.usd)),
        daemon=_without_none(at=given.at),
        harvest=_without_none(lookback=given.lookback),
        projects=_without_none(exclude=None if given.exclude is None else list(given.exclude)),
    )


def _without_none(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _if_changed(answer: Value, now: Value) -> Value | None:
    return None if answer == now else answer


def _is_agent(name: str) -> bool:
    from skillopt_sleep.agents import AGENTS  # imported late, as it would slow down the start of every command

    return name in AGENTS


def _logged_in(offered: "Sequence[Offer]") -> str:
    """Return the agent that is logged in, "" if none is; an API or a hand-off is never chosen for the user."""
    for offer in offered:
        if offer.ready and _is_agent(offer.name):
            return offer.name
    return ""


def _ask_backend(given: Given, offered: "Sequence[Offer]", settings: Settings) -> dict[str, Any]:
    """Return the section [backend]: its name, and model and address if they are chosen or have to be cleared."""
    name = given.backend
    if name is None:
        name = _ask_name(offered, settings)
    before = settings.backend if name == settings.backend.name else BackendSettings()
    for server in offered:
        if server.base_url and name == server.label:
            name = server.name
            known = settings.backend.model if settings.backend.base_url == server.base_url else ""
            before = replace(settings.backend, model=known or server.models[0], base_url=server.base_url)
            given = given._replace(base_url=given.base_url or server.base_url)
    section: dict[str, Any] = {"name": name}
    # "" clears an earlier value; without an earlier value the key is left out.
    model = _ask_model(name, before) if given.model is None else given.model
    if model or before.model:
        section["model"] = model
    base_url = _ask_address(name, before) if given.base_url is None else given.base_url
    if base_url or before.base_url:
        section["base_url"] = base_url
    return section


def _ask_model(name: str, before: BackendSettings) -> str:
    """Ask for the model of an API or an agent; return "" for the backend's own choice."""
    if name in APIS:
        return _prompt("  Model", before.model, _model_name)
    if _is_agent(name):
        return _prompt("  Model", before.model or _OWN_MODEL, _agent_model)
    return ""


def _ask_address(name: str, before: BackendSettings) -> str:
    """Ask for the address of an API; return "" for the provider's own."""
    if name in APIS:
        return _prompt("  Address", before.base_url or _OWN_ADDRESS, _address)
    return ""


def _ask_name(offered: "Sequence[Offer]", settings: Settings) -> str:
    say("\nWhich backend should run at night?")
    choices = {offer.label: offer.says for offer in offered} | _MORE_BACKENDS
    names = list(choices)
    width = max(map(len, names))
    for number, (name, description) in enumerate(choices.items(), start=1):
        say(f"  {number}  {name:{width}}  {one_line(description, limit=200)}")
    say(f"  0  {'nobody':{width}}  send nothing until you choose a backend")
    default = settings.backend.name or _logged_in(offered) or "nobody"
    for offer in offered:
        if offer.base_url and offer.base_url == settings.backend.base_url:
            default = offer.label

    def parse(answer: str) -> str:
        if answer.lower() in _NOBODY:
            return ""
        if answer.isdigit() and 0 < int(answer) <= len(names):
            return names[int(answer) - 1]
        if answer in (*NAMES, *names):
            return answer
        raise typer.BadParameter(f"enter a number up to {len(names)}, or one of {', '.join(NAMES)}")

    return _prompt("Number or name", default, parse)


def _ask_limits(given: Given, budget: BudgetSettings, *, has_backend: bool) -> tuple[int | None, float | None]:
    """Return the limits of a night in calls and dollars, None for one that stays as it is."""
    calls, usd = given.calls, given.usd
    if calls is None:
        calls = _if_changed(_prompt("Most calls per night", str(budget.calls), _calls), budget.calls)
    if usd is None and has_backend:
        usd = _if_changed(_prompt("Most dollars per night (0: no limit)", f"{budget.usd:g}", _usd), budget.usd)
    return calls, usd


def _ask_excluded(known: "Sequence[Project]", before: Sequence[str]) -> list[str]:
    """Ask for the projects to leave out, by their number in the list above, by path or by pattern."""

    def parse(answer: str) -> list[str]:
        words = [word.strip() for word in answer.split(",") if word.strip()]
        if words == ["none"]:
            return []
        patterns: list[str] = []
        for word in words:
            if not word.isdigit():
                patterns.append(word)
            elif 0 < int(word) <= len(known):
                patterns.append(known[int(word) - 1].path)
            else:
                raise typer.BadParameter(f"there is no project {word} in the list")
        return list(dict.fromkeys(patterns))

    return _prompt("Projects to leave out (numbers, folders or patterns)", ", ".join(before) or "none", parse)


def _prompt(text: str, default: str, parse: Callable[[str], Value]) -> Value:
    return typer.prompt(text, default=default or None, value_proc=lambda answer: parse(str(answer).strip()))


def _model_name(answer: str) -> str:
    if not answer:
        raise typer.BadParameter("an API needs the name of a model")
    return answer


def _agent_model(answer: str) -> str:
    return "" if answer == _OWN_MODEL else answer


def _address(answer: str) -> str:
    if answer == _OWN_ADDRESS:
        return ""
    if not answer.startswith(("http://", "https://")):
        raise typer.BadParameter("an address begins with http:// or https://")
    return answer


def _calls(answer: str) -> int:
    if not answer.isdigit() or not int(answer):
        raise typer.BadParameter("enter a whole number, 1 or more")
    return int(answer)


def _usd(answer: str) -> float:
    if not re.fullmatch(r"\$?[0-9]{1,7}(\.[0-9]{1,4})?", answer):
        raise typer.BadParameter("enter an amount such as 1.50, or 0")
    return float(answer.removeprefix("$"))


def time_of_day(text: str) -> str:
    """Return a time of day as the settings write it; BadParameter if it isn't one."""
    match = re.fullmatch(r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])", text)
    if not match:
        raise typer.BadParameter("a time of day such as 04:17")
    return f"{int(match[1]):02}:{match[2]}"


def length_of_time(text: str) -> str:
    """Return a length of time as the settings write it; BadParameter if it isn't one."""
    try:
        length(text)
    except ConfigError as error:
        raise typer.BadParameter("a length of time such as 30d") from error
    return text


def parsed_option(option: str, text: str | None, parse: Callable[[str], str]) -> str | None:
    """Parse an option's text, None if it isn't given; ConfigError that names the option if it is invalid."""
    if text is None:
        return None
    try:
        return parse(text)
    except typer.BadParameter as error:
        raise ConfigError(f"{option} {text} is not {error.message}") from error
