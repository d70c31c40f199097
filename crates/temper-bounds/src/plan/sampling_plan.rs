//! Which tests are sampled, and the edits that let them be: from what pytest collected and what the files show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use temper_source::{
    Analysis, ContentHash, Direction, EditSet, Form, OwnerKind, Site, SourceError, SourceFile, analyse, imports,
    imports_a_test_library, is_named_for_tests, read,
};
use temper_stats::bound::Range;
use temper_worker::{Edit, Loaded, Report};

use crate::Seeds;
use crate::plan::import_graph::Uses;
use crate::plan::known_range;
use crate::plan::probe::observation::{ObservedGroup, observed};
use crate::plan::probe::{Probed, probe};
use crate::sample::site_samples::SiteShape;
use crate::sample::trace::Surroundings;

/// Numbers of sites of one file lie in one block of this size: more than any file has.
const BLOCK: i64 = 100_000;
/// How many blocks there are.
const BLOCKS: i64 = 1 << 31;

/// A file with assertion sites.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Its text.
    pub file: SourceFile,
    /// What it tells without being run.
    pub analysis: Analysis,
    /// Its probes.
    pub probed: Probed,
    /// The number of its first site.
    first: i64,
}

impl PlannedFile {
    fn edit(&self) -> Edit {
        Edit { path: self.file.path().to_path_buf(), source: self.probed.source.clone() }
    }
}

/// A test that is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTest {
    /// Its pytest node id.
    pub node: String,
    /// Its file.
    pub path: PathBuf,
    /// Its line.
    pub line: Option<u32>,
}

impl PlannedTest {
    /// Its node id without the parameter set.
    #[must_use]
    pub fn function(&self) -> &str {
        self.node.split('[').next().unwrap_or(&self.node)
    }
}

/// Everything that is known before the first run.
#[derive(Debug, Default)]
pub struct SamplingPlan {
    /// Files in which sites are probed; a site's number tells its file.
    pub files: Vec<PlannedFile>,
    /// Files that could not be read, with the reason.
    pub unread: Vec<SourceError>,
    /// Tests that may reach a site, and those that draw without a seed, in pytest's order.
    pub tests: Vec<PlannedTest>,
    /// Tests that reach none.
    pub without_sites: usize,
    /// By the file of a test: the files of the project that its runs depend on.
    depends: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Files that are there for tests without being collected: base classes, helpers, testing modules.
    support: BTreeSet<PathBuf>,
}

impl SamplingPlan {
    /// Reads the files of the collected tests and those they share, and probes their sites. A test is wanted where a
    /// file is that its runs depend on.
    #[must_use]
    pub fn make(root: &Path, loaded: &Loaded, seeds: Seeds, is_file_wanted: &dyn Fn(&Path) -> bool) -> Self {
        let graph = ProjectGraph::read(loaded);
        let mut plan = Self { depends: graph.depends(), support: graph.support(root), ..Self::default() };
        let wanted: BTreeSet<&PathBuf> = plan
            .depends
            .iter()
            .filter(|(_, files)| files.iter().any(|path| is_file_wanted(path)))
            .map(|(test, _)| test)
            .collect();
        let is_wanted = |path: &PathBuf| wanted.contains(path);
        let tests = loaded.items.iter().map(|item| item.path.clone()).filter(is_wanted);
        let mut taken = BTreeSet::new();
        for path in tests.chain(plan.support.iter().cloned()).collect::<BTreeSet<_>>() {
            match read(&path).and_then(|file| probed_file(file, first_number(root, &path, &mut taken), seeds)) {
                Ok(planned) => plan.files.push(planned),
                Err(error) => plan.unread.push(error),
            }
        }
        for item in loaded.items.iter().filter(|item| is_wanted(&item.path)) {
            if plan.may_reach_a_site(&item.node, &item.path) || plan.draws_without_seed(&item.node, &item.path) {
                plan.tests.push(PlannedTest { node: item.node.clone(), path: item.path.clone(), line: item.line });
            } else {
                plan.without_sites += 1;
            }
        }
        plan
    }

