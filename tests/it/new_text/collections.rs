//! Tests with collections of real mail in the folder named by `CORPORA`. Without that folder, they are skipped.

use super::*;

#[test]
fn the_new_text_of_the_crisp_collection_is_found() {
    let Some(folder) = corpora("replies") else { return };
    let mut exact = 0;
    let mut misses = Vec::new();
    for entry in expected(&folder, "expected-crisp.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let text = text_of(&mail_of(&bytes, "text/plain"));
        let new = new_text(&text);
        let first = ends_trimmed(&new.first().join("\n"));
        let mut right = true;
        if let Some(wanted) = entry["first_fragment"].as_str() {
            right &= ends_trimmed(wanted) == first;
        }
        if let Some(wanted) = entry["visible_text"].as_str() {
            right &= ends_trimmed(wanted) == ends_trimmed(&new.text());
        }
        for pattern in entry["first_fragment_matches"].as_array().into_iter().flatten() {
            let pattern = pattern.as_str().expect("each pattern is a string").replace('\\', "");
            right &= match pattern.strip_prefix('^') {
                Some(start) => first.starts_with(start),
                None => first.contains(&pattern),
            };
        }
        if entry["fragments"] == 1 {
            right &= joined(&text_and_signatures(&new)) == joined(&text);
        }
        // For four messages, the collection contains not the expected text, but only the number of its parts, which we
        // count differently. The expected texts of three of them are listed here.
        let own = match name.rsplit('/').next() {
            Some("correct_sig.txt") => "this is an email with a correct -- signature.",
            Some("sig_no_empty_line.txt") => "this is an email with a signature with no empty line above.",
            Some("email_tricky_18_inline_reply.txt") => "I think option A is great.",
            _ => first.as_str(),
        };
        right &= first == own && (name != "crisp/email_reply_header.txt" || first.ends_with("\n\nStranger"));
        match right {
            true => exact += 1,
            false => misses.push(format!("{name}: {first:?}\n   wanted {entry}")),
        }
    }
    eprintln!("{exact} right\n{}", misses.join("\n"));
    assert!(exact >= 74, "{exact} right; misses:\n{}", misses.join("\n"));
}

