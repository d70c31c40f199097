//! How text stands out at a terminal.

use anstyle::Style;

/// What stands out.
pub const BOLD: Style = Style::new().bold();
/// What stands back.
pub const DIM: Style = Style::new().dimmed();
