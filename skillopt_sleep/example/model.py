"""Simulate the target, optimizer, judge and miner, for the example and for benchmarks: no model, no network.

The target follows the rules in its instructions that mining.wishes can read, and forgets one now and then (seeded
noise). The optimizer turns what the person said into an edit: a useful one if their words name what they want, a
useless one ("be careful") if they name nothing, and a harmful one (single-word answers) if they complain about
length. In a training without such words it learns from what an environment says went wrong. The judge counts the
demand's words in the answer. Nothing it says is evidence about a real model.
"""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec.structs import replace

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.miner import mine
from skillopt_sleep.mining.wishes import Wish, read_wish
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from skillopt_sleep.replay.text import without_variation

MODEL = "simulated"
USELESS = "- Be careful, and think twice before answering."
HARMFUL = "- Answer every request with a single word."

_REQUEST = re.compile(r"\A.*?\n# Project instructions\n(.*?)\n# Request\n(.*)\Z", re.DOTALL)
_QUOTE = re.compile(r"^- (?:[\d-]+: )?«(.*?)»$", re.DOTALL | re.MULTILINE)
_CHECKED = re.compile(r"^- [\d-]+: they checked the work\n(`{3,})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_WENT_WRONG = re.compile(r"^### What went wrong\n(.+)$", re.MULTILINE)
_ITEM_OR_FENCED = re.compile(
    r"^# Item \d+$|^As in item (?P<like>\d+)\.$"
    r"|^(?P<words>## The person's own words\n)?(?P<ticks>`{3,})\n(?P<text>.*?)\n(?P=ticks)$",
    re.DOTALL | re.MULTILINE,
)
_PROPOSED = re.compile(r"^\(\w+, \d+ attempts\) (\w+) (''|'.*?'): (.*)$", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_SUGGESTED = re.compile(r"^\d+\. \([^)]*\) \w+ (?:'.*?'|\".*?\"): (.*?)(?=^\d+\. |^`{3,}$)", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)
_ATTEMPT = re.compile(r"^## (?:Attempt|Failure) (\d+)$", re.MULTILINE)
_TOO_LONG = re.compile(r"\btoo (?:long|verbose)\b", re.IGNORECASE)
_SINGLE_WORD = re.compile(r"\bsingle word\b", re.IGNORECASE)
_WORD = re.compile(r"\w{5,}")
_CHARS_PER_TOKEN = 4


class SimulatedBackend:
    """Answers prompts of every purpose by fixed rules; `forgets` is the chance that the target overlooks one rule."""

    def __init__(self, *, seed: int = 0, forgets: float = 0.05) -> None:
        self._seed = seed
        self._forgets = forgets

    @property
    def name(self) -> str:
        """Return the name to store and show with its answers."""
        return MODEL

    @property
    def version(self) -> str:
        """Return "": it runs no program."""
        return ""

    def ready(self, _until: datetime) -> bool:
        """Return False: it has no answers yet and is asked like any other model."""
        return False

    def price(self, _model: str, _usage: Usage) -> float | None:
        """Return 0: it costs nothing."""
        return 0.0

    def complete(self, prompt: Prompt) -> Completion:
        """Answer the prompt; the same prompt and sample, however it is varied, always give the same answer."""
        asked = prompt
        if prompt.purpose is Purpose.ROLLOUT:
            asked = replace(prompt, text=without_variation(prompt.text))
        digest = hashlib.blake2b(f"{self._seed}\0{asked.sample}\0{asked.asker}\0{asked.text}".encode()).digest()
        text = self._answer(asked, random.Random(digest))  # noqa: S311 - noise, not a secret
        usage = Usage(input_tokens=len(prompt.text) // _CHARS_PER_TOKEN, output_tokens=len(text) // _CHARS_PER_TOKEN)
        return decoded(prompt, Completion(text=text, usage=usage, usd=0.0, model=MODEL))

    def _answer(self, prompt: Prompt, noise: random.Random) -> str:
        if prompt.purpose is Purpose.PREFLIGHT:
            return "ready"
        if prompt.purpose is Purpose.ROLLOUT:
            return _attempt(prompt, noise, forgets=self._forgets)
        return json.dumps(_REPLIES[prompt.purpose](prompt.text))


_STEPS = (
    "I look at the files that this is about before I change one of them.",
    "The change stays small, so that it is easy to read.",
    "I run the tests and read what they print.",
    "At the end I report which files I changed and what came out of it.",
)


def _attempt(prompt: Prompt, noise: random.Random, *, forgets: float) -> str:
    """Answer at length, doing what the instructions state and nothing else; no two samples are worded alike."""
    instructions = ""
    request = prompt.text
    match = _REQUEST.search(prompt.text)
    if match:
        instructions = match[1]
        request = match[2].strip()
    elif prompt.messages:
        instructions = "\n".join(message.text for message in prompt.messages if message.role == "system")
        request = prompt.messages[-1].text
    rules = [line for line in instructions.splitlines() if noise.random() >= forgets]
    if any(_SINGLE_WORD.search(rule) for rule in rules):
        return "Done."
    sentences: list[str] = []
    for rule in rules:
        sentences += [f"I use {term}." for term in read_wish(rule).want]
    return " ".join((*sentences, f"(Simulated attempt {prompt.sample} at: {request})", *_STEPS))


def _grade(text: str) -> object:
    """Grade every answer by the share of the demand's words in it; the demand itself, said back, is none."""
    grades: list[object] = []
    for _, demand, *answers in _items(text):
        wanted = _words(demand)
        for answer in answers:
            found = wanted & _words(answer.replace(demand, ""))
            missing = f"its words {', '.join(sorted(wanted - found))}" if found < wanted else ""
            score = round(len(found) / len(wanted), 2) if wanted else 0.0
            grades.append({"answer": len(grades) + 1, "missing": missing, "score": score})
    return {"grades": grades}


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _controls(text: str) -> object:
    """Write for every item an answer with none of the demand's words, and one with all of them."""
    controls: list[object] = []
    for number, (_, demand) in enumerate(_items(text), start=1):
        done = " ".join(sorted(_words(demand)))
        controls.append({"item": number, "misses": "Done.", "meets": f"I did it: {done}"})
    return {"controls": controls}


def _items(text: str) -> list[list[str]]:
    """Return the fenced texts of each item but for the person's words: the request, the demand, the answers."""
    items: list[list[str]] = []
    for match in _ITEM_OR_FENCED.finditer(text):
        if match["like"] is not None:
            items[-1].append(items[int(match["like"]) - 1][1])
        elif match["ticks"] is None:
            items.append([])
        elif match["words"] is None:
            items[-1].append(match["text"])
    return items


def _reflect(text: str) -> object:
    """Append the rules that people ask for, each with the attempts at which they do."""
    _, *shown = _ATTEMPT.split(text)
    rules = {int(number): _lessons(attempt) for number, attempt in zip(shown[::2], shown[1::2], strict=True)}
    edits: list[object] = []
    for content in _lessons(text):
        attempts = [number for number, own in rules.items() if content in own]
        edits.append({"op": "append", "content": content, "attempts": attempts})
    return {"edits": edits}


def _lessons(text: str) -> tuple[str, ...]:
    """Return the rules that the quoted people ask for, in words or by the checks they ran, each once.

    If nobody is quoted, what went wrong asks for a rule where it names what is wanted.
    """
    checks = {command for _, command in _CHECKED.findall(text)}
    said = [quote for quote in _QUOTE.findall(text) if quote not in checks]
    if not said and not checks:
        said = [why for why in _WENT_WRONG.findall(text) if read_wish(why) != Wish()]
    rules = dict.fromkeys(map(_lesson, said))
    for command in sorted(checks):
        rules[f"- Always use `{command}` before you say that it is done."] = None
    return tuple(rules)


def _rewrite(text: str) -> object:
    """Append the missing rules to the body."""
    body = _FENCED.findall(text.split("\n# Editable part of the instructions\n", 1)[1])[0][1].replace("(empty)", "")
    suggested = [rule.strip() for rule in _SUGGESTED.findall(text.rsplit("\n# ", 2)[1])]
    lines = body.rstrip("\n").splitlines()
    for rule in (*suggested, *_lessons(text)):
        lines += [line for line in rule.splitlines() if line not in lines]
    return {"body": "\n".join(lines)}


def _numbers(text: str) -> list[int]:
    """Return the numbers of the edits to choose from."""
    edits = text.rsplit("\n# Edits\n", 1)[-1]
    return list(map(int, _NUMBERED.findall(edits)))


def _lesson(quote: str) -> str:
    """Return the rule that the words ask for, or a useless or harmful one if they are vague."""
    wish = read_wish(quote)
    if _TOO_LONG.search(quote):
        return HARMFUL
    if wish == Wish():
        return USELESS
    if wish.want and wish.avoid:
        return "\n".join(f"- Use {want}, never {avoid}." for want, avoid in zip(wish.want, wish.avoid, strict=False))
    if wish.want:
        return f"- Always include {' and '.join(wish.want)}."
    return "\n".join(f"- Never use {avoid}." for avoid in wish.avoid) or USELESS


def _aggregate(text: str) -> object:
    edits: list[object] = []
    for op, quoted, content in dict.fromkeys(_PROPOSED.findall(text)):
        edits.append({"op": op, "target": quoted.strip("'"), "content": content})
    return {"edits": edits}


# What only a model that thinks could answer has an empty answer.
_REPLIES: Mapping[Purpose, Callable[[str], object]] = {
    Purpose.JUDGE: _grade,
    Purpose.PROVE: _grade,
    Purpose.CONTROLS: _controls,
    Purpose.MINE: mine,
    Purpose.LESSONS: lambda _: {"same": []},
    Purpose.REFLECT: _reflect,
    Purpose.REFLECT_DEEP: _reflect,
    Purpose.DIAGNOSE: lambda _: {"causes": []},
    Purpose.AGGREGATE: _aggregate,
    Purpose.BUDGET: lambda text: {"edit_budget": len(_numbers(text))},
    Purpose.SELECT: lambda text: {"selected_indices": _numbers(text)},
    Purpose.FIT: lambda _: {"edits": []},
    Purpose.REWRITE: _rewrite,
    Purpose.REWRITE_FULL: _rewrite,
    Purpose.AUGMENT: lambda _: {"requests": []},
    Purpose.SLOW_UPDATE: lambda text: {"guidance": "\n".join(_lessons(text))},
    Purpose.META_SKILL: lambda _: {"notes": "- Keep edits short."},
}
