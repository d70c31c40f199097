//! Filters of system calls, compiled for a policy and for the fences that stand next to them.
//!
//! A stopped call is told to the driver where that is possible (`SECCOMP_RET_USER_NOTIF`), which `seccompiler` has no word for:
//! programs are compiled with another action in its place. A program without a listener refuses what needs no look at a path.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::calls::{CallGroup, Decision, FencedCall, Stops, table};
use crate::wire::Value;
use crate::work::Policy;

/// Stands for the number of the process in the program of a sample; the same number is in `sandbox.py`.
const PLACE_OF_PID: u64 = 0x7ACE_7ACE;
/// From this number on, calls of the x32 form, which the table does not have.
const X32: u32 = 0x4000_0000;

/// The programs that a layer chooses from, once it knows which other fences stand; nothing on machines that
/// `seccompiler` does not know.
pub(crate) fn policy_programs(policy: &Policy) -> Option<Value> {
    use CallGroup::{Folders, Machine, Metadata, Net, Programs, Writes};
    let mut base = vec![Machine];
    base.extend((!policy.allow_net).then_some(Net));
    base.extend((!policy.allow_subprocess).then_some(Programs));
    let grade = |more: &[CallGroup]| {
        let groups = [base.as_slice(), more].concat();
        let told = told_program(&groups)?;
        let plain = plain_program(&groups)?;
        Some(Value::List(vec![Value::Bytes(told), Value::Bytes(plain)]))
    };
    let sample = if policy.allow_subprocess { Vec::new() } else { sample_program()? };
    Some(Value::map([
        ("fenced", grade(&[Writes, Metadata])?),
        ("bare", grade(&[Writes, Metadata, Folders])?),
        ("sample", Value::Bytes(sample)),
    ]))
}

/// Tells the driver of every stopped call.
fn told_program(groups: &[CallGroup]) -> Option<Vec<u8>> {
    let calls = table().filter(|(group, _)| groups.contains(group)).map(|(_, call)| call);
    let program = compile(rules(calls)?, SeccompAction::Trace(0))?;
    Some(bytes(program, |value| if value == libc::SECCOMP_RET_TRACE { libc::SECCOMP_RET_USER_NOTIF } else { value }))
}

/// Refuses by itself. Files that are opened for writing it cannot tell apart, so those are left to the other fences.
fn plain_program(groups: &[CallGroup]) -> Option<Vec<u8>> {
    let is_blind = |(group, call): &&(CallGroup, FencedCall)| {
        matches!(group, CallGroup::Writes | CallGroup::Folders) && !matches!(call.decision, Decision::Unknown)
    };
    let calls =
        table().filter(|(group, _)| groups.contains(group)).filter(|each| !is_blind(each)).map(|(_, call)| call);
    Some(bytes(compile(rules(calls)?, SeccompAction::Errno(libc::EPERM as u32))?, |value| value))
}

/// Refuses signals to other processes: the part that a layer needs for its children, and a sample does not.
fn sample_program() -> Option<Vec<u8>> {
    let others = || {
        let is_not = |value| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value).ok();
        Some(vec![SeccompRule::new(vec![is_not(0)?, is_not(PLACE_OF_PID)?]).ok()?])
    };
    let mut rules = BTreeMap::new();
    for number in
        [libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo]
    {
        rules.insert(number, others()?);
    }
    rules.insert(libc::SYS_pidfd_open, Vec::new());
    rules.insert(libc::SYS_pidfd_send_signal, Vec::new());
    Some(bytes(compile(rules, SeccompAction::Errno(libc::EPERM as u32))?, |value| value))
}

fn rules<'a>(calls: impl Iterator<Item = &'a FencedCall>) -> Option<BTreeMap<i64, Vec<SeccompRule>>> {
    calls.map(|call| Some((call.number, call_rules(call.stops)?))).collect()
}

/// Alternatives, each of one condition; none at all for a call that is stopped every time.
fn call_rules(stops: Stops) -> Option<Vec<SeccompRule>> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let flag = |flag: i32| (MaskedEq(flag as u64), flag as u64);
    let (argument, alternatives) = match stops {
        Stops::Always => return Some(Vec::new()),
        Stops::Masked(argument, mask, value) => (argument, vec![(MaskedEq(mask), value)]),
        Stops::OneOf(argument, values) => (argument, values.iter().map(|value| (Eq, *value)).collect()),
        Stops::NotZero(argument) => (argument, vec![(Ne, 0)]),
        Stops::Writing(argument) => {
            (argument, [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC].map(flag).to_vec())
        }
    };
    let rule = |(operator, value)| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).ok()?;
        SeccompRule::new(vec![condition]).ok()
    };
    alternatives.into_iter().map(rule).collect()
}

fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, on_match: SeccompAction) -> Option<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    SeccompFilter::new(rules, SeccompAction::Allow, on_match, arch).ok()?.try_into().ok()
}

/// The program as the kernel takes it, with other return values.
fn bytes(program: BpfProgram, change: impl Fn(u32) -> u32) -> Vec<u8> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IS_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let no_x32 = [
        step(LOAD, 0, 0, 0),
        step(IS_AT_LEAST, 0, 1, X32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
    ];
    let mut out = Vec::new();
    for sock_filter { code, jt, jf, k } in no_x32.into_iter().chain(program) {
        let k = if code == RETURN { change(k) } else { k };
        out.extend(code.to_le_bytes());
        out.extend([jt, jf]);
        out.extend(k.to_le_bytes());
    }
    out
}
