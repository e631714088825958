import gc
import linecache
import os
import warnings
import weakref

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from torch import nn
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from lens.doctor import watch_magic
from lens.doctor.silent.catalogue import FAULTS
from lens.doctor.silent.detectors import nonfinite
from lens.doctor.silent.fault import HEAD
from lens.doctor.watch import watch
from lens.language import speak
from tests.lens.doctor.watched import run, run_and_error

BROADCAST = "import torch\ny = torch.rand(4, 1) - torch.rand(4)\n"


def _state():
    hooks = [
        modules._global_forward_hooks,
        modules._global_forward_pre_hooks,
        modules._global_forward_hooks_always_called,
        modules._global_parameter_registration_hooks,
        modules._global_backward_hooks,
        optimizers._global_optimizer_pre_hooks,
        optimizers._global_optimizer_post_hooks,
    ]
    functions = [torch.Tensor.__add__, torch.Tensor.backward, nn.Module.__call__, torch.tensor]
    return [dict(h) for h in hooks], functions, len(_get_current_function_mode_stack())


def _train():
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    opt = torch.optim.Adam(net.parameters())
    for _ in range(3):
        opt.zero_grad()
        net(torch.rand(5, 3)).pow(2).mean().backward()
        opt.step()
    return net


def test_nothing_stays_patched_after_the_block():
    before = _state()
    with watch(BROADCAST, "<lent>", show=False):
        _train()
        assert "<lent>" in linecache.cache
    assert _state() == before and "<lent>" not in linecache.cache


def test_the_exception_of_the_block_passes_through_and_nothing_stays_patched():
    before = _state()
    with pytest.raises(ZeroDivisionError), watch(show=False) as report:
        torch.rand(4, 1) - torch.rand(4)
        _train()
        1 / 0  # noqa: B018
    assert _state() == before
    assert [f.family for f in report] == ["silent-broadcast"]


def test_the_hooks_on_a_graph_are_gone_after_backward(monkeypatch):
    loss = (torch.ones(3, requires_grad=True) * 2).sum()
    calls = []
    monkeypatch.setattr(nonfinite, "_listener", lambda *a: lambda *grads: calls.append(a[1]))
    with watch(show=False):
        loss.backward(retain_graph=True)
    loss.backward()
    assert calls == ["SumBackward0", "MulBackward0"]


def test_the_hooks_on_a_graph_are_gone_when_backward_fails():
    x = torch.ones(3, requires_grad=True)
    loss, guard = (x.exp() * 2).sum(), watch(show=False)
    with guard:
        loss.backward()
        with pytest.raises(RuntimeError):
            loss.backward()
        assert guard._session.memo["backward"]["handles"] == []


def test_no_tensor_is_kept_alive_by_the_watch():
    with watch(show=False):
        net = _train()
        x = torch.rand(5, 3)
        y = net(x)
        loss = y.mean()
        loss.backward()
        refs = [weakref.ref(t) for t in (x, y, loss, net, net[0].weight, net[0].weight.grad)]
        del net, x, y, loss
        gc.collect()
        assert [ref() for ref in refs] == [None] * 6


def test_notes_about_tensors_go_with_them():
    guard = watch(show=False)
    with guard:
        x = torch.rand(3)
        for _ in range(1000):
            x = x * 0.5 + 1
        assert len(guard._session.facts) < 10


def test_results_are_those_without_the_watch():
    def work():
        torch.manual_seed(0)
        return [p.detach().clone() for p in _train().parameters()]

    plain = work()
    with watch(show=False):
        watched = work()
    assert all(torch.equal(a, b) for a, b in zip(plain, watched, strict=True))


def test_a_fault_in_a_loop_is_reported_once():
    source = "import torch\nfor _ in range(5):\n    y = torch.rand(4, 1) - torch.rand(4)\n"
    assert len(run(source)) == 1


def test_a_line_that_says_watch_ok_is_left_alone():
    assert run("import torch\ny = torch.rand(4, 1) - torch.rand(4)  # watch: ok\n") == []


def test_a_finding_names_file_line_expression_and_operands():
    source = "import torch\na, b = torch.rand(4, 1), torch.rand(4)\nprint(1,\n  a - b)\n"
    (finding,) = run(source)
    assert (finding.line, finding.expression) == (4, "a - b")
    assert [(o.name, o.shape) for o in finding.operands] == [("a", (4, 1)), ("b", (4,))]
    assert finding.fix.startswith("a.squeeze(1)") and finding.file.startswith("<watched")


