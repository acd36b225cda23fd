"""Whether a sentence forbids what it names: "never use sudo", "`--no-verify` is forbidden", "ask before you …"."""

import re

_CLAUSE = re.compile(r"[;:!?。；：！？\n]|[.,，](?=\s)")
_REACH = 90
_NOT = (
    r"(?<!\w)(?:never(?: ever)?|don'?t(?: ever)?|do not(?: ever)?|must not|mustn'?t|shall not|should not|shouldn'?t|may not"
    r"|cannot|can'?t|can not|avoid|without|instead of|rather than|over|no|not|nor|forbid|ban|prohibit|disallow|refuse"
    r"|nie|niemals|nicht|kein|keine|keinen|ohne|statt|anstatt|jamais|ne|pas|sans|nunca|jamás|sin|não|nao|sem"
    r"|никогда|не|без|нельзя)(?!\w)"
    r"|不要|别|別|禁止|切勿|不得|不能|勿|請勿|决不|決して|绝不"
)
_FILLERS = (
    r"(?:\s|\(|\x1c|\x1d|(?<!\w)(?:use|using|run|running|call|calling|pass|passing|add|adding|set|setting|give|grant|execute"
    r"|executing|invoke|invoking|do|type|pipe|piping|suggest|recommend|commit|push|install|installing|need|needs|require"
    r"|requires|one|anyone|you|we|the|a|an|any|anything|to|by|via|with|it|things|for|in|ever|again|git|npm|pnpm|yarn|bun"
    r"|uv|docker|codex|claude|chmod|flag|option|command|commands|like|such|as|directly|globally|hand|output|of|merge|rebase|bypass"
    r"|benutze|benutzen|verwende|verwenden|nutze|nutzen|führe|mit|das|die|den|der|utilise|utilisez|utiliser|lance|avec|le|la"
    r"|les|uses|usar|use|ejecutes|con|el|com|o|используй|используйте|запускай|с)(?!\w)|使用|运行|執行|执行|用|跑|を|に)*"
)
_FORBIDS = re.compile(rf"(?:{_NOT}){_FILLERS}$", re.IGNORECASE)
_NEGATIONS = re.compile(_NOT, re.IGNORECASE)
_ASKS = re.compile(
    r"(?<!\w)(?:ask|check with|confirm with|get (?:my|approval|permission|confirmation)|frag|frage|demande|pregunta|спроси)\b"
    r"[^;!?\n]{0,60}\b(?:before|first|prior to|bevor|vor|avant|antes|прежде)\b[^;!?\n]{0,50}$",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"[\s\x1c\x1d)\"'`]*(?:\S+\s+){0,3}?(?:is|are|ist|sind|est|sont|es|son|é|são)\s+(?:strictly\s+|always\s+)?"
    r"(?:never\s+(?:ok|okay|allowed|used|acceptable|fine|needed)|forbidden|banned|prohibited|disallowed|off[- ]limits"
    r"|not\s+(?:allowed|ok|okay|permitted|acceptable|needed)|verboten|nicht\s+erlaubt|interdit\w*|prohibid\w*|proibid\w*"
    r"|запрещен\w*)\b|[\s\x1c\x1d]*(?:запрещено|禁止)",
    re.IGNORECASE,
)


def is_forbidden(text: str, start: int, end: int) -> bool:
    """Whether the words around this piece of the text forbid it, or ask the person first.

    The word that forbids must reach it through words of use alone: "never forget to run X" forbids nothing of X.
    """
    near = text[max(0, start - _REACH) : start]
    clause = _CLAUSE.split(near)[-1]
    negations = len(_NEGATIONS.findall(clause))
    if negations == 1 and _FORBIDS.search(clause):
        return True
    if not negations and _ASKS.search(clause):
        return True
    return not negations and bool(_FORBIDDEN.match(text, end))
