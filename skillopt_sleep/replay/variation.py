"""Vary what an agent's prompt holds anyway and doesn't matter, so that every round of a trial is a real draw.

A model without randomness gives the same prompt the same answer: five rounds would be one. So each attempt is told
of another session id, which no request is about. Both arms of a pair are told the same, and differ in the document
only. An edit without meaning is then one more such variation.
"""

import hashlib

from skillopt_sleep.prompts import fill, template

# The samples a candidate draws from are its own: once accepted it becomes a baseline, which must be drawn afresh and
# not be the lucky attempts it was chosen for. Its sample CANDIDATE_SAMPLES + n makes a pair with sample n.
CANDIDATE_SAMPLES = 1_000_000

_HEADING = "\n" + template("environment").partition("{{")[0]


def varied(text: str, *, night: str, task: str, sample: int) -> str:
    """Return the prompt of an attempt with its variation behind it, so that what providers cache stays the same.

    The variation depends on nothing but the night's id, the task's id and the sample's place in its pair.
    """
    pair = sample % CANDIDATE_SAMPLES
    digest = hashlib.blake2b(f"{night}\0{task}\0{pair}".encode(), digest_size=4).hexdigest()
    shown = fill("environment", session=digest)
    return f"{text}\n{shown}"


def without_variation(text: str) -> str:
    """Return the prompt of an attempt as it was before it was varied."""
    before, heading, _ = text.rpartition(_HEADING)
    return before if heading else text
