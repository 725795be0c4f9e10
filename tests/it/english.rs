//! Checks that the code contains no English texts for players and administrators, because such texts belong in
//! `templates/`. Exceptions are listed here with their reasons.

use std::fs;
use std::path::Path;

use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};

use crate::architecture::imports::{for_tests_only, rust_files};

/// The modules that must not contain English texts for users.
const MODULES: &[&str] = &["rules", "draw", "service", "compose", "command", "mail", "web"];

/// Macros with texts for programmers or the log.
const MACROS: &[&str] = &[
    "anyhow", "assert", "assert_eq", "bail", "debug", "debug_assert", "ensure", "error", "info", "panic", "trace",
    "unreachable", "warn",
];

/// Functions and methods with texts for programmers or the log.
const CALLS: &[&str] = &[
    "context",
    "expect",
    "with_context",
    // Errors of the program or its database, which are not answers to users.
    "StoreError::Failed",
    "StoreError::WrongRecord",
    // Reasons why a letter was not delivered. Most are replies of other mail servers.
    "SendError::Hung",
    "SendError::Permanent",
    "SendError::Temporary",
    // The code of the rule that ended a game. The record contains it.
    "EndReason::new",
];

/// Files and folders whose texts are not shown to users.
const FILES: &[&str] = &[
    // Usages and examples of the command language.
    "command/verbs/",
    "mail/inbound/board_line.rs",
    // Texts by which mail from other programs is recognised, such as bounces.
    "mail/inbound/bounce.rs",
    "mail/inbound/machine.rs",
    "mail/inbound/sealed.rs",
    // The file `security.txt`, whose format is for programs (RFC 9116).
    "web/pages.rs",
    // Table cells for administrators, like those of `turnpost admin`.
    "service/account/reports.rs",
    // Replies to mail servers in the protocol LMTP.
    "mail/inbound/lmtp/",
    // Errors in reading a mailbox or sending letters, for the log.
    "mail/inbound/imap/",
    "mail/oauth/",
    "mail/outbound/letter.rs",
    "mail/outbound/smtp.rs",
    "mail/outbound/transport.rs",
    // The API's document, for programmers, next to the endpoints that it describes.
    "web/api/openapi.rs",
    "web/api/error.rs",
    "web/api/schemas.rs",
    "web/api/table.rs",
];

/// Further exceptions, by file: names, formats, texts of other programs, and lines of the log.
const TEXTS: &[(&str, &str)] = &[
    ("command/mask.rs", "{} hidden words"),
    ("command/words.rs", "change address"),
    ("compose/html.rs", "Re: {subject}"),
    ("compose/texts.rs", "there is no message {code}"),
    ("compose/texts.rs", "the directory of templates {} cannot be read"),
    ("mail/inbound/commands.rs", "confirm your address for "),
    ("mail/inbound/maildir.rs", "cannot read {}"),
    ("mail/inbound/new_text/attribution.rs", "wrote in message"),
    ("rules/loa.rs", "Lines of Action"),
    ("service/account/administered.rs", "former player {}"),
    ("service/account/leave.rs", "(removed address)"),
    ("service/board/record.rs", "turnpost board 1"),
    ("service/notice/reach.rs", "authentication required"),
    ("service/notice/reach.rs", "black list"),
    ("service/notice/reach.rs", "block list"),
    ("service/notice/reach.rs", "rate limit"),
    ("service/notice/reach.rs", "relay access"),
    ("service/notice/reach.rs", "relay not permitted"),
    ("service/notice/reach.rs", "to relay"),
    ("service/notice/reach.rs", "too many"),
    ("service/notice/reach.rs", "too much mail"),
    ("service/notice/reach.rs", "try again"),
    ("service/transfer/import.rs", "turnpost export "),
    ("service/transfer/tables.rs", " at line "),
    ("service/transfer/mod.rs", "turnpost export 3"),
    ("service/transfer/previous.rs", "turnpost export 1"),
    ("service/transfer/previous.rs", "turnpost export 2"),
    ("web/layers.rs", "Allow, ETag, Retry-After, WWW-Authenticate"),
    ("web/layers.rs", "GET, POST, PUT, DELETE"),
    ("web/layers.rs", "An HTTP/1.1 request must have exactly one Host header.\n"),
    ("web/page_request.rs", "turnpost csrf 1\0{session}"),
    ("web/server.rs", "cannot listen for HTTP on {address}"),
];

