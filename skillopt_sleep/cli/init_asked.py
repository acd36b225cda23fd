"""What init asks a person, and what it takes from the command line instead."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.settings import BackendName, Settings

if TYPE_CHECKING:
    from skillopt_sleep.cli.init_shown import Project
    from skillopt_sleep.doctor.offers import Offer

Value = TypeVar("Value")

NAMES = tuple(name for name in get_args(BackendName) if name)
APIS = frozenset({"openai", "azure", "anthropic"})
_NOBODY = ("0", "nobody", "none")
_ALSO = {
    "auto": "every night the agent that is logged in then",
    "simulated": "a pretence of a model, here: nothing is sent, and nothing of worth is learned",
}


class Given(NamedTuple):
    """What the command line says; None where it says nothing."""

    backend: str | None = None
    model: str | None = None
    base_url: str | None = None
    calls: int | None = None
    usd: float | None = None
    at: str | None = None
    lookback: str | None = None
    exclude: Sequence[str] | None = None


class Choice(NamedTuple):
    """What was chosen: sections of config.toml, of which only these keys are written."""

    backend: dict[str, Any]
    budget: dict[str, Any]
    daemon: dict[str, Any]
    harvest: dict[str, Any]
    projects: dict[str, Any]

    def sections(self) -> dict[str, dict[str, Any]]:
        """Those that say anything."""
        return {name: keys for name, keys in self._asdict().items() if keys}


def taken(given: Given, offered: "Sequence[Offer]", settings: Settings) -> Choice:
    """Without a question: what the command line says, and of the rest only who answers, where nobody is named yet."""
    name = given.backend or settings.backend.name or _first(offered)
    if name in APIS and not (given.model or (settings.backend.model and name == settings.backend.name)):
        raise ConfigError(f"{name} needs a model", remedy="add --model NAME")
    backend: dict[str, Any] = _said(name=name, model=given.model, base_url=given.base_url)
    if given.backend:
        # Naming it is the consent to send to it.
        backend["confirmed"] = True
    elif name != settings.backend.name or given.base_url not in (None, settings.backend.base_url):
        backend["confirmed"] = False
    return Choice(backend, *_rest(given))


def asked(
    given: Given, offered: "Sequence[Offer]", known: "Sequence[Project]", settings: Settings, *, older: int
) -> Choice:
    """Ask for what the command line doesn't say; an empty answer is what is in brackets, and changes nothing."""
    name = _who(offered, settings) if given.backend is None else given.backend
    same = settings.backend if name == settings.backend.name else None
    model, base_url = given.model, given.base_url
    if name in APIS:
        if model is None:
            model = _prompt("  Model", same.model if same else "", _named)
        if base_url is None:
            base_url = _prompt(
                "  Address", same.base_url if same and same.base_url else "the provider's own", _address
            )
    elif _is_agent(name) and model is None:
        own = "its own choice"
        model = _prompt(
            "  Model", same.model if same and same.model else own, lambda said: "" if said == own else said
        )
    budget, at, lookback = settings.budget, given.at, given.lookback
    calls = given.calls
    if calls is None:
        calls = _changed(_prompt("Calls a night at most", str(budget.calls), _calls), budget.calls)
    usd = given.usd
    if usd is None and name:
        usd = _changed(_prompt("Dollars a night at most, 0 is no limit", f"{budget.usd:g}", _usd), budget.usd)
    if at is None:
        at = _changed(_prompt("Every night at (local time)", settings.daemon.at, time_of_day), settings.daemon.at)
    if older and lookback is None:
        say(f"{older} more ended before the last {settings.harvest.lookback}, and a first night leaves such out.")
        back = settings.harvest.lookback
        lookback = _changed(_prompt("The first night looks back", back, length_of_time), back)
    exclude = given.exclude
    if exclude is None and known:
        exclude = _changed(_without(known, settings.projects.exclude), list(settings.projects.exclude))
    backend = _said(
        name=name,
        model=model or ("" if same and same.model else None),
        base_url=base_url or ("" if same and same.base_url else None),
    )
    return Choice(backend, *_rest(Given(calls=calls, usd=usd, at=at, lookback=lookback, exclude=exclude)))


