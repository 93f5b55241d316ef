"""peers.py and derivative_peers.py on made-up readings: no library and no clock is looked at."""

import json
from types import SimpleNamespace

import derivative_peers
import peers
import pytest

MACHINE = {"name": "machine", "case": "a processor", "isa": "avx512", "load": 1.0}
GOALS = [("gemm", "*", "1"), ("softmax", "* axis 1", "1.5")]


def ours(name, case, milliseconds, ceiling=None, peer_case=None):
    return {"name": name, "case": case, "peer_case": peer_case or case, "min_ms": milliseconds, "ceiling_ms": ceiling}


def theirs(peer, name, case, milliseconds):
    return {"peer": peer, "name": name, "case": case, "min_ms": milliseconds}


def measured(our_turns, their_turns):
    result = peers.Measured()
    for lines in our_turns:
        result.add_ours([MACHINE, *lines])
    for lines in their_turns:
        result.add_peers(lines)
    return result


def test_the_least_of_the_turns_and_the_best_library_count():
    table = peers.table_of(
        measured(
            [[ours("gemm", "512", 1.3, 1.0)], [ours("gemm", "512", 1.2, 0.9)]],
            [[theirs("torch 2.0", "gemm", "512", 3.0)], [theirs("torch 2.0", "gemm", "512", 2.4)],
             [theirs("numpy 2.4", "gemm", "512", 2.5)]]),
        GOALS)
    assert table == [["gemm", "512", "1.2 ms", "900 us", "1.33", "2.4 ms torch", "2.00", "1"]]


def test_a_ratio_below_its_goal_is_bold():
    lines = [ours("softmax", "x axis 1", 1.0), ours("softmax", "x axis 0", 1.0)]
    others = [theirs("jax 1", "softmax", line["case"], 1.2) for line in lines]
    assert [row[-2:] for row in peers.table_of(measured([lines], [others]), GOALS)] == [
        ["**1.20**", "1.5"], ["1.20", "1"]]


def test_rows_that_no_library_has_are_left_out():
    lines = [ours("gemm", "512", 1.0), ours("gemm", "7", 1.0)]
    table = peers.table_of(measured([lines], [[theirs("jax 1", "gemm", "512", 1.0)]]), GOALS)
    assert [row[1] for row in table] == ["512"]


def test_a_case_may_be_compared_with_another():
    table = peers.table_of(
        measured([[ours("small", "add of 4, keratin_invoke", 1e-5, peer_case="add of 4")]],
                 [[theirs("numpy 2", "small", "add of 4", 2e-4)]]), GOALS)
    assert table[0][2:] == ["10 ns", "", "", "200 ns numpy", "20.00", "1"]


def cells(name, case, ours="1 ms"):
    return [name, case, ours, "", "", "2 ms jax", "2.00", "1"]


def test_a_table_is_read_as_it_was_written():
    table = [cells("gemm", "1"), cells("gemm", "2"), cells("softmax", "1")]
    text = "before\n\n" + peers.markdown_of(table, peers.HEAD) + "\nafter\n| a | b |\n"
    assert peers.read_markdown(text, peers.HEAD) == table


PAGE = "# Page\n\n## Before\n\ntext\n\n## Beside other libraries\n\nintroduction\n\n## After\n\n| a | b |\n"


def with_tables(*steps):
    page = PAGE
    for model, above, table in steps:
        page = peers.with_table(page, peers.PLACE, model, above, table)
    return page


def test_each_model_has_a_table_of_its_own():
    page = with_tables(("One", "first\n", [cells("gemm", "1")]), ("Two", "second\n", [cells("gemm", "1", "3 ms")]))
    parts = ["introduction", "### One\n\nfirst\n", "1 ms", "### Two\n\nsecond\n", "3 ms", "## After"]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert page.startswith("# Page\n\n## Before\n\ntext\n") and page.endswith("## After\n\n| a | b |\n")


def test_rows_that_were_not_measured_now_stay():
    page = with_tables(
        ("One", "first\n", [cells("softmax", "1"), cells("softmax", "2")]),
        ("Two", "other\n", [cells("ctc", "1")]),
        ("One", "later\n", [cells("softmax", "2", "5 ms"), cells("gemm", "1")]))
    assert "first" not in page and page.count("### One") == 1
    table = peers.read_markdown(page[page.index("### One"):], peers.HEAD)
    assert table == [cells("gemm", "1"), cells("softmax", "1"), cells("softmax", "2", "5 ms")]
    assert peers.read_markdown(page[page.index("### Two"):], peers.HEAD) == [cells("ctc", "1")]


