//! The store as its callers see it: continued, shared, migrated, refused.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, thread};

use temper_store::{Content, KeptRuns, NotJoined, Sample, SetAside, Store, StoreError, StoredRun};

struct Root(PathBuf);

impl Root {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("temper-store-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn store(&self) -> Store {
        Store::open(&self.0).unwrap()
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn content(subject: &str) -> Content {
    Content { subject: subject.to_owned(), ..Content::default() }
}

fn run(seed: u64, values: &[f64]) -> StoredRun {
    let samples = values.iter().map(|&value| Sample { site: 3, value }).collect();
    StoredRun { seed, outcome: "passed".to_owned(), samples }
}

fn bits(runs: &[StoredRun]) -> Vec<(u64, Vec<u64>)> {
    runs.iter().map(|run| (run.seed, run.samples.iter().map(|sample| sample.value.to_bits()).collect())).collect()
}

#[test]
fn runs_are_kept_exactly_and_in_order_of_seed() {
    let root = Root::new();
    let mut store = root.store();
    let series = store.series(&content("a").key(), "", "a").unwrap();
    let runs = vec![
        run(0, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]),
        run(1, &[]),
        run(u64::MAX / 2 + 1, &[5e-324, f64::MAX]),
        run(u64::MAX, &[0.1 + 0.2]),
    ];
    let shuffled: Vec<_> = [2, 0, 3, 1].map(|index: usize| runs[index].clone()).to_vec();
    assert_eq!(store.add_runs(series, &shuffled).unwrap(), 4);
    drop(store);
    let mut store = root.store();
    let again = store.series(&content("a").key(), "", "a").unwrap();
    assert_eq!(bits(&store.runs(again).unwrap()), bits(&runs));
}

#[test]
fn a_changed_content_starts_again_and_leaves_the_other_series_alone() {
    let root = Root::new();
    let mut store = root.store();
    let first = store.series(&content("a").key(), "", "a").unwrap();
    let other = store.series(&content("b").key(), "", "b").unwrap();
    store.add_runs(first, &[run(1, &[1.0])]).unwrap();
    store.add_runs(other, &[run(1, &[2.0])]).unwrap();
    let mut changed = content("a");
    changed.interpreter.push('x');
    let second = store.series(&changed.key(), "", "a").unwrap();
    assert_eq!(store.runs(second).unwrap(), []);
    assert_eq!(store.runs(other).unwrap(), [run(1, &[2.0])]);
    // Changed back: the samples are still there.
    let back = store.series(&content("a").key(), "", "a").unwrap();
    assert_eq!(store.runs(back).unwrap(), [run(1, &[1.0])]);
}

#[test]
fn a_seed_that_is_there_keeps_its_first_run() {
    let root = Root::new();
    let mut store = root.store();
    let series = store.series(&content("a").key(), "", "a").unwrap();
    assert_eq!(store.add_runs(series, &[run(1, &[1.0])]).unwrap(), 1);
    assert_eq!(store.add_runs(series, &[run(1, &[9.0]), run(2, &[2.0])]).unwrap(), 1);
    assert_eq!(store.runs(series).unwrap(), [run(1, &[1.0]), run(2, &[2.0])]);
}

#[test]
fn records_are_replaced_and_listed_by_kind() {
    let root = Root::new();
    let mut store = root.store();
    store.put_record("mutant", "m2", "survived").unwrap();
    store.put_record("mutant", "m1", "killed").unwrap();
    store.put_record("mutant", "m2", "timed out").unwrap();
    store.put_record("failure", "m1", "text").unwrap();
    assert_eq!(store.record("mutant", "m1").unwrap().as_deref(), Some("killed"));
    assert_eq!(store.record("mutant", "m3").unwrap(), None);
    let expected = [("m1", "killed"), ("m2", "timed out")].map(|(key, body)| (key.to_owned(), body.to_owned()));
    assert_eq!(store.records("mutant").unwrap(), expected);
}

#[test]
fn the_folder_ignores_itself_in_git() {
    let root = Root::new();
    let store = root.store();
    assert_eq!(fs::read_to_string(store.folder().join(".gitignore")).unwrap(), "*\n");
    let git = |arguments: &[&str]| Command::new("git").current_dir(&root.0).args(arguments).output().unwrap();
    git(&["init", "-q"]);
    let status = git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(status.status.success());
    assert_eq!(String::from_utf8(status.stdout).unwrap(), "");
}

#[test]
fn a_store_of_a_later_version_is_set_aside_as_it_is() {
    let root = Root::new();
    drop(root.store());
    let path = root.0.join(".temper/store.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let moved = root.0.join(".temper/store-of-version-99.db");
    let store = Store::open(&root.0).unwrap();
    assert_eq!(store.set_aside(), Some(&SetAside::LaterVersion(moved.clone())));
    assert_eq!(version(&moved), 99);
    drop(store);
    assert_eq!(root.store().set_aside(), None, "it is said once");
}

fn version(path: &std::path::Path) -> i64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_file_that_is_no_store_is_set_aside_as_it_is() {
    let root = Root::new();
    fs::create_dir(root.0.join(".temper")).unwrap();
    let text = "this is a text of more than sixteen bytes".repeat(100);
    fs::write(root.0.join(".temper/store.db"), &text).unwrap();
    let moved = root.0.join(".temper/store-damaged.db");
    assert_eq!(root.store().set_aside(), Some(&SetAside::Damaged(moved.clone())));
    assert_eq!(fs::read_to_string(moved).unwrap(), text);
}

#[test]
fn an_older_store_becomes_a_newer_one_and_says_what_it_lost() {
    let root = Root::new();
    let mut store = root.store();
    let series = store.series(&content("a").key(), "trace", "a").unwrap();
    store.add_runs(series, &[run(1, &[0.5])]).unwrap();
    drop(store);
    // The second version has no times; the first has other tables, and its runs cannot be kept.
    let path = root.0.join(".temper/store.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("ALTER TABLE series DROP COLUMN used; PRAGMA user_version = 2").unwrap();
    drop(connection);
    let store = root.store();
    assert_eq!((store.set_aside(), store.runs(series).unwrap().len()), (None, 1));
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    drop(connection);
    let store = root.store();
    assert_eq!(store.set_aside(), Some(&SetAside::OldRuns));
    assert!(store.runs(series).unwrap().is_empty());
}

/// Makes a series of one run look as if it was last used some days ago.
fn aged(root: &Root, subject: &str, days: i64) {
    let mut store = root.store();
    let series = store.series(&content(subject).key(), "trace", subject).unwrap();
    store.add_runs(series, &[run(1, &[0.5; 200])]).unwrap();
    let connection = rusqlite::Connection::open(root.0.join(".temper/store.db")).unwrap();
    let update = "UPDATE series SET used = unixepoch() - ?1 * 86400 WHERE subject = ?2";
    connection.execute(update, rusqlite::params![days, subject]).unwrap();
}

#[test]
fn what_was_not_used_for_long_is_counted_and_dropped_by_age() {
    let root = Root::new();
    [("new", 0), ("week", 7), ("old", 40)].into_iter().for_each(|(subject, days)| aged(&root, subject, days));
    let mut store = root.store();
    let ages = |store: &Store| store.contents().unwrap().runs.iter().map(|kept| kept.days).collect::<Vec<_>>();
    assert_eq!(ages(&store), [0, 7, 40]);
    assert_eq!(store.contents().unwrap().runs[1], KeptRuns { days: 7, runs: 1, numbers: 200 });
    assert_eq!(store.drop_unused(30).unwrap(), 1);
    assert_eq!(ages(&store), [0, 7]);
    // Runs that count today are not old.
    let week = store.series_of(&content("week").key()).unwrap()[0].0;
    store.mark_used(&[week]).unwrap();
    assert_eq!(ages(&store), [0]);
}

#[test]
fn a_store_that_grows_too_large_drops_what_was_used_longest_ago() {
    let root = Root::new();
    (0..20).for_each(|number| aged(&root, &format!("test_{number}"), 20 - number));
    let mut store = root.store();
    let bytes = store.contents().unwrap().bytes;
    assert_eq!(store.keep_below(bytes).unwrap(), 0);
    let dropped = store.keep_below(bytes * 3 / 4).unwrap();
    assert!((1..15).contains(&dropped), "{dropped}");
    assert!(store.contents().unwrap().bytes <= bytes * 3 / 4);
    let is_there = |number: usize| !store.series_of(&content(&format!("test_{number}")).key()).unwrap().is_empty();
    assert!(!is_there(0) && is_there(19), "the oldest goes first");
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_by_name() {
    let root = Root::new();
    fs::write(root.0.join(".temper"), "a file in the way").unwrap();
    let error = Store::open(&root.0).unwrap_err();
    assert!(matches!(error, StoreError::File(_)), "{error}");
}

#[test]
fn a_new_store_that_another_process_is_making_is_waited_for() {
    let root = Root::new();
    fs::create_dir(root.0.join(".temper")).unwrap();
    // Where two that open a new store meet: the other holds the file and has not turned the write-ahead log on yet.
    let mut other = rusqlite::Connection::open(root.0.join(".temper/store.db")).unwrap();
    let making = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    making.execute_batch("CREATE TABLE other (id INTEGER)").unwrap();
    let path = root.0.clone();
    let opening = thread::spawn(move || Store::open(&path).map(drop));
    // Two descriptors of the file: ours, and that of the thread that waits.
    while descriptors_of(&root.0.join(".temper/store.db")) < 2 && !opening.is_finished() {
        thread::yield_now();
    }
    assert!(!opening.is_finished(), "{:?}", opening.join());
    making.commit().unwrap();
    opening.join().unwrap().unwrap();
}

/// How often this process has a file open.
fn descriptors_of(file: &std::path::Path) -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file)).count()
}

/// Not a test by itself: the process that the next test starts several times.
#[test]
fn writer() {
    let Some(root) = env::var_os("TEMPER_STORE_WRITER") else { return };
    let number: u64 = env::var("TEMPER_STORE_NUMBER").unwrap().parse().unwrap();
    let root = PathBuf::from(root);
    for batch in 0..20 {
        // Opened each time: the last to close folds the log back while others are opening.
        let mut store = Store::open(&root).unwrap();
        let series = store.series(&content("shared").key(), "", "shared").unwrap();
        // Every seed is written by two of the processes.
        let seeds = (0..10).map(|index| (number / 2) * 1000 + batch * 10 + index);
        let runs: Vec<_> = seeds.map(|seed| run(seed, &[seed as f64])).collect();
        store.add_runs(series, &runs).unwrap();
    }
}

#[test]
fn several_processes_write_at_once_and_nothing_is_lost_or_doubled() {
    let root = Root::new();
    let writers = (0..6).map(|number: u64| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "writer"]).env("TEMPER_STORE_WRITER", &root.0);
        command.env("TEMPER_STORE_NUMBER", number.to_string());
        thread::spawn(move || command.output().unwrap())
    });
    for writer in writers.collect::<Vec<_>>() {
        let output = writer.join().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let mut store = root.store();
    let series = store.series(&content("shared").key(), "", "shared").unwrap();
    let expected: Vec<_> = (0..3)
        .flat_map(|pair| (0..200).map(move |index| pair * 1000 + index))
        .map(|seed| run(seed, &[seed as f64]))
        .collect();
    assert_eq!(store.runs(series).unwrap(), expected);
}

