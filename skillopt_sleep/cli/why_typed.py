"""Find what was typed in the indexed sessions, and say why no lesson came of it."""

from skillopt_sleep.deciding.why import NAME_IT, Absence
from skillopt_sleep.kit.likeness import LIKE, likeness
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.forks import EarlierTurns
from skillopt_sleep.mining.requests import Take, takes
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.night.account import WORDS
from skillopt_sleep.night.reading import RULES
from skillopt_sleep.records import Evidence, IndexedSession, Origin, Session
from skillopt_sleep.stores.index import SqliteIndex

BATCH = 100  # sessions decoded at once
TYPED_CHARS = 2_000  # of what was typed at once: more is mostly pasted
QUOTE_CHARS = 300
_PASTED = "it stood in a text you pasted, and no rule comes of pasted text"
IN_YOUR_WORDS = "if you want it, say it in a session in words of your own"
_TAKEN_FOR = {
    Take.REQUEST: "it was taken for a request, not for a correction of the answer before",
    Take.SMALL_TALK: "it was taken for small talk",
    Take.CORRECTION: "it was taken for a correction, and no report says what became of it",
}


def typed_like(asked: str, index: SqliteIndex, *, unfinished: str = "") -> Absence | None:
    """Return the typed words most like these, and why no lesson came of them; of equals the newest, but no copy.

    A night that is `unfinished` may be reading what no other night has read.
    """
    held = sorted(index.held(RULES, unread=False), key=lambda one: one.heard.started if one.heard else one.line.ended)
    said = EarlierTurns()
    best: tuple[IndexedSession, Session, int] | None = None
    nearest = LIKE
    for start in range(0, len(held), BATCH):
        some = held[start : start + BATCH]
        for one, session in zip(some, index.sessions([entry.line.id for entry in some]), strict=True):
            copied = said.copied(session)
            said.add(session)
            for number, turn in enumerate(session.turns):
                is_own = turn.origin is Origin.USER and number not in copied
                near = likeness(asked, turn.text[:TYPED_CHARS]) if is_own else 0.0
                # The newest come last.
                if near > LIKE and near >= nearest:
                    best, nearest = (one, session, number), near
    return _typed(*best, asked, unfinished) if best else None


def _typed(held: IndexedSession, session: Session, number: int, asked: str, unfinished: str) -> Absence:
    turn = session.turns[number]
    at = turn.at or session.started
    words = Evidence(session=session.id, turn=number, quote=one_line(turn.text, limit=QUOTE_CHARS), at=at)
    why = f"skillopt-sleep harvest --why {session.id}"
    pasted = likeness(asked, own_words(turn.text[:TYPED_CHARS], turn.pasted)) <= LIKE
    if pasted:
        because, remedy = _PASTED, f"{IN_YOUR_WORDS}; see also: {why}"
    elif held.line.left_out is not None:
        because, remedy = f"its session is left out: {WORDS[held.line.left_out]}", f"see: {why}"
    elif held.night:
        take = dict(takes(session))[number]
        because = f"night {held.night} read it: {_TAKEN_FOR[take]}"
        remedy = f"{'nothing' if take is Take.SMALL_TALK else NAME_IT}; see also: {why}"
    elif unfinished:
        because = f"night {unfinished} isn't over, and may have read it: what came of it is known when it is over"
        remedy = f"how far it is: skillopt-sleep status; or see: {why}"
    else:
        because, remedy = "no night has read its session yet", f"run a night: skillopt-sleep run; or see: {why}"
    return Absence(said=(words,), end="typed", because=because, next=remedy, pasted=pasted)
