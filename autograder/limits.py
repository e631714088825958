"""What one submission may use."""

from dataclasses import asdict, dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Seconds are of CPU where not called wall; sizes are in bytes.

    Scores must not depend on how busy the machine is: CPU time decides, and the wall limits are
    there for code that waits without working.
    """

    cell_cpu: float = 20.0
    cell_wall: float = 60.0
    cpu: float = 60.0
    wall: float = 180.0
    memory: int = 2048 * MIB  # of all processes of the submission, beyond what the start takes
    processes: int = 64
    open_files: int = 256
    disk: int = 256 * MIB  # home, /tmp and /dev/shm together
    cell_output: int = 1 * MIB
    output: int = 8 * MIB

    def to_json(self) -> dict:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict) -> "Limits":
        return cls(**values)
