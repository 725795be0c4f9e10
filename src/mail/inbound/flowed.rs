//! `format=flowed` (RFC 3676) → one line for each paragraph.

/// Joins the lines that a mail program has folded. Quoted lines keep their `>`; an empty line is put between a quote and
/// the text right below it, because that is never the broken half of a quoted line here.
pub(super) fn unfolded(text: &str, delete_space: bool) -> String {
    let mut whole = String::with_capacity(text.len());
    // The depth of the line before, and whether it flows into this one.
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
