"""Functions whose derivatives are sparse: of optimal control, computer vision and partial differential equations.

Each is written once, for a library's namespace `m`: sqrt, exp, sin, cos, atan, concatenate, take, square grids
(grid, pad, flat). Vectors have one kind of number each, at all times or of all points; x is all of them in a row.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np


@dataclass(frozen=True)
class Pieces:
    """A vector function as one of a few numbers, applied at many places: a step, an observation."""

    function: Callable  # (m, x) to a vector
    kept: list  # which of its results are results
    columns: np.ndarray  # of each piece, which elements of x it has
    rows: np.ndarray  # of each piece, where its results are


@dataclass(frozen=True)
class Problem:
    name: str
    case: str
    function: Callable  # (m, x) to a vector; of "Hessian" to a number
    point: np.ndarray
    kind: str  # Jacobian, or Hessian
    pieces: Pieces = None


def columns_of(x, count, kinds):
    """Vectors of so many elements each."""
    return [x[i * count : (i + 1) * count] for i in range(kinds)]


def total(vectors):
    result = vectors[0]
    for vector in vectors[1:]:
        result = result + vector
    return result


def lagrangian(constraints, objective, seed):
    """The objective and constraints with multipliers, which are constants here."""

    def function(m, x):
        c = constraints(m, x)
        weights = np.random.default_rng(seed).normal(size=m.length(c))
        return objective(m, x) + m.sum(c * m.constant(weights))

    return function


# ---- A rocket's landing, trapezoidal collocation -----------------------------------------------


def rocket(steps, step):
    """Position, velocity, mass and thrust at each time; drag; limits of thrust and of the glide slope."""
    points, gravity, drag, burn = steps + 1, 3.71, 2e-3, 5e-4

    def slopes(m, r, v, mass, thrust):
        speed = m.sqrt(total([a * a for a in v]) + 1e-6)
        force = m.sqrt(total([a * a for a in thrust]) + 1e-6)
        gravities = (0.0, 0.0, gravity)
        accelerations = [(t - drag * speed * a) / mass - g for t, a, g in zip(thrust, v, gravities)]
        return [*v, *accelerations, -burn * force], force

    def constraints(m, x):
        kinds = columns_of(x, points, 10)
        r, v, mass, thrust = kinds[:3], kinds[3:6], kinds[6], kinds[7:]
        rates, force = slopes(m, r, v, mass, thrust)
        states = [*r, *v, mass]
        defects = [s[1:] - s[:-1] - step / 2 * (f[1:] + f[:-1]) for s, f in zip(states, rates)]
        slope = r[2] - 0.1 * m.sqrt(r[0] * r[0] + r[1] * r[1] + 1e-3)
        pointing = thrust[2] - 0.5 * force
        return m.concatenate([*defects, force, slope, pointing])

    def objective(m, x):
        thrust = columns_of(x, points, 10)[7:]
        return step * m.sum(total([t * t for t in thrust]))

    random, time = np.random.default_rng(1), np.linspace(0, 1, points)
    kinds = [500 * (1 - time), 300 * (1 - time), 1500 * (1 - time) + 1, -30 + 20 * time, 5 - 5 * time, -75 + 70 * time]
    kinds += [20 - 3 * time, 10 * time + 1, 3 - time, 90 + 10 * time]
    point = np.concatenate(kinds) + 0.1 * random.normal(size=10 * points)
    return constraints, objective, point


def rocket_steps(steps, step):
    """A step has two times, and what it says of the first."""
    points, at = steps + 1, np.arange(steps)[:, None]
    columns = at + [kind * points + i for kind in range(10) for i in (0, 1)]
    rows = at + [*(steps * np.arange(7)), *(7 * steps + points * np.arange(3))]
    return Pieces(rocket(1, step)[0], [0, 1, 2, 3, 4, 5, 6, 7, 9, 11], columns, rows)


# ---- A race car's predictive control, multiple shooting ----------------------------------------


def race_car(steps):
    """A bicycle with Pacejka's tyres: place, heading, velocities; throttle and steering. A step is one of Runge-Kutta."""
    step, mass, inertia, front, rear = 0.05, 0.041, 27.8e-6, 0.029, 0.033
    stiffness = {"front": (2.579, 1.2, 0.192), "rear": (3.3852, 1.2691, 0.1737)}
    motor = (0.287, 0.0545, 0.0518, 0.00035)

    def tyre(m, which, angle):
        b, c, d = stiffness[which]
        return d * m.sin(c * m.atan(b * angle))

    def slopes(m, state, throttle, steering):
        _, _, heading, along, across, turn = state
        ahead, behind = (across + front * turn) / along, (across - rear * turn) / along
        front_force = tyre(m, "front", steering - m.atan(ahead))
        rear_force = tyre(m, "rear", -m.atan(behind))
        push = (motor[0] - motor[1] * along) * throttle - motor[2] - motor[3] * along * along
        cosine, sine = m.cos(steering), m.sin(steering)
        cos_heading, sin_heading = m.cos(heading), m.sin(heading)
        return [
            along * cos_heading - across * sin_heading,
            along * sin_heading + across * cos_heading,
            turn,
            (push - front_force * sine) / mass + across * turn,
            (rear_force + front_force * cosine) / mass - along * turn,
            (front_force * front * cosine - rear_force * rear) / inertia,
        ]

    def constraints(m, x):
        states = [x[i * (steps + 1) : (i + 1) * (steps + 1)] for i in range(6)]
        controls = columns_of(x[6 * (steps + 1) :], steps, 2)
        first = [s[:-1] for s in states]
        k1 = slopes(m, first, *controls)
        k2 = slopes(m, [s + step / 2 * k for s, k in zip(first, k1)], *controls)
        k3 = slopes(m, [s + step / 2 * k for s, k in zip(first, k2)], *controls)
        k4 = slopes(m, [s + step * k for s, k in zip(first, k3)], *controls)
        rates = zip(states, first, k1, k2, k3, k4)
        defects = [s[1:] - a - step / 6 * (p + 2 * q + 2 * r + t) for s, a, p, q, r, t in rates]
        # The track is a ring.
        radius = m.sqrt(states[0] * states[0] + states[1] * states[1])
        return m.concatenate([*defects, radius])

    def objective(m, x):
        throttle, steering = columns_of(x[6 * (steps + 1) :], steps, 2)
        return m.sum(0.1 * throttle * throttle + steering * steering) - m.sum(x[3 * (steps + 1) : 4 * (steps + 1)])

    random, time = np.random.default_rng(2), np.linspace(0, 1.5, steps + 1)
    states = [np.cos(time), np.sin(time), time + np.pi / 2, 1 + 0 * time, 0.05 * time, 0.7 + 0 * time]
    controls = [0.3 + 0.1 * random.normal(size=steps), 0.1 * random.normal(size=steps)]
    point = np.concatenate([*(s + 0.02 * random.normal(size=steps + 1) for s in states), *controls])
    return constraints, objective, point


