//! The tables, and how an older store becomes a newer one.

use rusqlite::{Connection, TransactionBehavior};

/// One step per schema version, in order; a store at version `n` has had the first `n` steps.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE series (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        subject TEXT NOT NULL
    ) STRICT;
    -- Seeds are unsigned and values are floats; both are kept as the 64 bits they are, because SQLite has no unsigned
    -- integers and turns NaN into NULL.
    CREATE TABLE run (
        series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
        seed INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        PRIMARY KEY (series, seed)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sample (
        series INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        position INTEGER NOT NULL,
        site INTEGER NOT NULL,
        bits INTEGER NOT NULL,
        PRIMARY KEY (series, seed, position),
        FOREIGN KEY (series, seed) REFERENCES run (series, seed) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    -- Conclusions, one a kind and key: verdicts on mutants, failures. The body belongs to whoever wrote it.
    CREATE TABLE record (
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
",
    "
    -- Runs of before do not say what they used besides their code: whether they still count cannot be known.
    DELETE FROM run;
    DELETE FROM record WHERE kind <> 'bounds-proposal' AND kind <> 'bounds-target';
    DROP TABLE sample;
    DROP TABLE run;
    DROP TABLE series;
    -- One series for each content and each trace of what its runs used.
    CREATE TABLE series (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL,
        trace TEXT NOT NULL,
        subject TEXT NOT NULL,
        UNIQUE (key, trace)
    ) STRICT;
    CREATE TABLE run (
        series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
        seed INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        PRIMARY KEY (series, seed)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sample (
        series INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        position INTEGER NOT NULL,
        site INTEGER NOT NULL,
        bits INTEGER NOT NULL,
        PRIMARY KEY (series, seed, position),
        FOREIGN KEY (series, seed) REFERENCES run (series, seed) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
",
    "
    -- When a command last added to a series or counted its runs, in seconds since 1970: what may go first.
    ALTER TABLE series ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
    UPDATE series SET used = unixepoch();
",
];

/// The first version whose runs say what they used; runs of earlier ones are dropped.
pub(crate) const FIRST_WITH_TRACES: i64 = 2;

/// The newest schema version.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Brings a store up to date; returns the version it had, which is above [`VERSION`] for a store that we must not touch.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<i64> {
    // Taken before the version is read: another process may be migrating.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    for step in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    if found < VERSION {
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(found)
}
