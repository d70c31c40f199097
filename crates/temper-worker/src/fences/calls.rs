//! The system calls that contained code may not make, or not everywhere: one table, from which the filters are compiled and
//! by which the driver decides.

use nix::libc;

/// When a call is stopped. A filter sees numbers, and follows no pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stops {
    /// Every time.
    Always,
    /// If the argument, under this mask, is this value.
    Masked(u8, u64, u64),
    /// If the argument is not zero.
    NotZero(u8),
    /// If the argument is one of these.
    OneOf(u8, &'static [u64]),
    /// If the flags in this argument ask for writing.
    Writing(u8),
}

/// What the driver does with a call that was stopped.
#[derive(Debug, Clone, Copy)]
pub(super) enum Decision {
    /// Refuses it.
    Refuse,
    /// Refuses it. A local socket is not noted: the C library asks for one whenever it looks a user up.
    RefuseSocket,
    /// Says that there is no such call, so that libraries take another way.
    Unknown,
    /// Lets it go on if every file it is about may be written.
    ByFile(&'static [FileArgument]),
    /// Lets it go on if the thread in this argument is the caller's own.
    ByTask(u8),
}

/// The arguments of a call that name a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum FileArgument {
    /// A path, relative to the current folder.
    Path(u8, LastLink),
    /// A descriptor of a folder, and a path relative to it. Without a path the descriptor itself is meant.
    At(u8, u8, LastLink),
    /// An open file.
    Descriptor(u8),
}

/// Whether a link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    Followed,
    Kept,
    /// Kept if the flags in this argument say so (`AT_SYMLINK_NOFOLLOW`).
    ByFlag(u8),
}

/// One call of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct FencedCall {
    pub(super) number: i64,
    /// The kind of refusal that it makes.
    pub(super) kind: &'static str,
    pub(super) stops: Stops,
    pub(super) decision: Decision,
}

/// Calls that belong together: policies and fences differ in which groups are stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallGroup {
    /// Never needed by code that computes.
    Machine,
    /// Connections, unless allowed.
    Net,
    /// Programs, unless processes are allowed.
    Programs,
    /// Files that are opened for writing, links, devices. Refused by other fences too: here the driver learns their paths.
    Writes,
    /// Modes, owners, times and attributes. Landlock leaves them open.
    Metadata,
    /// Every other change of folders, if nothing else stands in the way.
    Folders,
}

use CallGroup::{Folders, Machine, Metadata, Net, Programs, Writes};
use Decision::{ByFile, ByTask, Refuse, RefuseSocket, Unknown};
use FileArgument::{At, Descriptor, Path};
use LastLink::{ByFlag, Followed, Kept};
use Stops::{Always, Masked, NotZero, OneOf, Writing};

/// Stream sockets of `socketpair` reach nothing but each other; datagrams can be sent anywhere.
const DATAGRAMS: Stops = Masked(1, 0xf, libc::SOCK_DGRAM as u64);
const NEW_USER: Stops = Masked(0, libc::CLONE_NEWUSER as u64, libc::CLONE_NEWUSER as u64);
/// Requests that change the attributes of a file which is open for reading only (`FS_IOC_SETFLAGS`, `FS_IOC_FSSETXATTR`).
const CHANGED_ATTRIBUTES: Stops = OneOf(1, &[0x4008_6602, 0x401c_5820]);
/// `fchmodat2`, which not every version of the constants has.
const FCHMODAT2: i64 = 452;

const fn call(
    group: CallGroup,
    number: i64,
    kind: &'static str,
    stops: Stops,
    decision: Decision,
) -> (CallGroup, FencedCall) {
    (group, FencedCall { number, kind, stops, decision })
}

const fn file(group: CallGroup, number: i64, files: &'static [FileArgument]) -> (CallGroup, FencedCall) {
    let kind = if matches!(group, Metadata) { "metadata" } else { "write" };
    call(group, number, kind, Always, ByFile(files))
}

