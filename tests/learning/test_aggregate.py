"""Patches become one: failures first, merged as a tree, near-equal edits joined without a call."""

import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.learning.aggregate import Aggregate, aggregate
from skillopt_sleep.records import Edit, EditOp, EditSource, Past, Patch, Prompt, Purpose
from tests.builders import a_document, a_past, a_patch, an_edit
from tests.fakes import Answer, Answers, FakeBackend, SerialPool, in_turn
from tests.nights import an_optimizer

WORDS = ("Use tabs.", "Name the ticket.", "Write tests first.", "Prefer sqlite.", "Avoid globals.", "Quote the log.")


def a_rule(number: int, source: EditSource = EditSource.FAILURE) -> Patch:
    return a_patch(an_edit(f"- {WORDS[number]}", tasks=(f"t{number}",), source=source), source=source)


def merged(*contents: str, **more: object) -> Answer:
    return {"edits": [{"op": "append", "content": content, **more} for content in contents]}


def run(
    *patches: Patch, reply: Answers | None = None, merge_batch: int = 4, past: Past | None = None
) -> tuple[Aggregate, list[Prompt]]:
    backend = FakeBackend() if reply is None else FakeBackend({Purpose.AGGREGATE: reply})
    result = aggregate(
        patches,
        optimizer=an_optimizer(backend, a_document("- Old."), past=past or Past()),
        merge_batch=merge_batch,
    )
    return result, backend.prompts


def contents(result: Aggregate) -> list[str]:
    return [edit.content for edit in result.patch.edits]


def test_a_single_patch_needs_no_call() -> None:
    result, prompts = run(a_rule(0))

    assert (result.patch, prompts) == (a_rule(0), [])


def test_nothing_becomes_nothing() -> None:
    assert run()[0] == Aggregate()
    assert run(Patch(), Patch())[0] == Aggregate()


def test_patches_without_edits_are_left_out() -> None:
    result, prompts = run(Patch(source=EditSource.SUCCESS), a_rule(0), Patch())

    assert (contents(result), prompts) == (["- Use tabs."], [])


def test_two_patches_are_merged_in_one_call() -> None:
    result, prompts = run(a_rule(0), a_rule(1), reply=merged("- Use tabs and name the ticket."))

    assert contents(result) == ["- Use tabs and name the ticket."]
    assert len(prompts) == 1
    assert all(words in prompts[0].text for words in (*WORDS[:2], "- Old."))


@pytest.mark.parametrize(
    ("fields", "tasks"),
    [
        ({"content": f"- {WORDS[1]}"}, ("t1",)),
        ({"content": f"- Please {WORDS[0]}"}, ("t0",)),
        ({"content": "- Other.", "proposals": [2, 9]}, ("t1",)),
        ({"content": f"- {WORDS[2]}", "proposals": [1]}, ("t2",)),
        ({"content": "- Other.", "proposals": [0, -1]}, ()),
    ],
)
def test_a_merged_edit_keeps_the_tasks_of_the_edits_it_came_from(
    fields: dict[str, object], tasks: tuple[str, ...]
) -> None:
    both = a_patch(*a_rule(0).edits, *a_rule(2).edits)

    (edit,) = run(both, a_rule(1), reply={"edits": [{"op": "append", **fields}]})[0].patch.edits

    assert (edit.tasks, edit.support, edit.source) == (tasks, 1, EditSource.FAILURE)


def test_the_optimizer_is_shown_what_was_tried_before_and_its_notes() -> None:
    past = a_past(refused=(an_edit("- Not this one."),), notes="Short rules win.")

    _, (prompt,) = run(a_rule(0), a_rule(1), reply=merged("- Both."), past=past)

    assert "the user refused it: - Not this one." in prompt.text
    assert "Short rules win." in prompt.text


def test_many_patches_are_merged_as_a_tree() -> None:
    reply = in_turn(merged("- Left one."), merged("- Right two."), merged("- At last three."))

    result, prompts = run(*(a_rule(i) for i in range(6)), reply=reply, merge_batch=3)

    assert contents(result) == ["- At last three."]
    assert [[words in prompt.text for words in WORDS] for prompt in prompts[:2]] == [
        [True, True, True, False, False, False],
        [False, False, False, True, True, True],
    ]
    assert "- Left one." in prompts[2].text
    assert "- Right two." in prompts[2].text


@pytest.mark.parametrize(("count", "batch", "calls"), [(4, 4, 1), (5, 4, 2), (6, 2, 5), (3, 2, 2)])
def test_a_tree_takes_as_many_calls_as_it_has_joints(count: int, batch: int, calls: int) -> None:
    number = iter(range(100))
    _, prompts = run(
        *(a_rule(i) for i in range(count)),
        reply=lambda _: merged(f"- {next(number)} {'x' * 9}", f"- {next(number)}"),
        merge_batch=batch,
    )

    assert len(prompts) == calls


def test_what_was_learned_from_failures_comes_first() -> None:
    _, prompts = run(a_rule(1, EditSource.SUCCESS), a_rule(2), reply=merged("- One."))

    text = prompts[0].text
    assert text.index(WORDS[2]) < text.index(WORDS[1])


