import torch

from lens.doctor import diagnosis
from lens.doctor.finding import Finding
from lens.doctor.scene import scene_of
from tests.lens.doctor.programs import SETUP, finding_of, run


def found(program) -> Finding:
    return finding_of(SETUP + program)


def test_the_exact_expression_is_named_in_a_statement_of_several_lines():
    finding = found("""
a, b = torch.rand(2, 3), torch.rand(4, 5)
total = (
    a.sum()
    + (a @ b).sum()
    + b.sum()
)
""")
    assert finding.expression == "a @ b"
    assert finding.line == 8


def test_the_innermost_frame_of_the_learners_counts():
    finding = found("""
def product(left, right):
    return left @ right


y = [product(torch.rand(2, 3), each) for each in [torch.rand(2, 3)]]
""")
    assert finding.expression == "left @ right"
    assert [o.name for o in finding.operands] == ["left", "right"]


def test_a_layer_is_named_where_it_stands_in_the_model():
    finding = found("""
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 2))

    def forward(self, x):
        return self.steps(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(x)


net = Net()
net(torch.rand(2, 3))
""")
    assert finding.layer.startswith("net.block.steps[1]: Linear(in_features=5")
    assert finding.layer.endswith("input (2, 4)")


def test_what_a_call_was_given_is_read_from_its_frame():
    finding = found("""
def load():
    return torch.rand(2, 3)


loss = F.cross_entropy(load(), torch.tensor([0, 5]))
""")
    shapes = {o.name: o.shape for o in finding.operands}
    assert shapes == {"load()": (2, 3), "torch.tensor([0, 5])": (2,)}


def test_the_operands_of_a_write_to_a_part_are_the_tensor_and_the_value():
    finding = found("x = torch.zeros(2, 3)\nrow = torch.ones(2)\nx[0] = row\n")
    assert finding.expression == "x[0] = row"
    assert {o.name for o in finding.operands} == {"x", "row"}


def test_the_table_has_what_a_tensor_says_of_itself():
    finding = found("w = torch.rand(2, 3, requires_grad=True)\nw.t() @ torch.rand(4, 5)\n")
    row = next(o for o in finding.operands if o.name == "w.t()")
    assert (row.shape, row.stride, row.dtype, row.device) == ((3, 2), (1, 3), "float32", "cpu")
    assert row.requires_grad and not row.is_leaf


def test_nothing_of_the_program_runs_again():
    error, names = run(
        SETUP
        + """
calls = []


def load():
    calls.append(1)
    return torch.rand(2, 3)


y = load() @ load()
"""
    )
    state = torch.get_rng_state()
    diagnosis.explain(error)
    assert names["calls"] == [1, 1]
    assert torch.equal(torch.get_rng_state(), state)


def test_an_error_that_is_not_about_tensors_gets_no_explanation():
    error, _ = run("1 / 0")
    assert diagnosis.explain(error) is None
    error, _ = run("missing")
    assert diagnosis.explain(error) is None


def test_a_message_that_no_rule_knows_still_gets_its_operands():
    error, _ = run(SETUP + "x = torch.rand(2)\nx.chunk(0)\n")
    finding = diagnosis.explain(error)
    assert finding.family == "other" and finding.fix == ""
    assert [o.name for o in finding.operands] == ["x"]


def test_a_broken_look_leaves_the_plain_cause(monkeypatch):
    error, _ = run(SETUP + "torch.ones(2, 3) @ torch.ones(4, 5)")
    rule, found_ = diagnosis.recognise(error)
    monkeypatch.setitem(rule.__dict__, "look", lambda scene, match: 1 / 0)
    cause, fix, _ = rule.diagnose(scene_of(error), found_)
    assert cause and fix == ""
