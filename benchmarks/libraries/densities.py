"""Log densities of Bayesian models, in K and in PyMC: eight schools, a hierarchical regression, a Gaussian process.

Both are of one vector of unconstrained numbers, with the logarithm of what the transforms stretch, and with all
constants, as a sampler sees them.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np

HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Density:
    name: str
    case: str
    ours: Callable  # (K, x) to a number
    theirs: Callable  # (pm, pt) to a pm.Model
    point: np.ndarray


def normal(K, x, mean, log_deviation, deviation):
    """The sum over all elements."""
    scaled = (x - mean) / deviation
    return K.sum(-0.5 * scaled * scaled - HALF_LOG_TAU - log_deviation)


def half_normal(K, log_x, deviation):
    """Of a positive number by its logarithm."""
    scaled = K.exp(log_x) / deviation
    return -0.5 * scaled * scaled + 0.5 * np.log(2 / np.pi) - np.log(deviation) + log_x


def half_cauchy(K, log_x, scale):
    scaled = K.exp(log_x) / scale
    return np.log(2 / np.pi) - np.log(scale) - K.log1p(scaled * scaled) + log_x


def eight_schools():
    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])

    def ours(K, x):
        mu, log_tau, offsets = x[0], x[1], x[2:]
        theta = mu + K.exp(log_tau) * offsets
        return (normal(K, mu, 0.0, np.log(5), 5.0) + half_cauchy(K, log_tau, 5.0) + normal(K, offsets, 0.0, 0.0, 1.0)
                + normal(K, K.constant(y), theta, K.constant(np.log(sigma)), K.constant(sigma)))

    def theirs(pm, pt):
        with pm.Model() as model:
            mu, tau = pm.Normal("mu", 0.0, 5.0), pm.HalfCauchy("tau", 5.0)
            offsets = pm.Normal("offsets", 0.0, 1.0, shape=8)
            pm.Normal("y", mu + tau * offsets, sigma, observed=y)
        return model

    return Density("eight schools", "10 parameters", ours, theirs, 0.3 * np.random.default_rng(1).normal(size=10))


def regression(groups=85, observations=900):
    """Radon's: an intercept and a slope for each county, the mean of the intercepts by a county's uranium."""
    random = np.random.default_rng(2)
    group = np.sort(random.integers(0, groups, observations))
    floor, uranium = random.integers(0, 2, observations).astype(float), random.normal(size=groups)
    y = 1.3 + 0.3 * uranium[group] - 0.6 * floor + 0.7 * random.normal(size=observations)

    def ours(K, x):
        means, logs, a, b = x[:3], x[3:6], x[6 : 6 + groups], x[6 + groups :]
        deviation = K.exp(logs)
        intercept = means[0] + means[1] * K.constant(uranium) + deviation[0] * a
        slope = means[2] + deviation[1] * b
        indices = K.constant(group, "int32")
        mean = K.gather(intercept, indices) + K.gather(slope, indices) * K.constant(floor)
        priors = normal(K, means, 0.0, np.log(10), 10.0) + K.sum(half_normal(K, logs, 1.0))
        units = normal(K, a, 0.0, 0.0, 1.0) + normal(K, b, 0.0, 0.0, 1.0)
        return priors + units + normal(K, K.constant(y), mean, logs[2], deviation[2])

    def theirs(pm, pt):
        with pm.Model() as model:
            means, deviation = pm.Normal("means", 0.0, 10.0, shape=3), pm.HalfNormal("deviation", 1.0, shape=3)
            a, b = pm.Normal("a", 0.0, 1.0, shape=groups), pm.Normal("b", 0.0, 1.0, shape=groups)
            intercept = means[0] + means[1] * uranium + deviation[0] * a
            slope = means[2] + deviation[1] * b
            pm.Normal("y", intercept[group] + slope[group] * floor, deviation[2], observed=y)
        return model

    point = 0.3 * random.normal(size=6 + 2 * groups)
    return Density("hierarchical regression", f"{groups} groups, {observations} observations", ours, theirs, point)


def gaussian_process(count=100):
    """Length, height and noise of a process with a squared exponential, by Cholesky's factor."""
    random = np.random.default_rng(3)
    at = np.sort(random.uniform(0, 10, count))
    y = np.sin(at) + 0.2 * random.normal(size=count)
    squares = (at[:, None] - at[None, :]) ** 2

    def ours(K, x):
        length, height, noise = K.exp(x[0]), K.exp(x[1]), K.exp(x[2])
        covariance = height * height * K.exp(K.constant(-0.5 * squares) / (length * length))
        covariance = covariance + (noise * noise + 1e-8) * K.eye(count)
        factor = K.cholesky(covariance)
        solved = K.triangular_solve(factor, K.constant(y[:, None]))
        priors = K.sum(half_normal(K, x, 2.0))
        return (priors - 0.5 * K.sum(K.square(solved)) - K.sum(K.log(K.diag(factor)))
                - count * HALF_LOG_TAU)

    def theirs(pm, pt):
        with pm.Model() as model:
            length, height, noise = (pm.HalfNormal(name, 2.0) for name in ("length", "height", "noise"))
            covariance = height**2 * pt.exp(-0.5 * squares / length**2) + (noise**2 + 1e-8) * pt.eye(count)
            pm.MvNormal("y", np.zeros(count), chol=pt.linalg.cholesky(covariance), observed=y)
        return model

    return Density("Gaussian process", f"{count} points", ours, theirs, np.array([0.2, -0.1, -1.2]))


def densities():
    return [eight_schools(), regression(), gaussian_process()]
