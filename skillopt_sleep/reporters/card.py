"""What a person is shown of a rule before they decide on it, whatever it is shown on."""

from typing import NamedTuple


class Said(NamedTuple):
    """The person's words in quotes, or what they did, and how long ago."""

    words: str
    when: str = ""


class Answer(NamedTuple):
    """What the agent answered and did, and whether that was all that was asked; None if it isn't known.

    Of an attempt with tools in a sealed copy it has the number of the model's `turns`, and `whole` is all that is
    kept of it. Of what was `checked` in it each entry says whether that passed.
    """

    text: str
    did: tuple[str, ...] = ()
    solved: bool | None = None
    turns: int = 0
    whole: tuple[str, ...] = ()
    checked: tuple[tuple[bool, str], ...] = ()


class Answers(NamedTuple):
    """What the agent answered to the same request as things are and with the change, and what these are called."""

    request: str
    before: Answer
    after: Answer
    titles: tuple[str, str] = ("Without the rule", "With the rule")


class Change(NamedTuple):
    """A file, its text as it is and as it becomes."""

    document: str
    old: str
    new: str


class Rule(NamedTuple):
    """The card of a rule: all that is shown of it.

    `id` names it in other commands, `label` says how far it is proven. `said` comes newest first, below a `heading`;
    `often` says in how many `sessions` and on which days, if in several. `proof` are sentences. `cautions` need a
    second look.
    """

    id: str
    document: str
    text: str
    label: str = ""
    cautions: tuple[str, ...] = ()
    heading: str = ""
    said: tuple[Said, ...] = ()
    often: str = ""
    sessions: int = 0
    answers: Answers | None = None
    proof: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    cost: tuple[str, ...] = ()
    reaches: str = ""
