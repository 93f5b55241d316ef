"""compare.py on made-up readings: no clock is read."""

import json
import random

import compare
import pytest

MACHINE = {"name": "machine", "case": "a processor", "isa": "avx512", "threads": 1, "clock": "cpu"}


def row(case, milliseconds, seed=0, noise=0.01, compile_ms=0.0):
    """A row whose readings are longer than `milliseconds` by chance, never shorter."""
    generator = random.Random(f"{case} {seed}")
    readings = [milliseconds * (1 + noise * generator.random()) for _ in range(40)]
    # A neighbour doubles some of them.
    for i in generator.sample(range(40), 6):
        readings[i] *= 2
    ordered = sorted(readings)
    return {"name": "made up", "case": case, "min_ms": ordered[0], "median_ms": ordered[20],
            "readings_ms": readings, "compile_ms": compile_ms}


def run(seed=0, factors=(), machine=MACHINE, compile_factors=(), run_noise=0.0):
    """Lines of a run of ten rows; factors by the row's number."""
    generator = random.Random(seed)
    lines = [machine]
    for i in range(10):
        milliseconds = 1.7**i * dict(factors).get(i, 1) * (1 + run_noise * generator.random())
        compiling = 10 * (i + 1) * dict(compile_factors).get(i, 1) * (1 + 0.02 * generator.random())
        lines.append(row(f"row {i}", milliseconds, seed, compile_ms=compiling))
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def ask(tmp_path, capsys):
    """(exit code, lines) for texts of runs."""

    def asked(old, new, *options):
        for name, text in (("old", old), ("new", new)):
            (tmp_path / name).write_text(text)
        code = compare.main([str(tmp_path / "old"), str(tmp_path / "new"), *options])
        captured = capsys.readouterr()
        return code, (captured.out + captured.err).splitlines()

    return asked


def shown(lines, part="made up"):
    return [line.split() for line in lines if line.startswith("  " + part)]


def test_equal_runs_show_nothing(ask):
    code, lines = ask(run(1), run(2))
    assert code == 0
    assert shown(lines) == []


def test_a_slower_row_is_named_and_fails(ask):
    code, lines = ask(run(1), run(2, {4: 1.2}))
    assert code == 1
    assert [line[2:4] + line[-1:] for line in shown(lines)] == [["row", "4", "SLOWER"]]


def test_a_faster_row_is_named_and_passes(ask):
    code, lines = ask(run(1), run(2, {4: 0.8}))
    assert code == 0
    assert [line[-1] for line in shown(lines)] == ["faster"]


def test_the_threshold_decides_what_fails(ask):
    old, new = run(1), run(2, {4: 1.06})
    assert ask(old, new, "--slower=3%")[0] == 1
    code, lines = ask(old, new, "--slower=10%")
    assert code == 0
    assert [line[-1] for line in shown(lines)] == ["slower"]


def test_what_lies_within_the_noise_of_several_runs_passes(ask):
    """Runs differ by up to a fifth, readings of one run by a hundredth."""
    old = "".join(run(seed, run_noise=0.2) for seed in range(5))
    new = "".join(run(seed, {4: 1.06}, run_noise=0.2) for seed in range(10, 15))
    code, lines = ask(old, new, "--all")
    assert code == 0
    assert any(line.endswith("too noisy to tell") for line in lines)


def test_several_runs_tell_what_one_does_not(ask):
    """1.5 % of one run may be where its code lies in memory."""
    factors = {4: 1.015}
    assert shown(ask(run(1), run(11, factors))[1]) == []
    lines = ask("".join(map(run, range(8))), "".join(run(seed, factors) for seed in range(10, 18)))[1]
    assert [line[2:4] for line in shown(lines)] == [["row", "4"]]


def test_one_bad_run_of_several_changes_nothing(ask):
    old = "".join(map(run, range(7)))
    new = "".join(run(seed, {i: 3 for i in range(10)} if seed == 12 else {}) for seed in range(10, 17))
    code, lines = ask(old, new)
    assert code == 0
    assert shown(lines) == []


def test_compilation_of_one_function(ask):
    old, new = run(1), run(2, compile_factors={3: 1.5})
    code, lines = ask(old, new)
    assert code == 1
    assert [line[2:4] + line[-1:] for line in shown(lines)] == [["row", "3", "SLOWER"]]
    assert ask(old, new, "--slower-compile=0.6")[0] == 0


def test_compilation_of_all_functions(ask):
    """Each by as much as the noise of one; together they are told."""
    every = {i: 1.15 for i in range(10)}
    old = "".join(map(run, range(5)))
    new = "".join(run(seed, compile_factors=every) for seed in range(10, 15))
    code, lines = ask(old, new)
    assert code == 1
    assert [line[-1] for line in shown(lines, "all")] == ["SLOWER"]


def test_rows_of_one_side_are_named(ask):
    more = run(2) + json.dumps(row("another", 1)) + "\n"
    assert "only in the new: made up another" in ask(run(1), more)[1]
    assert "only in the old: made up another" in ask(more, run(1))[1]


def test_a_folder_is_several_runs(tmp_path, capsys):
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        for seed in range(3):
            (tmp_path / side / f"{seed}.json").write_text(run(seed))
    assert compare.main([str(tmp_path / "old"), str(tmp_path / "new")]) == 0
    assert capsys.readouterr().out.startswith("3 runs of the old, 3 of the new")


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_programs_run_in_turns(tmp_path, capsys):
    """They tell which of them ran, and with which arguments."""
    paths = []
    for name, factors in (("old", {}), ("new", {4: 1.2})):
        (tmp_path / f"{name}.json").write_text(run(1, factors))
        log = f'echo "{name} $@" >> {tmp_path}/log\n'
        paths.append(program(tmp_path / name, log + f"cat {tmp_path}/{name}.json\n"))
    assert compare.main([*paths, "--turns=3", "--", "gemm"]) == 1
    assert [line[-1] for line in shown(capsys.readouterr().out.splitlines())] == ["SLOWER"]
    ran = (tmp_path / "log").read_text().splitlines()
    assert ran == [f"{name} --json gemm" for name in ("old", "new", "new", "old", "old", "new")]


def test_a_program_that_fails_is_named(tmp_path, capsys):
    paths = [program(tmp_path / name, "exit 3\n") for name in ("old", "new")]
    assert compare.main(paths) == 2
    assert "old ended with 3" in capsys.readouterr().err


@pytest.mark.parametrize("text, message", [
    ("{}\n", "old:1: not a line of keratin-bench --json"),
    ("no json\n", "old:1: not a line of keratin-bench --json"),
    ("", "no row is in both"),
    (run(1, machine=MACHINE | {"case": "another"}), "measured under different conditions: a processor, another"),
    (run(1, machine=MACHINE | {"threads": 2}), "measured under different conditions: 1, 2"),
])
def test_what_cannot_be_compared_is_said(ask, text, message):
    code, lines = ask(text, run(2))
    assert code == 2
    assert lines[-1].endswith(message)


def test_a_missing_file_is_said(tmp_path, capsys):
    assert compare.main([str(tmp_path / "none"), str(tmp_path / "none")]) == 2
    assert "none" in capsys.readouterr().err
