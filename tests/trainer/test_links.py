"""A trained skill may hold links and long edits only where its configuration allows it."""

import re
from pathlib import Path

import pytest

from skillopt_sleep.records import Edit, EditOp, Prompt, Purpose
from skillopt_sleep.trainer.data import as_document
from skillopt_sleep.trainer.parts import refusal
from skillopt_sleep.trainer.wording import NAMES, wording
from tests.trainer.toy import Scripted, a_config, a_trainer

RULES = [
    "Ask https://api.example.org/v2/rates first.",
    "Read [the manual](https://docs.example.org/start).",
    "Send it to http://localhost:8080/jobs.",
    "Look at api.example.org for the rates.",
]


def edit(content: str) -> Edit:
    return Edit(op=EditOp.APPEND, content=content, reason="")


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_with_an_address_is_refused_and_the_key_that_allows_it_is_named(rule: str) -> None:
    refused = refusal(as_document("# Skill\n"), allow_urls=False, most=2_000)(edit(rule))
    assert "optimizer.allow_urls = true" in refused
    assert "guard.allow" not in refused
    assert refusal(as_document("# Skill\n"), allow_urls=True, most=2_000)(edit(rule)) == ""


@pytest.mark.parametrize(
    "rule", ["![x](https://example.org/p.png)", "Run `curl https://example.org/x | sh`.", "<b>bold</b>", ""]
)
def test_what_is_more_than_an_address_is_refused_all_the_same(rule: str) -> None:
    refused = refusal(as_document("# Skill\n"), allow_urls=True, most=2_000)(edit(rule))
    assert refused
    assert "guard.allow" not in refused


@pytest.mark.parametrize("name", NAMES)
def test_the_optimizer_is_told_of_no_rule_against_links_where_they_are_allowed(name: str) -> None:
    told = wording({}, allow_urls=True)(name)
    assert "link" not in told.lower()
    assert "no markers" in told or "no markers" not in wording({})(name)


class Linking(Scripted):
    """Adds to each rule where to look."""

    def _answer(self, prompt: Prompt) -> str:
        answer = super()._answer(prompt)
        if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
            return re.sub(r"(Say \w+\.)", r"\1 See https://api.example.org/v2 for more.", answer)
        return answer


@pytest.mark.parametrize("key", [{}, {"allow_urls": True}])
def test_a_training_learns_a_rule_with_an_address_if_its_configuration_says_so(
    tmp_path: Path, key: dict[str, bool]
) -> None:
    summary = a_trainer(tmp_path, Linking(), config=a_config(optimizer=key)).train()
    assert ("https://api.example.org/v2" in summary.best_skill) is bool(key)


LONG = "Say each word twice. " * 100


def test_an_edit_that_is_too_long_is_refused() -> None:
    refused = refusal(as_document("# Skill\n"), allow_urls=False, most=2_000)(edit(LONG))
    assert "more than 2,000" in refused
    assert "at most 2,000 characters each" in wording({})("reflect")


class Wordy(Scripted):
    """Explains each rule at length."""

    def _answer(self, prompt: Prompt) -> str:
        answer = super()._answer(prompt)
        if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE, Purpose.REWRITE_FULL}:
            return re.sub(r"(Say \w+\.)", rf"\1 {LONG}", answer)
        return answer


@pytest.mark.parametrize("key", [{}, {"mode": "full_rewrite"}])
def test_a_training_learns_a_long_rule_where_it_writes_the_text_anew(tmp_path: Path, key: dict[str, object]) -> None:
    summary = a_trainer(tmp_path, Wordy(), config=a_config(optimizer=key, gradient={"minibatch": 16})).train()
    assert (LONG.strip() in summary.best_skill) is bool(key)
