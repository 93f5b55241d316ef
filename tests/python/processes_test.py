"""Processes: fork, spawn, signals, and how they end."""
import multiprocessing
import os
import signal

import numpy as np
import pytest

import keratin.backend as K
from support import WAIT, child, held_child, numbers


def trained(steps):
    """What a child does: builds, compiles, calls."""
    x, w = K.placeholder((None, 3)), K.variable(np.zeros((3, 1)))
    loss = K.mean(K.square(K.dot(x, w) - 1))
    f = K.function([x], [loss], [(w, w - .1 * K.gradients(loss, [w])[0])])
    return [float(f([np.ones((4, 3))])[0]) for _ in range(steps)]


# Made before any fork, with the threads that big products want.
SHARED = K.placeholder((None, 256))
BIG = K.variable(numbers(256, 256))
FUNCTION = K.function([SHARED], [K.sum(K.dot(SHARED, BIG))])


def called(rows):
    return float(FUNCTION([np.ones((rows, 256), 'float32')])[0])


@pytest.mark.parametrize('method', ['fork', 'spawn', 'forkserver'])
def test_multiprocessing(method, monkeypatch):
    expected, mine = trained(3), called(500)
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    with multiprocessing.get_context(method).Pool(2) as pool:
        np.testing.assert_allclose(pool.apply_async(trained, (3,)).get(WAIT), expected, rtol=1e-5)
        np.testing.assert_allclose(pool.map_async(called, [500, 500]).get(WAIT), [mine] * 2, rtol=1e-5)
    assert called(500) == mine


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_fork_while_threads_call_and_compile():
    found = child('''
        import os, threading
        import numpy as np
        import keratin.backend as K
        x = K.placeholder((None, 64))
        f = K.function([x], [K.sum(K.dot(x, K.constant(np.ones((64, 64)))))])
        stop = threading.Event()
        def calls():
            while not stop.is_set():
                f([np.ones((64, 64), 'float32')])
        threads = [threading.Thread(target=calls) for _ in range(2)]
        for t in threads: t.start()
        for _ in range(10):
            pid = os.fork()
            if pid == 0:
                os._exit(0)  # as what only execs
            assert os.waitpid(pid, 0)[1] == 0
        stop.set()
        for t in threads: t.join()
        print(f([np.ones((1, 64))])[0])
    ''')
    assert found.stdout == '4096.0\n' and found.returncode == 0, found.stderr


# Ctrl-C comes in the middle of a compilation, which goes on when the next look for signals is due (one every 100 ms).
INTERRUPTED = '''
    import signal, threading, time
    import numpy as np
    import keratin.backend as K
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the tests may ignore it
    def compiled():
        x = y = K.placeholder((None, 5))
        for i in range(30):
            y = K.tanh(K.dot(y, K.variable(np.ones((5, 5)))) + K.sum(y, -1, keepdims=True))
        return K.function([x], K.gradients(K.sum(y), [x]), name='held')
    def interrupt():
        wait_until_held()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(.2)
        let_go()
    threading.Thread(target=interrupt).start()
'''


def interrupted(folder, *pieces):
    return held_child(folder, '0-input.mlir', INTERRUPTED, *pieces)


def test_ctrl_c_ends_a_compilation(tmp_path):
    found = interrupted(tmp_path, '''
    try:
        compiled()
    except KeyboardInterrupt:
        print('interrupted', last())
    x = K.placeholder((2,))
    print(K.function([x], [x * 2])([[1, 2]])[0].tolist())
    ''')
    assert found.stdout == 'interrupted False\n[2.0, 4.0]\n' and found.returncode == 0, found.stderr


def test_ctrl_c_without_a_handler_ends_the_program(tmp_path):
    found = interrupted(tmp_path, 'compiled()')
    assert found.returncode == -signal.SIGINT and 'KeyboardInterrupt' in found.stderr
    assert os.listdir(tmp_path) == ['held.0-input.mlir']


def test_handlers_that_do_not_raise_do_not_disturb(tmp_path):
    found = interrupted(tmp_path, '''
    seen = []
    signal.signal(signal.SIGINT, lambda *unused: seen.append(last()))
    f = compiled()
    print(seen, last(), len(f([np.ones((2, 5))])))
    ''')
    assert found.stdout == '[False] True 1\n' and found.returncode == 0, found.stderr


