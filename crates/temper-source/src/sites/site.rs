//! Assertion sites: one approximate comparison at one place, in one normal form.
//!
//! A site says what is measured (`actual`), which numbers bound it (`bounds`), from which side (`direction`) and where those
//! numbers are written, so that a job can sample the actual and edit the number without knowing the form it was found in.

use std::collections::BTreeSet;

use crate::edit::Edit;
use crate::span::{Position, Span};

/// How an assertion is written. [`Form::closeness`] says what it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// `assert a < c`, and calls that say the same (`assertLess(a, c)`, `np.less(a, c)`).
    Compare,
    /// `assert abs(a - b) < c`.
    Difference,
    /// `assert a < b`, both computed at run time.
    Margin,
    /// `assert flag == (a < c)`: the side on which the actual must be is known at run time only.
    Answer,
    /// `a == pytest.approx(b)`.
    Approx,
    /// `np.allclose`, `torch.allclose`, `np.isclose` and the like, as a condition.
    Allclose,
    /// `math.isclose` as a condition.
    MathIsclose,
    /// `np.testing.assert_allclose` and functions that take its arguments.
    AssertAllclose,
    /// `np.testing.assert_almost_equal`.
    AssertAlmostEqual,
    /// `np.testing.assert_array_almost_equal`.
    AssertArrayAlmostEqual,
    /// `np.testing.assert_approx_equal`.
    AssertApproxEqual,
    /// `np.testing.assert_array_less`.
    AssertArrayLess,
    /// unittest's `assertAlmostEqual` and `assertNotAlmostEqual`.
    UnittestAlmostEqual,
    /// `torch.testing.assert_close`.
    TorchAssertClose,
    /// tensorflow's `assertAllClose`, `assertNear` and the like.
    TensorflowClose,
    /// pandas' `assert_almost_equal`.
    PandasAlmostEqual,
    /// pandas' `assert_frame_equal`, `assert_series_equal` and the like.
    PandasEqual,
    /// polars' `assert_frame_equal` and `assert_series_equal`.
    PolarsEqual,
    /// xarray's `assert_allclose`.
    XarrayClose,
}

impl Form {
    /// The name that reports use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Difference => "difference",
            Self::Margin => "margin",
            Self::Answer => "answer",
            Self::Approx => "approx",
            Self::Allclose => "allclose",
            Self::MathIsclose => "math-isclose",
            Self::AssertAllclose => "assert-allclose",
            Self::AssertAlmostEqual => "assert-almost-equal",
            Self::AssertArrayAlmostEqual => "assert-array-almost-equal",
            Self::AssertApproxEqual => "assert-approx-equal",
            Self::AssertArrayLess => "assert-array-less",
            Self::UnittestAlmostEqual => "unittest-almost-equal",
            Self::TorchAssertClose => "torch-assert-close",
            Self::TensorflowClose => "tensorflow-close",
            Self::PandasAlmostEqual => "pandas-almost-equal",
            Self::PandasEqual => "pandas-equal",
            Self::PolarsEqual => "polars-equal",
            Self::XarrayClose => "xarray-close",
        }
    }

    /// The rule by which actual and reference are close enough.
    #[must_use]
    pub const fn closeness(self) -> Closeness {
        match self {
            Self::Compare | Self::Difference | Self::Margin | Self::Answer | Self::AssertArrayLess => {
                Closeness::Ordered
            }
            Self::Approx => Closeness::LargerOfExpected,
            Self::MathIsclose | Self::PandasAlmostEqual | Self::PandasEqual | Self::PolarsEqual => {
                Closeness::LargerOfBoth
            }
            Self::Allclose
            | Self::AssertAllclose
            | Self::TorchAssertClose
            | Self::TensorflowClose
            | Self::XarrayClose => Closeness::Sum,
            Self::AssertAlmostEqual | Self::AssertArrayAlmostEqual => Closeness::Decimals,
            Self::AssertApproxEqual => Closeness::Significant,
            Self::UnittestAlmostEqual => Closeness::Places,
        }
    }
}

