"""What stands behind a value: the assignments, also those of other cells."""

import linecache

from lens.doctor import diagnosis
from tests.lens.doctor.programs import SETUP, finding_of, run


def cells(*sources):
    """The finding of the last of several cells that share their names, as in a notebook."""
    names = {"__name__": "__main__", "In": ["", *sources]}
    *before, last = sources
    for source in before:
        assert run(source, names)[0] is None
    return diagnosis.explain(run(last, names)[0])


def test_a_double_that_came_from_numpy_is_said_to():
    finding = finding_of(
        SETUP
        + """
data = np.ones((2, 3))
x = torch.from_numpy(data)
y = nn.Linear(3, 1)(x)
"""
    )
    assert "It comes from NumPy (line 6: `x = torch.from_numpy(data)`)" in finding.cause


def test_a_cut_in_another_cell_is_found_and_mended():
    finding = cells(
        SETUP,
        "net = nn.Linear(2, 1)\nout = net(torch.rand(4, 2)).detach()",
        "loss = out.mean()\nloss.backward()",
    )
    assert "in another cell" in finding.cause
    assert finding.fix.splitlines() == [
        "out = net(torch.rand(4, 2))",
        "loss = out.mean()",
        "loss.backward()",
    ]


def test_the_fix_of_a_line_in_a_method_is_the_method_mended():
    finding = finding_of(
        SETUP
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


net = Net()
out = net(torch.rand(3, 2, 2))
"""
    )
    assert finding.fix.splitlines() == [
        "def forward(self, x):",
        "    return self.fc(x.flatten(1))  # ← changed",
        "Net.forward = forward",
        "out = net(torch.rand(3, 2, 2))",
    ]


def test_a_program_whose_source_is_gone_is_explained_without_a_fix():
    error, _ = run(SETUP + "torch.ones(2, 3) @ torch.ones(4, 5)")
    linecache.cache.pop(error.__traceback__.tb_next.tb_frame.f_code.co_filename)
    finding = diagnosis.explain(error)
    assert finding.family == "matmul-shapes" and finding.cause
