// The members of the family of operators, by the file that holds them.
#pragma once

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {

// branches.cpp
[[nodiscard]] Kernel prepare_if(Call& call);

// elementwise.cpp
[[nodiscard]] Kernel prepare_add(Call& call);
[[nodiscard]] Kernel prepare_sub(Call& call);
[[nodiscard]] Kernel prepare_mul(Call& call);
[[nodiscard]] Kernel prepare_div(Call& call);
[[nodiscard]] Kernel prepare_pow(Call& call);
[[nodiscard]] Kernel prepare_equal(Call& call);
[[nodiscard]] Kernel prepare_greater(Call& call);
[[nodiscard]] Kernel prepare_less(Call& call);
[[nodiscard]] Kernel prepare_greater_or_equal(Call& call);
[[nodiscard]] Kernel prepare_less_or_equal(Call& call);
[[nodiscard]] Kernel prepare_and(Call& call);
[[nodiscard]] Kernel prepare_or(Call& call);
[[nodiscard]] Kernel prepare_xor(Call& call);
[[nodiscard]] Kernel prepare_mod(Call& call);
[[nodiscard]] Kernel prepare_min(Call& call);
[[nodiscard]] Kernel prepare_max(Call& call);
[[nodiscard]] Kernel prepare_sum(Call& call);
[[nodiscard]] Kernel prepare_mean(Call& call);
[[nodiscard]] Kernel prepare_where(Call& call);
[[nodiscard]] Kernel prepare_clip(Call& call);
[[nodiscard]] Kernel prepare_matmul(Call& call);
[[nodiscard]] Kernel prepare_gemm(Call& call);
[[nodiscard]] Kernel prepare_einsum(Call& call);
[[nodiscard]] Kernel prepare_leaky_relu(Call& call);
[[nodiscard]] Kernel prepare_prelu(Call& call);
[[nodiscard]] Kernel prepare_elu(Call& call);
[[nodiscard]] Kernel prepare_selu(Call& call);
[[nodiscard]] Kernel prepare_celu(Call& call);
[[nodiscard]] Kernel prepare_gelu(Call& call);
[[nodiscard]] Kernel prepare_thresholded_relu(Call& call);
[[nodiscard]] Kernel prepare_softplus(Call& call);
[[nodiscard]] Kernel prepare_softsign(Call& call);
[[nodiscard]] Kernel prepare_hard_sigmoid(Call& call);
[[nodiscard]] Kernel prepare_shrink(Call& call);
[[nodiscard]] Kernel prepare_softmax(Call& call);
[[nodiscard]] Kernel prepare_log_softmax(Call& call);
[[nodiscard]] Kernel prepare_hardmax(Call& call);

// convolution.cpp
[[nodiscard]] Kernel prepare_conv(Call& call);
[[nodiscard]] Kernel prepare_conv_transpose(Call& call);
[[nodiscard]] Kernel prepare_max_pool(Call& call);
[[nodiscard]] Kernel prepare_average_pool(Call& call);
[[nodiscard]] Kernel prepare_global_average_pool(Call& call);
[[nodiscard]] Kernel prepare_global_max_pool(Call& call);

// normalization.cpp
[[nodiscard]] Kernel prepare_batch_normalization(Call& call);
[[nodiscard]] Kernel prepare_instance_normalization(Call& call);
[[nodiscard]] Kernel prepare_layer_normalization(Call& call);
[[nodiscard]] Kernel prepare_group_normalization(Call& call);
[[nodiscard]] Kernel prepare_lrn(Call& call);
[[nodiscard]] Kernel prepare_lp_normalization(Call& call);
[[nodiscard]] Kernel prepare_mean_variance_normalization(Call& call);
[[nodiscard]] Kernel prepare_dropout(Call& call);

// shapes.cpp
[[nodiscard]] Kernel prepare_identity(Call& call);
[[nodiscard]] Kernel prepare_reshape(Call& call);
[[nodiscard]] Kernel prepare_flatten(Call& call);
[[nodiscard]] Kernel prepare_transpose(Call& call);
[[nodiscard]] Kernel prepare_squeeze(Call& call);
[[nodiscard]] Kernel prepare_unsqueeze(Call& call);
[[nodiscard]] Kernel prepare_concat(Call& call);
[[nodiscard]] Kernel prepare_slice(Call& call);
[[nodiscard]] Kernel prepare_split(Call& call);
[[nodiscard]] Kernel prepare_shape(Call& call);
[[nodiscard]] Kernel prepare_size(Call& call);
[[nodiscard]] Kernel prepare_expand(Call& call);
[[nodiscard]] Kernel prepare_tile(Call& call);
[[nodiscard]] Kernel prepare_depth_to_space(Call& call);
[[nodiscard]] Kernel prepare_space_to_depth(Call& call);

// values.cpp
[[nodiscard]] Kernel prepare_constant(Call& call);
[[nodiscard]] Kernel prepare_constant_of_shape(Call& call);
[[nodiscard]] Kernel prepare_cast(Call& call);
[[nodiscard]] Kernel prepare_cast_like(Call& call);
[[nodiscard]] Kernel prepare_pad(Call& call);
[[nodiscard]] Kernel prepare_gather(Call& call);
[[nodiscard]] Kernel prepare_gather_elements(Call& call);
[[nodiscard]] Kernel prepare_range(Call& call);
[[nodiscard]] Kernel prepare_trilu(Call& call);

// reductions.cpp
[[nodiscard]] Kernel prepare_reduce_sum(Call& call);
[[nodiscard]] Kernel prepare_reduce_prod(Call& call);
[[nodiscard]] Kernel prepare_reduce_mean(Call& call);
[[nodiscard]] Kernel prepare_reduce_max(Call& call);
[[nodiscard]] Kernel prepare_reduce_min(Call& call);
[[nodiscard]] Kernel prepare_reduce_l1(Call& call);
[[nodiscard]] Kernel prepare_reduce_l2(Call& call);
[[nodiscard]] Kernel prepare_reduce_log_sum(Call& call);
[[nodiscard]] Kernel prepare_reduce_log_sum_exp(Call& call);
[[nodiscard]] Kernel prepare_reduce_sum_square(Call& call);
[[nodiscard]] Kernel prepare_arg_max(Call& call);
[[nodiscard]] Kernel prepare_arg_min(Call& call);
[[nodiscard]] Kernel prepare_top_k(Call& call);
[[nodiscard]] Kernel prepare_cum_sum(Call& call);

// resize.cpp
[[nodiscard]] Kernel prepare_upsample(Call& call);
[[nodiscard]] Kernel prepare_resize(Call& call);

// quantized.cpp
[[nodiscard]] Kernel prepare_quantize_linear(Call& call);
[[nodiscard]] Kernel prepare_dequantize_linear(Call& call);
[[nodiscard]] Kernel prepare_dynamic_quantize_linear(Call& call);
[[nodiscard]] Kernel prepare_matmul_integer(Call& call);
[[nodiscard]] Kernel prepare_conv_integer(Call& call);
[[nodiscard]] Kernel prepare_qlinear_conv(Call& call);
[[nodiscard]] Kernel prepare_qlinear_matmul(Call& call);

// recurrent.cpp
[[nodiscard]] Kernel prepare_rnn(Call& call);
[[nodiscard]] Kernel prepare_gru(Call& call);
[[nodiscard]] Kernel prepare_lstm(Call& call);

// places.cpp
[[nodiscard]] Kernel prepare_scatter(Call& call);
[[nodiscard]] Kernel prepare_scatter_elements(Call& call);
[[nodiscard]] Kernel prepare_scatter_nd(Call& call);
[[nodiscard]] Kernel prepare_gather_nd(Call& call);
[[nodiscard]] Kernel prepare_one_hot(Call& call);
[[nodiscard]] Kernel prepare_compress(Call& call);
[[nodiscard]] Kernel prepare_non_zero(Call& call);
[[nodiscard]] Kernel prepare_eye_like(Call& call);
[[nodiscard]] Kernel prepare_is_inf(Call& call);
[[nodiscard]] Kernel prepare_reverse_sequence(Call& call);
[[nodiscard]] Kernel prepare_grid_sample(Call& call);

}  // namespace leeway::nn::onnx
