"""The operators that a .pt2 may use: pure functions of tensors and numbers. Anything else is refused by name.

No operator here reads or writes files, draws random numbers, or calls back into Python.
"""

from __future__ import annotations

_ATEN = """
abs.default add.Scalar add.Tensor addmm.default amax.default amin.default argmax.default avg_pool1d.default avg_pool2d.default
adaptive_avg_pool1d.default adaptive_avg_pool2d.default adaptive_max_pool2d.default _adaptive_avg_pool2d.default
batch_norm.default _native_batch_norm_legit_no_training.default baddbmm.default bmm.default cat.default clamp.default clamp_min.default
clamp_max.default constant_pad_nd.default conv1d.default conv2d.default conv2d.padding convolution.default cos.default cumsum.default
div.Scalar div.Tensor elu.default embedding.default eq.Scalar eq.Tensor erf.default exp.default expm1.default
ge.Scalar gelu.default group_norm.default gt.Scalar hardsigmoid.default hardswish.default hardtanh.default instance_norm.default
layer_norm.default native_layer_norm.default native_group_norm.default le.Scalar leaky_relu.default linear.default log.default log1p.default
log_softmax.int _log_softmax.default logical_and.default logical_not.default logical_or.default lt.Scalar matmul.default max.dim
max_pool1d.default max_pool2d.default max_pool2d_with_indices.default maximum.default mean.default mean.dim min.dim minimum.default
mish.default
mm.default mul.Scalar mul.Tensor ne.Scalar neg.default pad.default pow.Tensor_Scalar prelu.default reciprocal.default relu.default
relu6.default
round.default rsqrt.default rsub.Scalar scaled_dot_product_attention.default selu.default sigmoid.default sign.default silu.default
sin.default
softmax.int _softmax.default softplus.default sqrt.default stack.default sub.Scalar sub.Tensor sum.default sum.dim_IntList tanh.default
upsample_bilinear2d.vec upsample_nearest2d.vec var.correction where.self clone.default
"""
_ATEN_VIEWS = """
alias.default chunk.default contiguous.default detach.default expand.default flatten.using_ints narrow.default permute.default
reshape.default select.int slice.Tensor split.Tensor split_with_sizes.default squeeze.default squeeze.dim t.default to.dtype transpose.int
unbind.int unflatten.int unsqueeze.default view.default _unsafe_view.default dropout.default
"""
_ATEN_IN_PLACE = """
add_.Tensor clamp_.default div_.Tensor elu_.default hardswish_.default hardtanh_.default leaky_relu_.default mul_.Tensor relu_.default
relu6_.default sigmoid_.default silu_.default sub_.Tensor tanh_.default
"""

# Names as they stand in the archive.
VIEWS = frozenset(f"torch.ops.aten.{name}" for name in _ATEN_VIEWS.split()) | {"_operator.getitem"}
IN_PLACE = frozenset(f"torch.ops.aten.{name}" for name in _ATEN_IN_PLACE.split())
TENSOR = frozenset(f"torch.ops.aten.{name}" for name in _ATEN.split()) | VIEWS | IN_PLACE
# On sizes: these make and combine Python integers.
NUMBER = frozenset({"torch.ops.aten.sym_size.int", *(f"_operator.{name}" for name in ("add", "sub", "mul", "floordiv"))})
ALLOWED = TENSOR | NUMBER
# Flags that would make an answer depend on its neighbours in the batch, or on chance.
TRAINING_FLAGS = frozenset({"training", "train", "use_input_stats"})
