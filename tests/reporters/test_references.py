import pytest

from skillopt_sleep.records import Check, Checks, Exact, Op, Rubric
from skillopt_sleep.reporters.references import scored_by


@pytest.mark.parametrize("op", Op)
def test_every_check_is_described_with_its_operand(op: Op) -> None:
    (demand,) = scored_by(Checks(items=(Check(op=op, arg="7", section="Notes"),)))
    assert demand
    assert ("7" in demand) == (op not in {Op.JSON_VALID, Op.NO_REFUSAL})
    assert ("Notes" in demand) == (op is Op.SECTION_CONTAINS)


def test_an_exact_answer_and_a_rubric_are_told() -> None:
    assert "«pnpm»" in scored_by(Exact(answer="pnpm"))[0]
    assert "one line" in scored_by(Rubric(text="one line"))[0]
