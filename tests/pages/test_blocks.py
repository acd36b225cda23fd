"""Both renderers draw every block, each text in it redacted and escaped."""

import re
from typing import Any, cast

import pytest

from skillopt_sleep.pages.blocks import (
    Act,
    Answer,
    Answers,
    Block,
    Diff,
    Fold,
    Heading,
    Interval,
    Item,
    Items,
    Link,
    Quotes,
    Said,
    Sentence,
    Table,
)
from skillopt_sleep.pages.chart import Bar, Bars, dot
from skillopt_sleep.pages.render import environment
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.pages.word_diff import word_diff

GAIN = dot(0.25, 1.0, (0.5, 1.0), "4 tries")
BARS = Bars(bars=(Bar(0, 10, 0, 100, 3, "week of 2 Mar: 3"),), told="use pnpm: 3 in the week of 2 Mar")
PAGE: tuple[Block, ...] = (
    Heading("Use `pnpm`", 3, "P-0001"),
    Sentence("in shop:CLAUDE.md", "soft", Link("its page", "/documents/1")),
    Sentence("a line with a command", mark="Look twice"),
    Quotes((Said("«no, pnpm»", "2 days ago"),)),
    Answers("add zod", Answer("npm i zod", solved=False), Answer("pnpm add zod", ("$ pnpm add zod",), solved=True)),
    Interval((("trial", GAIN),)),
    Table(("lesson", "by week", "in all"), (("use pnpm", BARS, "3"), ("gain", GAIN, "4")), right=(2,)),
    Diff("shop:CLAUDE.md", word_diff("a\n", "a\n- Use pnpm.\n"), more=2),
    Items((Item("1 × not used", ("«just once»",)),)),
    Act("Yes: `skillopt-sleep adopt P-0001`.", Link("Decide on it", "/inbox/P-0001")),
    Fold("Statistics", (Sentence("gain +0.75"),), more="4 tries"),
)
SECRET = "sk-ant-api03-" + "Zx9" * 31 + "AA"


def html(*blocks: Block, root: str | None = None) -> str:
    """Draw blocks as HTML, in the dashboard if there is a `root`."""
    filled = environment("skillopt_sleep.pages")
    if root is not None:
        cast("dict[str, Any]", filled.globals)["root"] = root
    text = '{% from "blocks.html.j2" import show %}{{ show(blocks) }}'
    return filled.from_string(text).render(blocks=blocks)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize(
    "fact",
    ["Use pnpm", "in shop:CLAUDE.md", "Look twice", "«no, pnpm» 2 days ago", "Asked «add zod»", "✗ not as you asked"],
)
def test_both_renderers_say_each_fact(fact: str) -> None:
    plain = re.sub(r"[*`\\#-]", "", markdown(PAGE, verbose=True))

    assert fact in " ".join(plain.split())
    assert fact in words(html(*PAGE))


def test_what_is_drawn_is_named_for_who_does_not_see_it() -> None:
    assert f'aria-label="{BARS.told}"' in html(*PAGE)
    assert "<summary>" in html(*PAGE)


def test_a_command_is_a_link_in_the_dashboard_alone() -> None:
    assert "skillopt-sleep adopt" in html(*PAGE)
    assert "href" not in html(*PAGE)
    drawn = html(*PAGE, root="/k")
    assert "skillopt-sleep adopt" not in drawn
    assert '<a href="/k/inbox/P-0001">Decide on it</a>' in drawn


@pytest.mark.parametrize(
    "block", [Sentence(f"a <b>{SECRET}"), Quotes((Said(f"«<b>{SECRET}»"),)), Heading(f"<b>{SECRET}")]
)
def test_text_from_elsewhere_is_redacted_and_escaped(block: Block) -> None:
    for drawn in (html(block), markdown([block])):
        assert SECRET not in drawn
        assert "<b>" not in drawn.replace("\\<b\\>", "")
