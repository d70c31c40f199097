//! Fixed seeds, and draws of randomness that no seed precedes.
//!
//! A seed is fixed if its argument is a constant: such a test repeats one random path. Only what the file itself shows is
//! reported; a seed set by a plugin or by another file is not seen.

use ruff_python_ast::{Expr, ExprCall};

use crate::collect::CollectedFile;
use crate::constant::Reader;
use crate::file::SourceFile;
use crate::sites::site::{Owner, OwnerKind};
use crate::span::{Position, Span};
use crate::syntax::{last_name, span};
use crate::test_suite::TestSuite;

/// Whose random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RandomSource {
    /// The module `random`.
    Python,
    /// numpy.
    Numpy,
    /// torch.
    Torch,
    /// tensorflow and keras.
    Tensorflow,
    /// jax.
    Jax,
    /// Several at once, as `seed_everything` does.
    Every,
    /// Whatever the called function draws from.
    Callee,
}

/// What a seed does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeedKind {
    /// Sets the state that all draws of the library share.
    Global,
    /// Makes a new generator or key.
    Generator,
    /// Is handed to a function or an estimator: `random_state=0`.
    Argument,
}

/// A fixed seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// Whose random numbers it fixes.
    pub source: RandomSource,
    /// What it does.
    pub kind: SeedKind,
    /// The function called, in full where the imports say so.
    pub callee: String,
    /// The whole call.
    pub call: Span,
    /// The seed itself, without its keyword.
    pub argument: Span,
    /// Where the call starts.
    pub position: Position,
    /// The function around it.
    pub owner: Owner,
}

impl Seed {
    /// Whether the number passes through a function of Python when it takes effect. What a function does with its
    /// `random_state` is not known: it may hand it to code in C++.
    #[must_use]
    pub fn is_seen_at_run_time(&self) -> bool {
        match self.source {
            RandomSource::Python | RandomSource::Torch | RandomSource::Jax | RandomSource::Every => true,
            RandomSource::Numpy => !self.callee.starts_with("cupy."),
            RandomSource::Tensorflow => self.kind == SeedKind::Global,
            RandomSource::Callee => false,
        }
    }
}

/// A call that draws random numbers, or makes a generator without a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomDraw {
    /// Whose random numbers.
    pub source: RandomSource,
    /// The function called, in full.
    pub callee: String,
    /// The whole call.
    pub call: Span,
    /// Where the call starts.
    pub position: Position,
    /// The function around it.
    pub owner: Owner,
    /// Whether a fixed seed of the same source stands in the same function, in the module or in a fixture of this file.
    pub is_seeded: bool,
}

/// Whether a call hands a seed to what it calls.
pub(crate) fn has_seed_keyword(call: &ExprCall) -> bool {
    seed_keyword(call).is_some()
}

fn seed_keyword(call: &ExprCall) -> Option<&Expr> {
    let is_seed = |name: &str| matches!(name, "random_state" | "seed" | "random_seed" | "rng");
    let keyword = call.arguments.keywords.iter().find(|keyword| keyword.arg.as_ref().is_some_and(|arg| is_seed(arg)));
    keyword.map(|keyword| &keyword.value)
}

/// Whether a function of this name may seed or draw.
pub(crate) fn is_interesting(name: &str) -> bool {
    is_seed_name(name) || is_draw_name(name)
}

