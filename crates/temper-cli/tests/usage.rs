//! Help, version, and mistakes in the command line itself.

use insta::assert_snapshot;
use temper_testkit::Project;

const TEMPER: &str = env!("CARGO_BIN_EXE_temper");

fn check(arguments: &[&str]) -> String {
    Project::empty().run(TEMPER, arguments)
}

#[test]
fn temper_alone_lists_the_commands_and_what_to_try_first() {
    assert_snapshot!(check(&[]), @"
    exit 0
    --- stdout
    Temper makes the tests of machine-learning code trustworthy.

      temper scan [PATHS]   what there is to work on: approximate assertions, seeds, annotations; runs nothing
      temper bounds [TESTS] approximate assertions that are flaky, from many runs of the tests that hold them
      temper check [PATHS]  crashing inputs of annotated functions, inside the inputs they say are valid
      temper model DATA     whether a trained classifier is worse than a reference, and where
      temper replay ID      a finding again, in a fresh process
      temper review         the patches of `temper bounds` one by one: accept, reject, edit
      temper apply ID       a patch into its file
      temper report         the last runs of all jobs together: text, page, SARIF, JUnit, Markdown
      temper accept ID      a finding that is to fail nothing, with the reason
      temper explain WORD   what a verdict means
      temper merge FOLDERS  what other machines kept, into this project
      temper clean          what is kept of earlier runs, and how to remove it
      temper config         the settings in force, and where each comes from

    Start with `temper scan` in your project. `temper help COMMAND` tells more.
    --- stderr
    ");
}

#[test]
fn what_is_done_on_this_machine_only_says_so() {
    let project = Project::empty();
    assert_snapshot!(project.run(TEMPER, &["check", "--executor", "dask://tcp://10.0.0.1:8786"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `temper check` does its work on this machine, not on a cluster
      --executor dask://tcp://10.0.0.1:8786 is an option of `temper bounds`
    hint: divide the work with `--shard 1/4` and join the parts with `temper merge`
    ");
    assert_snapshot!(project.run(TEMPER, &["bounds", "--no-run", "--tighten"]), @"
    exit 2
    --- stdout
    --- stderr
    error: the argument '--no-run' cannot be used with '--tighten'

    Usage: temper bounds --no-run [TESTS]... [-- <PYTEST OPTIONS>...]

    For more information, try '--help'.
    ");
}

#[test]
fn help_teaches() {
    assert_snapshot!(check(&["--help"]), @"
    exit 0
    --- stdout
    Temper makes the tests of machine-learning code trustworthy

    Usage: temper [OPTIONS] <COMMAND>

    Commands:
      scan         Say what there is to work on, without running anything
      check        Find crashing inputs of annotated functions, inside the inputs they say are valid
      bounds       Find approximate assertions that are flaky, by running their tests many times
      model        Say whether a trained classifier is worse than a reference, and where
      replay       Run a finding again, in a fresh process: the call of `temper check`, the run of
                   `temper bounds`, or the input of `temper model`
      review       Walk through the patches of `temper bounds`: accept, reject, edit the number, or skip
      apply        Write patches of `temper bounds` into the files they belong to
      report       Show the last runs of all jobs together, from their saved records
      accept       Accept a finding: it is shown, and fails nothing
      explain      Say what a verdict or a kind of finding means
      ci           Print a workflow to start from
      completions  Print a completion script for a shell
      man          Write the pages of the manual into a folder
      clean        Show what is kept in .temper/, how old and how large it is, and remove what is not
                   wanted
      merge        Join what other machines have kept into this project: runs, verdicts on mutants,
                   records
      config       Show the settings in force and where each comes from
      help         Print this message or the help of the given subcommand(s)

    Options:
      -V, --version  Print version

    Output:
          --format <FORMAT>       How results are printed: text, json, md, github, gitlab, sarif, junit
                                  or html [default: text]
      -o, --output <FILE>         Write results to FILE instead of standard output
          --report <FORMAT:FILE>  Also write results in this form to this file, as in html:report.html;
                                  may be given several times
      -v, --verbose...            Say more: list every site, not only counts
      -q, --quiet...              Say less: no progress, no warnings
      -h, --help                  Print this help

    Project:
      -j, --jobs <N>           How many things are done at once: a number, or auto for one a core
                               [default: auto]
          --python <PATH>      The project's interpreter [default: the active environment, .venv, or
                               Temper's own]
          --exclude <PATTERN>  Leave these files and folders alone; may be given several times
          --require-fences     Do not run functions, mutants or models if the machine lacks one of the
                               fences around them

    Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 the project's own tests fail, 4
    inconclusive, 5 nothing to do, 70 internal error, 130 interrupted.

    Settings come from the command line, then TEMPER_* variables, then [tool.temper] in pyproject.toml.
    NO_COLOR and FORCE_COLOR are respected.
    --- stderr
    ");
}

#[test]
fn the_help_of_a_command_has_examples() {
    assert_snapshot!(check(&["scan", "--help"]), @"
    exit 0
    --- stdout
    Say what there is to work on, without running anything

    Reads every Python file and counts the approximate assertions by form, the tests that fix a seed,
    the draws of randomness without one, and the annotated functions, and lists what looks approximate
    but is not understood. Nothing is run and nothing is written.

    Usage: temper scan [OPTIONS] [PATHS]...

    Arguments:
      [PATHS]...  Files and folders to read [default: the project]

    Output:
          --format <FORMAT>       How results are printed: text, json, md, github, gitlab, sarif, junit
                                  or html [default: text]
      -o, --output <FILE>         Write results to FILE instead of standard output
          --report <FORMAT:FILE>  Also write results in this form to this file, as in html:report.html;
                                  may be given several times
      -v, --verbose...            Say more: list every site, not only counts
      -q, --quiet...              Say less: no progress, no warnings
      -h, --help                  Print this help

    Project:
      -j, --jobs <N>           How many things are done at once: a number, or auto for one a core
                               [default: auto]
          --python <PATH>      The project's interpreter [default: the active environment, .venv, or
                               Temper's own]
          --exclude <PATTERN>  Leave these files and folders alone; may be given several times
          --require-fences     Do not run functions, mutants or models if the machine lacks one of the
                               fences around them

    Examples:
      temper scan                          the whole project
      temper scan -v tests/test_train.py   every site of one file, with its bound and direction
      temper scan --format json            all of it, for a program
    --- stderr
    ");
}

#[test]
fn no_help_shows_how_its_text_is_written() {
    for command in
        ["scan", "bounds", "check", "model", "report", "review", "apply", "replay", "merge", "clean", "accept"]
    {
        let help = check(&[command, "--help"]);
        assert!(help.contains("Usage: temper") && !help.contains('\\'), "{help}");
    }
}

#[test]
fn version_is_one_line() {
    assert_snapshot!(check(&["--version"]), @"
    exit 0
    --- stdout
    temper [VERSION]
    --- stderr
    ");
}

#[test]
fn an_unknown_option_names_the_nearest() {
    assert_snapshot!(check(&["scan", "--formt", "json"]), @"
    exit 2
    --- stdout
    --- stderr
    error: unexpected argument '--formt' found

      tip: a similar argument exists: '--format'

    Usage: temper scan --format <FORMAT> [PATHS]...

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_command_is_a_usage_error() {
    assert_snapshot!(check(&["scn"]), @"
    exit 2
    --- stdout
    --- stderr
    error: unrecognized subcommand 'scn'

      tip: a similar subcommand exists: 'scan'

    Usage: temper [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn quiet_and_verbose_do_not_go_together() {
    assert_snapshot!(check(&["scan", "-q", "-v"]), @"
    exit 2
    --- stdout
    --- stderr
    error: the argument '--quiet...' cannot be used with '--verbose...'

    Usage: temper scan --quiet... [PATHS]...

    For more information, try '--help'.
    ");
}

#[test]
fn a_bug_in_temper_ends_with_70_and_says_what_to_report() {
    let project = Project::empty();
    project.write("test_it.py", "");
    let output = project.command(TEMPER).arg("scan").env("TEMPER_TEST_FAULT", "panic").output().unwrap();
    let transcript = project.transcript(&output);
    let without_line: String =
        transcript.lines().map(|line| line.split(".rs:").next().unwrap_or(line)).collect::<Vec<_>>().join("\n");
    assert_snapshot!(without_line, @"
    exit 70
    --- stdout
    --- stderr
    error: internal error: a fault was planted
      --> crates/temper-cli/src/fault
      temper [VERSION]
    hint: this is a bug in Temper; please report it with these lines and the command that was run
    ");
}

#[test]
fn a_word_is_explained_and_a_misspelt_one_names_the_nearest() {
    let told = check(&["explain", "flaky"]);
    assert!(told.contains("fails by chance more often than the target allows"), "{told}");
    assert!(check(&["explain", "fails", "always"]).contains("fails in every run"));
    assert!(check(&["explain", "fluky"]).contains("hint: did you mean `flaky`?"));
    assert!(check(&["explain"]).contains("flaky, suspect, loose"));
}

#[test]
fn completions_know_every_command_and_option() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = check(&["completions", shell]);
        assert!(script.starts_with("exit 0") && script.contains("tighten") && script.contains("explain"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let project = Project::empty();
    assert!(project.run(TEMPER, &["man", "man1"]).starts_with("exit 0"));
    for name in ["temper", "temper-bounds", "temper-check", "temper-model", "temper-report"] {
        let page = std::fs::read_to_string(project.root().join(format!("man1/{name}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains("\\-\\-report"), "{name}");
    }
}

#[test]
fn a_workflow_is_printed_for_both_servers() {
    assert!(check(&["ci", "init"]).contains("temper bounds ${{ github.base_ref"));
    assert!(check(&["ci", "init", "gitlab"]).contains("codequality: gl-code-quality-report.json"));
}
