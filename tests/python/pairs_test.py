"""Pairs of features that must not undo each other: docs/testing.md has the table."""
import importlib.util
import os
import pathlib
import platform
import signal
import sys
import threading

import numpy as np
import pytest

import keratin
import keratin.backend as K
from keratin import _native
from support import WAIT, child, source

EMULATOR = pathlib.Path(_native.library_folder()) / 'libkeratin_cuda_emulator.so'
A = np.arange(6, dtype='float32').reshape(2, 3)
PROGRAM = '''
    import os, signal, threading
    import numpy as np
    import keratin
    import keratin.backend as K
    from support import source
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the tests may ignore it
    a = np.arange(6, dtype='float32').reshape(2, 3)
    def interrupt(*unused):
        os.kill(os.getpid(), signal.SIGINT)
    def refused(call, *arguments):
        try:
            call(*arguments)
        except (ArithmeticError, ValueError, RuntimeError) as error:
            return '%s: %s' % (type(error).__name__, error)
'''


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    """Code of this process only, unless a test says otherwise."""
    monkeypatch.setenv('KERATIN_CACHE', 'off')
    monkeypatch.delenv('KERATIN_DUMP_DIR', raising=False)


def program(*pieces, **environment):
    """The lines that a program in a process of its own writes."""
    everything = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), **environment)
    found = child(PROGRAM, *pieces, env=everything)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def interrupted(progress_stage, call, progress_next=None):
    """A call of the user's that hears Ctrl-C at this stage, and in this step of it."""
    def progress(function, stage, done, of, what):
        if stage == progress_stage and progress_next in (None, what):
            signal.raise_signal(signal.SIGINT)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            call(progress)
    finally:
        signal.signal(signal.SIGINT, usual)


def together(*works):
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()


# The store of the process

def test_equal_functions_have_one_code():
    def made(name):
        x = K.placeholder((None, 3), name=name)
        return K.function([x], [K.tanh(x) * K.exp(x)], name='of_' + name)
    first, second = made('u'), made('v')
    assert [source(first), source(second)] == ['compiler', 'process']
    assert second.name == 'of_v' and second.input_names == ['v']
    assert second([A])[0].tolist() == first([A])[0].tolist()
    with pytest.raises(ValueError, match=r"of_v.*'v'.*shape \(2, 2\)"):
        second([A[:, :2]])


def test_progress_is_told_of_what_is_compiled_alone():
    x, seen = K.placeholder((11, 3)), []
    functions = [K.function([x], [K.tanh(x) * K.exp(x)], progress=lambda *step: seen.append(step[1])) for _ in 'ab']
    assert [source(f) for f in functions] == ['compiler', 'process']
    assert seen.count('graph') > 0 and seen.count('link') == 2  # a step and the stage's end


def test_progress_has_an_end_where_other_constants_have_the_code(tmp_path):
    x, told = K.placeholder((19, 3)), []

    def made(factor, progress=lambda *step: told.append(step[1:4])):
        return K.function([x], [K.tanh(x * factor + .7)], name='f', progress=progress)
    every = ['graph', 'grad', 'simplified', 'fused', 'plan', 'host', 'kernels', 'llvm', 'link']
    for factor, where, stages in ((1.3, 'compiler', every), (1.4, 'compiler', every), (1.5, 'process', every[:4] + ['link']),
                                  (1.5, 'process', [])):
        del told[:]
        f = made(factor)
        assert source(f) == where and [stage for stage, done, of in told if done == of] == stages
        np.testing.assert_allclose(f([np.ones((19, 3))])[0], np.tanh(factor + .7), rtol=1e-5)
    # It is an end like others: what is interrupted there is not made.
    interrupted('link', lambda progress: made(1.6, progress))
    del told[:]
    assert source(made(1.6)) == 'process' and told[-1] == ('link', 1, 1)
    # So it is with code on the disk: each program comes with a constant of its own.
    text = '''
    x, told = K.placeholder((19, 4)), []
    f = K.function([x], [K.tanh(x * float(os.environ['FACTOR']) + .7)], progress=lambda *step: told.append(step[1:4]))
    print(source(f), *[stage for stage, done, of in told if done == of])
    '''
    found = [program(text, KERATIN_CACHE=str(tmp_path / 'cache'), FACTOR=factor) for factor in ('1.3', '1.4', '1.5')]
    assert found == [[' '.join(['compiler'] + every)]] * 2 + [[' '.join(['disk'] + every[:4] + ['link'])]]


def test_a_time_limit_is_no_limit_where_code_is_there():
    x = K.placeholder((12, 3))
    for _ in range(2):  # what was not finished leaves nothing
        with pytest.raises(RuntimeError, match='takes longer than'):
            K.function([x], [K.tanh(x) * K.exp(x)], time_limit=1e-9)
    f = K.function([x], [K.tanh(x) * K.exp(x)], time_limit=WAIT)
    g = K.function([x], [K.tanh(x) * K.exp(x)], time_limit=1e-9)
    assert [source(f), source(g)] == ['compiler', 'process']


def test_what_was_interrupted_is_compiled_again():
    x = K.placeholder((13, 3))
    for stage in 'graph', 'fused', 'plan', 'kernels', 'llvm', 'link':
        interrupted(stage, lambda progress: K.function([x], [K.tanh(x) * K.exp(x)], progress=progress))
    assert source(K.function([x], [K.tanh(x) * K.exp(x)])) == 'compiler'


OPTIONS = [{'check_numbers': True}, {'memory_budget': 1 << 20}, {'assume_equal_sizes': False}, {'target': 'cpu'},
           {'time_limit': 60}, {'keep_on_device': True}, {'prepare_weights': False}]


