"""An edit that was rejected isn't tried again in other words, unless there is something new to try it on."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.tried_before import NIGHTS, rejected_twin, still_rejected
from skillopt_sleep.records import EditOp, Effect, Past, PastEdit, Split
from tests.builders import a_task, an_edit

RULE = an_edit("- Be careful with the data of customers.", lessons=("c",))
REJECTED = PastEdit(night="n", edit=RULE, effect=Effect.UNDECIDED, rejected_on=("v1", "v2"))
V1, V2, V3 = (a_task(id=f"v{n}", lesson="c", split=Split.VAL) for n in (1, 2, 3))
OTHER = a_task(id="w", lesson="d", split=Split.VAL)


def test_on_the_same_unseen_tasks_it_stays_rejected() -> None:
    past = Past(tried=(REJECTED,), nights=("n",))

    assert still_rejected(past, [V1, V2, OTHER]) == (REJECTED,)
    assert still_rejected(past, [V1]) == (REJECTED,)
    assert still_rejected(past, [V1, V2, V3]) == ()


def test_what_helped_or_was_rejected_long_ago_may_be_tried() -> None:
    nights = tuple(f"n{i}" for i in range(NIGHTS))

    assert still_rejected(Past(tried=(replace(REJECTED, rejected_on=()),)), [V1]) == ()
    assert still_rejected(Past(tried=(REJECTED,), nights=(*nights[1:], "n")), [V1]) == (REJECTED,)
    assert still_rejected(Past(tried=(REJECTED,), nights=(*nights, "n")), [V1]) == ()


@pytest.mark.parametrize(
    ("edit", "lesson", "same"),
    [
        (RULE, "c", True),
        (replace(RULE, content="- Be careful with data of the customers!"), "c", True),
        (replace(RULE, op=EditOp.INSERT_AFTER, target="# Shop"), "c", True),
        (replace(RULE, content="- Ask before you delete a row of customers."), "c", False),
        (replace(RULE, op=EditOp.REPLACE, target="- Old."), "c", False),
        (replace(RULE, op=EditOp.DELETE, target=RULE.content), "c", False),
        (RULE, "d", False),
    ],
    ids=["the same", "in other words", "elsewhere", "another rule", "instead of one", "taken away", "other lesson"],
)
def test_it_is_the_same_for_the_same_lesson_in_nearly_the_same_words(edit: object, lesson: str, same: bool) -> None:
    assert isinstance(edit, type(RULE))
    assert (rejected_twin(edit, {lesson}, [REJECTED]) is not None) is same


def test_of_removals_the_words_that_go_are_compared() -> None:
    removal = an_edit("", op=EditOp.DELETE, target="- Be careful.", lessons=("c",))
    rejected = replace(REJECTED, edit=removal)

    assert rejected_twin(removal, {"c"}, [rejected]) == rejected
    assert rejected_twin(replace(removal, target="- Use pnpm, never npm."), {"c"}, [rejected]) is None