def test_writing_the_same_twice_changes_nothing():
    step = ("One", "above\n", [cells("gemm", "1")])
    assert with_tables(step, step) == with_tables(step)


def test_a_page_without_the_section_is_refused():
    with pytest.raises(ValueError, match="no section"):
        peers.with_table("# Page\n", peers.PLACE, "One", "", [])


CPUINFO = "processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: A name\n\nprocessor\t: 1\n"


@pytest.mark.parametrize("vendor, family, model, text", [
    ("AuthenticAMD", 26, 2, "A name (Zen 5; family 26, model 2)"),
    ("AuthenticAMD", 25, 17, "A name (Zen 4; family 25, model 17)"),
    ("GenuineIntel", 6, 143, "A name (Sapphire Rapids; family 6, model 143)"),
    ("GenuineIntel", 7, 1, "A name (family 7, model 1)"),
])
def test_the_model_of_the_processor(vendor, family, model, text):
    assert peers.processor(CPUINFO.format(vendor, family, model)) == text


def test_what_stands_above_the_table():
    result = measured([[{"name": "ceiling", "case": "fma f32", "value": 262.4, "unit": "GFLOP/s"},
                        {"name": "ceiling", "case": "amx bf16", "value": 2048.2, "unit": "GFLOP/s"}]],
                      [[theirs("torch 2.15.0+cu132", "gemm", "512", 1.0)]])
    text = peers.conditions(result, SimpleNamespace(clock="cpu", turns=3, batches=10))
    assert "avx512, one thread, processor time, the least of 3 turns of 10 readings, load 1 to 1" in text
    assert "fma f32 262 GFLOP/s, amx bf16 2048 GFLOP/s" in text
    assert "torch 2.15.0." in text


def test_goals_and_packages_of_the_repository_can_be_read():
    goals = peers.read_goals((peers.HERE / "goals.txt").read_text())
    assert all(len(goal) == 3 and float(goal[2]) >= 1 and goal[0] in peers.ROWS for goal in goals)
    packages = peers.read_environments((peers.HERE / "peers.txt").read_text())
    assert set(packages) == {*peers.LIBRARIES.values(), *(table[2] for table in derivative_peers.TABLES)}
    assert all("==" in package for line in packages.values() for package in line.split())


def test_programs_run_in_turns(tmp_path):
    """The program and a library that tell who ran."""
    log = tmp_path / "log"
    for name, line in (("bench", ours("gemm", "512", 1.0)), ("python", theirs("jax 1", "gemm", "512", 2.0))):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho {name} $3 $4 $5 $6 >> {log}\necho '{json.dumps(line)}'\n")
        path.chmod(0o755)
    environment = tmp_path / "jax"
    (environment / "bin").mkdir(parents=True)
    (tmp_path / "python").rename(environment / "bin" / "python")
    wanted = peers.read_environments((peers.HERE / "peers.txt").read_text())["jax"]
    (environment / "packages").write_text(wanted)
    options = peers.parse_arguments(["gemm", f"--bench={tmp_path / 'bench'}", f"--environments={tmp_path}",
                                     "--peers=jax", "--turns=2"])
    assert peers.table_of(*peers.measure(options), GOALS)[0][-2] == "2.00"
    assert log.read_text().splitlines() == ["bench --batches=10 gemm", "python gemm --clock=cpu --batches=10"] * 2


def test_cells_of_derivatives():
    """CasADi's best way, and what else is there."""
    row = {"name": "chain", "case": "10", "entries": 28, "casadi_entries": 28,
           "seconds": {"function": 1e-6, "keratin": 2e-6, "casadi SX": 5e-6, "casadi map": 4e-6, "jax dense": 1e-3}}
    assert derivative_peers.sparse_cells(row) == ["chain", "10", "28", "2 us", "2.0", "4 us map", "2.00", "5 us SX", "1 ms", ""]
    assert derivative_peers.sparse_cells(row | {"casadi_entries": 20})[2] == "28 (20 of CasADi)"
    row = {"name": "model", "case": "2", "seconds": {"keratin": 1e-6, "nutpie": 3e-6}}
    assert derivative_peers.density_cells(row) == ["model", "2", "1 us", "1,000,000", "3 us", "3.00"]