def test_only_the_lines_of_the_block_are_judged_by_reading():
    def outside():
        net = nn.Dropout()
        net.eval  # noqa: B018

    with watch(show=False) as report:
        net = nn.Dropout()
        net.train  # noqa: B018
        torch.rand(2)
    outside()
    assert [f.expression for f in report] == ["net.train  # noqa: B018"]


def test_a_program_without_source_is_watched_as_far_as_it_goes():
    with watch(show=False) as report:
        exec(BROADCAST, {})
    assert [(f.family, f.line) for f in report] == [("silent-broadcast", 2)]


def test_the_report_is_printed_when_the_block_ends(capsys):
    with watch():
        torch.rand(4, 1) - torch.rand(4)
    assert "silent-broadcast" in capsys.readouterr().out
    with watch() as report:
        torch.rand(4) - torch.rand(4)
    assert capsys.readouterr().out == "" and "nothing to report" in str(report)
    speak("zh")
    assert "没有发现问题" in str(report) and len(report) == 0


def test_a_mode_of_the_learner_works_inside_the_block():
    class Count(TorchFunctionMode):
        calls = 0

        def __torch_function__(self, func, types, args=(), kwargs=None):
            Count.calls += 1
            return func(*args, **(kwargs or {}))

    with watch(show=False) as report, Count():
        torch.rand(4, 1) - torch.rand(4)
    assert Count.calls == 3 and len(report) == 1


def test_transforms_and_tracing_are_left_alone():
    with warnings.catch_warnings(), watch(show=False, strict=True) as report:
        warnings.simplefilter("ignore")
        torch.func.grad(lambda x: (x[:, None] - x).sum())(torch.rand(3))
        torch.vmap(lambda x: x.median())(torch.rand(3, 4))
        torch.func.linearize(lambda x: x.sin().sum(), torch.rand(3))
    assert list(report) == []


def test_a_detector_that_fails_does_not_disturb_the_program(monkeypatch):
    def broken(event):
        raise KeyError("broken")

    from lens.doctor.silent import signals

    monkeypatch.setitem(signals.AFTER, "rand", [broken])
    findings, error = run_and_error(BROADCAST, strict=False)
    assert error is None and len(findings) == 1
    with pytest.raises(KeyError), watch(show=False, strict=True):
        torch.rand(2)


@pytest.fixture
def shell():
    shell = InteractiveShell()
    watch_magic.register(shell)
    yield shell
    InteractiveShell.clear_instance()


def test_the_magic_runs_a_cell_under_the_watch_and_shows_its_value(shell, capsys):
    assert (
        shell.run_cell("%%watch\nimport torch\na = torch.rand(3, 1) - torch.rand(3)\n7").result == 7
    )
    out = capsys.readouterr().out
    assert "silent-broadcast" in out and "line 2: torch.rand(3, 1) - torch.rand(3)" in out
    assert shell.user_ns["a"].shape == (3, 3)
    assert shell.run_cell("%%watch\na = 2;").result is None


def test_the_magic_lets_an_error_through(shell, capsys):
    result = shell.run_cell("%%watch\nx = 1\n1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    capsys.readouterr()


def test_the_magic_can_be_taken_away_again(shell):
    assert shell.find_cell_magic("watch")
    watch_magic.unregister(shell)
    assert shell.find_cell_magic("watch") is None


def test_in_a_worker_process_the_watch_sleeps(monkeypatch):
    import lens.doctor.watch as module

    class AtHome(module.Event):
        def __init__(self, *details):
            assert os.getpid() == home
            super().__init__(*details)

    home = os.getpid()
    monkeypatch.setattr(module, "Event", AtHome)
    source = HEAD + (
        "class Data(torch.utils.data.Dataset):\n    def __len__(self): return 2\n"
        "    def __getitem__(self, i): return torch.rand(4, 1) - torch.rand(4)\n"
        "loader = torch.utils.data.DataLoader(Data(), num_workers=1,\n"
        "    multiprocessing_context='fork')\nassert len(list(loader)) == 2\n"
    )
    assert run_and_error(source) == ([], None)


def test_the_catalogue_tells_how_each_fault_is_seen():
    assert all(fault.seen.endswith(".") for fault in FAULTS.values())


def test_the_dict_of_locals_that_a_function_holds_stays_as_it_is():
    def work():
        a, b = torch.rand(4, 1), torch.rand(4)
        held = locals()
        a - b
        return set(held)

    with watch(show=False) as report:
        assert work() >= {"a", "b"}
    assert len(report) == 1
