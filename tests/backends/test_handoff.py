"""A folder as the model: which prompts are written, which answers are read, and how often a night stops for it."""

import re
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.handoff import Answered, HandoffBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.errors import BackendUnavailable, CallFailed, CallPending, Exit, FailureKind
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.night.night import run_night
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.models import Backend, Preflight
from skillopt_sleep.records import (
    Completion,
    Evidence,
    Limit,
    NightReport,
    Outcome,
    Prompt,
    Purpose,
    Rubric,
    Split,
    Task,
    TaskOrigin,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from tests.builders import a_prompt, a_task
from tests.fakes import NOON, FakeCalls, FakeClock, FakeLedger
from tests.nights import ASKS, USELESS, Machine, a_crew, a_plan

SELECT = a_prompt("Which of 0 and 1?", purpose=Purpose.SELECT, schema=SelectReply)
CHOICE = '{"selected_indices": [1]}'
DEMAND = "gradle: use it"
LESSON = "no - always use gradle here, never maven"
_ANSWER = re.compile(r"^    (/.*\.md)$", re.MULTILINE)
_TEXT = re.compile(r"^## Prompt\n\n(`{3,})\n(.*)\n\1\n\Z", re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "handoff"


def waiting(folder: Path) -> list[Path]:
    """The prompts that wait, in the order of their numbers."""
    return sorted((folder / "open").glob("*"))


def answer_file(prompt: Path) -> Path:
    """The file that a prompt's file names."""
    found = _ANSWER.search(prompt.read_text(encoding="utf-8"))
    assert found, prompt
    return Path(found[1])


def answer_with(folder: Path, text: str | bytes) -> None:
    """The same answer to all that waits."""
    for prompt in waiting(folder):
        answer_file(prompt).write_bytes(text.encode() if isinstance(text, str) else text)


def ask(folder: Path, prompt: Prompt, answer: str | bytes) -> Completion:
    """The prompt, asked, answered and asked again."""
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(prompt)
    answer_with(folder, answer)
    return HandoffBackend(folder).complete(prompt)


# one prompt ---------------------------------------------------------------------------------------------


def test_a_prompt_without_an_answer_is_laid_out_and_its_call_is_pending(folder: Path) -> None:
    with pytest.raises(CallPending) as caught:
        HandoffBackend(folder).complete(a_prompt("What is ```the``` answer?"))

    (laid_out,) = waiting(folder)
    shown = laid_out.read_text(encoding="utf-8")
    found = _TEXT.search(shown)
    assert found
    assert found[2] == "What is ```the``` answer?"
    assert "The answer is text." in shown
    assert re.fullmatch(r"01-rollout-[0-9a-f]{16}\.md", laid_out.name)
    assert answer_file(laid_out).parent == folder / "answers"
    assert caught.value.message == f"1 prompt waits for an answer in {folder / 'open'}"
    assert (caught.value.exit_code, caught.value.waiting) == (Exit.PENDING, 1)
    assert str(folder / "README.md") in caught.value.remedy


def test_what_is_to_be_done_stands_in_the_readme(folder: Path) -> None:
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(a_prompt())

    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert all(word in readme for word in ("open/", "answers/", "again", "data"))
    assert len(readme.splitlines()) < 15


def test_the_answer_is_read_back_and_its_prompt_is_taken_away(folder: Path) -> None:
    completion = ask(folder, a_prompt(), "\ufeff forty-two\n")

    assert (completion.text, completion.model) == ("forty-two", "handoff")
    assert (completion.usage, completion.usd, completion.structured) == (None, 0.0, None)
    assert waiting(folder) == []


def test_where_json_is_wanted_the_file_says_so_without_a_schema_and_the_answer_is_decoded(folder: Path) -> None:
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(SELECT)
    (laid_out,) = waiting(folder)
    shown = laid_out.read_text(encoding="utf-8")
    assert "one JSON object" in shown
    assert "$ref" not in shown
    assert len(shown) - len(SELECT.text) < 600

    answer_with(folder, f"```json\n{CHOICE}\n```\n")
    assert HandoffBackend(folder).complete(SELECT).structured == SelectReply(selected_indices=(1,))


def test_an_answer_is_good_for_one_call_and_leaves_nothing(folder: Path) -> None:
    with pytest.raises(CallFailed):
        ask(folder, SELECT, "no JSON")
    ask(folder, SELECT, CHOICE)
    assert list((folder / "answers").iterdir()) == []

    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(SELECT)
    (laid_out,) = waiting(folder)
    assert "could not be used" not in laid_out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "other",
    [
        replace(SELECT, text="Which of 0 and 2?"),
        replace(SELECT, purpose=Purpose.AGGREGATE),
        replace(SELECT, schema=None),
        replace(SELECT, sample=1),
    ],
)
def test_an_answer_is_for_its_own_question_only(folder: Path, other: Prompt) -> None:
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(SELECT)
    answer_with(folder, CHOICE)
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(other)
    assert HandoffBackend(folder).complete(SELECT).structured


def test_whose_limit_it_counts_towards_is_no_part_of_the_question(folder: Path) -> None:
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(SELECT)
    answer_with(folder, CHOICE)
    assert HandoffBackend(folder).complete(replace(SELECT, project="/elsewhere", repair=True)).structured


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_an_empty_file_is_no_answer_yet(folder: Path, nothing: str) -> None:
    with pytest.raises(CallPending):
        ask(folder, a_prompt(), nothing)
    assert len(waiting(folder)) == 1
    assert not list((folder / "answers").glob("*.rejected"))


@pytest.mark.parametrize("bad", ["The second one.", '{"selected": 1}', CHOICE.encode("utf-16")])
def test_an_answer_that_can_not_be_used_is_set_aside_and_asked_for_again_with_the_reason(
    folder: Path, bad: str | bytes
) -> None:
    with pytest.raises(CallFailed) as caught:
        ask(folder, SELECT, bad)
    assert caught.value.kind is FailureKind.MALFORMED

    (aside,) = (folder / "answers").iterdir()
    assert aside.suffix == ".rejected"
    assert aside.read_bytes().endswith(bad.encode() if isinstance(bad, str) else bad)
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(SELECT)
    (again,) = waiting(folder)
    reason = aside.read_bytes().partition(b"\n")[0].decode()
    assert reason
    assert f"The last answer could not be used: {reason}" in again.read_text(encoding="utf-8")

    answer_with(folder, CHOICE)
    assert HandoffBackend(folder).complete(SELECT).structured == SelectReply(selected_indices=(1,))


def test_how_many_are_asked_again_is_said_until_they_are_answered_well(folder: Path) -> None:
    def said(handoff: HandoffBackend) -> str:
        found = ""
        for sample in range(3):
            with pytest.raises(CallPending) as caught:
                Answered(handoff, handoff).complete(replace(SELECT, sample=sample))
            found = caught.value.message
        return found

    where = f"3 prompts wait for an answer in {folder / 'open'}"
    assert said(HandoffBackend(folder)) == where
    first, second, _ = (answer_file(path) for path in waiting(folder))
    first.write_bytes(CHOICE.encode("utf-16"))
    once = f"{where}; asked again, with what was wrong with the answer: 1"
    assert said(HandoffBackend(folder)) == once
    assert said(HandoffBackend(folder)) == once
    second.write_text("no JSON", encoding="utf-8")
    both = f"{where}; asked again, with what was wrong with the answer: 2"
    assert said(HandoffBackend(folder)) == both

    first.write_text(CHOICE, encoding="utf-8")
    second.write_text(CHOICE, encoding="utf-8")
    handoff = HandoffBackend(folder)
    for sample in range(2):
        assert handoff.complete(replace(SELECT, sample=sample)).structured
    with pytest.raises(CallPending) as caught:
        handoff.complete(replace(SELECT, sample=2))
    assert caught.value.message == f"1 prompt waits for an answer in {folder / 'open'}"


def test_every_call_that_waits_counts_the_prompts_that_were_laid_out_after_it_too(folder: Path) -> None:
    handoff = HandoffBackend(folder)
    raised: list[CallPending] = []
    for sample in range(3):
        with pytest.raises(CallPending) as caught:
            handoff.complete(replace(SELECT, sample=sample))
        raised.append(caught.value)
    assert [error.waiting for error in raised] == [3, 3, 3]
    assert raised[0].message.startswith("3 prompts wait")


def test_prompts_and_answers_are_the_owners_alone(folder: Path) -> None:
    with pytest.raises(CallFailed):
        ask(folder, SELECT, "no JSON")
    with pytest.raises(CallPending):
        HandoffBackend(folder).complete(SELECT)

    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_it_is_known_to_answer_without_a_question(folder: Path) -> None:
    assert HandoffBackend(folder).ready(NOON)
    assert (folder / "answers").is_dir()
    assert waiting(folder) == []


def test_a_folder_that_can_not_be_made_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BackendUnavailable, match="can't be created"):
        HandoffBackend(tmp_path / "file" / "handoff").ready(NOON)


