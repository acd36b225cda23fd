"""A made fortnight of work, written from the product's promise alone: who wished what, when, in which words."""

from __future__ import annotations

import random
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Literal, NamedTuple

from bench import fortnight_words as words

Kind = Literal["lasting", "once", "taken_back", "twice"]
Deed = Literal["", "ran", "undid"]
BEGIN = datetime(2026, 11, 2, tzinfo=timezone(timedelta(hours=1)))
LANGUAGES = ("en", "de", "es", "fr")


@dataclass(frozen=True)
class Turn:
    """One turn; `deed` is set where the person ran or undid something in a shell instead of speaking."""

    role: Literal["user", "assistant"]
    text: str
    deed: Deed = ""


@dataclass(frozen=True)
class Session:
    """One transcript of a person and an agent."""

    id: str
    project: str
    language: str
    at: datetime
    turns: tuple[Turn, ...]


class Said(NamedTuple):
    """Where a wish came up: the turn of the request, the turn of the correction, and the words typed there."""

    session: str
    request: int
    correction: int
    quote: str


@dataclass(frozen=True)
class Lesson:
    """What a person wanted; an answer obeys if `term` stands in it exactly when `must_contain` is true."""

    id: str
    project: str
    sentence: str
    term: str
    must_contain: bool
    sessions: tuple[Said, ...]
    kind: Kind
    by_deed: bool = False
    taken_back: Said | None = None


@dataclass(frozen=True)
class Fortnight:
    """Fourteen days of sessions in order of time, all that was wished in them, and the evening on which they end."""

    seed: int
    sessions: tuple[Session, ...]
    lessons: tuple[Lesson, ...]
    ends: datetime


class Named(NamedTuple):
    """What the miner says of an occurrence: a sentence, the quotes, and how long the wish holds."""

    sentence: str
    quotes: tuple[str, ...]
    lasts: Literal["lasting", "once", "taken_back"]


class _Entry(NamedTuple):
    key: str
    family: str  # tool, unit, phrase or ban
    topic: str
    term: str
    other: str
    good: str
    bad: str
    deed: str  # the command that the person runs, if the wish is told by a deed


def _table() -> tuple[_Entry, ...]:
    rows = [line.split(" ;") for line in words.TABLE.strip().splitlines()]
    return tuple(_Entry(*(cell.strip() for cell in row)) for row in rows)


CATALOGUE = _table()


class _Cast(NamedTuple):
    entry: _Entry
    language: str
    kind: Kind
    often: int


@dataclass
class _Slot:
    at: datetime
    language: str
    wishes: list[tuple[int, bool]]  # which of the cast, and whether it is taken back here