fn add(store: &mut Store, subject: &str, seeds: std::ops::Range<u64>) {
    let series = store.series(&content(subject).key(), "- machine here\n", subject).unwrap();
    let runs: Vec<StoredRun> = seeds.map(|seed| run(seed, &[seed as f64, f64::NAN])).collect();
    store.add_runs(series, &runs).unwrap();
    store.put_environment("cpython 3.11.7").unwrap();
}

fn runs_of(store: &Store, subject: &str) -> Vec<(u64, Vec<u64>)> {
    let series = store.series_of(&content(subject).key()).unwrap();
    series.into_iter().flat_map(|(series, _)| bits(&store.runs(series).unwrap())).collect()
}

#[test]
fn stores_join_in_any_order_and_as_often_as_one_likes() {
    let shards: Vec<Root> = (0..3).map(|_| Root::new()).collect();
    for (number, shard) in (0_u64..).zip(&shards) {
        let mut store = shard.store();
        add(&mut store, "split", number * 10..number * 10 + 10);
        add(&mut store, &format!("own {number}"), 0..5);
        store.put_record("bounds-secs", &format!("own {number}"), "0.5").unwrap();
    }
    let join = |order: [usize; 4]| {
        let whole = Root::new();
        let mut store = whole.store();
        let joined: Vec<_> =
            order.map(|shard| store.join(&shards[shard].0.join(".temper")).unwrap().unwrap()).into_iter().collect();
        let subjects = ["split", "own 0", "own 1", "own 2"];
        let found = (joined, subjects.map(|subject| runs_of(&store, subject)), store.records("bounds-secs").unwrap());
        // What is dropped after joining goes with all that belongs to it.
        store.drop_unused(0).unwrap();
        let left = rusqlite::Connection::open(whole.0.join(".temper/store.db")).unwrap();
        let rows = |table| left.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
        assert_eq!([rows("series"), rows("run"), rows("sample")], [Ok(0), Ok(0), Ok(0)]);
        found
    };
    let (joined, runs, records) = join([0, 1, 2, 0]);
    let numbers = |at: usize| (joined[at].runs, joined[at].new_runs, joined[at].new_records);
    assert_eq!([numbers(0), numbers(1), numbers(3)], [(15, 15, 2), (15, 15, 1), (15, 0, 0)]);
    assert_eq!(runs.each_ref().map(Vec::len), [30, 5, 5, 5]);
    assert_eq!((runs, records), {
        let (_, runs, records) = join([2, 0, 1, 1]);
        (runs, records)
    });
}

