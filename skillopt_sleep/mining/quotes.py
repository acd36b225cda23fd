"""Find where a person said or did what a model quotes, and the request that each place is about."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillopt_sleep.mining.deeds import TYPED
from skillopt_sleep.mining.requests import Take, own_turn, takes
from skillopt_sleep.mining.wishes import is_correction
from skillopt_sleep.mining.words import is_small_talk, sentences, states_rule, takes_back, whole_sentences
from skillopt_sleep.records import Deed, DeedKind, Origin, Session

MOST_SIGNS = 40
LABEL = "person:"  # what the prompt shows before a typed turn
FEWEST = 2  # words of a request; what corrects an earlier one may begin with two: "two things."
FEWEST_LATER = 3
BARE = 3  # words that may say no more than no
WHOLE = 0.7  # so much of a sentence is nearly the whole one

_MARK = re.compile(r"\W*D(\d{1,4})(?:\W*|\W+person .*)", re.DOTALL)
_LEFT_OUT = re.compile(r"[\s\"'`´‘’‚‛“”„‟«»‹›「」『』….,;:!?。，、！？：；]")
_OPENING = re.compile(r"\W*([^\n,.;:!?–—-]+)")

# What was said, by the id of the session and the turn that it was said in.
Wishes = dict[tuple[str, int], list[str]]


class LessonSign(NamedTuple):
    """Something that shows a lesson: words that were said in a turn, as whole sentences, or a deed."""

    session: Session
    turn: int
    words: str = ""
    deed: Deed | None = None

    @property
    def before(self) -> int:
        """The turn that was typed before it, or 0: between the two lies the work that it is about."""
        typed = [turn for turn in range(self.turn) if self.session.turns[turn].origin is Origin.USER]
        return typed[-1] if typed else 0


class Request(NamedTuple):
    """A request that something was said or done about: its turn, and its words to ask again; "" if it has none."""

    turn: int
    prompt: str = ""
    earlier: tuple[int, ...] = ()


def signs_of(quotes: Sequence[str], sessions: Sequence[Session], numbered: Sequence[Deed]) -> list[LessonSign]:
    """Return every place where the person said or did what these quotes hold, in order of time."""
    signs: dict[LessonSign, None] = {}
    for quote in quotes[:MOST_SIGNS]:
        deed = deed_of(quote, numbered)
        if deed is not None:
            (session,) = (one for one in sessions if one.id == deed.session)
            # A request that is asked again is no answer to itself.
            signs[LessonSign(session, deed.turn - (deed.kind is DeedKind.ASKED_AGAIN), deed=deed)] = None
            continue
        signs |= dict.fromkeys(places_of(quote, sessions))
    return sorted(list(signs)[:MOST_SIGNS], key=lambda sign: (sign.session.started, sign.turn))


def wishes_in(signs: Iterable[LessonSign]) -> Wishes:
    """Return the words of all these signs, by the session and the turn that they were said in."""
    wishes: Wishes = {}
    for sign in signs:
        if sign.words:
            wishes.setdefault((sign.session.id, sign.turn), []).append(sign.words)
    return wishes


def places_of(quote: str, sessions: Sequence[Session]) -> list[LessonSign]:
    """Return where the person typed the quote, without regard to case, blanks and marks, as whole sentences.

    Words that stand in several turns are said where they are nearly the whole sentence, else where they are most of
    one.
    """
    sought, _ = _plain(quote.removeprefix(LABEL))  # a small model copies it along
    shares: dict[LessonSign, float] = {}
    for session in sessions:
        for turn in range(len(session.turns)):
            typed = own_turn(session, turn)
            part = _part_of(typed, sought)
            if part:
                words = whole_sentences(typed, part)
                shares[LessonSign(session, turn, words)] = len(sought) / len(_plain(words)[0])
    least = min(WHOLE, max(shares.values(), default=WHOLE))
    return [sign for sign, share in shares.items() if share >= least]


def deed_of(quote: str, numbered: Sequence[Deed]) -> Deed | None:
    """Return the deed whose mark the quote is, such as "D3", or whose command; None if there is none."""
    mark = _MARK.fullmatch(quote)
    if mark and 0 < int(mark[1]) <= len(numbered):
        return numbered[int(mark[1]) - 1]
    plain, _ = _plain(quote)
    typed = (deed for deed in numbered if deed.kind in TYPED)
    return next((deed for deed in typed if plain and _plain(deed.what)[0] == plain), None)


def request_of(session: Session, turn: int, wishes: Wishes) -> Request:
    """Return the request that something said in a turn, or done after it, is about.

    `wishes` are what no answer may be told: they are left out of what is asked again. A turn in which nothing else is
    asked belongs to the request before it. One that only sounds like an amendment, and that nobody quotes as a wish,
    is a request.
    """
    asked: list[int] = []
    for index, take in takes(session):
        if index > turn:
            break
        is_quoted = index == turn or (session.id, index) in wishes
        if take is Take.REQUEST or (take is Take.CORRECTION and not is_quoted and _only_amends(session, index)):
            asked.append(index)
    for at in range(len(asked) - 1, -1, -1):
        said = wishes.get((session.id, asked[at]), ())
        prompt = _without(own_turn(session, asked[at]), said, fewest=FEWEST_LATER if at else FEWEST)
        if prompt:
            return Request(asked[at], prompt, tuple(asked[:at]))
    return Request(asked[-1] if asked else turn)


def _only_amends(session: Session, turn: int) -> bool:
    """Tell whether what was typed in a turn sounds like an amendment, but takes nothing back and states no rule."""
    words = own_turn(session, turn)
    return is_correction(words) and not (takes_back(words) or states_rule(words))


def _without(words: str, said: Sequence[str], *, fewest: int) -> str:
    """Return the words without the sentences that were said; "" if the rest asks for nothing, in so many words."""
    if not said:
        return words
    wishes = {sentence for words_said in said for sentence in sentences(words_said)}
    left = [sentence for sentence in sentences(words) if sentence not in wishes]
    return " ".join(left) if any(_asks(sentence, fewest) for sentence in left) else ""


def _asks(sentence: str, fewest: int) -> bool:
    """Tell whether a sentence beside a wish asks for something; a few words, thanks, no or a lead-in don't."""
    is_short = sentence.isascii() and len(sentence.split()) < fewest
    is_no = takes_back(sentence) and len(sentence.split()) <= BARE
    return not (is_short or is_no or sentence.endswith(":") or is_small_talk(sentence))


def is_praise(session: Session, turn: int) -> bool:
    """Tell whether a turn opens with thanks and corrects nothing."""
    opening = _OPENING.match(own_turn(session, turn))
    return opening is not None and is_small_talk(opening[1]) and (turn, Take.CORRECTION) not in takes(session)


def _part_of(typed: str, sought: str) -> str:
    """Return the part of what was typed that reads like the sought words and begins and ends with a word, or ""."""
    plain, places = _plain(typed)
    at = plain.find(sought) if sought else -1
    while at >= 0:
        start, end = places[at], places[at + len(sought) - 1] + 1
        if not _is_inside_word(typed, start) and not _is_inside_word(typed, end):
            return typed[start:end]
        at = plain.find(sought, at + 1)
    return ""


def _is_inside_word(text: str, at: int) -> bool:
    """Tell whether a word of a script with blanks between words goes on here."""
    around = text[max(at - 1, 0) : at + 1]
    return 0 < at < len(text) and around.isalnum() and max(around) < "\u2e80"


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text as quotes are compared, with the place of each of its characters."""
    plain: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        if not _LEFT_OUT.match(char):
            folded = char.casefold()
            plain.append(folded)
            places += [at] * len(folded)
    return "".join(plain), places