def test_failures_and_successes_are_merged_apart_and_then_with_each_other() -> None:
    sources = (EditSource.SUCCESS, EditSource.FAILURE, EditSource.SUCCESS, EditSource.FAILURE)
    replies = {"success": ("- S one.", "- S two."), "failure": ("- F one.", "- F two.")}

    def reply(prompt: Prompt) -> Answer:
        apart = [source for source in replies if f"({source}, " in prompt.text]
        return merged(*(replies[apart[0]] if len(apart) == 1 else ("- F one.", "- S two.", "- New.")))

    result, prompts = run(*(a_rule(n, source) for n, source in enumerate(sources)), reply=reply)

    assert len(prompts) == 3
    assert [(edit.content, edit.source) for edit in result.patch.edits] == [
        ("- F one.", EditSource.FAILURE),
        ("- S two.", EditSource.SUCCESS),
        ("- New.", EditSource.FAILURE),
    ]


def test_the_sides_are_merged_side_by_side_in_rounds_of_one_pool() -> None:
    pool = SerialPool()
    number = iter(range(100))
    backend = FakeBackend({Purpose.AGGREGATE: lambda _: merged(f"- {next(number)} {'x' * 9}", f"- {next(number)}")})
    sides = [a_rule(n) for n in range(3)] + [a_rule(n, EditSource.SUCCESS) for n in range(3, 5)]
    aggregate(sides, optimizer=an_optimizer(backend, pool=pool), merge_batch=2)

    assert len(pool.labels) == 3  # both sides, the longer one once more, the two with each other
    assert len(backend.prompts) == 4


def test_a_side_that_merges_to_nothing_leaves_the_other_as_it_is() -> None:
    sources = (EditSource.SUCCESS, EditSource.SUCCESS, EditSource.FAILURE)
    result, prompts = run(*(a_rule(n, source) for n, source in enumerate(sources)), reply={"edits": []})

    assert (contents(result), len(prompts)) == (["- Write tests first."], 1)


def test_a_merged_patch_counts_as_learned_from_its_first_source() -> None:
    result, _ = run(a_rule(0, EditSource.SUCCESS), a_rule(1), reply=merged("- One."))

    assert result.patch.source is EditSource.FAILURE


def test_near_equal_edits_become_one_without_a_call() -> None:
    one = a_patch(an_edit("- Use pnpm, never npm.", tasks=("t1",)))
    other = a_patch(an_edit("- use pnpm, Never npm.", tasks=("t2", "t3")))

    result, prompts = run(one, other)

    assert prompts == []
    assert result.patch.edits == (an_edit("- Use pnpm, never npm.", tasks=("t1", "t2", "t3"), support=3),)


@pytest.mark.parametrize("fields", [{"op": EditOp.DELETE}, {"target": "elsewhere"}])
def test_equal_words_in_another_place_are_another_edit(fields: dict[str, object]) -> None:
    _, prompts = run(a_patch(an_edit("- X.")), a_patch(an_edit("- X.", **fields)), reply=merged("- Y."))

    assert len(prompts) == 1


def test_doubles_within_one_patch_are_joined() -> None:
    result, _ = run(a_patch(an_edit("- X y z.", tasks=("t1",)), an_edit("- x y z.", tasks=("t2",))))

    assert [edit.tasks for edit in result.patch.edits] == [("t1", "t2")]


@pytest.mark.parametrize(
    "reply", [CallFailed(FailureKind.EMPTY, "nothing came", remedy="again"), "no JSON at all", "{}"]
)
def test_where_a_merge_fails_its_patches_are_joined_in_their_order(reply: Answer) -> None:
    result, _ = run(a_rule(1, EditSource.SUCCESS), a_rule(0), reply=reply)

    assert contents(result) == ["- Use tabs.", "- Name the ticket."]
    (note,) = result.notes
    assert note.stage == "aggregate"
    assert "shop:CLAUDE.md" in note.summary


def test_one_failed_joint_of_a_tree_does_not_spoil_the_others() -> None:
    reply = in_turn(CallFailed(FailureKind.EMPTY, "nothing came"), merged("- Right two."), merged("- At last."))

    result, prompts = run(*(a_rule(i) for i in range(4)), reply=reply, merge_batch=2)

    assert contents(result) == ["- At last."]
    assert len(result.notes) == 1
    assert all(words in prompts[2].text for words in ("- Use tabs.", "- Name the ticket.", "- Right two."))


def test_a_dead_model_ends_the_night() -> None:
    with pytest.raises(BackendUnavailable):
        run(a_rule(0), a_rule(1), reply=BackendUnavailable("gone"))


def test_edits_are_read_as_they_are_written() -> None:
    result, _ = run(a_rule(0), a_rule(1), reply={"edits": [{"op": "replace", "content": " new ", "target": "old"}]})

    assert result.patch.edits == (Edit(op=EditOp.REPLACE, content="new", target="old", support=1),)


def test_a_reply_without_edits_leaves_the_proposals_as_they_are() -> None:
    result, _ = run(a_rule(0), a_rule(1), reply={"patch": {"edits": []}})

    assert (len(result.patch.edits), len(result.notes)) == (2, 1)


def test_a_merge_may_drop_every_edit() -> None:
    assert run(a_rule(0), a_rule(1), reply={"edits": []})[0] == Aggregate(patch=Patch())


def test_joints_that_dropped_everything_are_not_merged_by_one_more_call() -> None:
    result, prompts = run(*(a_rule(i) for i in range(4)), reply={"edits": []}, merge_batch=2)

    assert (contents(result), len(prompts)) == ([], 2)