    fn may_reach_a_site(&self, node: &str, path: &Path) -> bool {
        let function = function_of(node);
        let used = self.depends.get(path);
        self.files.iter().any(|planned| {
            let file = planned.file.path();
            (file == path || used.is_some_and(|used| used.contains(file)))
                && planned.probed.sites.iter().any(|&index| {
                    let owner = &planned.analysis.sites[index].owner;
                    match owner.kind {
                        // In another file: a test that is inherited.
                        OwnerKind::Test => owner.name.rsplit("::").next() == Some(function),
                        _ => true,
                    }
                })
        })
    }

    /// Whether a test draws random numbers that no seed fixes: it may fail by luck, whatever it compares.
    fn draws_without_seed(&self, node: &str, path: &Path) -> bool {
        let function = function_of(node);
        let own = self.files.iter().filter(|planned| planned.file.path() == path);
        own.flat_map(|planned| &planned.analysis.draws).any(|draw| {
            !draw.is_seeded
                && draw.owner.kind == OwnerKind::Test
                && draw.owner.name.rsplit("::").next() == Some(function)
        })
    }

    /// Whether a file is there for tests: its assertions are test assertions, and it is no code under test.
    #[must_use]
    pub fn is_for_tests(&self, path: &Path) -> bool {
        self.support.contains(path) || self.depends.contains_key(path)
    }

    /// The files of the project that the runs of a test depend on.
    pub(crate) fn files_of(&self, test: &str) -> Option<&BTreeSet<PathBuf>> {
        let test = self.tests.iter().find(|each| each.node == test)?;
        self.depends.get(&test.path)
    }

    /// The files with assertions that a test may reach.
    pub(crate) fn asserting_files(&self, test: &str) -> BTreeSet<PathBuf> {
        let used = self.files_of(test);
        let own = self.files.iter().filter(|planned| !planned.probed.sites.is_empty());
        let paths = own.map(|planned| planned.file.path().to_path_buf());
        paths.filter(|path| used.is_none_or(|used| used.contains(path))).collect()
    }

    /// What a process that ran a test used, as the store keeps it. Nothing if that is not known for certain.
    pub(crate) fn trace(&self, now: &Surroundings, test: &str, report: &Report) -> Option<Rc<str>> {
        // What somebody else ended says nothing about the test, and is not kept.
        if report.is_ended_from_outside() {
            return None;
        }
        let files = self.files_of(test);
        let trace = now.trace(report, &|module| files.is_none_or(|files| files.contains(module)))?;
        Some(trace.to_text().into())
    }

