"""A dataset of questions with right answers: its own columns and score, or a public format, known by its rows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError, ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.tasks_file import read_tasks
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Prompt, Purpose, Rubric, Split, Task, Trajectory
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.trainer.env import HUB, Item, Result, blaming, kind_of
from skillopt_sleep.trainer.envs.choices import Asked, is_mmlus, shuffled
from skillopt_sleep.trainer.envs.datasets import Count, DataEnv, stem_of
from skillopt_sleep.trainer.envs.reading import (
    LONG_AGO,
    SAVED,
    Row,
    Splits,
    from_library,
    kind_of_row,
    read_rows,
    split_of,
)
from skillopt_sleep.trainer.envs.recipes import asked, questions
from skillopt_sleep.trainer.loading import load_class
from skillopt_sleep.trainer.scorers import (
    anls,
    chosen,
    comparable,
    equal_numbers,
    exact_match,
    final_answer,
    is_number,
    token_f1,
    why_wrong,
    with_right_answer,
)

SHOWN_CHARS = 1_500  # of a text, to the optimizer; the target is shown up to `context_chars`
SCORES = ("exact", "f1", "number", "choice", "anls")
ROLES = frozenset({"question", "answers", "context", "choices", "id", "kind"})
ANSWER_FORM = """\
Think as long as you need to. Then give the answer by itself, without a sentence around it, between <answer> and
</answer>."""
_FORMS = {
    "choice": "Think as long as you need to. Then give your choice's letter alone between <answer> and </answer>.",
    "number": "Think as long as you need to. Then give the number alone between <answer> and </answer>.",
    "anls": f"{ANSWER_FORM} Use the words of the page, as they are written there.",
}
_OWN_SCORE = "a function score(answer, row)"
_UNSAID = " Where the text does not say it, leave nothing between them."
_OF_SPLIT = re.compile(r"_(?:test|val|dev|train)$")


class Dataset(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows of a file, of a folder, or of the Hugging Face Hub (path "hub:owner/name", or "hub:owner/name:subset").

    `columns` says which column is the `question`, the `answers` (or `choices` and the right one in `answers`), the
    `context`, the `id` and the `kind`; a public format needs none. `prompt` is what is asked instead, with columns in
    braces. `score` is exact, f1, number, choice or anls, or a function `score(answer, row)` of yours, also as
    in "my.py:score"; "" takes what the format has. Of a context the first `context_chars` are used, 0 for all.
    """

    name: ClassVar[str] = "dataset"

    columns: dict[str, str] = {}  # noqa: RUF012 - msgspec copies it
    prompt: str = ""
    score: Any = ""  # a text, or in Python a function
    context_chars: Count = 6_000

    def __post_init__(self) -> None:
        """Raise ConfigError for an option with a wrong value."""
        super().__post_init__()
        unknown = sorted(self.columns.keys() - ROLES)
        if unknown:
            raise ConfigError(
                f"env.columns: there is no role {unknown[0]!r}", remedy=f"one of: {', '.join(sorted(ROLES))}"
            )
        if self.score == "tests":
            raise ConfigError("env.score: tests are run by another environment", remedy='set name = "code_tasks"')
        if not callable(self.score) and self.score not in ("", *SCORES) and ".py:" not in str(self.score):
            raise ConfigError(
                f"env.score: there is no score {self.score!r}",
                remedy=f'one of: {", ".join(SCORES)}; or a function of yours, as in "my.py:score"',
            )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say also how many contexts were cut."""
        if not self._cut:
            return super().remarks
        cut = counted(len(self._cut), "context")
        said = f"{cut} cut at env.context_chars = {self.context_chars:,} (0 cuts none)"
        if lost := sum(self._cut):
            said += f", {lost:,} of them before a document that the answer rests on"
        return (*super().remarks, said)

    @cached_property
    def _cut(self) -> list[bool]:
        """Hold of each context that was cut whether it lost a document that the answer rests on."""
        return []

    @cached_property
    def own_score(self) -> Callable[[str, Mapping[str, Any]], object] | None:
        """Return the user's own score, if there is one."""
        if callable(self.score):
            return cast("Callable[[str, Mapping[str, Any]], object]", self.score)
        return load_class(self.score, Path(), kind=_OWN_SCORE) if ".py:" in self.score else None

    @cached_property
    def _library(self) -> Mapping[str, Sequence[Row]]:
        """Return the rows by split that the library `datasets` reads: of the Hub, or of a folder that it saved."""
        if self.path.startswith(HUB):
            name, _, subset = self.path.removeprefix(HUB).partition(":")
            return from_library(name, lambda library: library.load_dataset(name, subset or None))
        if any((self.place / name).exists() for name in SAVED):
            return from_library(self.place, lambda library: library.load_from_disk(str(self.place)))
        return {}

    @cached_property
    def files(self) -> Mapping[Split | None, Sequence[Path]]:
        """Return the files to read by the split they are for, or the names of what the library has read."""
        if not self._library:
            return super().files
        found: dict[Split | None, list[Path]] = {}
        for name in self._library:
            found.setdefault(split_of(name), []).append(Path(name))
        if Split.TRAIN not in found:
            return {None: list(map(Path, self._library))}
        self.leave_out(found.pop(None, ()))
        return found

    def divided(self, items: Sequence[Item]) -> Splits:
        """Assign items to the split that their rows name, if any does, or divide them."""
        found: dict[Split | None, list[Item]] = {split: [] for split in (*Split, None)}
        for item in items:
            found[split_of(str(item.data.get("split") or ""))].append(item)
        unnamed = found.pop(None)
        if len(unnamed) == len(items):
            return super().divided(items)
        if unnamed:
            problem = f"{unnamed[0].id!r} has no split, but other rows do"
            raise ConfigError(f"{self.place}: {problem}", remedy="give every row a split")
        return {split: tuple(found[split]) for split in Split}

    def read(self, path: Path) -> Sequence[Item]:
        """Read the questions of one file, or of what the library has read under this name."""
        rows = self._library[path.name] if self._library else read_rows(path)
        if rows and "reference" in rows[0]:
            return tuple(self._tasks(path))
        return self.converted(questions(rows, where=str(path)), path)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one answer, and grade it: soft is F1 where words are compared."""
        if "task" in item.data:
            return _attempt(item, skill, target, sample=sample)
        data = item.data
        score = data["score"]
        form = _FORMS.get(score, ANSWER_FORM + (_UNSAID if data["context"] else ""))
        request = f"{fence(data['context'])}\n\n{data['question']}" if data["context"] else data["question"]
        reply = ask(target, request, skill=skill, form=form, sample=sample)
        answer = final_answer(reply)
        if self.own_score is not None:
            name = Path(self.score).name if isinstance(self.score, str) else self.score.__name__
            with blaming(self.own_score, f"{name}, item {item.id!r}"):
                grade = self.own_score(answer, data["row"])
            return _graded(grade, reply, where=name)
        hard, soft, why = _score(score, answer, data)
        why = with_right_answer(why, data["answers"])
        return Result(hard=hard, soft=soft, response=reply, why=with_source(why, reply))

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a row as a question, in the form that the options or a recipe say."""
        found = self.asked(row, path)
        name = found.id or name
        context = found.shortened(self.context_chars)
        if context != found.context:
            self._cut.append(not all(document in context for document in found.needed))
        score = self.score if self.score in SCORES else found.score
        if score == "number" and not all(is_number(text) for text in found.answers):
            score = "exact"
        data: dict[str, Any] = {
            "question": found.question,
            "context": context,
            "answers": [text for text in found.answers if (text if score == "anls" else comparable(text))] or [""],
            "score": score,
        }
        if found.choices:
            data |= shuffled(found, seed=f"{self.split_seed}:{name}")
        if "split" in row:
            data["split"] = str(row["split"])
        if self.own_score is not None:
            data["row"] = {name: row[name] for name in row}
        kind = found.kind or (_OF_SPLIT.sub("", stem_of(path)) if is_mmlus(row) else "")
        text = f"{context[:SHOWN_CHARS]}\n\n{data['question']}".strip()
        return Item(id=name, text=text, kind=kind, data=data)

    def asked(self, row: Row, path: Path) -> Asked:
        """Return what a row asks by the columns and the prompt that the configuration names, or by a recipe."""
        del path
        if not self.columns and not self.prompt:
            return asked(row)
        for role, column in self.columns.items():
            if column not in row:
                raise ValueError(f"it has no column {column!r} (env.columns.{role})")
        columns = {role: self.columns.get(role, role) for role in ROLES}
        plain = {role: row[column] for role, column in columns.items() if column in row}
        if self.prompt:
            try:
                plain["question"] = self.prompt.format_map(row)
            except (KeyError, IndexError, ValueError) as error:
                raise ValueError(f"env.prompt names {error}, which isn't a column of it") from error
        if "answers" not in plain and self.own_score is not None:
            plain["answers"] = []
        found = asked(plain)
        return found._replace(kind=found.kind or kind_of_row(plain, "kind"))

    def _tasks(self, path: Path) -> Iterator[Item]:
        """Yield the tasks of a file that nights exported."""
        try:
            # The file's name identifies it, not its folder, so that a moved dataset stays the same.
            tasks = read_tasks(path, written=LONG_AGO, session=path.name)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {error}", remedy="fix the entry") from error
        for task in tasks:
            if isinstance(task.reference, Rubric):
                raise ConfigError(
                    f"{path}: '{task.id}' has a rubric, which no model is there to grade by",
                    remedy="write checks, or leave it out",
                )
            yield Item(
                id=task.id,
                text=f"{task.context}\n\n{task.prompt}".strip(),
                kind=type(task.reference).__name__.lower(),
                data={"task": msgspec.to_builtins(replace(task, project="")), "split": task.split or ""},
            )


