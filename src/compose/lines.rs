//! Line breaks. The text part of a letter breaks long lines; the HTML part, which fits any width, does not.
//!
//! A composed letter has a soft break wherever its text part breaks a line. The soft break is U+2028, which never
//! occurs in external text ([`crate::text::lines`]). A blank before it belongs to the line, and blanks after it are
//! indentation.

use textwrap::core::Word;
use textwrap::wrap_algorithms::wrap_first_fit;

const SOFT_BREAK: char = '\u{2028}';
/// Separates the cells of a table row, which is one line of a composed letter. It never occurs in external text. The
/// text part aligns the cells, and the HTML part creates a table from them.
pub(crate) const CELL: char = '\t';
/// The maximum width of a table column. A longer cell shifts the following cells.
const COLUMN: usize = 34;
/// The indentation of the last cell if it is moved to a separate line because its row is too wide.
const CONTINUED: usize = 7;

/// The width of prose, so that a quoted line still fits a window of 80 columns.
pub(crate) const PROSE: usize = 72;
/// The width of all other lines.
pub(crate) const WIDTH: usize = 78;

/// The indentation of a text's lines.
#[derive(Clone, Copy, Default)]
pub(crate) struct Indents<'a> {
    pub(crate) first: &'a str,
    pub(crate) other: &'a str,
}

/// Inserts soft breaks so that no line is wider than this width. A word longer than a line is not broken.
pub(crate) fn fold(text: &str, width: usize, indents: Indents<'_>) -> String {
    let mut folded = String::new();
    for (nth, line) in text.split('\n').enumerate() {
        if nth > 0 {
            folded.push('\n');
        }
        let first = if nth == 0 { indents.first } else { indents.other };
        fold_line(&mut folded, line, width, Indents { first, ..indents });
    }
    folded
}

fn fold_line(folded: &mut String, line: &str, width: usize, indents: Indents<'_>) {
    // A line must not be broken after its leading blanks, so they are not treated as a word.
    let unindented = line.trim_start_matches(' ');
    let first = indents.first.len() + line.len() - unindented.len();
    folded.push_str(indents.first);
    folded.push_str(&line[..line.len() - unindented.len()]);
    let words = words(unindented);
    #[allow(clippy::cast_precision_loss, reason = "columns are few")]
    let widths = [first, indents.other.len()].map(|indent| width.saturating_sub(indent) as f64);
    for (nth, words) in wrap_first_fit(&words, &widths).into_iter().enumerate() {
        if nth > 0 {
            folded.push(SOFT_BREAK);
            folded.push_str(indents.other);
        }
        for word in words {
            folded.push_str(word.word);
            folded.push_str(word.whitespace);
        }
    }
}

/// Wraps the overlong lines of a filled template, such as lines typed by a player. Table rows remain unchanged.
pub(crate) fn fold_wide(text: &str) -> String {
    let fold_line = |line: &str| {
        if line.contains(CELL) {
            return line.to_owned();
        }
        let pieces = line.split(SOFT_BREAK).map(|piece| fold(piece, WIDTH, Indents::default()));
        pieces.collect::<Vec<_>>().join(&SOFT_BREAK.to_string())
    };
    text.lines().map(fold_line).collect::<Vec<_>>().join("\n")
}

/// Replaces soft breaks with line breaks, and aligns the cells of tables.
pub(crate) fn broken(text: &str) -> String {
    let lines: Vec<&str> = text.split(SOFT_BREAK).collect();
    let (last, before) = lines.split_last().expect("a split returns at least one piece");
    let broken = before.iter().map(|line| format!("{}\n", line.trim_end_matches(' '))).collect::<String>() + last;
    if broken.contains(CELL) { aligned(&broken) } else { broken }
}

/// Aligns the cells of each table in columns.
fn aligned(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let tables = lines.chunk_by(|a, b| a.contains(CELL) && b.contains(CELL));
    tables
        .flat_map(|table| if table[0].contains(CELL) { rows(table) } else { vec![table[0].to_owned()] })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Formats the rows of a table as lines.
fn rows(table: &[&str]) -> Vec<String> {
    let rows: Vec<Vec<&str>> = table.iter().map(|row| row.split(CELL).collect()).collect();
    let mut widths: Vec<usize> = Vec::new();
    for row in &rows {
        for (nth, cell) in row.iter().enumerate() {
            widths.resize(widths.len().max(nth + 1), 0);
            let width = cell.chars().count();
            widths[nth] = widths[nth].max(if width > COLUMN { 0 } else { width });
        }
    }
    rows.iter().map(|row| self::row(row, &widths)).collect()
}

/// Formats a table row as a line. If it is too wide, its last cell is on the next line, and long cells are broken.
fn row(cells: &[&str], widths: &[usize]) -> String {
    let Some((last, before)) = cells.split_last() else { return String::new() };
    let mut line = String::new();
    for (cell, &width) in before.iter().zip(widths) {
        line += &format!("{cell:width$}  ");
    }
    let fits = before.is_empty() || line.chars().count() + last.chars().count() <= WIDTH;
    let indent = " ".repeat(CONTINUED);
    let lines = if fits { line + last } else { format!("{}\n{indent}{}", line.trim_end(), last.trim_start()) };
    let fold = |line: &str| match line.chars().count() > WIDTH {
        true => broken(&fold(line, PROSE, Indents { first: "", other: &indent })),
        false => line.trim_end().to_owned(),
    };
    lines.lines().map(fold).collect::<Vec<_>>().join("\n")
}

/// Removes the soft breaks of a text.
pub(crate) fn whole(text: &str) -> String {
    let mut pieces = text.split(SOFT_BREAK);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.trim_start_matches(' '))
}

