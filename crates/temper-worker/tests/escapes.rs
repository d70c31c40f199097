//! Attempts to reach what is outside scratch, behind each set of fences. What an attempt did is seen from outside: files and
//! their metadata, listeners, another process, what is left in the kernel. The table in docs/reference/escapes.md is made from this.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "what an attempt did is told where the test fails")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::{env, fs};

use support::*;
use temper_worker::*;

const SETS: [(&str, FenceSet); 5] = [
    ("all", FenceSet::ALL),
    ("no namespaces", FenceSet { namespaces: false, ..FenceSet::ALL }),
    ("no Landlock", FenceSet { landlock: false, ..FenceSet::ALL }),
    ("filter only", FenceSet { filter: true, ..FenceSet::NONE }),
    ("hook only", FenceSet::NONE),
];

/// Attempts that would change the machine of the test for good, if root makes them without a fence.
const NOT_TRIED_BARE: [&str; 4] = ["c_chroot", "c_mount", "c_remount", "c_unmount"];

/// Attempts whose effect cannot be seen from outside: they tell of it themselves, by a number that is not negative.
const TOLD: [&str; 6] =
    ["c_ring", "left_message_queue", "other_c_io_priority", "other_c_memory", "other_c_trace", "other_c_write_memory"];

/// What could be reached.
struct Victims {
    folder: PathBuf,
    tcp: TcpListener,
    tcp6: Option<TcpListener>,
    udp: UdpSocket,
    stream: UnixListener,
    datagram: UnixDatagram,
    hidden: UnixListener,
    name: String,
    process: Child,
}

impl Victims {
    fn new(folder: PathBuf) -> Self {
        let sockets = folder.with_extension("sockets");
        fs::create_dir_all(&sockets).unwrap();
        let name = format!("temper-escape-{}", folder.display());
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let tcp6 = TcpListener::bind("[::1]:0").ok();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let stream = UnixListener::bind(sockets.join("stream")).unwrap();
        let datagram = UnixDatagram::bind(sockets.join("datagram")).unwrap();
        let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        tcp.set_nonblocking(true).unwrap();
        if let Some(tcp6) = &tcp6 {
            tcp6.set_nonblocking(true).unwrap();
        }
        udp.set_nonblocking(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        datagram.set_nonblocking(true).unwrap();
        hidden.set_nonblocking(true).unwrap();
        make_folder(&folder);
        let process = sleeper(&folder);
        Self { folder, tcp, tcp6, udp, stream, datagram, hidden, name, process }
    }

    fn place(&self) -> Value {
        let sockets = self.folder.with_extension("sockets");
        let tcp6 = self.tcp6.as_ref().map_or(9, |tcp6| tcp6.local_addr().unwrap().port());
        Value::map([
            ("outside", Value::from_path(&self.folder)),
            ("tcp", u64::from(self.tcp.local_addr().unwrap().port()).into()),
            ("tcp6", u64::from(tcp6).into()),
            ("udp", u64::from(self.udp.local_addr().unwrap().port()).into()),
            ("stream", Value::from_path(&sockets.join("stream"))),
            ("datagram", Value::from_path(&sockets.join("datagram"))),
            ("abstract", self.name.as_str().into()),
            ("pid", u64::from(self.process.id()).into()),
        ])
    }

    fn visitors(&self) -> usize {
        let mut bytes = [0; 16];
        let mut count = 0;
        while self.tcp.accept().is_ok()
            || self.tcp6.as_ref().is_some_and(|tcp6| tcp6.accept().is_ok())
            || self.udp.recv(&mut bytes).is_ok()
            || self.stream.accept().is_ok()
            || self.datagram.recv(&mut bytes).is_ok()
            || self.hidden.accept().is_ok()
        {
            count += 1;
        }
        count
    }

    fn process_state(&self) -> Option<String> {
        let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.process.id())).unwrap_or_default();
        let stat = read("stat");
        let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
        // State, nice value and scheduling policy.
        let (state, nice, policy) = (fields.first()?, fields.get(16)?, fields.get(38)?);
        let status = read("status");
        let allowed = status.lines().find(|line| line.starts_with("Cpus_allowed:"))?;
        let state = if matches!(*state, "S" | "R") { "alive" } else { state };
        Some(format!("{state} {nice} {policy} {allowed} {} {}", read("limits"), read("oom_score_adj")))
    }

    /// Everything as it was at first.
    fn restore(&mut self) {
        let kept = self.folder.join("kept");
        // One attempt sets a flag that not even root gets past.
        let _ = Command::new("chattr").arg("-i").arg(&kept).stderr(Stdio::null()).status();
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let _ = fs::remove_dir_all(&self.folder);
        make_folder(&self.folder);
        self.process = sleeper(&self.folder);
    }
}