/// When an assertion form accepts actual `a` against reference `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closeness {
    /// The actual itself is compared with the bound.
    Ordered,
    /// `|a - d| <= atol + rtol * |d|`; with a delta in place of both, `|a - d| <= delta`.
    Sum,
    /// `|a - d| <= max(rel * |d|, abs)`.
    LargerOfExpected,
    /// `|a - d| <= max(rel * max(|a|, |d|), abs)`.
    LargerOfBoth,
    /// `|a - d| < 1.5 * 10^-decimal`.
    Decimals,
    /// Scaled to the same power of ten, `|a - d| < 10^-(significant - 1)`.
    Significant,
    /// `round(a - d, places) == 0`, or `|a - d| <= delta`.
    Places,
}

/// On which side of the bound the measured value must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The value must stay below the bound.
    Upper,
    /// The value must stay above the bound.
    Lower,
}

/// How an array of comparisons becomes one verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// One comparison, or a form that reduces by itself.
    None,
    /// Every element must pass: the worst one is measured.
    All,
    /// One element must pass: the best one is measured.
    Any,
}

/// What a bound is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The number the actual is compared with.
    Value,
    /// A relative tolerance.
    Relative,
    /// An absolute tolerance.
    Absolute,
    /// numpy's number of decimals.
    Decimal,
    /// numpy's number of significant digits.
    Significant,
    /// unittest's number of places.
    Places,
    /// An absolute difference.
    Delta,
    /// What may be added to the other side of a comparison of two computed values; now 0.
    Margin,
}

/// Where the number of a bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundOrigin {
    /// Written in the assertion, as a literal or an expression of literals.
    Here,
    /// A name assigned in the same function.
    Local,
    /// An attribute of the class.
    Class,
    /// A name of the module.
    Module,
    /// A parameter of the enclosing function: its value is the caller's, or one of a parametrised test's.
    Parameter,
    /// Not written: the documented default of the function.
    Default,
    /// An expression whose value is known at run time only.
    RunTime,
    /// The margin of a comparison of two computed values: none is written.
    Margin,
}

/// One place where the number behind a bound is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The expression to replace.
    pub span: Span,
    /// Its value now.
    pub value: f64,
    /// The constant that it is assigned to, if it is not written in the assertion.
    pub name: Option<String>,
    /// The bound is `scale * value + offset`: 2 and 0 for `2 * tol`.
    pub scale: f64,
    /// See `scale`.
    pub offset: f64,
}

/// Where text must be inserted to write a number that is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// Offset of the insertion.
    pub at: u32,
    /// What stands before the number: `, rtol=` or ` + `.
    pub prefix: String,
    /// Where an opening parenthesis is needed, if one is; the closing one goes to `at`.
    pub open: Option<u32>,
    /// Another tolerance that writing this one alone would change, as `, atol=`: it is written too, with the number in force.
    pub companion: Option<String>,
}

/// One number that bounds a site.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// What the number is.
    pub role: Role,
    /// Its value, if it can be seen without running anything and is one value.
    pub value: Option<f64>,
    /// The value that the function's documentation gives when this argument is left out. Nothing for a plain comparison, or
    /// where it depends on the values compared.
    pub default: Option<f64>,
    /// Where it comes from.
    pub origin: BoundOrigin,
    /// The bound's expression inside the assertion; nothing if it is not written.
    pub expression: Option<Span>,
    /// Where the number is written. Several if different assignments reach this site; none if it is computed.
    pub places: Vec<Place>,
    /// How to write it, if it is not written.
    pub insertion: Option<Insertion>,
    /// Other sites (indices into the analysis) that move when one of the places is edited.
    pub shared_with: Vec<usize>,
}

impl Bound {
    /// Edits that make this bound read `number` (source text): where it is written if that is one place that holds the bound
    /// itself, as an inserted argument if it is not written, else in the assertion. A constant moves other sites too: see
    /// `shared_with`. `companion` is the number in force of the tolerance that must be written too, where there is one (see
    /// [`Insertion::companion`]). Nothing if there is no such place.
    #[must_use]
    pub fn edits(&self, number: &str, companion: Option<&str>) -> Option<Vec<Edit>> {
        #[expect(clippy::float_cmp, reason = "exactly the bound itself, not something computed from it")]
        let is_bound = |place: &Place| place.scale == 1.0 && place.offset == 0.0;
        match self.places.as_slice() {
            [place] if is_bound(place) => Some(vec![Edit::replace(place.span, number)]),
            _ => self.edits_here(number, companion),
        }
    }

