"""Threads: all at once, without deadlock, and without standing in each other's way."""
import gc
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse

import keratin.backend as K
from support import WAIT, child, held_child, numbers


def together(*works):
    """Runs functions in threads of their own; what one raises is raised here."""
    raised = []

    def guarded(work):
        try:
            work()
        except BaseException as error:
            raised.append(error)
    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    end = time.monotonic() + WAIT
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0))
    if raised:
        raise raised[0]
    assert not any(thread.is_alive() for thread in threads), 'a deadlock'


def test_all_at_once():
    def work(seed):
        def run():
            x = K.placeholder((None, 4))
            for i in range(6):
                w = K.variable(np.full((4, 3), seed))
                y = K.map_fn(lambda e: e * 2., K.dot(x, w))
                f = K.function([x], [y], [K.update_add(w, 1)])
                for step in range(3):
                    found, = f([np.ones((2, 4))])
                    assert (found == 8 * (seed + step)).all()
                assert (K.get_value(w) == seed + 3).all()
                assert K.eval(K.sum(w)) == 12 * (seed + 3)
        return run
    together(*[work(seed) for seed in range(4)])


def test_one_function_many_threads():
    x, v = K.placeholder((None,)), K.variable(0.)
    f = K.function([x], [K.sum(x * 2)], [K.update_add(v, 1)])

    def run():
        for i in range(200):
            data = np.full(i + 1, 3.)
            assert f([data])[0] == 6 * (i + 1)
    together(*[run] * 5)
    assert K.get_value(v) == 1000


def test_the_gil_is_free_while_code_runs():
    # A call of days, which says when it has begun. Threads keep the GIL for hours: the first one gets it from the call, or never.
    found = child('''
        import sys, threading
        import numpy as np
        import keratin.backend as K
        n = K.placeholder((), dtype='int32')
        x = K.constant(np.random.rand(96, 96) / 20)
        _, y = K.while_loop(lambda i, a: i < n, lambda i, a: [i + 1, K.tanh(K.dot(a, x))],
                            [K.constant(0, dtype='int32'), K.print_tensor(x, 'begun')])
        f = K.function([n], [K.sum(y)])
        begun = threading.Event()
        class Out:
            def write(self, text): begun.set()
            def flush(self): pass
        sys.stdout = Out()
        sys.setswitchinterval(1e4)
        threading.Thread(target=lambda: f([(1 << 31) - 1]), daemon=True).start()
        begun.wait()
        sys.__stdout__.write('free')
    ''')
    assert found.stdout == 'free' and found.returncode == 0, found.stderr


@pytest.mark.parametrize('stage', ['0-input.mlir', '5-plan.mlir', '9-asm.s'])
def test_the_gil_is_free_while_code_is_compiled(tmp_path, stage):
    found = held_child(tmp_path, stage, '''
        import threading
        import keratin.backend as K
        x = y = K.placeholder((None, 5))
        for i in range(30):
            y = K.tanh(y * i + K.sum(y, -1, keepdims=True))
        functions = []
        thread = threading.Thread(target=lambda: functions.append(K.function([x], [y], name='held')))
        thread.start()
        wait_until_held()
        print(len(functions))
        let_go()
        thread.join()
        print(len(functions))
    ''')
    assert found.stdout == '0\n1\n' and found.returncode == 0, found.stderr


def test_printing_in_calls_does_not_wait_for_itself(capsys):
    # A call holds the lock of its variables while it prints, for which it needs the GIL.
    v = K.variable(np.zeros(4))
    f = K.function([], [K.print_tensor(v, 'v')], [K.update_add(v, 1)])
    stop = threading.Event()

    def calls():
        for _ in range(100):
            f([])
        stop.set()

    def sets(how):
        def run():
            while not stop.is_set():
                how()
        return run
    together(calls, sets(lambda: K.set_value(v, np.ones(4))), sets(lambda: K.batch_set_value([(v, np.ones(4))])),
             sets(lambda: K.get_value(v)), sets(lambda: K.variable(1.)), sets(lambda: K.eval(v * 2)))


def test_files_do_not_wait_for_prints(capsys, tmp_path):
    v = K.variable(np.zeros(4), name='v')
    f = K.function([], [K.print_tensor(v, 'v')], [K.update_add(v, 1)])
    stop = threading.Event()

    def calls():
        for _ in range(50):
            f([])
        stop.set()

    def files(path, save, load):
        def run():
            while not stop.is_set():
                save(path), load(path)
        return run
    together(calls, files(str(tmp_path / 'a.npz'), lambda p: K.save_weights([v], p), lambda p: K.load_weights([v], p)),
             files(str(tmp_path / 'b.ktg'), lambda p: K.save_function(f, p), K.load_function))


