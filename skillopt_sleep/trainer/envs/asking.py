"""Ask the target: skill, answer format, request, in this order so that the part that changes least comes first."""

from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer.scorers import final_answer

ANSWER_FORM = """\
Think as long as you need to. Then give the answer by itself, without a sentence around it, between <answer> and
</answer>."""


def ask(target: Backend, request: str, *, skill: str, form: str, sample: int) -> str:
    """Return the target's reply to a request with a skill; raise CallFailed if the call fails."""
    text = (
        "Follow the skill below in everything you do.\n\n"
        f"# Skill\n{skill.strip() or '(none)'}\n\n"
        f"# How to answer\n{form}\n\n"
        f"# Request\n{request}\n"
    )
    return target.complete(Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)).text


def with_source(why: str, reply: str) -> str:
    """Add to the reason why an answer fell short that it came from the last line, if there was no <answer> tag."""
    if not why or "<answer>" in reply.lower():
        return why
    return f"{why}; there is no <answer> tag, so its last line was taken: {final_answer(reply)[:80]!r}"
