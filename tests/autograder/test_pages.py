import pytest

from autograder.pages import safe_markdown


def render(source: str, **cell) -> str:
    return safe_markdown({"cell": cell}, source)


@pytest.mark.parametrize(
    "source",
    [
        "<script>evil()</script>",
        "# title <script>evil()</script>",
        "<img src=x onerror='evil()'>",
        "<details ontoggle='evil()'><summary>s</summary></details>",
        "<iframe src='javascript:evil()'></iframe>",
        "<form action='https://elsewhere'><button>go</button></form>",
        "<a href='javascript:evil()'>x</a>",
        "[x](javascript:evil())",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "<style>body { display: none }</style>",
        "<svg onload='evil()'></svg>",
        "<p style='position: fixed'>over everything</p>",
        "<object data='x'></object><embed src='x'><base href='//elsewhere'>",
    ],
)
def test_nothing_that_acts_survives(source):
    page = render(source)
    for acting in ("<script", "<iframe", "<form", "<button", "<style", "<svg", "<object", "<embed"):
        assert acting not in page
    tags = "".join(part.split(">")[0] for part in page.split("<")[1:])
    for acting in ("onerror", "ontoggle", "onload", "javascript:", "data:", "style=", "base"):
        assert acting not in tags


def test_a_picture_from_elsewhere_is_not_fetched_and_an_attached_one_is_shown():
    assert "elsewhere" not in render("![x](https://elsewhere/x.png)")
    page = render("![x](attachment:x.png)", attachments={"x.png": {"image/png": "iVBORw0KGgo="}})
    assert 'src="data:image/png;base64,iVBORw0KGgo="' in page


def test_prose_looks_as_it_was_written():
    page = render("# T\n\n**b** `c` $a < b$\n\n| h |\n|---|\n| d |\n\n[l](https://pytorch.org)")
    for piece in ("<h1", "<strong>b</strong>", "<code>c</code>", "$a &lt; b$", "<td>d</td>"):
        assert piece in page
    assert 'href="https://pytorch.org"' in page
    folded = "<details>\n<summary>Hint</summary>\n\ntext\n\n</details>"
    assert "<summary>Hint</summary>" in render(folded)


def test_a_picture_that_was_left_out_leaves_the_rest_of_the_page():
    page = render("before ![x](attachment:x.svg) after")
    assert "before" in page and "after" in page and "attachment" not in page


@pytest.mark.parametrize("source", ["x <b>" * 10_000, "\\begin{a}" * 20_000])
def test_prose_that_is_too_long_to_be_rendered_is_shown_as_it_was_written(source):
    assert render(source).startswith("<pre>") and "<b>" not in render(source)


def test_a_long_picture_in_prose_is_no_long_prose():
    page = render(f"**b** ![x](data:image/png;base64,{'A' * 100_000})")
    assert "<strong>b</strong>" in page and "AAAA" in page
