//! Long lines, broken at spaces.

/// What every terminal shows.
pub const WIDTH: usize = 80;

/// The text with lines of at most that many characters, as far as there are spaces; a line goes on two spaces further in.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if visible(line.trim_end()) <= width {
            out.push_str(line);
            continue;
        }
        let start = line.len() - line.trim_start().len();
        let indent = " ".repeat(start + 2);
        let mut length = 0;
        for (at, word) in line[start..].trim_end().split(' ').enumerate() {
            let own = visible(word);
            if at == 0 {
                out.push_str(&line[..start]);
                length = start;
            } else if length + 1 + own > width && own > 0 {
                let kept = out.trim_end_matches(' ').len();
                out.truncate(kept);
                out.push('\n');
                out.push_str(&indent);
                length = indent.len();
            } else {
                out.push(' ');
                length += 1;
            }
            out.push_str(word);
            length += own;
        }
        out.push('\n');
    }
    out
}

/// Characters that a terminal shows: escape sequences of colours are none.
fn visible(text: &str) -> usize {
    let mut is_escape = false;
    let mut count = 0;
    for letter in text.chars() {
        if is_escape {
            is_escape = letter != 'm';
        } else if letter == '\u{1b}' {
            is_escape = true;
        } else {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_go_on_further_in() {
        assert_eq!(wrapped("  one two three four\nfive\n", 12), "  one two\n    three\n    four\nfive\n");
        assert_eq!(wrapped("short\n", 12), "short\n");
        assert_eq!(wrapped("unbreakable-word\n", 5), "unbreakable-word\n");
    }

    #[test]
    fn colours_have_no_width() {
        let text = "\u{1b}[1mone two\u{1b}[0m\n";
        assert_eq!(wrapped(text, 7), text);
    }
}
