//! `format=flowed` (RFC 3676) → one line for each paragraph.

/// Joins the lines that a mail program has folded. Quoted lines retain their `>`. An empty line is inserted between a
/// quote and text immediately below it, because that text is never the second half of a quoted line.
pub(crate) fn unfolded(text: &str, delete_space: bool) -> String {
    let mut whole = String::with_capacity(text.len());
    // The quote depth of the previous line, and whether it flows into the current one.
    let mut before: Option<(usize, bool)> = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|&byte| byte == b'>').count();
        let line = &line[depth..];
        let line = line.strip_prefix(' ').unwrap_or(line);
        let is_signature = line == "-- ";
        let goes_on = before.is_some_and(|(last, flows)| flows && last == depth) && !is_signature;
        if !goes_on {
            if before.is_some() {
                whole.push('\n');
            }
            if depth == 0 && before.is_some_and(|(last, _)| last > 0) && !line.trim().is_empty() {
                whole.push('\n');
            }
            if depth > 0 {
                whole.extend(std::iter::repeat_n('>', depth));
                whole.push(' ');
            }
        }
        let flows = line.ends_with(' ') && !is_signature;
        whole.push_str(if flows && delete_space { &line[..line.len() - 1] } else { line });
        before = Some((depth, flows));
    }
    whole.push('\n');
    whole
}
