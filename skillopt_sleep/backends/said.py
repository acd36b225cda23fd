"""Lay a prompt out as the messages that the APIs take."""

from skillopt_sleep.records import Prompt


def said(prompt: Prompt) -> list[dict[str, str]]:
    """Return the prompt's messages, or its text as one message of the user."""
    if not prompt.messages:
        return [{"role": "user", "content": prompt.text}]
    return [{"role": message.role, "content": message.text} for message in prompt.messages]