    /// Edits that make this bound read `number` in this assertion alone, whatever constant it has now.
    #[must_use]
    pub fn edits_here(&self, number: &str, companion: Option<&str>) -> Option<Vec<Edit>> {
        match &self.insertion {
            Some(insertion) => insertion.edits(number, companion),
            None => Some(vec![Edit::replace(self.expression?, number)]),
        }
    }

    /// Whether the author wrote this number, here or as a constant.
    #[must_use]
    pub fn is_written(&self) -> bool {
        !matches!(self.origin, BoundOrigin::Default | BoundOrigin::Margin)
    }

    /// The absolute tolerance that a number of digits stands for; the value itself for all other roles.
    #[must_use]
    pub fn tolerance(&self) -> Option<f64> {
        let value = self.value?;
        Some(match self.role {
            Role::Decimal => 1.5 * 10f64.powf(-value),
            Role::Significant => 10f64.powf(1.0 - value),
            Role::Places => 0.5 * 10f64.powf(-value),
            _ => value,
        })
    }
}

impl Insertion {
    /// The edits that write `number`; nothing if its companion is needed and not given.
    fn edits(&self, number: &str, companion: Option<&str>) -> Option<Vec<Edit>> {
        let close = if self.open.is_some() { ")" } else { "" };
        let companion = match &self.companion {
            Some(prefix) => format!("{prefix}{}", companion?),
            None => String::new(),
        };
        let (prefix, number) = match number.strip_prefix('-') {
            Some(positive) if self.prefix == " + " => (" - ", positive),
            _ => (self.prefix.as_str(), number),
        };
        let mut edits: Vec<_> = self.open.iter().map(|&at| Edit::insert(at, "(")).collect();
        edits.push(Edit::insert(self.at, &format!("{close}{prefix}{number}{companion}")));
        Some(edits)
    }
}

/// Why a comparison is probably of exact, structural values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExactHint {
    /// A length or a number of elements: `len(x)`, `x.size`, `x.nnz`.
    Length,
    /// A dimension: `x.ndim`, `x.shape[0]`.
    Shape,
    /// A counter: calls of a mock, a loop variable over a range.
    Count,
    /// A set, a version, a type or another value that only looks ordered.
    Structure,
}

/// The role of the function that holds a site, a seed or a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnerKind {
    /// A test; the name is its pytest node id behind the file name.
    Test,
    /// A pytest fixture or unittest's set-up.
    Fixture,
    /// Another function in a file that has tests.
    Helper,
    /// A function in a file without tests.
    Function,
    /// Code of the module or of a class body.
    Module,
}

/// The outermost function around a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Its role.
    pub kind: OwnerKind,
    /// `TestClass::test_method`, `helper`; empty for the module.
    pub name: String,
}

/// The other side of `flag == (a < c)`. Such an assertion is two sites, one for each value of the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedAnswer {
    /// The expression that gives the answer that is expected.
    pub flag: Span,
    /// The value of the flag that this site is for.
    pub is_true: bool,
}