@pytest.mark.parametrize('option', OPTIONS, ids=lambda each: list(each)[0])
def test_options_that_change_code_have_their_own(option):
    columns = 20 + OPTIONS.index(option)  # what no other test has
    x, y = K.placeholder((None, columns)), K.placeholder((None, columns))
    product = K.tanh(x) * K.exp(y)

    def made(**options):
        return K.function([x, y], [product], name='f', **options)
    plain, first, second = made(), made(**option), made(**option)
    changes = set(option) & {'check_numbers', 'memory_budget', 'assume_equal_sizes', 'prepare_weights'}
    assert [source(f) for f in (plain, first, second)] == ['compiler', 'compiler' if changes else 'process', 'process']
    for f in plain, first, second:  # sizes that are equal, and others
        assert f([np.ones((2, columns))] * 2)[0].shape == f([np.ones((2, columns)), np.ones((1, columns))])[0].shape


@pytest.mark.parametrize('names', [('one', 'two'), ('one word', 'two words')], ids=['words', 'phrases'])
def test_checks_of_code_that_was_there_name_their_own(names):
    columns, functions = 26 + len(names[0]), []
    for line, name in enumerate(names, 10):
        x, w = K.placeholder((None, columns), name='x ' + name), K.variable(np.ones((columns,)), name='w ' + name)
        scope = {'K': K, 'x': x, 'w': w}
        with K.name_scope('of ' + name):
            exec(compile('\n' * (line - 1) + 'y = K.log(x * w)', 'model.py', 'exec'), scope)
        f = K.function([x], [scope['y']], check_numbers=True)
        functions.append(f)
        ones = np.ones((1, columns))
        with pytest.raises(FloatingPointError, match=r"log: made -infinity of 0 .*, in scope 'of %s'; at model.py:%d" % (name, line)):
            f([ones * 0])
        with pytest.raises(FloatingPointError, match=r"input 'x %s': holds NaN" % name):
            f([ones * np.nan])
        K.set_value(w, ones[0] * np.inf)
        with pytest.raises(FloatingPointError, match=r"variable 'w %s': holds infinity" % name):
            f([ones])
    assert [source(f) for f in functions] == ['compiler', 'process']


def test_sizes_of_other_names_share_code_and_say_their_own():
    def made(name, **limits):
        x = K.placeholder((K.Dim(name, **limits), 4), name='x')
        return K.function([x], [K.tanh(x) * K.exp(x)], name=name)
    functions = [made('batch', max=4), made('rows', max=4), made('items', max=5), made('entries')]
    assert [source(f) for f in functions] == ['compiler', 'process', 'compiler', 'compiler']
    for f, name in zip(functions[:2], ('batch', 'rows')):
        assert f([np.ones((4, 4))])[0].shape == (4, 4)
        with pytest.raises(ValueError, match=name):
            f([np.ones((5, 4))])
    assert functions[2]([np.ones((5, 4))])[0].shape == (5, 4)


def test_the_other_code_for_sizes_that_differ_is_there_too():
    x, y = K.placeholder((None, 6)), K.placeholder((None, 6))
    product = K.tanh(x) * K.exp(y)
    f = K.function([x, y], [product], time_limit=WAIT, name='f')
    assert f([np.ones((3, 6)), np.ones((1, 6))])[0].shape == (3, 6)
    others = [K.function([x, y], [product], assume_equal_sizes=assumed, name='f') for assumed in (True, False)]
    assert [source(each) for each in (f, *others)] == ['compiler', 'process', 'process']


def test_messages_about_sizes_say_those_of_the_function():
    functions = []
    for name in 'two words', 'two others', 'one', 'three':
        x = K.placeholder((None, None), name=name)
        functions.append(K.function([x], [K.reshape(K.exp(x), (-1, 4))], name='f'))
        with pytest.raises(ValueError, match=r'reshape: \(%s_dim0, %s_dim1\) cannot take' % (name, name)):
            functions[-1]([np.ones((3, 3))])
    assert [source(f) for f in functions] == ['compiler', 'process', 'process', 'process']


def test_plans_keep_to_the_budget_of_their_function():
    def made(**options):
        x = K.placeholder((4, 30, 16))
        w = K.variable(np.eye(16))

        def step(e, states):
            h = K.tanh(K.dot(e, w) + states[0])
            return h, [h]
        last = K.rnn(step, x, [K.zeros((4, 16))])[0]
        return K.function([x], K.gradients(K.sum(last), [w]), **options)
    free = made()
    budget = free.arena_bytes * 3 // 4
    kept, again = made(memory_budget=budget), made(memory_budget=budget)
    assert [source(f) for f in (free, kept, again)] == ['compiler', 'compiler', 'process']
    assert again.arena_bytes == kept.arena_bytes <= budget and again.memory_plan == kept.memory_plan
    values = np.random.RandomState(1).standard_normal((4, 30, 16)).astype('float32') / 4
    np.testing.assert_array_equal(again([values])[0], kept([values])[0])
    np.testing.assert_allclose(again([values])[0], free([values])[0], rtol=1e-3)


def test_equal_functions_have_variables_of_their_own(tmp_path):
    def made(value):
        x, w = K.placeholder((None, 7)), K.variable(np.full((7,), value), name='w')
        return K.function([x], [K.sum(x * w)], [(w, w * 2)])
    first, second = made(1.), made(3.)
    assert [source(first), source(second)] == ['compiler', 'process']
    first.save_weights(tmp_path / 'w.npz')
    ones = np.ones((1, 7))
    assert [float(f([ones])[0]) for f in (first, second, first, second)] == [7, 21, 14, 42]
    first.load_weights(tmp_path / 'w.npz')
    assert [float(f([ones])[0]) for f in (first, second)] == [7, 84]


