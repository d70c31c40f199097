//! Random edits of what tests use, and of what they do not: a run counts exactly when all that it used is as it was.
//!
//! 40 edits; `TEMPER_EDITS=5000` makes more of them, which is a part of `make test-long`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use temper::prelude::{forall, ints, vecs};
use temper_testkit::Project;

use crate::support;

/// Edits in one sequence, and between two commands.
const SEQUENCE: usize = 40;
const AT_ONCE: usize = 4;
const RUNS: u64 = 2;
const TESTS: usize = 6;

/// Something that tests may use, as it is now: a number that their value is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    /// A data file.
    File(usize),
    /// A file that may be absent.
    MaybeFile(usize),
    /// A module that the test file imports.
    Module(usize),
    /// A module that the test itself imports.
    LateModule(usize),
    /// A folder whose entries are counted.
    Folder(usize),
    /// An environment variable.
    Variable(usize),
    /// Used by no test: a data file, a module, a variable.
    Unused(usize),
}

fn things() -> Vec<Thing> {
    let kinds: [fn(usize) -> Thing; 7] = [
        Thing::File,
        Thing::MaybeFile,
        Thing::Module,
        Thing::LateModule,
        Thing::Folder,
        Thing::Variable,
        Thing::Unused,
    ];
    kinds.into_iter().flat_map(|kind| (0..3).map(kind)).collect()
}

/// What a test uses: one of each kind, which one depends on the test. Tests of one file share its modules.
fn uses(test: usize, thing: Thing) -> bool {
    match thing {
        Thing::Module(number) => number == (test / 2) % 3,
        Thing::Unused(_) => false,
        Thing::File(number) => number == test % 3,
        Thing::MaybeFile(number) => number == (test + 1) % 3,
        Thing::LateModule(number) => number == (test / 2 + 1) % 3,
        Thing::Folder(number) => number == test % 2,
        Thing::Variable(number) => number == (test + test / 3) % 3,
    }
}

fn test_file(number: usize) -> String {
    let (first, module) = (2 * number, number % 3);
    let body = |test: usize| {
        let named = |kind: fn(usize) -> Thing| (0..3).find(|&each| uses(test, kind(each))).unwrap();
        format!(
            "def test_{test}():\n    import late_{late}\n    value = module_{module}.N * late_{late}.N\n    \
             value *= int((HERE / 'file_{file}.txt').read_text())\n    \
             maybe = HERE / 'maybe_{maybe}.txt'\n    \
             try:\n        value *= int(maybe.read_text())\n    except FileNotFoundError:\n        pass\n    \
             value *= len(os.listdir(HERE / 'folder_{folder}'))\n    \
             value *= int(os.environ.get('VARIABLE_{variable}', '1'))\n    \
             assert random.random() / value < 5\n\n\n",
            late = named(Thing::LateModule),
            file = named(Thing::File),
            maybe = named(Thing::MaybeFile),
            folder = named(Thing::Folder),
            variable = named(Thing::Variable),
        )
    };
    let start =
        format!("import os, pathlib, random\nimport module_{module}\nHERE = pathlib.Path(__file__).parent\n\n\n");
    start + &body(first) + &body(first + 1)
}

/// The project, and the number that stands in each thing.
struct Edited {
    project: Project,
    numbers: BTreeMap<Thing, usize>,
    /// By test: the states of all that it uses under which its runs are in the store.
    known: Vec<BTreeSet<Vec<usize>>>,
}

impl Edited {
    fn new() -> Self {
        let project = Project::empty();
        project.write("pytest.ini", "[pytest]\n");
        for number in 0..TESTS / 2 {
            project.write(&format!("test_{number}.py"), test_file(number));
        }
        let mut edited = Self { project, numbers: BTreeMap::new(), known: vec![BTreeSet::new(); TESTS] };
        things().into_iter().for_each(|thing| edited.set(thing, 1));
        edited
    }

    fn set(&mut self, thing: Thing, number: usize) {
        self.numbers.insert(thing, number);
        let write = |name: String, text: String| {
            self.project.write(&name, &text);
        };
        match thing {
            Thing::File(each) => write(format!("file_{each}.txt"), number.to_string()),
            Thing::MaybeFile(each) if number == 1 => {
                let _ = fs::remove_file(self.project.root().join(format!("maybe_{each}.txt")));
            }
            Thing::MaybeFile(each) => write(format!("maybe_{each}.txt"), number.to_string()),
            Thing::Module(each) => write(format!("module_{each}.py"), format!("N = {number}\n")),
            Thing::LateModule(each) => write(format!("late_{each}.py"), format!("N = {number}\n")),
            Thing::Folder(each) => {
                let _ = fs::remove_dir_all(self.project.root().join(format!("folder_{each}")));
                (0..number).for_each(|entry| write(format!("folder_{each}/{entry}"), String::new()));
            }
            Thing::Unused(0) => write("unused.txt".to_owned(), number.to_string()),
            Thing::Unused(1) => write("unused.py".to_owned(), format!("N = {number}\n")),
            Thing::Variable(_) | Thing::Unused(_) => {}
        }
    }

    /// The state of all that a test uses.
    fn state(&self, test: usize) -> Vec<usize> {
        self.numbers.iter().filter(|(thing, _)| uses(test, **thing)).map(|(_, number)| *number).collect()
    }

    /// Runs the command and compares the runs that it took with those that it had to take.
    fn check(&mut self) {
        let variables = self.numbers.iter().filter_map(|(thing, number)| match thing {
            Thing::Variable(each) => Some((format!("VARIABLE_{each}"), number.to_string())),
            Thing::Unused(2) => Some(("UNUSED".to_owned(), number.to_string())),
            _ => None,
        });
        let runs = RUNS.to_string();
        let arguments = ["bounds", "--runs", &runs, "--no-mutants", "-q", "--format", "json"];
        let mut command = support::command(&self.project, &arguments);
        let output = command.envs(variables).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let document: serde_json::Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        let states: Vec<Vec<usize>> = (0..TESTS).map(|test| self.state(test)).collect();
        let is_new: Vec<bool> = self.known.iter_mut().zip(states).map(|(known, state)| known.insert(state)).collect();
        let taken = RUNS * is_new.iter().filter(|is_new| **is_new).count() as u64;
        let found = (&document["bounds"]["runs_taken"], &document["bounds"]["runs_reused"]);
        let expected = (serde_json::json!(taken), serde_json::json!(RUNS * TESTS as u64 - taken));
        assert_eq!(found, (&expected.0, &expected.1), "{:?}", self.numbers);
    }
}

#[test]
fn a_run_counts_exactly_when_all_that_it_used_is_as_it_was() {
    let edits: usize = std::env::var("TEMPER_EDITS").ok().and_then(|text| text.parse().ok()).unwrap_or(SEQUENCE);
    let things = things();
    // Each edit: which thing, and the number that stands in it from then on.
    let edit = (ints(0..things.len()), ints(1..=3_usize));
    let sequences = vecs(edit).len(SEQUENCE..=SEQUENCE);
    forall(sequences).seed(7).budget(edits.div_ceil(SEQUENCE)).shrink_budget(10).check(|sequence| {
        let mut edited = Edited::new();
        edited.check();
        for batch in sequence.chunks(AT_ONCE) {
            batch.iter().for_each(|&(thing, number)| edited.set(things[thing], number));
            edited.check();
        }
    });
}