/// Returns whether a text has two consecutive words. If it starts with a capital, a placeholder in braces is treated as
/// a word.
fn is_prose(text: &str) -> bool {
    let is_capital = text.trim_start().starts_with(|first: char| first.is_ascii_uppercase());
    let is_word = |word: &str| {
        let word = word.trim_matches(['(', ')', ',', ';', ':', '.']);
        let is_fact = is_capital && word.starts_with('{') && word.ends_with('}');
        is_fact || word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'\'')
    };
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    words.windows(2).any(|two| two.iter().all(|word| is_word(word)))
}

/// A visitor of a syntax tree that collects the prose in it.
#[derive(Default)]
struct Reader {
    found: Vec<String>,
}

impl Reader {
    fn literal(&mut self, literal: &str) {
        if is_prose(literal) {
            self.found.push(literal.to_owned());
        }
    }

    /// Reads the tokens of a macro, without attributes, which include doc comments.
    fn tokens(&mut self, mut rest: Cursor<'_>) {
        while !rest.eof() {
            if let Some((literal, after)) = rest.literal() {
                if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                    self.literal(&text.value());
                }
                rest = after;
            } else if let Some((inside, _, _, after)) = rest.any_group() {
                self.tokens(inside);
                rest = after;
            } else if let Some((punctuation, after)) = rest.punct() {
                let group = after.any_group().filter(|_| punctuation.as_char() == '#');
                rest = group.map_or(after, |(_, _, _, behind)| behind);
            } else {
                rest = rest.token_tree().expect("the cursor is not at its end").1;
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !for_tests_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    /// Ignores names and years of designers.
    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        if item.ident != "DESIGNER" {
            visit::visit_impl_item_const(self, item);
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.literal(&text.value());
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        if called.path.segments.last().is_none_or(|name| !MACROS.iter().any(|known| name.ident == known)) {
            self.tokens(TokenBuffer::new2(called.tokens.clone()).begin());
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let syn::Expr::Path(function) = &*call.func else { return visit::visit_expr_call(self, call) };
        let names: Vec<String> = function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let name = names[names.len().saturating_sub(2)..].join("::");
        if !CALLS.contains(&name.as_str()) {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        if !CALLS.iter().any(|known| call.method == known) {
            call.args.iter().for_each(|argument| self.visit_expr(argument));
        }
    }
}

/// Returns the prose in a source.
fn prose(source: &str) -> Vec<String> {
    let mut reader = Reader::default();
    reader.visit_file(&syn::parse_file(source).unwrap());
    reader.found
}

#[test]
fn the_code_contains_no_english() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let paths = || MODULES.iter().flat_map(|module| rust_files(&src.join(module)));
    let (mut wrong, mut unused) = (Vec::new(), TEXTS.to_vec());
    for path in paths() {
        let file = path.strip_prefix(&src).unwrap().to_str().unwrap();
        if FILES.iter().any(|allowed| file.starts_with(allowed)) {
            continue;
        }
        for text in prose(&fs::read_to_string(&path).unwrap()) {
            unused.retain(|allowed| *allowed != (file, &text));
            if !TEXTS.contains(&(file, &text)) {
                wrong.push(format!("{file}: {text:?}"));
            }
        }
    }
    assert!(paths().count() > 100, "the test found too few source files");
    assert!(wrong.is_empty(), "these belong in templates/messages/:\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "exceptions that the code no longer contains: {unused:?}");
    let gone: Vec<&&str> = FILES.iter().filter(|file| !src.join(file).exists()).collect();
    assert!(gone.is_empty(), "listed files that do not exist: {gone:?}");
}

#[test]
fn english_in_code_is_detected() {
    for code in [
        r#"const WHY: &str = "it is over";"#,
        r#"fn row(n: u8) -> String { format!("Row {n}") }"#,
        r#"fn say(out: &mut String) { writeln!(out, "{}", [1].map(|n| format!("board {n} is gone"))); }"#,
        r#"fn side() -> Message { Message::verbatim("White to move") }"#,
        r#"fn why(at: &str) -> Option<&str> { Some(at).filter(|at| *at != "all of it") }"#,
    ] {
        assert_eq!(prose(code).len(), 1, "{code}");
    }
    for code in [
        r#"/** A doc comment. */ #[error("it is over")] struct Over;"#,
        r#"fn f() { tracing::warn!("it is over"); g().expect("it is over"); }"#,
        r#"thread_local! { /** A doc comment. */ static X: u8 = const { 0 }; }"#,
        r#"#[cfg(test)] mod tests { const WHY: &str = "it is over"; }"#,
        r#"fn f() -> Message { message!("rules.game-over-won", side = "o") }"#,
        r#"fn f() -> String { format!("show {number}") }"#,
    ] {
        assert_eq!(prose(code), Vec::<String>::new(), "{code}");
    }
}
