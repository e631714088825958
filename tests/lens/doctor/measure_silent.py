"""How many silent faults are seen, how often the watch is wrong, and what it costs.

`python -m tests.lens.doctor.measure_silent` prints the tables.
"""

from __future__ import annotations

import time

import torch
import torch.nn.functional as F
from torch import nn

from lens.doctor.watch import watch
from tests.lens.doctor.right_programs import programs
from tests.lens.doctor.silent_cases import cases
from tests.lens.doctor.watched import reported, run


def seen() -> list[tuple[str, int, int, int]]:
    """(title, programs, reported with the right family, reported with another one)."""
    rows = []
    public = [(case["family"], case["code"]) for case in reported()]
    own = [(family, source) for family, _, source in cases()]
    for title, pairs in (("after public reports", public), ("written for the watch", own)):
        told = [(family, {f.family for f in run(source)}) for family, source in pairs]
        right = sum(family in found for family, found in told)
        rows.append((title, len(pairs), right, sum(bool(found - {f}) for f, found in told)))
    return rows


def false_alarms() -> list[tuple[str, int, int]]:
    """(title, programs, reported although they are right)."""
    fixes = 0
    everything = reported() + reported("raises")
    for case in everything:
        names = {"__name__": "__main__"}
        run(case["code"], names)
        fixes += bool(run(case["fix_code"], names))
    right = [bool(run(source)) for source in programs().values()]
    return [("corrected code", len(everything), fixes), ("right programs", len(right), sum(right))]


def small_net() -> None:
    """60 steps of a small perceptron, batches of 64."""
    net = nn.Sequential(
        nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
    )
    opt = torch.optim.Adam(net.parameters())
    x, y = torch.rand(64, 20), torch.rand(64, 1)
    for _ in range(60):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def convolutions() -> None:
    """10 steps of a small convolutional net, batches of 16 pictures of 30 × 30."""
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3),
        nn.ReLU(), nn.Flatten(), nn.Linear(32 * 12 * 12, 10),
    )  # fmt: skip
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.rand(16, 3, 30, 30), torch.randint(0, 10, (16,))
    for _ in range(10):
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def tiny_operations() -> None:
    """4000 operations on 100 numbers."""
    x = torch.rand(100)
    for _ in range(2000):
        x = x * 0.5 + 0.1


def large_products() -> None:
    """20 products of matrices of 500 × 500."""
    a = torch.rand(500, 500) / 500
    for _ in range(20):
        a = torch.tanh(a @ a)


def ratio(work) -> float:
    """Time under the watch over time without it; the best of five, side by side."""
    plain, watched = [], []
    for _ in range(5):
        start = time.perf_counter()
        work()
        plain.append(time.perf_counter() - start)
        start = time.perf_counter()
        with watch(show=False):
            work()
        watched.append(time.perf_counter() - start)
    return min(watched) / min(plain)


def main() -> None:
    """Print the tables."""
    print(f"{'silent faults':28}{'programs':>10}{'family':>10}{'others':>10}")
    for title, *numbers in seen():
        print(f"{title:28}" + "".join(f"{n:>10}" for n in numbers))
    print(f"\n{'false alarms':28}{'programs':>10}{'told':>10}")
    for title, *numbers in false_alarms():
        print(f"{title:28}" + "".join(f"{n:>10}" for n in numbers))
    print(f"\n{'time under the watch':48}{'ratio':>10}")
    for work in (small_net, convolutions, large_products, tiny_operations):
        print(f"{work.__doc__.splitlines()[0]:58}{ratio(work):>6.1f}×")


if __name__ == "__main__":
    main()