@pytest.mark.parametrize('steps', [False, True], ids=['values', 'gradients'])
def test_a_loaded_function_has_the_code_of_one_that_was_loaded(tmp_path, steps):
    x, w = K.placeholder((None, 8), name='x'), K.variable(np.ones((8,)), name='w')
    loss = K.sum(K.tanh(x * w))
    f = K.function([x], [loss], [(w, w - K.gradients(loss, [w])[0])] if steps else [], name='f')
    f.save(tmp_path / 'f.ktg')
    first, second = K.load_function(tmp_path / 'f.ktg'), K.load_function(tmp_path / 'f.ktg')
    assert source(second) == 'process'
    assert steps or source(first) == 'process'  # gradients are saved as ops: another graph
    values = np.ones((2, 8))
    assert first([values])[0] == second([values])[0] == f([values])[0]


def test_dumps_show_a_compilation_though_code_is_there(tmp_path, monkeypatch):
    x = K.placeholder((14, 3))
    sources = [source(K.function([x], [K.tanh(x) * K.exp(x)], name='seen'))]
    monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path))
    sources.append(source(K.function([x], [K.tanh(x) * K.exp(x)], name='seen')))
    assert 'seen.9-asm.s' in os.listdir(tmp_path)
    monkeypatch.delenv('KERATIN_DUMP_DIR')
    sources.append(source(K.function([x], [K.tanh(x) * K.exp(x)], name='seen')))
    assert sources == ['compiler', 'compiler', 'process']


def test_of_threads_with_equal_functions_one_compiles():
    x, functions, told = K.placeholder((15, 3)), [], []

    def work():
        functions.append(K.function([x], [K.tanh(x) * K.exp(x)], progress=lambda *step: told.append(step[1])))
    together(*[work] * 6)
    assert sorted(map(source, functions)) == ['compiler'] + ['process'] * 5
    assert told.count('link') == 2


def test_another_thread_compiles_what_one_has_given_up():
    x, functions = K.placeholder((16, 3)), []
    waits, second = threading.Event(), None

    def made(progress):
        return K.function([x], [K.tanh(x) * K.exp(x)], progress=progress)

    def give_up(function, stage, *unused):
        nonlocal second
        if not second:
            second = threading.Thread(target=lambda: functions.append(made(lambda f, stage, *unused: waits.set())))
            second.start()
        assert waits.wait(WAIT)
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        made(give_up)
    second.join(WAIT)
    assert source(functions[0]) == 'compiler' and source(made(None)) == 'process'


HOLDS = '''
    x, made, holds, leave = K.placeholder((7, 3)), [], threading.Event(), threading.Event()
    def compiles(progress=None):
        return K.function([x], [K.tanh(x) * K.exp(x)], progress=progress)
    def hold(*unused):
        holds.set()
        leave.wait()
    thread = threading.Thread(target=lambda: made.append(compiles(hold)))
    thread.start()
    holds.wait()
'''


def test_ctrl_c_ends_waiting_for_the_code_of_another_thread():
    # The signal comes when the main thread is about to wait, or does already.
    assert program(HOLDS, '''
    import sys
    main = threading.main_thread().ident
    def interrupt_main():
        while sys._current_frames()[main].f_code.co_name != 'function':
            leave.wait(.001)
        interrupt()
    try:
        threading.Thread(target=interrupt_main).start()
        compiles()
    except KeyboardInterrupt:
        print('interrupted', len(made))
    leave.set()
    thread.join()
    print(source(made[0]), source(compiles()))
    ''') == ['interrupted 0', 'compiler process']


def test_progress_may_fork():
    assert program('''
    x, ends = K.placeholder((7, 3)), []
    def fork(*unused):
        child = os.fork()
        if child == 0:
            os._exit(len(ends))
        ends.append(os.waitpid(child, 0)[1] >> 8)
    f = K.function([x], [K.tanh(x) * K.exp(x)], progress=fork)
    print(source(f), len(ends) > 9, ends == list(range(len(ends))), f([np.zeros((7, 3))])[0].sum())
    ''') == ['compiler True True 0.0']


def test_children_have_the_code_of_their_parent():
    assert program('''
    def compiles():
        x = K.placeholder((None, 3))
        return K.function([x], [K.log(x)], check_numbers=True, name='f')
    f = compiles()
    child = os.fork()
    if child == 0:
        g = compiles()
        print(source(g), g([a + 1])[0].tolist() == np.log(a + 1).tolist(), refused(f, [a]) == refused(g, [a]),
              refused(g, [a])[:34], flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print(source(f))
    ''') == ['process True True FloatingPointError: f: log: made -', 'compiler']


def test_ctrl_c_in_a_child_is_its_own():
    assert program('''
    x = K.placeholder((7, 3))
    child = os.fork()
    if child == 0:
        try:
            K.function([x], [K.tanh(x)], progress=interrupt)
        except KeyboardInterrupt:
            print('interrupted', flush=True)
        f = K.function([x], [K.tanh(x)])
        os._exit(len(f([np.zeros((7, 3))])))
    print(os.waitpid(child, 0)[1] >> 8, source(K.function([x], [K.tanh(x)])))
    ''') == ['interrupted', '1 compiler']


# What a function is told to do, together

def rnn_gradients(**options):
    """Of a loop, log in which makes -inf of zeros."""
    x, w = K.placeholder((2, 9, 4), name='x'), K.variable(np.eye(4), name='w')

    def step(e, states):
        h = K.log(K.dot(e, w) + states[0])
        return h, [h]
    loss = K.sum(K.rnn(step, x, [K.ones((2, 4))])[0])
    return K.function([x], K.gradients(loss, [w]), name='f', **options)


