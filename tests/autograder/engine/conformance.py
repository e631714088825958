"""Cells whose outputs must not tell a forked kernel from an ordinary one, by what they look at.

They print nothing that differs between two ordinary kernels. Two values that must be the same in
one notebook and different in the next are printed by the cells of SEEDS.
"""

CELLS = {
    "values": "1 + 1",
    "several expressions": "3; 'two'\n[1.0, float('nan'), 1e300, 0.1 + 0.2]",
    "imports": "import numpy as np, torch\nimport lens.en as lens\nimport matplotlib.pyplot as plt",
    "tensors": "x = torch.arange(6.).reshape(2, 3); print(x); x / 7",
    "defaults": "print(torch.get_default_dtype(), torch.get_num_threads(), "
    "torch.is_grad_enabled())\n"
    "print(torch.__config__.parallel_info().count('OpenMP'), np.get_printoptions())",
    "print options": "torch.set_printoptions(precision=2); print(torch.tensor([1 / 3]))\n"
    "torch.set_printoptions(profile='default')",
    "autograd": "w = torch.ones(3, requires_grad=True); (w * x).sum().backward(); w.grad",
    "autograd in threads": "big = torch.ones(300, 300, requires_grad=True)\n"
    "(big @ big).relu().sum().backward(); big.grad.sum()",
    "optimizer": "torch.manual_seed(0); net = torch.nn.Linear(2, 1)\n"
    "optimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
    "for _ in range(3):\n"
    "    optimizer.zero_grad(); net(torch.ones(4, 2)).pow(2).mean().backward(); optimizer.step()\n"
    "print(net); net.weight",
    "compile": "torch.compile(lambda t: t.sin() + 1, backend='eager')(torch.zeros(3))",
    "loader": "from torch.utils.data import DataLoader\nlist(DataLoader(torch.arange(5), 2))",
    "loader with workers": "list(DataLoader(torch.arange(5), 2, num_workers=2))",
    "loader that spawns": "data = torch.utils.data.TensorDataset(torch.arange(4))\n"
    "list(DataLoader(data, 2, num_workers=1, multiprocessing_context='spawn'))",
    "fork pool": "import multiprocessing as mp\n"
    "with mp.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1, -2]))",
    "spawn pool": "with mp.get_context('spawn').Pool(1) as pool: print(pool.map(abs, [-1, -2]))",
    "spawned folder": "import os\n"
    "with mp.get_context('spawn').Pool(1) as pool: print(pool.apply(os.getcwd) == os.getcwd())",
    "output of a fork": "worker = mp.get_context('fork').Process(target=print, args=('from a "
    "fork',))\n"
    "worker.start(); worker.join(); print(worker.exitcode)",
    "manual seed": "import random\n"
    "torch.manual_seed(3); np.random.seed(3); random.seed(3)\n"
    "print(torch.rand(2), np.random.rand(), random.random(), torch.initial_seed())",
    "error": "1 / 0",
    "error in a function": "def f(a):\n    b = a['missing']  # here\n    return b\n\nf({})",
    "torch error": "torch.zeros(2) + torch.zeros(3)",
    "torch error in a module": "torch.nn.Linear(2, 3)(torch.zeros(4))",
    "numpy error": "np.zeros(2).reshape(3)",
    "chained error": "try:\n    int('x')\nexcept ValueError as e:\n    raise KeyError('k') from e",
    "syntax error": "for in x",
    "indentation error": "if 1:\nprint(2)",
    "recursion": "def g(n):\n    return g(n + 1)\ng(0)",
    "recursion limit": "import sys; sys.getrecursionlimit(), sys.getswitchinterval()",
    "lens error": "lens.expect_close(torch.zeros(2), torch.ones(2))",
    "lens not attempted": "def double(x):\n    raise "
    "NotImplementedError()\nlens.attempt('double')(x)",
    "system exit": "sys.exit('done')",
    "name error": "undefined_name",
    "import error": "import no_such_module",
    "warning": "import warnings; warnings.warn('careful')",
    "warning of torch": "torch.tensor(torch.zeros(2))",
    "second warning of torch": "torch.tensor(torch.zeros(2))",
    "warning of numpy": "np.array([1.0]) / 0",
    "deprecation": "warnings.warn('old', DeprecationWarning)",
    "resize warning": "torch.sum(torch.zeros(2), out=torch.zeros(3))",
    "stderr": "print('to stderr', file=sys.stderr)",
    "file descriptor": "os.write(1, b'raw\\n'); import time; time.sleep(0.3)",
    "logging": "import logging; logging.warning('logged')",
    "input": "input('name? ')",
    "getpass": "import getpass; getpass.getpass()",
    "stdin": "repr(sys.stdin.read()), sys.stdin.isatty()",
    "figure": "plt.plot([1, 2]); plt.title('t');",
    "figure shown": "fig, ax = plt.subplots(figsize=(2, 1)); ax.imshow(torch.eye(2)); plt.show()",
    "figure as a value": "fig",
    "rcParams": "import matplotlib\n"
    "print(matplotlib.get_backend(), plt.rcParams['figure.dpi'], plt.rcParams['figure.figsize'])\n"
    "print(plt.rcParams['savefig.bbox'], plt.isinteractive(), plt.get_fignums())",
    "matplotlib magic": "%matplotlib inline\nplt.plot([2, 1]);",
    "magic that configures": "%config InlineBackend.figure_format = 'svg'\n"
    "print(get_ipython().display_formatter.active_types)",
    "display": "from IPython.display import display, HTML, Markdown\n"
    "display(HTML('<b>b</b>'), {'a': 1}); Markdown('*m*')",
    "rich value": "class R:\n    def _repr_html_(self): return '<i>r</i>'\nR()",
    "failing repr": "class B:\n    def __repr__(self): raise ValueError('no')\nB()",
    "update": "h = display('one', display_id='d'); h.update('two')",
    "clear": "from IPython.display import clear_output\nprint('gone'); clear_output(); "
    "print('stays')",
    "help": "?abs",
    "source": "double??",
    "history": "In[1], Out[12], len(In) == len(_ih), _oh is Out",
    "history magic": "%history -n 1-2",
    "who": "%who_ls function",
    "load extension": "%load_ext autoreload\n%autoreload 0",
    "capture": "%%capture kept\nprint('captured')",
    "captured": "kept.stdout",
    "write file": "%%writefile written.py\nvalue = 5",
    "import of a file": "import written; print(written.value); open('written.py').read()",
    "path": "print(sys.path[0] == '', len(sys.path), [p for p in sys.path if 'engine' in p])",
    "main": "print(__name__, sys.modules['__main__'] is not None, '__file__' in globals())\n"
    "print(sys.modules['__main__'].__dict__ is globals())",
    "argv": "print(os.path.basename(sys.argv[0]), sys.argv[1], len(sys.argv))",
    "orig_argv": "print(sys.orig_argv[1:4])",
    "flags": "print(sys.flags, sys.dont_write_bytecode, sys._xoptions, sys.warnoptions)",
    "version": "print(sys.version, sys.executable, sys.prefix)",
    "encoding": "import locale\n"
    "print(locale.getpreferredencoding(), sys.getfilesystemencoding(), sys.stdout.encoding)\n"
    "print(locale.getlocale(), locale.setlocale(locale.LC_ALL))",
    "text": "print('矩阵 é 🙂'); '步长'",
    "time zone": "print(time.tzname, time.localtime(0))",
    "environment": "print({n: os.environ.get(n) for n in "
    "('LANG', 'TZ', 'MPLBACKEND', 'TERM', 'PAGER', 'CLICOLOR', 'OPENBLAS_NUM_THREADS', "
    "'PYTHONPATH')})",
    "environment of children": "import subprocess\n"
    "print(subprocess.run(['sh', '-c', 'echo $TERM $NEW'], env={**os.environ, 'NEW': '1'}, "
    "capture_output=True, text=True).stdout)",
    "subprocess": "subprocess.run(['echo', 'direct']); "
    "subprocess.run(['sh', '-c', 'exit 3'], capture_output=True).returncode",
    "shell": "!echo from a shell",
    "shell value": "lines = !printf 'a\\nb'\nlines",
    "script": "%%bash\necho one; echo two >&2",
    "popen and wait": "p = subprocess.Popen(['sleep', '0.1']); print(p.wait(), p.poll())",
    "fork and wait": "child = os.fork()\nif child == 0: os._exit(4)\n"
    "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))",
    "signal to itself": "import signal\n"
    "r = subprocess.run([sys.executable, '-c', 'import os; os.kill(os.getpid(), 15)']); "
    "r.returncode",
    "terminal": "import pty; a, b = pty.openpty(); print(os.isatty(b)); os.close(a); os.close(b)",
    "top-level await": "import asyncio; await asyncio.sleep(0.01, 'awaited')",
    "gather": "async def one(i):\n    await asyncio.sleep(0); return i\n"
    "await asyncio.gather(one(1), one(2))",
    "threads": "import threading\n"
    "t = threading.Thread(target=lambda: print('in a thread')); t.start(); t.join()\n"
    "print(threading.current_thread().name, threading.main_thread() is threading.current_thread())",
    "thread names": "print(sorted(t.name for t in threading.enumerate() if t.name[-1] not in "
    "'0123456789)'))",
    "executor": "from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor\n"
    "with ThreadPoolExecutor(2) as e: print(list(e.map(abs, [-3])))\n"
    "with ProcessPoolExecutor(1) as e: print(list(e.map(abs, [-3])))",
    "keyboard interrupt": "import _thread\n"
    "print(signal.getsignal(signal.SIGINT).__name__, signal.getsignal(signal.SIGTERM))\n"
    "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start(); time.sleep(5)",
    "alarm": "signal.signal(signal.SIGALRM, lambda *_: print('alarm'))\n"
    "signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(0.2)",
    "signal masks": "print(signal.pthread_sigmask(signal.SIG_BLOCK, []), "
    "[s.name for s in signal.valid_signals() if isinstance(s, signal.Signals) "
    "and signal.getsignal(s) not in (signal.SIG_DFL,)])",
    "temporary files": "import tempfile\n"
    "with tempfile.TemporaryDirectory() as d: print(os.listdir(d), os.access(d, os.W_OK))\n"
    "with tempfile.NamedTemporaryFile('w+') as f: f.write('x'); f.seek(0); print(f.read())",
    "temporary folder": "print(tempfile.gettempdir() == os.environ.get('TMPDIR', '/tmp'))",
    "shared memory": "s = torch.ones(3).share_memory_(); print(s.is_shared())\n"
    "from multiprocessing.shared_memory import SharedMemory\n"
    "m = SharedMemory(create=True, size=10); m.close(); m.unlink()",
    "saving": "torch.save(net.state_dict(), 'net.pt'); torch.load('net.pt')['bias'].shape",
    "home": "print(os.path.expanduser('~') == os.environ['HOME'])",
    "garbage": "import gc; print(gc.isenabled(), gc.get_threshold(), gc.get_debug())",
    "weak references": "import weakref; k = R(); r = weakref.ref(k); del k; print(r())",
    "at exit": "import atexit; atexit.register(print, 'bye')",
    "hooks": "print(sys.excepthook.__name__, sys.displayhook is not sys.__displayhook__)\n"
    "print(sys.gettrace(), sys.getprofile())",
    "shell object": "ip = get_ipython(); print(type(ip), type(ip.kernel), ip.colors, "
    "ip.ast_node_interactivity)",
    "kernel config": "print(ip.kernel.banner.splitlines()[0]); "
    "print(ip.kernel.language_info['name'])",
    "completion": "ip.complete('os.path.basen')[1]",
    "pickling": "import pickle, copy; pickle.loads(pickle.dumps(x)).equal(x), "
    "copy.deepcopy(net).bias.shape",
    "user names": "sorted(n for n in dir() if n.startswith('_') and not n.strip('_i').isdigit())",
    "sum of floats": "sum([0.1] * 10), np.float32(0.1), f'{1e16:.1f}', 10 ** 20",
    "blas": "torch.manual_seed(1); m = torch.rand(64, 64); (m @ m).sum().item(), "
    "np.linalg.det(m.numpy())",
    "convolution": "torch.nn.functional.conv2d(torch.ones(1, 1, 5, 5), torch.ones(1, 1, 3, "
    "3)).sum()",
    "cuda": "print(torch.cuda.is_available(), torch.cuda.is_initialized())",
    "filters of warnings": "sorted(map(str, warnings.filters))",
    "dates": "import datetime; print(datetime.datetime(2024, 1, 1).astimezone().tzinfo)",
    "set order": "print(sorted({'b', 'a'}), hash(1))",
    "decimal and random state": "import decimal; print(decimal.getcontext())",
    "process": "print(mp.current_process().name, mp.active_children(), mp.get_start_method())",
    "process group": "print(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid())",
    "umask": "print(os.umask(0o22))",
    "module state": "print(logging.getLogger().level, logging.getLogger().handlers)\n"
    "print(np.geterr(), torch.is_deterministic_algorithms_enabled())",
}

# What an ordinary kernel draws anew; run before any seed is set.
SEEDS = {
    "torch": "import torch; torch.rand(2)",
    "numpy": "import numpy as np; np.random.rand()",
    "numpy generator": "np.random.default_rng().random()",
    "random": "import random; random.random()",
    "torch's seed": "torch.initial_seed()",
    "shuffle": "from torch.utils.data import DataLoader\n"
    "list(DataLoader(torch.arange(1000), 1000, shuffle=True))[0][:9]",
    "uuid": "import uuid; uuid.uuid4()",
    "secret of processes": "import multiprocessing as mp; "
    "bytes(mp.current_process().authkey).hex()",
    "temporary name": "import os, tempfile; os.path.basename(tempfile.mktemp())",
    "system": "os.urandom(4)",
}
