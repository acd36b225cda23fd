"""The mind and the target of the fortnight: they read the real prompts and answer as `fortnight_world` says."""

import json
import random
import re
from collections.abc import Iterable
from typing import Any

from bench.fortnight_words import OBJECTS, PACKAGES, PRAISE
from bench.fortnight_world import (
    Fortnight,
    Lesson,
    Said,
    Session,
    judge_right,
    mind_names,
    mind_rule,
    obeys,
    plain_answer,
    target_answer,
    target_obeys,
)
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.records import Completion, Prompt, Purpose
from tests.graded import judged, shown_items

LASTS = {"lasting": "from now on", "once": "this time", "taken_back": "from now on"}
ENDED = "No longer wanted: "  # so the mind names what takes a wish back
MOST_ATTEMPTS = 8
MOST_DRAWS = 200
_KNOWN = re.compile(r"^\d{4}-\d\d-\d\d (.+)$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_ATTEMPT = re.compile(r"^## Attempt (\d+)\n(.*?)(?=^## Attempt |\Z)", re.MULTILINE | re.DOTALL)
_INSTRUCTIONS = re.compile(r"^# Project instructions\n(.*?)^# Request\n(.*)\Z", re.MULTILINE | re.DOTALL)
_BUDGET = re.compile(r"Propose at most (\d+) short edits")


class Known:
    """What a fortnight's texts are about: the lesson of a request, and of words that name what is wanted."""

    def __init__(self, world: Fortnight) -> None:
        self.world = world
        self.requests: dict[str, tuple[Lesson, Session]] = {}
        self.languages: dict[str, str] = {}  # of each request
        sessions = {session.id: session for session in world.sessions}
        corrections = {(said.session, said.correction) for lesson in world.lessons for said in occurrences(lesson)}
        for session in world.sessions:
            for place, turn in enumerate(session.turns):
                is_asked = turn.role == "user" and (session.id, place) not in corrections
                if is_asked and turn.text not in PRAISE[session.language]:
                    self.languages[turn.text] = session.language
        for lesson in world.lessons:
            for said in occurrences(lesson):
                session = sessions[said.session]
                self.requests[session.turns[said.request].text] = (lesson, session)

    def request_in(self, text: str) -> str:
        """Return the request that stands last in a text: earlier ones are its context."""
        found = [(text.rfind(asked) + len(asked), len(asked), asked) for asked in self.languages if asked in text]
        return max(found)[-1] if found else ""

    def of_request(self, text: str) -> Lesson | None:
        """Return the lesson of the request that a text holds."""
        found = self.requests.get(self.request_in(text))
        return found[0] if found else None

    def of_words(self, text: str) -> Lesson | None:
        """Return the lesson that a text names: by its term, or by the words of a deed or of a taking back."""
        named = [lesson for lesson in self.world.lessons if lesson.term in text]
        if named:
            return max(named, key=lambda lesson: len(lesson.term))
        for lesson in self.world.lessons:
            if any(said.quote in text for said in occurrences(lesson)):
                return lesson
        return None

    def is_back(self, text: str) -> bool:
        """Tell whether a text says that a wish holds no longer."""
        backs = [lesson.taken_back.quote for lesson in self.world.lessons if lesson.taken_back]
        return text.startswith(ENDED) or any(quote in text for quote in backs)

    def language_of(self, text: str) -> str:
        """Return the language of the request that a text holds."""
        return self.languages.get(self.request_in(text), "en")


def occurrences(lesson: Lesson) -> tuple[Said, ...]:
    """Return where a wish came up, and where it was taken back."""
    return (*lesson.sessions, *((lesson.taken_back,) if lesson.taken_back else ()))


def answer_about(request: str, lesson: Lesson, does: bool, language: str, rng: random.Random) -> str:
    """Write an answer that names what the request names, as an agent's does."""
    things = [thing for thing in (*OBJECTS, *PACKAGES) if re.search(rf"\b{thing}\b", request)]
    answer = target_answer(lesson, does, language, rng)
    for _ in range(MOST_DRAWS):
        if not things or any(thing in answer for thing in things):
            break
        answer = target_answer(lesson, does, language, rng)
    return answer


class Target:
    """Attempts requests: it obeys a lesson by chance, more often if the instructions hold a rule for it."""

    def __init__(self, known: Known) -> None:
        self._known = known

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer, the same for the same question and sample."""
        if prompt.purpose is Purpose.PREFLIGHT:
            return Completion(text="ready", usd=0.0, model="target")
        shown = _INSTRUCTIONS.search(prompt.text)
        assert shown is not None, prompt.text
        instructions, request = shown[1], shown[2]
        rng = random.Random(f"target|{prompt.sample}|{prompt.asker}|{prompt.text}")
        lesson, language = self._known.of_request(request), self._known.language_of(request)
        if lesson is None:
            text = plain_answer(language, rng)
        else:
            does = target_obeys(lesson, lesson.term in instructions, rng)
            text = answer_about(request, lesson, does, language, rng)
        return Completion(text=text, usd=0.0, model="target")


class Mind:
    """Mines, names, proves, grades and writes rules from the text of each prompt alone."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._seed = known.world.seed

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer to a prompt."""
        return decoded(prompt, Completion(text=self.answer(prompt.purpose, prompt.text), usd=0.0, model="mind"))

    def answer(self, purpose: Purpose, text: str) -> str:
        """Return what the mind writes."""
        match purpose:
            case Purpose.PREFLIGHT:
                return "ready"
            case Purpose.MINE:
                reply: dict[str, Any] = {"lessons": self._mined(text)}
            case Purpose.LESSONS:
                reply = self._same(text)
            case Purpose.CONTROLS:
                reply = {"controls": self._controls(text)}
            case Purpose.PROVE | Purpose.JUDGE:
                reply = judged(text, self._grade)
            case Purpose.REFLECT:
                reply = {"edits": self._edits(text)}
            case Purpose.AGGREGATE:
                reply = {"edits": _merged(text)}
            case Purpose.SELECT:
                reply = {"selected_indices": list(range(20))}
            case Purpose.FIT:
                reply = {"edits": []}
            case _:
                raise AssertionError(f"the mind was asked to {purpose}")
        return json.dumps(reply, ensure_ascii=False)

    # mining ---------------------------------------------------------------------------------------------

    def _mined(self, text: str) -> list[dict[str, object]]:
        head, _, shown = text.rpartition("# Sessions\n")
        listed = self._listed(head)
        entries: dict[tuple[str, str], dict[str, Any]] = {}
        for lesson in self._known.world.lessons:
            for said, session in self._told(lesson, shown):
                named = mind_names(lesson, self._seed, said.session)
                if named is None:
                    continue
                entry = entries.setdefault(
                    (lesson.id, named.lasts),
                    {
                        "lesson": listed.get(lesson.id, named.sentence),
                        "quotes": [],
                        "lasts": LASTS[named.lasts],
                        "where": "project",
                        "takes_back": "",
                    },
                )
                for quote in named.quotes:
                    if session.turns[said.correction].deed:
                        quote = _mark(quote, shown, after=session.turns[said.request].text)  # noqa: PLW2901
                    entry["quotes"].append(quote)
        for (lesson, lasts), entry in entries.items():
            if lasts == "taken_back":
                other = entries.get((lesson, "lasting"))
                entry["takes_back"] = other["lesson"] if other else entry["lesson"]
                entry["lesson"] = f"{ENDED}{entry['lesson']}"
        return list(entries.values())

    def _listed(self, head: str) -> dict[str, str]:
        """Return the names that are listed already, by lesson."""
        listed: dict[str, str] = {}
        for name in _KNOWN.findall(head):
            lesson = self._known.of_words(name)
            if lesson is not None and not name.startswith(ENDED):
                listed.setdefault(lesson.id, name)
        return listed

    def _told(self, lesson: Lesson, shown: str) -> Iterable[tuple[Said, Session]]:
        for request, (about, session) in self._known.requests.items():
            if about is lesson and request in shown:
                for said in occurrences(lesson):
                    if said.session == session.id and session.turns[said.request].text == request:
                        yield said, session

    def _same(self, text: str) -> dict[str, object]:
        """Say which lines are one lesson, and which take another back."""
        lines: dict[str, list[int]] = {}
        backs: dict[str, list[int]] = {}
        for number, line in _NUMBERED.findall(text.rpartition("# Lessons\n")[2]):
            lesson = self._known.of_words(line)
            if lesson is not None:
                is_back = self._known.is_back(line)
                (backs if is_back else lines).setdefault(lesson.id, []).append(int(number))
        same = [group for some in (lines, backs) for group in some.values() if len(group) > 1]
        instead = [[back, other] for name, some in backs.items() for back in some for other in lines.get(name, ())]
        return {"same": same, "instead": instead, "unsaid": []}

    # grading --------------------------------------------------------------------------------------------

    def _controls(self, text: str) -> list[dict[str, object]]:
        controls: list[dict[str, object]] = []
        for number, (request, demand, *_) in enumerate(shown_items(text), start=1):
            lesson = self._known.of_request(request) or self._known.of_words(demand)
            language = self._known.language_of(request)
            rng = random.Random(f"controls|{request}|{demand}")
            if lesson is None:  # of praise: no answer shows what was wanted
                controls.append({"item": number, "needs_repository": True})
                continue
            good = not self._known.is_back(demand)
            meets = answer_about(request, lesson, good, language, rng)
            misses = answer_about(request, lesson, not good, language, rng)
            controls.append({"item": number, "misses": misses, "meets": meets, "needs_repository": False})
        return controls

    def _grade(self, demand: str, answer: str) -> float:
        lesson = self._known.of_words(demand)
        if lesson is None or not any(map(str.isalnum, answer)):
            return 0.0
        is_met = obeys(lesson, answer.replace(demand, "")) is not self._known.is_back(demand)
        return float(is_met is judge_right(random.Random(f"judge|{self._seed}|{demand}|{answer}")))

    # learning -------------------------------------------------------------------------------------------

    def _edits(self, text: str) -> list[dict[str, object]]:
        """Write a rule for each lesson of which an attempt failed, in words that weren't tried yet."""
        before, _, shown = text.partition("# Attempts\n")
        attempts: dict[str, list[int]] = {}
        lessons: dict[str, Lesson] = {}
        for number, attempt in _ATTEMPT.findall(shown):
            lesson = self._known.of_request(attempt)
            if lesson is not None:
                lessons[lesson.id] = lesson
                attempts.setdefault(lesson.id, []).append(int(number))
        most = _BUDGET.search(before)
        edits: list[dict[str, object]] = []
        for name, lesson in lessons.items():
            written = (mind_rule(lesson, self._seed, attempt) for attempt in range(MOST_ATTEMPTS))
            rule = next((rule for rule in written if rule not in before), "")
            edits.append({"op": "append", "content": f"- {rule}", "target": "", "attempts": attempts[name]})
        return edits[: int(most[1])] if most else edits


def _mark(quote: str, shown: str, *, after: str) -> str:
    """Return the mark of the deed that is this command after a request, or the command as the mind remembers it."""
    behind = shown.partition(after)[2]
    found = re.search(rf"^  D(\d+) person [^:\n]*: {re.escape(quote)}$", behind, re.MULTILINE)
    return f"D{found[1]}" if found else quote


_PROPOSED = re.compile(r"^\((?:failure|success)[^)]*\) (\w+) '(.*?)': (.*)$", re.MULTILINE)


def _merged(text: str) -> list[dict[str, object]]:
    """Return all edits that are proposed, each once."""
    edits: dict[str, dict[str, object]] = {}
    for op, target, content in _PROPOSED.findall(text.partition("# Proposals")[2]):
        edits.setdefault(content, {"op": op, "content": content, "target": target, "proposals": []})
    return list(edits.values())


def rule_of(world: Fortnight, project: str, content: str) -> Lesson | None:
    """Return the lesson that the mind wrote this rule for, in the project that it is proposed for."""
    written = content.removeprefix("- ").strip()
    for lesson in world.lessons:
        if lesson.project == project:
            rules = [mind_rule(lesson, world.seed, attempt) for attempt in range(MOST_ATTEMPTS)]
            if written in rules:
                return lesson
    return None
