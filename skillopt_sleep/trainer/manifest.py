"""What a run is: its configuration, data, prompts and models, so that another isn't taken for it."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Record, Split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.env import Item

REDACTED = "[redacted]"
_SECRET = re.compile(
    r"(?:^|[_-])(?:key|token|secret|password|passwd|passphrase|pwd|credential|bearer|cookie|dsn|auth|authorization)s?$"
    r"|^apikeys?$",
    re.IGNORECASE,
)
# These change how a run is done, never what comes of it.
_FREE = (
    "config.train.workers",
    "config.train.pool",
    "config.train.address",
    "config.train.folder",
    "config.gradient.workers",
    "config.limits.",
    *(f"config.{role}.{key}" for role in ("backend", "target") for key in ("api_key_env", "program")),
    "config.backend.timeout",
    "config.backend.confirmed",
)


class Manifest(Record, frozen=True, kw_only=True):
    """What a run was started with; digests are SHA-256."""

    config: dict[str, Any]
    env: str
    dataset: dict[str, str]
    initial_skill: str
    prompts: dict[str, str]
    models: dict[str, str]


def manifest(
    config: TrainerConfig,
    *,
    env: str,
    items: Mapping[Split, Sequence[Item]],
    initial_skill: str,
    prompts: Mapping[str, str],
    models: Mapping[str, str],
) -> Manifest:
    """What this run is; nothing in it is secret."""
    return Manifest(
        config=_without_secrets(config),
        env=env,
        dataset={split.value: _sha(to_json(list(some))) for split, some in items.items()},
        initial_skill=_sha(initial_skill.encode()),
        prompts={name: _sha(text.encode()) for name, text in sorted(prompts.items())},
        models=dict(models),
    )


def _without_secrets(config: TrainerConfig) -> dict[str, Any]:
    """The configuration without what looks like a secret, and without what an environment's option calls one."""
    told = cast("dict[str, Any]", map_strings(config, redact))
    return told | {"env": _named(told["env"])}


def _named(value: Any) -> Any:
    """The value without what stands under the name of a secret, however deep."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: REDACTED if _SECRET.search(name) else _named(inner) for name, inner in fields.items()}
    return [_named(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def differences(before: Manifest, now: Manifest) -> tuple[str, ...]:
    """What two runs were started with that isn't the same, each as `key: before → now`."""
    old, new = _flat(msgspec.to_builtins(before)), _flat(msgspec.to_builtins(now))
    return tuple(
        f"{key}: {_short(old.get(key))} → {_short(new.get(key))}"
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    )


def hindrances(before: Manifest, now: Manifest) -> tuple[str, ...]:
    """The differences with which a run can't go on; what changes no result is none, and neither are more epochs."""
    longer = now.config["train"]["epochs"] > before.config["train"]["epochs"]
    return tuple(
        told
        for told in differences(before, now)
        if not told.startswith(_FREE) and not (longer and told.startswith("config.train.epochs:"))
    )


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {prefix.removesuffix("."): value}
    found: dict[str, Any] = {}
    for key, inner in cast("dict[str, Any]", value).items():
        found |= _flat(inner, f"{prefix}{key}.")
    return found


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text[:12] if len(text) == hashlib.sha256().digest_size * 2 else text


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
