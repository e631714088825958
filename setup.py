"""Where the packages lie. A learner's copy holds only the lens; pyproject.toml has all the rest."""

from pathlib import Path

from setuptools import find_packages, setup

HOMES = {"lens": "course/lens", "authoring": "course/authoring", "autograder": "autograder"}
COMMANDS = {
    "lens": "tensor-doctor = lens.doctor.command:main",
    "autograder": "autograder = autograder.__main__:main",
}
FORK_KERNELS = "tensor-course-fork = autograder.engine.provisioner:ForkProvisioner"

here = {name: home for name, home in HOMES.items() if Path(home).is_dir()}
parts = [f"{name}.{part}" for name, home in here.items() for part in find_packages(home)]
setup(
    packages=[*here, *parts],
    package_dir=here,
    package_data={"lens.doctor.rules": ["*.toml"]},
    entry_points={
        "console_scripts": [command for name, command in COMMANDS.items() if name in here],
        "jupyter_client.kernel_provisioners": [FORK_KERNELS] if "autograder" in here else [],
    },
)
