"""The cells of the gate's benchmark: which worlds, of what size. Nothing here is tuned to what the gate scores."""

import math
import random

from tests.benchmarks.gate_nights import Cell
from tests.benchmarks.gate_worlds import Effect, Kind, Rule, Sight, Target

SIZES = (2, 4, 7, 14)
HURT = 0.6  # what the mixed edit takes from the learned lesson: .9 -> .3
JITTER = 1.0
WORDS = {
    "first": "- Use pnpm for packages, never npm.",
    "second": "- Keep a calm and friendly tone towards the reader.",
    "third": "- Think about the weather of the day before you begin.",
    "fourth": "- Numbers below twelve are better written out in full.",
}


def adding(gain: float) -> Effect:
    """Add so much to the edit's own tasks and nothing to others."""

    def effect(draw: random.Random, kind: Kind, base: float) -> float:
        return gain if kind == "own" else 0.0

    return effect


def everywhere(gain: float) -> Effect:
    """Add so much to every task."""
    return lambda draw, kind, base: gain


def jitter(sd: float) -> Effect:
    """Move each task's logit by chance: better here, worse there."""

    def effect(draw: random.Random, kind: Kind, base: float) -> float:
        logit = math.log(base / (1 - base)) + draw.gauss(0, sd)
        return 1 / (1 + math.exp(-logit)) - base

    return effect


def tossed(by: float) -> Effect:
    """Add or take so much, by the toss of a coin for each task."""
    return lambda draw, kind, base: draw.choice((by, -by))


def mixed(gain: float, loss: float) -> Effect:
    """Help the edit's own lesson and hurt one that was learned before."""

    def effect(draw: random.Random, kind: Kind, base: float) -> float:
        return {"own": gain, "learned": -loss, "other": 0.0}[kind]

    return effect


def _rules(*effects: Effect) -> tuple[Rule, ...]:
    named = zip(WORDS.items(), effects, strict=False)
    return tuple(Rule(name, words, effect) for (name, words), effect in named)


NOTHING = everywhere(0.0)
USELESS = _rules(NOTHING)
BUNDLE = _rules(NOTHING, NOTHING, NOTHING)
DECISIVE = _rules(adding(0.9))
USEFUL = adding(0.7)  # .2 -> .9
NULL = "useless"


def _null(name: str, sizes: tuple[int, ...], **fields: object) -> list[Cell]:
    values: dict[str, object] = {"rules": USELESS} | fields
    return [Cell(NULL, name, size, **values) for size in sizes]  # pyright: ignore[reportArgumentType]


def _null_cells() -> list[Cell]:
    cells = [
        *_null("a coin", SIZES),
        *_null("base .2", (7,), base=0.2),
        *_null("base .8", (7,), base=0.8),
        *_null("three nights, +2 val", (4, 7), nights=3, fresh=2),
        *_null("graded", (7,), target=Target(graded=True)),
        *_null("bundle of 3", (4, 7, 14), rules=BUNDLE),
    ]
    for documents in (2, 3, 5):
        cells += _null(f"{documents} documents", (4,), documents=documents)
    for what in ("prompt", "request"):
        repeating = Target(repeats=what)
        cells += _null(f"repeats by {what}", SIZES, target=repeating)
        cells += _null(f"repeats by {what}, bundle", (7,), target=repeating, rules=BUNDLE)
        cells += _null(f"repeats by {what}, three nights", (4,), target=repeating, nights=3, fresh=2)
    for share in (0.2, 0.5):
        cells += _null(f"repeats, {share:.0%} rerolled", (14,), target=Target(repeats="request", rerolled=share))
    for shared in (0.25, 0.64, 1.0):
        cells += _null(f"shared luck {shared:g}, 2 sessions", (4, 7), sessions=2, target=Target(shared=shared))
    cells += _null("shared luck 0.64, 5 sessions", (14,), sessions=5, target=Target(shared=0.64))
    for lost in (0.3, 0.6):
        cells += _null(f"failures time out {lost:g}", (4, 7), target=Target(lost=(0.0, lost)))
    cells += _null("time out in both arms .6", (7,), target=Target(lost=(0.6, 0.6)))
    cells += _null("outages .3", (7,), target=Target(outage=0.3))
    for jump in (0.1, 0.3, -0.3):
        for when in ("any time", "at the parts"):
            target = Target(jump=jump, jumps=when)
            cells += _null(f"target {jump:+g} {when}, bundle", (7, 14), rules=BUNDLE, target=target)
    cells += _null("judge noisy by batch", (4, 7, 14), sight=Sight(batch=0.3))
    cells += _null("judge likes the last", (7,), sight=Sight(batch=0.1, place=0.4))
    return cells