def _rest(given: Given) -> tuple[dict[str, Any], ...]:
    exclude = None if given.exclude is None else list(given.exclude)
    return (
        _said(calls=given.calls, usd=None if given.usd is None else float(given.usd)),
        _said(at=given.at),
        _said(lookback=given.lookback),
        _said(exclude=exclude),
    )


def _said(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _changed(answer: Value, now: Value) -> Value | None:
    return None if answer == now else answer


def _is_agent(name: str) -> bool:
    from skillopt_sleep.agents import AGENTS  # every command starts sooner without

    return name in AGENTS


def _first(offered: "Sequence[Offer]") -> str:
    """The agent that is logged in; an API or a hand-off is nothing to choose for somebody."""
    return next((offer.name for offer in offered if offer.ready and _is_agent(offer.name)), "")


def _who(offered: "Sequence[Offer]", settings: Settings) -> str:
    say("\nWho shall answer at night?")
    told = {offer.name: offer.says for offer in offered} | _ALSO
    for number, (name, says) in enumerate(told.items(), start=1):
        say(f"  {number}  {name:10} {one_line(says, limit=100)}")
    say("  0  nobody     nothing is sent until you name one")
    default = settings.backend.name or _first(offered) or "nobody"

    def chosen(said: str) -> str:
        if said.lower() in _NOBODY:
            return ""
        if said.isdigit() and 0 < int(said) <= len(told):
            return list(told)[int(said) - 1]
        if said in NAMES:
            return said
        raise typer.BadParameter(f"a number up to {len(told)}, or one of {', '.join(NAMES)}")

    return _prompt("Number or name", default, chosen)


def _without(known: "Sequence[Project]", before: Sequence[str]) -> list[str]:
    """The projects to leave out, by their number in the list above, by path or by pattern."""

    def chosen(said: str) -> list[str]:
        named = [part.strip() for part in said.split(",") if part.strip()]
        if named == ["none"]:
            return []
        wrong = [part for part in named if part.isdigit() and not 0 < int(part) <= len(known)]
        if wrong:
            raise typer.BadParameter(f"there is no project {wrong[0]} in the list")
        return list(dict.fromkeys(known[int(part) - 1].path if part.isdigit() else part for part in named))

    return _prompt("Projects to leave out (numbers, folders or patterns)", ", ".join(before) or "none", chosen)


def _prompt(text: str, default: str, understood: Callable[[str], Value]) -> Value:
    return typer.prompt(text, default=default or None, value_proc=lambda said: understood(str(said).strip()))


def _named(said: str) -> str:
    if not said:
        raise typer.BadParameter("an API needs the name of a model")
    return said


def _address(said: str) -> str:
    if said == "the provider's own":
        return ""
    if not said.startswith(("http://", "https://")):
        raise typer.BadParameter("an address begins with http:// or https://")
    return said


def _calls(said: str) -> int:
    if not said.isdigit() or not int(said):
        raise typer.BadParameter("a number from 1 on")
    return int(said)


def _usd(said: str) -> float:
    if not re.fullmatch(r"\$?[0-9]{1,7}(\.[0-9]{1,4})?", said):
        raise typer.BadParameter("an amount such as 1.50, or 0")
    return float(said.removeprefix("$"))


def time_of_day(said: str) -> str:
    """A time of day as the settings have it; BadParameter where it is none."""
    found = re.fullmatch(r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])", said)
    if not found:
        raise typer.BadParameter("a time of day such as 04:17")
    return f"{int(found[1]):02}:{found[2]}"


def length_of_time(said: str) -> str:
    """A length of time as the settings have it; BadParameter where it is none."""
    if not re.fullmatch(r"[0-9]{1,5}[smhd]", said):
        raise typer.BadParameter("a length of time such as 30d")
    return said


def said_as(option: str, said: str | None, understood: Callable[[str], str]) -> str | None:
    """What the option says, understood; ConfigError that names it where it can't be."""
    try:
        return None if said is None else understood(said)
    except typer.BadParameter as error:
        raise ConfigError(f"{option} {said}: that isn't {error.message}") from error
