"""Every kind of question that a night or a training asks a model, each on small inputs whose right answer is known."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.learning.aggregate import aggregate
from skillopt_sleep.learning.augment import augment
from skillopt_sleep.learning.fit import fit
from skillopt_sleep.learning.reflect import reflect
from skillopt_sleep.learning.rewrite import rewrite, rewrite_full
from skillopt_sleep.learning.select import budget, select
from skillopt_sleep.learning.slow_update import meta_skill, slow_update
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import (
    Compared,
    Document,
    Earlier,
    Edit,
    EditSource,
    Evidence,
    Patch,
    Prompt,
    Purpose,
    ResultChange,
    Rollout,
    Rubric,
    Session,
    Split,
    Task,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from tests.builders import NOON, a_document, a_rollout, a_session, a_task, a_trajectory, an_edit
from tests.fakes import SerialPool
from tests.nights import an_optimizer


class Result(NamedTuple):
    """What came of the answers to one kind of question: `of` were asked for, `kept` passed our checks."""

    of: int
    kept: int
    right: int


class Wish(NamedTuple):
    """What a person said, the word that names it, a request it was about, and answers without and with it."""

    word: str
    said: str
    asks: str
    without: str
    with_it: str


WISHES = (
    Wish(
        "uv",
        "no, we use uv here, never pip",
        "how do I add httpx?",
        "Run `pip install httpx`.",
        "Run `uv add httpx`.",
    ),
    Wish(
        "Celsius",
        "please give temperatures in Celsius, always",
        "how warm does the server room get?",
        "It gets up to 80 degrees Fahrenheit.",
        "It gets up to 27 degrees Celsius.",
    ),
    Wish(
        "docstring",
        "every function gets a docstring",
        "write a function that adds two numbers",
        "def add(a, b):\n    return a + b",
        'def add(a, b):\n    """Return the sum."""\n    return a + b',
    ),
)


def asked_about(wish: Wish, number: int = 0, *, times: int = 1, project: str = "/home/ada/shop") -> Session:
    """Return a session in which the person said it; `times` tells sessions with the same words apart."""
    name = f"claude_code:{wish.word.lower()}-{times}"
    at = NOON + timedelta(hours=number)
    return a_session(wish.asks, wish.without, wish.said, id=name, project=project, cwd=project, started=at, ended=at)


def tested(wish: Wish) -> Task:
    """Return the task in which a rubric in words tests the wish, on train."""
    name = f"claude_code:{wish.word.lower()}-1"
    return a_task(
        id=f"t-{wish.word}",
        prompt=wish.asks,
        reference=Rubric(text=f"The answer follows what the person said: {wish.said}"),
        session=name,
        lesson=f"l-{wish.word}",
        wording=wish.said,
        rejected=wish.without,
        split=Split.TRAIN,
        document="shop:CLAUDE.md",
        evidence=(Evidence(session=name, turn=2, quote=wish.said),),
    )


TASKS: Mapping[str, Task] = {f"t-{wish.word}": tested(wish) for wish in WISHES}
FAILED: tuple[Rollout, ...] = tuple(
    a_rollout(0.0, task=f"t-{wish.word}", trajectory=a_trajectory(wish.without)) for wish in WISHES
)
RULES: tuple[Edit, ...] = (
    an_edit("- Use uv, never pip.", tasks=("t-uv",)),
    an_edit("- Packages are added with uv and not with pip.", tasks=("t-uv",)),
    an_edit("- Give temperatures in Celsius.", tasks=("t-Celsius",)),
)
BODY: Document = a_document("- Answer in English.\n- Name the files that you changed.")


def _has(text: str, *words: str) -> bool:
    return all(word.lower() in text.lower() for word in words)


def _joined(edits: tuple[Edit, ...]) -> str:
    return "\n".join(edit.content for edit in edits)


def _preflight(mind: Backend) -> Result:
    said = mind.complete(Prompt(purpose=Purpose.PREFLIGHT, text="Reply with the word ready.")).text
    return Result(1, 1, _has(said, "ready"))


def _rollout(mind: Backend) -> Result:
    kept = right = 0
    for wish in WISHES:
        document = a_document(f"- {wish.said}")
        made = SingleShot(mind).run(replace(tested(wish), context=""), document, sample=0)
        kept += not made.failure
        right += _has(made.response, '"""' if wish.word == "docstring" else wish.word)
    return Result(len(WISHES), kept, right)


def _mine(mind: Backend) -> Result:
    sessions = [asked_about(wish, number) for number, wish in enumerate(WISHES)]
    mined = mine(sessions, optimizer=mind, pool=SerialPool(), per_call=1, most=100)
    found = {piece.session for lesson in mined.lessons for piece in lesson.quotes}
    named = sum(any(_has(lesson.wording, wish.word) for lesson in mined.lessons) for wish in WISHES)
    return Result(len(WISHES), len(found), named)


def _lessons(mind: Backend) -> Result:
    """Ask which of two wishes, each said in two ways, are the same: two lessons are right."""
    alike = (
        WISHES[0],
        WISHES[0]._replace(said="uv is what we install packages with, not pip"),
        WISHES[1],
        WISHES[1]._replace(said="temperatures belong in Celsius"),
    )
    sessions = [asked_about(wish, number, times=number) for number, wish in enumerate(alike)]
    mined = mine(sessions, optimizer=mind, pool=SerialPool(), per_call=1, most=100)
    sets = [frozenset(lesson.sessions) for lesson in mined.lessons]
    wanted = [frozenset(session.id for session in pair) for pair in (sessions[:2], sessions[2:])]
    return Result(2, min(2, len(sets)), sum(pair in sets for pair in wanted))


