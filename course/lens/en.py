"""The lens, speaking English: `import lens.en as lens`."""

from lens import *  # noqa: F403
from lens.doctor.notebook import enable_for_learners
from lens.language import speak

speak("en")
enable_for_learners()
