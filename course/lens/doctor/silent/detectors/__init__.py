"""The detectors: each module signs up for what it wants to see, when it is imported."""

from lens.doctor.silent.detectors import (
    broadcasts,
    comparing,
    creating,
    gathers,
    graphs,
    integers,
    modes,
    nonfinite,
    reductions,
    registering,
    seeds,
    shapes,
    sharing,
    stepping,
    unneeded,
    writes,
)

__all__ = [
    "broadcasts",
    "comparing",
    "creating",
    "gathers",
    "graphs",
    "integers",
    "modes",
    "nonfinite",
    "reductions",
    "registering",
    "seeds",
    "shapes",
    "sharing",
    "stepping",
    "unneeded",
    "writes",
]
