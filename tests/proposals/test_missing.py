from pathlib import Path

import pytest

from skillopt_sleep.proposals import missing as module
from skillopt_sleep.proposals.missing import missing


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "package.json": '{"scripts": {"test": "vitest"}}',
        "web/package.json": '{"scripts": {"web:dev": "vite"}}',
        "Makefile": "include_dir := x\n.PHONY: test\ntest check: deps\n\tpytest\n",
        "src/api/routes.ts": "",
        "docs/README.md": "",
        "node_modules/left/pad.js": "",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("rule", "thing"),
    [
        ("Run `npm run lint` before you are done.", "`npm run lint`: no package.json has a script lint"),
        ("Then run `pnpm run e2e:ci --watch`.", "`pnpm run e2e:ci --watch`: no package.json has a script e2e:ci"),
        ("Before a release `make lint` passes.", "`make lint`: the Makefile has no target lint"),
        ("Routes are in `src/api/router.ts`.", "`src/api/router.ts`: there is no such file in the project"),
        ("Run `./scripts/check.sh` first.", "`./scripts/check.sh`: there is no such file in the project"),
        ("Read `CONTRIBUTING.md` first.", "`CONTRIBUTING.md`: there is no such file in the project"),
    ],
)
def test_what_a_rule_tells_to_use_and_the_project_lacks_is_told(project: Path, rule: str, thing: str) -> None:
    assert missing(rule, project) == (thing,)


@pytest.mark.parametrize(
    "rule",
    [
        "Run `npm run test`, then `yarn run web:dev`.",
        "Run `make test` and `make check`.",
        "Run `make docs`, which is a folder.",
        "Routes are in `src/api/routes.ts`, also as `api/routes.ts:12`, and `docs/readme.md`.",
        "Never touch `dist/app.min.js`.",
        "Don't run `npm run lint`.",
        "Write the notes into `docs/releases/next.md`.",
        "Create `scripts/release.sh`.",
        "If there is a `Makefile`, read `docs/make.md`.",
        "One component per file: `UserCard.tsx` next to its test.",
        "Branch off `origin/main`, install `@scope/pkg/deep.js`.",
        "Look at `src/*/index.ts`, `<name>.test.ts`, `$HOME/x.sh`, `~/notes.md`, `/etc/hosts.txt`, `../other/x.py`.",
        "See `https://example.org/x.md`.",
        "Use `pnpm install`, `ruff check` and `terraform plan`.",
        "Use no tool at all.",
    ],
)
def test_what_is_there_or_isnt_sure_is_not(project: Path, rule: str) -> None:
    assert missing(rule, project) == ()


def test_what_the_document_or_the_person_named_already_is_not(project: Path) -> None:
    assert missing("Run `make lint`.", project, held="We run `make lint`.") == ()


def test_a_project_that_can_not_be_seen_as_a_whole_lacks_nothing(project: Path, tmp_path: Path) -> None:
    assert missing("Run `make lint`.", tmp_path / "gone") == ()
    for number in range(30):
        folder = project / "many" / str(number)
        folder.mkdir(parents=True)
        for name in range(700):
            (folder / str(name)).touch()
    assert module.MOST_FILES < 30 * 700
    assert missing("Run `make lint`.", project) == ()


@pytest.mark.parametrize("text", ["include rules.mk\n", "%.o: %.c\n\tcc\n", "$(NAME): x\n\tcc\n"])
def test_a_makefile_that_says_not_all_its_targets_lacks_none(project: Path, text: str) -> None:
    (project / "Makefile").write_text(text, encoding="utf-8")
    assert missing("Run `make lint`.", project) == ()


def test_scripts_that_can_not_be_read_or_that_nobody_wrote_are_not_missing(project: Path) -> None:
    (project / "web" / "package.json").write_text("{", encoding="utf-8")
    assert missing("Run `npm run lint`.", project) == ()
    (project / "web" / "package.json").unlink()
    (project / "package.json").unlink()
    assert missing("Run `npm run lint`.", project) == ()