/// One approximate comparison at one place in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// How it is written.
    pub form: Form,
    /// Full name of the function that asserts, where one does: `numpy.testing.assert_allclose`.
    pub callee: Option<String>,
    /// The whole statement, or the whole call where it is part of a larger one.
    pub assertion: Span,
    /// Where the assertion starts.
    pub position: Position,
    /// The comparison itself, inside the assertion: `a < c` or the call.
    pub comparison: Span,
    /// The measured expression. Where a form treats its two values alike, the one that is not a constant; where it does not
    /// (`assert_allclose` scales by the second), the first as written.
    pub actual: Span,
    /// What the actual is close to, or the other computed side; nothing where the bound is the other side.
    pub reference: Option<Span>,
    /// The numbers that bound it: one, or relative and absolute tolerance.
    pub bounds: Vec<Bound>,
    /// The side on which the actual, or its distance from the reference, must stay.
    pub direction: Direction,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// How elements are combined.
    pub reduction: Reduction,
    /// Which answer the assertion expects of the comparison, if only a run can tell.
    pub answer: Option<ExpectedAnswer>,
    /// The function around it.
    pub owner: Owner,
    /// Whether it stands in a loop or a comprehension of that function.
    pub in_loop: bool,
    /// Whether the code around it expects the assertion to fail (`pytest.raises(AssertionError)`).
    pub expects_failure: bool,
    /// Why the value is probably exact, if it is.
    pub likely_exact: Option<ExactHint>,
}

impl Site {
    /// The bound to look at first: the first one that is written, else the first.
    #[must_use]
    pub fn bound(&self) -> &Bound {
        self.bounds.iter().find(|bound| bound.is_written()).unwrap_or(&self.bounds[0])
    }
}

/// Something that looks approximate and that Temper cannot read.
#[derive(Clone, Debug, PartialEq)]
pub struct NotUnderstood {
    /// The expression in question.
    pub span: Span,
    /// Where it starts.
    pub position: Position,
    /// Why it is not a site.
    pub reason: Reason,
    /// The function around it.
    pub owner: Owner,
}

impl NotUnderstood {
    /// Whether it is a call of a helper that holds a site itself, so that nothing is missed. `asserting` has the own names of
    /// functions with sites, in whatever file.
    #[must_use]
    pub fn is_seen_inside(&self, asserting: &BTreeSet<String>) -> bool {
        match &self.reason {
            Reason::UnknownHelper(full) => full.rsplit('.').next().is_some_and(|name| asserting.contains(name)),
            _ => false,
        }
    }
}

/// Why something that looks approximate is no site.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Reason {
    /// A helper from elsewhere whose name or arguments speak of closeness.
    #[error("`{0}` looks like an approximate assertion, but its rule is not known")]
    UnknownHelper(String),
    /// `a < 1 or b < 1`.
    #[error("alternatives: no single comparison decides the assertion")]
    Alternatives,
    /// `any` inside `all`, or `all` inside `any`.
    #[error("`any` and `all` are nested")]
    NestedReduction,
    /// `x if c else y` in a condition.
    #[error("a conditional expression decides which comparison is made")]
    Conditional,
    /// `ok = np.allclose(a, b)` and `assert ok`.
    #[error("`{0}` holds the result of a comparison made elsewhere")]
    ResultOfName(String),
    /// `np.allclose` used for its result.
    #[error("the result of `{0}` is not asserted where it is computed")]
    ResultUsedElsewhere(String),
    /// `x == approx(y)` as a statement: a forgotten `assert`.
    #[error("nothing asserts the result of `{0}`")]
    NotAsserted(String),
    /// `assert (x < 1 for x in y)`: the generator itself is true.
    #[error("a generator expression is always true, so nothing is asserted")]
    AlwaysTrue,
    /// `approx` where it is no side of an equality.
    #[error("`approx` is not one side of an equality here")]
    ApproxElsewhere,
    /// `round(x, 3) == 0.125`.
    #[error("the value is rounded and then compared exactly")]
    Rounded,
    /// Arguments behind `*` or `**`.
    #[error("the arguments are unpacked from `*` or `**`")]
    UnpackedArguments,
    /// Fewer arguments than the form needs.
    #[error("`{0}` is called without the two values it compares")]
    MissingArguments(String),
    /// Units in the last place.
    #[error("`{0}` compares in units in the last place")]
    Ulps(String),
    /// A structural comparison of frames or trees with a tolerance inside.
    #[error("`{0}` compares a structure with a tolerance inside")]
    Structure(String),
    /// Both sides are constants.
    #[error("both sides of the comparison are constants")]
    OnlyConstants,
    /// The nesting is deeper than Temper follows.
    #[error("the expression is nested too deeply")]
    TooDeep,
}
