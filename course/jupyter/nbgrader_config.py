"""A learner's nbgrader: where assignments come from and where they go.

The instructor's configuration is built on this one, so that both always name the same places.
"""

import os
from pathlib import Path

c = get_config()
ROOT = Path(__file__).resolve().parents[2]

c.CourseDirectory.course_id = "tensor-course"
c.Exchange.root = os.environ.get("COURSE_EXCHANGE") or str(ROOT / "autograder" / "exchange")

# Fetched assignments land where the lessons' links point, and those of a clone count as fetched.
# Absolute, because the Assignment List looks from the server's folder, the commands from anywhere.
c.Exchange.assignment_dir = str(ROOT / "exercises" / (os.environ.get("COURSE_LANGUAGE") or "en"))

# nbgrader takes anything on stderr for a failure; a right answer may warn.
c.Execute.extra_arguments = ["--IPKernelApp.exec_lines=import sys; sys.stderr = sys.stdout"]
c.Execute.timeout = 60
c.KernelManager.transport_encryption = "auto"  # or ipykernel warns of unencrypted channels