/// Reads seeds and draws off the calls.
pub(crate) fn read(found: &CollectedFile<'_>, suite: &TestSuite, file: &SourceFile) -> (Vec<Seed>, Vec<RandomDraw>) {
    let (mut seeds, mut draws) = (Vec::new(), Vec::new());
    for &(call, context) in &found.calls {
        let Some(name) = last_name(&call.func) else { continue };
        let owner = || suite.owner(context.function);
        let position = || file.position(span(call).start);
        let full = found.scopes.qualified(&call.func, context.scope);
        let own_name = full.as_deref().and_then(|full| full.rsplit('.').next()).unwrap_or(name);
        let callee = full.as_deref().unwrap_or(name);
        let reader = Reader { scopes: &found.scopes, context };
        if let Some((source, kind)) = seeder(own_name, callee, &call.func) {
            match seed_argument(call) {
                Some(argument) if is_fixed(argument, reader) => {
                    let (call, argument) = (span(call), span(argument));
                    let callee = callee.to_owned();
                    seeds.push(Seed { source, kind, callee, call, argument, position: position(), owner: owner() });
                }
                None if kind == SeedKind::Generator && is_free_without_seed(own_name) => {
                    draws.push(unseeded(source, callee, call, position(), owner()));
                }
                _ => {}
            }
        } else if let Some(argument) = seed_keyword(call).filter(|argument| is_fixed(argument, reader)) {
            let (source, kind) = (RandomSource::Callee, SeedKind::Argument);
            let (callee, argument) = (callee.to_owned(), span(argument));
            seeds.push(Seed { source, kind, callee, call: span(call), argument, position: position(), owner: owner() });
        } else if let Some(source) = draw_source(own_name, callee) {
            draws.push(unseeded(source, callee, call, position(), owner()));
        }
    }
    mark_seeded(&seeds, &mut draws);
    (seeds, draws)
}

fn unseeded(source: RandomSource, callee: &str, call: &ExprCall, position: Position, owner: Owner) -> RandomDraw {
    RandomDraw { source, callee: callee.to_owned(), call: span(call), position, owner, is_seeded: false }
}

fn mark_seeded(seeds: &[Seed], draws: &mut [RandomDraw]) {
    for draw in draws.iter_mut().filter(|draw| !makes_generator(&draw.callee)) {
        draw.is_seeded = seeds.iter().any(|seed| {
            let is_same_source = seed.source == draw.source || seed.source == RandomSource::Every;
            let is_around =
                seed.owner == draw.owner || matches!(seed.owner.kind, OwnerKind::Module | OwnerKind::Fixture);
            seed.kind == SeedKind::Global && is_same_source && is_around
        });
    }
}

pub(crate) fn makes_generator(callee: &str) -> bool {
    callee.rsplit('.').next().is_some_and(is_free_without_seed)
}

/// Constructors that take fresh entropy when they are given no seed.
fn is_free_without_seed(name: &str) -> bool {
    matches!(
        name,
        "default_rng"
            | "RandomState"
            | "Random"
            | "PCG64"
            | "MT19937"
            | "Philox"
            | "SFC64"
            | "PCG64DXSM"
            | "SeedSequence"
    )
}

/// The first argument, or the one that is called a seed. `None` written out is no seed.
fn seed_argument(call: &ExprCall) -> Option<&Expr> {
    let is_seed = |name: &str| matches!(name, "seed" | "a" | "x" | "key" | "entropy" | "random_state");
    let by_keyword =
        || call.arguments.keywords.iter().find(|keyword| keyword.arg.as_ref().is_some_and(|arg| is_seed(arg)));
    let argument = call.arguments.args.first().or_else(|| by_keyword().map(|keyword| &keyword.value))?;
    (!argument.is_none_literal_expr()).then_some(argument)
}

fn is_fixed(argument: &Expr, reader: Reader<'_, '_>) -> bool {
    let is_number = |expr: &Expr| reader.value(expr).is_some();
    match argument {
        Expr::StringLiteral(_) | Expr::BytesLiteral(_) => true,
        Expr::Tuple(node) => !node.elts.is_empty() && node.elts.iter().all(is_number),
        Expr::List(node) => !node.elts.is_empty() && node.elts.iter().all(is_number),
        _ => is_number(argument),
    }
}

pub(crate) fn is_seed_name(name: &str) -> bool {
    matches!(
        name,
        "seed"
            | "RandomState"
            | "default_rng"
            | "Random"
            | "SeedSequence"
            | "PCG64"
            | "PCG64DXSM"
            | "MT19937"
            | "Philox"
            | "SFC64"
            | "manual_seed"
            | "manual_seed_all"
            | "set_seed"
            | "set_random_seed"
            | "from_seed"
            | "PRNGKey"
            | "key"
            | "seed_everything"
            | "fix_seed"
            | "check_random_state"
            | "enable_full_determinism"
            | "seed_all"
    )
}

