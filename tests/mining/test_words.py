"""Corrections, thanks and assent are recognized in every listed language."""

import re
import tomllib
from pathlib import Path

import pytest

from skillopt_sleep.mining import words
from skillopt_sleep.mining.requests import Take, takes
from skillopt_sleep.mining.words import (
    amends,
    clean,
    is_small_talk,
    opens_request,
    reassures,
    sentences,
    states_rule,
    takes_back,
    whole_sentences,
)
from tests.builders import a_session


def test_eight_languages_are_known() -> None:
    assert tuple(LISTS["corrections"]) == (
        *("English", "German", "French", "Spanish", "Portuguese", "Russian", "Chinese", "Japanese"),
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "No, use pnpm.",
            "nope",
            "that's wrong",
            "incorrect, it's 4",
            "way too verbose",
            "I said pnpm",
            "wrong file",
        ),
        *("you forgot the tests", "put it back"),
        *(
            "nein, bitte nicht npm",
            "falsch",
            "ich sagte doch pnpm",
            "non, pas npm",
            "c'est trop long",
            "j'ai dit pnpm",
        ),
        *("no, usa pnpm", "está mal", "demasiado largo", "não, use pnpm", "está errado", "eu disse pnpm"),
        *("нет, используй pnpm", "слишком длинно", "я же просил pnpm", "不对，用 pnpm", "太长了", "我说的是 pnpm"),
        *("違います", "長すぎます", "I don’t want that"),
    ],
)
def test_words_that_take_back_are_known(text: str) -> None:
    assert takes_back(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Add a login page", "the value is incorrect in row 3, fix it", "undo/redo buttons please", "casino, bingo"),
        *(
            "no tests fail any more, thanks",
            "stop the server",
            "the query takes too long",
            "the button should be blue",
        ),
        *("why does the test always fail?", "add a never-expire option", "thanks!", "perfect, now commit it"),
        *(
            "füge einen Test hinzu",
            "danke, jetzt committen",
            "ajoute un test",
            "merci",
            "añade una prueba",
            "gracias",
        ),
        *(
            "adicione um teste",
            "obrigado",
            "добавь тест",
            "спасибо",
            "加一个测试",
            "谢谢",
            "テストを追加して",
            "ありがとう",
        ),
    ],
)
def test_requests_and_thanks_take_nothing_back(text: str) -> None:
    assert not takes_back(text)


@pytest.mark.parametrize(
    "text", ["thanks!", "ok", "Great, thanks a lot :)", "danke, super!", "yes please", "go on", "谢谢"]
)
def test_thanks_and_assent_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Thanks, that works now!",
            "Looks great, thanks!",
            "Thank you, that's all for today",
            "thanks! that did it",
        ),
        *(
            "Danke, das passt so.",
            "Super, vielen Dank!",
            "Danke dir, das war's für heute.",
            "Perfekt, sieht gut aus!",
        ),
        *("Merci, c'est parfait.", "Nickel, merci !", "Super, merci beaucoup, c'est exactement ça"),
        *("¡Muchas gracias! Quedó perfecto.", "Gracias, así está bien.", "Perfecto, eso es todo por hoy."),
        *("Obrigado, ficou ótimo.", "Valeu, é isso aí!", "Ficou muito bom, obrigada"),
        *(
            "super, genau so, danke!",
            "so passt es, danke",
            "perfect, just like that, thanks!",
            "nice, exactly like this",
        ),
        *("parfait, exactement comme ça, merci", "perfecto, exactamente así, gracias", "exatamente assim, obrigado"),
        *("Отлично, именно так, спасибо", "就是这样，谢谢", "その通りです、ありがとう"),
        *(
            "太好了，谢谢你的帮助",
            "非常感谢！",
            "没问题，就这样",
            "辛苦了",
            "Спасибо, всё отлично!",
            "ありがとう、助かりました",
        ),
    ],
)
def test_thanks_and_praise_ask_for_nothing_in_any_language(text: str) -> None:
    assert is_small_talk(text)
    assert [take for _, take in takes(a_session("mend the cart", "Done.", text))][-1] is Take.SMALL_TALK


