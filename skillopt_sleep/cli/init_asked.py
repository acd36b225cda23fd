"""List the backends of this machine; ask a person for the choices of `init`, or take them from the command line."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import typer
from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.http import listed_models
from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.night.account import ProjectCounts
from skillopt_sleep.settings import BackendName, BackendSettings, Paths, Settings
from skillopt_sleep.wiring.models import KEYS, host_of, make_program

Value = TypeVar("Value")
Sections = dict[str, dict[str, Any]]

NAMES = tuple(name for name in get_args(BackendName) if name)
APIS = frozenset({"openai", "azure", "anthropic"})
# Where llama.cpp, Ollama and LM Studio listen unless they are told otherwise.
USUAL = ("http://127.0.0.1:8080/v1", "http://127.0.0.1:11434/v1", "http://127.0.0.1:1234/v1")
_NOBODY = ("0", "nobody", "none")
_OWN_ADDRESS = "the provider's own"
_MORE_BACKENDS = {
    "auto": "each night, whichever agent is logged in",
    "simulated": "a built-in stand-in for trying things out: sends nothing, learns nothing useful",
}


class Offer(NamedTuple):
    """A backend: whether it could answer now, and why or why not; a `subscription` isn't billed per call.

    A server on this machine has an address, and the models that it lists.
    """

    name: str
    ready: bool
    says: str
    subscription: bool = False
    base_url: str = ""
    models: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return what it is called in a list: its name, or the address of a server on this machine."""
        return host_of(self.base_url) if self.base_url else self.name


def offers(paths: Paths, environ: Mapping[str, str], own: BackendSettings) -> tuple[Offer, ...]:
    """Return every backend that asks a model, agents first, the user's `own` as it is set up; no model is asked."""
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as made:
        scratch = replace(paths, data=Path(made) / "data")
        agents = tuple(_agent(name, own, scratch, environ) for name in AGENTS)
    apis = tuple(_api(name, key, environ) for name, key in KEYS.items())
    return (
        *agents,
        *local_servers(dict.fromkeys([*([own.base_url] if own.is_local else []), *USUAL])),
        *apis,
        Offer("handoff", ready=True, says="you answer in files, or one of your agent sessions does"),
    )


def local_servers(addresses: Iterable[str]) -> tuple[Offer, ...]:
    """Return the model servers that answer at these addresses of this machine; no model is asked."""
    found: list[Offer] = []
    for address in addresses:
        models = listed_models(address)
        if models:
            says = f"a server on this machine; its models: {', '.join(models)}"
            found.append(Offer("openai", ready=True, says=says, base_url=address, models=models))
    return tuple(found)


def _api(name: str, key: str, environ: Mapping[str, str]) -> Offer:
    if environ.get(key):
        return Offer(name, ready=True, says=f"by its API; {key} is set")
    return Offer(name, ready=False, says=f"by its API; {key} is not set")


def _agent(name: str, own: BackendSettings, scratch: Paths, environ: Mapping[str, str]) -> Offer:
    backend = own if own.name == name else replace(BackendSettings(), name=name)
    try:
        model = make_program(backend, scratch, environ)
        program, account = f"{model.version} ({model.program})", model.account
    except SleepError as error:
        return Offer(name, ready=False, says=error.message)
    if account.problem:
        return Offer(name, ready=False, says=f"{program}: {account.problem}")
    now = utc_now()
    if account.expires and account.expires <= now:
        return Offer(name, ready=False, says=f"{program}: its login {account.ends(now)}")
    return Offer(name, ready=True, says=f"{program}: {account.how}", subscription=account.subscription)


class Given(NamedTuple):
    """The options of the command line; None if not given."""

    backend: str | None = None
    model: str | None = None
    base_url: str | None = None


def taken(given: Given, offered: Sequence[Offer], settings: Settings) -> Sections:
    """Take the backend from the command line without asking; one is chosen only if none is set yet."""
    name = given.backend or settings.backend.name or _logged_in(offered)
    has_model = given.model or (settings.backend.model and name == settings.backend.name)
    if name in APIS and not has_model:
        raise ConfigError(f"{name} needs a model", remedy="add --model NAME")
    backend: dict[str, Any] = {"name": name}
    if given.model is not None:
        backend["model"] = given.model
    if given.base_url is not None:
        backend["base_url"] = given.base_url
    is_other = name != settings.backend.name or given.base_url not in (None, settings.backend.base_url)
    if given.backend:
        # Naming a backend is the consent to send to it.
        backend["confirmed"] = True
    elif is_other:
        backend["confirmed"] = False
    return {"backend": backend}


def asked(given: Given, offered: Sequence[Offer], known: Sequence[ProjectCounts], settings: Settings) -> Sections:
    """Ask for what the command line doesn't say; an empty answer takes the value in brackets and changes nothing."""
    sections: Sections = {"backend": _ask_backend(given, offered, settings)}
    excluded = list(settings.projects.exclude)
    answer = _ask_excluded(known, excluded) if known else excluded
    if answer != excluded:
        sections["projects"] = {"exclude": answer}
    return sections


def _logged_in(offered: Sequence[Offer]) -> str:
    """Return the agent that is logged in, "" if none is; an API or a hand-off is never chosen for the user."""
    for offer in offered:
        if offer.ready and offer.name in AGENTS:
            return offer.name
    return ""


def _ask_backend(given: Given, offered: Sequence[Offer], settings: Settings) -> dict[str, Any]:
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
    """Ask for the model of an API; an agent keeps the one that it was given with `--model`."""
    if name in APIS:
        return _prompt("  Model", before.model, str)
    return before.model


def _ask_address(name: str, before: BackendSettings) -> str:
    """Ask for the address of an API; return "" for the provider's own."""
    if name in APIS:
        return _prompt("  Address", before.base_url or _OWN_ADDRESS, _address)
    return ""


def _ask_name(offered: Sequence[Offer], settings: Settings) -> str:
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


def _ask_excluded(known: Sequence[ProjectCounts], before: Sequence[str]) -> list[str]:
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
                patterns.append(known[int(word) - 1].project)
            else:
                raise typer.BadParameter(f"there is no project {word} in the list")
        return list(dict.fromkeys(patterns))

    return _prompt("Projects to leave out (numbers, folders or patterns)", ", ".join(before) or "none", parse)


def _prompt(text: str, default: str, parse: Callable[[str], Value]) -> Value:
    return typer.prompt(text, default=default or None, value_proc=lambda answer: parse(str(answer).strip()))


def _address(answer: str) -> str:
    if answer == _OWN_ADDRESS:
        return ""
    if not answer.startswith(("http://", "https://")):
        raise typer.BadParameter("an address begins with http:// or https://")
    return answer