class _Writer:
    """Write turns in one fortnight's words, no request twice."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.asked: set[str] = set()

    def fields(self, language: str, topic: str) -> dict[str, str]:
        names = words.PACKAGES if topic == "deps" else words.OBJECTS
        part = self.rng.choice(words.PARTS[language])
        return {"part": part, "obj": self.rng.choice(names), "n": str(self.rng.randint(2, 52))}

    def ask(self, language: str, topic: str) -> tuple[str, dict[str, str]]:
        while True:
            fields = self.fields(language, topic)
            shape = self.rng.choice(words.pool(words.ASKS[language][topic]))
            text = (shape + self.rng.choice(words.ASK_TAILS[language])).format(**fields)
            for plain, drawn in ((" de el ", " del "), (" de le ", " du "), (" in dem ", " im ")):
                text = text.replace(plain, drawn)
            if text not in self.asked:
                self.asked.add(text)
                return text, fields

    def answer(self, language: str, snippet: str, fields: dict[str, str]) -> str:
        frame = self.rng.choice(words.FRAMES[language])
        return frame.format(x=snippet.format(**fields), part=fields["part"])

    def wish(self, cast: _Cast, back: bool) -> tuple[str, str]:
        """Return what the person types, and the words of it that say the wish."""
        entry, language, rng = cast.entry, cast.language, self.rng
        if back:
            body = rng.choice(words.BACK[language])
        else:
            tails = words.ONCE[language] if cast.kind == "once" else words.LASTING[language]
            shapes = words.pool(words.WISHES[language][entry.family])
            body = ", ".join(filter(None, (rng.choice(shapes), rng.choice(tails))))
        quote = _as_typed(body.format(w=entry.term, o=entry.other), (entry.term, entry.other), rng)
        closer = rng.choice(words.CLOSERS[language])
        text = " ".join(filter(None, (rng.choice(words.OPENERS[language]), quote, closer)))
        return (text.removesuffix(" !") + "!" if closer == "!" else text), quote


def _as_typed(text: str, keep: tuple[str, ...], rng: random.Random) -> str:
    """Drop accents in one of six texts and mistype one word in five, never in a name that matters."""
    if rng.random() < 1 / 6:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    if rng.random() < 1 / 5:
        kept = [m.span() for k in keep if k for m in re.finditer(re.escape(k), text)]
        free = [
            m
            for m in re.finditer(r"[^\W\d_]{5,}", text)
            if not any(m.start() < end and start < m.end() for start, end in kept)
        ]
        if free:
            at = (word := rng.choice(free)).start() + rng.randrange(1, len(word.group()) - 2)
            swapped = text[at + 1] + text[at] if rng.random() < 0.5 else text[at]
            text = text[:at] + swapped + text[at + 2 :]
    return text


def _deal(rng: random.Random) -> list[_Cast] | None:
    """Deal the catalogue to the projects, each topic at most once a project, or return None if it doesn't come out."""

    def times(low: int, high: int) -> list[str]:
        return [rng.choice(LANGUAGES) for _ in range(rng.randint(low, high))]

    homes = [language for language in LANGUAGES for _ in range(2)] + [rng.choice(LANGUAGES)]
    rng.shuffle(homes)
    wanted: list[tuple[str, Kind]] = [(home, "lasting") for home in homes]
    wanted.extend((home, "twice") for home in times(2, 3))
    wanted.extend((home, "taken_back") for home in times(1, 2))
    wanted.extend((home, "once") for home in times(3, 5))
    rest = rng.sample(CATALOGUE, len(CATALOGUE))
    taken: set[tuple[str, str]] = set()
    deeds, cast = rng.randint(1, 2), list[_Cast]()
    for place, (home, kind) in enumerate(wanted):
        fits = [e for e in rest if bool(e.deed) == (place < deeds) and (home, e.topic) not in taken]
        if not fits:
            return None
        rest.remove(fits[0])
        taken.add((home, fits[0].topic))
        count = {
            "lasting": rng.choices((3, 4, 5, 6), (2, 6, 7, 5))[0],
            "twice": 2,
            "taken_back": rng.randint(3, 5),
            "once": rng.choices((1, 2, 3), (7, 2, 1))[0],
        }[kind]
        cast.append(_Cast(fits[0], home, kind, count))
    return cast


def _moments(rng: random.Random, begin: datetime) -> list[datetime]:
    """Return enough distinct moments of a fortnight, in work hours and seldom at a weekend."""
    minutes = rng.sample([(day, minute) for day in range(14) for minute in range(480, 1140, 3)], 1500)
    kept = [m for m in minutes if m[0] % 7 < 5 or rng.random() < 2 / 9]
    return [begin + timedelta(days=day, minutes=minute, seconds=rng.randrange(60)) for day, minute in kept]


def _slots(cast: list[_Cast], rng: random.Random, begin: datetime) -> list[_Slot]:
    """Lay the wishes and the plain sessions on days; about one wish in eight shares a session with another one."""
    moments = _moments(rng, begin)
    slots: list[_Slot] = []
    for number, one in enumerate(cast):
        when = sorted(moments.pop() for _ in range(one.often))
        slots += [_Slot(at, one.language, [(number, one.kind == "taken_back" and at == when[-1])]) for at in when]
    free = [s for s in slots if cast[s.wishes[0][0]].kind != "taken_back"]
    for slot in rng.sample(free, round(len(slots) / 8)):
        hosts = [s for s in free if s.language == slot.language and len(s.wishes) == 1 and s.wishes != slot.wishes]
        if len(slot.wishes) == 1 and hosts:
            rng.choice(hosts).wishes += slot.wishes
            slots.remove(slot)
            free.remove(slot)
    plain = min(max(rng.randint(62, 78) - len(slots), 8), 80 - len(slots))
    slots += [_Slot(moments.pop(), rng.choice(LANGUAGES), []) for _ in range(plain)]
    return sorted(slots, key=lambda slot: slot.at)


