"""Make a model of what a person names in Python: a text such as "openai/gpt-5.4-mini", a function, or a model."""

import asyncio
import hashlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast
from uuid import uuid4

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Message, Prompt, Purpose
from skillopt_sleep.trainer.env import blaming
from skillopt_sleep.trainer.loading import code_of

_ROLES = ("system", "user", "assistant")
_HOTTEST = 2.0
_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY")


def ask(
    target: Backend,
    user: str,
    *,
    system: str = "",
    messages: Sequence[tuple[str, str]] = (),
    temperature: float | None = None,
    sample: int = 0,
) -> str:
    """Return the target's answer to what the user says; raise CallFailed if the call fails.

    `messages` are what was said before, each with its role. An API gets them as messages, with the temperature; an
    agent's program is sent all of it as one text, and refuses a temperature. Give a second question in the same words
    another `sample`.
    """
    spoken: list[Message] = []
    for role, text in (("system", system), *messages, ("user", user)):
        if role not in _ROLES:
            raise ConfigError(f"there is no role {role!r} in a conversation", remedy=f"one of: {', '.join(_ROLES)}")
        if text:
            spoken.append(Message(role=role, text=text))
    if temperature is not None and not 0 <= temperature <= _HOTTEST:
        raise ConfigError(f"a temperature of {temperature} can't be used", remedy="one from 0 to 2")
    prompt = Prompt(purpose=Purpose.ROLLOUT, text=_as_text(spoken), sample=sample, temperature=temperature)
    if len(spoken) > 1:
        prompt = Prompt(
            purpose=Purpose.ROLLOUT, text=prompt.text, sample=sample, messages=tuple(spoken), temperature=temperature
        )
    return target.complete(prompt).text


def _as_text(spoken: Sequence[Message]) -> str:
    """Return a conversation as one text: what everybody said, the user's last words at the end."""
    if all(message.role != "assistant" for message in spoken):
        return "\n\n".join(message.text.strip() for message in spoken)
    return "\n\n".join(f"[{message.role}]\n{message.text.strip()}" for message in spoken)


Named = Backend | Callable[..., Any] | str
_REMEDY = (
    'pass a name such as "openai/gpt-5.4-mini", a function that takes a prompt\'s text and returns the answer, or an '
    "object of your own with complete(prompt)"
)


class FunctionModel:
    """Asks a function, which may be async: it takes the text of a prompt and returns the answer's text.

    Its answers are kept by its `version`, else by its code; by neither if that can't be told.
    """

    def __init__(self, function: Callable[[str], object]) -> None:
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))
        self.version = ""
        told = str(getattr(function, "version", ""))
        try:
            told = told or hashlib.sha256(code_of(function).encode()).hexdigest()[:8]
        except (AttributeError, OSError, TypeError, ValueError):
            self.version = uuid4().hex
        if told:
            self.name += f"#{told}"

    def complete(self, prompt: Prompt) -> Completion:
        """Return the function's answer; a Completion is returned as it is."""
        with blaming(self._function, f"model {self.name.partition('#')[0]}"):
            answer = self._function(prompt.text)
            if inspect.isawaitable(answer):
                answer = asyncio.run(_awaited(answer))
        if isinstance(answer, Completion):
            return answer
        if not isinstance(answer, str):
            raise ConfigError(f"the model {self.name} returned {type(answer).__name__}, not a text", remedy=_REMEDY)
        return Completion(text=answer)


async def _awaited(answer: Any) -> object:
    return await answer


def as_model(model: object, *, role: str) -> Backend:
    """Return the model that is named or given; raise ConfigError if it is none, BackendUnavailable without a key."""
    if isinstance(model, str):
        return _by_name(model, role=role)
    if not isinstance(model, type) and callable(getattr(model, "complete", None)):
        return cast("Backend", model)
    if callable(model) and not isinstance(model, type):
        return FunctionModel(cast("Callable[[str], object]", model))
    raise ConfigError(f"the {role} is {type(model).__name__}, not a model", remedy=_REMEDY)


def for_workers(model: Backend, named: object) -> Backend:
    """Return the model, to be called by a Ray cluster's tasks, if it was given by its name or as a function.

    An object of the user's own may hold what can't be sent, and is called here.
    """
    from skillopt_sleep.pools.ray import WorkerModel

    if isinstance(named, str):
        keys = {name: os.environ[name] for name in _KEYS if name in os.environ}
        return cast("Backend", WorkerModel(model, partial(_there, named, keys)))
    if isinstance(model, FunctionModel):
        return cast("Backend", WorkerModel(model, partial(FunctionModel, cast("Callable[[str], object]", named))))
    return model


def _there(name: str, keys: Mapping[str, str]) -> Backend:
    """Make a model on a worker, which has the keys of the process that trains."""
    os.environ.update(keys)
    return _by_name(name, role="target")


def _by_name(name: str, *, role: str) -> Backend:
    provider, is_named, model = name.partition("/")
    if is_named and model and provider == "openai":
        from skillopt_sleep.backends.openai import OpenAIBackend

        return OpenAIBackend(model=model)
    if is_named and model and provider == "anthropic":
        from skillopt_sleep.backends.anthropic import AnthropicBackend

        return AnthropicBackend(model=model)
    raise ConfigError(f"the {role} is named {name!r}, and nothing of that name is known", remedy=_REMEDY)
