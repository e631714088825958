"""What the notebooks import: pictures of tensors, quizzes, and the checking of answers."""

from lens.aliasing import (
    expect_copy,
    expect_seed_untouched,
    expect_unchanged,
    expect_view_of,
)
from lens.attempts import attempt
from lens.doctor import load_ipython_extension, unload_ipython_extension
from lens.doctor.check import CheckError, check_gradients, check_inputs, check_loss
from lens.doctor.watch import watch
from lens.draw import show_curve, show_histogram, show_points, show_storage, show_tensor
from lens.expect import (
    expect_close,
    expect_device,
    expect_dtype,
    expect_equal,
    expect_grad,
    expect_requires_grad,
    expect_shape,
    expect_type,
)
from lens.loops import expect_no_loop
from lens.outcomes import AnswerRaised, CheckFailed, NotAttempted, Outcome, hidden, passed
from lens.questions import ask, quiz, right, wrong
from lens.rules import expect_not, expect_raises, forbid, on_error

__all__ = [
    "AnswerRaised",
    "CheckError",
    "CheckFailed",
    "NotAttempted",
    "Outcome",
    "ask",
    "attempt",
    "check_gradients",
    "check_inputs",
    "check_loss",
    "expect_close",
    "expect_copy",
    "expect_device",
    "expect_dtype",
    "expect_equal",
    "expect_grad",
    "expect_no_loop",
    "expect_not",
    "expect_raises",
    "expect_requires_grad",
    "expect_seed_untouched",
    "expect_shape",
    "expect_type",
    "expect_unchanged",
    "expect_view_of",
    "forbid",
    "hidden",
    "load_ipython_extension",
    "on_error",
    "passed",
    "quiz",
    "right",
    "show_curve",
    "show_histogram",
    "show_points",
    "show_storage",
    "show_tensor",
    "unload_ipython_extension",
    "watch",
    "wrong",
]