def test_several_values_are_of_one_moment(tmp_path):
    # Whoever saves a model while it trains wants the values between two steps.
    v, w = (K.variable(np.zeros((64, 64)), name=name) for name in ('first', 'second'))
    f = K.function([], [K.max(K.abs(v - w))], [K.update_add(v, K.ones_like(v)), K.update_add(w, K.ones_like(w))])
    there, beside, graph = (str(tmp_path / name) for name in ('there.npz', 'beside.npz', 'graph.ktg'))
    f.save_weights(there)
    stop = threading.Event()

    def rounds(count, how):
        def run():
            try:
                for _ in range(count):
                    first, second = how()
                    assert first.tobytes() == second.tobytes()
            finally:
                stop.set()
        return run

    def calls():
        while not stop.is_set():
            assert f([])[0] == 0

    def weights():
        f.save_weights(beside)
        with np.load(beside) as values:
            return values['first'], values['second']

    def functions():
        f.save(graph)
        return K.batch_get_value(K.load_function(graph).variables)

    def sets():
        K.batch_set_value([(v, np.full((64, 64), 7.)), (w, np.full((64, 64), 7.))])
        return K.batch_get_value([v, w])

    def loads():
        f.load_weights(there)
        return K.batch_get_value([v, w])
    for count, how in (200, weights), (100, functions), (2000, sets), (200, loads):
        stop.clear()
        together(rounds(count, how), calls)


def test_sparse_and_dense_values_are_of_one_moment(monkeypatch):
    sparse, dense = K.variable(scipy.sparse.csr_matrix(np.eye(3))), K.variable(np.eye(3))

    class Writer(object):
        """Another thread sets both while something between them is computed."""
        def write(self, text):
            together(lambda: K.batch_set_value([(sparse, 2 * np.eye(3)), (dense, 2 * np.eye(3))]))

        def flush(self):
            pass
    monkeypatch.setattr(sys, 'stdout', Writer())
    first, number, second = K.batch_get_value([sparse, K.print_tensor(K.constant(1.)), dense])
    assert number == 1 and first.tolist() == second.tolist() == (2 * np.eye(3)).tolist()


def test_a_callable_may_take_its_time():
    inside, leave = threading.Event(), threading.Event()

    def slow(e):
        inside.set()
        assert leave.wait(WAIT)
        return e * 2

    def build():
        assert K.eval(K.sum(K.map_fn(slow, K.constant([1., 2.])))) == 6

    def others():
        assert inside.wait(WAIT)
        x = K.placeholder((2,))
        assert K.function([x], [K.exp(x) * 0 + 1])([[1, 2]])[0].tolist() == [1, 1]
        v = K.variable(1.)
        K.set_value(v, 2.)
        assert K.get_value(v) == 2
        gc.collect()
        leave.set()
    together(build, others)


def test_threads_inside_of_callables():
    def step(e):
        found = []
        together(lambda: found.append(K.eval(K.exp(K.constant(0.)))))
        return e * found[0]
    assert K.eval(K.map_fn(step, K.constant([1., 2.]))).tolist() == [1, 2]


def test_dropping_in_other_threads():
    class Constraint:
        def __init__(self, all):
            self.all = all

        def __call__(self, w):
            return w

        def __del__(self):
            self.all.append(K.eval(K.constant(1.)))
    dropped, kept = [], []

    def make():
        for i in range(50):
            v = K.variable(float(i), constraint=Constraint(dropped))
            kept.append([v, v * 2, K.function([], [v])])

    def drop():
        while len(dropped) < 50:
            if kept:
                kept.pop()
            gc.collect()
            K.constant(0.)  # what the graph has let go is destroyed with the next function
    together(make, drop)
    assert len(dropped) == 50 and all(value == 1 for value in dropped)


def test_scopes_belong_to_threads():
    ready, names = threading.Barrier(2), {}

    def work(name):
        def run():
            with K.name_scope(name):
                ready.wait(WAIT)
                names[name] = K.constant(1.).name
                ready.wait(WAIT)
        return run
    together(work('left'), work('right'))
    assert names['left'].startswith('left/') and names['right'].startswith('right/')


def test_exceptions_in_threads_stay_there():
    def fail():
        with pytest.raises(ValueError, match='^dot'):
            for _ in range(100):
                K.map_fn(lambda e: K.dot(e, e), K.constant(np.ones((2, 3, 4))))

    def work():
        for i in range(20):
            assert K.eval(K.sum(K.constant(np.ones(i + 1)) * 2)) == 2 * i + 2
    together(fail, work, fail, work)


def test_switching_often():
    # Every few microseconds, where threads would otherwise have the GIL for 5 milliseconds.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        test_all_at_once()
        test_one_function_many_threads()
    finally:
        sys.setswitchinterval(interval)


def test_a_first_import_in_a_thread():
    found = child('''
        import sys, threading
        def work():
            import keratin.backend as K
            sys.stdout.write('%s\\n' % K.eval(K.constant(2.) * 2))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
    ''')
    assert found.stdout == '4.0\n' * 4 and found.returncode == 0, found.stderr