/// Which random numbers a function seeds, and how.
fn seeder(name: &str, full: &str, func: &Expr) -> Option<(RandomSource, SeedKind)> {
    use RandomSource::{Every, Jax, Numpy, Python, Tensorflow, Torch};
    use SeedKind::{Generator, Global};
    if !is_seed_name(name) {
        return None;
    }
    let is_method = matches!(func, Expr::Attribute(_)) && !full.contains('.');
    match name {
        "seed_everything" | "fix_seed" | "seed_all" | "enable_full_determinism" => Some((Every, Global)),
        "set_seed" | "set_random_seed"
            if starts(full, &["tensorflow.random", "tensorflow.set", "tensorflow.compat"]) =>
        {
            Some((Tensorflow, Global))
        }
        "set_seed" | "set_random_seed" => Some((Every, Global)),
        "from_seed" if full.starts_with("tensorflow.") => Some((Tensorflow, Generator)),
        "manual_seed" | "manual_seed_all" if full.starts_with("torch.") => Some((Torch, Global)),
        "manual_seed" if is_method => Some((Torch, Generator)),
        "PRNGKey" | "key" if full.starts_with("jax.random.") || name == "PRNGKey" => Some((Jax, Generator)),
        "check_random_state" => Some((Numpy, Generator)),
        "Random" if full == "random.Random" => Some((Python, Generator)),
        "seed" if full == "random.seed" => Some((Python, Global)),
        "seed" if starts(full, &["numpy.random.", "cupy.random."]) => Some((Numpy, Global)),
        "seed" if is_method => Some((RandomSource::Callee, Generator)),
        _ if starts(full, &["numpy.random.", "cupy.random."]) => Some((Numpy, Generator)),
        _ => None,
    }
}

fn starts(full: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| full.starts_with(prefix))
}

/// Functions of numpy.random, random, torch and tensorflow.random that draw from the shared state.
fn is_draw_name(name: &str) -> bool {
    matches!(
        name,
        "rand"
            | "randn"
            | "randint"
            | "random"
            | "random_sample"
            | "ranf"
            | "sample"
            | "random_integers"
            | "bytes"
            | "choice"
            | "choices"
            | "shuffle"
            | "permutation"
            | "randrange"
            | "getrandbits"
            | "uniform"
            | "normal"
            | "gauss"
            | "standard_normal"
            | "multivariate_normal"
            | "binomial"
            | "negative_binomial"
            | "multinomial"
            | "poisson"
            | "exponential"
            | "standard_exponential"
            | "gamma"
            | "standard_gamma"
            | "beta"
            | "laplace"
            | "logistic"
            | "lognormal"
            | "dirichlet"
            | "chisquare"
            | "standard_t"
            | "standard_cauchy"
            | "geometric"
            | "gumbel"
            | "triangular"
            | "weibull"
            | "pareto"
            | "vonmises"
            | "rayleigh"
            | "zipf"
            | "hypergeometric"
            | "betavariate"
            | "expovariate"
            | "gammavariate"
            | "gaussvariate"
            | "lognormvariate"
            | "normalvariate"
            | "paretovariate"
            | "weibullvariate"
            | "vonmisesvariate"
            | "randperm"
            | "rand_like"
            | "randn_like"
            | "randint_like"
            | "bernoulli"
            | "truncated_normal"
    )
}

fn draw_source(name: &str, full: &str) -> Option<RandomSource> {
    if !is_draw_name(name) {
        return None;
    }
    let module = full.strip_suffix(name)?.strip_suffix('.')?;
    match module {
        "numpy.random" | "numpy.random.mtrand" => Some(RandomSource::Numpy),
        "random" => Some(RandomSource::Python),
        "torch" if !matches!(name, "random" | "sample" | "choice" | "gamma" | "beta") => Some(RandomSource::Torch),
        "tensorflow.random" | "tensorflow.keras.random" | "keras.random" => Some(RandomSource::Tensorflow),
        _ => None,
    }
}
