//! Files that are there for tests without being tests: base classes, helpers, a package's own testing modules.

use std::path::Path;

use crate::imports::Imports;

/// Whether a file is named as one for tests. The path is relative to the project: folders above it say nothing.
#[must_use]
pub fn is_named_for_tests(relative: &Path) -> bool {
    let is_of_tests = |name: &str| {
        let name = name.trim_start_matches('_').to_ascii_lowercase();
        matches!(name.as_str(), "test" | "tests" | "testing" | "conftest")
            || ["test_", "testing_", "testutil"].iter().any(|start| name.starts_with(start))
            || ["_test", "_tests", "_testing", "_test_case", "_testcase"].iter().any(|end| name.ends_with(end))
    };
    let folders = relative.parent().into_iter().flat_map(Path::components).filter_map(|part| part.as_os_str().to_str());
    let stem = relative.file_stem().and_then(|stem| stem.to_str());
    folders.chain(stem).any(is_of_tests)
}

/// Whether a file uses a library that only tests use, or the testing module of another.
#[must_use]
pub fn imports_a_test_library(imports: &Imports) -> bool {
    let has = |name: &&str| imports.names.contains(*name);
    ["pytest", "unittest", "hypothesis", "nose"].iter().any(has)
        || has(&"testing") && ["numpy", "pandas", "polars", "xarray", "torch", "sklearn"].iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_for_tests_are_known_by_their_name() {
        for path in [
            "tests/causal_estimators/base.py",
            "gpytorch/test/base_kernel_test_case.py",
            "statsmodels/tools/_testing.py",
            "pkg/testing/compare.py",
            "pkg/conftest.py",
            "pkg/model_test.py",
            "pkg/kernel_test_case.py",
            "test_utils/arrays.py",
        ] {
            assert!(is_named_for_tests(Path::new(path)), "{path}");
        }
        for path in ["pkg/model.py", "pkg/contest.py", "pkg/attestation.py", "pkg/latest/model.py", "pkg/protest.py"] {
            assert!(!is_named_for_tests(Path::new(path)), "{path}");
        }
    }
}
