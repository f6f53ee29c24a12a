"""The functions, by family."""

from renga_core.plugin import Provider

__all__ = ["FUNCTIONS"]

NAMES = {
    "activation": (
        "clipped_relu crelu elu gelu hard_sigmoid leaky_relu log_softmax maxout prelu relu relu6 rrelu selu sigmoid "
        "silu softmax softplus swiglu swish tanh"
    ),
    "array": (
        "as_strided broadcast broadcast_to cast concat copy depth2space diagonal dstack expand_dims flatten flip "
        "fliplr flipud get_item hstack identity im2col moveaxis pad pad_sequence permutate repeat reshape "
        "resize_images rollaxis scatter_add select_item separate space2depth spatial_transformer_grid "
        "spatial_transformer_sampler split_axis squeeze stack sum_to swapaxes tile transpose transpose_sequence "
        "vstack where"
    ),
    "connection": (
        "bilinear convolution_1d convolution_2d convolution_3d convolution_nd deconvolution_1d deconvolution_2d "
        "deconvolution_3d deconvolution_nd deformable_convolution_2d_sampler depthwise_convolution_2d "
        "dilated_convolution_2d embed_id linear linear_relu local_convolution_2d rotary_embedding "
        "scaled_dot_product_attention shift"
    ),
    "evaluation": "accuracy binary_accuracy classification_summary f1_score precision r2_score recall",
    "loss": (
        "absolute_error argmax_crf1d bernoulli_nll black_out connectionist_temporal_classification contrastive crf1d "
        "cross_covariance decov discriminative_margin_based_clustering_loss gaussian_kl_divergence gaussian_nll hinge "
        "huber_loss linear_softmax_cross_entropy mean_absolute_error mean_squared_error negative_sampling "
        "sigmoid_cross_entropy softmax_cross_entropy squared_error triplet"
    ),
    "math": (
        "absolute add arccos arcsin arctan arctan2 arctanh argmax argmin average batch_det batch_inv "
        "batch_l2_norm_squared batch_matmul bias ceil cholesky clip cos cosh cumprod cumsum det digamma einsum erf "
        "erfc erfcinv erfcx erfinv exp expm1 fft fix floor fmod ifft inv lgamma linear_interpolate log log10 log1p "
        "log2 log_ndtr logsumexp matmul max maximum mean min minimum ndtr ndtri polygamma prod rsqrt scale sign "
        "sin sinh sparse_matmul sqrt square squared_difference sum tan tensordot zeta"
    ),
    "noise": "dropout dropout_add gaussian gumbel_softmax simplified_dropconnect zoneout",
    "normalization": (
        "batch_normalization batch_normalization_relu batch_renormalization decorrelated_batch_normalization "
        "fixed_batch_normalization fixed_batch_normalization_relu fixed_batch_renormalization "
        "fixed_decorrelated_batch_normalization group_normalization "
        "layer_normalization local_response_normalization normalize rms_normalization"
    ),
    "pooling": (
        "average_pooling_1d average_pooling_2d average_pooling_3d average_pooling_nd global_average_pooling_2d "
        "max_pooling_1d max_pooling_2d max_pooling_3d max_pooling_nd roi_average_align_2d roi_average_pooling_2d "
        "roi_max_align_2d roi_max_pooling_2d roi_pooling_2d spatial_pyramid_pooling_2d unpooling_1d unpooling_2d "
        "unpooling_3d unpooling_nd upsampling_2d"
    ),
    "rnn": "lstm n_step_bigru n_step_bilstm n_step_birnn n_step_gru n_step_lstm n_step_rnn slstm tree_lstm",
    "util": "forget",
}
"""The names that each subpackage of `renga_nn.functions` exports."""

STATED = (
    "accuracy argmax_crf1d as_strided average_pooling_1d average_pooling_2d average_pooling_3d average_pooling_nd "
    "batch_inv batch_normalization batch_normalization_relu batch_renormalization bias bilinear binary_accuracy "
    "black_out broadcast_to cast cholesky classification_summary clip connectionist_temporal_classification "
    "contrastive convolution_3d crf1d deconvolution_1d deconvolution_2d deconvolution_3d deconvolution_nd "
    "decorrelated_batch_normalization deformable_convolution_2d_sampler depth2space "
    "discriminative_margin_based_clustering_loss einsum embed_id expand_dims f1_score fft fixed_batch_normalization "
    "fixed_batch_normalization_relu fixed_batch_renormalization fixed_decorrelated_batch_normalization flip forget "
    "get_item group_normalization hinge huber_loss ifft im2col layer_normalization linear_softmax_cross_entropy "
    "local_convolution_2d lstm max_pooling_1d max_pooling_2d max_pooling_3d max_pooling_nd maxout moveaxis "
    "n_step_bigru n_step_bilstm n_step_birnn n_step_gru n_step_lstm n_step_rnn negative_sampling pad pad_sequence "
    "permutate polygamma precision prelu recall repeat reshape resize_images rms_normalization roi_average_align_2d "
    "roi_average_pooling_2d roi_max_align_2d roi_max_pooling_2d roi_pooling_2d rollaxis scale scatter_add select_item "
    "shift sigmoid_cross_entropy slstm space2depth sparse_matmul spatial_pyramid_pooling_2d spatial_transformer_grid "
    "spatial_transformer_sampler split_axis sum_to swapaxes tile transpose_sequence tree_lstm unpooling_1d "
    "unpooling_2d unpooling_3d unpooling_nd upsampling_2d where zeta"
)
"""Functions with arguments in `renga_nn.conformance_inputs.functions`; for the others, the kit guesses."""

_STATED = frozenset(STATED.split())
FUNCTIONS = [
    Provider(
        name=name,
        target=f"renga_nn.functions.{family}:{name}",
        revision=1,
        inputs=f"renga_nn.conformance_inputs.functions:{name}" if name in _STATED else "",
    )
    for family, names in NAMES.items()
    for name in names.split()
]
