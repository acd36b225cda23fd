"""What holds for one time only makes no lesson, in the eight languages of the miner."""

import pytest

from skillopt_sleep.mining.words import all_for_once, lasting_words

ONCE = [
    "use yarn just this once",
    "for now leave the old header in",
    "as an exception, push straight to main",
    "skip the changelog for this PR only",
    "no, this one time deploy it by hand",
    "nimm diesmal die alte Adresse",
    "ausnahmsweise ohne Test",
    "nur heute bitte ohne Log",
    "cette fois sans les tests",
    "pour l'instant garde l'ancien nom",
    "esta vez sin capturas",
    "de momento déjalo así",
    "desta vez sem o resumo",
    "por enquanto deixa assim",
    "на этот раз без тестов",
    "только сегодня по-английски",
    "这次不用写测试",
    "暂时先这样",
    "今回だけ英語でお願いします",
    "とりあえずそのままで",
]
LASTING = [
    "use pnpm, never npm",
    "from now on sign every commit",
    "no, for each of them this time zone is wrong",
    "ab jetzt immer auf Deutsch",
    "toujours en français",
    "a partir de ahora en español",
    "впредь без тестов",
    "以后都用中文",
    "今後は日本語で",
    "the first time it runs it must ask",
]


@pytest.mark.parametrize("words", ONCE)
def test_words_for_one_time_are_left_out(words: str) -> None:
    assert lasting_words(words) == ""


@pytest.mark.parametrize("words", LASTING)
def test_words_for_ever_stay_as_they_are(words: str) -> None:
    assert lasting_words(words) == words


def test_of_two_sentences_the_one_that_lasts_is_left() -> None:
    assert lasting_words("use tabs. and skip the tests for now") == "use tabs."


def test_a_word_that_lasts_beats_one_for_now() -> None:
    assert lasting_words("from now on, not only for now, use tabs") == "from now on, not only for now, use tabs"


def test_quotes_are_for_once_only_if_each_of_them_is() -> None:
    assert all_for_once(["just this once", "nur diesmal"])
    assert not all_for_once(["just this once", "use tabs"])
    assert not all_for_once([])
