//! Node ids of pytest as its arguments: they are relative to its rootdir, which may be a folder above the project.

use std::path::Path;

/// The folder that a node id is relative to: the project, or the nearest one above it that has the file.
fn rootdir<'a>(project: &'a Path, node: &str) -> Option<&'a Path> {
    let file = node.split("::").next()?;
    project.ancestors().find(|folder| folder.join(file).is_file())
}

/// Arguments by which a pytest that is started in the project collects these tests, under the same node ids.
pub(crate) fn arguments<'n>(project: &Path, nodes: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut above = None;
    let argument = |node: &str| match rootdir(project, node).filter(|folder| *folder != project) {
        Some(folder) => {
            above = Some(folder);
            format!("{}/{node}", folder.display())
        }
        None => node.to_owned(),
    };
    let mut arguments: Vec<String> = nodes.map(argument).collect();
    arguments.extend(above.map(|folder| format!("--rootdir={}", folder.display())));
    arguments
}
