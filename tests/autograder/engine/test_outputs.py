"""Outputs made of messages, forged ones among them; no kernel runs."""

import json
import math

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.engine.outputs import LEAST, MOST, Recorder, output_of
from autograder.engine.reasons import REASONS, STOPPED, error_output, too_much

FORGED = [
    ("stream", {}),
    ("stream", {"name": 3, "text": 4}),
    ("stream", {"name": "stdout", "text": ["a", 1]}),
    ("display_data", {"data": 3, "metadata": None}),
    ("display_data", {"data": {"text/plain": math.nan, "text/html": "\ud800"}, "metadata": []}),
    ("display_data", {"data": {"application/json": {"a": math.inf}}}),
    ("display_data", {"data": {"application/json": ["\ud800"], "image/png": '"><script>'}}),
    ("display_data", {"data": {"image/png": "AA=="}, "metadata": {"image/png": {"width": "1"}}}),
    ("execute_result", {"data": {"text/plain": "x"}, "execution_count": "no"}),
    ("execute_result", {"data": {"text/plain": "x"}, "execution_count": True}),
    ("error", {"ename": 3, "evalue": None, "traceback": 7}),
    ("error", {"ename": "E", "evalue": "v" * 10**6, "traceback": ["t" * 10**6, {}, "\udfff"]}),
    ("update_display_data", {}),
    ("nonsense", {}),
    (7, {}),
]


@pytest.mark.parametrize(("kind", "content"), FORGED)
def test_a_forged_message_becomes_a_valid_output_or_none(kind, content):
    output = output_of(kind, content)
    if output is not None:
        nbformat.validate(new_notebook(cells=[new_code_cell("", outputs=[output])]))
        text = json.dumps(output, ensure_ascii=False, allow_nan=False)
        assert len(text.encode()) < 100_000


def test_scripts_and_unknown_types_are_left_out_of_a_display():
    data = {"text/plain": "x", "application/javascript": "alert()", "text/x-thing": "y"}
    output = output_of("display_data", {"data": data, "metadata": {"isolated": True}})
    assert output.data == {"text/plain": "x"} and output.metadata == {}


def test_an_image_keeps_its_size():
    content = {"data": {"image/png": "AA=="}, "metadata": {"image/png": {"width": 3, "x": 1}}}
    assert output_of("display_data", content).metadata == {"image/png": {"width": 3}}


def stream(text, name="stdout"):
    return output_of("stream", {"name": name, "text": text})


def test_streams_of_one_name_that_follow_one_another_are_one_output():
    recorder = Recorder(LEAST)
    for text, name in (("a", "stdout"), ("b", "stdout"), ("c", "stderr"), ("d", "stdout")):
        recorder.add(stream(text, name))
    assert [output.text for output in recorder.finish()] == ["ab", "c", "d"]


def test_output_beyond_the_room_is_cut_and_says_so_once():
    recorder = Recorder(10)
    for _ in range(3):
        recorder.add(stream("汉字汉字"))
    assert recorder.finish()[0].text == "汉字汉" + too_much()


def test_an_error_is_kept_where_nothing_else_fits():
    recorder = Recorder(1)
    recorder.add(stream("long"))
    recorder.add(output_of("error", {"ename": "E"}))
    assert [output.output_type for output in recorder.finish()] == ["stream", "error"]


def test_the_number_of_outputs_is_bounded():
    recorder = Recorder(10**9)
    for _ in range(2 * MOST):
        recorder.add(output_of("error", {"ename": "E"}))
        recorder.add(output_of("display_data", {"data": {"text/plain": ""}}))
    assert len(recorder.finish()) <= MOST + 1


def test_cleared_output_gives_its_room_back():
    recorder = Recorder(10)
    for _ in range(5):
        recorder.add(stream("12345678"))
        recorder.clear(wait=True)
    assert recorder.finish()[0].text == "12345678"


def test_an_update_replaces_what_a_display_shows_as_far_as_there_is_room():
    recorder = Recorder(10)
    shown = output_of("display_data", {"data": {"text/plain": "1"}})
    recorder.add(shown)
    recorder.update(shown, {"data": {"text/plain": "2"}})
    recorder.update(shown, {"data": {"text/plain": "x" * 100}})
    recorder.update(shown, {"data": None})
    assert recorder.finish()[0].data == {"text/plain": "2"}


def test_every_reason_stands_in_both_languages(monkeypatch):
    for name in {*STOPPED.values(), *REASONS}:
        english, chinese = REASONS[name]["en"], REASONS[name]["zh"]
        assert english.isascii() and not chinese.isascii()
        monkeypatch.setenv("COURSE_LANGUAGE", "zh")
        assert error_output(name).evalue == chinese


def test_json_that_is_nested_too_deeply_to_be_read_is_left_out():
    deep, shallow = [1], [1]
    for _ in range(900):
        deep = [deep]
    for _ in range(10):
        shallow = {"in": shallow}
    assert output_of("display_data", {"data": {"application/json": deep}}) is None
    kept = output_of("display_data", {"data": {"application/json": shallow}})
    assert kept.data["application/json"] == shallow
