"""Say in which settings several trainings differ."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from skillopt_sleep.trainer.manifest import Manifest, settings

_UNSET = "not set"
# The scores of two trainings can be compared only where these are the same.
_ALIKE: Mapping[str, str] = {
    "env": "environment",
    "code of env": "the environment's code",
    "dataset.val": "val items",
    "evaluation.metric": "metric",
    "evaluation.mixed_weight": "metric",
}


def settings_apart(manifests: Sequence[Manifest]) -> tuple[dict[str, str], ...]:
    """Return, for each training, its value of every setting in which not all of them agree.

    What changes no result, such as the folder or the limits, isn't a difference.
    """
    all_settings = [settings(manifest) for manifest in manifests]
    keys: set[str] = set()
    for one in all_settings:
        keys |= one.keys()
    apart = [key for key in sorted(keys) if len({one.get(key, _UNSET) for one in all_settings}) > 1]
    return tuple({key: one.get(key, _UNSET) for key in apart} for one in all_settings)


def unlike(keys: Iterable[str]) -> tuple[str, ...]:
    """Return, in words, what makes the scores of trainings that differ in these settings incomparable."""
    return tuple(dict.fromkeys(_ALIKE[key] for key in _ALIKE if key in set(keys)))


def uncommon(apart: Sequence[Mapping[str, str]]) -> tuple[dict[str, str], ...]:
    """Return, of each training's settings in which not all agree, those that less than most of them have."""
    counts = Counter(setting for one in apart for setting in one.items())
    return tuple({key: value for key, value in one.items() if 2 * counts[key, value] <= len(apart)} for one in apart)
