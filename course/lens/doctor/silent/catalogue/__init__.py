"""All silent faults, as data. Each has a program that must be reported and one that must not."""

from lens.doctor.silent.catalogue.gradients import GRADIENTS
from lens.doctor.silent.catalogue.memory import MEMORY
from lens.doctor.silent.catalogue.modes import MODES
from lens.doctor.silent.catalogue.modules import MODULES
from lens.doctor.silent.catalogue.places import PLACES
from lens.doctor.silent.catalogue.reductions import REDUCTIONS
from lens.doctor.silent.catalogue.rounding import ROUNDING
from lens.doctor.silent.catalogue.training import TRAINING

FAULTS = {
    fault.name: fault
    for group in (PLACES, REDUCTIONS, ROUNDING, MEMORY, GRADIENTS, TRAINING, MODES, MODULES)
    for fault in group
}
