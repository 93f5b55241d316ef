"""Compares incomplete gamma and beta functions, and what samples change by, with mpmath: special.py [--count=N] [--seed=N] [--bin=FOLDER].

    build/judge/bin/python tests/judge/special.py --count=300

That environment is run.sh's. Parameters and arguments are of all sizes, from the smallest denormal to
the largest number, and next to each other's means. Each case goes through compiled code in float64 and
float32, and keratin-run compares that with the reference interpreter. Prints the largest error of each
function, in units of the last place beyond what logarithms of small results may cost, and what is
beyond the function's own bound; exit code 1 if there is any.
"""

import argparse
import functools
import pathlib
import subprocess
import sys
import tempfile

import mpmath
import numpy as np
from mpmath import mp, mpf

MOST = {"lgamma": 4, "digamma": 5, "igamma": 30, "igammac": 30, "gamma_sample_gradient": 200, "betainc": 60,
        "beta_sample_gradient": 200, "zeta": 10}


#===-- Truth ------------------------------------------------------------------------------------===//

@functools.cache
def gauss():
    """Points and weights of Gauss and Legendre on [0, 1]."""
    with mpmath.workdps(40):
        count, found = 24, []
        for k in range(count):
            x = mpmath.cos(mpmath.pi * (k + mpf(3) / 4) / (count + mpf(1) / 2))
            for _ in range(8):
                before, value = mpf(1), x
                for n in range(2, count + 1):
                    before, value = value, ((2 * n - 1) * x * value - (n - 1) * before) / n
                slope = count * (x * value - before) / (x * x - 1)
                x -= value / slope
            found.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
        return found


def integral(function, scale, most=None, widest=mpmath.inf):
    """From 0 on, of what falls on this scale or faster; nothing is behind `most`."""
    start, end, width, sum = mpf(0), scale * 400 if most is None else most, scale / 4, mpf(0)
    while start < end:
        width = min(width, end - start)
        sum += width * mpmath.fsum(weight * function(start + width * point) for point, weight in gauss())
        start += width
        width = min(2 * width, widest)
    return sum


def gamma_series(a, x):
    """The sum of x^k / ((a + 1) ... (a + k)), of an x below 1, and the derivative of its logarithm by a."""
    term, sum, slope, inner, k = mpf(1), mpf(1), mpf(0), mpf(0), 0
    while term > sum * mpf(10) ** -60:
        k += 1
        term *= x / (a + k)
        inner += 1 / (a + k)
        sum += term
        slope -= term * inner
    return sum, slope / sum


def gamma_tail(a, x, weight=lambda s: 1):
    """The integral over the tail that x is in, by the density at x, in log(x); and whether it is above."""
    above = x > a or a < 1
    sign = 1 if above else -1
    most = None
    if above and a < 1:
        most = mpmath.log(1 + 500 / x)
        scale = min(1 / (abs(x - a) + mpmath.sqrt(x) + 1), most)
    else:
        scale = 1 / (abs(x - a) + mpmath.sqrt(x if above else a))
    f = lambda s: mpmath.exp(sign * a * s - x * mpmath.expm1(sign * s)) * weight(sign * s)
    return integral(f, scale, most, 2 if a < 1 else mpmath.inf), above


def gamma_parts(a, x):
    power = mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a))
    tail, above = gamma_tail(a, x)
    tail *= power
    lower, upper = (1 - tail, tail) if above else (tail, 1 - tail)
    if x < 1:
        lower = power * gamma_series(a, x)[0] / a
    return lower, upper


def gamma_sample_gradient(a, x):
    least = mpmath.log(x) - mpmath.digamma(a)
    if x < 1:
        sum, slope = gamma_series(a, x)
        return -x * sum / a * (least - 1 / a + slope)
    tail, above = gamma_tail(a, x, lambda s: least + s)
    return x * tail * (1 if above else -1)


def beta_below(p, q, x, y, by=None):
    """The incomplete function by x^p y^q / beta(p, q), at and below the mean, y being 1 - x; or its
    derivative by "p" or "q", by the same.

    It is 1 / p, and that of p + 1, whose density falls on a scale of at most 1, behind what may be flat."""
    n = p + q
    scale = 1 / (1 + abs(p + 1 - (n + 1) * x) + mpmath.sqrt((n + 1) * x * y))
    end = 400 * max(scale, 1 / (p + 1)) + 60 - mpmath.log(y)

    def logarithms(v):
        """Of how the number and 1 minus it change, where the logarithm of odds is v lower."""
        if 2 * x < 1:
            other = -mpmath.log1p(x * mpmath.expm1(-v))
            return other - v, other
        first = -mpmath.log1p(y * mpmath.expm1(v))
        return first, first + v

    ofX, ofY = mpmath.log(x), mpmath.log1p(-x) if 2 * x < 1 else mpmath.log(y)
    # That of p + 1 has x n / p times the power.
    factor = x * n / p
    def density(v, weight=lambda first, second: 1):
        first, second = logarithms(v)
        return mpmath.exp((p + 1) * first + q * second) * weight(first, second)

    if by is None:
        return 1 / p + factor * integral(density, scale, end, 2)
    start = ofX if by == "p" else ofY
    change = start + mpmath.digamma(n + 1) - mpmath.digamma(p + 1 if by == "p" else q)
    ofPower = start + mpmath.digamma(n) - mpmath.digamma(p + 1 if by == "p" else q)
    weighted = functools.partial(density, weight=lambda first, second: change + (first if by == "p" else second))
    return ofPower / p + factor * integral(weighted, scale, end, 2)


def beta_power(a, b, x):
    return mpmath.exp(a * mpmath.log(x) + b * mpmath.log1p(-x) + mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b))