/// Splits a line into words, each with its trailing blanks. Text in scripts without blanks may be broken next to any
/// letter, but not inside a link.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let (mut start, mut link_end, mut before) = (0, 0, ' ');
    for (at, c) in line.char_indices() {
        if at >= link_end {
            if !before.is_ascii_alphanumeric() {
                link_end = at + link_length(&line[at..]);
            }
            if at > start && may_break(before, c) {
                words.push(Word::from(&line[start..at]));
                start = at;
            }
        }
        before = c;
    }
    if start < line.len() {
        words.push(Word::from(&line[start..]));
    }
    words
}

/// Returns whether a line may be broken between two characters.
fn may_break(before: char, after: char) -> bool {
    match (before, after) {
        (_, ' ') => false,
        (' ', _) => true,
        _ => {
            (is_written_without_blanks(before) || is_written_without_blanks(after))
                && may_end(before)
                && may_begin(after)
        }
    }
}

/// Returns whether a character is Chinese or Japanese, including punctuation and full-width forms. Korean has blanks.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{312f}' | '\u{3190}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a line may start with this character (JIS X 4051, 6.1).
fn may_begin(c: char) -> bool {
    (c.is_alphanumeric() || is_opening(c))
        && !"ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶー々ゝゞヽヾｰﾞﾟ".contains(c)
}

/// Returns whether a line may end with this character.
fn may_end(c: char) -> bool {
    !is_opening(c)
}

fn is_opening(c: char) -> bool {
    "([{«“‘「『（［｛〈《【〔〖｢".contains(c)
}

/// Returns the length of the link at the start of a text, or 0.
fn link_length(text: &str) -> usize {
    let scheme = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+.-".contains(c))).unwrap_or(text.len());
    if !(scheme > 0 && text[scheme..].starts_with("://") || text.starts_with("www.")) {
        return 0;
    }
    // Chinese or Japanese punctuation ends the link. Chinese or Japanese letters do not.
    text.find(|c: char| c == ' ' || is_written_without_blanks(c) && !c.is_alphanumeric()).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prose(text: &str) -> String {
        fold(text, PROSE, Indents { first: "  ", other: "  " })
    }

    #[test]
    fn a_word_longer_than_a_line_is_not_broken() {
        let link = format!("https://example.org/a-b/{}?c=d&e", "position/".repeat(12));
        let text = broken(&prose(&format!("See {link} for the line")));
        assert_eq!(text, format!("  See\n  {link}\n  for the line"));
        let word = "Donaudampfschifffahrts".repeat(6);
        assert_eq!(
            broken(&prose(&format!("    {word}"))),
            format!("      {word}"),
            "no empty line precedes a word that is too long"
        );
    }

    #[test]
    fn scripts_without_spaces_are_broken_between_characters_but_links_are_not() {
        let link = format!("https://ja.wikipedia.org/wiki/{}", "囲碁".repeat(30));
        let text =
            format!("{}（{link}）。{}", "今日はいい手が見つかりました。".repeat(5), "楽しかったです、".repeat(9));
        let folded = prose(&text);
        assert_eq!(whole(&folded), format!("  {text}"));
        let shown = broken(&folded);
        assert!(shown.contains(&link), "{shown}");
        for line in shown.lines() {
            assert!(textwrap::core::display_width(line) <= PROSE || line.contains(&link), "{line}");
            assert!(!line.trim_start().starts_with(['。', '、', '）', 'っ']) && !line.ends_with('（'), "{line}");
        }
        assert!(shown.lines().count() > 4, "{shown}");
    }

    #[test]
    fn wide_lines_are_broken_at_blanks() {
        let row = "word ".repeat(16).trim_end().to_owned();
        assert_eq!(broken(&fold_wide(&row)), format!("{}\nword", "word ".repeat(15).trim_end()));
        let soft = prose(&row);
        assert_eq!(fold_wide(&soft), soft);
    }

    #[test]
    fn the_cells_of_a_table_are_aligned() {
        let table = "Moves:\n  1. f3\t  2. k1,l3\n 13. f3,f4\t\nThe end";
        assert_eq!(broken(table), "Moves:\n  1. f3       2. k1,l3\n 13. f3,f4\nThe end");
        let wide = format!("1\t{}\tz\n2\tx\ty", "word ".repeat(15).trim_end());
        assert_eq!(broken(&fold_wide(&wide)), format!("1  {}\n       z\n2  x  y", "word ".repeat(15).trim_end()));
        let long = format!("  1. a1 (captures {})\t  2. k1", ["b2"; 30].join(", "));
        let lines = broken(&long);
        assert!(lines.lines().count() > 2 && lines.ends_with("\n       2. k1"), "{lines}");
        assert!(lines.lines().all(|line| line.len() <= PROSE) && lines.contains(",\n       b2"), "{lines}");
    }

    proptest! {
        #[test]
        fn unfolding_restores_the_text(text in "[a-zé東京、 \n-]{0,300}") {
            prop_assert_eq!(whole(&fold(&text, PROSE, Indents::default())), text.clone());
            prop_assert_eq!(whole(&fold_wide(&text)), text.lines().collect::<Vec<_>>().join("\n"));
        }
    }
}
