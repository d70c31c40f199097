"""DenseNet, after listing 1 of the AnnoTest paper; the annotations are those of its listing 2."""

from kerasstub import Activation, AveragePooling2D, BatchNormalization, Concatenate, Convolution2D, Dense
from kerasstub import Dropout, Flatten, Input, Model
from temper import anys, arg, bools, floats, int_lists, ints, require, tuples


@arg("input_shape", tuples(ints(min=20, max=70), ints(min=20, max=70), ints(min=1, max=3)))
@arg("dense_blocks", ints(min=2, max=5))
@arg("dense_layers", anys(-1, ints(min=1, max=5), int_lists(min_len=2, max_len=5, min=2, max=5)))
@arg("growth_rate", ints(min=1, max=20))
@arg("nb_classes", ints(min=2, max=22))
@arg("dropout_rate", floats(min=0, max=1, exclude_min=True, exclude_max=True))
@arg("bottleneck", bools())
@arg("compression", floats(min=0, max=1, exclude_min=True))
@arg("weight_decay", floats(min=1e-4, max=1e-2))
@arg("depth", ints(min=10, max=100))
@require("type(dense_layers) is not list or len(dense_layers) == dense_blocks")
def DenseNet(input_shape=None, dense_blocks=3, dense_layers=-1, growth_rate=12, nb_classes=None,
             dropout_rate=None, bottleneck=False, compression=1.0, weight_decay=1e-4, depth=40):
    if nb_classes is None:
        raise Exception("Please define number of classes")
    if compression <= 0.0 or compression > 1.0:
        raise Exception("Compression must be between 0.0 and 1.0.")
    if type(dense_layers) is list:
        if len(dense_layers) != dense_blocks:
            raise AssertionError("Dense blocks must be the same as layers")
    elif dense_layers == -1:
        dense_layers = (depth - 4) / 3  # Bug: `/` gives a float
        if bottleneck:
            dense_layers = dense_layers / 2
        dense_layers = [dense_layers for _ in range(dense_blocks)]
    else:
        dense_layers = [dense_layers for _ in range(dense_blocks)]
    inputs = Input(input_shape)
    channels = growth_rate * 2
    x = Convolution2D(channels, 3, kernel_regularizer=weight_decay)(inputs)
    for block in range(dense_blocks):
        x, channels = dense_block(x, dense_layers[block], channels, growth_rate, dropout_rate, bottleneck)
        if block < dense_blocks - 1:
            x = transition_layer(x, channels, dropout_rate, compression)
            channels = max(1, int(channels * compression))
    x = Activation("relu")(BatchNormalization()(x))
    outputs = Dense(nb_classes, activation="softmax")(Flatten()(x))
    return Model(inputs, outputs)


def dense_block(x, layers, channels, growth_rate, dropout_rate, bottleneck):
    """Each layer sees the channels of all layers before it."""
    for _ in range(layers):
        grown = convolution_block(x, growth_rate, dropout_rate, bottleneck)
        x = Concatenate()([x, grown])
        channels += growth_rate
    return x, channels


def convolution_block(x, filters, dropout_rate, bottleneck):
    """Normalisation, activation, convolution."""
    if bottleneck:
        x = Convolution2D(filters * 4, 1)(Activation("relu")(BatchNormalization()(x)))
    x = Convolution2D(filters, 3)(Activation("relu")(BatchNormalization()(x)))
    return Dropout(dropout_rate)(x) if dropout_rate else x


def transition_layer(x, channels, dropout_rate, compression):
    """Fewer channels, half the sides."""
    x = Convolution2D(max(1, int(channels * compression)), 1)(Activation("relu")(BatchNormalization()(x)))
    if dropout_rate:
        x = Dropout(dropout_rate)(x)
    return AveragePooling2D(2, 2)(x)
