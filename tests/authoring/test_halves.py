import pytest

from authoring.halves import NotParted, half


def test_a_comment_and_a_string_give_each_language_its_half():
    source = 'x = 1  # one || 一\nprint("size: || 大小：", x)\n'
    assert half(source, "en") == 'x = 1  # one\nprint("size:", x)\n'
    assert half(source, "zh") == 'x = 1  # 一\nprint("大小：", x)\n'


def test_a_docstring_keeps_the_white_space_before_its_closing_quotes():
    source = 'def f():\n    """One.\n\n    More.\n    ||\n    一。\n    """\n'
    assert half(source, "en") == 'def f():\n    """One.\n\n    More.\n    """\n'
    assert half(source, "zh") == 'def f():\n    """一。\n    """\n'


def test_text_without_a_parting_is_the_same_in_both_languages():
    source = "mask = a | b  # a|b\n"
    assert half(source, "en") == half(source, "zh") == source


def test_two_parted_strings_on_one_line_are_both_parted():
    assert half('f("a || 甲", "b || 乙")', "zh") == 'f("甲", "乙")'


def test_a_raw_string_keeps_its_prefix():
    assert half('r"\\d || \\w"', "en") == 'r"\\d"'


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ('f"{x} || {x}"', "f-string"),
        ('"a || b || c"', "3 parts"),
        ('"a || "', "2 parts"),
        ("# || 甲", "2 parts"),
        ('"{n} rows || 行"', "placeholders"),
    ],
)
def test_what_cannot_be_parted_is_refused_with_its_reason(source, says):
    with pytest.raises(NotParted, match=says):
        half(source, "en")


def test_the_line_of_the_fault_is_told():
    with pytest.raises(NotParted) as caught:
        half('x = 1\ny = "a || b || c"\n', "zh")
    assert caught.value.line == 2
