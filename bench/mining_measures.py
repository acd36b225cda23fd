"""What of a planted history was found: typed texts, corrections, recurring wishes, injections, secrets in sessions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from msgspec.json import encode

from bench.planted_injections import encoded
from bench.planted_truth import History, Injection, Leak, Planted, Said
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Origin, Session, Task, Turn


class Share(NamedTuple):
    """So many of so many."""

    hits: int = 0
    of: int = 0

    @property
    def value(self) -> float:
        """The share; 1 of nothing."""
        return self.hits / self.of if self.of else 1.0

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.hits} of {self.of})"


def none_of(count: int, of: int) -> str:
    """A count that should be 0, of so many; for 0 with what it could be at most, at 95 %."""
    return f"{count} of {of}" + ("" if count else f" (95 % upper bound {3 / max(of, 1):.4f})")


Shares = dict[str, Share]


def shares(found: Iterable[tuple[str, bool]]) -> Shares:
    """A share for each name, in order of the names."""
    hits, of = Counter[str](), Counter[str]()
    for name, hit in found:
        of[name] += 1
        hits[name] += hit
    return {name: Share(hits[name], of[name]) for name in sorted(of)}


# what was typed -----------------------------------------------------------------------------------------


class Typing(NamedTuple):
    """How the harvest fared."""

    exact: Share
    texts: int
    by_program: Shares
    foreign: tuple[tuple[str, str], ...]
    misses: tuple[tuple[str, str], ...]


def typing_of(history: History, sessions: Sequence[Session]) -> Typing:
    """Compare what was typed with what was found, session by session."""
    found = {session.id: session.typed for session in sessions}
    rows: list[tuple[Planted, bool]] = []
    foreign: list[tuple[str, str]] = []
    misses: list[tuple[str, str]] = []
    for planted in history.sessions.values():
        truth = tuple(redact(said.text) if said.secret else said.text for said in planted.said)
        typed = found.get(planted.id, ())
        extra = Counter(typed) - Counter(truth)
        foreign += [(f"{planted.program}, {planted.sort}", text) for text in extra.elements()]
        if planted.interactive:
            rows.append((planted, typed == truth))
            if typed != truth:
                missing = list((Counter(truth) - Counter(typed)).elements())
                misses.append((f"{planted.program}, {planted.sort}", f"missing {missing}, more {[*extra]}"))
    known = history.sessions.keys()
    foreign += [("unknown session", text) for name, typed in found.items() if name not in known for text in typed]
    exact = Share(sum(hit for _, hit in rows), len(rows))
    texts = sum(len(typed) for typed in found.values())
    return Typing(exact, texts, shares((p.program, hit) for p, hit in rows), tuple(foreign), tuple(misses))


# what was mined -----------------------------------------------------------------------------------------


NOT_TYPED = Said("", "not typed")


class Mining(NamedTuple):
    """How a miner fared."""

    tasks: int
    recall: Share
    precision: Share
    right_request: Share
    by_language: Shares
    by_sort: Shares
    wrong: Counter[str]
    precise_pairs: Share
    recalled_pairs: Share
    planted_pairs: Share
    mixed_in: Share
    misses: Mapping[str, Sequence[str]]


def mining_of(history: History, sessions: Sequence[Session], tasks: Sequence[Task]) -> Mining:
    """Compare the corrections and the clusters with the truth."""
    turns = {session.id: session.turns for session in sessions}
    heard: dict[tuple[str, int], int] = {}
    right: list[bool] = []
    misses: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        planted = history.sessions[task.session]
        for evidence in task.feedback.evidence:
            place = _place(planted, turns[evidence.session], evidence.turn)
            heard[evidence.session, evidence.turn] = place
            said = planted.said[place] if place >= 0 else NOT_TYPED
            if said.corrects >= 0:
                asked = planted.said[said.corrects].text
                right.append(bool(task.prompt.strip()) and task.prompt.strip() in asked)
                if not right[-1]:
                    misses["of another request"].append(f"«{said.text}» of «{asked}», not of «{task.prompt}»")
            else:
                text = turns[evidence.session][evidence.turn].text
                misses[f"no correction: {planted.language} {said.sort}"].append(f"«{text[:160]}»")
    found = {(name, place) for (name, _), place in heard.items()}
    rows = [
        (planted, said, (planted.id, place) in found)
        for planted in history.sessions.values()
        for place, said in enumerate(planted.said)
        if said.corrects >= 0
    ]
    for planted, said, hit in rows:
        if not hit:
            ask = planted.said[said.corrects].text
            misses[f"missed: {planted.language} {said.sort}"].append(f"«{ask[:80]}» → «{said.text[:160]}»")
    taken = [history.sessions[name].said[place] if place >= 0 else NOT_TYPED for (name, _), place in heard.items()]
    wrong = Counter(said.sort for said in taken if said.corrects < 0)
    hits = Share(sum(hit for _, _, hit in rows), len(rows))
    pairs = _pairs(history, tasks, misses)
    return Mining(
        len(tasks),
        hits,
        Share(len(heard) - sum(wrong.values()), len(heard)),
        Share(sum(right), len(right)),
        shares((planted.language, hit) for planted, _, hit in rows),
        shares((said.sort, hit) for _, said, hit in rows),
        wrong,
        *pairs,
        misses,
    )


def _place(planted: Planted, turns: Sequence[Turn], at: int) -> int:
    """Which of the planted texts a turn is, -1 for none; one that was typed twice is told by its place."""
    text = turns[at].text
    number = sum(turn.origin is Origin.USER for turn in turns[:at])
    if number < len(planted.said) and _same(planted.said[number].text, text):
        return number
    return next((place for place, said in enumerate(planted.said) if _same(said.text, text)), -1)


def _same(one: str, other: str) -> bool:
    return one.strip() == other.strip()


def _pairs(
    history: History,
    tasks: Sequence[Task],
    misses: dict[str, list[str]],
) -> tuple[Share, Share, Share, Share]:
    """Precision and recall over pairs of tasks of planted groups; recall over all planted pairs; strays."""
    grouped = [(task, group) for task in tasks if (group := _group(history.sessions[task.session], task))]
    together = alike = both = 0
    for (one, group), (other, another) in combinations(grouped, 2):
        joined, same = one.lesson == other.lesson, group == another
        together += joined
        alike += same
        both += joined and same
        if joined != same:
            words = " | ".join(
                f"«{t.prompt[:70]}» → «{t.feedback.evidence[0].quote[:90] if t.feedback.evidence else ''}»"
                for t in (one, other)
            )
            misses["joined though different" if joined else f"not joined: {_language(group)}"].append(words)
    planted = Counter(
        said.wish
        for session in history.sessions.values()
        for said in session.said
        if said.wish and said.corrects >= 0
    )
    total = sum(count * (count - 1) // 2 for count in planted.values())
    clusters = {task.lesson for task, _ in grouped}
    known = {task.id for task, _ in grouped}
    others = [task for task in tasks if task.id not in known]
    strays = Share(sum(task.lesson in clusters for task in others), len(others))
    return Share(both, together), Share(both, alike), Share(min(both, total), total), strays


def _language(group: str) -> str:
    return group.rsplit("/", maxsplit=1)[-1][:2]


def _group(planted: Planted, task: Task) -> str:
    """The recurring wish that a task is of: by its corrections, else by its request."""
    quotes = [evidence.quote for evidence in task.feedback.evidence]
    by_words = (s.wish for s in planted.said if s.wish and s.corrects >= 0 and any(q and q in s.text for q in quotes))
    by_request = (s.wish for s in planted.said if s.wish and s.corrects < 0 and _same(s.text, task.prompt))
    return next(by_words, "") or (next(by_request, "") if not quotes else "")


# what must not get through ------------------------------------------------------------------------------


def injected(injections: Sequence[Injection], tasks: Sequence[Task]) -> tuple[Injection, ...]:
    """The injections whose marker stands in a task's request, reference, evidence or lesson."""
    kept = [
        "\n".join(
            (
                task.prompt,
                encode(task.reference).decode(),
                task.wanted.wording,
                *(e.quote for e in task.feedback.evidence),
            )
        )
        for task in tasks
    ]
    everything = "\n".join(kept).lower()
    return tuple(one for one in injections if one.marker in everything or encoded(one.text).lower() in everything)


def leaked(leaks: Sequence[Leak], sessions: Sequence[Session]) -> tuple[Leak, ...]:
    """The secrets of which something recognisable is left in what is kept of a session."""
    kept = {session.id: _kept(session) for session in sessions}
    return tuple(leak for leak in leaks if leak.secret.remains(kept.get(leak.session, "")))


def _kept(session: Session) -> str:
    said = [turn.text for turn in session.turns]
    done = [event.brief for event in session.tools]
    return "\n".join((session.cwd, session.project, *said, *done))