    /// The edits of all probes.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit> {
        self.files.iter().map(PlannedFile::edit).collect()
    }

    /// The edits that change their file: a file without sites stays as it is.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Edit> {
        let is_change =
            |planned: &&PlannedFile| planned.file.to_bytes().map_or(true, |bytes| bytes != planned.probed.source);
        self.files.iter().filter(is_change).map(PlannedFile::edit)
    }

    /// The plan with these files edited: the same sites under the same numbers, with the probes around the edited text.
    ///
    /// # Errors
    /// When edits overlap, or the edited text is no valid Python.
    pub fn edited(&self, edits: &[&EditSet], seeds: Seeds) -> Result<Self, SourceError> {
        let mut plan = Self {
            tests: self.tests.clone(),
            without_sites: self.without_sites,
            depends: self.depends.clone(),
            support: self.support.clone(),
            ..Self::default()
        };
        for planned in &self.files {
            let own = edits.iter().filter(|set| set.path() == planned.file.path());
            // Sites that read one constant have the same edit. Insertions at one place keep their order: an import stands
            // before the decorator that needs it.
            let mut own_edits = Vec::new();
            for edit in own.flat_map(|set| set.edits()) {
                if !own_edits.contains(edit) {
                    own_edits.push(edit.clone());
                }
            }
            plan.files.push(if own_edits.is_empty() {
                planned.clone()
            } else {
                let file = EditSet::new(&planned.file, own_edits)?.reparse(&planned.file)?;
                probed_file(file, planned.first, seeds)?
            });
        }
        Ok(plan)
    }

    /// The file and site with this number.
    #[must_use]
    pub fn site(&self, number: i64) -> Option<(&PlannedFile, &Site)> {
        let planned = self.files.iter().find(|planned| planned.first == number - number % BLOCK)?;
        let site = planned.analysis.sites.get(Self::index_of(number))?;
        Some((planned, site))
    }

    /// The index of the site with this number in the analysis of its file.
    #[must_use]
    pub fn index_of(number: i64) -> usize {
        usize::try_from(number % BLOCK).unwrap_or(usize::MAX)
    }

    /// What is needed to read the samples of a site.
    #[must_use]
    pub fn shape(&self, number: i64) -> Option<SiteShape> {
        let (planned, site) = self.site(number)?;
        let is_distance = !matches!(site.form, Form::Compare | Form::Margin | Form::Answer | Form::AssertArrayLess);
        let known_range = if is_distance { Range::default() } else { known_range::of(planned.file.slice(site.actual)) };
        let written = site.bounds.iter().filter(|bound| bound.is_written());
        let absent = site.bounds.iter().filter(|bound| !bound.is_written());
        Some(SiteShape {
            number,
            direction: match site.direction {
                Direction::Upper => temper_stats::Direction::Upper,
                Direction::Lower => temper_stats::Direction::Lower,
            },
            is_strict: site.is_strict,
            is_distance,
            known_range,
            written: written.clone().count(),
            roles: written.chain(absent).map(|bound| bound.role).collect(),
        })
    }

    /// The text of the fixed seed that a test runs under, if its file shows one.
    #[must_use]
    pub fn seed_of(&self, test: &PlannedTest) -> Option<&str> {
        let function = function_of(&test.node);
        let planned = self.files.iter().find(|planned| planned.file.path() == test.path)?;
        let seed = planned.analysis.seeds.iter().find(|seed| match seed.owner.kind {
            OwnerKind::Test => seed.owner.name.rsplit("::").next() == Some(function),
            _ => true,
        })?;
        Some(planned.file.slice(seed.argument))
    }

    /// A fixed seed that takes effect when the file of a test is imported: its text and its line.
    #[must_use]
    pub fn seed_at_import(&self, test: &PlannedTest) -> Option<(&str, u32)> {
        let planned = self.files.iter().find(|planned| planned.file.path() == test.path)?;
        let seed = planned.analysis.seeds.iter().find(|seed| seed.owner.kind == OwnerKind::Module)?;
        Some((planned.file.slice(seed.argument), seed.position.line))
    }

    /// The file and the function of a test.
    #[must_use]
    pub fn test_source(&self, test: &PlannedTest) -> Option<(&PlannedFile, &temper_source::Test)> {
        let planned = self.files.iter().find(|planned| planned.file.path() == test.path)?;
        let name = test.node.split_once("::")?.1.split('[').next()?;
        Some((planned, planned.analysis.tests.iter().find(|found| found.name == name)?))
    }

    /// How many sites each reason leaves out, and how many places are not understood.
    #[must_use]
    pub fn left_out(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        let asserting: BTreeSet<String> =
            self.files.iter().flat_map(|planned| planned.analysis.asserting()).map(str::to_owned).collect();
        for planned in &self.files {
            for (_, reason) in &planned.probed.left_out {
                *counts.entry(reason.to_string()).or_default() += 1;
            }
            for item in planned.analysis.not_understood.iter().filter(|item| !item.is_seen_inside(&asserting)) {
                *counts.entry(item.reason.to_string()).or_default() += 1;
            }
        }
        counts
    }
}

/// The collected tests, the files that were loaded with them, and which uses which.
struct ProjectGraph<'a> {
    tests: BTreeSet<&'a Path>,
    files: Vec<SourceFile>,
    unread: Vec<PathBuf>,
    uses: Uses,
}

