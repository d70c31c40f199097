"""Layers as functions from shapes to shapes. A shape is (rows, columns, channels), or (units,)."""


def _positive_int(value, name):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"`{name}` must be an integer, got {value!r}")
    if value <= 0:
        raise ValueError(f"`{name}` must be positive, got {value}")
    return value


class Tensor:
    """A tensor that is nothing but its shape."""

    def __init__(self, shape):
        for side in shape:
            if side <= 0:
                raise ValueError(f"negative dimension in shape {shape}")
        self.shape = tuple(shape)


def Input(shape):
    """The start of a network."""
    return Tensor(shape)


class Convolution2D:
    """Convolution; `same` padding keeps the sides."""

    def __init__(self, filters, kernel_size, padding="same", strides=1, kernel_regularizer=0.0):
        self.filters = _positive_int(filters, "filters")
        self.kernel_size, self.padding, self.strides = kernel_size, padding, strides

    def __call__(self, x):
        rows, columns, _ = x.shape
        shrink = 0 if self.padding == "same" else self.kernel_size - 1
        return Tensor(((rows - shrink) // self.strides, (columns - shrink) // self.strides, self.filters))


class AveragePooling2D:
    """Pooling; divides the sides."""

    def __init__(self, pool_size=2, strides=2):
        self.pool_size, self.strides = pool_size, strides

    def __call__(self, x):
        rows, columns, channels = x.shape
        size, stride = self.pool_size, self.strides
        return Tensor(((rows - size) // stride + 1, (columns - size) // stride + 1, channels))


class Dropout:
    """Dropout; keeps the shape."""

    def __init__(self, rate):
        if not 0 <= rate <= 1:
            raise ValueError(f"`rate` must be in [0, 1], got {rate}")

    def __call__(self, x):
        return x


class BatchNormalization:
    """Normalisation; keeps the shape."""

    def __call__(self, x):
        return x


class Activation:
    """An activation; keeps the shape."""

    def __init__(self, name):
        self.name = name

    def __call__(self, x):
        return x


class Concatenate:
    """Puts channels behind each other."""

    def __call__(self, inputs):
        first = inputs[0].shape
        if any(x.shape[:2] != first[:2] for x in inputs):
            raise ValueError(f"shapes do not match: {[x.shape for x in inputs]}")
        return Tensor((*first[:2], sum(x.shape[2] for x in inputs)))


class Flatten:
    """All sides in one."""

    def __call__(self, x):
        units = 1
        for side in x.shape:
            units *= side
        return Tensor((units,))


class Dense:
    """A fully connected layer."""

    def __init__(self, units, activation=None):
        self.units = _positive_int(units, "units")

    def __call__(self, x):
        return Tensor((self.units,))


class Model:
    """A network from its inputs to its outputs."""

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs
