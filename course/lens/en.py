"""The lens, speaking English: `import lens.en as lens`."""

from lens import *  # noqa: F403
from lens.language import speak

speak("en")
