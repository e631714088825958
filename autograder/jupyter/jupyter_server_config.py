"""An instructor's JupyterLab: a learner's (course/jupyter), and an exchange for the Formgrader.

The Formgrader offers to release and collect only where the exchange's folder exists.
"""

import os
from pathlib import Path

c = get_config()
ROOT = Path(__file__).resolve().parents[2]

exchange = Path(os.environ.get("COURSE_EXCHANGE") or ROOT / "autograder" / "exchange")
if not exchange.exists():
    exchange.mkdir(parents=True)
    exchange.chmod(0o777)  # what nbgrader asks of an exchange: every learner submits into it
