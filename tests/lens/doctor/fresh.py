"""Programs that fail in ways that the reported cases do not have: (family, operands, program)."""

PROGRAMS = [
    ("broadcast-shapes", ("scores", "weights"), """
scores = torch.rand(3, 5)
weights = torch.rand(3)
weighted = scores * weights
"""),
    ("broadcast-shapes", ("total", "batch"), """
total = torch.zeros(4)
batch = torch.rand(8, 4)
total += batch
"""),
    ("broadcast-shapes", ("grid", "row"), """
grid = torch.zeros(3, 4)
row = torch.arange(4.0)
grid[:, 1:] = row
"""),
    ("broadcast-shapes", ("image", "mean"), """
image = torch.rand(3, 8, 6)
mean = torch.tensor([0.5, 0.4, 0.3])
centred = image - mean
"""),
    ("broadcast-shapes", ("photo", "mask"), """
photo = torch.rand(16, 12, 3)
mask = torch.ones(12, 16, 3)
cut = photo * mask
"""),
    ("matmul-shapes", ("queries", "keys"), """
queries = torch.rand(2, 5, 8)
keys = torch.rand(2, 7, 8)
attention = queries @ keys
"""),
    ("matmul-shapes", ("matrix", "vector"), """
matrix = torch.rand(4, 3)
vector = torch.rand(4)
y = matrix @ vector
"""),
    ("matmul-shapes", ("a", "b"), """
a = torch.rand(3, 4)
b = torch.rand(4)
y = torch.mm(a, b)
"""),
    ("matmul-shapes", ("features", "net[2].weight"), """
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(6, 2))
features = torch.rand(5, 4)
out = net(features)
"""),
    ("matmul-shapes", ("x",), """
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(2))
        self.head = nn.Linear(4 * 3 * 3, 10)

    def forward(self, x):
        x = self.features(x)
        return self.head(x)


model = Classifier()
images = torch.rand(2, 1, 8, 8)
logits = model(images)
"""),
    ("matmul-shapes", ("m",), """
m = torch.rand(2, 3)
inverse = torch.linalg.inv(m)
"""),
    ("matmul-shapes", ("u", "v"), """
u, v = torch.rand(3, 4), torch.rand(5, 4)
table = torch.einsum("ik,kj->ij", u, v)
"""),
    ("join-shapes", ("words[0]", "words[1]"), """
words = [torch.arange(3), torch.arange(5)]
batch = torch.stack(words)
"""),
    ("join-shapes", ("first", "second"), """
first, second = torch.rand(2, 3), torch.rand(4, 3)
both = torch.cat(first, second)
"""),
    ("join-shapes", ("losses[0]",), """
losses = [torch.tensor(1.0), torch.tensor(2.0)]
curve = torch.cat(losses)
"""),
    ("join-shapes", ("x",), """
x = torch.arange(10)
train, test = x.split([8, 3])
"""),
    ("join-shapes", (), """
samples = [torch.rand(3), torch.rand(5)]
loader = torch.utils.data.DataLoader(samples, batch_size=2)
for batch in loader:
    pass
"""),
    ("view-layout", ("flat",), """
flat = torch.arange(24)
table = flat.view(5, 5)
"""),
    ("view-layout", ("x",), """
x = torch.rand(8, 1, 28, 28)
rows = x.view(-1, 768)
"""),
    ("view-layout", ("batch",), """
batch = torch.rand(2, 3, 4)
turned = batch.t()
"""),
    ("view-layout", ("buffer[1:]", "buffer[:-1]"), """
buffer = torch.arange(5.0)
buffer[1:].add_(buffer[:-1])
"""),
    ("operand-dtype", ("inputs",), """
data = np.random.rand(4, 3)
inputs = torch.from_numpy(data)
model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
out = model(inputs)
"""),
    ("operand-dtype", ("counts", "prices"), """
counts = torch.tensor([1, 2, 3])
prices = torch.tensor([1.5, 2.0, 0.5])
total = counts @ prices
"""),
    ("operand-dtype", ("frames",), """
frames = torch.rand(5, 2, 3, dtype=torch.float64)
lstm = nn.LSTM(3, 4)
out, state = lstm(frames)
"""),
    ("operand-dtype", ("table", "values"), """
table = torch.zeros(4)
values = torch.tensor([1, 2])
table[torch.tensor([0, 2])] = values
"""),
    ("operand-dtype", ("pixels",), """
pixels = torch.randint(0, 255, (1, 1, 8, 8), dtype=torch.uint8)
conv = nn.Conv2d(1, 2, 3)
out = conv(pixels)
"""),
    ("inplace-cast", ("steps",), """
steps = torch.arange(4)
steps /= 2
"""),
    ("inplace-cast", ("hits", "rate"), """
hits = torch.zeros(3, dtype=torch.int64)
rate = torch.tensor([0.5, 0.2, 0.1])
hits.add_(rate)
"""),
    ("dtype-unsupported", ("scores",), """
scores = torch.tensor([1, 2, 3])
p = F.softmax(scores, dim=0)
"""),
    ("dtype-unsupported", ("torch.arange(3)",), """
weights = nn.Parameter(torch.arange(3))
"""),
    ("dtype-unsupported", ("a", "b"), """
a, b = torch.rand(4), torch.rand(4)
both = a & b
"""),
    ("dtype-unsupported", ("n",), """
n = torch.arange(1, 4)
inverse = n ** -1
"""),
    ("dtype-unsupported", (), """
noise = torch.randn(3, dtype=torch.int64)
"""),
    ("loss-target", ("logits", "y"), """
logits = torch.rand(4, 3)
y = torch.randint(3, (4, 1))
loss = F.cross_entropy(logits, y)
"""),
    ("loss-target", ("out", "labels"), """
criterion = nn.CrossEntropyLoss()
out = torch.rand(4, 3)
labels = F.one_hot(torch.tensor([0, 1, 2, 0]), 3)
loss = criterion(out, labels)
"""),
    ("loss-target", ("logits", "tokens"), """
logits = torch.rand(2, 5, 11)
tokens = torch.randint(11, (2, 5))
loss = F.cross_entropy(logits, tokens)
"""),
    ("loss-target", ("pred", "y"), """
pred = torch.rand(6, 1, requires_grad=True)
y = torch.rand(6)
loss = F.binary_cross_entropy(pred, y)
"""),
    ("loss-target", ("labels",), """
labels = torch.tensor([0, 1, -1])
loss = nn.CrossEntropyLoss()(torch.rand(3, 2), labels)
"""),
    ("loss-target", ("labels",), """
labels = torch.tensor([2, 0, 5])
codes = F.one_hot(labels, 5)
"""),
    ("index", ("x",), """
x = torch.rand(3, 4)
last = x[3]
"""),
    ("index", ("tokens",), """
embedding = nn.Embedding(10, 4)
tokens = torch.tensor([[1, 5, 10]])
vectors = embedding(tokens)
"""),
    ("index", ("probs", "labels"), """
probs = torch.rand(4, 3)
labels = torch.tensor([0, 2, 1, 1])
picked = probs.gather(1, labels)
"""),
    ("index", ("image",), """
image = torch.rand(3, 8, 8)
mirrored = image[:, :, ::-1]
"""),
    ("index", ("x", "keep"), """
x = torch.rand(4, 6)
keep = torch.tensor([True, False, True, True, False, True])
chosen = x[keep]
"""),
    ("index", ("scores",), """
scores = torch.rand(3)
best = scores.topk(5)
"""),
    ("index", ("loss",), """
loss = torch.tensor(0.3)
print(loss[0])
"""),
    ("index", ("x", "ids"), """
x = torch.rand(5, 2)
ids = torch.tensor([0.0, 1.0])
rows = torch.index_select(x, 0, ids)
"""),
    ("device", ("x", "bias"), """
x = torch.rand(2, 3)
bias = torch.zeros(3, device="meta")
y = x + bias
"""),
    ("device", (), """
if torch.cuda.is_available():
    raise AssertionError("Torch not compiled with CUDA enabled")
x = torch.rand(3).to("cuda")
"""),
    ("device", (), """
x = torch.rand(3).to("float32")
"""),
    ("inplace-autograd", ("w",), """
w = torch.rand(3, requires_grad=True)
(w ** 2).sum().backward()
w -= 0.1 * w.grad
"""),
    ("inplace-autograd", ("h",), """
w = torch.rand(3, requires_grad=True)
h = torch.sigmoid(w)
h *= 2
h.sum().backward()
"""),
    ("inplace-autograd", ("start",), """
start = torch.rand(3, requires_grad=True) * 0.1
opt = torch.optim.SGD([start], lr=0.1)
"""),
    ("inplace-autograd", ("h",), """
w = torch.rand(3, requires_grad=True)
h = w * 2
h.requires_grad = False
"""),
    ("backward", ("loss", "out"), """
net = nn.Linear(2, 1)
out = net(torch.rand(4, 2)).detach()
loss = (out ** 2).mean()
loss.backward()
"""),
    ("backward", ("loss",), """
net = nn.Linear(2, 1)
with torch.no_grad():
    out = net(torch.rand(4, 2))
    loss = out.mean()
loss.backward()
"""),
    ("backward", ("losses",), """
net = nn.Linear(2, 1)
losses = (net(torch.rand(4, 2)) - 1) ** 2
losses.backward()
"""),
    ("backward", ("loss", "w"), """
w = torch.rand(3, requires_grad=True)
loss = (w * w).sum()
loss.backward()
loss.backward()
"""),
    ("backward", ("w",), """
w = torch.rand(3, requires_grad=True)
print(np.round(w.numpy(), 2))
"""),
    ("layer-input", ("photo",), """
photo = torch.rand(8, 8, 3)
conv = nn.Conv2d(3, 4, 3)
out = conv(photo)
"""),
    ("layer-input", ("x", "norm.weight"), """
norm = nn.BatchNorm2d(3)
x = torch.rand(2, 4, 5, 5)
y = norm(x)
"""),
    ("layer-input", ("digits",), """
digits = torch.rand(6, 8, 8)
conv = nn.Conv2d(1, 2, 3)
out = conv(digits)
"""),
    ("layer-input", ("x",), """
x = torch.rand(2, 5, 3)
gru = nn.GRU(3, 4)
out, h = gru(x, torch.zeros(1, 2, 4))
"""),
    ("layer-input", ("x",), """
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.Conv2d(2, 4, 5))
x = torch.rand(1, 1, 8, 8)
out = net(x)
"""),
    ("model-bookkeeping", (), """
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]


opt = torch.optim.Adam(Stack().parameters())
"""),
    ("model-bookkeeping", (), """
class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(2, 2)


net = Net()
"""),
    ("model-bookkeeping", (), """
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net, lr=0.1)
"""),
    ("model-bookkeeping", ("w",), """
w = torch.rand(3, requires_grad=True)
w.grad.zero_()
"""),
    ("model-bookkeeping", ("out[0]",), """
lstm = nn.LSTM(3, 4)
out = lstm(torch.rand(5, 2, 3))
print(out.shape)
"""),
    ("model-bookkeeping", ("saved",), """
old, new = nn.Linear(4, 3), nn.Linear(4, 5)
saved = old.state_dict()
new.load_state_dict(saved)
"""),
    ("model-bookkeeping", ("torch.ones(2, 2)",), """
net = nn.Linear(2, 2)
net.weight = torch.ones(2, 2)
"""),
    ("create-convert", ("x > 0.5",), """
x = torch.tensor([0.1, 0.6, 0.9])
if x > 0.5:
    print("yes")
"""),
    ("create-convert", ("a > 0.2", "b > 0.2"), """
a, b = torch.rand(3), torch.rand(3)
inside = (a > 0.2) and (b > 0.2)
"""),
    ("create-convert", ("x",), """
x = torch.rand(2, 3)
y = x.astype("float64")
"""),
    ("create-convert", (), """
rows = [[1, 2, 3], [4, 5]]
x = torch.tensor(rows)
"""),
    ("create-convert", ("x",), """
x = torch.rand(3)
y = x + [1, 2, 3]
"""),
    ("create-convert", ("x",), """
x = torch.rand(3, 4)
n = x.shape(0)
"""),
    ("create-convert", ("inputs",), """
net = nn.Linear(3, 2)
inputs = np.ones((4, 3))
out = net(inputs)
"""),
    ("create-convert", (), """
n = 7
x = torch.zeros(n / 2, 3)
"""),
    ("create-convert", ("names",), """
names = ["cat", "dog", "cat"]
y = torch.tensor(names)
"""),
    ("other", ("a",), """
a = torch.rand(2, 3, 4)
place = torch.argmax(a, dim=(1, 2))
"""),
    ("other", ("m",), """
m = torch.ones(2, 2)
inverse = torch.inverse(m)
"""),
]  # fmt: skip
