"""Give every trial a block of samples of its own, so that no two trials of a night share an attempt."""

import hashlib

from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES

# More rounds than a trial has in all its nights.
BLOCK = 50
_BLOCKS = CANDIDATE_SAMPLES // 2 // BLOCK  # the round after an acceptance has the samples above


def block(kind: str, before: str, after: str) -> int:
    """Return the first sample of the trial that compares these two texts.

    It depends on nothing but the trial itself: a night that is resumed draws the same samples.
    """
    digest = hashlib.blake2b(f"{kind}\0{before}\0{after}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) % _BLOCKS * BLOCK