# many prompts -------------------------------------------------------------------------------------------


def test_prompts_that_are_asked_side_by_side_are_laid_out_together(folder: Path) -> None:
    handoff = HandoffBackend(folder)

    def pending(number: int) -> int:
        with pytest.raises(CallPending) as caught:
            handoff.complete(a_prompt(f"question {number % 12}"))
        return caught.value.waiting

    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(pending, range(24)))

    assert max(counts) == 12
    assert [path.name[:2] for path in waiting(folder)] == [f"{number:02d}" for number in range(1, 13)]


def test_a_prompt_keeps_waiting_and_one_that_is_no_longer_asked_does_not(folder: Path) -> None:
    first = HandoffBackend(folder)
    for text in ("gone", "kept"):
        with pytest.raises(CallPending):
            first.complete(a_prompt(text))
    (kept,) = (answer_file(path) for path in waiting(folder) if "kept" in path.read_text(encoding="utf-8"))

    with pytest.raises(CallPending, match=r"^1 prompt waits"):
        HandoffBackend(folder).complete(a_prompt("kept"))
    (left,) = waiting(folder)
    assert answer_file(left) == kept


# in front of the meter ----------------------------------------------------------------------------------


def wrapped(handoff: HandoffBackend, meter: NightMeter, calls: Any) -> Backend:
    """The backend with all that a night puts around it."""
    metered = Metered(handoff, meter, model=handoff.name, price=handoff.price)
    asked = Answered(Retried(Repaired(metered)), handoff)
    return Watched(Redacted(Cached(asked, calls, model=handoff.name, version=lambda: handoff.version)), meter)


