"""A few rows of keratin-bench --device=emulated and --device=cuda, on the emulator: the numbers are there, and agree with
each other. How long anything takes is not looked at.

  bench_device.py KERATIN_BENCH
"""
import json
import os
import subprocess
import sys

ROWS = ["ew_chain", "rows", "gather", "batchnorm"]


def run(bench, *arguments):
    return subprocess.run([bench, "--device=emulated", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check(what, condition):
    if not condition:
        sys.exit(f"bench_device: {what}")


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-30)


def check_kernel(row, kernel, roofline):
    name = f"{row['name']}, {kernel['kernel']}"
    for number in ("launches", "blocks", "warp_instructions", "thread_instructions", "sectors", "ideal_sectors", "block_threads"):
        check(f"{name}: {number} is {kernel[number]}", kernel[number] > 0)
    check(f"{name}: more lanes than warps have", kernel["thread_instructions"] <= 32 * kernel["warp_instructions"])
    check(f"{name}: products are instructions",
          kernel["float_products"] + kernel["matrix_products"] <= kernel["warp_instructions"])
    check(f"{name}: less than the ideal sectors", kernel["sectors"] >= kernel["ideal_sectors"])
    check(f"{name}: less than the ideal wavefronts", kernel["wavefronts"] >= kernel["ideal_wavefronts"])
    check(f"{name}: a share beyond 1", 0 <= kernel["ptx_product_share"] <= 1)
    check(f"{name}: a share beyond 1", kernel["sass_product_share"] is None or 0 <= kernel["sass_product_share"] <= 1)
    if kernel["registers"] is not None:
        check(f"{name}: {kernel['registers']} registers", 0 < kernel["registers"] <= 255)
        check(f"{name}: occupancy {kernel['occupancy']}", 0 < kernel["occupancy"] <= 1)
        # Whole blocks of warps, whose registers there are.
        warps = kernel["occupancy"] * 64
        check(f"{name}: {warps} warps", near(warps % -(-kernel["block_threads"] // 32), 0))
        check(f"{name}: more registers than there are", warps * 32 * kernel["registers"] <= 65536)
    busy = min(kernel["blocks"] / kernel["launches"], roofline["multiprocessors"])
    share = busy / roofline["multiprocessors"]
    seconds = kernel["launches"] * roofline["launch_seconds"] + max(
        32 * kernel["sectors"] / roofline["bytes_per_second"],
        32 * kernel["sectors"] / (busy * roofline["bytes_per_second_of_one"]),
        64 * kernel["float_products"] / (share * roofline["float_flops_per_second"]),
        4096 * kernel["matrix_products"] / (share * roofline["matrix_flops_per_second"]),
        kernel["warp_instructions"] / (share * roofline["warp_instructions_per_second"]))
    check(f"{name}: the estimate is not the roofline's", near(seconds * 1e6, kernel["estimate_us"]))


def check_row(row, roofline):
    name, kernels = row["name"], row["kernels"]
    for kernel in kernels:
        check_kernel(row, kernel, roofline)
    check(f"{name}: launches", row["launches"] == sum(kernel["launches"] for kernel in kernels))
    check(f"{name}: copies", row["copies_in"] > 0 and row["copies_out"] > 0)
    check(f"{name}: bytes", row["moved_bytes"] == 32 * sum(kernel["sectors"] for kernel in kernels))
    check(f"{name}: bytes over the least", near(row["moved_over_least"], row["moved_bytes"] / row["least_bytes"]))
    check(f"{name}: bytes where caches hold them", row["cached_over_least"] <= row["moved_over_least"])
    # A kernel reads every input and writes every output.
    check(f"{name}: less than the least", row["moved_bytes"] >= row["least_bytes"])
    check(f"{name}: instructions", near(row["instructions_per_element"],
                                        sum(kernel["thread_instructions"] for kernel in kernels) / row["elements"]))
    check(f"{name}: estimate", near(row["estimate_us"], sum(kernel["estimate_us"] for kernel in kernels)))
    check(f"{name}: under the floor", row["estimate_us"] >= row["floor_us"] > 1e6 * roofline["launch_seconds"])


def run_times(bench, *arguments, emulator=""):
    library = os.path.join(os.path.dirname(os.path.dirname(bench)), "lib", "libkeratin_cuda_emulator.so")
    environment = os.environ | {"KERATIN_CUDA_DRIVER": library, "KERATIN_EMULATOR": emulator}
    done = subprocess.run([bench, "--device=cuda", "--json", "--scale=4096", "--batches=2", *arguments], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def check_times(bench):
    done, lines = run_times(bench, "small", "softmax", "mlp")
    check(done.stderr, done.returncode == 0)
    check("the first line is the machine", lines[0]["name"] == "machine" and lines[0]["copy_bytes_per_second"] > 0)
    check("the rows that were asked for", {row["name"] for row in lines[1:]} == {"small", "softmax", "mlp"})
    for row in lines[1:]:
        name = f"{row['name']} {row['case']}"
        check(f"{name}: {row}", row["right"] and 0 <= row["error_over_bound"] <= 1)
        check(f"{name}: times", 0 < row["min_ms"] <= row["median_ms"] and row["calls"] == 2)
        check(f"{name}: kernels", row["launches"] == sum(kernel["launches"] for kernel in row["kernels"]) > 0)
        check(f"{name}: time of kernels", near(row["kernels_ms"] * 1e3, sum(kernel["us"] for kernel in row["kernels"])))
        check(f"{name}: bytes", near(row["bytes_per_second"] * row["kernels_ms"] / 1e3, row["least_bytes"]))
        check(f"{name}: shares", near(row["of_copy"] * lines[0]["copy_bytes_per_second"], row["bytes_per_second"]))
    check("bytes of an addition", lines[1]["least_bytes"] == 3 * 4 * 4)
    # A case that fails is told of, and the others follow.
    done, lines = run_times(bench, "--case=x1024 f", "softmax", emulator="fail=cuLaunchKernel:1")
    check("each process has the failure", done.returncode == 1 and len(lines) > 2)
    check("what has failed", all("cuLaunchKernel" in row["error"] for row in lines[1:]))
    check("and on stderr", done.stderr.count("keratin-bench: error: softmax") == len(lines) - 1)
    done, lines = run_times(bench, "xformer", "--case=tf32", "--limit=1")
    check("what takes too long", done.returncode == 1 and lines[-1]["error"] == "no result after 1 s")
    done, lines = run_times(bench, "rows")
    check("names that are none", done.returncode == 2)


def main():
    bench = sys.argv[1]
    check_times(bench)
    done = run(bench, "--json", *ROWS)
    check(done.stdout, done.returncode == 0)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    check("the first line is the roofline", lines[0]["name"] == "roofline")
    check("the rows that were asked for", [line["name"] for line in lines[1:]] == ROWS)
    for row in lines[1:]:
        check_row(row, lines[0])
    chain = lines[1]
    check("elements of the chain", chain["elements"] == 2 << 16 and chain["least_bytes"] == 3 * 4 << 16)
    table = run(bench, "rows")
    check(table.stdout, table.returncode == 0)
    rows = [line for line in table.stdout.splitlines() if line.startswith("|")]
    check("a head and a row", len(rows) == 3 and len({line.count("|") for line in rows}) == 1)
    check("names that are none", run(bench, "gru").returncode == 2)
    done = run(bench, "--json", "--float32-products=tf32", "gemm")
    check(done.stdout, done.returncode == 0)
    roofline, gemm = (json.loads(line) for line in done.stdout.splitlines())
    check_row(gemm, roofline)
    check("products in tf32", all(kernel["matrix_products"] > 0 == kernel["float_products"] for kernel in gemm["kernels"]))
    check("no such products", run(bench, "--float32-products=half").returncode == 2)
    alone = subprocess.run([bench, "--float32-products=tf32"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(alone.stdout, alone.returncode == 2 and "--float32-products goes with --device" in alone.stdout)


if __name__ == "__main__":
    main()