const fn refused(group: CallGroup, number: i64, kind: &'static str) -> (CallGroup, FencedCall) {
    call(group, number, kind, Always, Refuse)
}

/// The calls of every architecture.
static COMMON: &[(CallGroup, FencedCall)] = &[
    call(Net, libc::SYS_socket, "net", Always, RefuseSocket),
    call(Net, libc::SYS_socketpair, "net", DATAGRAMS, Refuse),
    refused(Net, libc::SYS_connect, "net"),
    refused(Net, libc::SYS_bind, "net"),
    refused(Net, libc::SYS_listen, "net"),
    refused(Programs, libc::SYS_execve, "subprocess"),
    refused(Programs, libc::SYS_execveat, "subprocess"),
    refused(Machine, libc::SYS_ptrace, "process"),
    refused(Machine, libc::SYS_process_vm_readv, "process"),
    refused(Machine, libc::SYS_process_vm_writev, "process"),
    refused(Machine, libc::SYS_process_madvise, "process"),
    refused(Machine, libc::SYS_pidfd_getfd, "process"),
    refused(Machine, libc::SYS_kcmp, "process"),
    call(Machine, libc::SYS_prlimit64, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_setpriority, "process", NotZero(1), ByTask(1)),
    call(Machine, libc::SYS_ioprio_set, "process", NotZero(1), ByTask(1)),
    call(Machine, libc::SYS_sched_setaffinity, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_sched_setscheduler, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_sched_setparam, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_sched_setattr, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_migrate_pages, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_move_pages, "process", NotZero(0), ByTask(0)),
    call(Machine, libc::SYS_io_uring_setup, "system", Always, Unknown),
    call(Machine, libc::SYS_io_uring_enter, "system", Always, Unknown),
    call(Machine, libc::SYS_io_uring_register, "system", Always, Unknown),
    refused(Machine, libc::SYS_keyctl, "system"),
    refused(Machine, libc::SYS_add_key, "system"),
    refused(Machine, libc::SYS_request_key, "system"),
    refused(Machine, libc::SYS_bpf, "system"),
    refused(Machine, libc::SYS_perf_event_open, "system"),
    refused(Machine, libc::SYS_userfaultfd, "system"),
    refused(Machine, libc::SYS_open_by_handle_at, "system"),
    refused(Machine, libc::SYS_mount, "system"),
    refused(Machine, libc::SYS_umount2, "system"),
    refused(Machine, libc::SYS_mount_setattr, "system"),
    refused(Machine, libc::SYS_move_mount, "system"),
    refused(Machine, libc::SYS_open_tree, "system"),
    refused(Machine, libc::SYS_fsopen, "system"),
    refused(Machine, libc::SYS_pivot_root, "system"),
    refused(Machine, libc::SYS_chroot, "system"),
    refused(Machine, libc::SYS_unshare, "system"),
    refused(Machine, libc::SYS_setns, "system"),
    call(Machine, libc::SYS_clone, "system", NEW_USER, Refuse),
    refused(Machine, libc::SYS_shmget, "memory"),
    refused(Machine, libc::SYS_shmat, "memory"),
    refused(Machine, libc::SYS_shmctl, "memory"),
    refused(Machine, libc::SYS_semget, "memory"),
    refused(Machine, libc::SYS_semctl, "memory"),
    refused(Machine, libc::SYS_semop, "memory"),
    refused(Machine, libc::SYS_semtimedop, "memory"),
    refused(Machine, libc::SYS_msgget, "memory"),
    refused(Machine, libc::SYS_msgctl, "memory"),
    refused(Machine, libc::SYS_msgsnd, "memory"),
    refused(Machine, libc::SYS_msgrcv, "memory"),
    refused(Machine, libc::SYS_mq_open, "memory"),
    refused(Machine, libc::SYS_mq_unlink, "memory"),
    call(Writes, libc::SYS_openat, "write", Writing(2), ByFile(&[At(0, 1, Followed)])),
    call(Writes, libc::SYS_openat2, "write", Always, Unknown),
    file(Writes, libc::SYS_linkat, &[At(0, 1, Kept), At(2, 3, Kept)]),
    file(Writes, libc::SYS_mknodat, &[At(0, 1, Kept)]),
    file(Writes, libc::SYS_truncate, &[Path(0, Followed)]),
    file(Writes, libc::SYS_renameat, &[At(0, 1, Kept), At(2, 3, Kept)]),
    file(Writes, libc::SYS_renameat2, &[At(0, 1, Kept), At(2, 3, Kept)]),
    file(Metadata, libc::SYS_fchmod, &[Descriptor(0)]),
    file(Metadata, libc::SYS_fchmodat, &[At(0, 1, Followed)]),
    file(Metadata, FCHMODAT2, &[At(0, 1, ByFlag(3))]),
    file(Metadata, libc::SYS_fchown, &[Descriptor(0)]),
    file(Metadata, libc::SYS_fchownat, &[At(0, 1, ByFlag(4))]),
    file(Metadata, libc::SYS_utimensat, &[At(0, 1, ByFlag(3))]),
    file(Metadata, libc::SYS_setxattr, &[Path(0, Followed)]),
    file(Metadata, libc::SYS_lsetxattr, &[Path(0, Kept)]),
    file(Metadata, libc::SYS_fsetxattr, &[Descriptor(0)]),
    file(Metadata, libc::SYS_removexattr, &[Path(0, Followed)]),
    file(Metadata, libc::SYS_lremovexattr, &[Path(0, Kept)]),
    file(Metadata, libc::SYS_fremovexattr, &[Descriptor(0)]),
    call(Metadata, libc::SYS_ioctl, "metadata", CHANGED_ATTRIBUTES, ByFile(&[Descriptor(0)])),
    file(Folders, libc::SYS_unlinkat, &[At(0, 1, Kept)]),
    file(Folders, libc::SYS_mkdirat, &[At(0, 1, Kept)]),
    file(Folders, libc::SYS_symlinkat, &[At(1, 2, Kept)]),
];

