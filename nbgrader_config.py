load_subconfig("autograder/jupyter/nbgrader_config.py")  # noqa: F821
