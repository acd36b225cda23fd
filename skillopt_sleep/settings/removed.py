"""List the keys of earlier versions and what replaced them, so that an old config.toml gets a clear error."""

REMOVED = {
    "target.program": "claude and codex are found in PATH, or by backend.program",
    "target.max_output_tokens": "backend.max_output_tokens holds for every model",
    "judge.program": "claude and codex are found in PATH, or by backend.program",
    "judge.max_output_tokens": "backend.max_output_tokens holds for every model",
    "mine.sessions_per_call": "it is always 5",
    "step.min_edit_budget": "it is always 1",
    "step.schedule_nights": "it is always 14",
    "step.minibatch": "it is always 6",
    "step.merge_batch": "it is always 4",
    "gate.mixed_weight": "it is always 0.5",
    "gate.removal_margin": "it is always 0.1",
    "gate.removal_alpha": "it is always 0.05",
    "bank.per_side": "it is always 14",
    "bank.similar": "it is always 2",
    "daemon.retry": "it is always 1h",
}
