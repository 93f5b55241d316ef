#!/usr/bin/env python3
"""Prints codegen/elements/VectorMathCoefficients.h: the minimax polynomials of our math functions.

Each polynomial minimises the largest weighted error (Remez exchange, 60 digits). Coefficients are rounded to the
machine's format one by one, lowest power first, and the rest is fitted again after each where that is better, so
that the error of the rounding is made up for. Needs mpmath.  Usage: fit.py > codegen/elements/VectorMathCoefficients.h
"""
import struct
import sys
from mpmath import mp, mpf, matrix, lu_solve, log, exp, sin, cos, tanh, atan, erf, erfc, atanh, sqrt, pi, chop

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
    print("// 2 / pi in words of 32 bits after one word of zeros, most significant first.")
    print("inline constexpr unsigned twoOverPi[] = {")
    mp.prec = 1500
    words = ["0x0"] + [hex(int(2 / pi * mpf(2) ** (32 * i)) & 0xffffffff) for i in range(1, 39)]
    for i in range(0, len(words), 8):
        print("    " + ", ".join(words[i:i + 8]) + ("," if i + 8 < len(words) else "};\n"))
    print("} // namespace keratin::codegen::coefficients\n")
    print("#endif // KERATIN_CODEGEN_ELEMENTS_VECTORMATHCOEFFICIENTS_H")


main()