def test_a_budget_is_chosen_within_the_time_limit_and_keeps_checks():
    with pytest.raises(RuntimeError, match='takes longer than'):
        rnn_gradients(memory_budget=800, time_limit=1e-9)
    stages = []
    f = rnn_gradients(memory_budget=800, check_numbers=True, progress=lambda function, stage, *unused: stages.append(stage))
    assert stages[0] == 'budget' and stages[-1] == 'link'
    with pytest.raises(FloatingPointError, match=r'f: log: made NaN of -.* at element \[0, 0\], step 0; at .*pairs_test.py'):
        f([np.full((2, 9, 4), -3)])


def test_both_codes_for_sizes_check_numbers():
    x, y = K.placeholder((None, 3)), K.placeholder((None, 3))
    f = K.function([x, y], [K.log(x + y)], check_numbers=True)
    for other, where in (-A, r'\[0, 0\]'), (-A[1:], r'\[0, 0\]'), (A[:1] - 2, r'\[0, 0\]'):
        with pytest.raises(FloatingPointError, match='log: made .* at element ' + where):
            f([A, other])
        assert np.isfinite(f([A + 9, other])[0]).all()


def test_checks_in_threads_tell_each_its_own():
    x = K.placeholder((None,))
    f, found = K.function([x], [K.log(x)], check_numbers=True), {}

    def calls(i):
        def run():
            values = np.ones(8)
            values[i] = 0
            for _ in range(20):
                with pytest.raises(FloatingPointError, match=r'at element \[%d\]' % i):
                    f([values])
            found[i] = f([values + 1])[0].shape
        return run
    together(*[calls(i) for i in range(8)])
    assert len(found) == 8


def test_the_other_code_for_sizes_is_compiled_in_silence_and_within_the_limit():
    x, y = K.placeholder((None, 9)), K.placeholder((None, 9))
    product, told = K.tanh(x) * K.exp(y), []

    def made(**options):
        return K.function([x, y], [product], name='f', **options)
    first = made(progress=lambda *step: told.append(step))
    known = len(told)
    limited = made(time_limit=1e-9)
    assert source(limited) == 'process'
    nine, one = np.ones((9, 9)), np.ones((1, 9))
    assert limited([nine, nine])[0].shape == (9, 9)
    with pytest.raises(RuntimeError, match="function 'f' takes longer than"):
        limited([nine, one])
    assert first([nine, one])[0].shape == (9, 9) and len(told) == known
    assert limited([nine, one])[0].shape == limited([one, nine])[0].shape == (9, 9)


def test_dumps_of_both_codes_for_sizes(tmp_path, monkeypatch):
    monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path / 'made'))
    x, y = K.placeholder((None, 10), name='x'), K.placeholder((None, 10), name='y')
    f = K.function([x, y], [K.tanh(x) * K.exp(y)], name='f')
    first = {path.name: path.read_bytes() for path in (tmp_path / 'made').iterdir()}
    assert f([np.ones((3, 10)), np.ones((1, 10))])[0].shape == (3, 10)
    both = {path.name: path.read_bytes() for path in (tmp_path / 'made').iterdir()}
    # What was there stays as it was, and beside each file is that of the other code.
    def other(file):
        name, _, ending = file.rpartition('.')
        return name + '.general.' + ending
    assert 'f.9-asm.s' in first and len(first) == 10
    assert set(both) == set(first) | set(map(other, first)) and {file: both[file] for file in first} == first
    assert b'assumed' in both['f.5-plan.mlir'] and b'assumed' not in both['f.5-plan.general.mlir']
    # So it is ahead of time, and for several processors.
    monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path / 'ahead'))
    keratin.compile_model(f, tmp_path / 'libf.so')
    assert set(os.listdir(tmp_path / 'ahead')) == set(both)
    if platform.machine() == 'x86_64':
        monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path / 'multi'))
        keratin.compile_model(f, tmp_path / 'libg.so', cpu='multi')
        found = os.listdir(tmp_path / 'multi')
        assert {'f.5-plan.mlir', 'f.9-asm.x86-64-v3.s', 'f.9-asm.general.x86-64-v3.s'} <= set(found) and 'f.9-asm.s' not in found


def test_dumps_of_threads(tmp_path, monkeypatch):
    monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path))
    x, made = K.placeholder((18, 3)), []
    together(*[lambda i=i: made.append(K.function([x], [K.tanh(x) + i], name='f%d' % i)) for i in range(4)])
    files = sorted(os.listdir(tmp_path))
    assert len(made) == 4 and len(files) == 40
    assert len({file.partition('.')[2] for file in files}) == 10


# Code on the disk: programs that run twice with one cache folder. The second time all is there.

def twice(folder, *pieces, **environment):
    """The lines of both times. The second writes no file."""
    cache = folder / 'cache'

    def files():
        return {path.name: path.stat().st_ino for path in cache.iterdir()}
    first = program(*pieces, KERATIN_CACHE=str(cache), **environment)
    written = files()
    second = program(*pieces, KERATIN_CACHE=str(cache), **environment)
    assert files() == written
    return first, second