impl<'a> ProjectGraph<'a> {
    fn read(loaded: &'a Loaded) -> Self {
        let tests: BTreeSet<&Path> = loaded.items.iter().map(|item| item.path.as_path()).collect();
        let all: BTreeSet<&Path> = loaded.files.iter().map(PathBuf::as_path).chain(tests.iter().copied()).collect();
        let files: Vec<SourceFile> = all.iter().filter_map(|path| read(path).ok()).collect();
        let unread = all.iter().filter(|path| files.iter().all(|file| file.path() != **path));
        let unread: Vec<PathBuf> = unread.map(|path| path.to_path_buf()).collect();
        let uses = Uses::read(files.iter());
        Self { tests, files, unread, uses }
    }

    /// By the file of each collected test, the files that its runs depend on.
    fn depends(&self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let of = |test: &&Path| {
            let mut used = self.uses.of_test(test, |path| self.tests.contains(path));
            used.extend(self.unread.iter().cloned());
            (test.to_path_buf(), used)
        };
        self.tests.iter().map(of).collect()
    }

    /// Files that are there for tests without being collected: by their name, or because they use a test library and no
    /// code under test uses them.
    fn support(&self, root: &Path) -> BTreeSet<PathBuf> {
        let is_named = |path: &Path| is_named_for_tests(path.strip_prefix(root).unwrap_or(path));
        let is_of_tests = |path: &Path| {
            self.tests.contains(path) || is_named(path) || path.file_name().is_some_and(|name| name == "__init__.py")
        };
        let is_support = |file: &&SourceFile| {
            let path = file.path();
            let is_package = path.file_name().is_some_and(|name| name == "__init__.py");
            let is_helper = || {
                !is_package
                    && imports(file).is_ok_and(|found| imports_a_test_library(&found))
                    && self.uses.importers(path).all(is_of_tests)
            };
            !self.tests.contains(path) && (is_named(path) || is_helper())
        };
        self.files.iter().filter(is_support).map(|file| file.path().to_path_buf()).collect()
    }
}

/// The number of the first site of a file: the same in every project and selection that has the file, so that samples of
/// an earlier selection are found again.
fn first_number(root: &Path, path: &Path, taken: &mut BTreeSet<i64>) -> i64 {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let hash = ContentHash::of(relative.as_os_str().as_encoded_bytes()).0;
    let mut block = (hash % BLOCKS as u64) as i64;
    while !taken.insert(block) {
        block = (block + 1) % BLOCKS;
    }
    BLOCK * block
}

/// The sites of a file of a project as a test run can look at them; none if it has no site or cannot be read.
#[must_use]
pub fn observed_sites(root: &Path, path: &Path) -> Vec<ObservedGroup> {
    let first = first_number(root, path, &mut BTreeSet::new());
    let observed = read(path).and_then(|file| Ok(observed(&file, &analyse(&file)?, first)));
    observed.unwrap_or_default()
}

/// The probes of a file before anything is collected; none if it has no site or cannot be read.
pub(crate) fn probed_edit(root: &Path, path: &Path, seeds: Seeds) -> Option<Edit> {
    let first = first_number(root, path, &mut BTreeSet::new());
    let planned = read(path).and_then(|file| probed_file(file, first, seeds)).ok()?;
    Some(Edit { path: path.to_path_buf(), source: planned.probed.source })
}

fn probed_file(file: SourceFile, first: i64, seeds: Seeds) -> Result<PlannedFile, SourceError> {
    let analysis = analyse(&file)?;
    let probed = probe(&file, &analysis, first, seeds)?;
    Ok(PlannedFile { file, analysis, probed, first })
}

/// The name of the function in a node id, without its parameter set.
fn function_of(node: &str) -> &str {
    let behind_file = node.split_once("::").map_or(node, |(_, rest)| rest);
    let without_set = behind_file.split('[').next().unwrap_or(behind_file);
    without_set.rsplit("::").next().unwrap_or(without_set)
}