#[test]
fn the_new_text_of_the_mail_programs_is_found() {
    let Some(folder) = corpora("clients") else { return };
    let mut misses = Vec::new();
    for entry in expected(&folder, "expected.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let wanted = entry["reply"].as_str().expect("each entry has a reply");
        let is_html = entry["kind"] == "html";
        let text = text_of(&if is_html { mail_of(&bytes, "text/html") } else { bytes });
        let got = text_and_signatures(&new_text(&text));
        let right = match is_html {
            true => joined(wanted) == joined(&got),
            false => ends_trimmed(wanted) == ends_trimmed(&got),
        };
        if !right {
            misses.push(format!("{name}: {got:?}, wanted {wanted:?}\n{text}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// The first and the last words of the new text of each message in the GitHub collection. The collection itself
/// contains no expected results.
const GITHUB: &[(&str, &str, &str)] = &[
    ("correct_sig", "this is an email", "signature."),
    ("email_1_1", "Hi folks", "-Abhishek Kona"),
    ("email_1_2", "Hi,", "Hi,"),
    ("email_1_3", "Oh thanks.", "-Abhishek Kona"),
    ("email_1_4", "Awesome!", "problem with it."),
    ("email_1_5", "One:", "for a while."),
    ("email_1_6", "I get", "as well."),
    ("email_1_7", ":+1:", ":+1:"),
    ("email_1_8", "I will reply under this one", "I will reply under this one"),
    ("email_2_1", "Outlook with a reply", "Outlook with a reply"),
    ("email_2_2", "Outlook with a reply directly above line", "above line"),
    ("email_2_3", "Outlook with a reply directly above line", "above line"),
    ("email_BlackBerry", "Here is another email", "another email"),
    ("email_bullets", "test 2", "- and another"),
    ("email_iPhone", "Here is another email", "another email"),
    ("email_long_quote", "Hi folks", "running a test?"),
    ("email_multi_word_sent_from_my_mobile_device", "Here is another email", "another email"),
    ("email_one_is_not_on", "Thank, this", "when I run..."),
    ("email_sent_from_my_not_signature", "Here is another email", "my mobile phone."),
    ("email_sig_delimiter_in_middle_of_line", "Hi there!", "kthxbai"),
    ("greedy_on", "On your remote host", "is not working."),
    ("pathological", "I think you're onto", "to a computer."),
];

#[test]
fn the_new_text_of_the_github_collection_is_found() {
    let Some(folder) = corpora("replies/github") else { return };
    for (name, start, end) in GITHUB {
        let bytes = fs::read(folder.join(format!("{name}.txt"))).expect("the message is readable");
        let text = text_of(&mail_of(&bytes, "text/plain"));
        let new = new_text(&text);
        let first = ends_trimmed(&new.first().join("\n"));
        assert!(first.starts_with(start) && first.ends_with(end), "{name}: {new:?}");
    }
    let text = fs::read_to_string(folder.join("email_1_2.txt")).expect("the message is readable");
    let inline = new_text(&text).text();
    assert!(inline.starts_with("Hi,\n\nYou can list") && inline.ends_with("individually.\""), "{inline}");
    let text = fs::read_to_string(folder.join("email_1_8.txt")).expect("the message is readable");
    assert_eq!(new_text(&text).text(), "I will reply under this one\n\nand under this.");
}

/// Removes the new text from a message, and replaces each quoted line with a command, which must not be found. Quoted
/// lines begin with `>`. In a message without `>`, all lines after the first paragraph below the new text are quoted.
fn planted(text: &str, new_lines: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let marked = lines.iter().skip(new_lines).any(|line| line.trim_start().starts_with('>'));
    let mut below = lines.iter().enumerate().skip(new_lines).skip_while(|(_, line)| line.trim().is_empty());
    let header = below.find(|(_, line)| line.trim().is_empty() || line.starts_with('>'));
    let quote = header.map_or(lines.len(), |(at, _)| at);
    let plant = |(at, line): (usize, &&str)| {
        let mark: String = line.chars().take_while(|c| matches!(c, '>' | ' ')).collect();
        let quoted = if marked { mark.contains('>') } else { at >= quote && !line.trim().is_empty() };
        if at < new_lines {
            String::new()
        } else if quoted {
            format!("{mark}{PLANTED}")
        } else {
            (*line).to_owned()
        }
    };
    lines.iter().enumerate().map(plant).collect()
}

#[test]
fn the_html_part_of_mail_programs_has_equal_text() {
    let Some(folder) = corpora("clients") else { return };
    let mut halves = 0;
    for entry in expected(&folder, "expected.jsonl").iter().filter(|entry| entry["kind"] != "html") {
        let (name, bytes) = file(&folder, entry);
        let mail = mailparse::parse_mail(&bytes).expect("the message is readable");
        for part in mail.parts().filter(|part| part.ctype.mimetype == "text/html") {
            let html = part.get_body().expect("the HTML part can be decoded");
            let text = text_of(&mail_of(html.as_bytes(), "text/html"));
            // In one message, the text part and the HTML part differ.
            let wanted = if name == "outlook.eml" { "Allo! Follow up MIME!" } else { "Hello" };
            assert_eq!(new_text(&text).text(), wanted, "{name}: {text}");
            halves += 1;
        }
    }
    assert!(halves >= 6, "{halves}");
}

#[test]
fn quoted_commands_of_the_collections_do_not_run() {
    let Some(folder) = corpora("replies") else { return };
    let mut planted_in = 0;
    for entry in expected(&folder, "expected-crisp.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let new_lines = entry["first_fragment"].as_str().map_or(0, |new| new.lines().count());
        if entry["fragments"] == 1 || (new_lines == 0 && !text.contains('>')) {
            continue;
        }
        let lines = planted(&text, new_lines);
        planted_in += usize::from(lines.iter().any(|line| line.contains(PLANTED)));
        has_no_command(&lines.join("\n"), &name);
        let with_answer = text_of(&mail_of(format!("help\n{}", lines.join("\n")).as_bytes(), "text/plain"));
        assert_eq!(find_commands(None, &with_answer).lines.len(), 1, "{name}:\n{with_answer}");
    }
    assert!(planted_in >= 45, "commands were added to only {planted_in} messages");
    for entry in fs::read_dir(folder.join("github")).expect("the folder is readable") {
        let path = entry.expect("the folder can be listed").path();
        let text = String::from_utf8_lossy(&fs::read(&path).expect("the message is readable")).replace("\r\n", "\n");
        has_no_command(&planted(&text, 0).join("\n"), &path.display().to_string());
    }
}

#[test]
fn commands_quoted_by_the_mail_programs_do_not_run() {
    let Some(folder) = corpora("clients") else { return };
    let mut planted_in = 0;
    for entry in expected(&folder, "expected.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        if entry["kind"] != "html" {
            // The texts of these messages are encoded, so the commands are added after decoding. The quoted text is a
            // single line, or follows quoted headers.
            let text = text_of(&bytes);
            let planted = text.replace("Hello", "").replace("> Hi", &format!("> {PLANTED}")).replace("\nHi", PLANTED);
            has_no_command(&planted, &name);
            continue;
        }
        let html = String::from_utf8(bytes).expect("the HTML is UTF-8");
        let quote = format!("<br>{PLANTED}<br>{PLANTED}<p>{PLANTED}</p>");
        let empty = html.replace("Hi. I am fine.", "").replace("Thanks,", "").replace("Alex<", "<");
        let planted = empty.replace("Hello! How are you?", &quote);
        planted_in += usize::from(planted.contains(PLANTED));
        let text = text_of(&mail_of(planted.as_bytes(), "text/html"));
        assert!(find_commands(None, &text).lines.is_empty(), "{name}: {text}");
    }
    assert_eq!(planted_in, 9);
}

/// Returns every message of the collections.
fn every_mail() -> Vec<Vec<u8>> {
    let Some(folder) = corpora("") else { return Vec::new() };
    let folders = ["clients", "mime", "machine/flanker", "machine/spamassassin", "machine/enmime-dsn"];
    let files = folders.iter().flat_map(|name| fs::read_dir(folder.join(name)).expect("a folder is readable"));
    files.map(|entry| fs::read(entry.expect("the folder can be listed").path()).expect("a file is readable")).collect()
}

#[test]
fn every_message_of_the_collections_is_processed() {
    every_mail().iter().for_each(|raw| read_all(raw));
}

#[test]
fn no_change_to_a_message_of_the_collections_causes_a_panic() {
    let mails = every_mail();
    let mut state = 0x2545_f491_u32;
    let mut random = move |below: usize| {
        // The generator is xorshift, so that every run makes the same changes.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below.max(1)
    };
    for raw in mails.iter().filter(|raw| raw.len() < 20_000) {
        for _ in 0..4 {
            let mut raw = raw.clone();
            for _ in 0..10 {
                let (from, to) = (random(raw.len()), random(raw.len()));
                match random(3) {
                    0 => raw[to] = random(256) as u8,
                    1 => raw.truncate(from.max(1)),
                    _ => raw.swap(from, to),
                }
            }
            read_all(&raw);
        }
    }
}
