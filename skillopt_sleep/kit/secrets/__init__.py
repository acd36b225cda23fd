"""Find secrets in text: one rule a file. `kit/redact.py` replaces what they find."""