@pytest.mark.parametrize(
    "text",
    [
        *("thanks, now add a test", "ok but use pnpm", "continue with the login page", "", "note it"),
        *("great idea: use a cache", "perfect, but shorter", "Danke, aber nimm pnpm", "so passt das nicht"),
        *(
            "genau so auch im Backend",
            "so ist es nicht gut",
            "not like that",
            "no exactamente así",
            "no, exactly like this",
            "не так",
        ),
        *("Gracias, ahora añade una prueba", "no está bien", "así no", "Merci, ajoute un test", "c'est pas bon"),
        *("Obrigado, agora rode os testes", "isso não ficou bom", "谢谢，再加一个测试", "不太好"),
    ],
)
def test_what_asks_for_something_is_not(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "next time run the tests",
            "please don't use var",
            "dont use tabs",
            "we always use pnpm",
            "tabs, not spaces",
        ),
        *(
            "immer pnpm",
            "jamais npm",
            "nunca uses npm",
            "sempre use pnpm",
            "никогда не npm",
            "以后都用中文",
            "pnpmではなくyarn",
        ),
    ],
)
def test_how_things_are_done_is_a_rule(text: str) -> None:
    assert states_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        *("add a login page", "please fix the header", "what does it do", "can you look?", "ok, now rename the file"),
        *(
            "zeig mir den Test",
            "ajoute un test",
            "añade una prueba",
            "adiciona um teste",
            "добавь тест",
            "加一个测试",
        ),
        *("テストを追加して", "great. next: the docs", "also update the changelog"),
    ],
)
def test_a_request_of_its_own_is_known_by_its_beginning(text: str) -> None:
    assert opens_request(text)


@pytest.mark.parametrize("text", ["make it shorter", "in german!", "UTC please", "that created a lock file"])
def test_what_speaks_of_the_answer_opens_nothing_and_amends(text: str) -> None:
    assert not opens_request(text)
    assert amends(text)


@pytest.mark.parametrize(
    "text", ["no worries", "not bad!", "great, exactly what I wanted", "keine Fehler mehr", "没有报错了"]
)
def test_words_may_sound_like_taking_back_and_reassure(text: str) -> None:
    assert reassures(text)


@pytest.mark.parametrize("piece", ["works now ", "thank you thanks so much ", "good work "])
def test_endless_thanks_are_read_in_one_go(piece: str) -> None:
    assert not is_small_talk(piece * 60 + "§x")


@pytest.mark.parametrize("piece", ["thank you thanks so much ", "good work ", "ok yes sure "])
def test_endless_politeness_opens_no_request(piece: str) -> None:
    assert not opens_request(piece * 60 + "§x")


LISTS = tomllib.loads((Path(words.__file__).parent / "words.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["corrections", "rules", "cues", "lasting", "negations", "left_out", "for_once"])
def test_a_list_finds_what_its_phrases_find_one_by_one(name: str) -> None:
    for text in (
        "from now on, use pnpm",
        "вместо этого не надо",
        "again, not that",
        "casino",
        "it is way too long",
        "too long",
        "that's wrong",
        "the list. never use it",
        "the list. nevermind it",
        "and please don't add tests",
        "I don't add tests",
        "usa siempre pnpm",
        "так. всегда pnpm",
        "porfa",
        "plizz",
        "плиз",
        "只用 pnpm",
        "以后不要用 npm",
        "und nie mehr",
    ):
        found = any(re.search(phrase, text) for phrase in words._phrases(name))
        assert words._is_said(name, text.upper()) == found, text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain\ttext\nof two lines, 中文, é, 👍", "plain\ttext\nof two lines, 中文, é, 👍"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "alink"),
        ("a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"),
        ("a\x9b2Jb", "ab"),
        ("a\x1bcb\x00\x08", "ab"),
        ("a\u202eb\u200bc\U000e0041d\u3164", "abcd"),
        ("a<!-- skillopt-sleep:begin -->b<!--slow-update:end-->c", "abc"),
        ("a<!-- SKILLOPT-SLEEP:begin", "a"),
        ("a<!-- skill<!-- skillopt-sleep:end -->opt-sleep:begin -->b", "ab"),
        ("a<!-- skill\u200bopt-sleep:begin -->b", "ab"),
        ("a <!-- another comment -->", "a <!-- another comment -->"),
    ],
)
def test_only_what_is_seen_is_kept(text: str, kept: str) -> None:
    assert clean(text) == kept


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("Fine. But don't use npm here! Thanks", "use npm", "But don't use npm here!"),
        ("no npm", "npm", "no npm"),
        ("one\ntwo", "two", "two"),
        ("see v1.2.3 of it. Done", "2.3", "see v1.2.3 of it."),
        ("不要用npm。用pnpm。", "用npm", "不要用npm。"),
        ("a. b. c", "a. b", "a. b."),
        ("use pnpm", "yarn", "yarn"),
    ],
)
def test_a_part_is_widened_to_its_sentences(text: str, part: str, whole: str) -> None:
    assert whole_sentences(text, part) == whole


def test_sentences_end_at_their_signs_and_at_line_ends() -> None:
    assert sentences("Use pnpm. Not npm!\nIs v1.2 ok?") == ["Use pnpm.", "Not npm!", "Is v1.2 ok?"]
