//! Starts the worker processes of a command, with the project's interpreter and the settings in force.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use temper_files::PrivateFolder;
use temper_report::Exit;
use temper_worker::{Cancel, Cluster, ClusterError, ClusterSettings, Driver, WorkerError};

use crate::commands::CommandContext;
use crate::fault;
use crate::interpreter::Interpreter;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// Starts them, one slot for each job of the settings; they end when the driver is dropped, or at once when the user asks
/// to stop.
pub fn start(context: &CommandContext<'_>, interrupt: &Interrupt) -> Result<(Driver, Interpreter), Failure> {
    start_slots(context, interrupt, context.settings.jobs)
}

/// Starts them with this many slots.
pub fn start_slots(
    context: &CommandContext<'_>,
    interrupt: &Interrupt,
    slots: NonZeroUsize,
) -> Result<(Driver, Interpreter), Failure> {
    let python = context.interpreter()?.ok_or_else(|| {
        Message::error("there is no Python to run the project with")
            .hint("name one with `--python PATH`")
            .ends(Exit::Usage)
    })?;
    let package_dir = context.package_dir.clone().ok_or_else(|| {
        Message::error("the Python half of Temper is not next to this program")
            .hint("start it as `temper` or `python -m temper` from the environment it is installed in")
            .ends(Exit::Usage)
    })?;
    let mut settings = temper_worker::Settings::new(python.path.clone(), package_dir, std::env::temp_dir());
    settings.env = std::env::vars_os().collect();
    settings.slots = slots;
    settings.fences = fault::fences();
    match Driver::start(settings, Cancel::from(interrupt.flag())) {
        Ok(driver) => Ok((driver, python)),
        Err(error) => {
            let is_users = matches!(error, WorkerError::Start { .. } | WorkerError::NotReady { .. });
            let exit = if is_users { Exit::Inconclusive } else { Exit::Internal };
            Err(failure("the workers did not start", &python, &error.to_string(), exit))
        }
    }
}

/// Has the work done by the cluster of the settings, if they name one. The project is then only loaded here.
pub fn work_elsewhere(context: &CommandContext<'_>, driver: &mut Driver, python: &Interpreter) -> Result<(), Failure> {
    let Some(address) = &context.settings.cluster else { return Ok(()) };
    let settings = ClusterSettings {
        python: python.path.clone(),
        package_dir: context.package_dir.clone().unwrap_or_default(),
        address: address.clone(),
        root: context.root.clone(),
        variables: variables_for_others(),
    };
    let cluster = Cluster::connect(&settings).map_err(|error| no_cluster(&error, python))?;
    let (slots, workers) = cluster.size();
    let many = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    Stderr::new(context.common.quiet).note(&format!(
        "cluster: {} on {}",
        many(slots, "run") + " at a time",
        many(workers, "worker")
    ));
    driver.work_on(cluster);
    Ok(())
}

/// The message for a cluster that cannot do the work.
pub fn no_cluster(error: &ClusterError, python: &Interpreter) -> Failure {
    match error {
        ClusterError::Missing => Message::error("work on a Dask cluster needs the package `distributed`")
            .fact(format!("python: {}", python.shown))
            .hint(format!("{} -m pip install 'temper-ml[dask]'", python.path.display()))
            .ends(Exit::Usage),
        ClusterError::Unfit(differences) => {
            let message = Message::error("the workers of the cluster would give other numbers than this machine");
            let shown = differences.iter().take(10).fold(message, |message, line| message.fact(line));
            shown.hint("install there what is installed here").ends(Exit::Usage)
        }
        ClusterError::Unreachable(said) | ClusterError::Broken(said) => {
            Message::error("the cluster cannot be used").fact(said).ends(Exit::Usage)
        }
    }
}

/// Environment variables of this machine that tests may read, without those that say where things lie on it, who uses it, and
/// how its libraries are loaded.
fn variables_for_others() -> BTreeMap<String, String> {
    const PLACES: [&str; 20] = [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "SHELL",
        "USER",
        "LOGNAME",
        "TERM",
        "TMPDIR",
        "TMP",
        "TEMP",
        "HOSTNAME",
        "DISPLAY",
        "MAIL",
        "SHLVL",
        "VIRTUAL_ENV",
        "_",
        "EDITOR",
        "PAGER",
        "LS_COLORS",
    ];
    const STARTS: [&str; 11] =
        ["LD_", "DYLD_", "PYTHON", "CONDA", "PYENV_", "SSH_", "XDG_", "DBUS_", "DASK_", "TEMPER_", "SLURM_"];
    let is_sent =
        |name: &String| !PLACES.contains(&name.as_str()) && !STARTS.iter().any(|start| name.starts_with(start));
    let named =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    named.filter(|(name, _)| is_sent(name)).collect()
}

/// Starts them for code that is to be contained, and says once which fences it will not have around it.
pub fn start_fenced(
    context: &CommandContext<'_>,
    interrupt: &Interrupt,
    slots: NonZeroUsize,
) -> Result<(Driver, Interpreter), Failure> {
    let (mut driver, python) = start_slots(context, interrupt, slots)?;
    fence(context, &mut driver, &python)?;
    Ok((driver, python))
}

/// Says which fences are missing; an error if the user wants all of them.
pub fn fence(context: &CommandContext<'_>, driver: &mut Driver, python: &Interpreter) -> Result<(), Failure> {
    let fences = match driver.fences() {
        Ok(fences) => fences,
        // Whatever is done next ends in the same way, and says so in its own words.
        Err(WorkerError::Cancelled) => return Ok(()),
        Err(error) => return Err(failure("the workers failed", python, &error.to_string(), Exit::Inconclusive)),
    };
    let missing = fences.missing().join(", ");
    if missing.is_empty() {
        return Ok(());
    }
    if context.common.require_fences {
        return Err(Message::error(format!("fences are missing on this machine: {missing}"))
            .hint("allow them in its kernel or container, or leave `--require-fences` out")
            .ends(Exit::Inconclusive));
    }
    Stderr::new(context.common.quiet).note(&format!(
        "fences: this machine has no {missing}; less is kept from code that is checked, see SECURITY.md"
    ));
    Ok(())
}

/// A folder for what workers hand to each other, gone when it is dropped.
pub fn scratch() -> Result<PrivateFolder, Failure> {
    PrivateFolder::create(&std::env::temp_dir()).map_err(|error| {
        Message::error("there is no place for temporary files").fact(error.to_string()).ends(Exit::Inconclusive)
    })
}

/// The message for workers that failed: what their interpreter is, and the first lines of what they said.
pub fn failure(headline: &str, python: &Interpreter, said: &str, exit: Exit) -> Failure {
    let message = Message::error(headline).fact(format!("python: {}", python.shown));
    said.lines().take(12).fold(message, |message, line| message.fact(line)).ends(exit)
}
