//! Every seed of the list, and draws that no seed precedes.

use temper_source::{OwnerKind, RandomSource, SeedKind};

use crate::analysed;

const HEAD: &str = "
import random
import numpy as np
import torch
import tensorflow as tf
import jax
import lightning as L
import pytorch_lightning as pl
from numpy.random import default_rng, RandomState
from random import Random
from sklearn.utils import check_random_state
from transformers import set_seed
SEED = 42
def test_it(seed):
";

#[track_caller]
fn check(call: &str, source: RandomSource, kind: SeedKind, argument: &str) {
    let (file, found) = analysed(&format!("{HEAD}    {call}\n"));
    let seeds: Vec<_> = found.seeds.iter().map(|seed| (seed.source, seed.kind, file.slice(seed.argument))).collect();
    assert_eq!(seeds, [(source, kind, argument)], "{call}");
    assert_eq!(found.seeds[0].owner.name, "test_it");
}

#[test]
fn every_fixed_seed_is_found() {
    use RandomSource::{Callee, Every, Jax, Numpy, Python, Tensorflow, Torch};
    use SeedKind::{Argument, Generator, Global};
    check("random.seed(0)", Python, Global, "0");
    check("random.seed(a=0)", Python, Global, "0");
    check("random.seed('x')", Python, Global, "'x'");
    check("r = Random(1)", Python, Generator, "1");
    check("np.random.seed(SEED)", Numpy, Global, "SEED");
    check("np.random.seed(seed=3)", Numpy, Global, "3");
    check("rng = np.random.RandomState(0)", Numpy, Generator, "0");
    check("rng = RandomState(0)", Numpy, Generator, "0");
    check("rng = np.random.default_rng(0)", Numpy, Generator, "0");
    check("rng = default_rng(seed=0)", Numpy, Generator, "0");
    check("rng = default_rng([1, 2])", Numpy, Generator, "[1, 2]");
    check("rng = np.random.SeedSequence(7)", Numpy, Generator, "7");
    check("rng = np.random.Generator(np.random.PCG64(7))", Numpy, Generator, "7");
    check("rng = check_random_state(0)", Numpy, Generator, "0");
    check("torch.manual_seed(0)", Torch, Global, "0");
    check("torch.random.manual_seed(0)", Torch, Global, "0");
    check("torch.cuda.manual_seed(0)", Torch, Global, "0");
    check("torch.cuda.manual_seed_all(0)", Torch, Global, "0");
    check("torch.mps.manual_seed(0)", Torch, Global, "0");
    check("g = torch.Generator().manual_seed(0)", Torch, Generator, "0");
    check("tf.random.set_seed(0)", Tensorflow, Global, "0");
    check("tf.compat.v1.set_random_seed(0)", Tensorflow, Global, "0");
    check("g = tf.random.Generator.from_seed(0)", Tensorflow, Generator, "0");
    check("tf.keras.utils.set_random_seed(0)", Every, Global, "0");
    check("k = jax.random.PRNGKey(0)", Jax, Generator, "0");
    check("k = jax.random.key(0)", Jax, Generator, "0");
    check("L.seed_everything(0)", Every, Global, "0");
    check("pl.seed_everything(seed=0, workers=True)", Every, Global, "0");
    check("set_seed(0)", Every, Global, "0");
    check("m = Model(random_state=0)", Callee, Argument, "0");
    check("m = Model(seed=SEED)", Callee, Argument, "SEED");
    check("m.set_params(random_state=0)", Callee, Argument, "0");
}

#[test]
fn a_seed_that_varies_is_not_fixed() {
    for call in [
        "random.seed(seed)",
        "np.random.seed(seed)",
        "rng = default_rng(seed)",
        "m = Model(random_state=seed)",
        "m = Model(random_state=None)",
        "random.seed()",
        "d.key(0)",
        "seed(0)",
    ] {
        assert_eq!(analysed(&format!("{HEAD}    {call}\n")).1.seeds, [], "{call}");
    }
}

#[test]
fn the_scope_of_a_seed_is_told() {
    let text = "
import numpy as np, pytest, unittest
np.random.seed(0)
@pytest.fixture(autouse=True)
def seeded():
    np.random.seed(1)
class TestIt(unittest.TestCase):
    def setUp(self):
        np.random.seed(2)
    def test_it(self):
        np.random.seed(3)
def helper():
    np.random.seed(4)
";
    let (_, found) = analysed(text);
    let owners: Vec<_> = found.seeds.iter().map(|seed| (seed.owner.kind, seed.owner.name.as_str())).collect();
    let expected = [
        (OwnerKind::Module, ""),
        (OwnerKind::Fixture, "seeded"),
        (OwnerKind::Fixture, "TestIt::setUp"),
        (OwnerKind::Test, "TestIt::test_it"),
        (OwnerKind::Helper, "helper"),
    ];
    assert_eq!(owners, expected);
}

#[test]
fn draws_without_a_seed_are_seen() {
    let text = "
import random, torch
import numpy as np
def test_free():
    np.random.rand(3); np.random.normal(size=3); random.random(); torch.randn(3); torch.rand(2)
    np.random.default_rng(); np.random.RandomState(None); random.shuffle([])
def test_seeded():
    np.random.seed(0)
    np.random.rand(3); random.random(); np.random.default_rng()
def test_own(rng):
    rng.normal(); np.random.default_rng(3).normal()
";
    let (_, found) = analysed(text);
    let draws: Vec<_> =
        found.draws.iter().map(|draw| (draw.owner.name.as_str(), draw.callee.as_str(), draw.is_seeded)).collect();
    let expected = [
        ("test_free", "numpy.random.rand", false),
        ("test_free", "numpy.random.normal", false),
        ("test_free", "random.random", false),
        ("test_free", "torch.randn", false),
        ("test_free", "torch.rand", false),
        ("test_free", "numpy.random.default_rng", false),
        ("test_free", "numpy.random.RandomState", false),
        ("test_free", "random.shuffle", false),
        ("test_seeded", "numpy.random.rand", true),
        ("test_seeded", "random.random", false),
        ("test_seeded", "numpy.random.default_rng", false),
    ];
    assert_eq!(draws, expected);
}
