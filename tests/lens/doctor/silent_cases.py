"""Programs with one silent fault each. A title `# %% family` begins each; `# <-` marks the line."""

from __future__ import annotations

CASES = """
# %% silent-broadcast
net = nn.Linear(3, 1)
x, y = torch.rand(8, 3), torch.rand(8)
loss = ((net(x) - y) ** 2).mean()  # <-
# %% silent-broadcast
net = nn.Linear(3, 1)
x, y = torch.rand(8, 3), torch.rand(8).unsqueeze(1)
pred = net(x).squeeze()
loss = ((pred - y) ** 2).mean()  # <-
loss.backward()
# %% silent-broadcast
pred, y = torch.tensor([[1], [0], [1]]), torch.tensor([1, 0, 0])
accuracy = (pred == y).float().mean()  # <-
# %% silent-broadcast
losses, weights = torch.rand(5), torch.rand(5, 1)
total = (losses * weights).mean()  # <-
# %% silent-broadcast
pred, y = torch.rand(6, 1), torch.rand(6)
print(F.l1_loss(pred, y), nn.HuberLoss()(pred, y))  # <-
# %% silent-broadcast
p = torch.rand(4, 4)
rows = p.sum(dim=1)
p = p / rows  # <-
# %% silent-broadcast
x = torch.rand(3, 1, 5)
mask = torch.rand(3, 5) > 0.5
z = x * mask  # <-
# %% silent-broadcast
out, y = torch.zeros(4, 1), torch.ones(4)
print(torch.allclose(out, y), (out - y).shape)  # <-
# %% write-to-copy
x = torch.zeros(5, 3)
x[[0, 2]][:, 1] += 5  # <-
# %% write-to-copy
x = torch.arange(6.0)
x[x > 2].zero_()  # <-
# %% write-to-copy
x = torch.rand(3, 4)
x.t().reshape(-1)[0] = 100.0  # <-
# %% write-to-copy
emb = torch.rand(5, 2)
ids = torch.tensor([1, 3])
emb.index_select(0, ids).fill_(0.0)  # <-
# %% write-to-copy
x = torch.zeros(4, dtype=torch.int64)
x.float()[0] = 0.5  # <-
# %% duplicate-index
hist = torch.zeros(4)
for i in [torch.tensor([0, 1, 1]), torch.tensor([3, 3, 3])]:
    hist[i] += 1  # <-
# %% duplicate-index
acc, idx = torch.zeros(3), torch.tensor([0, 0, 1])
acc[idx] = acc[idx] + torch.tensor([1.0, 2.0, 3.0])  # <-
# %% duplicate-index
grid = torch.zeros(3, 3)
r, c = torch.tensor([0, 0, 2]), torch.tensor([1, 1, 2])
grid[r, c] += torch.tensor([1.0, 5.0, 2.0])  # <-
# %% gather-shape
scores, labels = torch.rand(4, 3), torch.tensor([0, 2, 1, 0])
picked = scores.gather(1, labels.unsqueeze(0))  # <-
# %% gather-shape
table, rows = torch.rand(6, 4), torch.tensor([[1], [5]])
picked = torch.gather(table, 0, rows)  # <-
# %% gather-shape
onehot = torch.zeros(4, 3)
onehot.scatter_(1, torch.tensor([[0, 2, 1, 0]]), 1)  # <-
# %% reshape-as-transpose
x = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(x.view(3, 2))  # <-
# %% reshape-as-transpose
batch = torch.rand(2, 32, 24, 3)
chw = batch.view(2, 3, 32, 24)  # <-
# %% reshape-as-transpose
B, T, H, D = 2, 5, 3, 4
q = nn.Linear(12, 12)(torch.rand(B, T, 12)).view(B, H, T, D)  # <-
# %% reshape-as-transpose
B, H, T, D = 2, 3, 5, 4
att, v = torch.rand(B, H, T, T).softmax(-1), torch.rand(B, H, T, D)
out = (att @ v).reshape(B, T, H * D)  # <-
# %% reshape-as-transpose
seq_first = torch.rand(7, 4, 5)
batch_first = seq_first.reshape(4, 7, 5)  # <-
# %% squeeze-batch
net = nn.Linear(3, 1)
def predict(x):
    return net(x).squeeze()  # <-
print(predict(torch.rand(4, 3)).shape, predict(torch.rand(1, 3)).shape)
# %% squeeze-batch
data = torch.utils.data.DataLoader(torch.rand(5, 3), batch_size=2)
net = nn.Linear(3, 1)
for x in data:
    print(net(x).squeeze().shape)  # <-
# %% squeeze-batch
pool = nn.AdaptiveAvgPool2d(1)
feat = pool(torch.rand(1, 16, 7, 7)).squeeze()  # <-
# %% softmax-dim
x = torch.rand(4, 3)
p = torch.softmax(x, dim=0)  # <-
print(p.sum(dim=1))
# %% softmax-dim
net = nn.Sequential(nn.Linear(3, 4), nn.Softmax(dim=0))
out = net(torch.rand(5, 3))  # <-
# %% softmax-dim
net = nn.Sequential(nn.Linear(3, 4), nn.Softmax())
out = net(torch.rand(5, 3))  # <-
# %% double-softmax
net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
x, y = torch.rand(6, 4), torch.randint(0, 3, (6,))
loss = nn.CrossEntropyLoss()(net(x), y)  # <-
# %% double-softmax
logits, y = torch.rand(6), torch.ones(6)
loss = F.binary_cross_entropy_with_logits(torch.sigmoid(logits), y)  # <-
# %% double-softmax
probs = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
loss = nn.CrossEntropyLoss()(probs, torch.tensor([0, 1]))  # <-
# %% std-of-one
x = torch.tensor([5.0])
z = (x - x.mean()) / x.std()  # <-
# %% std-of-one
batch = torch.rand(1, 4)
print(batch.var(dim=0))  # <-
# %% std-correction
a = np.array([1.0, 2.0, 4.0])
n = np.var(a)
t = torch.tensor(a).var()  # <-
print(n == t.item(), n - t.item())
# %% median-lower
scores = torch.tensor([[1.0, 9.0], [2.0, 4.0]])
print(torch.median(scores, dim=1).values)  # <-
# %% integer-wrap
a, b = torch.tensor([10], dtype=torch.uint8), torch.tensor([20], dtype=torch.uint8)
diff = a - b  # <-
# %% integer-wrap
x = torch.tensor([2**31 - 1], dtype=torch.int32)
x += 1  # <-
# %% integer-wrap
f = torch.arange(1, 25).prod()  # <-
# %% integer-wrap
img = torch.tensor([0.5, 1.2]) * 255
pixels = img.to(torch.uint8)  # <-
# %% integer-wrap
q = torch.tensor([100, 100], dtype=torch.int8)
print(q @ q, -torch.tensor([1], dtype=torch.uint8))  # <-
# %% shared-memory
arr = np.ones(3)
t = torch.from_numpy(arr)  # <-
arr[0] = 100
print(t)
# %% shared-memory
arr = np.ones(3)
t = torch.as_tensor(arr)  # <-
t.add_(1)
print(arr)
# %% shared-memory
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=1.0)
before = net.weight.detach()  # <-
net(torch.ones(1, 2)).sum().backward()
opt.step()
print(torch.equal(before, net.weight))
# %% shared-memory
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=1.0)
best = net.state_dict()  # <-
net(torch.ones(1, 2)).sum().backward()
opt.step()
net.load_state_dict(best)
# %% shared-memory
w = torch.ones(3, requires_grad=True)
before = w.detach()  # <-
with torch.no_grad():
    w += 1
print((w - before).abs().sum())
# %% shared-memory
rows = torch.zeros(1, 3).expand(4, 3)
rows[0, 1] = 7  # <-
# %% legacy-constructor
x = torch.Tensor(5)  # <-
print(x.shape)
# %% legacy-constructor
y = torch.Tensor([0, 1, 2])  # <-
print(y.dtype)
# %% legacy-constructor
n = 4
buffer = torch.FloatTensor(n, 2)  # <-
print(buffer.sum() == 0)
# %% graph-cut
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.rand(4, 2)).mean()
loss = torch.tensor(loss.item(), requires_grad=True)  # <-
loss.backward()
# %% graph-cut
enc, dec = nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD(list(enc.parameters()) + list(dec.parameters()), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    h = enc(torch.rand(4, 2)).data  # <-
    dec(h).mean().backward()
    opt.step()
# %% graph-cut
w = torch.rand(3, requires_grad=True)
v = torch.rand(3, requires_grad=True)
h = (w * 2).detach()  # <-
(h * v).sum().backward()
print(w.grad)
# %% graph-cut
net = nn.Linear(2, 3)
out = net(torch.rand(4, 2))
loss = out.argmax(1).float().mean()  # <-
loss.requires_grad_()
loss.backward()
# %% graph-cut
w = torch.rand(3, requires_grad=True)
i = w.to(torch.int64)  # <-
print(i.requires_grad)
# %% non-leaf-grad
w = torch.randn(3, requires_grad=True) * 0.1  # <-
w.sum().backward()
print(w.grad)
# %% non-leaf-grad
x = torch.rand(3, requires_grad=True)
h = x * 2  # <-
h.sum().backward()
print(h.grad is None)
# %% graph-kept
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []
for _ in range(5):
    loss = net(torch.rand(4, 2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss)  # <-
# %% graph-kept
w, total = torch.ones(2, requires_grad=True), 0
for _ in range(4):
    loss = (w**2).sum()
    total = total + loss  # <-
    loss.backward()
# %% graph-kept
cell, h = nn.RNNCell(2, 3), torch.zeros(1, 3)
for _ in range(5):
    h = cell(torch.rand(1, 2), h)
    h.sum().backward(retain_graph=True)  # <-
# %% graph-unneeded
net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(), nn.Linear(4, 1))
net.eval()
total = 0
for x in torch.rand(3, 5, 2):
    out = net(x)  # <-
    total += out.mean().item()
# %% graph-unneeded
net = nn.Linear(2, 1)
def predict(x):
    return net(x)  # <-
scores = predict(torch.rand(5, 2))
# %% nan-gradient
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.log(), torch.zeros_like(x))  # <-
y.sum().backward()
# %% nan-gradient
x, n = torch.ones(2, requires_grad=True), torch.tensor([0.0, 2.0])
mean = torch.where(n > 0, x / n, torch.zeros(2))  # <-
mean.sum().backward()
# %% nan-gradient
x = torch.zeros(2, requires_grad=True)
(x.abs() ** 0.5).sum().backward()  # <-
# %% nan-gradient
x = torch.tensor([-1.0, 1.0])
loss = x.sqrt().mean()  # <-
print(loss.item())
# %% nan-gradient
x = torch.ones(4, requires_grad=True)
torch.acos(x).sum().backward()  # <-
# %% log-of-zero
p = torch.softmax(torch.tensor([200.0, 0.0]), 0).requires_grad_()
loss = -torch.log(p)[1]  # <-
loss.backward()
# %% log-of-zero
p = torch.tensor([0.0, 1.0])
entropy = -(p * torch.log(p)).sum()  # <-
print(entropy)
# %% zero-grad
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.rand(4, 2)).mean()
    loss.backward()
    opt.step()  # <-
# %% zero-grad
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(torch.rand(4, 2)).mean()
    loss.backward()
    net.zero_grad(set_to_none=False)  # <-
    opt.step()
# %% zero-grad
x = torch.tensor(2.0, requires_grad=True)
for _ in range(3):
    y = x**2
    y.backward()
    x.data -= 0.1 * x.grad  # <-
# %% zero-grad
opt_w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([opt_w], lr=0.1)
opt.zero_grad  # <-
opt_w.sum().backward()
opt.step()
# %% diverging
w = torch.tensor(5.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=1.5)
for _ in range(20):
    loss = w**2
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()
# %% diverging
w = torch.tensor(5.0, requires_grad=True)
for _ in range(200):
    loss = (w - 1) ** 2 * 3
    loss.backward()  # <-
    with torch.no_grad():
        w -= 1.0 * w.grad
    w.grad = None
print(w)
# %% train-mode
net = nn.Sequential(nn.Linear(2, 8), nn.Dropout(0.5))
x = torch.rand(4, 2)
print(torch.equal(net(x), net(x)))  # <-
# %% train-mode
net = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    net.train()
    opt.zero_grad()
    net(torch.rand(4, 2)).mean().backward()
    opt.step()
    with torch.no_grad():
        score = net(torch.rand(4, 2)).mean()  # <-
        print(score.item())
# %% train-mode
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        return F.dropout(self.fc(x), 0.5)  # <-
net = Net().eval()
print(net(torch.rand(2, 3)))
# %% train-mode
net = nn.Sequential(nn.Linear(2, 8), nn.Dropout(0.5))
net.train()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    out = net(torch.rand(4, 2))  # <-
    opt.zero_grad()
    out.mean().backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        print(net(torch.rand(4, 2)).mean().item())
# %% train-mode
net = nn.Dropout(0.5)
net.eval  # <-
print(net(torch.ones(4)))
# %% unregistered
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2) for _ in range(3)]  # <-
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
print(sum(p.numel() for p in Net().parameters()))
# %% unregistered
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = torch.ones(3, requires_grad=True)  # <-
    def forward(self, x):
        return x * self.s
net = Scale()
print(list(net.parameters()))
# %% unregistered
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = {"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)}  # <-
        self.out = nn.Linear(2, 1)
    def forward(self, x):
        return self.out(self.blocks["a"](x))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.rand(4, 2)).mean().backward()
opt.step()
# %% unregistered
class Net(nn.Module):
    def forward(self, x):
        fc = nn.Linear(2, 2)  # <-
        return fc(x)
net = Net()
for _ in range(2):
    net(torch.rand(4, 2))
# %% unregistered
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net[1] = nn.Linear(2, 3)
before = net[1].weight.clone()
net(torch.rand(4, 2)).mean().backward()
opt.step()  # <-
print(torch.equal(before, net[1].weight))
# %% worker-rng
class Noise(torch.utils.data.Dataset):
    def __init__(self):
        self.rng = np.random.RandomState(0)  # <-
    def __len__(self): return 4
    def __getitem__(self, i): return self.rng.rand()
loader = torch.utils.data.DataLoader(Noise(), num_workers=2, multiprocessing_context="fork")
print(list(loader))
# %% worker-rng
rng = np.random.default_rng(1)  # <-
class Noise(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, i): return rng.random()
for v in torch.utils.data.DataLoader(Noise(), num_workers=2, multiprocessing_context="fork"):
    pass
# %% seed-once
torch.manual_seed(0)  # <-
a = nn.Linear(2, 2)
b = nn.Linear(2, 2)
print(torch.equal(a.weight, b.weight))
# %% seed-once
torch.manual_seed(0)  # <-
def sample():
    return torch.randn(3)
print(torch.equal(sample(), sample()))
# %% seed-once
torch.manual_seed(3)  # <-
first = torch.randperm(10)
second = torch.randperm(10)
print((first == second).all())
# %% float-compare
a = torch.tensor(0.1) + torch.tensor(0.2)
print(a.item() == 0.3)  # <-
# %% float-compare
x = torch.rand(50, 50)
print((x @ x.T == (x @ x.T).T).all(), torch.equal((x * 0.1).sum(0), x.sum(0) * 0.1))  # <-
# %% float-compare
a, b = torch.tensor(0.1), torch.tensor(0.1, dtype=torch.float64)
print(a == b)  # <-
# %% float-sum
x = torch.ones(70000, dtype=torch.float16)
print(x.sum())  # <-
# %% float-sum
total = torch.tensor(16777216.0)
for _ in range(3):
    total += 1  # <-
print(total)
# %% float-sum
x = torch.full((10,), 0.1)
print(x.sum() == 1.0)  # <-
# %% print-precision
x = torch.tensor(3.14159265)
print(x)
print(x == 3.1416)  # <-
# %% print-precision
a, b = torch.tensor([1.00001]), torch.tensor([1.00002])
print(a, b)
print(torch.equal(a, b))  # <-
# %% device
x = torch.zeros(3)
x.to("meta")  # <-
print(x.device)
"""


def cases() -> list[tuple[str, int, str]]:
    """(family, line of the fault, source), each source with the usual imports."""
    head = "import numpy as np, torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    found = []
    for part in CASES.strip().split("# %% ")[1:]:
        family, _, code = part.partition("\n")
        source = head + code
        lines = source.splitlines()
        found.append((family, next(i for i, t in enumerate(lines, 1) if "# <-" in t), source))
    return found