def betainc(a, b, x):
    if x * (a + b) <= a:
        return beta_power(a, b, x) * beta_below(a, b, x, 1 - x)
    return 1 - beta_power(a, b, x) * beta_below(b, a, 1 - x, x)


def beta_sample_gradient(a, b, x):
    if x * (a + b) <= a:
        return -x * (1 - x) * beta_below(a, b, x, 1 - x, by="p")
    return x * (1 - x) * beta_below(b, a, 1 - x, x, by="q")


def polygamma(n, x):
    return (-1) ** (int(n) + 1) * mpmath.factorial(n) * mpmath.zeta(n + 1, x)


def digits(*numbers):
    """Enough for what cancels in exponents of parameters as large as these."""
    return 50 + int(max([mpmath.log10(x) for x in numbers] + [mpf(0)]))


TRUTH = {
    "lgamma": lambda x: mpmath.loggamma(x),
    "digamma": lambda x: mpmath.digamma(x),
    "zeta": lambda s, q: mpmath.zeta(s, q),
    "igamma": lambda a, x: gamma_parts(a, x)[0],
    "igammac": lambda a, x: gamma_parts(a, x)[1],
    "gamma_sample_gradient": gamma_sample_gradient,
    "betainc": betainc,
    "beta_sample_gradient": beta_sample_gradient,
}


#===-- Cases ------------------------------------------------------------------------------------===//

def size(random, least, most):
    return 10.0 ** random.uniform(least, most)


def draw(name, random, single):
    """Of all sizes; or next to the mean, by few widths."""
    low, high = (-44, 37) if single else (-322, 307)
    kind = random.integers(3)
    if kind == 0:
        low, high = -12, 16
    if name in ("lgamma", "digamma"):
        return [size(random, low, high)]
    if name == "zeta":
        return [1 + size(random, -12, 1.2), size(random, max(low, -30), min(high, 30))]
    if name in ("igamma", "igammac", "gamma_sample_gradient"):
        a = size(random, low, high)
        x = size(random, low, high) if kind == 1 else a * size(random, -1, 1)
        if kind == 2:
            x = a + random.normal() * 3 * np.sqrt(a)
        return [a, abs(x)]
    a, b = size(random, low, high), size(random, low, high)
    if kind == 2 and random.integers(2):
        b = a * size(random, -1, 1)
    x = size(random, low, 0) if kind == 1 else random.uniform()
    if kind == 2:
        mean = a / (a + b)
        x = mean + random.normal() * 3 * np.sqrt(mean * (b / (a + b)) / (a + b + 1))
    return [a, b, min(max(abs(x), 0), 1)]


def cases(name, count, random, single):
    dtype = np.float32 if single else np.float64
    found = []
    while len(found) < count:
        with np.errstate(all="ignore"):
            case = [float(dtype(x)) for x in draw(name, random, single)]
        if all(np.isfinite(case)) and min(case) > 0 and (not name.startswith("beta") or case[2] < 1):
            found.append(case)
    return found


def compiled(name, columns, options):
    dtype = columns[0].dtype
    tensor = f"tensor<{len(columns[0])}x{'f32' if dtype == np.float32 else 'f64'}>"
    arguments = ", ".join(f'%x{i}: {tensor} {{keratin.name = "x{i}"}}' for i in range(len(columns)))
    operands = ", ".join(f"%x{i}" for i in range(len(columns)))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "graph.mlir").write_text(
            f"func.func @main({arguments}) -> {tensor} {{\n"
            f"  %y = keratin.{name} {operands} : ({', '.join([tensor] * len(columns))}) -> {tensor}\n"
            f"  return %y : {tensor}\n}}\n")
        command = [f"{options.bin}/keratin-run", folder / "graph.mlir", "--quiet"]
        for i, column in enumerate(columns):
            np.save(folder / f"x{i}.npy", column)
            command.append(f"--input=x{i}={folder}/x{i}.npy")
        subprocess.run([*command, f"--output={folder}/y.npz"], check=True)
        check = subprocess.run([*command, "--check"], capture_output=True, text=True)
        said = "" if check.returncode == 0 else f"  the interpreter differs: {check.stderr}"
        outputs = np.load(folder / "y.npz")
        return outputs[outputs.files[0]], said


def error_of(found, right, dtype):
    """In units of the last place, without what the logarithm of a small result costs."""
    limits = np.finfo(dtype)
    if not np.isfinite(found):
        return 0 if abs(right) > float(limits.max) and np.sign(found) == mpmath.sign(right) else np.inf
    unit = max(mpf(2) ** (mpmath.floor(mpmath.log(abs(right), 2)) - limits.nmant) if right else mpf(0), mpf(float(limits.smallest_subnormal)))
    error = abs(mpf(float(found)) - right) / unit
    return float(max(error - (6 * -mpmath.log(right) if 0 < right < 1 and dtype == np.float64 else 0), 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("functions", nargs="*", help="all of them by default")
    options = parser.parse_args()
    wrong = False
    for name in options.functions or TRUTH:
        for single in (False, True):
            dtype = np.float32 if single else np.float64
            random = np.random.default_rng(options.seed)
            drawn = cases(name, options.count, random, single)
            found, said = compiled(name, [np.array(column, dtype) for column in zip(*drawn)], options)
            bound, worst, at = (1 if single else MOST[name]), 0.0, None
            for case, value in zip(drawn, found):
                mp.dps = digits(*map(mpf, case))
                error = error_of(value, TRUTH[name](*map(mpf, case)), dtype)
                if error > worst:
                    worst, at = error, case
                if not error <= bound:
                    wrong = True
                    print(f"  {name} of {case} is {value!r}, off by {error:.3g} ulp", flush=True)
            wrong |= bool(said)
            print(f"{said}{name} {dtype.__name__}: {worst:.3g} ulp at {at}", flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
