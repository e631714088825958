"""Every kind of tampering is a sign, and honest code is none."""

import sys
from pathlib import Path

import nbformat
import pytest

from autograder.engine import inspection
from autograder.engine.run import run_notebook
from autograder.limits import Limits
from tests.autograder.engine.runkit import FORGE, run, shown, test_cell

ROOT = Path(__file__).parents[3]
forked = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kernels fork on Linux")

# What a cell does -> words of the sign that it leaves.
TAMPERING = {
    "torch.allclose = lambda *a, **k: True": "`torch.allclose`",
    "torch.Tensor.equal = lambda *a: True": "`torch.Tensor.equal`",
    "torch.Tensor.__eq__ = lambda *a: True": "`torch.Tensor.__eq__`",
    "torch.nn.Module.__call__ = print": "`torch.nn.Module.__call__`",
    "torch.nn.functional.relu = torch.sigmoid": "`torch.nn.functional.relu`",
    "torch.testing.assert_close = print": "`torch.testing.assert_close`",
    "np.testing.assert_allclose = print": "`numpy.testing.assert_allclose`",
    "np.allclose = print": "`numpy.allclose`",
    "import math; math.isclose = print": "`math.isclose`",
    "import builtins; builtins.all = lambda x: True": "`builtins.all`",
    "import builtins; builtins.abs = lambda x: 0": "`builtins.abs`",
    "import inspect; inspect.getsource = print": "`inspect.getsource`",
    "import lens.en; lens.en.expect_close = print": "`lens.en.expect_close`",
    "import sys, types; sys.modules['lens.zh'] = types.ModuleType('lens.zh')": "`lens.zh.",
    "import lens.expect; lens.expect.first_difference = print": "`lens.expect.first_difference`",
    "import lens.expect; lens.expect.len = lambda x: 3": "`lens.expect.len`",
    "import lens.outcomes as o; o.NotAttempted.__init__ = print": "NotAttempted.__init__`",
    "import lens.outcomes as o; o.CheckFailed.__bases__ = (o.NotAttempted,)": "the bases of",
    "import lens.attempts as a; a.Answer.__call__ = print": "Answer.__call__`",
    "import lens.compare as c; c._TOLERANCES[torch.float32] = (9e9, 9e9)": "_TOLERANCES",
    "import lens.expect as e; e.expect_close.__code__ = (lambda *a, **k: 0).__code__": "close`",
    "import lens.expect as e; e.expect_close.__kwdefaults__ = {}": "expect_close`",
    "torch.nn.Linear.forward.__code__ = (lambda s, x: x).__code__": "Linear.forward`",
    "import lens.expect as e\nclass M(type(e)): pass\ne.__class__ = M": "`lens.expect` was",
    "import sys, types; sys.modules['torch'] = types.ModuleType('torch')": "sys.modules['torch']",
    "import sys; sys._getframe = print": "`sys._getframe`",
    "import types\ntorch = types.SimpleNamespace(zeros=print)": "`torch` is an imitation",
    "def isinstance(*a): return True": "`isinstance` was redefined",
    "import ast\nget_ipython().ast_transformers.append(ast.NodeTransformer())": "ast_transformers",
    "get_ipython().input_transformers_post.append(list)": "input_transformers_post",
    "get_ipython().input_transformer_manager.line_transforms.append(list)": "line_transforms",
    "get_ipython().set_custom_exc((AssertionError,), lambda *a, **k: None)": "custom_exceptions",
    "get_ipython().events.register('pre_run_cell', lambda info: None)": "event `pre_run_cell`",
    "get_ipython().run_cell_async = print": "another `run_cell_async`",
    "type(get_ipython()).run_code = print": "run_code`",
    "get_ipython().showtraceback = lambda *a, **k: None": "another `showtraceback`",
    "import copy\ns = get_ipython()\ns.displayhook = copy.copy(s.displayhook)": "displayhook`",
    "get_ipython().display_pub.publish = print": "another `publish`",
    "get_ipython().display_pub.register_hook(lambda message: message)": "displayed output",
    "s = get_ipython().kernel.session\nf = s.send\ns.send = lambda *a, **k: f(*a, **k)": "`send`",
    "t = type(get_ipython().kernel.session)\nf = t.sign\nt.sign = lambda *a: f(*a)": "sign`",
    "get_ipython().kernel.do_execute = print": "another `do_execute`",
    "k = get_ipython().kernel; k.shell_handlers['execute_request'] = print": "`execute_request`",
    "import sys; sys.settrace(lambda *a: None)": "traces every line",
    "import sys; sys.setprofile(lambda *a: None)": "traces every line",
    "import threading; threading.settrace(lambda *a: None)": "traces new threads",
    "import sys\nclass Finder: pass\nsys.meta_path.insert(0, Finder())": "imports or garbage",
    "import gc; gc.callbacks.append(lambda *a: None)": "imports or garbage",
    "import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()": "thread",
    "import signal\nsignal.signal(signal.SIGALRM, print); signal.alarm(50)": "timer was left",
    "from torch.overrides import TorchFunctionMode\nclass Mode(TorchFunctionMode): pass\n"
    "mode = Mode().__enter__()": "changes torch's functions",
    "import gc; gc.get_referents(int.__dict__)[0]['__eq__'] = lambda *a: True": "int.__eq__",
}


