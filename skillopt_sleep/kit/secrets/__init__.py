"""Find secrets in text, beginning at `find.py`. `kit/redact.py` replaces what is found."""

Span = tuple[int, int, str]
"""Where a secret starts, where it ends, and its kind, such as `github-token`."""
