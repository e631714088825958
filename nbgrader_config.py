from pathlib import Path

# A learner's copy has no autograder/.
home = "autograder" if Path(__file__).with_name("autograder").is_dir() else "course"
load_subconfig(f"{home}/jupyter/nbgrader_config.py")  # noqa: F821
