"""Every K function with anything: a result, or an error that names it; never a signal, a hang or endless memory."""
import datetime
import os
import pathlib
import resource
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name('any_calls.py')
DAY = datetime.date.today().toordinal()
# A part of the 54,600 systematic calls and of 40,000 random ones, another one each day; KERATIN_TEST_EVERY=1 makes all.
EVERY = int(os.environ.get('KERATIN_TEST_EVERY', 5))


def limited():
    # A sanitizer reserves terabytes of addresses, and has a limit of its own (CMakeLists.txt).
    if 'libclang_rt' not in os.environ.get('LD_PRELOAD', ''):
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def run(folder, first, count):
    log = folder / 'log'
    done = subprocess.run([sys.executable, PROGRAM, log, str(first), str(count)], capture_output=True, text=True,
                          cwd=folder, timeout=3000, preexec_fn=limited)
    assert done.returncode == 0, log.read_text() + done.stderr[-3000:]
    assert done.stdout == 'done\n', done.stdout[:6000]


def test_every_rank_dtype_and_size_for_each_tensor(tmp_path):
    number = int(subprocess.run([sys.executable, PROGRAM, 'number'], capture_output=True, text=True, check=True).stdout)
    count = -(-number // EVERY)
    first = DAY % EVERY * count
    run(tmp_path, first, min(count, number - first))


def test_random_calls(tmp_path):
    count = 40000 // EVERY
    run(tmp_path, 10 ** 9 + DAY % EVERY * count, count)
