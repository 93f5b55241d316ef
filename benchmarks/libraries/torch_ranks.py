"""PyTorch's steps on ranks: DistributedDataParallel over gloo."""

import torch
from torch import distributed
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

from libraries import common, torch_models


def join(rank, size, port):
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=size)
    return "gloo"


def step(name, rows, labels):
    make = {"mlp": lambda: torch_models.Perceptron(common.Inputs().parameters), "cnn_cifar": torch_models.cifar_net, "xformer": torch_models.Block}
    net, x = make[name](), torch.from_numpy(rows)
    if x.dim() == 4:
        net, x = net.to(memory_format=torch.channels_last), x.permute(0, 3, 1, 2)
    if distributed.get_world_size() > 1:
        net = DistributedDataParallel(net, gradient_as_bucket_view=True)
    labels = None if labels is None else torch.from_numpy(labels).long()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)

    def body():
        optimizer.zero_grad()
        y = net(x)
        loss = y.square().mean() if labels is None else F.cross_entropy(y, labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return body


def leave():
    distributed.destroy_process_group()