@pytest.mark.slow
@forked
@pytest.mark.parametrize("source", TAMPERING)
def test_tampering_is_a_sign(source):
    ran = run("import numpy as np, torch", source, test_cell("2"))
    assert ran.ends[2] == "ok", shown(ran, 2)
    assert any(TAMPERING[source] in sign for sign in ran.signs), ran.signs


HONEST = [
    "%matplotlib inline\nimport matplotlib.pyplot as plt, numpy as np, torch, lens.en as lens",
    "plt.rcParams['figure.dpi'] = 50; plt.plot([1, 2]); plt.show()",
    "import torch.fft, torch.sparse, torch.utils.tensorboard.summary, numpy.polynomial, scipy",
    "import torch.distributions, torch.jit, torch.quantization, torch.utils.checkpoint",
    "torch.set_default_dtype(torch.float64); torch.set_default_device('cpu')",
    "torch.manual_seed(1); np.random.seed(1); torch.use_deterministic_algorithms(True)",
    "torch.set_printoptions(precision=3); np.set_printoptions(precision=3)",
    "import warnings; warnings.filterwarnings('ignore'); warnings.simplefilter('always')",
    """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
    def forward(self, x):
        return self.layer(x)
net = Net()
handle = net.register_forward_hook(lambda *a: None)
optimizer = torch.optim.Adam(net.parameters())
net(torch.zeros(2, 3)).sum().backward(); optimizer.step()
""",
    """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad
Square.apply(torch.ones(2, requires_grad=True)).sum().backward()
""",
    "compiled = torch.compile(lambda x: x + 1, backend='eager'); compiled(torch.zeros(2))",
    "traced = torch.fx.symbolic_trace(net); torch.func.vmap(torch.sin)(torch.zeros(3))",
    """
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.zeros(8, 3))
list(DataLoader(data, 2, num_workers=2))
""",
    """
class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})
torch.zeros(2).as_subclass(Mine) + 1
""",
    "import functools\n@functools.lru_cache\ndef cached(x): return x\ncached(1)",
    "import dataclasses, enum, typing, copy, pickle\n"
    "copy.deepcopy(net); pickle.loads(pickle.dumps(torch.zeros(2)))",
    "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
    "list(pool.map(abs, [-1, 2]))",
    "import threading\nthread = threading.Thread(target=print); thread.start(); thread.join()",
    "import asyncio\nawait asyncio.sleep(0.01)\ntask = asyncio.create_task(asyncio.sleep(0))",
    "def sum(x): return x.sum()\nmax = 3; list = [1]; type = 'float'; input = torch.zeros(2)",
    "torch = torch; np = np\nmath = 'maths'",
    "%timeit -n 1 -r 1 1 + 1",
    "%prun -q 1 + 1",
    "%%time\n1 + 1",
    "%load_ext autoreload\n%autoreload 2",
    "get_ipython().run_line_magic('precision', '3')\n%xmode Plain",
    "with torch.no_grad(), torch.autograd.detect_anomaly(check_nan=False): torch.zeros(1)",
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()): print(1)",
    "import unittest.mock\nwith unittest.mock.patch('torch.rand', print): torch.rand(2)",
    "import signal\nsignal.signal(signal.SIGALRM, print); signal.alarm(9); signal.alarm(0)",
    "from tqdm import tqdm\nfor _ in tqdm(range(3)): pass",
    "import pandas",
    "1 / 0",
]


