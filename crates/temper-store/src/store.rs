//! Opening the store, and writing and reading runs and records.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use temper_files::{Folder, state_folder};

use crate::content::ContentKey;
use crate::error::StoreError;
use crate::schema;

/// How long to wait for another process that is writing. A batch takes milliseconds; this allows for a stopped machine.
const BUSY: Duration = Duration::from_secs(60);

/// Between two attempts at what SQLite does not wait for by itself.
const RETRY: Duration = Duration::from_millis(5);

/// The runs of one subject under one content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesId(i64);

impl SeriesId {
    pub(crate) fn number(self) -> i64 {
        self.0
    }
}

/// One number recorded at one assertion site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The site, as the probe numbered it.
    pub site: i64,
    /// The value; NaN and infinities are kept.
    pub value: f64,
}

/// One run of a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// Its seed.
    pub seed: u64,
    /// How it ended, in the caller's own terms.
    pub outcome: String,
    /// What it recorded, in order.
    pub samples: Vec<Sample>,
}

/// What became of an earlier store that cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetAside {
    /// The runs of an old version were dropped: they do not say what they used, so nobody can say whether they still count.
    OldRuns,
    /// A later version of Temper wrote it; it has this name now.
    LaterVersion(PathBuf),
    /// It is damaged, or no store; it has this name now.
    Damaged(PathBuf),
}

/// The database in `.temper/`.
pub(crate) const FILE: &str = "store.db";

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    folder: PathBuf,
    set_aside: Option<SetAside>,
}

