"""What a silent fault is, as data: family, texts, a program with it and one without."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = "import numpy as np, torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


@dataclass(frozen=True)
class Fault:
    """One kind of silent fault.

    `seen` says in one sentence what evidence is needed. `cause` and `fix` are "English || 中文",
    with blanks in braces that the detector fills; `fix` is code to try. `bad`, with HEAD before it,
    must be reported as this fault, `good` must not be reported at all.
    """

    name: str
    family: str
    seen: str
    cause: str
    fix: str
    bad: str
    good: str
