"""What this plugin offers: optimizers and optimizer hooks."""

from renga_core.plugin import Namespace, Provider, hookimpl


def _provider(name: str, target: str, summary: str, *capabilities: str) -> Provider:
    target = f"renga_optimizers.{target}"
    return Provider(name=name, target=target, revision=1, summary=summary, capabilities=frozenset(capabilities))


@hookimpl
def renga_optimizers() -> list[Provider]:
    """The optimizers."""
    return [
        _provider("sgd", "sgd:SGD", "Stochastic gradient descent"),
        _provider("momentum_sgd", "momentum_sgd:MomentumSGD", "SGD with momentum"),
        _provider(
            "corrected_momentum_sgd",
            "corrected_momentum_sgd:CorrectedMomentumSGD",
            "SGD with momentum, for learning rates that change",
        ),
        _provider("nesterov_ag", "nesterov_ag:NesterovAG", "Nesterov's accelerated gradient"),
        _provider("adagrad", "ada_grad:AdaGrad", "Steps shrink where gradients have been large"),
        _provider("adadelta", "ada_delta:AdaDelta", "Adaptive steps without a learning rate"),
        _provider("rmsprop", "rmsprop:RMSprop", "Gradients divided by a running mean of their size"),
        _provider("rmsprop_graves", "rmsprop_graves:RMSpropGraves", "RMSprop with momentum, as Graves uses it"),
        _provider("smorms3", "smorms3:SMORMS3", "RMSprop with a separate averaging window for each element"),
        _provider("adam", "adam:Adam", "Adaptive moments", "bias_corrected"),
        _provider("adamw", "adam_variants:AdamW", "Adam with decoupled weight decay"),
        _provider("amsgrad", "adam_variants:AMSGrad", "Adam with a divisor that never decreases"),
        _provider("adabound", "adam_variants:AdaBound", "Adam that gradually turns into SGD"),
        _provider("amsbound", "adam_variants:AMSBound", "AdaBound with a divisor that never decreases"),
        _provider("msvag", "msvag:MSVAG", "Momentum with steps that shrink where the gradient is noise"),
    ]


@hookimpl
def renga_optimizer_hooks() -> list[Provider]:
    """Optimizer hooks: functions that change gradients before an update."""
    return [
        _provider("weight_decay", "hooks.weight_decay:WeightDecay", "Adds rate·θ to the gradient"),
        _provider("lasso", "hooks.lasso:Lasso", "Adds rate·sign(θ) to the gradient"),
        _provider("gradient_clipping", "hooks.gradient_clipping:GradientClipping", "Bounds the gradient's norm"),
        _provider(
            "gradient_hard_clipping",
            "hooks.gradient_hard_clipping:GradientHardClipping",
            "Bounds each element of the gradient",
        ),
        _provider("gradient_noise", "hooks.gradient_noise:GradientNoise", "Adds decaying noise to the gradient"),
        _provider("gradient_lars", "hooks.gradient_lars:GradientLARS", "Scales each gradient by its parameter's norm"),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """Other public names of this plugin."""
    noise = "renga_optimizers.hooks.gradient_noise"
    return [Namespace("renga.optimizer_hooks", names={noise: "exponential_decay_noise"})]
