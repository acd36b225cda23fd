from skillopt_sleep.learning.fit import fit
from skillopt_sleep.records import EditOp, Purpose
from tests.builders import an_edit
from tests.fakes import FakeBackend
from tests.nights import an_optimizer

LINT = an_edit("- Run `make lint`.")
OTHER = an_edit("- Use pnpm.")
GONE = an_edit("", op=EditOp.DELETE, target="- Old.")


def _lacks(rule: str) -> tuple[str, ...]:
    return ("`make lint`: the Makefile has no target lint",) if "lint" in rule else ()


def test_nothing_is_asked_if_nothing_is_missing() -> None:
    backend = FakeBackend()
    assert fit((OTHER, GONE), optimizer=an_optimizer(backend), lacks=_lacks).edits == (OTHER, GONE)
    assert backend.prompts == []


def test_an_edit_that_lacks_something_is_asked_back_once_and_written_anew() -> None:
    reply = {"edits": [{"number": 1, "content": " - Run `make check`. "}, {"number": 0, "content": "- Other."}]}
    backend = FakeBackend({Purpose.FIT: reply})
    fitted = fit((OTHER, LINT, GONE), optimizer=an_optimizer(backend), lacks=_lacks)
    assert [edit.content for edit in fitted.edits] == [OTHER.content, "- Run `make check`.", ""]
    (prompt,) = backend.prompts
    assert "the Makefile has no target lint" in prompt.text
    assert LINT.content in prompt.text
    assert OTHER.content not in prompt.text


def test_an_edit_of_which_nothing_is_left_is_dropped() -> None:
    backend = FakeBackend({Purpose.FIT: {"edits": [{"number": 0, "content": ""}]}})
    assert fit((LINT, OTHER), optimizer=an_optimizer(backend), lacks=_lacks).edits == (OTHER,)


def test_if_the_call_fails_the_edits_stay_and_it_is_noted() -> None:
    backend = FakeBackend({Purpose.FIT: "no json"})
    fitted = fit((LINT,), optimizer=an_optimizer(backend), lacks=_lacks)
    assert fitted.edits == (LINT,)
    assert len(fitted.notes) == 1