def ask(target: Backend, request: str, *, skill: str, form: str, sample: int) -> str:
    """Return the target's reply to a request with a skill; raise CallFailed if the call fails.

    The part that changes least comes first.
    """
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


def _score(score: str, answer: str, data: Mapping[str, Any]) -> tuple[float, float, str]:
    """Return the grades of an answer, and why it fell short."""
    accepted = cast("list[str]", data["answers"])
    if score == "choice" and "choices" in data:
        choice = chosen(answer, data["choices"])
        right = float(data["choices"].get(choice) == data["choices"][data["right"]])
        wrong = f"{choice} is not the right choice" if choice else "it names none of the choices"
        return right, right, "" if right else wrong
    if score == "number":
        right = float(any(equal_numbers(answer, text) for text in accepted))
        wrong = f"{answer} is not the right number" if is_number(answer) else "the answer is not one number"
        return right, right, "" if right else wrong
    if score == "anls":
        soft = anls(answer, accepted)
        why = f"the answer is {soft:.0%} like the right one, but not it"
        if not soft:
            why = why_wrong(answer, accepted) or "the answer is wrong"
        return float(soft == 1), soft, "" if soft == 1 else why
    exact, f1 = exact_match(answer, accepted), token_f1(answer, accepted)
    return (f1 if score == "f1" else exact), f1, why_wrong(answer, accepted)


def _graded(grade: object, reply: str, *, where: str) -> Result:
    """Return the result of the user's own score: a number, or a number and why it isn't more."""
    why = ""
    if isinstance(grade, tuple):
        grade, why = cast("tuple[object, object]", grade)[0], str(cast("tuple[object, object]", grade)[-1])
    if not isinstance(grade, Real) or not 0 <= float(grade) <= 1:
        raise ItemError(f"{where} returned {kind_of(grade)} {grade!r}, not a number from 0 to 1")
    value = float(grade)
    return Result(hard=value, soft=value, response=reply, why=why or ("" if value >= 1 else "the answer is wrong"))


def _attempt(item: Item, skill: str, target: Backend, *, sample: int) -> Result:
    """Ask a task of a night for one answer, graded by its reference."""
    from skillopt_sleep.prompts import fill

    task = msgspec.convert(item.data["task"], Task)
    text = fill("rollout", document=skill.strip() or "(none)", context=task.context, request=task.prompt)
    reply = target.complete(Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)).text
    score = ReferenceJudge(target).score(task, Trajectory(response=reply, text_only=True))
    return Result(hard=score.hard, soft=score.soft, response=reply, why=score.why)
