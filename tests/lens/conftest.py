import pytest

from lens import calls
from lens.language import speak


@pytest.fixture(autouse=True)
def fresh_lens():
    """Each test begins in English, with no exercise under way."""
    speak("en")
    calls.begin(None)
    yield
    speak("en")
    calls.begin(None)
