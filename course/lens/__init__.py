"""What the notebooks import: pictures of tensors, quizzes, and the checking of answers."""

from lens.draw import show_curve, show_histogram, show_points, show_storage, show_tensor
from lens.expect import (
    expect_close,
    expect_copy,
    expect_device,
    expect_dtype,
    expect_equal,
    expect_grad,
    expect_no_loop,
    expect_not,
    expect_shape,
    expect_type,
    expect_unchanged,
    expect_view_of,
    forbid,
    hidden,
)
from lens.outcomes import attempt, passed
from lens.quiz import ask, quiz, right, wrong

__all__ = [name for name in dir() if not name.startswith("_")]
