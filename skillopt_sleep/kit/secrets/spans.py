"""Merge spans, the places in a text that hold secrets."""

Span = tuple[int, int, str]
"""Where a secret starts, where it ends, and its kind, such as `github-token`."""


def merged(spans: list[Span]) -> list[Span]:
    """Return the spans in the order of the text, with those that overlap made one.

    Of several kinds that overlap, the one that was found first names the merged span: earlier rules know more.
    """
    result: list[Span] = []
    best_rank = 0
    for start, rank, end, kind in sorted((start, rank, end, kind) for rank, (start, end, kind) in enumerate(spans)):
        if not result or start >= result[-1][1]:
            result.append((start, end, kind))
            best_rank = rank
            continue
        first, last, known_kind = result[-1]
        if rank < best_rank:
            best_rank, known_kind = rank, kind
        result[-1] = (first, max(last, end), known_kind)
    return result