def race_car_steps(steps):
    points, at = steps + 1, np.arange(steps)[:, None]
    columns = at + [*(kind * points + i for kind in range(6) for i in (0, 1)), 6 * points, 6 * points + steps]
    return Pieces(race_car(1)[0], [0, 1, 2, 3, 4, 5, 6], columns, at + steps * np.arange(7))


# ---- Bundle adjustment -------------------------------------------------------------------------


def bundle(points, cameras, seen):
    """Where cameras see points: turned by an axis times an angle, moved, and through a lens with two distortions."""
    random = np.random.default_rng(3)
    camera_of = np.concatenate([np.sort(random.choice(cameras, seen, replace=False)) for _ in range(points)])
    point_of = np.repeat(np.arange(points), seen)

    def residuals(m, x):
        of_camera = [m.take(v, camera_of) for v in columns_of(x, cameras, 9)]
        of_point = [m.take(v, point_of) for v in columns_of(x[9 * cameras :], points, 3)]
        w, t, (focal, first, second) = of_camera[:3], of_camera[3:6], of_camera[6:]
        angle = m.sqrt(total([a * a for a in w]))
        k = [a / angle for a in w]
        cosine, sine = m.cos(angle), m.sin(angle)
        along = total([a * p for a, p in zip(k, of_point)]) * (1 - cosine)
        turned = [k[1] * of_point[2] - k[2] * of_point[1], k[2] * of_point[0] - k[0] * of_point[2],
                  k[0] * of_point[1] - k[1] * of_point[0]]
        placed = [p * cosine + c * sine + a * along + b for p, c, a, b in zip(of_point, turned, k, t)]
        u, v = -placed[0] / placed[2], -placed[1] / placed[2]
        square = u * u + v * v
        scale = focal * (1 + first * square + second * square * square)
        return m.concatenate([scale * u - m.constant(measured[0]), scale * v - m.constant(measured[1])])

    measured = random.normal(size=(2, points * seen))
    of_cameras = [0.3 * random.normal(size=cameras) + 0.1 for _ in range(3)]
    of_cameras += [random.normal(size=cameras), random.normal(size=cameras), -8 + random.normal(size=cameras)]
    of_cameras += [500 + random.normal(size=cameras), 1e-2 * random.normal(size=cameras), 1e-3 * random.normal(size=cameras)]
    return residuals, np.concatenate([*of_cameras, *random.normal(size=(3, points))]), camera_of, point_of