KEPT = {
    'a step with progress': '''
    x, y, w = K.placeholder((None, 3)), K.placeholder((None,)), K.variable(np.zeros((3,)), name='w')
    loss = K.mean(K.square(K.sum(x * w, -1) - y))
    told = []
    f = K.function([x, y], [loss], [(w, w - .01 * K.gradients(loss, [w])[0])], progress=lambda *step: told.append(step))
    print(source(f), [float(f([a, [1, 2]])[0]) for _ in 'abc'], K.get_value(w).tolist())
    assert (source(f) == 'compiler') == bool(told)
    ''',
    'a time limit': '''
    x = K.placeholder((2, 3))
    f = K.function([x], [K.tanh(x)], time_limit=300)
    print(source(f), f([a])[0].tolist())
    assert source(f) == 'compiler' or source(K.function([x], [K.tanh(x)], time_limit=1e-9)) == 'process'
    ''',
    'check_numbers': '''
    x = K.placeholder((2, 3))
    f = K.function([x], [K.log(x)], check_numbers=True, name='f')
    print(source(f), refused(f, [a]), f([a + 1])[0].tolist())
    ''',
    'sizes': '''
    x, y = K.placeholder((None, 3)), K.placeholder((None, 3))
    f = K.function([x, y], [x * K.exp(y)])
    print(source(f), f([a, a])[0].tolist(), f([a, a[:1]])[0].tolist(), refused(f, [a[[0, 0, 0]], a]))
    ''',
    'sizes in messages': '''
    x = K.placeholder((None, None), name='x')
    f = K.function([x], [K.reshape(x, (-1, 4))], name='f')
    print(source(f), f([np.ones((2, 2))])[0].shape, refused(f, [a]))
    ''',
    'named sizes': '''
    x = K.placeholder((K.Dim('batch', max=2), 3), name='x')
    f = K.function([x], [K.exp(x)], name='f')
    print(source(f), f([a])[0].tolist(), refused(f, [a[[0, 0, 0]]]))
    ''',
    'a memory budget': '''
    x, w = K.placeholder((2, 9, 4)), K.variable(np.eye(4), name='w')
    def step(e, states):
        h = K.tanh(K.dot(e, w) + states[0])
        return h, [h]
    loss = K.sum(K.rnn(step, x, [K.zeros((2, 4))])[0])
    f = K.function([x], K.gradients(loss, [w]), memory_budget=800)
    print(source(f), f.arena_bytes, f.memory_plan == f.memory_plan, f([np.ones((2, 9, 4))])[0].tolist())
    ''',
    'threads': '''
    x = K.placeholder((2, 3))
    functions = []
    def compiles(i):
        functions.append(K.function([x], [K.tanh(x) + K.reshape(K.arange(2 * i)[:2], (2, 1))], name='f'))
    threads = [threading.Thread(target=compiles, args=(3 + i,)) for i in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    for f in functions: print(source(f), f([a])[0].tolist())
    ''',
    'evaluations': '''
    print(K.eval(K.tanh(K.constant(a))).tolist(), K.eval(K.softmax(K.constant(a[:1]))).tolist())
    print(K.get_value(K.random_normal_variable((5, 5), 0., 1., seed=3)).sum())
    ''',
}
ON_CUDA = '''
    K.set_device('cuda')
    x, w = K.placeholder((None, 3), name='x'), K.variable(np.ones((3,)), name='w')
    f = K.function([x], [x * w], [(w, w * 2)], keep_on_device=True)
    g = K.function([x], [K.log(x)], check_numbers=True, name='g')
    kept, = f([a])
    print(source(f), source(g), type(kept).__name__, kept.to_host().tolist(), refused(g, [kept]), K.get_value(w).tolist())
'''


@pytest.mark.parametrize('subject', sorted(KEPT))
def test_a_second_process_compiles_nothing(tmp_path, subject):
    first, second = twice(tmp_path, KEPT[subject])
    assert first and [line.replace('compiler', 'disk') for line in first] == second


def test_a_second_process_says_names_of_its_own(tmp_path):
    # Sizes, inputs and functions with other names than those that the code was made for, each a word of messages.
    text = '''
    names = os.environ['NAMES'].split(',')
    x, y = [K.placeholder((K.Dim(names[0]), None), name=name) for name in names[1:3]]
    f = K.function([x], [K.reshape(K.exp(x), (-1, 4))], name=names[3])
    g = K.function([x, y], [K.reshape(K.tanh(x), (-1, 5)), K.exp(y)[1:]], name='g')
    print(source(f), source(g), refused(f, [a]))
    '''
    made, found, again = [program(text, KERATIN_CACHE=str(tmp_path / 'cache'), NAMES=names)
                          for names in ('batch,x,y,f', 'rows,two words,z,step', 'shape,reshape,take,cannot')]
    for (line,), where, (size, name, function) in ((made, 'compiler', ('batch', 'x', 'f')), (found, 'disk', ('rows', 'two words', 'step')),
                                                   (again, 'disk', ('shape', 'reshape', 'cannot'))):
        assert line.startswith('%s %s ValueError: %s: reshape: (%s, %s_dim1) cannot take the shape (floordiv(%s*%s_dim1, 4), 4)'
                               % (where, where, function, size, name, size, name))


needs_emulator = pytest.mark.skipif(not EMULATOR.exists(), reason='no emulator of CUDA beside the library')


@needs_emulator
def test_a_second_process_compiles_nothing_for_a_device(tmp_path):
    first, second = twice(tmp_path, ON_CUDA, KERATIN_CUDA_DRIVER=str(EMULATOR))
    assert first[0].startswith('compiler compiler DeviceArray')
    assert [line.replace('compiler', 'disk') for line in first] == second


EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'
KERAS = '''
    import runpy, sys
    native, functions = keratin._native.functions, []
    make = native.function
    def function(*arguments):
        functions.append(make(*arguments))
        return functions[-1]
    native.function = function
    sys.argv = [os.environ['DIGITS'] + '.py', os.environ['DATA'], '1']
    runpy.run_path(sys.argv[0], run_name='__main__')
    for f in functions: print(f.name, source(f))
'''


@pytest.mark.skipif(not importlib.util.find_spec('keras'), reason='no Keras')
def test_a_second_process_trains_keras_without_a_compilation(tmp_path):
    first, second = twice(tmp_path, KERAS, DIGITS=str(EXAMPLES / 'keras_digits'), DATA=str(EXAMPLES / 'data' / 'digits.csv'))
    for place, (told, *functions) in ('compiler', first), ('disk', second):
        assert told.startswith('Keras 2.3.1 on keratin: 1 epochs')
        assert functions == ['train_function ' + place, 'test_function ' + place]