impl Store {
    /// Opens the store of the project at `root`, making `.temper/` if it is not there. A store that cannot be used is set
    /// aside under another name, and a new one made.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let folder = state_folder(root)?;
        let path = folder.path().join(FILE);
        let refused = |source| StoreError::Database { path: path.clone(), source };
        let (connection, set_aside) = match connect(&path) {
            Ok((connection, found)) if found > schema::VERSION => {
                drop(connection);
                let moved = move_away(&folder, &format!("store-of-version-{found}.db"))?;
                (connect(&path).map_err(refused)?.0, Some(SetAside::LaterVersion(moved)))
            }
            Ok((connection, found)) => {
                let is_old = (1..schema::FIRST_WITH_TRACES).contains(&found);
                (connection, is_old.then_some(SetAside::OldRuns))
            }
            Err(error) if is_damage(&error) => {
                let moved = move_away(&folder, "store-damaged.db")?;
                (connect(&path).map_err(refused)?.0, Some(SetAside::Damaged(moved)))
            }
            Err(error) => return Err(refused(error)),
        };
        Ok(Self { connection, folder: folder.path().to_owned(), set_aside })
    }

    /// What became of an earlier store, if it could not be used.
    pub fn set_aside(&self) -> Option<&SetAside> {
        self.set_aside.as_ref()
    }

    /// The `.temper/` folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The series of runs for a content and a trace of what they used, new or continued.
    pub fn series(&mut self, key: &ContentKey, trace: &str, subject: &str) -> Result<SeriesId, StoreError> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO series (key, trace, subject, used) VALUES (?1, ?2, ?3, unixepoch())
                 ON CONFLICT (key, trace) DO UPDATE SET used = unixepoch()",
                params![key.as_bytes(), trace, subject],
            )?;
            let select = "SELECT id FROM series WHERE key = ?1 AND trace = ?2";
            connection.query_row(select, params![key.as_bytes(), trace], |row| row.get(0)).map(SeriesId)
        })
    }

    /// All series of a content, each with its trace.
    pub fn series_of(&self, key: &ContentKey) -> Result<Vec<(SeriesId, String)>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT id, trace FROM series WHERE key = ?1 ORDER BY id")?;
            select.query_map([key.as_bytes()], |row| Ok((SeriesId(row.get(0)?), row.get(1)?)))?.collect()
        })
    }

    /// Adds a batch of runs: all of them or, if this process is killed, none. Returns how many were new; a seed that is
    /// already there keeps its first run.
    pub fn add_runs(&mut self, series: SeriesId, runs: &[StoredRun]) -> Result<usize, StoreError> {
        self.write(|connection| {
            let mut insert_run = connection
                .prepare_cached("INSERT INTO run (series, seed, outcome) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
            let mut insert_sample = connection.prepare_cached(
                "INSERT INTO sample (series, seed, position, site, bits) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            let mut added = 0;
            for run in runs {
                let seed = run.seed.cast_signed();
                if insert_run.execute(params![series.0, seed, run.outcome])? == 0 {
                    continue;
                }
                added += 1;
                for (position, sample) in run.samples.iter().enumerate() {
                    let bits = sample.value.to_bits().cast_signed();
                    insert_sample.execute(params![series.0, seed, position as i64, sample.site, bits])?;
                }
            }
            Ok(added)
        })
    }

    /// All runs of a series, by seed.
    pub fn runs(&self, series: SeriesId) -> Result<Vec<StoredRun>, StoreError> {
        self.read(|connection| {
            // One statement, so that a batch being added by another process is seen whole or not at all.
            let mut select = connection.prepare_cached(
                "SELECT run.seed, run.outcome, sample.site, sample.bits
                 FROM run LEFT JOIN sample ON sample.series = run.series AND sample.seed = run.seed
                 WHERE run.series = ?1 ORDER BY run.seed, sample.position",
            )?;
            let mut rows = select.query([series.0])?;
            let mut runs: Vec<StoredRun> = Vec::new();
            while let Some(row) = rows.next()? {
                let seed = row.get::<_, i64>(0)?.cast_unsigned();
                if runs.last().is_none_or(|run| run.seed != seed) {
                    runs.push(StoredRun { seed, outcome: row.get(1)?, samples: Vec::new() });
                }
                if let (Some(site), Some(bits), Some(run)) =
                    (row.get(2)?, row.get::<_, Option<i64>>(3)?, runs.last_mut())
                {
                    run.samples.push(Sample { site, value: f64::from_bits(bits.cast_unsigned()) });
                }
            }
            // SQLite ordered them as signed numbers.
            runs.sort_by_key(|run| run.seed);
            Ok(runs)
        })
    }

    /// Keeps a conclusion under a kind and a key, in place of an earlier one.
    pub fn put_record(&mut self, kind: &str, key: &str, body: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            connection
                .execute(
                    "INSERT INTO record (kind, key, body) VALUES (?1, ?2, ?3)
                     ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
                    [kind, key, body],
                )
                .map(drop)
        })
    }

    /// Drops a conclusion, if it is there.
    pub fn remove_record(&mut self, kind: &str, key: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute("DELETE FROM record WHERE kind = ?1 AND key = ?2", [kind, key]).map(drop)
        })
    }

    /// The conclusion under a kind and a key.
    pub fn record(&self, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        self.read(|connection| {
            connection
                .query_row("SELECT body FROM record WHERE kind = ?1 AND key = ?2", [kind, key], |row| row.get(0))
                .optional()
        })
    }

    /// All conclusions of a kind: key and body, by key.
    pub fn records(&self, kind: &str) -> Result<Vec<(String, String)>, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT key, body FROM record WHERE kind = ?1 ORDER BY key")?;
            select.query_map([kind], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    pub(crate) fn write<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let result = self
            .connection
            // Immediate: a transaction that starts by reading could not wait for another writer.
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .and_then(|transaction| {
                let value = work(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
        result.map_err(|source| self.database_error(source))
    }

    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&self.connection).map_err(|source| self.database_error(source))
    }

    fn database_error(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Database { path: self.folder.join(FILE), source }
    }
}

/// Whether SQLite says that the file is no database, or one that lost a part.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Gives the database another name; its log goes with it.
fn move_away(folder: &Folder, name: &str) -> Result<PathBuf, StoreError> {
    for end in ["", "-wal", "-shm"] {
        folder.rename(&format!("{FILE}{end}"), &format!("{name}{end}"))?;
    }
    Ok(folder.path().join(name))
}

fn connect(path: &Path) -> rusqlite::Result<(Connection, i64)> {
    // A link is refused here too: SQLite opens the file by its path.
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    write_ahead(&connection)?;
    // In write-ahead mode a killed process loses nothing with this; a power cut may lose the last batches, never more.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let found = schema::migrate(&mut connection)?;
    Ok((connection, found))
}

/// Turns the write-ahead log on. `busy_timeout` does not cover it: SQLite refuses at once when two processes that open a
/// new store both want the change, because neither would give way.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && began.elapsed() < BUSY => {
                thread::sleep(RETRY);
            }
            done => return done,
        }
    }
}