impl Drop for Victims {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn make_folder(folder: &Path) {
    fs::create_dir_all(folder.join("folder")).unwrap();
    fs::create_dir_all(folder.join("empty")).unwrap();
    fs::write(folder.join("kept"), "precious").unwrap();
    fs::write(folder.join("folder/inner"), "also precious").unwrap();
    let mark = "import os, sys\nos.setxattr(sys.argv[1], 'user.mark', b'1')";
    // Not every file system has attributes.
    let _ = Command::new(python()).args(["-c", mark]).arg(folder.join("kept")).stderr(Stdio::null()).status();
}

fn sleeper(folder: &Path) -> Child {
    Command::new("sleep").arg("100000").current_dir(folder).process_group(0).spawn().unwrap()
}

/// Content, and everything else that the file system keeps of a file.
type Files = BTreeMap<PathBuf, (Vec<u8>, [i64; 8])>;

fn files_below(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut paths = vec![folder.to_path_buf()];
    while let Some(path) = paths.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        // A pipe would wait for a writer.
        let content = if meta.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let owner = i64::from(meta.uid()) << 32 | i64::from(meta.gid());
        let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
        let rest = [meta.ino() as i64, i64::from(meta.mode()), owner, meta.nlink() as i64];
        found.insert(path, (content, [rest, times].concat().try_into().unwrap()));
    }
    found
}

fn is_left_behind() -> bool {
    let files =
        ["shm", "sem", "msg"].map(|name| fs::read_to_string(format!("/proc/sysvipc/{name}")).unwrap_or_default());
    let has_key = files.iter().any(|text| text.lines().any(|line| line.split_whitespace().next() == Some("2019")));
    let names = ["temper_escape", "sem.temper_escape"];
    has_key || names.iter().any(|name| Path::new("/dev/shm").join(name).exists())
}

fn clear_kernel() {
    for (kind, option) in [("shm", "-M"), ("sem", "-S"), ("msg", "-Q")] {
        let _ = (kind, Command::new("ipcrm").args([option, "2019"]).stderr(Stdio::null()).status());
    }
    for name in ["temper_escape", "sem.temper_escape"] {
        let _ = fs::remove_file(Path::new("/dev/shm").join(name));
    }
}

/// As for checked functions, but everything may be read: attempts on open files must get that far.
fn policy() -> Policy {
    Policy { sight: Sight::Everything, ..Policy::scratch_only() }
}

struct Suite {
    project: Project,
    driver: Driver,
    layer: Arc<LayerSpec>,
    victims: Victims,
}

impl Suite {
    /// A suite behind these fences; nothing if the machine has not all of them.
    fn new(fences: FenceSet, policy: Policy) -> Option<Self> {
        let project = Project::new("escapes");
        let mut settings = project.settings();
        settings.fences = fences;
        let mut driver = Driver::start(settings, Cancel::new()).unwrap();
        if driver.fences().unwrap() != fences {
            return None;
        }
        let layer = Arc::new(project.modules(&["escapes"], policy));
        let victims = Victims::new(project.outside("outside"));
        Some(Self { project, driver, layer, victims })
    }

    fn call(&mut self, function: &str, arguments: Vec<Value>) -> Report {
        let call = Call { arguments, keywords: Vec::new(), seed: 0 };
        let work = Work::Calls { module: "escapes".to_owned(), function: function.to_owned(), calls: vec![call] };
        run_one(&mut self.driver, &self.layer, Piece::new(work, 0, limits()))
    }

    fn names(&mut self) -> Vec<String> {
        let report = self.call("names", Vec::new());
        let [CallResult::Returned(names)] = report.calls.as_slice() else { panic!("{:?}", report.outcome) };
        names.as_list().unwrap().iter().filter_map(Value::to_text).collect()
    }

