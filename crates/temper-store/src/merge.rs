//! Joins the runs and conclusions of another store into this one.
//!
//! A run belongs to what it depended on (key and trace) and its seed, wherever it was taken, so joining is adding what is
//! not there. Doing it twice, or in another order, gives the same: shards never take the same run, and a run that both
//! stores have is the same run.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use temper_files::{Folder, PrivateFolder};

use crate::error::StoreError;
use crate::schema;
use crate::store::{FILE, Store, is_damage};

/// What was joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Joined {
    /// Runs that the other store has.
    pub runs: usize,
    /// Those of them that were new here.
    pub new_runs: usize,
    /// Conclusions that were new here: verdicts on mutants, proposals, durations.
    pub new_records: usize,
}

/// Why a store was not joined; nothing of it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotJoined {
    /// There is none in the folder.
    Absent,
    /// Another version of Temper wrote it: its schema has this number, ours the other.
    OtherVersion(i64, i64),
    /// Its runs are of other environments: those of it, and those of the runs here.
    OtherEnvironment(Vec<String>, Vec<String>),
    /// It is damaged, or no store.
    Damaged(String),
}

/// Under this kind the store keeps the environments that its runs were taken in: interpreter and version.
const ENVIRONMENT: &str = "environment";

/// Conclusions of which one that is here stays: they may rest on more than those of the other store.
const JOIN: &str = "
    INSERT OR IGNORE INTO main.series (key, trace, subject, used)
        SELECT key, trace, subject, used FROM other.series ORDER BY id;
    CREATE TEMP TABLE new_run AS
        SELECT mine.id AS series, theirs.id AS origin, run.seed, run.outcome
        FROM other.run AS run
        JOIN other.series AS theirs ON theirs.id = run.series
        JOIN main.series AS mine ON mine.key = theirs.key AND mine.trace = theirs.trace
        WHERE NOT EXISTS (SELECT 1 FROM main.run AS known WHERE known.series = mine.id AND known.seed = run.seed);
    INSERT INTO main.run (series, seed, outcome) SELECT series, seed, outcome FROM new_run;
    INSERT INTO main.sample (series, seed, position, site, bits)
        SELECT new.series, new.seed, sample.position, sample.site, sample.bits
        FROM new_run AS new JOIN other.sample AS sample ON sample.series = new.origin AND sample.seed = new.seed;
";

impl Store {
    /// Notes that runs of this store are taken in an environment, such as `cpython 3.11.7`.
    pub fn put_environment(&mut self, environment: &str) -> Result<(), StoreError> {
        self.put_record(ENVIRONMENT, environment, "")
    }

    /// Joins the store in a `.temper/` folder into this one: all of it or, with the reason, nothing. The other store is left
    /// as it is.
    ///
    /// # Errors
    /// When this store or the file system fails.
    pub fn join(&mut self, folder: &Path) -> Result<Result<Joined, NotJoined>, StoreError> {
        let folder = Folder::open(folder)?;
        // Read from a copy: to read a store in write-ahead mode is to write next to it.
        let copies = PrivateFolder::create(&std::env::temp_dir())?;
        for end in ["", "-wal"] {
            let name = format!("{FILE}{end}");
            match folder.read(&name)? {
                Some(bytes) => copies.folder().write(&name, &bytes)?,
                None if end.is_empty() => return Ok(Err(NotJoined::Absent)),
                None => {}
            }
        }
        let path = copies.join(FILE);
        if let Err(reason) = self.fits(&path)? {
            return Ok(Err(reason));
        }
        self.attached(&path, |store| {
            let joined = store.write(|connection| {
                let count = |table: &str| {
                    connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get::<_, usize>(0))
                };
                connection.execute_batch(JOIN)?;
                let (runs, new_runs) = (count("other.run")?, count("new_run")?);
                connection.execute_batch("DROP TABLE new_run")?;
                let new_records = connection.execute(
                    "INSERT OR IGNORE INTO main.record (kind, key, body) SELECT kind, key, body FROM other.record",
                    [],
                )?;
                Ok(Joined { runs, new_runs, new_records })
            });
            match joined {
                Err(StoreError::Database { source, .. }) if is_damage(&source) => {
                    Ok(Err(NotJoined::Damaged(source.to_string())))
                }
                other => other.map(Ok),
            }
        })
    }

    /// Whether a store can be joined at all.
    fn fits(&self, path: &Path) -> Result<Result<(), NotJoined>, StoreError> {
        let found = (|| {
            let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            let other = Connection::open_with_flags(path, flags)?;
            let version: i64 = other.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            let whole: String = other.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            let environments = if version == schema::VERSION { environments(&other)? } else { Vec::new() };
            Ok((version, whole, environments))
        })();
        let (version, whole, theirs) = match found {
            Ok(found) => found,
            Err(error) => return Ok(Err(NotJoined::Damaged(rusqlite::Error::to_string(&error)))),
        };
        if whole != "ok" {
            return Ok(Err(NotJoined::Damaged(whole.lines().next().unwrap_or_default().to_owned())));
        }
        if version != schema::VERSION {
            return Ok(Err(NotJoined::OtherVersion(version, schema::VERSION)));
        }
        let ours = self.read(environments)?;
        let is_shared = ours.is_empty() || theirs.is_empty() || ours.iter().any(|each| theirs.contains(each));
        Ok(if is_shared { Ok(()) } else { Err(NotJoined::OtherEnvironment(theirs, ours)) })
    }

    /// Does something while another database is attached as `other`. Foreign keys are not looked up meanwhile: joining adds samples only
    /// with their runs, and runs only to their series, so that there is nothing to be found by looking each of them up again.
    fn attached<T>(
        &mut self,
        path: &Path,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let path = path.to_string_lossy().into_owned();
        self.read(|connection| {
            connection.execute("ATTACH DATABASE ?1 AS other", [path])?;
            connection.execute_batch("PRAGMA foreign_keys = OFF")
        })?;
        let result = work(self);
        // The keys first: dropping series relies on them, also if the other database cannot be let go.
        self.read(|connection| connection.execute_batch("PRAGMA foreign_keys = ON; DETACH DATABASE other"))?;
        result
    }
}

fn environments(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare("SELECT key FROM record WHERE kind = ?1 ORDER BY key")?;
    select.query_map([ENVIRONMENT], |row| row.get(0))?.collect()
}
