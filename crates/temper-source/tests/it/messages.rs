//! The words that users read, each once.

use std::path::PathBuf;

use temper_source::{Position, Reason, SourceError, Span};

#[test]
fn errors_name_the_thing_the_place_and_the_fact() {
    let path = || PathBuf::from("tests/test_a.py");
    let span = Span::new(7, 9);
    let table = [
        (
            SourceError::Unreadable { path: path(), cause: std::io::ErrorKind::PermissionDenied.into() },
            "cannot read `tests/test_a.py`: permission denied",
        ),
        (SourceError::NotAFile { path: path() }, "`tests/test_a.py` is neither a file nor a folder"),
        (
            SourceError::TooLarge { path: path(), bytes: 99, limit: 64 },
            "`tests/test_a.py` has 99 bytes; Temper reads Python files of up to 64",
        ),
        (
            SourceError::UnknownEncoding { path: path(), name: "koi8-r".into() },
            "`tests/test_a.py` declares the encoding `koi8-r`; Temper reads utf-8, latin-1 and ascii",
        ),
        (
            SourceError::BadEncoding { path: path(), encoding: "utf-8", at: 5, byte: 0xff },
            "byte 0xff at offset 5 of `tests/test_a.py` is not utf-8",
        ),
        (
            SourceError::NotEncodable { path: path(), encoding: "latin-1", character: '€' },
            "`€` cannot be written to `tests/test_a.py`, which is in latin-1",
        ),
        (
            SourceError::Syntax { path: path(), at: Position { line: 3, column: 8 }, message: "Expected `)`".into() },
            "syntax error in `tests/test_a.py` at line 3, column 8: Expected `)`",
        ),
        (
            SourceError::NotRelative { path: path() },
            "`tests/test_a.py` is not a path below the project, so no patch can name it",
        ),
        (
            SourceError::Stale { path: path(), span, expected: "0.5".into() },
            "`tests/test_a.py` has changed since the edit was made: expected `0.5` at offset 7",
        ),
        (SourceError::Overlap { path: path(), span }, "two edits of `tests/test_a.py` overlap at offset 7"),
        (
            SourceError::OutOfRange { path: path(), span },
            "bytes 7 to 9 of `tests/test_a.py` are not a range of its text",
        ),
    ];
    for (error, text) in table {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn reasons_say_why_something_is_no_site() {
    let name = || "check_close".to_owned();
    let table = [
        (Reason::UnknownHelper(name()), "`check_close` looks like an approximate assertion, but its rule is not known"),
        (Reason::Alternatives, "alternatives: no single comparison decides the assertion"),
        (Reason::NestedReduction, "`any` and `all` are nested"),
        (Reason::Conditional, "a conditional expression decides which comparison is made"),
        (Reason::ResultOfName(name()), "`check_close` holds the result of a comparison made elsewhere"),
        (Reason::ResultUsedElsewhere(name()), "the result of `check_close` is not asserted where it is computed"),
        (Reason::NotAsserted(name()), "nothing asserts the result of `check_close`"),
        (Reason::AlwaysTrue, "a generator expression is always true, so nothing is asserted"),
        (Reason::ApproxElsewhere, "`approx` is not one side of an equality here"),
        (Reason::Rounded, "the value is rounded and then compared exactly"),
        (Reason::UnpackedArguments, "the arguments are unpacked from `*` or `**`"),
        (Reason::MissingArguments(name()), "`check_close` is called without the two values it compares"),
        (Reason::Ulps(name()), "`check_close` compares in units in the last place"),
        (Reason::Structure(name()), "`check_close` compares a structure with a tolerance inside"),
        (Reason::OnlyConstants, "both sides of the comparison are constants"),
        (Reason::TooDeep, "the expression is nested too deeply"),
    ];
    for (reason, text) in table {
        assert_eq!(reason.to_string(), text);
    }
}