def a_meter(ledger: Any, clock: FakeClock) -> NightMeter:
    return NightMeter(ledger, Limits(night=Limit(300, 10_000_000), minutes=60), clock=clock)


def test_a_pending_call_is_neither_counted_nor_kept_nor_a_failure(folder: Path) -> None:
    ledger, calls = FakeLedger(), FakeCalls()
    meter = a_meter(ledger, FakeClock())
    backend = wrapped(HandoffBackend(folder), meter, calls)

    for sample in range(5):
        with pytest.raises(CallPending):
            backend.complete(replace(SELECT, sample=sample))

    assert (ledger.reserved, calls.kept) == ([], {})
    meter.check()


def test_a_bad_answer_costs_no_call_and_is_asked_for_again_at_once(folder: Path) -> None:
    ledger, calls = FakeLedger(), FakeCalls()
    backend = wrapped(HandoffBackend(folder), a_meter(ledger, FakeClock()), calls)

    for answer in ("what?", "no JSON", "neither"):
        with pytest.raises(CallPending):
            backend.complete(SELECT)
        answer_with(folder, answer)
    with pytest.raises(CallPending):
        backend.complete(SELECT)
    assert ledger.reserved == []

    answer_with(folder, CHOICE)
    for _ in range(2):
        assert backend.complete(SELECT).structured == SelectReply(selected_indices=(1,))
    assert [call.purpose for call in ledger.reserved] == [Purpose.SELECT]
    assert ledger.spent().usd == 0.0
    assert len(calls.kept) == 1


