"""The lens, speaking Chinese: `import lens.zh as lens`."""

from lens import *  # noqa: F403
from lens.doctor.notebook import enable_for_learners
from lens.language import speak

speak("zh")
enable_for_learners()
