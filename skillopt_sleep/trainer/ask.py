"""Ask the target in one line: a system prompt, what the user says, a conversation before it, a temperature."""

from collections.abc import Sequence

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Message, Prompt, Purpose

_ROLES = ("system", "user", "assistant")
_HOTTEST = 2.0


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
    said: list[Message] = []
    for role, text in (("system", system), *messages, ("user", user)):
        if role not in _ROLES:
            raise ConfigError(f"there is no role {role!r} in a conversation", remedy=f"one of: {', '.join(_ROLES)}")
        if text:
            said.append(Message(role=role, text=text))
    if temperature is not None and not 0 <= temperature <= _HOTTEST:
        raise ConfigError(f"a temperature of {temperature} can't be used", remedy="one from 0 to 2")
    prompt = Prompt(purpose=Purpose.ROLLOUT, text=_as_text(said), sample=sample, temperature=temperature)
    if len(said) > 1:
        prompt = Prompt(
            purpose=Purpose.ROLLOUT, text=prompt.text, sample=sample, messages=tuple(said), temperature=temperature
        )
    return target.complete(prompt).text


def _as_text(said: Sequence[Message]) -> str:
    """Return a conversation as one text: what everybody said, the user's last words at the end."""
    if all(message.role != "assistant" for message in said):
        return "\n\n".join(message.text.strip() for message in said)
    return "\n\n".join(f"[{message.role}]\n{message.text.strip()}" for message in said)