def _uneven_cells() -> list[Cell]:
    cells: list[Cell] = []
    for size in (4, 7, 14):
        cells += [
            Cell("uneven", "logit jitter 1", size, _rules(jitter(JITTER))),
            Cell("uneven", "±.3", size, _rules(tossed(0.3))),
        ]
    # Curves: what an edit without meaning does to a model that isn't moved by wording alone, and beyond the goal.
    cells += [Cell("uneven curve", f"logit jitter {sd:g}", 7, _rules(jitter(sd))) for sd in (0.5, 1.5)]
    return [*cells, Cell("uneven curve", "±.5", 7, _rules(tossed(0.5)))]


def _bundle_cells() -> list[Cell]:
    cells: list[Cell] = []
    for size in (2, 4, 7, 14):
        for riders in (1, 2):
            rules = _rules(USEFUL, *[NOTHING] * riders)
            group = "riders" if size in {4, 7} else "riders curve"
            cells.append(Cell(group, f"{riders} with .2 -> .9", size, rules, base=0.2))
    for size in (4, 7, 14):
        rules = _rules(adding(0.45), adding(0.25), NOTHING)
        cells.append(Cell("second", ".45 and .25 with a rider", size, rules, base=0.2))
    return cells


def _harm_cells() -> list[Cell]:
    cells: list[Cell] = []
    for size in (4, 7):
        rules = _rules(mixed(0.7, HURT))
        cells.append(Cell("mixed", "a learned lesson .9 -> .3", size, rules, base=0.2, learned=3))
        cells.append(Cell("mixed", "the same at +.4", size, _rules(mixed(0.4, HURT)), base=0.2, learned=3))
    for loss in (0.15, 0.3, 0.45):
        rules = _rules(mixed(0.7, loss))
        cells.append(Cell("mixed curve", f"a learned lesson -{loss:g}", 7, rules, base=0.2, learned=3))
    for size in SIZES:
        cells.append(Cell("harmful", "-15", size, _rules(everywhere(-0.15)), weight=3))
    cells += [
        Cell("harmful", "-15, three nights", size, _rules(everywhere(-0.15)), nights=3, fresh=2, weight=2)
        for size in (4, 7)
    ]
    return cells


def _power_cells() -> list[Cell]:
    cells: list[Cell] = []
    for size in (2, 4):
        cells += [
            Cell("decisive", "alone", size, DECISIVE, base=0.0),
            Cell("decisive .9", "bystanders at .9", size, DECISIVE, base=0.0, others=size, others_base=0.9),
            Cell("decisive .5", "bystanders at .5", size, DECISIVE, base=0.0, others=size, others_base=0.5),
            Cell("decisive 3", "three documents", size, DECISIVE, base=0.0, documents=3),
            Cell("decisive learned", "3 learned lessons", size, DECISIVE, base=0.0, learned=3),
        ]
    for size in SIZES:
        for gain in (0.15, 0.3, 0.5):
            rules = _rules(adding(gain))
            base = min(0.5, 0.9 - gain)
            group = "power 30" if gain == 0.3 else "power curve"
            cells.append(
                Cell(group, f"{base:g} +{gain:g}, three nights", size, rules, base, nights=3, fresh=2, again=False)
            )
        cells += [
            Cell("power curve", "0.5 +0.3, one night", size, _rules(adding(0.3))),
            Cell("power curve", "0.5 +0.3, proposed on all 3", size, _rules(adding(0.3)), nights=3, fresh=2),
            Cell(
                "power curve", "decisive, repeats by request", size, DECISIVE, 0.0, target=Target(repeats="request")
            ),
        ]
    for size in (4, 7, 14):
        rules = _rules(adding(0.2))
        cells.append(Cell("gain", "0.5 +0.2, three nights", size, rules, nights=3, fresh=2, again=False, weight=2))
        cells.append(Cell("gain curve", "0.2 +0.7", size, _rules(USEFUL), base=0.2))
    return cells


CELLS = (*_null_cells(), *_uneven_cells(), *_bundle_cells(), *_harm_cells(), *_power_cells())
