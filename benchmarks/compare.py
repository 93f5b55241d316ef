"""What changed between two builds beyond noise: compare.py OLD NEW [options] [-- arguments of keratin-bench]

OLD and NEW are outputs of `keratin-bench --json`, each one or more runs in a file or a folder of files; or two
programs, which run in turns on one core. Per row: the ratio of the new time to the old one, and the noise, within
which equal programs differ; for compile times the same. Rows are left out that changed less than their noise,
unless --all is given.

Exit code: 0, 1 where a row is slower beyond noise and by more than --slower (or its compilation by more than
--slower-compile), 2 where there is nothing to compare.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

# A run's readings, in blocks of so many, whose minima are what is compared where there are too few runs: a
# neighbour only ever makes a reading longer, and the least of a few is what the code takes.
BLOCK = 8
FEW_RUNS = 3
# How many standard errors equal programs are allowed to be apart, by the number of observations: Student's factors
# for 0.27 %, which are 3 where there are many.
ERRORS = {2: 235.8, 3: 19.2, 4: 9.2, 5: 6.6, 6: 5.5, 7: 4.9, 8: 4.5, 9: 4.3, 10: 4.1}
# Below these nothing counts as a change: where code and data lie in memory, which few runs do not show; the timer.
LEAST_NOISE, LEAST_NOISE_OF_FEW = 0.005, 0.02
LEAST_COMPILE_NOISE = 0.03


@dataclass
class Run:
    """One run of keratin-bench."""

    machine: dict = field(default_factory=dict)
    rows: dict = field(default_factory=dict)  # (name, case): what it printed


def read_runs(path):
    paths = [path]
    if os.path.isdir(path):
        paths = sorted(os.path.join(path, name) for name in os.listdir(path))
    runs = []
    for each in paths:
        with open(each, encoding="utf-8") as file:
            runs += parse_runs(file.read(), each)
    return runs


def parse_runs(text, where):
    """A run begins with the line of its machine."""
    runs = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            key = row["name"], row["case"]
        except (ValueError, KeyError, TypeError):
            raise CannotCompare(f"{where}:{number}: not a line of keratin-bench --json") from None
        if key[0] == "machine" or not runs:
            runs.append(Run())
        if key[0] == "machine":
            runs[-1].machine = row
        elif "min_ms" in row:
            runs[-1].rows[key] = row
    return runs


class CannotCompare(Exception):
    """Nothing can be compared; the message says why."""


def run_in_turns(old, new, turns, core, arguments):
    """Runs of two programs, of which neither is always first."""
    runs = {old: [], new: []}
    for turn in range(turns):
        for program in (old, new) if turn % 2 == 0 else (new, old):
            print(f"turn {turn + 1} of {turns}: {program}", file=sys.stderr, flush=True)
            pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
            done = subprocess.run(
                [os.path.abspath(program), "--json", *arguments],
                stdout=subprocess.PIPE,
                text=True,
                preexec_fn=pin,
            )
            if done.returncode:
                raise CannotCompare(f"{program} ended with {done.returncode}")
            runs[program] += parse_runs(done.stdout, program)
    return runs[old], runs[new]


# ---- Statistics --------------------------------------------------------------------------------


def spread_of(values):
    """The standard deviation without the fifth of the values that is farthest from the median, such as a run that met
    with a neighbour. The factor makes up for them, within a tenth, where values are normally distributed.
    """
    if len(values) < 5:
        return statistics.stdev(values)
    middle = statistics.median(values)
    nearest = sorted(values, key=lambda value: abs(value - middle))
    return 1.5 * statistics.stdev(nearest[: len(values) - len(values) // 5])


def errors_of(values):
    """(median, how far off it may be); None for the second where one value says nothing of it."""
    middle = statistics.median(values)
    count = len(values)
    if count < 2:
        return middle, None
    # The median's standard error, for the normal distribution.
    error = (1.2533 if count > 2 else 1) * spread_of(values) / math.sqrt(count)
    return middle, ERRORS.get(count, 4 if count < 20 else 3.5) * error


def observations(rows):
    """Logarithms of times that stand for one another, of one row in several runs."""
    if len(rows) >= FEW_RUNS:
        return [math.log(row["min_ms"]) for row in rows]
    found = []
    for row in rows:
        readings = row.get("readings_ms", [])
        blocks = [readings[i : i + BLOCK] for i in range(0, len(readings), BLOCK)]
        blocks = [block for block in blocks if len(block) == BLOCK]
        found += [min(block) for block in blocks] or [row["min_ms"]]
    return [math.log(value) for value in found]


@dataclass
class Change:
    """Of a row, or of what compiling it takes."""

    row: tuple
    old_ms: float
    new_ms: float
    ratio: float
    noise: float  # None: not known

    @property
    def is_beyond_noise(self):
        return self.noise is not None and abs(self.ratio - 1) > self.noise

    def is_slower(self, threshold):
        return self.is_beyond_noise and self.ratio > 1 + threshold


def combine(old, new, in_turns, least):
    """(ratio, noise) of two lists of logarithms; in turns, the i-th of each were measured together."""
    if in_turns and len(old) == len(new) >= FEW_RUNS:
        middle, error = errors_of([b - a for a, b in zip(old, new)])
    else:
        (a, error_a), (b, error_b) = errors_of(old), errors_of(new)
        middle = b - a
        known = error_a is not None and error_b is not None
        error = math.hypot(error_a, error_b) if known else None
    return math.exp(middle), None if error is None else max(math.expm1(error), least)


def shared_rows(old, new):
    """Rows of both, in the order of the new: {key: (their lines in old runs, in new runs)}."""
    found = {}
    for run in new:
        for key in run.rows:
            lines = [[r.rows[key] for r in runs if key in r.rows] for runs in (old, new)]
            if all(lines):
                found[key] = tuple(lines)
    return found


def time_changes(old, new, in_turns):
    changes = []
    for key, (before, after) in shared_rows(old, new).items():
        least = LEAST_NOISE if min(len(before), len(after)) >= FEW_RUNS else LEAST_NOISE_OF_FEW
        ratio, noise = combine(observations(before), observations(after), in_turns, least)
        times = [min(row["min_ms"] for row in rows) for rows in (before, after)]
        changes.append(Change(key, *times, ratio, noise))
    return changes


def compile_changes(old, new, in_turns):
    """A run compiles each function once: where there are few runs, noise is how much rows differ from each other."""
    changes = []
    for key, lines in shared_rows(old, new).items():
        before, after = [[row.get("compile_ms", 0) for row in rows] for rows in lines]
        if min(before + after) <= 0:
            continue
        logs = [[math.log(value) for value in values] for values in (before, after)]
        if min(len(before), len(after)) >= FEW_RUNS:
            ratio, noise = combine(*logs, in_turns, LEAST_COMPILE_NOISE)
        else:
            ratio, noise = math.exp(min(logs[1]) - min(logs[0])), None
        changes.append(Change(key, min(before), min(after), ratio, noise))
    unknown = [change for change in changes if change.noise is None]
    if len(unknown) > 4:
        spread = spread_of([math.log(change.ratio) for change in unknown])
        for change in unknown:
            change.noise = max(math.expm1(4 * spread), LEAST_COMPILE_NOISE)
    if changes:
        changes.append(total_of(changes))
    return changes


def total_of(changes):
    """All of them together, whose noise is that of a median of as many."""
    logs = [math.log(change.ratio) for change in changes]
    old, new = [sum(getattr(change, name) for change in changes) for name in ("old_ms", "new_ms")]
    _, error = errors_of(logs)
    noise = None if error is None else max(math.expm1(error), LEAST_COMPILE_NOISE)
    return Change(("all", f"{len(changes)} functions"), old, new, new / old, noise)


# ---- What is printed ---------------------------------------------------------------------------


def time_text(milliseconds):
    for unit, factor in (("ms", 1), ("us", 1e3), ("ns", 1e6)):
        if milliseconds * factor >= 1 or unit == "ns":
            return f"{milliseconds * factor:.4g} {unit}"


def noise_text(noise):
    if noise is None:
        return "?"
    return f"{100 * noise:.1f} %" if noise < 1 else "> 100 %"


def verdict(change, threshold):
    if change.noise is None:
        return "one reading, not judged"
    if change.is_slower(threshold):
        return "SLOWER"
    if change.is_beyond_noise:
        return "slower" if change.ratio > 1 else "faster"
    return "same" if change.noise <= threshold else "too noisy to tell"


def show(title, changes, threshold, everything):
    shown = [change for change in changes if everything or change.is_beyond_noise]
    print(f"{title}: {len(changes)} rows, {len(shown)} shown")
    for change in shown:
        noise = noise_text(change.noise)
        print(
            f"  {change.row[0]:<15} {change.row[1]:<36} {time_text(change.old_ms):>9} "
            f"{time_text(change.new_ms):>9} {change.ratio:7.3f} +- {noise:<7} {verdict(change, threshold)}"
        )
    words = [verdict(change, threshold) for change in changes]
    for word in ("too noisy to tell", "one reading, not judged"):
        if word in words:
            print(f"  {words.count(word)} of {len(words)}: {word}")


def expect_one_machine(runs):
    for part in ("case", "isa", "threads", "clock"):
        found = {str(run.machine[part]) for run in runs if part in run.machine}
        if len(found) > 1:
            raise CannotCompare("measured under different conditions: " + ", ".join(sorted(found)))


def compare(old, new, options, in_turns=False):
    """Exit code of two lists of runs."""
    expect_one_machine(old + new)
    keys = [{key for run in runs for key in run.rows} for runs in (old, new)]
    if not keys[0] & keys[1]:
        raise CannotCompare("no row is in both")
    times, compiles = time_changes(old, new, in_turns), compile_changes(old, new, in_turns)
    print(f"{len(old)} runs of the old, {len(new)} of the new; ratio: new over old")
    show("time", times, options.slower, options.all)
    show("compilation", compiles, options.slower_compile, options.all)
    for word, names in (("only in the old", keys[0] - keys[1]), ("only in the new", keys[1] - keys[0])):
        for name, case in sorted(names):
            print(f"{word}: {name} {case}")
    slower = [change for change in times if change.is_slower(options.slower)]
    slower += [change for change in compiles if change.is_slower(options.slower_compile)]
    return 1 if slower else 0


def share(text):
    """'3%' or '0.03'."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def parse_arguments(arguments):
    of_bench = []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, of_bench = arguments[:split], arguments[split + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--slower", type=share, default=0.03, help="what fails, of times (3%%)")
    parser.add_argument("--slower-compile", type=share, default=0.1, help="of compile times (10%%)")
    parser.add_argument("--turns", type=int, default=7, help="of programs: runs of each (7)")
    parser.add_argument("--core", type=int, help="of programs: the core that they run on; else any")
    parser.add_argument("--all", action="store_true", help="unchanged rows too")
    options = parser.parse_args(arguments)
    options.of_bench = of_bench
    return options


def main(arguments):
    options = parse_arguments(arguments)
    try:
        if is_program(options.old) and is_program(options.new):
            runs = run_in_turns(options.old, options.new, options.turns, options.core, options.of_bench)
            return compare(*runs, options, in_turns=True)
        return compare(read_runs(options.old), read_runs(options.new), options)
    except (CannotCompare, OSError, UnicodeDecodeError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
