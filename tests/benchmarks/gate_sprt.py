"""A paired sequential probability ratio test that knows the effect: what a trial must cost at least."""

import math
import random
from typing import NamedTuple

ALPHA, BETA = 0.05, 0.1


class Tested(NamedTuple):
    """Whether it was accepted, and the attempts of both arms."""

    accepted: bool
    calls: int


def paired_sprt(
    before: float, after: float, *, val: int, fresh: int, nights: int, rounds: int, draw: random.Random
) -> Tested:
    """Ask the tasks as a trial does, round by round and night by night; stop after a round as soon as it is clear.

    Only pairs whose arms differ tell something; if the edit does nothing, they favour either arm alike.
    """
    gains, losses = (1 - before) * after, before * (1 - after)
    favour = gains / (gains + losses)
    up, down = math.log(favour / 0.5), math.log((1 - favour) / 0.5)
    accept, reject = math.log((1 - BETA) / ALPHA), math.log(BETA / (1 - ALPHA))
    evidence, calls = 0.0, 0
    for night in range(nights):
        for _ in range(rounds):
            tasks = val + fresh * night
            calls += 2 * tasks
            for _ in range(tasks):
                old, new = draw.random() < before, draw.random() < after
                if old != new:
                    evidence += up if new else down
            if evidence >= accept:
                return Tested(True, calls)
            if evidence <= reject:
                return Tested(False, calls)
    return Tested(False, calls)
