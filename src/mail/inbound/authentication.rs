//! Whether our mail server authenticated the sender of a message: `Authentication-Results` (RFC 8601).
//!
//! Anyone can write this header field. Only fields with the configured name are trusted: the server of that name
//! removes fields that others wrote under it (RFC 8601, section 5).

/// Returns whether the named server reports that DMARC passed for the domain of this address, and never that it failed.
pub(crate) fn dmarc_passed(results: &[String], authserv_id: Option<&str>, sender: &str) -> bool {
    let (Some(id), Some((_, domain))) = (authserv_id, sender.rsplit_once('@')) else { return false };
    let mut passed = false;
    for header in results {
        let header = without_comments(header);
        let mut parts = header.split(';');
        let name = parts.next().unwrap_or_default();
        // A version may follow the name.
        if !name.split_whitespace().next().is_some_and(|name| name.trim_matches('"').eq_ignore_ascii_case(id)) {
            continue;
        }
        for part in parts {
            let part = part.replace(" =", "=").replace("= ", "=");
            let mut words = part.split_whitespace();
            let Some((method, result)) = words.next().and_then(|word| word.split_once('=')) else { continue };
            let method = method.split('/').next().unwrap_or_default().trim();
            if !method.eq_ignore_ascii_case("dmarc") {
                continue;
            }
            let from = words.find_map(|word| {
                let (key, value) = word.split_once('=')?;
                key.eq_ignore_ascii_case("header.from").then(|| value.trim_matches('"').to_owned())
            });
            let other = from.is_some_and(|from| !from.eq_ignore_ascii_case(domain));
            if other || !result.trim().eq_ignore_ascii_case("pass") {
                return false;
            }
            passed = true;
        }
    }
    passed
}

/// Returns the value of a header field without its comments, which can be nested (RFC 5322, 3.2.2). Separators in
/// quoted text are replaced, so that it cannot begin a comment or end a part; no relevant name or result contains a
/// separator.
fn without_comments(value: &str) -> String {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    let mut plain = String::new();
    for c in value.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted || depth > 0 => escaped = true,
            '"' if depth == 0 => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ';' | '=' | ' ' if quoted => plain.push('\u{fffd}'),
            c if depth == 0 => plain.push(if c.is_whitespace() { ' ' } else { c }),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(headers: &[&str]) -> bool {
        let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        dmarc_passed(&headers, Some("mx.example.org"), "alice@example.net")
    }

    #[test]
    fn results_of_our_server_are_trusted() {
        for header in [
            "mx.example.org; dmarc=pass header.from=example.net",
            "MX.Example.Org 1;\r\n\tspf=pass smtp.mailfrom=x@other.example;\r\n\tdkim=pass header.d=example.net;\r\n\tdmarc=pass (p=reject sp=none; dis=none) header.from=EXAMPLE.net",
            "mx.example.org; DMARC = PASS (a (nested; dmarc=fail) comment) header.from=\"example.net\"",
            "\"mx.example.org\"; dmarc/1=pass",
            "mx.example.org; dkim=fail reason=\"a; dmarc=fail\"; dmarc=pass header.from=example.net",
        ] {
            assert!(passed(&[header]), "{header}");
        }
        assert!(passed(&["evil.example; dmarc=fail", "mx.example.org; dmarc=pass", "mx.example.org; spf=pass"]));
    }

    #[test]
    fn other_results_are_not_trusted() {
        for header in [
            "",
            "mx.example.org",
            "mx.example.org; none",
            "mx.example.org; spf=pass; dkim=pass header.d=example.net",
            "mx.example.org; dmarc=fail header.from=example.net",
            "mx.example.org; dmarc=none",
            "mx.example.org; dmarc=pass header.from=evil.example",
            "evil.example; dmarc=pass header.from=example.net",
            "evil.example; mx.example.org; dmarc=pass header.from=example.net",
            "mx.example.org.evil.example; dmarc=pass header.from=example.net",
            "mx.example.org; dkim=fail reason=\"; dmarc=pass header.from=example.net\"",
            "mx.example.org; dkim=fail (; dmarc=pass header.from=example.net )",
            "mx.example.org; xdmarc=pass",
        ] {
            assert!(!passed(&[header]), "{header}");
        }
        assert!(!passed(&["mx.example.org; dmarc=pass", "mx.example.org; dmarc=fail"]));
        let pass = ["mx.example.org; dmarc=pass".to_owned()];
        assert!(!dmarc_passed(&pass, None, "alice@example.net"));
    }
}