def test_a_secret_is_not_laid_out(folder: Path) -> None:
    backend = wrapped(HandoffBackend(folder), a_meter(FakeLedger(), FakeClock()), FakeCalls())
    with pytest.raises(CallPending):
        backend.complete(a_prompt("the key is ghp_0123456789abcdefghijABCDEFGHIJ456789"))
    (laid_out,) = waiting(folder)
    assert "ghp_" not in laid_out.read_text(encoding="utf-8")


# a whole night ------------------------------------------------------------------------------------------


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def night(machine: Machine, folder: Path, **plan: Any) -> NightReport:
    """One run with the folder as the model of every role."""
    store, handoff = machine.store(), HandoffBackend(folder)
    meter = a_meter(store.ledger, machine.clock)
    backend = Recorded(wrapped(handoff, meter, store.calls), lambda: store.page.folder)
    crew = a_crew(
        sources=(machine.shelf,),
        preflights=(Preflight(handoff.ready, backend),),
        optimizer=backend,
        grader=backend,
        executor=SingleShot(backend),
        judge=ReferenceJudge(backend),
        pool=ThreadPool(4, lambda label, done, total: None),
        meter=meter,
        store=store,
        targets=FileTargets(private_dir(machine.folder / "home")),
        stager=FolderStager(),
        clock=machine.clock,
        by_hand=True,
    )
    try:
        return run_night(crew, a_plan(limits={"calls": 300.0, "minutes": 60.0}, **plan))
    finally:
        store.close()


def answer_all(folder: Path) -> list[str]:
    """An agent that answers every open prompt from its file alone; what it answered, by purpose."""
    model = SimulatedBackend(forgets=0.0)
    answered: list[str] = []
    for path in waiting(folder):
        found = _TEXT.search(path.read_text(encoding="utf-8"))
        assert found
        purpose = Purpose(path.name.split("-")[1])
        answer = model.complete(Prompt(purpose=purpose, text=found[2])).text
        answer_file(path).write_text(f"{answer}\n", encoding="utf-8")
        answered.append(purpose)
    return answered


def rounds(machine: Machine, folder: Path, **plan: Any) -> tuple[list[list[str]], NightReport]:
    """The purposes that were answered at each stop, and how the night ended."""
    stops: list[list[str]] = []
    while True:
        try:
            return stops, night(machine, folder, **plan)
        except CallPending as error:
            said = error.waiting
        stops.append(answer_all(folder))
        assert said == len(stops[-1]) > 0
        assert len(stops) < 20


def rubric_tasks(machine: Machine, sides: Sequence[Split], *, name: str = "shop") -> list[Task]:
    """Reviewed tasks that only a model can grade."""
    return [
        a_task(
            id=f"{name}-{number}",
            prompt=f"{ASKS[number % len(ASKS)]}, {name} {number}",
            reference=Rubric(text=DEMAND),
            session=f"tasks_file:{name}#{number}",
            project=str(machine.project(name)),
            source="tasks_file",
            at=machine.clock() + timedelta(seconds=number),
            origin=TaskOrigin.REAL,
            lesson="c",
            split=side,
            evidence=(Evidence(session=f"tasks_file:{name}#{number}", turn=0, quote=LESSON),),
        )
        for number, side in enumerate(sides)
    ]


