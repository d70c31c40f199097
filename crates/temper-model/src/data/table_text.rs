//! The text of a table: unpacked, cut into cells, column by column.
//!
//! What separates cells is found in the first lines, as is a decimal comma; both are remarked if they are not the usual ones. The
//! cells of a column are one text with their ends, because a million rows of single texts would not fit.

use std::io::Read;

use crate::data::dataset::Remark;
use crate::error::ModelError;

/// What may separate cells, likeliest first.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// Lines from which the separator is found.
const SNIFFED_LINES: usize = 20;

/// The cells of one column.
#[derive(Default)]
pub(crate) struct TextColumn {
    text: String,
    ends: Vec<u32>,
}

/// A table as read: names and, column by column, the cells as text.
pub(crate) struct TableText {
    pub names: Vec<String>,
    pub columns: Vec<TextColumn>,
    /// What the user should know about how it was read.
    pub remarks: Vec<Remark>,
}

impl TextColumn {
    fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len() as u32);
    }

    /// Adds the cells of another column.
    pub fn append(&mut self, other: &TextColumn) {
        other.iter().for_each(|cell| self.push(cell));
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// One cell.
    pub fn cell(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[row] as usize]
    }

    /// All cells in row order.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.len()).map(|row| self.cell(row))
    }

    /// The cells with a point in place of a decimal comma.
    fn with_points(&self) -> TextColumn {
        TextColumn { text: self.text.replace(',', "."), ends: self.ends.clone() }
    }
}

/// Reads CSV text, packed by gzip or not. `file` is only used in messages.
pub(crate) fn read_text(mut reader: impl Read, file: &str) -> Result<TableText, ModelError> {
    let unreadable = |error: std::io::Error| ModelError::Unreadable { file: file.into(), reason: error.to_string() };
    let mut magic = [0; 2];
    let got = fill(&mut reader, &mut magic).map_err(unreadable)?;
    let start = std::io::Cursor::new(magic[..got].to_vec());
    let whole = start.chain(reader);
    if magic == [0x1f, 0x8b] {
        return read_plain(flate2::read::MultiGzDecoder::new(whole), file);
    }
    read_plain(whole, file)
}

fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match reader.read(&mut buffer[got..])? {
            0 => break,
            more => got += more,
        }
    }
    Ok(got)
}

fn read_plain(mut reader: impl Read, file: &str) -> Result<TableText, ModelError> {
    let mut first = vec![0; 1 << 16];
    let got = fill(&mut reader, &mut first)
        .map_err(|error| ModelError::Unreadable { file: file.into(), reason: error.to_string() })?;
    first.truncate(got);
    let separator = separator(&first);
    let reader = std::io::Cursor::new(first).chain(reader);
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).trim(csv::Trim::All).from_reader(reader);
    let header = reader.headers().map_err(|error| csv_error(file, error))?;
    // Spreadsheets put a byte-order mark in front of the first name.
    let names: Vec<String> = header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect();
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(ModelError::DuplicateColumn { file: file.into(), column: name.clone() });
        }
    }
    let mut columns: Vec<TextColumn> = names.iter().map(|_| TextColumn::default()).collect();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| csv_error(file, error))? {
        for (column, cell) in columns.iter_mut().zip(&record) {
            column.push(cell);
        }
    }
    if columns.iter().all(|column| column.len() == 0) {
        return Err(ModelError::NoRows);
    }
    let mut text = TableText { names, columns, remarks: Vec::new() };
    if separator != b',' {
        let between = if separator == b'\t' { "tabs".to_owned() } else { format!("`{}`", separator as char) };
        text.remarks.push(Remark::Separator { between });
        text.read_decimal_commas();
    }
    Ok(text)
}

