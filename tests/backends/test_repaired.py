import pytest

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Repaired
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import CallState, Limit, Purpose, Usage
from tests.builders import PROJECT, a_prompt
from tests.fakes import Answer, FakeBackend, FakeCalls, FakeClock, FakeLedger, in_turn

SELECT = a_prompt(
    "Choose one of {{these}}: 0, 1.", purpose=Purpose.SELECT, schema=SelectReply, project=PROJECT, sample=2
)
CHOICE: Answer = {"selected_indices": [0]}
TEN = Usage(input_tokens=8, output_tokens=2)


def _asked(inner: FakeBackend, *, calls: int = 100) -> tuple[Cached, FakeLedger, NightMeter, FakeCalls]:
    """The wrappers as they are put together around a model."""
    ledger, kept = FakeLedger(), FakeCalls()
    meter = NightMeter(ledger, Limits(Limit(calls), minutes=60), clock=FakeClock())
    metered = Metered(inner, meter, model="m", price=lambda _model, usage: usage.tokens / 100)
    return Cached(Repaired(metered), kept, model="m", version=lambda: "1"), ledger, meter, kept


def test_a_reply_that_can_be_used_is_not_asked_for_again() -> None:
    inner = FakeBackend(otherwise=CHOICE)
    assert Repaired(inner).complete(SELECT).structured == SelectReply(selected_indices=(0,))
    assert inner.prompts == [SELECT]


@pytest.mark.parametrize(
    ("useless", "problem"),
    [
        ("I would take the first.", "holds no JSON object: 'I would take the first.'"),
        ('{"selected_indices": "all"}', "not what was asked for: Expected `array`, got `str`"),
        ('{"chosen": [0]}', "lacks a required part (`selected_indices`)"),
    ],
)
def test_the_model_is_told_once_what_was_wrong(useless: str, problem: str) -> None:
    inner = FakeBackend(otherwise=in_turn(useless, CHOICE))
    assert Repaired(inner).complete(SELECT).structured == SelectReply(selected_indices=(0,))
    first, second = inner.prompts
    assert first == SELECT
    # What comes first stays the same, so that the provider's cache knows it.
    assert second.text.startswith(SELECT.text + "\n")
    assert problem in second.text.removeprefix(SELECT.text)
    assert (second.repair, second.schema, second.purpose) == (True, SelectReply, Purpose.SELECT)
    assert (second.project, second.sample) == (PROJECT, 2)


def test_an_object_without_a_required_part_lets_the_address_be_checked() -> None:
    with pytest.raises(CallFailed, match=r"lacks a required part \(`selected_indices`\)") as caught:
        Repaired(FakeBackend(otherwise="{}")).complete(SELECT)
    assert caught.value.remedy == "check that the address serves the model you meant"


def test_there_is_no_second_repair() -> None:
    inner = FakeBackend(otherwise=in_turn("first prose", "second prose", CHOICE))
    with pytest.raises(CallFailed, match="second prose") as caught:
        Repaired(inner).complete(SELECT)
    assert caught.value.kind is FailureKind.MALFORMED
    assert len(inner.prompts) == 2


def test_how_the_repair_fails_is_what_is_told() -> None:
    inner = FakeBackend(otherwise=in_turn("prose", CallFailed(FailureKind.OVERLOADED, "busy")))
    with pytest.raises(CallFailed, match="busy") as caught:
        Repaired(inner).complete(SELECT)
    assert caught.value.kind is FailureKind.OVERLOADED


def test_a_question_for_a_text_is_never_repaired() -> None:
    inner = FakeBackend(otherwise=CallFailed(FailureKind.MALFORMED, "not HTTP"))
    with pytest.raises(CallFailed):
        Repaired(inner).complete(a_prompt())
    assert len(inner.prompts) == 1


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - {FailureKind.MALFORMED}))
def test_no_other_failure_is_repaired(kind: FailureKind) -> None:
    inner = FakeBackend(otherwise=CallFailed(kind, "no"))
    with pytest.raises(CallFailed):
        Repaired(inner).complete(SELECT)
    assert len(inner.prompts) == 1


def test_a_repair_is_a_call_of_its_own_and_counted_as_one() -> None:
    cached, ledger, meter, _ = _asked(FakeBackend(otherwise=in_turn("prose", CHOICE), usage=TEN))
    cached.complete(SELECT)
    first, second = ledger.reserved
    assert first == Reservation(
        Purpose.SELECT,
        "m",
        project=PROJECT,
        repair=False,
        tokens=len(SELECT.text) // 4,
        usd=len(SELECT.text) // 4 / 100,
    )
    assert (second.purpose, second.project, second.repair) == (Purpose.SELECT, PROJECT, True)
    assert second.tokens > first.tokens
    assert [settled for _, settled in sorted(ledger.settled.items())] == [
        (CallState.FAILED, TEN, 0.1),
        (CallState.DONE, TEN, 0.1),
    ]
    spend = meter.spend()
    assert (spend.calls, spend.repairs, spend.tokens, spend.usd) == (2, 1, 20, 0.2)


def test_the_repaired_answer_is_kept_as_that_to_the_question() -> None:
    inner = FakeBackend(otherwise=in_turn("prose", CHOICE))
    cached, ledger, _, kept = _asked(inner)
    first = cached.complete(SELECT)
    assert len(kept.kept) == 1
    assert cached.complete(SELECT).structured == first.structured == SelectReply(selected_indices=(0,))
    assert len(inner.prompts) == len(ledger.reserved) == 2


def test_a_question_that_was_never_repaired_has_the_same_key() -> None:
    *_, plain = straight = _asked(FakeBackend(otherwise=CHOICE))
    *_, mended = repaired = _asked(FakeBackend(otherwise=in_turn("prose", CHOICE)))
    straight[0].complete(SELECT)
    repaired[0].complete(SELECT)
    assert plain.kept == mended.kept


def test_what_could_not_be_repaired_is_not_kept() -> None:
    cached, _, meter, kept = _asked(FakeBackend(otherwise="prose"))
    with pytest.raises(CallFailed):
        cached.complete(SELECT)
    assert kept.kept == {}
    assert (meter.spend().calls, meter.spend().repairs) == (2, 1)


def test_no_repair_is_paid_beyond_the_limit() -> None:
    inner = FakeBackend(otherwise="prose", usage=TEN)
    cached, _, meter, _ = _asked(inner, calls=1)
    with pytest.raises(BudgetExhausted):
        cached.complete(SELECT)
    assert len(inner.prompts) == meter.spend().calls == 1
