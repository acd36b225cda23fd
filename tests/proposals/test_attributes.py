import os
import struct
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import UnsafePath
from skillopt_sleep.proposals.attributes import attributes_of, give, whose
from tests.attributes import (
    ACCESS_LIST,
    STRANGER,
    access_list,
    as_stranger,
    decorate,
    needs_attributes,
    needs_root,
    open_to_strangers,
    seen,
)

# What a program may do that isn't root's, as the kernel takes it: an attribute that a person's root has set.
CAPABILITY = struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("old", "new"):
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path / "old", tmp_path / "new"


@needs_attributes
def test_what_one_file_has_another_gets_and_nothing_else(two: tuple[Path, Path]) -> None:
    old, new = two
    decorate(old)
    os.setxattr(new, "user.other", b"1")
    give(new, attributes_of(old), name=old)
    assert seen(new) == seen(old)
    assert attributes_of(new) == attributes_of(old)
    assert new.read_bytes() == b"new"


@needs_root
@needs_attributes
def test_owner_group_and_what_root_has_set_are_given_too(two: tuple[Path, Path]) -> None:
    old, new = two
    os.chown(old, 1234, STRANGER)
    old.chmod(0o2755)
    os.setxattr(old, "security.capability", CAPABILITY)
    give(new, attributes_of(old), name=old)
    assert seen(new) == seen(old)
    assert seen(new)[3]["security.capability"] == CAPABILITY


@needs_root
@needs_attributes
@pytest.mark.parametrize("name", ["security.selinux", "security.ima", "security.evm"])
def test_what_the_system_gives_by_itself_is_left_to_it(name: str, two: tuple[Path, Path]) -> None:
    old, new = two
    try:
        os.setxattr(old, name, b"\x01label")
    except OSError:
        pytest.skip(f"the kernel lets nobody set {name}")
    assert name not in attributes_of(old).extended
    give(new, attributes_of(old), name=old)
    assert name not in os.listxattr(new)


@needs_root
@needs_attributes
@pytest.mark.parametrize(
    ("lost", "what"),
    [
        ({"owner": 1}, "owner or group"),
        ({"group": 1}, "owner or group"),
        ({"extended": {"security.capability": CAPABILITY}}, "access list or extended attributes"),
        ({"extended": {"trusted.theirs": b"1"}}, "access list or extended attributes"),
    ],
)
def test_what_cant_be_given_is_refused_by_the_name_the_file_will_have(
    lost: dict[str, Any], what: str, tmp_path: Path
) -> None:
    open_to_strangers(tmp_path)

    def given() -> str:
        made = tmp_path / "made"
        made.write_bytes(b"")
        with pytest.raises(UnsafePath) as caught:
            give(made, attributes_of(made)._replace(**lost), name=tmp_path / "CLAUDE.md")
        assert caught.value.remedy
        return caught.value.message

    assert as_stranger(given) == f"{tmp_path / 'CLAUDE.md'}: its {what} can't be kept, so nothing was written"


def test_what_the_disk_refuses_is_no_question_of_whose_it_is(two: tuple[Path, Path]) -> None:
    asked = attributes_of(two[0])
    two[1].unlink()
    with pytest.raises(FileNotFoundError):
        give(two[1], asked, name=two[0])
    with pytest.raises(UnsafePath, match="can't be read"):
        attributes_of(two[1])


@needs_root
def test_a_file_of_another_user_or_group_is_known_before_anything_is_written(two: tuple[Path, Path]) -> None:
    theirs, groups = two
    open_to_strangers(theirs.parent)
    os.chown(groups, STRANGER, 1)
    assert whose(theirs) == whose(groups) == ""
    assert as_stranger(lambda: whose(theirs)) == "it belongs to another user, who would lose it"
    assert as_stranger(lambda: whose(groups)) == "it is of a group that you aren't in, which would lose it"
    os.chown(groups.parent, 0, 1)
    groups.parent.chmod(0o2777)
    assert as_stranger(lambda: whose(groups)) == ""  # the folder gives it that group
    os.chown(groups.parent, 0, 0)
    os.chown(groups, STRANGER, STRANGER)
    assert as_stranger(lambda: whose(groups)) == ""


@needs_attributes
def test_an_access_list_that_the_folder_gives_is_taken_off_again(two: tuple[Path, Path]) -> None:
    old, new = two
    plain = attributes_of(old)
    os.setxattr(new, ACCESS_LIST, access_list(STRANGER))
    give(new, plain, name=old)
    assert attributes_of(new) == plain
