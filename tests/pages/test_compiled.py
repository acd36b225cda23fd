from typing import Any

import jinja2

from skillopt_sleep.pages.compiled import Compiled, compiled


class Counting(jinja2.Environment):
    """An environment that counts what it compiles."""

    count = 0

    def _generate(self, *given: Any, **named: Any) -> str:
        Counting.count += 1
        return str(super()._generate(*given, **named))


def rendered(text: str, kept: Compiled) -> str:
    loader = jinja2.DictLoader({"page": text})
    return Counting(loader=loader, bytecode_cache=kept).get_template("page").render(name="you")


def test_a_text_is_compiled_once_over_many_environments_and_a_changed_one_again() -> None:
    kept, before = Compiled(), Counting.count
    assert [rendered("hello {{ name }}", kept) for _ in range(3)] == ["hello you"] * 3
    assert Counting.count - before == 1
    assert rendered("bye {{ name }}", kept) == "bye you"
    assert Counting.count - before == 2


def test_environments_that_differ_share_nothing() -> None:
    assert compiled("one") is compiled("one")
    assert compiled("one") is not compiled("other")