@needs_emulator
def test_together_on_a_device(tmp_path):
    assert program('''
    K.set_device('cuda')
    x, y = K.placeholder((None, 3), name='x'), K.placeholder((None, 3), name='y')
    kept = K.function([x], [x * 1.], keep_on_device=True)([a])[0]

    # Assumed sizes, in both codes, and numbers that are checked, of values that are there.
    f = K.function([x, y], [K.log(x + y)], keep_on_device=True, check_numbers=True, name='f')
    for other in a, a[:1]:
        assert f([kept, other + 1])[0].to_host().tolist() == np.log(a + other + 1).astype('float32').tolist()
        assert 'FloatingPointError: f: log: made -infinity of 0 at element [0, 0]' in refused(f, [kept, other])
    assert 'found sizes' in refused(f, [kept, a[[0, 0, 0]]])

    # An update that is not made, and weights in files.
    w = K.variable(np.ones((3,)), name='w')
    step = K.function([x], [K.sum(x * w)], [(w, K.log(K.sum(x, 0)))], check_numbers=True, keep_on_device=True)
    assert 'log: made' in refused(step, [-kept.to_host()]) and K.get_value(w).tolist() == [1] * 3
    K.set_value(w, K.function([x], [K.sum(x, 0)], keep_on_device=True)([kept])[0])
    step.save_weights(os.environ['FOLDER'] + '/w.npz')
    K.set_value(w, np.zeros((3,)))
    step.load_weights(os.environ['FOLDER'] + '/w.npz')
    assert K.get_value(w).tolist() == [3, 5, 7]

    # Limits of sizes; files, which keep them and nothing that is of the device.
    r = K.placeholder((K.Dim('rows', max=2), 3), name='r')
    named = K.function([r], [r * 2.], keep_on_device=True, name='named', memory_budget=1 << 20, time_limit=300)
    more = K.function([x], [x * 1.], keep_on_device=True)([a[[0, 0, 0]]])[0]
    assert "size 'rows': 3 must be at most 2" in refused(named, [more])
    named.save(os.environ['FOLDER'] + '/named.ktg')
    keratin.compile_model(named, os.environ['FOLDER'] + '/libnamed.so')
    loaded = K.load_function(os.environ['FOLDER'] + '/named.ktg')
    assert type(loaded([kept])[0]) is np.ndarray and "size 'rows'" in refused(loaded, [more])
    K.set_device('cpu')
    for call in K.load_function(os.environ['FOLDER'] + '/named.ktg'), keratin.Model(os.environ['FOLDER'] + '/libnamed.so')['named']:
        assert call([kept.to_host()])[0].tolist() == (a * 2).tolist()
        assert "lies on device 'cuda'" in refused(call, [kept])

    # Ctrl-C, too little time, and what is seen of a compilation.
    os.environ['KERATIN_DUMP_DIR'] = os.environ['FOLDER'] + '/dumps'
    told = []
    K.function([x], [K.tanh(x)], device='cuda', name='seen', progress=lambda *step: told.append(step[1]))
    assert told[-1] == 'link' and 'seen.9-asm.s' in os.listdir(os.environ['KERATIN_DUMP_DIR'])
    assert 'takes longer than' in refused(lambda: K.function([x], [K.exp(x)], device='cuda', time_limit=1e-9))
    try:
        K.function([x], [K.exp(x)], device='cuda', progress=interrupt)
    except KeyboardInterrupt:
        print('interrupted')
    ''', FOLDER=str(tmp_path), KERATIN_CUDA_DRIVER=str(EMULATOR)) == ['interrupted']


def test_code_is_for_any_number_of_threads(tmp_path):
    text = '''
    x = K.placeholder((None, 64))
    f = K.function([x], [K.sum(K.tanh(K.dot(x, K.constant(np.eye(64))))), K.mean(K.exp(x), 0)])
    print(source(f), [each.tobytes().hex() for each in f([np.linspace(-1, 1, 64000).reshape(1000, 64)])])
    '''
    cache = str(tmp_path / 'cache')
    one, = program(text, KERATIN_CACHE=cache, KERATIN_NUM_THREADS='1')
    three, = program(text, KERATIN_CACHE=cache, KERATIN_NUM_THREADS='3')
    assert one.replace('compiler', 'disk') == three


def test_a_saved_function_is_loaded_without_a_compilation(tmp_path):
    make = '''
    x, w = K.placeholder((None, 3), name='x'), K.variable(np.ones((3,)), name='w')
    f = K.function([x], [K.sum(K.tanh(x * w))], [(w, w * .5)], name='f')
    f.save(os.environ['SAVED'])
    print(source(f), f([a])[0])
    '''
    load = '''
    f = K.load_function(os.environ['SAVED'])
    print(source(f), f([a])[0])
    '''
    places = {'KERATIN_CACHE': str(tmp_path / 'cache'), 'SAVED': str(tmp_path / 'f.ktg')}
    made, loaded = program(make, **places), program(load, **places)
    assert [line.replace('compiler', 'disk') for line in made] == loaded


def test_what_does_not_end_leaves_nothing_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setenv('KERATIN_CACHE', str(tmp_path / 'cache'))
    x = K.placeholder((17, 3))
    with pytest.raises(RuntimeError, match='takes longer than'):
        K.function([x], [K.tanh(x) * K.exp(x)], time_limit=1e-9)
    for stage in 'graph', 'fused', 'plan', 'llvm', 'link':
        interrupted(stage, lambda progress: K.function([x], [K.tanh(x) * K.exp(x)], progress=progress))
    assert not list((tmp_path / 'cache').glob('*.code*'))
    assert source(K.function([x], [K.tanh(x) * K.exp(x)])) == 'compiler'
    assert len(list((tmp_path / 'cache').glob('*.code'))) == 1


