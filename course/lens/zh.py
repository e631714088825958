"""The lens, speaking Chinese: `import lens.zh as lens`."""

from lens import *  # noqa: F403
from lens.language import speak

speak("zh")
