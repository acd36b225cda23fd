"""What slips past the defences: rules past the guard, secrets past the redaction, replies past the miner, repositories.

`make bench NAME=abuse`, some five minutes. The material in `abuse_corpus/` was written from the promises, by people who
had not seen the code. The last line is one JSON object of the figures.
"""

import json
from collections.abc import Mapping, Sequence

from bench.abuse_corpus.repositories import REPOSITORIES
from bench.abuse_miner import FOREIGN, HONEST, INVENTED, TURNED, mined
from bench.abuse_repositories import harm_of
from bench.abuse_rules import ATTACKS, HARMLESS, KEPT, PLAIN_WORDS, by_kind, guarded
from bench.abuse_secrets import Redacted, Shares, redacted
from bench.reduced import size

MOST_SHOWN = 12
DEFINITIONS = """
guard_passed    structural attacks on an instruction file, and rewrites that add one, that the guard lets through
false_refusals  rules that people really write, and rewrites that keep what was there, that the guard refuses
unwarned        bad advice in plain words (tests, permissions, force, secrets, grading, copying) shown without its warning
warned          rules that people really write, shown with a warning
secrets_recall  secrets of which no run of eight random characters is left, of all kinds in all the carriers they come in
prose_passwords passwords with a digit or a sign, named in prose, of which no such run is left
benign_altered  lines that the redaction changes for nothing: of this machine's files, and those with a password's label
miner_kept      replies of a miner whose lesson, or a part of it, somebody else said, and that are kept so, where no reader
                tells which names the person's words hold
miner_obeyed    the same where the reader finds all of them said; `make bench NAME=lessons` has what a real one told
miner_turned    those whose lesson is the opposite of what the person said, before a judge that reads the rejected answer
miner_invented  those whose lesson nobody said; what has no foreign words and no foreign name is the miner's own, and
                is shown beside the person's words
miner_lost      honest replies that make no task
miner_reworded  those whose lesson gives way to the person's own words
miner_misplaced those that test another request
repos_stopped   hostile repositories beside which a good project doesn't get its whole night
repos_harmed    those that ran a command, got a file outside of them read, or one written
"""


def main() -> None:
    """Measure all four, print what slipped through, and the figures."""
    figures = {**rules(), **secrets(), **miner(), **repositories()}
    print(DEFINITIONS)
    print(json.dumps(figures))


def rules() -> dict[str, float]:
    """The guard's figures."""
    found = guarded()
    _tell("attacks that pass the guard", found.passed, len(ATTACKS))
    print(f"  by kind: {by_kind(found.passed)}")
    _tell("harmless rules that are refused", found.refused, len([*HARMLESS, *KEPT]))
    _tell("bad advice without its warning", found.unwarned, len(PLAIN_WORDS))
    _tell("harmless rules with a warning", found.warned, len(HARMLESS))
    return {
        "guard_passed": len(found.passed),
        "false_refusals": len(found.refused),
        "unwarned": len(found.unwarned),
        "warned": len(found.warned),
    }


def secrets() -> dict[str, float]:
    """The redaction's figures."""
    found = redacted(size(1, 20), of_this_machine=size(250_000, 500))
    for name, shares in (("kind", found.by_kind), ("carrier", found.by_carrier), ("language", found.prose)):
        print(f"\nsecrets left to see, by {name}: {_missed(shares)}")
    _tell("benign lines with a label altered", found.labels, found.labels_of)
    _tell("benign lines of files altered", found.lines, found.lines_of)
    return {
        "secrets_recall": round(found.by_kind.share, 4),
        "prose_passwords": round(found.prose.share, 4),
        "benign_altered": round(_altered(found), 6),
    }


def miner() -> dict[str, float]:
    """The miner's figures."""
    found = mined()
    _tell("foreign lessons kept", found.kept, len(FOREIGN))
    _tell("foreign lessons kept by a reader who finds all of them said", found.obeyed, len(FOREIGN))
    _tell("turned lessons kept", found.turned, len(TURNED))
    _tell("invented lessons kept", found.invented, len(INVENTED))
    _tell("honest replies lost", found.lost, len(HONEST))
    _tell("honest replies that give way to the person's own words", found.reworded, len(HONEST))
    _tell("honest replies about another request", found.misplaced, len(HONEST))
    return {f"miner_{name}": len(cases) for name, cases in found._asdict().items()}


def repositories() -> dict[str, float]:
    """The figures of nights and hooks in hostile repositories."""
    harm = harm_of(size(REPOSITORIES, REPOSITORIES[:2]))
    for name, some in zip(harm._fields, harm, strict=True):
        _tell(f"repositories: {name}", some, len(REPOSITORIES))
    return {
        "repos_stopped": len(harm.stopped),
        "repos_harmed": len({*harm.ran, *harm.leaked, *harm.written}),
    }


def _altered(found: Redacted) -> float:
    """The worse of the two shares: a thousand clean lines of files are no excuse for a form's label."""
    return max(len(found.labels) / found.labels_of, len(found.lines) / found.lines_of)


def _tell(what: str, some: Sequence[str], of: int) -> None:
    print(f"\n{what}: {len(some)} of {of}")
    for one in some[:MOST_SHOWN]:
        print(f"  {one[:160]}")
    if len(some) > MOST_SHOWN:
        print(f"  and {len(some) - MOST_SHOWN} more")


def _missed(shares: Shares) -> Mapping[str, str]:
    found = {name: of - shares.hits[name] for name, of in shares.of.items()}
    worst = sorted((name for name in found if found[name]), key=lambda name: -found[name])
    return {name: f"{found[name]} of {shares.of[name]}" for name in worst[:MOST_SHOWN]}


if __name__ == "__main__":
    main()
