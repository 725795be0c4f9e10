//! `text/enriched` (RFC 1896) → HTML, limited to what affects the newly written text.

/// Converts enriched text to HTML that looks the same to a reader.
pub(crate) fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let text = text.replace("\r\n", "\n");
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['<', '&', '\n']) {
        html.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('&') {
            html.push_str("&amp;");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("<<") {
            html.push_str("&lt;");
            rest = after;
        } else if rest.starts_with('\n') {
            // A single line break is a space; of several, one is removed.
            let breaks = rest.bytes().take_while(|&octet| octet == b'\n').count();
            html.push_str(&if breaks == 1 { " ".to_owned() } else { "<br>".repeat(breaks - 1) });
            rest = &rest[breaks..];
        } else {
            let (tag, after) = rest[1..].split_once('>').unwrap_or((&rest[1..], ""));
            rest = after;
            match tag.to_ascii_lowercase().as_str() {
                "param" => rest = after.split_once("</param>").map_or("", |(_, after)| after),
                "excerpt" => html.push_str("<blockquote>"),
                "/excerpt" => html.push_str("</blockquote>"),
                _ => {}
            }
        }
    }
    html.push_str(rest);
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_and_tags_become_html() {
        assert_eq!(html("<bold>a</bold>\nb\n\nc << d & e"), "a b<br>c &lt; d &amp; e");
        assert_eq!(html("<color><param>red</param>a</color><excerpt>q</excerpt>"), "a<blockquote>q</blockquote>");
        assert_eq!(html("a <unclosed"), "a ");
    }
}
