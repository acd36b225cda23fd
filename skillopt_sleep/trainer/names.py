"""What the keys of SkillOpt's research trainer and of skillrl 1.0.0 are called here."""

OURS = {
    "num_epochs": "train.epochs",
    "train_size": "train.items",
    "batch_size": "train.batch_size",
    "accumulation": "train.accumulation",
    "seed": "train.seed",
    "out_root": "train.folder",
    "workers": "train.workers",
    "minibatch_size": "gradient.minibatch",
    "merge_batch_size": "gradient.merge_batch",
    "analyst_workers": "gradient.workers",
    "failure_only": "gradient.failure_only",
    "use_skill_aware_reflection": "gradient.skill_aware",
    "skill_aware_appendix_source": "gradient.appendix_source",
    "skill_aware_consolidate_threshold": "gradient.consolidate_after",
    "learning_rate": "optimizer.edit_budget",
    "edit_budget": "optimizer.edit_budget",
    "min_learning_rate": "optimizer.min_edit_budget",
    "min_edit_budget": "optimizer.min_edit_budget",
    "lr_scheduler": "optimizer.schedule",
    "lr_control_mode": "optimizer.schedule",
    "skill_update_mode": "optimizer.mode",
    "use_slow_update": "optimizer.slow_update",
    "slow_update_samples": "optimizer.slow_samples",
    "slow_update_gate_with_selection": "optimizer.slow_gated",
    "longitudinal_pair_policy": "optimizer.slow_pairs",
    "use_meta_skill": "optimizer.meta_skill",
    "use_gate": "evaluation.gate",
    "gate_metric": "evaluation.metric",
    "gate_mixed_weight": "evaluation.mixed_weight",
    "sel_env_num": "evaluation.val_items",
    "test_env_num": "evaluation.test_items",
    "eval_test": "evaluation.test",
    "skill_init": "skill",
    "optimizer_max_completion_tokens": "backend.max_output_tokens",
}
WITHOUT = {
    "steps_per_epoch": "it follows from the items, train.batch_size and train.accumulation",
    "selection_split": "the names of the environment's files say which split they are",
    "test_split": "the names of the environment's files say which split they are",
    "save_every_step": "every step is always written",
    "verbose": "progress is shown on a terminal, and nowhere else",
    "max_analyst_rounds": "it never had an effect",
    "meta_learning_rate": "it never had an effect",
    "use_semantic_density": "it rewards words of command, not results",
    "semantic_density_weight": "it rewards words of command, not results",
    "semantic_density_leading_words": "it rewards words of command, not results",
}


REMEDIES = {theirs: f"it is called '{ours}' here" for theirs, ours in OURS.items()} | {
    theirs: f"leave it out: {why}" for theirs, why in WITHOUT.items()
}