def test_dumps_show_a_compilation_though_code_is_on_the_disk(tmp_path):
    text = '''
    x = K.placeholder((2, 3))
    f = K.function([x], [K.tanh(x)], name='f')
    print(source(f))
    '''
    cache, dumps = str(tmp_path / 'cache'), tmp_path / 'dumps'
    sources = [program(text, KERATIN_CACHE=cache, **more) for more in ({}, {'KERATIN_DUMP_DIR': str(dumps)}, {})]
    assert sources == [['compiler'], ['compiler'], ['disk']]
    assert (dumps / 'f.9-asm.s').exists()


def test_children_fill_one_cache(tmp_path):
    assert program('''
    def compiles():
        x = K.placeholder((None, 3))
        return K.function([x], [K.tanh(x)])
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            os._exit(0 if compiles()([a])[0].shape == (2, 3) else 1)
        children.append(child)
    print([os.waitpid(child, 0)[1] for child in children], source(compiles()))
    ''', KERATIN_CACHE=str(tmp_path / 'cache')) == ['[0, 0, 0, 0] disk']


# Models compiled ahead of time

def loss_and_step():
    x, w = K.placeholder((None, 3), name='x'), K.variable(np.ones((3,)), name='w')
    loss = K.sum(K.log(x * w))
    return K.function([x], [loss], [(w, w - .01 * K.gradients(loss, [w])[0])], name='step')


def test_objects_are_the_same_whatever_was_compiled_before(tmp_path, monkeypatch):
    f = loss_and_step()
    for folder in 'abc':
        (tmp_path / folder).mkdir()
    keratin.compile_model(f, tmp_path / 'a' / 'libm.so')
    monkeypatch.setenv('KERATIN_CACHE', str(tmp_path / 'cache'))
    loss_and_step()
    keratin.compile_model(f, tmp_path / 'b' / 'libm.so')
    monkeypatch.setenv('KERATIN_DUMP_DIR', str(tmp_path / 'dumps'))
    keratin.compile_model(f, tmp_path / 'c' / 'libm.so', progress=lambda *unused: None)
    first, *others = [(tmp_path / folder / 'libm.so').read_bytes() for folder in 'abc']
    assert [other == first for other in others] == [True, True]
    assert 'step.9-asm.s' in os.listdir(tmp_path / 'dumps')


def test_an_interrupted_model_leaves_no_file(tmp_path):
    f = loss_and_step()
    for stage in 'graph', 'plan', 'llvm':
        interrupted(stage, lambda progress: keratin.compile_model(f, tmp_path / 'libm.so', header=tmp_path / 'm.h',
                                                                  metadata=tmp_path / 'm.json', progress=progress))
    assert os.listdir(tmp_path) == []


def test_options_of_a_function_are_not_those_of_its_files(tmp_path):
    # Checks, budgets, limits and devices are said where code is made.
    free, kept = rnn_gradients(), rnn_gradients(memory_budget=800)
    kept.save(tmp_path / 'kept.ktg')
    assert kept.arena_bytes < free.arena_bytes == K.load_function(tmp_path / 'kept.ktg').arena_bytes
    x = K.placeholder((K.Dim('batch', max=2), 3), name='x')
    f = K.function([x], [K.log(x)], check_numbers=True, name='f')
    f.save(tmp_path / 'f.ktg')
    loaded = K.load_function(tmp_path / 'f.ktg')
    assert loaded([A])[0][0, 0] == -np.inf
    again = K.function(loaded.inputs, loaded.outputs, check_numbers=True, name='again')
    checked = K.load_function(tmp_path / 'f.ktg', check_numbers=True)
    keratin.compile_model(f, tmp_path / 'libplain.so')
    keratin.compile_model(loaded, tmp_path / 'libchecked.so', check_numbers=True)
    assert keratin.Model(tmp_path / 'libplain.so')['f']([A])[0][0, 0] == -np.inf
    for call in f, again, checked, keratin.Model(tmp_path / 'libchecked.so')['f']:
        with pytest.raises(FloatingPointError, match='log: made -infinity of 0 at element .*pairs_test.py'):
            call([A])
        with pytest.raises(ValueError, match='batch'):
            call([A[[0, 0, 0]]])


def test_what_is_made_of_weights_stays_where_options_say_so(tmp_path):
    x, w = K.placeholder((None, 33), name='x'), K.variable(np.ones((5, 33)), name='w')
    f = K.function([x], [K.dot(x, K.transpose(w * 2 + 1))], name='f')
    f.save(tmp_path / 'f.ktg')
    assert 'prepared' in f.memory_plan and 'prepared' in K.load_function(tmp_path / 'f.ktg').memory_plan
    assert 'prepared' not in K.load_function(tmp_path / 'f.ktg', prepare_weights=False).memory_plan
    objects = set()
    for prepares in True, False:
        keratin.compile_model(f, tmp_path / 'libm.so', prepare_weights=prepares)
        assert keratin.Model(tmp_path / 'libm.so')['f']([np.ones((2, 33))])[0].tolist() == [[99] * 5] * 2
        objects.add((tmp_path / 'libm.so').read_bytes())
    assert len(objects) == 2