impl TableText {
    /// Where commas do not separate cells they may be decimal ones: columns whose numbers all have them are read so.
    fn read_decimal_commas(&mut self) {
        let mut changed = Vec::new();
        for (name, column) in self.names.iter().zip(&mut self.columns) {
            let is_number = |cell: &str| cell.is_empty() || cell.replacen(',', ".", 1).parse::<f64>().is_ok();
            let has_commas = column.iter().any(|cell| cell.contains(','));
            if has_commas && column.iter().take(1000).all(is_number) {
                *column = column.with_points();
                changed.push(name.clone());
            }
        }
        if !changed.is_empty() {
            self.remarks.push(Remark::DecimalComma { columns: changed });
        }
    }

    /// Takes a column out of the table.
    pub fn take(&mut self, position: usize) -> TextColumn {
        self.names.remove(position);
        self.columns.remove(position)
    }
}

/// What separates cells: that which gives the first lines most cells, the same number in each.
fn separator(start: &[u8]) -> u8 {
    let text = String::from_utf8_lossy(start);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(SNIFFED_LINES).collect();
    // The last line may be cut off.
    let whole = if lines.len() > 1 { &lines[..lines.len() - 1] } else { &lines[..] };
    let count = |separator: u8| {
        let cells = |line: &&str| cells(line, separator);
        let first = whole.first().map_or(0, cells);
        if whole.iter().all(|line| cells(line) == first) { first } else { 0 }
    };
    let header = lines.first().copied().unwrap_or_default();
    let best = SEPARATORS.iter().copied().rev().max_by_key(|&separator| count(separator)).unwrap_or(b',');
    if count(best) > 0 {
        return best;
    }
    // No separator fits all lines: a broken file, which is explained by what separates its header.
    SEPARATORS.iter().copied().rev().max_by_key(|&separator| cells(header, separator)).unwrap_or(b',')
}

/// Separators of a line outside quotes.
fn cells(line: &str, separator: u8) -> usize {
    let mut is_quoted = false;
    let mut found = 0;
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        found += usize::from(byte == separator && !is_quoted);
    }
    found
}

fn csv_error(file: &str, error: csv::Error) -> ModelError {
    if let csv::ErrorKind::UnequalLengths { pos, expected_len, len } = error.kind() {
        let line = pos.as_ref().map_or(0, csv::Position::line);
        return ModelError::RaggedLine { file: file.into(), line, found: *len, expected: *expected_len };
    }
    ModelError::Unreadable { file: file.into(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(text: &[u8]) -> TableText {
        read_text(text, "data.csv").unwrap()
    }

    #[test]
    fn separators_are_found_and_said() {
        for (text, said) in [
            ("a;b\n1;2\n3;4\n", "cells are separated by `;`"),
            ("a\tb\n1\t2\n3\t4\n", "cells are separated by tabs"),
            ("a|b\n1|2\n3|4\n", "cells are separated by `|`"),
        ] {
            let table = read(text.as_bytes());
            assert_eq!(table.names, ["a", "b"]);
            assert_eq!(table.columns[1].iter().collect::<Vec<_>>(), ["2", "4"]);
            assert_eq!(table.remarks[0].to_string(), said);
        }
        assert!(read(b"a,b\n\"1;5\",2\n\"3;x\",4\n").remarks.is_empty());
        assert_eq!(read(b"a\n1\n2\n").names, ["a"]);
    }

    #[test]
    fn decimal_commas_are_read_where_commas_do_not_separate() {
        let table = read(b"a;b;c\n1,5;2;x, y\n-3,25;4;z\n");
        assert_eq!(table.columns[0].iter().collect::<Vec<_>>(), ["1.5", "-3.25"]);
        assert_eq!(table.columns[2].cell(0), "x, y");
        assert_eq!(table.remarks[1].to_string(), "column `a` has decimal commas");
    }

    #[test]
    fn packed_tables_are_unpacked() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"a,b\n1,2\n").unwrap();
        assert_eq!(read(&packed.finish().unwrap()).columns[1].cell(0), "2");
    }
}