    /// What an attempt did; nothing if it did nothing.
    fn damage(&mut self, name: &str) -> Option<&'static str> {
        let before = (files_below(&self.victims.folder), self.victims.process_state());
        let report = self.call("attempt", vec![name.into(), self.victims.place()]);
        let after = (files_below(&self.victims.folder), self.victims.process_state());
        let contents =
            |files: &Files| files.iter().map(|(path, (text, _))| (path.clone(), text.clone())).collect::<Vec<_>>();
        let answer = match report.calls.as_slice() {
            [CallResult::Returned(answer)] => answer.to_text().unwrap_or_default(),
            _ => String::new(),
        };
        let is_told = TOLD.contains(&name) && answer.parse::<i64>().is_ok_and(|number| number >= 0);
        let damage = if contents(&before.0) != contents(&after.0) {
            Some("content")
        } else if before.0 != after.0 {
            Some("metadata")
        } else if self.victims.visitors() > 0 {
            Some("connection")
        } else if before.1 != after.1 || report.outcome != Outcome::Called {
            Some("process")
        } else if is_left_behind() {
            Some("left behind")
        } else if is_told {
            Some("done")
        } else {
            None
        };
        if damage.is_some() {
            println!("{name}: {damage:?} {answer} {:?}", report.containment);
            self.victims.restore();
            clear_kernel();
        }
        damage
    }
}

#[test]
fn no_attempt_gets_past_all_fences_and_the_rest_is_as_documented() {
    let mut columns: Vec<(&str, BTreeMap<String, Option<&'static str>>)> = Vec::new();
    let mut order = Vec::new();
    for (title, fences) in SETS {
        let Some(mut suite) = Suite::new(fences, policy()) else {
            eprintln!("this machine cannot have the set of fences `{title}`: it was not tried");
            continue;
        };
        order = suite.names();
        assert!(order.len() >= 100);
        let is_tried = |name: &&String| fences != FenceSet::NONE || !NOT_TRIED_BARE.contains(&name.as_str());
        columns.push((title, order.iter().filter(is_tried).map(|name| (name.clone(), suite.damage(name))).collect()));
        assert!(processes_of(&suite.project.scratch()).len() <= 4);
    }
    if let Some((_, all)) = columns.iter().find(|(title, _)| *title == "all") {
        let got_past: Vec<_> = all.iter().filter(|(_, damage)| damage.is_some()).collect();
        assert_eq!(got_past, Vec::new());
    }
    if columns.len() == SETS.len() {
        compare(&table(&order, &columns));
    }
}

#[test]
fn no_mutant_gets_past_all_fences() {
    let Some(mut suite) = Suite::new(FenceSet::ALL, Policy::contained()) else {
        eprintln!("this machine has not all fences: mutants were not tried");
        return;
    };
    for name in suite.names() {
        assert_eq!(suite.damage(&name), None, "{name}");
    }
}

/// One row an attempt that gets past some set; the others are counted.
fn table(order: &[String], columns: &[(&str, BTreeMap<String, Option<&'static str>>)]) -> String {
    let mut out = String::from("| Attempt |");
    for (title, _) in columns {
        write!(out, " {title} |").unwrap();
    }
    out += "\n|---|";
    out += &"---|".repeat(columns.len());
    out += "\n| all together |";
    for (_, results) in columns {
        let count = results.values().flatten().count();
        write!(out, " {count} of {} |", results.len()).unwrap();
    }
    out += "\n";
    for name in order {
        let cells: Vec<_> = columns.iter().map(|(_, results)| results.get(name).copied().flatten()).collect();
        if cells.iter().any(Option::is_some) {
            write!(out, "| `{name}` |").unwrap();
            for cell in cells {
                write!(out, " {} |", cell.unwrap_or("-")).unwrap();
            }
            out += "\n";
        }
    }
    out
}

/// The table of the documentation is this one; `TEMPER_UPDATE_DOCS` writes it there.
fn compare(table: &str) {
    const MARKS: [&str; 2] = ["<!-- made by `cargo test -p temper-worker --test escapes` -->\n", "<!-- end -->\n"];
    let path = repository().join("docs/reference/escapes.md");
    let text = fs::read_to_string(&path).unwrap();
    let [(start, first), (end, _)] = MARKS.map(|mark| (text.find(mark).unwrap(), mark));
    let start = start + first.len();
    if env::var_os("TEMPER_UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{}\n{table}\n{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    assert_eq!(text[start..end].trim(), table.trim(), "run the test with TEMPER_UPDATE_DOCS=1");
}
