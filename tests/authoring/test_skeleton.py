import pytest

from authoring.skeleton import write_skeleton


@pytest.mark.parametrize("name", ["views", "3_views", "03_Views", "03-views", "../03_views"])
def test_a_name_that_is_no_chapter_is_refused(tmp_path, name):
    with pytest.raises(SystemExit, match="03_views"):
        write_skeleton(tmp_path, name)


def test_a_chapter_that_is_there_is_not_overwritten(course):
    before = (course / "course/chapters/03_views/lesson.py").read_bytes()
    with pytest.raises(SystemExit, match="is there already"):
        write_skeleton(course, "03_views")
    assert (course / "course/chapters/03_views/lesson.py").read_bytes() == before