def test_dumps_do_not_change_how_often_a_compilation_looks_up(tmp_path, monkeypatch):
    def steps():
        told = []
        x = K.placeholder((3,))
        K.function([x], [K.tanh(x) * 2], name='told', progress=lambda *step: told.append(step))
        return told
    expected = steps()
    monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path))
    assert steps() == expected and os.listdir(tmp_path)


LONG = '''
    import os, signal, sys, threading, time
    import numpy as np
    import keratin.backend as K
    n = K.placeholder((), dtype='int32')
    x = K.constant(np.random.rand(200, 200) / 20)
    i, a = K.while_loop(lambda i, a: i < n, lambda i, a: [i + 1, K.tanh(K.dot(a, x))],
                        [K.constant(0, dtype='int32'), x])
    f = K.function([n], [K.sum(a)])
    p = K.function([n], [K.print_tensor(K.sum(a), 'p')])
    def compiles():
        while True: K.function([n], [K.sum(a) + np.random.rand()])
    def calls():
        while True: f([1 << 30])
    def prints():
        while True: p([1])
    def builds():
        while True: K.map_fn(lambda e: e * 2, x)
    def start(*works):
        for work in works: threading.Thread(target=work, daemon=True).start()
        time.sleep(.3)
'''


@pytest.mark.parametrize('work', ['compiles', 'calls', 'prints', 'builds', 'compiles, calls, prints, builds'])
def test_daemon_threads_at_exit(work):
    found = child(LONG, 'start(%s)' % work, "print('end', file=sys.stderr)")
    assert found.returncode == 0 and found.stderr == 'end\n', found.stderr


@pytest.mark.parametrize('end, code', [('sys.exit(3)', 3), ('1 / 0', 1), ('os._exit(4)', 4), ('pass', 0)])
def test_exit_codes(end, code):
    assert child(LONG, 'start(calls)', end).returncode == code


def test_what_is_alive_at_exit():
    found = child(LONG, '''
    import atexit, gc
    class Late:
        def __init__(self): self.v = K.variable(1., constraint=self.constrain)
        def constrain(self, w): return w
        def __del__(self): print(K.eval(self.v))
    late = Late()
    x.late, f.late, x.itself = Late(), f, x
    result, = f([1])
    sys.modules['keeps'] = [x, f, result, K.name_scope('open').__enter__()]
    atexit.register(lambda: print('at exit', float(f([0])[0]) > 0))
    scope = K.name_scope('left open')
    scope.__enter__()
    ''')
    assert found.returncode == 0 and found.stderr == '' and 'at exit True\n' in found.stdout, found.stdout


def test_an_exception_at_exit_with_tensors_in_its_frames():
    found = child(LONG, '''
    def fail(e):
        y = e * 2
        raise RuntimeError('in the callable')
    K.map_fn(fail, x)
    ''')
    assert found.returncode == 1 and found.stderr.strip().endswith('RuntimeError: in the callable')


def test_closed_stdout():
    found = child(LONG, '''
    sys.stdout = None
    p([1])
    sys.stdout = object()
    p([1])
    sys.stdout = sys.__stdout__
    p([0])
    ''')
    assert found.returncode == 0 and found.stdout.startswith('p ') and found.stdout.count('\n') == 1


def test_import_is_quiet_and_leaves_handlers_alone():
    found = child('''
        import signal, threading
        before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV)]
        import keratin
        assert before == [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV)]
        assert threading.active_count() == 1
    ''')
    assert (found.returncode, found.stdout, found.stderr) == (0, '', '')


@pytest.mark.skipif('KERATIN_TEST_SHADOWS' not in os.environ, reason='the library that ctest names')
def test_libraries_of_others_with_the_same_symbols(tmp_path):
    found = child('''
    import ctypes, os, sys
    ctypes.CDLL(os.environ['KERATIN_TEST_SHADOWS'], ctypes.RTLD_GLOBAL)
    flags = sys.getdlopenflags()
    import keratin.backend as K
    assert sys.getdlopenflags() == flags
    x = K.placeholder((2,))
    K.function([x], [x * 2]).save('f.ktg')
    print(K.load_function('f.ktg')([[1, 2]])[0].tolist())
    ''', cwd=tmp_path)
    assert found.stdout == '[2.0, 4.0]\n' and found.returncode == 0, found.stderr