/// The older forms that this architecture still has.
#[cfg(target_arch = "x86_64")]
static OLDER: &[(CallGroup, FencedCall)] = &[
    call(Writes, libc::SYS_open, "write", Writing(1), ByFile(&[Path(0, Followed)])),
    file(Writes, libc::SYS_creat, &[Path(0, Followed)]),
    file(Writes, libc::SYS_link, &[Path(0, Kept), Path(1, Kept)]),
    file(Writes, libc::SYS_mknod, &[Path(0, Kept)]),
    file(Writes, libc::SYS_rename, &[Path(0, Kept), Path(1, Kept)]),
    file(Metadata, libc::SYS_chmod, &[Path(0, Followed)]),
    file(Metadata, libc::SYS_chown, &[Path(0, Followed)]),
    file(Metadata, libc::SYS_lchown, &[Path(0, Kept)]),
    file(Metadata, libc::SYS_utime, &[Path(0, Followed)]),
    file(Metadata, libc::SYS_utimes, &[Path(0, Followed)]),
    file(Metadata, libc::SYS_futimesat, &[At(0, 1, Followed)]),
    file(Folders, libc::SYS_unlink, &[Path(0, Kept)]),
    file(Folders, libc::SYS_rmdir, &[Path(0, Kept)]),
    file(Folders, libc::SYS_mkdir, &[Path(0, Kept)]),
    file(Folders, libc::SYS_symlink, &[Path(1, Kept)]),
];
#[cfg(not(target_arch = "x86_64"))]
static OLDER: &[(CallGroup, FencedCall)] = &[];

/// All calls of the table.
pub(super) fn table() -> impl Iterator<Item = &'static (CallGroup, FencedCall)> {
    COMMON.iter().chain(OLDER)
}

/// The call of this number.
pub(super) fn fenced_call(number: i64) -> Option<&'static FencedCall> {
    table().map(|(_, call)| call).find(|call| call.number == number)
}