def test_a_night_of_eight_rubric_tasks_stops_six_times(machine: Machine, folder: Path) -> None:
    machine.shelf.tasks = rubric_tasks(machine, [Split.TRAIN, Split.VAL] * 4)

    stops, report = rounds(machine, folder)

    assert (report.verdict, report.found.tasks) == (Outcome.IMPROVED, {"train": 4, "val": 4, "test": 0, "waiting": 0})
    assert [(set(stop), len(stop)) for stop in stops] == [
        ({"controls", "rollout"}, 5),
        ({"judge"}, 2),
        ({"reflect"}, 1),
        ({"rollout"}, 8),
        ({"judge"}, 1),
        ({"rollout"}, 8),  # the fresh round, whose answers were graded before
    ]
    assert report.spend.calls == sum(len(stop) for stop in stops)
    assert (report.spend.usd, report.run.resumed) == (0.0, True)
    assert waiting(folder) == []


def test_what_is_asked_of_test_tasks_takes_no_round_of_its_own(machine: Machine, folder: Path) -> None:
    machine.shelf.tasks = rubric_tasks(machine, [Split.TRAIN, Split.VAL, Split.TRAIN, Split.TEST])

    stops, report = rounds(machine, folder)

    assert (report.verdict, report.documents[0].kept_back.n) == (Outcome.IMPROVED, 1)
    # Train; the trial; then the fresh round of what it proved with what was kept back.
    assert [stop.count("rollout") for stop in stops if "rollout" in stop] == [2, 2, 4]


def test_two_documents_are_asked_about_together(machine: Machine, folder: Path) -> None:
    sides = [Split.TRAIN, Split.VAL] * 2
    machine.shelf.tasks = [*rubric_tasks(machine, sides), *rubric_tasks(machine, sides, name="api")]

    stops, report = rounds(machine, folder)

    assert [outcome.outcome for outcome in report.documents] == [Outcome.IMPROVED] * 2
    assert [len(stop) for stop in stops] == [6, 4, 2, 8, 2, 8]
    assert len(report.proposals) == 2


def test_mined_sessions_whose_words_name_nothing_exact_take_few_rounds_too(machine: Machine, folder: Path) -> None:
    machine.had(*range(8), said=USELESS, ask=ASKS[0])

    stops, report = rounds(machine, folder)

    assert report.found.sessions.used == 8
    # The rule is written from the rejected answers, before anything is attempted. With few answers that are known to be
    # good, more are written beside it.
    stages = ("controls", "prove", "reflect", "judge", "rollout", "judge")
    assert [set(stop) - {"controls"} or set(stop) for stop in stops] == [{stage} for stage in stages]
    assert machine.unread() == []


def test_a_session_that_comes_while_prompts_wait_changes_none_of_them(machine: Machine, folder: Path) -> None:
    machine.had(*range(4), said=USELESS, ask=ASKS[0])
    with pytest.raises(CallPending):
        night(machine, folder)
    before = {answer_file(path) for path in waiting(folder)}

    machine.had(9, said=USELESS, ask=ASKS[1])
    with pytest.raises(CallPending):
        night(machine, folder)
    assert {answer_file(path) for path in waiting(folder)} == before

    _, first = rounds(machine, folder)
    _, second = rounds(machine, folder)
    assert (first.found.sessions.used, second.found.sessions.used) == (4, 1)


def test_while_prompts_wait_the_night_is_not_over_and_nothing_is_read_or_counted(
    machine: Machine, folder: Path
) -> None:
    machine.had(0, 1)
    with pytest.raises(CallPending):
        night(machine, folder, heuristic=False)

    store = machine.store()
    (line,) = store.nights()
    assert (line.closed, line.outcome) == (None, None)
    store.close()
    assert machine.unread() == ["claude_code:shop-0", "claude_code:shop-1"]

    stops, report = rounds(machine, folder, heuristic=False)
    assert (report.night, report.verdict) == (line.id, Outcome.IMPROVED)
    assert report.spend.calls == sum(len(stop) for stop in stops)
