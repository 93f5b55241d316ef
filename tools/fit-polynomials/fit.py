#!/usr/bin/env python3
"""Prints codegen/elements/VectorMathCoefficients.h: the minimax polynomials of our math functions.

Each polynomial minimises the largest weighted error (Remez exchange, 60 digits). Coefficients are rounded to the
machine's format one by one, lowest power first, and the rest is fitted again after each where that is better, so
that the error of the rounding is made up for. Needs mpmath.  Usage: fit.py > codegen/elements/VectorMathCoefficients.h
"""
import struct
import sys
from mpmath import (mp, mpf, matrix, lu_solve, log, exp, expm1, sin, cos, cot, tanh, atan, erf, erfc, atanh, sqrt, pi, loggamma,
                    digamma, psi, besseli, findroot)

mp.dps = 60


def remez(f, weight, lo, hi, count):
    """Coefficients c with max |weight(x) * (sum c_i x^i - f(x))| least on [lo, hi], and that error."""
    lo, hi = mpf(lo), mpf(hi)
    grid_size = 40 * (count + 1)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (i + mpf(1) / 2) / grid_size) for i in range(grid_size)]
    values = [(f(x), weight(x)) for x in grid]
    reference = [(2 * i + 1) * grid_size // (2 * (count + 1)) for i in range(count + 1)]
    for _ in range(40):
        a = matrix(count + 1, count + 1)
        b = matrix(count + 1, 1)
        for row, index in enumerate(reference):
            x, (fx, wx) = grid[index], values[index]
            for column in range(count):
                a[row, column] = x ** column
            a[row, count] = (-1) ** row / wx
            b[row] = fx
        solution = lu_solve(a, b)
        coefficients = [solution[i] for i in range(count)]
        level = abs(solution[count])
        errors = []
        for x, (fx, wx) in zip(grid, values):
            p = mpf(0)
            for c in reversed(coefficients):
                p = p * x + c
            errors.append(wx * (p - fx))
        # One extremum for each run of one sign; keep the count + 1 consecutive ones with the largest ends.
        extrema = []
        for i, e in enumerate(errors):
            if extrema and (errors[extrema[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > count + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < count + 1:
            break
        worst = max(abs(e) for e in errors)
        if worst <= level * mpf('1.001') or extrema == reference:
            break
        reference = extrema
    return coefficients, max(abs(e) for e in errors)


def rounded(value, bits):
    if bits == 32:
        return mpf(struct.unpack('f', struct.pack('f', float(value)))[0])
    return mpf(float(value))


def fit(name, comment, f, weight, lo, hi, count, bits):
    def worst_error(coefficients):
        worst = mpf(0)
        for i in range(1000):
            x = mpf(lo) + (mpf(hi) - mpf(lo)) * (i + mpf(1) / 3) / 1000
            p = sum((c * x ** k for k, c in enumerate(coefficients)), mpf(0))
            worst = max(worst, abs(weight(x) * (p - f(x))))
        return worst

    plain, _ = remez(f, weight, lo, hi, count)
    candidates = [[rounded(c, bits) for c in plain]]
    if lo > 0:  # on both sides of 0 the powers without the first are no Chebyshev system
        fixed = []
        for i in range(count):
            def rest(x, fixed=list(fixed)):
                known = sum((c * x ** k for k, c in enumerate(fixed)), mpf(0))
                return (f(x) - known) / x ** len(fixed)

            def rest_weight(x, power=len(fixed)):
                return weight(x) * abs(x) ** power
            fixed.append(rounded(remez(rest, rest_weight, lo, hi, count - i)[0][0], bits))
        candidates.append(fixed)
    fixed = min(candidates, key=worst_error)
    worst = worst_error(fixed)
    error_log = float(log(worst, 2))
    print(f"// {comment}; error 2^{error_log:.1f}.")
    print(f"inline constexpr double {name}[] = {{")
    line = "   "
    for c in fixed:
        text = float(c).hex()
        if len(line) + len(text) + 2 > 100:
            print(line)
            line = "   "
        line += " " + text + ","
    print(line.rstrip(",") + "};\n")
    print(f"{name}: 2^{error_log:.1f}", file=sys.stderr, flush=True)


def odd_tail(g):
    """(g(x) - x) / x^3 as a function of z = x^2, and the weight of its relative effect on g."""
    def f(z):
        x = sqrt(z)
        return (g(x) - x) / x ** 3

    def weight(z):
        x = sqrt(z)
        return x ** 3 / g(x)
    return f, weight


def ratio(x, c):
    """What a formula's t = (x - c) / (x + c) is; behind it is x of t."""
    return (mpf(x) - c) / (mpf(x) + c)


def of_ratio(g, c):
    return lambda t: g(c * (1 + t) / (1 - t))


def relative(f):
    return lambda x: 1 / abs(f(x))


def erfinv_over_x(w):
    """erfinv(x) / x for w = -log(1 - x^2), by Newton's method."""
    if w < mpf(10) ** -30:
        return sqrt(pi) / 2
    x = sqrt(-expm1(-w))
    rest = exp(-w) / (1 + x)  # 1 - x
    y = sqrt(w) if w > 2 else x * sqrt(pi) / 2
    for _ in range(100):
        slope = 2 / sqrt(pi) * exp(-y * y)
        step = (rest - erfc(y)) / slope if w > 1 else (erf(y) - x) / slope
        step /= 1 + y * step
        y -= step
        if abs(step) < mpf(10) ** -40 * y:
            break
    return y / x


def special_functions():
    for bits, count, limit in ((32, 10, '10.2'), (64, 22, '27.5')):
        f = of_ratio(lambda a: (1 + 2 * a) * exp(a * a) * erfc(a), 3)
        fit(f"erfcScaled{bits}", f"(1 + 2 a) exp(a^2) erfc(a) in t = (a - 3) / (a + 3) for a from 1/2 to {limit}",
            f, relative(f), ratio('0.5', 3), ratio(limit, 3), count, bits)
    for bits, name, lo, hi, count in ((32, "Central", '0', '5', 10), (64, "Central", '0', '6.25', 25)):
        middle = (mpf(lo) + mpf(hi)) / 2
        f = lambda u, middle=middle: erfinv_over_x(u + middle)
        fit(f"erfinv{name}{bits}", f"erfinv(x) / x in w - {float(middle)}, w = -log(1 - x^2) to {hi}",
            f, relative(f), -middle, middle, count, bits)
    for bits, name, lo, hi, middle, count in ((32, "Tail", sqrt(mpf(5)), '4.1', '3', 10), (64, "Middle", '2.5', '4', '3.25', 21),
                                              (64, "Tail", '4', '6.05', '5', 19)):
        f = lambda u, middle=mpf(middle): erfinv_over_x((u + middle) ** 2)
        fit(f"erfinv{name}{bits}", f"the same in sqrt(w) - {middle}, sqrt(w) from {float(lo):.4g} to {hi}",
            f, relative(f), mpf(lo) - mpf(middle), mpf(hi) - mpf(middle), count, bits)

    def log_gamma_near(x):
        if abs((x - 1) * (x - 2)) < mpf(10) ** -28:
            x += mpf(10) ** -28
        return loggamma(x) / ((x - 1) * (x - 2))
    f = of_ratio(log_gamma_near, 2)
    fit("logGammaNear64", "log gamma(y) / ((y - 1) (y - 2)) in t = (y - 2) / (y + 2) for y from 1 to 4.5",
        f, relative(f), ratio(1, 2), ratio('4.5', 2), 22, 64)

    def log_gamma_far(z):
        y = 1 / sqrt(z)
        return (loggamma(y) - ((y - mpf(1) / 2) * log(y) - y + log(2 * pi) / 2)) * y
    tiny = mpf(10) ** -10
    fit("logGammaFar64", "what Stirling's formula lacks, times y, in 1 / y^2 for y >= 4.5; error of log gamma",
        log_gamma_far, lambda z: sqrt(z) / loggamma(1 / sqrt(z)), tiny, 1 / mpf('4.5') ** 2, 8, 64)
    root = findroot(digamma, mpf('1.4616'))
    f = of_ratio(lambda y: digamma(y) / (y - root) if abs(y - root) > mpf(10) ** -28 else psi(1, root), 2)
    fit("digammaNear64", "digamma(y) / (y - root) in t = (y - 2) / (y + 2) for y from 1 to 3",
        f, relative(f), ratio(1, 2), ratio(3, 2), 20, 64)

    def digamma_far(z):
        y = 1 / sqrt(z)
        return (log(y) - 1 / (2 * y) - digamma(y)) * y * y
    fit("digammaFar64", "(log(y) - 1 / (2 y) - digamma(y)) y^2 in 1 / y^2 for y >= 3; error of digamma",
        digamma_far, lambda z: z / digamma(1 / sqrt(z)), tiny, mpf(1) / 9, 12, 64)
    fit("piCotangent64", "pi r cot(pi r) in r^2 for |r| <= 1/2; absolute error",
        lambda z: pi * sqrt(z) * cot(pi * sqrt(z)), lambda z: mpf(1), mpf(10) ** -20, mpf(1) / 4, 15, 64)
    f = lambda z: sin(pi * sqrt(z)) / (pi * sqrt(z))
    fit("sinePi64", "sin(pi r) / (pi r) in r^2 for |r| <= 1/2", f, relative(f), mpf(10) ** -20, mpf(1) / 4, 9, 64)
    for order in (0, 1):
        def small(z, order=order):
            return besseli(order, sqrt(z)) / sqrt(z) ** order

        def large(v, order=order):
            a = 16 / (1 + v)
            return besseli(order, a) * exp(-a) * sqrt(a)
        what = "" if order == 0 else " / a"
        for bits, counts in ((32, (11, 6)), (64, (16, 24))):
            fit(f"besselI{order}Small{bits}", f"I{order}(a){what} in a^2 for a from 0 to 8",
                small, relative(small), mpf(10) ** -12, mpf(64), counts[0], bits)
            fit(f"besselI{order}Large{bits}", f"exp(-a) I{order}(a) sqrt(a) in 16 / a - 1 for a >= 8",
                large, relative(large), mpf('-0.999'), mpf(1), counts[1], bits)


def main():
    print("// Written by tools/fit-polynomials/fit.py; do not edit.")
    print("#ifndef KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H")
    print("#define KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H\n")
    print("// Lowest power first. Errors are relative to the function unless stated otherwise.")
    print("namespace keratin::codegen::coefficients {\n")
    half_ln2 = log(mpf(2)) / 2 * mpf('1.0002')
    tiny = mpf(10) ** -12
    for bits, count in ((32, 5), (64, 10)):
        fit(f"exp{bits}", "(e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, relative to e^r - 1",
            lambda r: (exp(r) - 1 - r) / r ** 2, lambda r: abs(r ** 2 / (exp(r) - 1)), -half_ln2, half_ln2, count, bits)
    for bits, count in ((32, 6), (64, 11)):
        fit(f"expm1Of{bits}", "the same with a smaller error",
            lambda r: (exp(r) - 1 - r) / r ** 2, lambda r: abs(r ** 2 / (exp(r) - 1)), -half_ln2, half_ln2, count, bits)
    low, high = sqrt(mpf(1) / 2) - 1, mpf(1) / 2
    fit("log32", "(log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from the root of 1/2 to 3/2",
        lambda f: (log(1 + f) - f + f ** 2 / 2) / f ** 3, lambda f: abs(f ** 3 / log(1 + f)), low, high, 9, 32)
    s_max = mpf('0.2001') ** 2

    def atanh_tail(z):
        s = sqrt(z)
        return (2 * atanh(s) - 2 * s) / s ** 3
    fit("log64", "(2 atanh(s) - 2 s) / s^3 in z = s^2, 1 + f = (1 + s) / (1 - s) from the root of 1/2 to 3/2",
        atanh_tail, lambda z: z ** mpf(1.5) / (2 * atanh(sqrt(z))), tiny, s_max, 8, 64)

    def atanh_tail5(z):
        s = sqrt(z)
        return (2 * atanh(s) - 2 * s - 2 * s ** 3 / 3) / s ** 5
    fit("logExtended64", "(2 atanh(s) - 2 s - 2/3 s^3) / s^5 in z = s^2",
        atanh_tail5, lambda z: z ** mpf(2.5) / (2 * atanh(sqrt(z))), tiny, s_max, 9, 64)
    fit("log2Single64", "log2(1 + f) / f, enough for pow of single precision",
        lambda f: log(1 + f, 2) / f, lambda f: abs(f / log(1 + f, 2)), low, high, 14, 64)
    fit("exp2Single64", "2^r for |r| <= 1/2, enough for pow of single precision",
        lambda r: mpf(2) ** r, lambda r: mpf(2) ** -r, mpf('-0.5001'), mpf('0.5001'), 8, 64)
    for bits, count in ((32, 7), (64, 12)):
        fit(f"exp2Of{bits}", "2^r for |r| <= 1/2",
            lambda r: mpf(2) ** r, lambda r: mpf(2) ** -r, mpf('-0.5001'), mpf('0.5001'), count, bits)
    for bits, limit, count in ((32, '0.6', 5), (64, '0.55', 14)):
        f, w = odd_tail(tanh)
        fit(f"tanh{bits}", f"(tanh x - x) / x^3 in x^2 for |x| <= {limit}", f, w, tiny, mpf(limit) ** 2 * mpf('1.0001'), count, bits)
    quarter = (pi / 4 * mpf('1.0002')) ** 2
    for bits, sin_count, cos_count in ((32, 4, 3), (64, 7, 7)):
        f, w = odd_tail(sin)
        fit(f"sin{bits}", "(sin x - x) / x^3 in x^2 for |x| <= pi / 4", f, w, tiny, quarter, sin_count, bits)
        fit(f"cos{bits}", "(cos x - 1 + x^2 / 2) / x^4 in x^2 for |x| <= pi / 4",
            lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, lambda z: z ** 2 / cos(sqrt(z)), tiny, quarter, cos_count, bits)
    t_max = (sqrt(mpf(2)) - 1) ** 2 * mpf('1.0002')
    for bits, count in ((32, 5), (64, 12)):
        f, w = odd_tail(atan)
        fit(f"atan{bits}", "(atan t - t) / t^3 in t^2 for |t| <= tan(pi / 8)", f, w, tiny, t_max, count, bits)
    for bits, limit, count in ((32, '0.93', 7), (64, '1', 15)):
        fit(f"erfSmall{bits}", f"(erf x - x) / x in x^2 for |x| <= {limit}",
            lambda z: (erf(sqrt(z)) - sqrt(z)) / sqrt(z), lambda z: sqrt(z) / erf(sqrt(z)), tiny, mpf(limit) ** 2, count, bits)
    fit("erfLarge32", "log2 erfc(x) / x for x from 0.93 to 4; error of erf",
        lambda x: log(erfc(x), 2) / x, lambda x: erfc(x) * x * log(mpf(2)), mpf('0.93'), mpf('4'), 7, 32)

    def scaled_erfc(t):
        x = 2 * (1 + t) / (1 - t)
        return exp(x * x) * erfc(x)
    fit("erfLarge64", "exp(x^2) erfc(x) in t = (x - 2) / (x + 2) for x from 1 to 6; error of erf",
        scaled_erfc, lambda t: exp(-(2 * (1 + t) / (1 - t)) ** 2), mpf(-1) / 3, mpf(1) / 2, 18, 64)
    special_functions()
    print("// 2 / pi in words of 32 bits after one word of zeros, most significant first.")
    print("inline constexpr unsigned twoOverPi[] = {")
    mp.prec = 1500
    words = ["0x0"] + [hex(int(2 / pi * mpf(2) ** (32 * i)) & 0xffffffff) for i in range(1, 39)]
    for i in range(0, len(words), 8):
        print("    " + ", ".join(words[i:i + 8]) + ("," if i + 8 < len(words) else "};\n"))
    print("} // namespace keratin::codegen::coefficients\n")
    print("#endif // KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H")


main()
