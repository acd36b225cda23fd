"""Score answers by the rules of public benchmarks: functions of the answer and the accepted answers.

None of them searches for an accepted answer inside a longer one: "I do not know" isn't "no".
"""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from rapidfuzz.distance import Levenshtein

ANLS_THRESHOLD = 0.5
SHOWN_ANSWERS = 3  # of the right ones, to the optimizer
SHOWN_CHARS = 300  # of each

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ANSWER = re.compile(r"<answer>((?:(?!<answer>).)*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_LABEL = re.compile(
    r"(?:(?:the )?(?:correct |final |best )?(?:answer|choice|option)(?: is)?:? ?)?\(?([a-z])\)?(?:[.:)](?: .*)?)?"
)

# One number with what may stand around it: `x = `, a currency, a sign, groups of thousands, and a unit.
_LEAD = r"(?:####|the (?:final )?answer is:?|(?:final )?answer:?|[a-z]\w* ?=|=)"
_CURRENCY = r"(?:us|(?:usd|eur|gbp) )?[$€£¥₹]?"
_DIGITS = r"(?:\d{1,3}(?:[, ]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
# What makes another number of the one before it is no unit.
_NO_OPERATION = r"(?! ?(?:[\^²³¹⁰⁴-⁹π√]|(?:pi|squared|cubed|factorial)\b))"
_UNIT = rf"{_NO_OPERATION}(?:[^\d]|(?<=[a-z^])[23](?!\d))*"
_ONE_NUMBER = re.compile(
    rf"(?:{_LEAD} ?)*(?P<sign>[-+]?) ?{_CURRENCY} ?(?P<inner>[-+]?)(?:(?P<whole>\d+) (?=\d+/))?(?P<number>{_DIGITS})"
    rf"(?:e(?P<power>[-+]?\d{{1,3}}))?(?:/(?P<below>\d+))?(?P<unit>{_UNIT})"
)
_WRAPPED = re.compile(r"\\boxed\{([^{}]*)\}|\\text\{([^{}]*)\}")
LONGEST_NUMBER = 200
_AROUND = "*_`(){}[] "
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}


def final_answer(reply: str) -> str:
    """Return the content of the last <answer> tag, closed or not; without a tag, the last line that isn't empty."""
    tagged = _ANSWER.findall(reply)
    if tagged:
        return str(tagged[-1]).strip()
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def normalized(text: str) -> str:
    """Lowercase a text and remove punctuation, articles and extra white space, in the order of SQuAD's own script.

    Rajpurkar et al. 2016, https://arxiv.org/abs/1606.05250.
    """
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())


def comparable(text: str) -> str:
    """Return the normalized text; of one that is an article alone, as the choice (A), that letter or word."""
    return normalized(text) or text.lower().translate(_NO_PUNCTUATION).strip()


def exact_match(answer: str, accepted: Sequence[str]) -> float:
    """Return 1 if the normalized answer equals a normalized accepted one, else 0."""
    return float(comparable(answer) in map(comparable, accepted))


def token_f1(answer: str, accepted: Sequence[str]) -> float:
    """Return the best word F1 with an accepted answer; a word counts as often as both contain it.

    If one of the two has no words, it is 1 if neither has any and 0 otherwise, as in SQuAD 2.0.
    """
    words = normalized(answer).split()
    best = 0.0
    for text in accepted:
        best = max(best, _f1(words, normalized(text).split()))
    return best


def _f1(answer: Sequence[str], wanted: Sequence[str]) -> float:
    if not answer or not wanted:
        return float(not answer and not wanted)
    shared = (Counter(answer) & Counter(wanted)).total()
    return 2 * shared / (len(answer) + len(wanted))


def why_wrong(answer: str, accepted: Sequence[str]) -> str:
    """Say what is wrong with an answer, not what is right; "" if it is right."""
    if exact_match(answer, accepted):
        return ""
    if not any(map(comparable, accepted)):
        return "it answers what the text does not say"
    return "the answer is wrong" if comparable(answer) else "it gives no answer, and the text has one"


def with_right_answer(why: str, accepted: Sequence[str]) -> str:
    """Add the right answer to why another one fell short: the optimizer is shown attempts at train items only."""
    texts = [repr(text[:SHOWN_CHARS]) for text in dict.fromkeys(accepted) if text][:SHOWN_ANSWERS]
    return f"{why}: the right answer was {' or '.join(texts)}" if why and texts else why


def same_numbers(answer: str, wanted: str) -> bool:
    """Return whether both have the same numbers in the same order; a comma between digits groups thousands."""
    return _numbers(answer) == _numbers(wanted)


def _numbers(text: str) -> list[float]:
    without_groups = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    return [float(number) for number in _NUMBER.findall(without_groups)]


def is_number(text: str) -> bool:
    """Return whether a text consists of one number, with what may stand around it."""
    return bool(_values(text))


def equal_numbers(answer: str, wanted: str) -> bool:
    """Return whether both texts are one number each, and the same.

    Groups of thousands, a currency, a percent sign and a unit don't count: 1,000 and $1000.00 and 1000 km are equal.
    15 thousand equals 15 and 15000, as either may be asked for; 15k equals 15000 only. 5! and 5² aren't one number.
    """
    return bool(_values(answer) & _values(wanted))


def _values(text: str) -> frozenset[Fraction]:
    """Return the values that a text may stand for, none if it isn't one number."""
    plain = _WRAPPED.sub(lambda found: found[1] or found[2] or "", text).replace("\u2212", "-")
    plain = " ".join(plain.replace("\\", "").lower().split()).lstrip(_AROUND).rstrip(f"{_AROUND}.")
    found = _ONE_NUMBER.fullmatch(plain) if len(plain) <= LONGEST_NUMBER else None
    if found is None or (found["below"] and not int(found["below"])) or (found["sign"] and found["inner"]):
        return frozenset()
    value = Fraction(re.sub(r"[, ]", "", found["number"])) * Fraction(10) ** int(found["power"] or 0)
    value = value / int(found["below"] or 1) + int(found["whole"] or 0)
    if "-" in (found["sign"], found["inner"]):
        value = -value
    if found["unit"].startswith("!") and plain[0].isdigit():
        return frozenset()  # a factorial; "The answer is 5!" is one number
    if re.match(r"k\b", found["unit"]):
        return frozenset({value * 1_000})
    unit = re.match(r"[^\w%]*([a-z]+)", found["unit"])
    scale = _SCALES.get(unit[1], 1) if unit else 1
    return frozenset({value, value * scale})


def anls(answer: str, accepted: Sequence[str], *, threshold: float = ANLS_THRESHOLD) -> float:
    """Return the best normalized Levenshtein similarity to an accepted answer, or 0 if it is below the threshold.

    Case and white space don't count. Biten et al. 2019, https://arxiv.org/abs/1907.00490; a similarity of exactly the
    threshold counts, as in the evaluation script of DocVQA.
    """
    answer = " ".join(answer.lower().split())
    best = 0.0
    for text in accepted:
        best = max(best, Levenshtein.normalized_similarity(answer, " ".join(text.lower().split())))
    return best if best >= threshold else 0.0


def chosen(answer: str, choices: Mapping[str, str]) -> str:
    """Return the label of the choice that an answer names, by its label or its text; "" if it names none.

    `choices` maps labels (one capital letter each) to their texts.
    """
    answer = " ".join(answer.split()).strip("*_`$ ")
    match = _LABEL.fullmatch(answer.lower())
    if match and match[1].upper() in choices:
        return match[1].upper()
    words = normalized(answer)
    if not words:
        return ""
    for label, text in choices.items():
        if normalized(text) == words:
            return label
    return ""