def observations(points, cameras, seen):
    _, _, camera_of, point_of = bundle(points, cameras, seen)
    of_cameras = camera_of[:, None] + cameras * np.arange(9)
    columns = np.concatenate([of_cameras, 9 * cameras + point_of[:, None] + points * np.arange(3)], axis=1)
    count = points * seen
    return Pieces(bundle(1, 1, 1)[0], [0, 1], columns, np.arange(count)[:, None] + [0, count])


# ---- Equations on a grid -----------------------------------------------------------------------


def poisson(side):
    """div((1 + u^2) grad u) = exp(u), nothing at the boundary: five points, a conductivity between each two."""
    width = (1 / (side + 1)) ** 2

    def residuals(m, x):
        u = m.grid(x, side)
        p = m.pad(u)
        middle = lambda a, b: 1 + 0.25 * (a + b) * (a + b)
        neighbours = [p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]]
        return m.flat(total([middle(u, v) * (v - u) for v in neighbours]) - width * m.exp(u))

    return residuals, 0.5 * np.random.default_rng(4).normal(size=side * side)


def reaction(side):
    """Two substances that diffuse and react (Brusselator), one step of backward Euler: both grids behind each other."""

    def residuals(m, x):
        grids = [m.grid(x[: side * side], side), m.grid(x[side * side :], side)]
        u, v = grids
        changes = [1 + u * u * v - 4.4 * u, 3.4 * u - u * u * v]
        results = []
        for w, change, old in zip(grids, changes, (1.0, 3.0)):
            p = m.pad(w)
            around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * w
            results.append(m.flat(w - old - 0.01 * (change + 0.002 * side * side * around)))
        return m.concatenate(results)

    return residuals, 1 + np.random.default_rng(5).random(2 * side * side)


def chain(length):
    """A boundary value problem along a line: a tridiagonal Jacobian."""

    def residuals(m, x):
        return x[2:] - 2 * x[1:-1] + x[:-2] + m.exp(x[1:-1])

    return residuals, np.random.default_rng(6).normal(size=length)


def add_control(found, name, steps, constraints, objective, point, pieces):
    found.append(Problem(name, f"{steps} steps, Jacobian", constraints, point, "Jacobian", pieces))
    found.append(Problem(name, f"{steps} steps, Hessian", lagrangian(constraints, objective, 7), point, "Hessian"))


def problems(is_small):
    pick = lambda small, whole: small if is_small else whole
    found = []
    steps = pick(7, 128)
    landing = *rocket(steps, 40 / steps), rocket_steps(steps, 40 / steps)
    add_control(found, "rocket landing", steps, *landing)
    steps = pick(6, 50)
    add_control(found, "race car", steps, *race_car(steps), race_car_steps(steps))
    count = pick((9, 4, 3), (200, 6, 4))
    case = "{} points, {} cameras, {} see each".format(*count)
    found.append(Problem("bundle adjustment", case, *bundle(*count)[:2], "Jacobian", observations(*count)))
    side = pick(6, 48)
    found.append(Problem("nonlinear Poisson", f"{side}x{side}", *poisson(side), "Jacobian"))
    found.append(Problem("reaction, diffusion", f"2 x {side}x{side}", *reaction(side), "Jacobian"))
    length = pick(20, 10000)
    found.append(Problem("chain", f"{length}", *chain(length), "Jacobian"))
    return found