def fortnight(seed: int, begin: datetime = BEGIN) -> Fortnight:
    """Make the fortnight of a seed: the same seed, the same words."""
    rng = random.Random(f"fortnight|{seed}")
    while (cast := _deal(rng)) is None:
        pass
    projects = {language: rng.choice(words.PROJECTS[language]) for language in LANGUAGES}
    writer = _Writer(rng)
    said: dict[int, list[Said]] = {number: [] for number in range(len(cast))}
    backs: dict[int, Said] = {}
    sessions = []
    for slot in _slots(cast, rng, begin):
        name, turns = f"{seed:03d}-{rng.getrandbits(48):012x}", list[Turn]()
        if not slot.wishes or rng.random() < 0.25:
            _plain(turns, slot, cast, writer)
        for number, back in slot.wishes:
            one = _corrected(turns, name, cast[number], back, writer)
            if back:
                backs[number] = one
            else:
                said[number].append(one)
        if slot.wishes and rng.random() < 0.15:
            _plain(turns, slot, cast, writer)
        sessions.append(Session(name, projects[slot.language], slot.language, slot.at, tuple(turns)))
    lessons = tuple(
        Lesson(
            f"{seed}/{one.entry.key}",
            projects[one.language],
            _sentence(one.entry, 0),
            one.entry.term,
            one.entry.family != "ban",
            tuple(said[number]),
            one.kind,
            bool(one.entry.deed),
            backs.get(number),
        )
        for number, one in enumerate(cast)
    )
    return Fortnight(seed, tuple(sessions), lessons, begin + timedelta(days=14))


def _corrected(turns: list[Turn], session: str, cast: _Cast, back: bool, writer: _Writer) -> Said:
    """Write a request, an answer that isn't what the person wants, the correction, and an answer that is."""
    entry, language = cast.entry, cast.language
    text, fields = writer.ask(language, entry.topic)
    before, after = (entry.good, entry.bad) if back else (entry.bad, entry.good)
    request = len(turns)
    typed, quote = (entry.deed.format(**fields),) * 2 if entry.deed else writer.wish(cast, back)
    deed: Deed = "" if not entry.deed else "undid" if entry.family == "ban" else "ran"
    turns += [
        Turn("user", text),
        Turn("assistant", writer.answer(language, before, fields)),
        Turn("user", typed, deed),
        Turn("assistant", writer.answer(language, after, fields)),
    ]
    if writer.rng.random() < 0.3:
        _praise(turns, language, writer.rng)
    return Said(session, request, request + 2, quote)


def _plain(turns: list[Turn], slot: _Slot, cast: list[_Cast], writer: _Writer) -> None:
    """Write requests that need no correction; now and then one of a lesson that the agent got right by itself."""
    rng, language = writer.rng, slot.language
    for _ in range(rng.choice((1, 1, 2)) if not slot.wishes else 1):
        lucky = [c.entry for c in cast if c.language == language and c.kind == "lasting" and not c.entry.deed]
        by_itself = lucky and not slot.wishes and rng.random() < 0.25
        entry = rng.choice(lucky) if by_itself else None
        text, fields = writer.ask(language, entry.topic if entry else "plain")
        snippet = entry.good if entry else rng.choice(words.PLAIN)
        turns += [Turn("user", text), Turn("assistant", writer.answer(language, snippet, fields))]
        if entry or rng.random() < 0.4:
            _praise(turns, language, rng)


def _praise(turns: list[Turn], language: str, rng: random.Random) -> None:
    turns += [Turn("user", rng.choice(words.PRAISE[language])), Turn("assistant", words.WELCOME[language])]


def _sentence(entry: _Entry, pattern: int) -> str:
    return words.SENTENCES[entry.family][pattern].format(w=entry.term, o=entry.other, a=words.ABOUT[entry.topic])


def _entry(lesson: Lesson) -> _Entry:
    return next(entry for entry in CATALOGUE if entry.key == lesson.id.split("/")[1])


