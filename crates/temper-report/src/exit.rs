//! The exit codes that a script may rely on.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for was done, and nothing was found.
    Clean,
    /// Something worth the user's time was found.
    Findings,
    /// The command line or the configuration is wrong.
    Usage,
    /// The project's own tests fail, or cannot be collected.
    TestsFail,
    /// Nothing could be decided: no file could be read, the budget ended, the harness failed.
    Inconclusive,
    /// There was nothing to do.
    Nothing,
    /// A bug in Temper.
    Internal,
    /// Ctrl-C or a termination signal; what was done until then is printed.
    Interrupted,
}

impl Exit {
    /// The number given to the operating system.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::TestsFail => 3,
            Exit::Inconclusive => 4,
            Exit::Nothing => 5,
            Exit::Internal => 70,
            Exit::Interrupted => 130,
        }
    }
}
