"""Complete the words of a command line in the shell: ids of proposals and nights, and keys of the settings.

The shell asks after every key, so this reads the store without opening it for writing, and never fails.
"""

from collections.abc import Iterator

from skillopt_sleep.settings import find_paths, known_keys


def proposal_ids(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the proposals whose ids begin so, each with its summary; waiting ones come first."""
    from skillopt_sleep.stores.glance import proposals

    for name, summary in proposals(find_paths().database):
        if name.startswith(incomplete.upper()):
            yield name, summary


def night_ids(incomplete: str) -> Iterator[str]:
    """Yield the nights whose ids begin so, newest first."""
    from skillopt_sleep.stores.glance import nights

    for name in nights(find_paths().database):
        if name.startswith(incomplete):
            yield name


def setting_keys(incomplete: str) -> Iterator[str]:
    """Yield the settings that begin so, as `section.key`."""
    for key in known_keys():
        if key.startswith(incomplete):
            yield key
