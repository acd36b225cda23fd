"""Identify a run by its configuration, data, prompts and models, so that only the same run is resumed."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Record, Split
from skillopt_sleep.trainer.config import PRESETS, TrainerConfig
from skillopt_sleep.trainer.env import Item

REDACTED = "[redacted]"
_SECRET = re.compile(
    r"(?:^|[_-])(?:key|token|secret|password|passwd|passphrase|pwd|credential|bearer|cookie|dsn|auth|authorization)s?$"
    r"|^apikeys?$",
    re.IGNORECASE,
)
# These change how a run is executed, never its result.
_FREE = (
    "config.train.workers",
    "config.train.pool",
    "config.train.ray",
    "config.train.folder",
    "config.limits.",
    "config.backend.api_key_env",
    "config.backend.program",
    "config.target.api_key_env",
    "config.target.program",
    "config.backend.timeout",
    "config.backend.confirmed",
)


class Manifest(Record, frozen=True, kw_only=True):
    """The inputs of a run; digests are SHA-256."""

    config: dict[str, Any]
    env: str
    dataset: dict[str, str]
    initial_skill: str
    prompts: dict[str, str]
    models: dict[str, str]
    code: dict[str, str] = msgspec.field(default_factory=dict[str, str])


def manifest(
    config: TrainerConfig,
    *,
    env: str,
    items: Mapping[Split, Sequence[Item]],
    initial_skill: str,
    prompts: Mapping[str, str],
    models: Mapping[str, str],
    code: Mapping[str, str],
) -> Manifest:
    """Describe this run, without any secret; `code` are the sources of what its user wrote, by name."""
    dataset: dict[str, str] = {}
    for split, split_items in items.items():
        dataset[split.value] = digest_of(split_items)
    return Manifest(
        config=without_secrets(config),
        env=env,
        dataset=dataset,
        initial_skill=_sha(initial_skill.encode()),
        prompts={name: _sha(text.encode()) for name, text in sorted(prompts.items())},
        models=dict(models),
        code={name: _sha(text.encode()) for name, text in code.items()},
    )


def digest_of(items: Sequence[Item]) -> str:
    """Return the SHA-256 of the items of a split."""
    return _sha(to_json(list(items)))


def without_secrets(config: TrainerConfig) -> dict[str, Any]:
    """Redact what looks like a secret, and environment options whose names sound like one."""
    fields = cast("dict[str, Any]", map_strings(config, redact))
    fields["env"] = _redacted_by_name(fields["env"])
    return fields


def _redacted_by_name(value: Any) -> Any:
    """Redact every value whose key sounds like a secret, at any depth."""
    if isinstance(value, dict):
        fields: dict[str, Any] = {}
        for name, inner in cast("dict[str, Any]", value).items():
            fields[name] = REDACTED if _SECRET.search(name) else _redacted_by_name(inner)
        return fields
    if isinstance(value, list):
        return [_redacted_by_name(inner) for inner in cast("list[Any]", value)]
    return value


def settings(manifest: Manifest) -> dict[str, str]:
    """Return what a run was started with that can change its result, each key with its value in words."""
    return {
        key.removeprefix("config."): _short(value)
        for key, value in _flat(msgspec.to_builtins(manifest)).items()
        if not f"{key}:".startswith(_FREE)
    }


def conflicts(before: Manifest, now: Manifest) -> tuple[str, ...]:
    """List the differences that prevent a run from going on: those that change its result, except for more epochs."""
    old, new = settings(before), settings(now)
    if _epochs(now) > _epochs(before):
        old["train.epochs"] = new["train.epochs"]
    changed = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return tuple(f"{key}: {old.get(key, 'nothing')} → {new.get(key, 'nothing')}" for key in changed)


def _epochs(manifest: Manifest) -> int:
    config = manifest.config
    preset = PRESETS.get(config.get("preset", ""), PRESETS["default"])
    return config["train"]["epochs"] or preset.epochs


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {prefix.removesuffix("."): value}
    flat: dict[str, Any] = {}
    for key, inner in cast("dict[str, Any]", value).items():
        flat |= _flat(inner, f"{prefix}{key}.")
    return flat


def _short(value: Any) -> str:
    """Return a value in words, of a digest its beginning."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text[:12] if len(text) == hashlib.sha256().digest_size * 2 else text


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