def test_options_of_a_loaded_function_are_those_of_any(tmp_path):
    x, w = K.placeholder((None, 31), name='x'), K.variable(np.ones((31,)), name='w')
    f = K.function([x], [K.tanh(x * w)], [(w, w * 2.)], name='f')
    g = K.function([x], [K.exp(x) * w], name='g')
    K.save_functions([f, g], tmp_path / 'f.ktg')

    def loaded(name='f', **options):
        return K.load_function(tmp_path / 'f.ktg', name, **options)
    ones, told = np.ones((2, 31)), []

    def watch(*step):
        told.append(step[:2])
    # What code there is is found; what changes it has its own.
    assert source(loaded(time_limit=1e-9, progress=watch)) == 'process' and not told
    for options in {'check_numbers': True}, {'memory_budget': 1 << 20}:
        assert [source(loaded(progress=watch, **options)) for _ in 'ab'] == ['compiler', 'process']
        assert told[-1] == ('f', 'link') and told.count(told[-1]) == 2
        told.clear()
    everything = K.load_functions(tmp_path / 'f.ktg', check_numbers=True, device='cpu', target='cpu', keep_on_device=True,
                                  float32_products='tf32', assume_equal_sizes=False, memory_budget=1 << 21, progress=None)
    assert [each.name for each in everything] == ['f', 'g'] and everything[1]([ones])[0].shape == (2, 31)
    # What does not end leaves nothing.
    with pytest.raises(RuntimeError, match="compiling function 'f' takes longer than"):
        loaded(memory_budget=1 << 22, time_limit=1e-9)
    for stage in 'graph', 'fused', 'llvm', 'link':
        interrupted(stage, lambda progress: loaded(memory_budget=1 << 22, progress=progress))
        interrupted(stage, lambda progress: K.load_functions(tmp_path / 'f.ktg', memory_budget=1 << 22, progress=progress))
    assert source(loaded(memory_budget=1 << 22)) == 'compiler'
    assert loaded()([ones])[0].tolist() == f([ones])[0].tolist()
    for call, said in ((lambda: loaded(colour=1), "load_function: there is no argument 'colour'; there are name, device, "),
                       (lambda: K.load_functions(tmp_path / 'f.ktg', name='f'), "load_functions: there is no argument 'name'; there are device, "),
                       (lambda: loaded(memory_budget=-1), 'load_function: a memory budget of -1 bytes; needed at least 0'),
                       (lambda: loaded(time_limit=-1), 'load_function: a time limit of -1.000000 seconds; needed at least 0'),
                       (lambda: loaded(device='gpu'), "load_function: unknown device 'gpu'")):
        with pytest.raises(ValueError, match='^' + said):
            call()
    with pytest.raises(TypeError, match="load_function: memory_budget is 'much'"):
        loaded(memory_budget='much')


def test_ctrl_c_ends_loading_a_function(tmp_path):
    # Another thread makes the code, and does not end before the main thread, which waits for it, has been interrupted.
    x = K.placeholder((7, 3), name='x')
    K.function([x], [K.tanh(x) * K.exp(x)], name='f').save(tmp_path / 'f.ktg')
    assert program('''
    import sys
    main, made, holds, leave = threading.main_thread().ident, [], threading.Event(), threading.Event()
    def hold(*unused):
        holds.set()
        leave.wait()
    def interrupt_main():
        while sys._current_frames()[main].f_code.co_name != 'load_function':
            leave.wait(.001)
        interrupt()
    def loads(progress=None):
        return K.load_function(os.environ['SAVED'], progress=progress)
    thread = threading.Thread(target=lambda: made.append(loads(hold)))
    thread.start()
    holds.wait()
    try:
        threading.Thread(target=interrupt_main).start()
        loads()
    except KeyboardInterrupt:
        print('interrupted', len(made))
    leave.set()
    thread.join()
    print(source(made[0]), source(loads()))
    ''', SAVED=str(tmp_path / 'f.ktg')) == ['interrupted 0', 'compiler process']


def test_ctrl_c_ends_reading_a_file(tmp_path):
    # More than a MiB of elements, and as many ops as take as long.
    w = K.variable(np.ones((3, 1 << 18)), name='w')
    x = K.placeholder((3, 1), name='x')
    y = x
    for i in range(1100):
        y = K.tanh(y) if i % 2 else y * x
    path = tmp_path / 'f.ktg'
    f, g = K.function([x], [K.sum(w * x)], [(w, w + x)], name='f'), K.function([x], [y], name='g')
    K.save_functions([f, g], path)
    ones, told = np.ones((3, 1)), []
    before = f([ones])[0]
    for step in 'the file', 'its messages', 'checks of its ops', 'making of its ops', 'the graph', '':
        interrupted('read', lambda progress: K.load_functions(path, progress=progress), step)
        interrupted('read', lambda progress: K.load_function(path, 'g', progress=progress), step)
    # Too little time, and an exception of the user's.
    with pytest.raises(RuntimeError, match="load_function: reading function 'g' of '.*f.ktg' takes longer than .*pairs_test.py"):
        K.load_function(path, 'g', time_limit=1e-9)
    with pytest.raises(KeyError):
        K.load_functions(path, progress=lambda *step: {}['x'])
    # Nothing is half there, and a loaded function is told of with its reading.
    assert f([ones])[0] == before + ones.size * w.shape[1]
    loaded = K.load_functions(path, progress=lambda *step: told.append(step[:2] + (step[2] == step[3],)))
    assert loaded[0]([ones])[0] == before and told[0] == ('', 'read', False) and ('g', 'read', True) in told
    told.clear()
    K.save_function(K.function([x], [x * 2.], name='small'), path)
    K.load_function(path, progress=lambda *step: told.append(step[1]))
    assert 'read' not in told


def test_models_in_children(tmp_path):
    keratin.compile_model(loss_and_step(), tmp_path / 'libm.so', check_numbers=True)
    assert program('''
    model = keratin.Model(os.environ['MODEL'])
    model['step']([a + 1])
    before = model.get_value('w').tolist()
    child = os.fork()
    if child == 0:
        model['step']([a + 1])
        print(model.get_value('w').tolist() != before, refused(model['step'], [a])[:18], flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print(model.get_value('w').tolist() == before)
    ''', MODEL=str(tmp_path / 'libm.so')) == ['True FloatingPointError', 'True']