#[test]
fn a_store_that_does_not_fit_is_left_out_with_the_reason() {
    let (whole, other) = (Root::new(), Root::new());
    let mut store = whole.store();
    assert_eq!(store.join(&other.store().folder().join("..")).unwrap(), Err(NotJoined::Absent));
    add(&mut store, "here", 0..5);
    let mut theirs = other.store();
    let series = theirs.series(&content("there").key(), "", "there").unwrap();
    theirs.add_runs(series, &(0..500).map(|seed| run(seed, &[1.0; 20])).collect::<Vec<_>>()).unwrap();
    theirs.put_environment("cpython 3.12.1").unwrap();
    drop(theirs);
    let folder = other.0.join(".temper");
    let environments = NotJoined::OtherEnvironment(vec!["cpython 3.12.1".into()], vec!["cpython 3.11.7".into()]);
    assert_eq!(store.join(&folder).unwrap(), Err(environments));
    let bytes = fs::read(folder.join("store.db")).unwrap();
    rusqlite::Connection::open(folder.join("store.db")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(store.join(&folder).unwrap(), Err(NotJoined::OtherVersion(99, ours)) if ours < 99));
    fs::write(folder.join("store.db"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(store.join(&folder).unwrap(), Err(NotJoined::Damaged(_))));
    fs::write(folder.join("store.db"), b"no database at all, but some text").unwrap();
    assert!(matches!(store.join(&folder).unwrap(), Err(NotJoined::Damaged(_))));
    assert_eq!(runs_of(&store, "here").len(), 5, "nothing of ours is lost");
    assert!(runs_of(&store, "there").is_empty());
}
