//! The other end: does pieces of work that come on standard input, one after the other, in a copy of the project.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::relocate::{Relocate, Relocation};
use super::{RemoteAnswer, RemotePiece, frames};
use crate::dispatch::Flow;
use crate::driver::Driver;
use crate::error::WorkerError;
use crate::report::Report;
use crate::work::Task;

/// Where the copy and the libraries lie, and on which kind of machine.
pub struct ServePlace<'a> {
    /// The copy of the project.
    pub root: &'a Path,
    /// `sys.prefix` of its interpreter.
    pub prefix: &'a Path,
    /// The kind of machine, which reports carry.
    pub machine: &'a str,
}

/// Does what comes until the input ends.
///
/// # Errors
/// When the other side cannot be understood or reached, or the workers cannot be started again.
pub fn serve(
    mut driver: Driver,
    place: &ServePlace<'_>,
    mut input: impl Read,
    mut output: impl Write,
) -> Result<(), WorkerError> {
    let refused = |action| move |source| WorkerError::System { action, source };
    let mut is_warm = false;
    while let Some(bytes) = frames::read(&mut input).map_err(refused("to read a piece of work"))? {
        let asked: RemotePiece = postcard::from_bytes(&bytes).map_err(|_| WorkerError::Protocol { field: "piece" })?;
        let answer = answer(&mut driver, place, asked, &mut is_warm)?;
        let bytes = postcard::to_allocvec(&answer).map_err(|_| WorkerError::Protocol { field: "report" })?;
        frames::write(&mut output, &[&bytes]).map_err(refused("to write a report"))?;
    }
    Ok(())
}

fn answer(
    driver: &mut Driver,
    place: &ServePlace<'_>,
    asked: RemotePiece,
    is_warm: &mut bool,
) -> Result<RemoteAnswer, WorkerError> {
    let RemotePiece { root, prefix, mut layer, mut piece } = asked;
    let here = Relocation::new([(root.as_path(), place.root), (prefix.as_path(), place.prefix)]);
    layer.relocate(&here);
    piece.relocate(&here);
    let layer = Arc::new(layer);
    if !*is_warm {
        // Third-party modules are imported once; whether the project loads is the affair of the piece itself.
        *is_warm = driver.warm(&layer)?.is_ok();
    }
    match run_one(driver, Task { layer, pieces: vec![piece] }) {
        Ok(Some(mut report)) => {
            report.relocate(&here.back());
            report.machine = Some(place.machine.to_owned());
            Ok(RemoteAnswer::Report(Box::new(report)))
        }
        Ok(None) => Ok(RemoteAnswer::Failed("the piece of work gave no report".to_owned())),
        Err(WorkerError::Cancelled) => Err(WorkerError::Cancelled),
        Err(error) => Ok(RemoteAnswer::Failed(error.to_string())),
    }
}

fn run_one(driver: &mut Driver, task: Task) -> Result<Option<Report>, WorkerError> {
    let mut found = None;
    driver.run([task], |report| {
        found = Some(report);
        Flow::Continue
    })?;
    Ok(found)
}
