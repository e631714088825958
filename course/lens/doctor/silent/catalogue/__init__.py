"""All silent faults, as data. Each has a program that must be reported and one that must not."""

from lens.doctor.silent.catalogue.graphs import GRAPHS
from lens.doctor.silent.catalogue.numbers import NUMBERS
from lens.doctor.silent.catalogue.shapes import SHAPES
from lens.doctor.silent.catalogue.training import TRAINING

FAULTS = {fault.name: fault for fault in (*SHAPES, *NUMBERS, *GRAPHS, *TRAINING)}