def _prove(mind: Backend) -> Result:
    proven = prove(Mined(tasks=tuple(TASKS.values())), judge=ReferenceJudge(mind), model=mind, pool=SerialPool())
    return Result(len(TASKS), len(proven.tasks), len(proven.tasks))


def _judge(mind: Backend) -> Result:
    answers: list[tuple[Task, str, bool]] = []
    for wish in WISHES:
        answers += [(tested(wish), wish.without, False), (tested(wish), wish.with_it, True)]
    pairs = [(task, a_trajectory(text)) for task, text, _ in answers]
    scores = ReferenceJudge(mind).scores(pairs, pool=SerialPool(), label="judge")
    kept = right = 0
    for score, (_, _, good) in zip(scores, answers, strict=True):
        if not isinstance(score, ItemError):
            kept += 1
            right += (score.hard >= 1) is good
    return Result(len(answers), kept, right)


def _reflect(mind: Backend, rules: StepRules | None = None) -> Result:
    made = reflect(
        FAILED,
        TASKS,
        optimizer=an_optimizer(mind, BODY),
        rules=rules or StepRules(),
        measure=lambda score: score.soft,
    )
    edits = tuple(edit for patch in made.patches for edit in patch.edits if candidate(BODY, [edit]))
    return Result(3, min(3, len(edits)), sum(_has(_joined(edits), wish.word) for wish in WISHES))


def _reflect_deep(mind: Backend) -> Result:
    return _reflect(mind, StepRules(reflection="deep"))


def _aggregate(mind: Backend) -> Result:
    patches = [replace(patch, source=EditSource.FAILURE) for patch in _patches()]
    made = aggregate(patches, optimizer=an_optimizer(mind, BODY), merge_batch=4)
    edits = () if made.notes else made.patch.edits  # joined without the model, if the call failed
    return Result(2, min(2, len(edits)), sum(_has(_joined(edits), word) for word in ("uv", "Celsius")))


def _patches() -> list[Patch]:
    return [Patch(edits=(edit,)) for edit in RULES]


def _budget(mind: Backend) -> Result:
    made = budget(Patch(edits=RULES), optimizer=an_optimizer(mind, BODY), least=1, most=3, grades=[0.0, 0.0, 0.0])
    return Result(1, not made.notes, 1 <= made.edits <= 3 and not made.notes)


def _select(mind: Backend) -> Result:
    """Two of the three rules say the same, so the third and one of them are right."""
    made = select(Patch(edits=RULES), optimizer=an_optimizer(mind, BODY), budget=2)
    return Result(1, not made.notes, RULES[2] in made.edits and not made.notes)


def _fit(mind: Backend) -> Result:
    lint = an_edit("- Run `make lint` before you commit.")

    def lacks(rule: str) -> tuple[str, ...]:
        return ("`make lint`: the Makefile has no target lint; it has: check, test",) if "make lint" in rule else ()

    made = fit((lint,), optimizer=an_optimizer(mind, BODY), lacks=lacks)
    return Result(1, not made.notes, not _has(_joined(made.edits), "make lint"))


def _rewrite(mind: Backend) -> Result:
    made = rewrite(RULES, optimizer=an_optimizer(mind, BODY))
    return _text(() if made.notes else made.patches, ("uv", "Celsius"))


def _rewrite_full(mind: Backend) -> Result:
    made = rewrite_full(
        FAILED,
        TASKS,
        optimizer=an_optimizer(mind, BODY),
        measure=lambda score: score.soft,
        minibatch=6,
    )
    return _text(made.patches, ("uv", "Celsius", "docstring"))


def _text(patches: tuple[Patch, ...], words: tuple[str, ...]) -> Result:
    """Right is a text with all new rules that still says what it said."""
    changed = candidate(BODY, patches[0].edits) if patches else None
    body = changed.body if changed else ""
    return Result(1, bool(body), _has(body, *words, "English"))


def _augment(mind: Backend) -> Result:
    made = augment([TASKS["t-uv"]], each=2, optimizer=an_optimizer(mind, BODY))
    return Result(2, len(made.tasks), len(made.tasks))


def _compared() -> list[Compared]:
    good = {
        wish.word: a_rollout(1.0, task=f"t-{wish.word}", trajectory=a_trajectory(wish.with_it)) for wish in WISHES
    }
    uv, warm, doc = FAILED
    return [
        Compared(task=uv.task, change=ResultChange.PERSISTENT_FAIL, before=uv, after=uv),
        Compared(task=warm.task, change=ResultChange.REGRESSED, before=good["Celsius"], after=warm),
        Compared(task=doc.task, change=ResultChange.IMPROVED, before=doc, after=good["docstring"]),
    ]


def _slow_update(mind: Backend) -> Result:
    said = slow_update(
        _compared(), TASKS, Earlier(night="2026-02-23", body=BODY.body, nights=7), optimizer=an_optimizer(mind, BODY)
    )
    text = said.content if isinstance(said, Edit) else ""
    return Result(1, bool(text), _has(text, "uv") or _has(text, "Celsius"))


def _meta_skill(mind: Backend) -> Result:
    notes = meta_skill(_compared(), TASKS, optimizer=an_optimizer(mind, BODY))
    return Result(1, isinstance(notes, str), isinstance(notes, str) and bool(notes))


KINDS: Mapping[str, Callable[[Backend], Result]] = {
    "preflight": _preflight,
    "mine": _mine,
    "lessons": _lessons,
    "prove": _prove,
    "rollout": _rollout,
    "judge": _judge,
    "reflect": _reflect,
    "reflect_deep": _reflect_deep,
    "aggregate": _aggregate,
    "budget": _budget,
    "select": _select,
    "fit": _fit,
    "rewrite": _rewrite,
    "rewrite_full": _rewrite_full,
    "augment": _augment,
    "slow_update": _slow_update,
    "meta_skill": _meta_skill,
}