@pytest.mark.slow
@forked
def test_honest_code_is_no_sign():
    ran = run(*HONEST, test_cell("2"), limits=Limits())
    missing = [index for index, end in enumerate(ran.ends) if end not in ("", "ok")]
    expected = {"1 / 0", "from tqdm", "import pandas", "import torch.fft"}  # may not be installed
    wrong = [shown(ran, index) for index in missing if not source_of(ran, index, expected)]
    assert not wrong
    assert ran.signs == ()


def source_of(ran, index, beginnings):
    return ran.notebook.cells[index].source.startswith(tuple(beginnings))


@pytest.mark.slow
@forked
@pytest.mark.parametrize("source", HONEST[1:])
def test_each_piece_of_honest_code_is_no_sign_even_without_the_others(source):
    assert run(HONEST[0], source, test_cell("2"), limits=Limits()).signs == ()


def course_notebooks():
    return sorted(
        path.relative_to(ROOT).as_posix()
        for pattern in ("course/*/*.ipynb", "solutions/*/*/*.ipynb")
        for path in ROOT.glob(pattern)
    )


@pytest.mark.slow
@forked
@pytest.mark.parametrize("path", course_notebooks())
def test_the_course_itself_is_no_sign(path):
    notebook = nbformat.read(ROOT / path, as_version=4)
    limits = Limits(cell_wall=200, wall=500, processes=200)
    ran = run_notebook(notebook, {}, limits, "none")
    assert ran.signs == ()
    assert set(ran.ends) <= {"", "ok", "error"}


@pytest.mark.slow
@forked
def test_a_process_that_is_still_at_work_is_a_sign():
    ran = run(FORGE, "forge(); time.sleep(4)", test_cell("2"))
    assert any("still at work" in sign for sign in ran.signs)


@pytest.mark.slow
@forked
@pytest.mark.parametrize(
    "silence",
    [
        "for number in range(3, 200):\n    if number not in keep: close(number)",
        "import gc, socket\nfor thing in gc.get_objects():\n"
        "    if type(thing) is socket.socket and thing.family == socket.AF_UNIX: thing.close()",
    ],
)
def test_a_check_that_was_silenced_is_a_sign(silence):
    prepare = """
import os, gc, zmq
gc.unfreeze()
def close(number):
    try:
        if os.readlink(f"/proc/self/fd/{number}").startswith("socket:"): os.close(number)
    except OSError: pass
keep = {s.fd for s in gc.get_objects() if isinstance(s, zmq.Socket) and not s.closed}
"""
    ran = run(f"{prepare}\n{silence}", test_cell("2"), limits=Limits(cell_wall=20))
    assert ran.signs or ran.ends[1] in ("died", "timeout")


def test_an_answer_of_a_wrong_shape_is_a_sign():
    for answer in (
        *("", "{", "[]", '{"nonce": "n"}', '{"nonce": "x", "signs": []}', "[" * 10**5),
        *('{"nonce": "n", "signs": [1]}', '{"nonce": "n", "signs": {}}', 3, ["n"]),
    ):
        assert inspection.signs_in(answer, "n") == [inspection.WRONG], answer
    assert inspection.signs_in('{"nonce": "n", "signs": []}', "n") == []
    assert inspection.signs_in({"nonce": "n", "signs": ["a" * 999] * 99}, "n") == ["a" * 300] * 20
