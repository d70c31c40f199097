//! The store as a thing that grows: what it holds, how old that is, and what goes first.

use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::store::{SeriesId, Store};

const DAY_SECS: i64 = 24 * 60 * 60;

/// Runs of one age.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptRuns {
    /// Days since a command last used them.
    pub days: u64,
    /// How many.
    pub runs: usize,
    /// Numbers that they recorded: what most of the room is for.
    pub numbers: usize,
}

/// What a store holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreContents {
    /// Bytes of the database.
    pub bytes: u64,
    /// By age, the youngest first.
    pub runs: Vec<KeptRuns>,
    /// Conclusions: verdicts on mutants, proposals, what `temper replay` needs.
    pub records: usize,
}

impl Store {
    /// What the store holds.
    pub fn contents(&self) -> Result<StoreContents, StoreError> {
        self.read(|connection| {
            let mut select = connection.prepare(
                "SELECT (unixepoch() - series.used) / ?1, COUNT(DISTINCT run.series || ' ' || run.seed), COUNT(sample.position)
                 FROM series JOIN run ON run.series = series.id
                 LEFT JOIN sample ON sample.series = run.series AND sample.seed = run.seed
                 GROUP BY 1 ORDER BY 1",
            )?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok(KeptRuns { days: row.get::<_, i64>(0)?.max(0).cast_unsigned(), runs: row.get(1)?, numbers: row.get(2)? })
            };
            let runs = select.query_map([DAY_SECS], row)?.collect::<rusqlite::Result<_>>()?;
            let records = connection.query_row("SELECT COUNT(*) FROM record", [], |row| row.get(0))?;
            Ok(StoreContents { bytes: bytes(connection)?, runs, records })
        })
    }

    /// Notes that the runs of these series counted today.
    pub fn mark_used(&mut self, series: &[SeriesId]) -> Result<(), StoreError> {
        self.write(|connection| {
            let mut update = connection.prepare_cached("UPDATE series SET used = unixepoch() WHERE id = ?1")?;
            series.iter().try_for_each(|series| update.execute([series.number()]).map(drop))
        })
    }

    /// Drops the runs that no command has used for this many days; how many these were.
    pub fn drop_unused(&mut self, days: u64) -> Result<usize, StoreError> {
        let secs = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_SECS);
        let dropped = self.write(|connection| {
            let is_old = "unixepoch() - used >= ?1";
            let count = format!("SELECT COUNT(*) FROM run WHERE series IN (SELECT id FROM series WHERE {is_old})");
            let runs: usize = connection.query_row(&count, [secs], |row| row.get(0))?;
            connection.execute(&format!("DELETE FROM series WHERE {is_old}"), [secs])?;
            Ok(runs)
        })?;
        self.give_room_back()?;
        Ok(dropped)
    }

    /// Drops the runs that were used longest ago until the store is small enough; how many these were.
    pub fn keep_below(&mut self, limit: u64) -> Result<usize, StoreError> {
        let mut dropped = 0;
        while self.read(bytes)? > limit {
            // Some at a time: how much room they take shows only when they are gone.
            let gone = self.write(|connection| {
                let oldest = "SELECT id FROM series ORDER BY used, id LIMIT (SELECT COUNT(*) / 10 + 1 FROM series)";
                let count = format!("SELECT COUNT(*) FROM run WHERE series IN ({oldest})");
                let runs: usize = connection.query_row(&count, [], |row| row.get(0))?;
                let series = connection.execute(&format!("DELETE FROM series WHERE id IN ({oldest})"), [])?;
                Ok((series, runs))
            })?;
            self.give_room_back()?;
            dropped += gone.1;
            if gone.0 == 0 {
                break;
            }
        }
        Ok(dropped)
    }

    fn give_room_back(&mut self) -> Result<(), StoreError> {
        self.read(|connection| connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"))
    }
}

fn bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let pages: i64 = connection.query_row(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        params![],
        |row| row.get(0),
    )?;
    Ok(pages.cast_unsigned())
}
