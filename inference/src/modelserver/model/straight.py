"""A network as a straight line of calls, without what torch.nn does around each layer (hooks, look-ups of parameters)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

Step = Callable[["torch.Tensor"], "torch.Tensor"]


def steps(module: Step) -> list[Step]:
    """The calls that compute what module(x) does, by the same operators on the same weights, so with the same bits.

    Layers that torch calls by one operator (linear, ReLU) are taken out of Sequentials; every other module stays as it is. Worth a third of
    the forward of a small MLP. The module must be in its final state: loaded, on its device, without hooks.
    """
    import torch
    from torch.nn import functional

    if isinstance(module, torch.nn.Sequential):
        return [step for layer in module for step in steps(layer)]
    if type(module) is torch.nn.Linear:
        weight, bias = module.weight, module.bias
        return [lambda x: functional.linear(x, weight, bias)]
    if type(module) is torch.nn.ReLU:
        return [torch.relu]
    return [module]
