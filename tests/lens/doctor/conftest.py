import pytest

from lens.language import speak


@pytest.fixture(params=["en", "zh"])
def language(request):
    speak(request.param)
    return request.param
