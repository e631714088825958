"""Right programs, of which the watch must have nothing to say. One `# %%` title begins each."""

from __future__ import annotations

PROGRAMS = """
# %% columns are centred with keepdim
x = torch.rand(6, 3)
z = (x - x.mean(0, keepdim=True)) / x.std(0, keepdim=True)
w = (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True, unbiased=False)
v = x - x.mean(0)
print(z.mean().item(), w.sum().item(), v.shape)
# %% outer sums of a column and a row
a, b = torch.arange(4.0), torch.arange(5.0)
print((a[:, None] + b).shape, (a.unsqueeze(1) * b.unsqueeze(0)).shape)
table = a.reshape(4, 1) * 10 + torch.arange(4)
print(table, torch.outer(a, a).shape)
# %% pairwise distances by names
p, q = torch.rand(4, 2), torch.rand(4, 2)
left = p.unsqueeze(1)
right = q.unsqueeze(0)
distance = ((left - right) ** 2).sum(-1).sqrt()
values = torch.rand(5)
column = values.unsqueeze(1)
gaps = (column - values).abs().mean()
other = torch.rand(5)
ranking = (column > other).float().sum(1)
print(distance.shape, gaps, ranking)
# %% a bias is added to a batch
x, bias = torch.rand(8, 5), torch.rand(5)
y = x + bias
image = torch.rand(2, 3, 8, 8)
mean = torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1)
print(((image - mean) / 2).shape, y.shape)
# %% causal and padding masks
T = 4
i = torch.arange(T)
causal = i.view(T, 1) >= i
rows, cols = i.unsqueeze(1), torch.arange(T)
mask = rows < cols
scores = torch.rand(2, 2, T, T).masked_fill(mask, float("-inf"))
lengths = torch.tensor([4, 2])
padding = torch.arange(T)[None, :] < lengths[:, None]
scores = scores.masked_fill(~padding[:, None, None, :], float("-inf"))
weights = torch.softmax(scores, dim=-1)
print(weights.sum(-1), causal.sum())
# %% labels that agree, for a contrastive loss
labels = torch.tensor([0, 1, 0, 2])
same = labels.view(-1, 1) == labels.view(1, -1)
also = labels.unsqueeze(1) == labels
print(same.sum(), also.float().mean())
# %% attention by hand
B, T, H, D = 2, 5, 3, 4
x = torch.rand(B, T, H * D)
qkv = torch.nn.Linear(H * D, 3 * H * D)
q, k, v = qkv(x).chunk(3, dim=-1)
q, k, v = (t.view(B, T, H, D).transpose(1, 2) for t in (q, k, v))
att = (q @ k.transpose(-2, -1) / D**0.5).softmax(dim=-1)
out = (att @ v).transpose(1, 2).reshape(B, T, H * D)
out.sum().backward()
print(out.shape)
# %% einsum, windows and patches
x = torch.rand(2, 3, 8, 8)
patches = x.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).reshape(2, 4, 48)
windows = x.view(2, 3, 2, 4, 2, 4).permute(0, 2, 4, 1, 3, 5).reshape(8, 3, 4, 4)
shuffled = torch.rand(2, 6, 4, 4).view(2, 2, 3, 4, 4).transpose(1, 2).reshape(2, 6, 4, 4)
print(patches.shape, windows.shape, shuffled.shape, torch.einsum("bchw,bchw->b", x, x).shape)
# %% relative positions by the shift of Transformer-XL
b, h, q, k = 2, 2, 4, 4
x = torch.rand(b, h, q, k)
padded = torch.cat([torch.zeros(b, h, q, 1), x], dim=-1).view(b, h, k + 1, q)
print(padded[:, :, 1:].reshape(b, h, q, k).shape)
# %% flatten and unflatten
x = torch.arange(24).reshape(2, 3, 4)
print(x.view(6, 4).shape, x.reshape(2, 12).shape, x.reshape(-1, 2).shape, x.view(-1).view(2, 3, 4).shape)
print(x.permute(2, 0, 1).reshape(4, 6).shape, x.transpose(0, 1).reshape(3, 8).shape, x.T.shape if x.ndim == 2 else 0)
# %% a training loop, zero_grad first
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.rand(16, 3), torch.rand(16, 1)
for _ in range(5):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
# %% a training loop, zero_grad last, with a running loss
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
x, y = torch.rand(16, 3), torch.rand(16)
running, history = 0.0, []
for epoch in range(4):
    for i in range(0, 16, 4):
        loss = F.mse_loss(net(x[i : i + 4]).squeeze(1), y[i : i + 4])
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
        running += loss.item()
        history.append(loss.detach())
print(running, torch.stack(history).mean())
# %% zero_grad between backward of the step before and forward
net = nn.Linear(3, 2)
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, 1)
for _ in range(3):
    out = net(torch.rand(4, 3))
    loss = F.cross_entropy(out, torch.tensor([0, 1, 1, 0]))
    net.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
# %% gradients are accumulated on purpose
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = net(torch.rand(4, 3)).pow(2).mean() / 4
    loss.backward()
    if (step + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
# %% LBFGS with a closure
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.LBFGS([w], max_iter=5)
def closure():
    opt.zero_grad()
    loss = ((w - 3) ** 2).sum()
    loss.backward()
    return loss
for _ in range(3):
    opt.step(closure)
print(w)
# %% SGD with a closure
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
def closure():
    opt.zero_grad()
    loss = ((w - 3) ** 2).sum()
    loss.backward()
    return loss
for _ in range(3):
    print(opt.step(closure).item())
# %% a GAN with detach and two optimizers
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
for _ in range(3):
    real, z = torch.rand(4, 3), torch.rand(4, 2)
    fake = G(z)
    od.zero_grad()
    loss_d = bce(D(real), torch.ones(4, 1)) + bce(D(fake.detach()), torch.zeros(4, 1))
    loss_d.backward()
    od.step()
    og.zero_grad()
    loss_g = bce(D(fake), torch.ones(4, 1))
    loss_g.backward()
    og.step()
# %% a GAN whose discriminator is cleared late
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.SGD(G.parameters(), 0.1), torch.optim.SGD(D.parameters(), 0.1)
for _ in range(3):
    D.zero_grad()
    D(torch.rand(4, 3)).mean().backward()
    D(G(torch.rand(4, 2)).detach()).mean().neg().backward()
    od.step()
    G.zero_grad()
    D(G(torch.rand(4, 2))).mean().backward()
    og.step()
# %% frozen layers
body, head = nn.Linear(3, 4), nn.Linear(4, 2)
for p in body.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    F.cross_entropy(head(body(torch.rand(4, 3))), torch.tensor([0, 1, 1, 0])).backward()
    opt.step()
# %% features under no_grad, a head that learns
body, head = nn.Linear(3, 4), nn.Linear(4, 2)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
with torch.no_grad():
    feats = body(torch.rand(8, 3))
for _ in range(3):
    opt.zero_grad()
    F.cross_entropy(head(feats), torch.randint(0, 2, (8,))).backward()
    opt.step()
# %% an exponential moving average of the weights
import copy
net = nn.Linear(3, 1)
ema = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.rand(4, 3)).mean().backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), ema.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
best = copy.deepcopy(net.state_dict())
opt.zero_grad()
net(torch.rand(4, 3)).mean().backward()
opt.step()
net.load_state_dict(best)
# %% gradient descent by hand
w, b = torch.zeros(3, requires_grad=True), torch.zeros(1, requires_grad=True)
x, y = torch.rand(10, 3), torch.rand(10)
for _ in range(5):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad = None
print(loss.item())
# %% gradient descent with autograd.grad
w = torch.zeros(3, requires_grad=True)
for _ in range(4):
    loss = ((w - 1) ** 2).sum()
    (g,) = torch.autograd.grad(loss, w)
    w = (w - 0.1 * g).detach().requires_grad_()
print(w)
# %% a sum of losses, one backward
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0
losses = []
for part in torch.rand(4, 5, 3):
    loss = net(part).pow(2).mean()
    total = total + loss
    losses.append(loss)
(total + sum(losses)).backward()
opt.step()
# %% truncated back-propagation through time
rnn, head = nn.RNN(2, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.01)
h = torch.zeros(1, 3, 4)
for _ in range(4):
    h = h.detach()
    out, h = rnn(torch.rand(5, 3, 2), h)
    opt.zero_grad()
    head(out).mean().backward()
    opt.step()
# %% retain_graph for two losses
w = torch.rand(3, requires_grad=True)
for _ in range(5):
    h = w * 2
    h.sum().backward(retain_graph=True)
    (h**2).sum().backward()
    w.grad = None
# %% logs that are safe
p, y = torch.rand(5), torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0])
p[0] = 0
loss = -(y * p.clamp(min=1e-7).log() + (1 - y) * (1 - p).clamp(min=1e-7).log()).mean()
entropy = -torch.where(p > 0, p * torch.where(p > 0, p, torch.ones_like(p)).log(), torch.zeros_like(p)).sum()
print(loss.item(), entropy.item(), F.binary_cross_entropy(p, y).item(), torch.xlogy(p, p).sum().item())
# %% transition probabilities with zeros, in log space
A = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]).log()
alpha = torch.tensor([1.0, 0.0, 0.0]).log()
for _ in range(3):
    alpha = torch.logsumexp(alpha[:, None] + A, dim=0)
print(alpha.exp().sum().item())
# %% a masked mean with an empty row
x, m = torch.rand(3, 4), torch.tensor([[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
mean = (x * m).sum(1) / m.sum(1).clamp(min=1)
raw = (x * m).sum(1) / m.sum(1)
print(mean, torch.where(m.sum(1) > 0, raw, torch.zeros(3)), raw.nan_to_num())
# %% missing values on purpose
x = torch.tensor([1.0, float("nan"), 3.0])
print(x.nanmean(), x[~x.isnan()].mean(), torch.nansum(x).item())
best = torch.tensor(float("inf"))
for v in (3.0, 2.0):
    best = torch.minimum(best, torch.tensor(v))
print(best.item())
# %% evaluation under no_grad, in eval mode
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters())
x, y = torch.rand(12, 3), torch.randint(0, 2, (12,))
def evaluate():
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()
for epoch in range(3):
    net.train()
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
    print(evaluate())
# %% an evaluation that puts the mode back
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.2), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters())
x, y = torch.rand(12, 3), torch.randint(0, 2, (12,))
@torch.no_grad()
def accuracy(model):
    was = model.training
    model.eval()
    hit = (model(x).argmax(1) == y).float().mean()
    model.train(was)
    return hit.item()
for epoch in range(3):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(accuracy(net))
# %% Monte-Carlo dropout
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
x = torch.rand(4, 3)
net.eval()
with torch.no_grad():
    plain = net(x)
net.train()  # dropout stays on: that is the method
with torch.no_grad():
    draws = torch.stack([net(x) for _ in range(20)])
print(draws.mean(0), draws.std(0), plain)
# %% a look at a model, without more
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 2))
out = net(torch.rand(4, 3))
print(out.shape)
with torch.no_grad():
    n_flat = net(torch.zeros(2, 3)).shape[1]
print(sum(p.numel() for p in net.parameters()))
# %% frozen batch norm in training
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    net.train()
    net[1].eval()
    opt.zero_grad()
    net(torch.rand(4, 3)).mean().backward()
    opt.step()
# %% adversarial examples in eval mode
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(), nn.Linear(8, 2)).eval()
x = torch.rand(4, 3)
for _ in range(3):
    x = x.detach().requires_grad_()
    F.cross_entropy(net(x), torch.tensor([0, 1, 0, 1])).backward()
    x = x + 0.01 * x.grad.sign()
print(x.shape)
# %% classification with logits
net = nn.Linear(4, 3)
x, y = torch.rand(6, 4), torch.randint(0, 3, (6,))
logits = net(x)
loss = nn.CrossEntropyLoss()(logits, y)
probs = logits.softmax(dim=1)
loss.backward()
print(probs.sum(1), probs.argmax(1), F.nll_loss(logits.log_softmax(1), y).item())
# %% soft targets and distillation
student, teacher = nn.Linear(4, 3), nn.Linear(4, 3)
x = torch.rand(6, 4)
with torch.no_grad():
    soft = teacher(x).softmax(1)
loss = F.cross_entropy(student(x), soft) + F.kl_div(student(x).log_softmax(1), soft, reduction="batchmean")
loss.backward()
# %% attention pooling over the first axis
h = torch.rand(7, 5)
score = nn.Linear(5, 1)
w = torch.softmax(score(h), dim=0)
pooled = (w * h).sum(0)
heads = torch.softmax(nn.Linear(5, 2)(h), dim=0)
print(pooled.shape, (heads.T @ h).shape, w.sum(0))
# %% mixture of experts: routing, then renormalising
gate = torch.softmax(torch.rand(4, 8), dim=-1)
top, where = gate.topk(2, dim=-1)
top = top / top.sum(-1, keepdim=True)
again = torch.softmax(torch.rand(4, 8).topk(2).values, dim=-1)
load = gate.sum(0)
print(top.sum(-1), again.sum(-1), load)
# %% a DataLoader, shuffled, with workers' own seeds
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.rand(10, 3), torch.randint(0, 2, (10,)))
g = torch.Generator().manual_seed(0)
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=4, shuffle=True, generator=g):
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
# %% a loader with workers and a dataset that draws from torch
from torch.utils.data import DataLoader, Dataset
class Noise(Dataset):
    def __len__(self): return 4
    def __getitem__(self, i): return torch.rand(2) + i
print([b.shape for b in DataLoader(Noise(), batch_size=2, num_workers=1, multiprocessing_context="fork")])
# %% integers that do not wrap
image = torch.randint(0, 256, (3, 4, 4), dtype=torch.uint8)
half = image // 2 + 10
as_float = image.float() / 255
back = (as_float * 255).round().clamp(0, 255).to(torch.uint8)
mask = image > 128
count = mask.sum() + image.sum()
index = torch.arange(10, dtype=torch.int32) * 1000
print(half.max(), back.dtype, count, index.sum(), (image.int() - 255).min())
# %% hashes wrap on purpose
x = torch.arange(5) * 6364136223846793005
h = ((x ^ (x >> 31)) * 2654435761) & 0xFFFFFFFF
seed = (torch.tensor(2**62) * 7 + 11) % 1000
print(h, seed)
# %% spread and middle
x = torch.tensor([3.0, 1.0, 2.0, 9.0, 4.0])
print(x.median(), x.std(), x.var(unbiased=False), torch.quantile(x, 0.5), torch.rand(1000).median())
values, where = torch.tensor([4.0, 1.0, 3.0, 2.0]).median(dim=0)
print(where, torch.std_mean(x), x[:1].std(correction=0))
# %% adding at repeated indices
votes, ballots = torch.zeros(3), torch.tensor([2, 0, 2, 2])
votes.index_add_(0, ballots, torch.ones(4))
votes.index_put_((ballots,), torch.ones(4), accumulate=True)
votes.scatter_add_(0, ballots, torch.ones(4))
print(torch.bincount(ballots, minlength=3), votes)
once = torch.tensor([0, 2])
votes[once] += 1
votes[ballots] = 0
votes[votes > 0] *= 2
# %% writes that arrive
x = torch.zeros(4, 3)
mask = torch.tensor([True, False, True, True])
x[mask, 2] = 9
x[1:][0] = 5
x[1][2] = 7
x.view(-1)[0] = 1
x.T[0, 1] = 3
x[0].fill_(2)
picked = x[mask]
picked[:, 0] = -1
picked.mul_(2)
print(x, picked)
# %% gather and scatter, whole
x = torch.rand(4, 3)
y = torch.tensor([0, 2, 1, 0])
print(x.gather(1, y[:, None]).squeeze(1), torch.zeros(4, 3).scatter_(1, y.unsqueeze(1), 1.0))
frames, last = torch.rand(2, 5, 3), torch.tensor([4, 2])
print(frames.gather(1, last.view(-1, 1, 1).expand(-1, 1, 3)).squeeze(1).shape)
print(x.take_along_dim(x.argsort(1), 1).shape)
# %% squeeze on purpose
image = torch.rand(1, 28, 28)
print(image.squeeze().shape, torch.rand(4, 1).squeeze().shape, torch.rand(1, 1, 28, 28).squeeze().shape)
net = nn.Linear(3, 1)
one = net(torch.rand(3).unsqueeze(0)).squeeze().item()
batch = net(torch.rand(5, 3)).squeeze(-1)
print(one, batch.shape)
# %% NumPy and torch side by side
a = np.arange(6.0)
t = torch.from_numpy(a)
t /= 6
u = torch.tensor(np.ones(3))
a2 = u.numpy().copy()
u.zero_()
print(t.sum().item(), a2.sum())
w = torch.rand(3, requires_grad=True)
values = w.detach().numpy()
print(values.mean(), np.std(values), w.std(unbiased=False).item())
# %% comparing as it should be
x = torch.rand(10)
print(torch.equal(x, x.clone()), torch.allclose(x * 3, x + x + x), (torch.arange(4) == 2).nonzero())
print(x.sum().item() > 3, x.max() == x[x.argmax()], (x == 0).any(), x.count_nonzero().item() == 10)
y = x.sort().values
print(torch.equal(y, x[x.argsort()]), torch.equal(torch.stack([x, x]), x.repeat(2, 1)))
for name, p in nn.Linear(2, 2).named_parameters():
    print(name, torch.equal(p, p.detach()))
# %% seeds that are set where they are needed
def draw():
    torch.manual_seed(0)
    return torch.rand(3)
print(torch.equal(draw(), draw()))
torch.manual_seed(1)
train, test = torch.rand(4), torch.rand(4)
print((train - test).abs().mean())
# %% gradients where they are
x = torch.rand(3).double().requires_grad_()
h = x * 2
h.retain_grad()
(h**2).sum().backward()
print(x.grad, h.grad)
for p in nn.Linear(2, 1).parameters():
    if p.grad is not None:
        print(p.grad.norm())
# %% indices from a tensor that learns
w = torch.rand(5, requires_grad=True)
position = (w * 3).long()
table = torch.arange(4.0)
low = w * 3 - position
print(table[position], low.sum().backward(), w.grad)
probs = torch.rand(4, 3, requires_grad=True)
hits = (probs.argmax(1) == torch.tensor([0, 1, 2, 0])).float().mean().item()
# %% modules with lists of layers, kept as they should be
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Linear(3, 3) for _ in range(2)]
        self.body = nn.Sequential(*layers)
        self.heads = nn.ModuleList([nn.Linear(3, 1) for _ in range(2)])
        self.parts = [self.body, *self.heads]
        self.sizes = [3, 3]
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("shift", torch.zeros(1))
        self.mask = torch.ones(3)
    def forward(self, x):
        h = F.relu(self.body(x)) * self.mask
        self.last = h
        return sum(head(h) for head in self.heads) * self.scale + self.shift
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    opt.zero_grad()
    net(torch.rand(4, 3)).mean().backward()
    opt.step()
print(len(list(net.parameters())))
# %% a teacher hidden from the parameters, on purpose
class Student(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.teacher = [teacher.requires_grad_(False)]
    def forward(self, x):
        with torch.no_grad():
            soft = self.teacher[0](x).softmax(1)
        return F.cross_entropy(self.fc(x), soft)
net = Student(nn.Linear(3, 2))
net(torch.rand(4, 3)).backward()
# %% parameters in lists, handed to the optimizer by hand
layers = [nn.Linear(2, 2) for _ in range(2)]
opt = torch.optim.Adam([p for layer in layers for p in layer.parameters()])
for _ in range(3):
    x = torch.rand(4, 2)
    for layer in layers:
        x = layer(x)
    opt.zero_grad()
    x.mean().backward()
    opt.step()
# %% autoencoder, embedding and unused parts
enc, dec, unused = nn.Linear(4, 2), nn.Linear(2, 4), nn.Linear(2, 2)
emb = nn.Embedding(5, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *unused.parameters(), *emb.parameters()])
for _ in range(3):
    x = emb(torch.tensor([0, 3, 3]))
    loss = F.mse_loss(dec(enc(x)), x.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
# %% functional transforms
w = torch.rand(3)
print(torch.func.grad(lambda w: (w**2).sum())(w), torch.vmap(torch.dot)(torch.rand(4, 3), torch.rand(4, 3)).shape)
print(torch.func.hessian(lambda w: (w**3).sum())(w).shape)
# %% deep Q-learning with a target network
import copy
q = nn.Linear(3, 2)
target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters())
for step in range(4):
    s, a, r, s2 = torch.rand(8, 3), torch.randint(0, 2, (8,)), torch.rand(8), torch.rand(8, 3)
    with torch.no_grad():
        goal = r + 0.9 * target(s2).max(1).values
    value = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
    loss = F.smooth_l1_loss(value, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 2:
        target.load_state_dict(q.state_dict())
# %% policy gradient with a baseline
policy = nn.Linear(3, 2)
opt = torch.optim.Adam(policy.parameters())
logp, rewards = [], []
for _ in range(5):
    dist = torch.distributions.Categorical(logits=policy(torch.rand(3)))
    act = dist.sample()
    logp.append(dist.log_prob(act))
    rewards.append(1.0)
returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
returns = (returns - returns.mean()) / (returns.std() + 1e-8)
loss = -(torch.stack(logp) * returns).sum()
opt.zero_grad()
loss.backward()
opt.step()
# %% a variational autoencoder
enc, dec = nn.Linear(4, 4), nn.Linear(2, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
x = torch.rand(8, 4)
for _ in range(3):
    mu, logvar = enc(x).chunk(2, dim=1)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
    loss = F.mse_loss(dec(z), x) + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
# %% an LSTM with lengths, and a padded loss
from torch.nn.utils.rnn import pad_sequence
seqs = [torch.randint(1, 9, (n,)) for n in (5, 3)]
x = pad_sequence(seqs, batch_first=True)
emb, lstm, out = nn.Embedding(9, 4, padding_idx=0), nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 9)
h, _ = lstm(emb(x[:, :-1]))
loss = F.cross_entropy(out(h).transpose(1, 2), x[:, 1:], ignore_index=0)
loss.backward()
print(loss.item())
# %% a small convolutional net with pooling and flatten
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
out = net(torch.rand(1, 1, 8, 8))
out.sum().backward()
print(out.shape)
# %% sums of many numbers, looked at with a tolerance
x = torch.full((1000, 1000), 0.1)
print(abs(x.mean().item() - 0.1) < 1e-4, x.sum().item(), torch.rand(200_000).sum() / 200_000)
n = torch.tensor(0.0)
for _ in range(5):
    n += 1
print(n.item())
"""


def programs() -> dict[str, str]:
    """Title → source, each with the usual imports."""
    head = "import numpy as np, torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    parts = PROGRAMS.strip().split("# %% ")[1:]
    return {p.partition("\n")[0]: head + p.partition("\n")[2] for p in parts}
