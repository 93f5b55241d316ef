"""JAX's steps on ranks: jit over a mesh of processes, whose collectives are gloo's."""

import jax
from jax import numpy as jnp
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from libraries import common, jax_rows


def join(rank, size, port):
    if size > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(f"127.0.0.1:{port}", size, rank)
    return "gloo"


def step(name, rows, labels):
    mesh = Mesh(jax.devices(), ("data",))
    spread = lambda x: multihost_utils.host_local_array_to_global_array(x, mesh, PartitionSpec("data"))
    if name == "mlp":
        net, parameters = jax_rows.perceptron, common.Inputs().parameters
    elif name == "cnn_cifar":
        net = jax_rows.Net(jax_rows.cifar_net)
        parameters = net.draw(rows)
    else:
        net, parameters = jax_rows.block, jax_rows.block_parameters()
    arguments = [spread(rows)] + ([] if labels is None else [spread(labels)])

    def loss(parameters, x, *labels):
        y = net(parameters, x)
        return jax_rows.crossentropy(y, *labels) if labels else jnp.mean(y**2)

    whole = NamedSharding(mesh, PartitionSpec())

    def descend(parameters, *arguments):
        value, gradients = jax.value_and_grad(loss)(parameters, *arguments)
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradients)

    compiled = jax.jit(descend, donate_argnums=0, out_shardings=whole)
    held = [jax.tree.map(lambda p: multihost_utils.host_local_array_to_global_array(p, mesh, PartitionSpec()), parameters)]

    def body():
        value, held[0] = compiled(held[0], *arguments)
        return float(jax.block_until_ready(value))

    return body


def leave():
    pass
