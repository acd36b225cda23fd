"""A stand-in for target, optimizer, judge and miner, for the example and for measuring: no model, no network.

Its target follows a rule that mining.wishes can read when the instructions in its prompt state it, and forgets one
now and then (seeded noise). Its optimizer turns what the person said into an edit: a useful one where the words name
what is wanted, a useless one ("be careful") where they name nothing, and a harmful one (single-word answers) where
they complain of length. Its judge counts the demand's words in the answer. Nothing it says is evidence about a real
model.
"""

import hashlib
import json
import random
import re
from collections import Counter
from datetime import datetime
from typing import Any

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.mining.rules import wished_checks
from skillopt_sleep.mining.wishes import Wish, is_correction, last_wish, read_wish
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage

MODEL = "simulated"
USELESS = "- Be careful, and think twice before answering."
HARMFUL = "- Answer every request with a single word."

_REQUEST = re.compile(r"\n# Request\nYou have no tools here[^\n]*\n(.*)\Z", re.DOTALL)
_SAID = re.compile(r"^- «(.*?)»$", re.DOTALL | re.MULTILINE)
_ITEM_OR_FENCED = re.compile(r"^# Item \d+$|^(`{3,})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_PROPOSED = re.compile(r"^\(\w+, \d+ attempts\) (\w+) (''|'.*?'): (.*)$", re.MULTILINE)
_TRIED = re.compile(r"^- (helped|changed nothing|made it worse|not proven yet): ", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_SUGGESTED = re.compile(r"^\d+\. \([^)]*\) \w+ (?:'.*?'|\".*?\"): (.*?)(?=^\d+\. |^`{3,}$)", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)
_ATTEMPT = re.compile(r"^## Attempt (\d+)$", re.MULTILINE)
_TOO_LONG = re.compile(r"\btoo (?:long|verbose)\b", re.IGNORECASE)
_SINGLE_WORD = re.compile(r"\bsingle word\b", re.IGNORECASE)
_NOTED = re.compile(r"^- (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w{5,}")
_STOPPED = ("rejected", "stopped")
_CHARS_PER_TOKEN = 4


class SimulatedBackend:
    """Answers every purpose by fixed rules; `forgets` is the chance that the target overlooks one rule."""

    def __init__(self, *, seed: int = 0, forgets: float = 0.05) -> None:
        self._seed = seed
        self._forgets = forgets

    @property
    def name(self) -> str:
        """Under which its answers are kept and shown."""
        return MODEL

    @property
    def version(self) -> str:
        """It runs no program."""
        return ""

    def ready(self, _until: datetime) -> bool:
        """It is asked, as any other model."""
        return False

    def price(self, _model: str, _usage: Usage) -> float | None:
        """It costs nothing."""
        return 0.0

    def complete(self, prompt: Prompt) -> Completion:
        """The same answer for the same prompt and sample, always."""
        digest = hashlib.blake2b(f"{self._seed}\0{prompt.sample}\0{prompt.asker}\0{prompt.text}".encode()).digest()
        text = self._answer(prompt, random.Random(digest))  # noqa: S311 - noise, not a secret
        usage = Usage(input_tokens=len(prompt.text) // _CHARS_PER_TOKEN, output_tokens=len(text) // _CHARS_PER_TOKEN)
        return decoded(prompt, Completion(text=text, usage=usage, usd=0.0, model=MODEL))

    def _answer(self, prompt: Prompt, noise: random.Random) -> str:  # noqa: C901, PLR0912 - one arm for each purpose
        match prompt.purpose:
            case Purpose.PREFLIGHT:
                return "ready"
            case Purpose.ROLLOUT:
                return _attempt(prompt.text, noise, forgets=self._forgets)
            case Purpose.JUDGE:
                return _grade(prompt.text)
            case Purpose.PROVE:
                return _grade_items(prompt.text)
            case Purpose.MINE:
                return _mine(prompt.text)
            case Purpose.LESSONS:
                return json.dumps({"same": []})
            case Purpose.REFLECT | Purpose.REFLECT_DEEP:
                return _reflect(prompt.text)
            case Purpose.DIAGNOSE:
                return _diagnose(prompt.text)
            case Purpose.AGGREGATE:
                return _aggregate(prompt.text)
            case Purpose.BUDGET:
                return json.dumps({"edit_budget": len(_numbers(prompt.text))})
            case Purpose.SELECT:
                return json.dumps({"selected_indices": _numbers(prompt.text)})
            case Purpose.REWRITE | Purpose.REWRITE_FULL:
                return _rewrite(prompt.text)
            case Purpose.VARY:
                return _vary(prompt.text)
            case Purpose.AUGMENT:
                return _augment(prompt.text)
            case Purpose.SLOW_UPDATE:
                return json.dumps({"reasoning": "simulated", "guidance": "\n".join(_lessons(prompt.text))})
            case Purpose.APPENDIX:
                return json.dumps({"appendix_notes": sorted(set(_NOTED.findall(prompt.text)))})
            case Purpose.META_SKILL:
                return json.dumps({"reasoning": "simulated", "notes": _notes(prompt.text)})


def _attempt(text: str, noise: random.Random, *, forgets: float) -> str:
    """A long-winded answer that does what the instructions state, and nothing else."""
    found = _REQUEST.search(text)
    instructions, request = (text[: found.start()], found[1].strip()) if found else ("", text)
    rules = [line for line in instructions.splitlines() if noise.random() >= forgets]
    if any(_SINGLE_WORD.search(rule) for rule in rules):
        return "Done."
    wishes = [read_wish(rule) for rule in rules]
    used = [f"I use {term}." for wish in wishes for term in wish.want]
    limits = [wish.at_most for wish in wishes if wish.at_most]
    answer = " ".join([*used, f"This is what I would do for: {request}"])
    padding = " I would look at the files first, make the change, run the tests and report what came out of it." * 3
    return answer[: min(limits)] if limits else answer + padding


def _grade(text: str) -> str:
    """One grade an item."""
    reason = "share of the demand's words that stand in the answer"
    grades = [
        {"item": number, "score": _share(demand, answer), "reason": reason}
        for number, (_, demand, answer) in enumerate(_items(text), start=1)
    ]
    return json.dumps({"grades": grades})


def _share(demand: str, answer: str) -> float:
    """Which share of the demand's words stands in the answer."""
    wanted = {word.lower() for word in _WORD.findall(demand)}
    have = {word.lower() for word in _WORD.findall(answer)}
    return round(len(wanted & have) / len(wanted), 2) if wanted else 0.0


def _grade_items(text: str) -> str:
    """Grades of several answers an item; the demand repeated earns nothing."""
    grades = [
        {"item": number, "scores": [0.0 if answer == demand else _share(demand, answer) for answer in answers]}
        for number, (_, demand, *answers) in enumerate(_items(text), start=1)
    ]
    return json.dumps({"grades": grades})


def _items(text: str) -> list[list[str]]:
    """What is fenced in each item: the request, the demand, the answers."""
    items: list[list[str]] = []
    for found in _ITEM_OR_FENCED.finditer(text):
        if found[1]:
            items[-1].append(found[2])
        else:
            items.append([])
    return items


def _mine(text: str) -> str:
    """Every typed turn that corrects, or follows a stop, corrects the request before it."""
    tasks: list[dict[str, object]] = []
    for session in json.loads(text.split("\n# Sessions\n", 1)[1]):
        asked: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
        stopped = False
        for turn in session["turns"]:
            if turn["origin"] == "user" and turn["text"]:
                if asked and (stopped or is_correction(turn["text"], request=asked[-1][0]["text"])):
                    asked[-1][1].append(turn)
                else:
                    asked.append((turn, []))
                stopped = False
            stopped = stopped or any(done.startswith(_STOPPED) for done in turn.get("then", ()))
        tasks += [_mined(session["session"], ask, said) for ask, said in asked if said]
    return json.dumps({"tasks": tasks})


def _mined(session: str, ask: dict[str, Any], said: list[dict[str, Any]]) -> dict[str, object]:
    quotes = [turn["text"] for turn in said]
    return {
        "session": session,
        "ask": ask["turn"],
        "prompt": ask["text"],
        "corrections": [{"turn": turn["turn"], "quote": turn["text"]} for turn in said],
        "checks": [{"op": check.op, "arg": check.arg} for check in wished_checks(last_wish(quotes))],
        "rubric": "It does what the person asked for: " + " ".join(quotes),
    }


def _reflect(text: str) -> str:
    edits = [{"op": "append", "content": content, "reason": "the person said so"} for content in _lessons(text)]
    return json.dumps({"reasoning": "simulated", "edits": edits})


def _lessons(text: str) -> tuple[str, ...]:
    """What it makes of the words that people said, each once."""
    return tuple(dict.fromkeys(_lesson(said) for said in _SAID.findall(text)))


def _notes(text: str) -> str:
    """How often an edit ended how."""
    ends = Counter(_TRIED.findall(text))
    return "\n".join(f"- {count} edits: {end}" for end, count in sorted(ends.items()))


def _diagnose(text: str) -> str:
    causes = [
        {"attempt": int(number), "cause": "the instructions don't say what the person wants"}
        for number in _ATTEMPT.findall(text)
    ]
    return json.dumps({"causes": causes})


def _rewrite(text: str) -> str:
    """The body, with the rules it lacks at its end."""
    body = _FENCED.findall(text.split("\n# Editable part of the instructions\n", 1)[1])[0][1].replace("(empty)", "")
    rules = [rule for rule in (*_suggested(text), *_lessons(text)) if rule not in body]
    return json.dumps({"reasoning": "simulated", "body": "\n".join([*filter(None, [body.rstrip("\n")]), *rules])})


def _vary(text: str) -> str:
    """What it was shown in the order of importance reversed, and a useless one."""
    others = [list(reversed(_suggested(text))), [USELESS]]
    sets = [{"edits": [{"op": "append", "content": rule} for rule in other]} for other in others]
    return json.dumps({"reasoning": "simulated", "alternatives": sets})


def _augment(text: str) -> str:
    """The first request, of another part."""
    asked = _FENCED.findall(text.split("\n# Requests\n", 1)[1])[0][1]
    return json.dumps(
        {"requests": [f"{part}: {asked}" for part in ("for the second service", "in the tools folder")]}
    )


def _suggested(text: str) -> tuple[str, ...]:
    """What the shown edits bring."""
    return tuple(rule.strip() for rule in _SUGGESTED.findall(text.rsplit("\n# ", 2)[1]) if rule)


def _numbers(text: str) -> list[int]:
    """Of the edits to choose from."""
    return [int(number) for number in _NUMBERED.findall(text.rsplit("\n# Edits\n", 1)[-1])]


def _lesson(said: str) -> str:
    """The rule that the words ask for, or what a poor reader makes of them."""
    wish = read_wish(said)
    if _TOO_LONG.search(said):
        return HARMFUL
    if wish == Wish():
        return USELESS
    if wish.want and wish.avoid:
        return "\n".join(f"- Use {want}, never {avoid}." for want, avoid in zip(wish.want, wish.avoid, strict=False))
    if wish.want:
        return f"- Always include {' and '.join(wish.want)}."
    return "\n".join(f"- Never use {avoid}." for avoid in wish.avoid) or USELESS


def _aggregate(text: str) -> str:
    edits = [
        {"op": op, "target": target.strip("'"), "content": content, "support_count": 1}
        for op, target, content in dict.fromkeys(_PROPOSED.findall(text))
    ]
    return json.dumps({"reasoning": "simulated", "edits": edits})
