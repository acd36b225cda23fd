"""Say in which settings several trainings differ."""

from collections.abc import Sequence

from skillopt_sleep.trainer.manifest import Manifest, settings

_UNSET = "not set"


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