def mind_names(lesson: Lesson, seed: int, session: str) -> Named | None:
    """Say what a good but fallible miner says of an occurrence, or None where it misses it.

    It misses 1 in 20, changes a letter of 1 quote in 30, calls 1 lasting wish in 25 'once' and 1 once-wish in 20
    lasting: in night-by-hand.md a strong mind wrote every edit right, and its few slips were of these kinds.
    """
    rng = random.Random(f"names|{seed}|{lesson.id}|{session}")
    told = lesson.sessions + ((lesson.taken_back,) if lesson.taken_back else ())
    one = next(said for said in told if said.session == session)
    if rng.random() < 1 / 20:
        return None
    sentence, quote = _sentence(_entry(lesson), rng.randrange(5)), one.quote
    if rng.random() < 1 / 30:
        letters = [at for at, letter in enumerate(quote) if letter.isalpha()]
        at = rng.choice(letters)
        quote = quote[:at] + rng.choice([c for c in "aeinrst" if c != quote[at].lower()]) + quote[at + 1 :]
    if lesson.kind == "once":
        return Named(sentence, (quote,), "once" if rng.random() < 19 / 20 else "lasting")
    if one is lesson.taken_back:
        return Named(sentence, (quote,), "taken_back")
    return Named(sentence, (quote,), "once" if rng.random() < 1 / 25 else "lasting")


def mind_rule(lesson: Lesson, seed: int, attempt: int = 0) -> str:
    """Write the rule an optimizer writes: right, but without the term in 1 of 15 (night-by-hand.md: 9 of 9 right)."""
    rng = random.Random(f"rule|{seed}|{lesson.id}|{attempt}")
    entry = _entry(lesson)
    about = words.ABOUT[entry.topic]
    shape = rng.choice(words.USELESS if rng.random() < 1 / 15 else words.RULES[entry.family])
    return shape.format(w=entry.term, o=entry.other, a=about, A=about[0].upper() + about[1:])


def is_useful(lesson: Lesson, text: str) -> bool:
    """Tell whether a text that the target reads holds a rule for the lesson, which is so if its term stands there."""
    return lesson.term in text


def rates(lesson: Lesson) -> tuple[float, float]:
    """Return how often the target obeys without and with a rule: wrong .50-.95 and .02-.10 in night-by-hand.md."""
    rng = random.Random(f"rates|{lesson.id}")
    return rng.uniform(0.05, 0.5), rng.uniform(0.90, 0.98)


def target_obeys(lesson: Lesson, has_rule: bool, rng: random.Random) -> bool:
    """Draw whether one attempt obeys; `has_rule` is true for a useful rule only, as a useless one changes nothing."""
    return rng.random() < rates(lesson)[has_rule]


def target_answer(lesson: Lesson, obeys: bool, language: str, rng: random.Random) -> str:
    """Write an answer of the target to a request of the lesson, in fresh words each time."""
    entry, writer = _entry(lesson), _Writer(rng)
    return writer.answer(language, entry.good if obeys else entry.bad, writer.fields(language, entry.topic))


def plain_answer(language: str, rng: random.Random) -> str:
    """Write an answer to a request that no lesson is about."""
    writer = _Writer(rng)
    return writer.answer(language, rng.choice(words.PLAIN), writer.fields(language, "plain"))


def obeys(lesson: Lesson, answer: str) -> bool:
    """Tell whether an answer obeys the lesson, letter for letter and with its case."""
    return (lesson.term in answer) == lesson.must_contain


def judge_right(rng: random.Random) -> bool:
    """Draw whether one grading is right: 97 in 100, as a mind right on 16 of 16 known answers still slips at times."""
    return rng.random() < 0.97


def learnable(world: Fortnight) -> tuple[str, ...]:
    """Return the lasting lessons that the mind names truly in three sessions: more than these nobody can prove."""
    found = []
    for lesson in world.lessons:
        names = [(mind_names(lesson, world.seed, said.session), said.quote) for said in lesson.sessions]
        true = [name for name, quote in names if name and name.lasts == "lasting" and name.quotes == (quote,)]
        if lesson.kind == "lasting" and len(true) >= 3:
            found.append(lesson.id)
    return tuple(found)
