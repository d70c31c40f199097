"""The few pieces of Keras that the example needs: layers that compute shapes and check their arguments as Keras does."""

from kerasstub.layers import Activation, AveragePooling2D, BatchNormalization, Concatenate, Convolution2D, Dense
from kerasstub.layers import Dropout, Flatten, Input, Model

__all__ = [
    "Activation",
    "AveragePooling2D",
    "BatchNormalization",
    "Concatenate",
    "Convolution2D",
    "Dense",
    "Dropout",
    "Flatten",
    "Input",
    "Model",
]
