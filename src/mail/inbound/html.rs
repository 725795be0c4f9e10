//! Converts HTML to its visible text. Each quote is replaced by a line with `>`.
//!
//! The tokenizer builds no tree, so time and memory depend only on the length of the message, and not on its nesting. A
//! dropped element ends at its own end tag, which is found by counting elements of the same name. If a dropped element
//! is not closed, all text after it is dropped, so that no quoted text is read.

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{Token, Tokenizer};

/// The line that marks everything below it as quoted.
const CUT: &str = "-----Original Message-----";

/// Returns the text of an HTML body.
pub(crate) fn text(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut writer = Writer::default();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        let goes_on = match token {
            Token::StartTag(tag) => writer.start(&Element::new(&tag)),
            Token::EndTag(tag) => {
                writer.end(&String::from_utf8_lossy(&tag.name));
                true
            }
            Token::String(text) => {
                writer.write(&String::from_utf8_lossy(&text));
                true
            }
            _ => true,
        };
        if !goes_on {
            break;
        }
    }
    writer.break_line();
    writer.text
}

/// Returns all words of an HTML body except its style sheets, including hidden words. If `pictures` is true, also
/// returns the alternative texts of pictures.
pub(crate) fn words(html: &str, pictures: bool) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let (mut words, mut is_style) = (String::new(), false);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                is_style = tag.name.as_slice() == b"style";
                let alt = tag.attributes.get(b"alt".as_slice()).filter(|_| pictures && tag.name.as_slice() == b"img");
                words.extend(alt.map(|alt| String::from_utf8_lossy(alt).into_owned()));
                words.push(' ');
            }
            Token::String(text) if !is_style => words.push_str(&String::from_utf8_lossy(&text)),
            _ => is_style = false,
        }
    }
    words
}

/// The parts of a start tag that decide whether its element is read.
struct Element {
    name: String,
    classes: Vec<String>,
    id: String,
    /// The attribute `name`, with which some programs mark their elements.
    mark: String,
    /// The style, in lower case, without spaces.
    style: String,
    hidden: bool,
}

impl Element {
    fn new(tag: &StartTag<()>) -> Self {
        let attribute = |name: &[u8]| {
            let value = tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).into_owned());
            value.unwrap_or_default().to_lowercase()
        };
        Self {
            name: String::from_utf8_lossy(&tag.name).into_owned(),
            classes: attribute(b"class").split_whitespace().map(|class| own_name(class).to_owned()).collect(),
            id: own_name(attribute(b"id").trim()).to_owned(),
            mark: attribute(b"name"),
            style: attribute(b"style").chars().filter(|c| !c.is_whitespace()).collect(),
            hidden: tag.attributes.contains_key(b"hidden".as_slice()),
        }
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    fn has_class(&self, names: &[&str]) -> bool {
        self.classes.iter().any(|class| names.contains(&class.as_str()))
    }

    /// Returns whether the element never has an end tag.
    fn is_void(&self) -> bool {
        self.is(&["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
    }

    /// Returns whether this element and everything below it are quoted, according to the marks of Outlook, Hotmail,
    /// Zimbra, Thunderbird and other programs.
    fn is_cut(&self) -> bool {
        matches!(
            self.id.as_str(),
            "divrplyfwdmsg"
                | "olk_src_body_section"
                | "appendonsend"
                | "stopspelling"
                | "zwchr"
                | "mail-editor-reference-message-container"
                | "divtaggeddefaultwrapper_reply"
                | "replysplit"
        ) || self.id.ends_with("divrplyfwdmsg")
            || self.has_class(&["outlookmessageheader", "moz-forward-container", "moz-email-headers-table"])
            || (self.is(&["div"]) && self.has_rule_above())
    }

    /// Returns whether the element has a rule above it, like the one that Word draws above the headers of a quote.
    fn has_rule_above(&self) -> bool {
        self.has_border(&["border-top", "border-top-style"])
    }

    /// Returns whether the element has a bar on its left, like the one that Outlook and web portals draw beside a
    /// quote.
    fn has_bar(&self) -> bool {
        self.has_border(&["border-left", "border-left-style"])
    }

    fn has_border(&self, names: &[&str]) -> bool {
        self.style.split(';').any(|rule| {
            rule.split_once(':').is_some_and(|(name, value)| {
                names.contains(&name) && value.contains("solid") && !value.starts_with('0')
            })
        })
    }

    fn is_quote(&self) -> bool {
        // Yahoo adds a prefix to every ID and class name: `ydp1a2b3cyahoo_quoted_17`.
        let is_yahoo = |name: &str| name.contains("yahoo_quoted") || name.contains("yahoo-quoted");
        self.is(&["blockquote"])
            || is_yahoo(&self.id)
            || self.classes.iter().any(|class| is_yahoo(class))
            || (self.is(&["div"]) && (self.mark == "quote" || self.has_bar()))
            || self.has_class(&[
                "protonmail_quote",
                "tutanota_quote",
                "zmail_extra",
                "mail_quote",
                "cl-quote",
                "freebirdformviewheader",
                "rm-quote",
                "quotedmessage",
                "front-blockquote",
                "mcntquote",
                "ms-outlook-mobile-reference-message",
                "freshdesk_quote",
                "moz-cite-prefix",
            ])
            || matches!(self.id.as_str(), "isreplycontent" | "orig-msg" | "quoted_message" | "reply-intro")
    }

    /// Returns whether this is the frame that Gmail and Zoho Mail add around an attribution, the quotes, and the text
    /// between them.
    fn is_frame(&self) -> bool {
        self.is(&["div"]) && self.has_class(&["gmail_quote", "gmail_quote_container", "zmail_quote"])
    }

    /// Returns whether the element is invisible or marked as a signature.
    fn is_dropped(&self) -> bool {
        let is_hidden = |rule: &str| {
            matches!(rule, "display:none" | "visibility:hidden" | "mso-hide:all" | "opacity:0")
                || rule.starts_with("display:none!")
                || rule
                    .strip_prefix("font-size:0")
                    .or(rule.strip_prefix("max-height:0"))
                    .is_some_and(|unit| !unit.starts_with('.') && !unit.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.is(&[
            "style", "script", "head", "title", "template", "select", "textarea", "noscript", "svg", "object",
            "iframe", "xml", "o:shapedefaults",
        ]) || self.hidden
            || self.style.split(';').any(is_hidden)
            || self.has_class(&[
                "gmail_signature",
                "gmail_signature_prefix",
                "moz-signature",
                "preheader",
                "protonmail_signature_block",
                "bloop_sign",
            ])
            || self.mark == "messagesignaturesection"
            || matches!(
                self.id.as_str(),
                "signature" | "applemailsignature" | "ms-outlook-mobile-signature" | "composer_signature"
            )
    }
}

/// Removes the prefixes that Outlook.com and Hotmail add to every ID and class name.
fn own_name(mut name: &str) -> &str {
    while let Some(rest) = name.strip_prefix("x_").or(name.strip_prefix("ecx")) {
        name = rest;
    }
    name
}

const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "center", "dd", "div", "dl", "dt", "fieldset", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "nav", "ol", "p",
    "pre", "section", "table", "tbody", "tfoot", "thead", "tr", "ul",
];

/// An element whose end tag is awaited, with the number of open elements of the same name.
struct Open {
    name: String,
    depth: usize,
}

impl Open {
    fn start(&mut self, name: &str) {
        self.depth += usize::from(self.name == name);
    }

    /// Returns whether an end tag closes the element.
    fn end(&mut self, name: &str) -> bool {
        if self.name == name {
            self.depth -= 1;
        }
        self.depth == 0
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    line: String,
    /// Whether to write an empty line before the next line with text.
    gap: bool,
    /// The number of open `pre` elements.
    verbatim: usize,
    dropped: Option<Open>,
    frame: Option<Open>,
    /// Whether to ignore text, because it is in a frame above the first quote, where programs write the attribution.
    silent: bool,
}

impl Writer {
    /// Handles a start tag. Returns false if all text below it is quoted, so that reading ends.
    fn start(&mut self, element: &Element) -> bool {
        let open = || Open { name: element.name.clone(), depth: 1 };
        if let Some(dropped) = &mut self.dropped {
            dropped.start(&element.name);
            return true;
        }
        if let Some(frame) = &mut self.frame {
            frame.start(&element.name);
        }
        if element.is_cut() {
            self.break_line();
            self.push_line(CUT);
            return false;
        }
        if BLOCKS.contains(&element.name.as_str()) {
            self.break_line();
        }
        if element.is_quote() {
            self.quote();
            self.dropped = Some(open());
            return true;
        }
        if element.is_frame() && self.frame.is_none() {
            self.quote();
            self.frame = Some(open());
            self.silent = true;
            return true;
        }
        if element.is_dropped() && !element.is_void() {
            self.dropped = Some(open());
            return true;
        }
        match element.name.as_str() {
            "br" => self.end_line(),
            "p" if !element.classes.iter().any(|class| class.starts_with("mso")) => self.gap = true,
            "td" | "th" => self.write(" "),
            "pre" => self.verbatim += 1,
            _ => {}
        }
        true
    }

    fn end(&mut self, name: &str) {
        if let Some(dropped) = &mut self.dropped {
            if dropped.end(name) {
                // The frame may contain an answer below its quote.
                self.silent &= name != "blockquote";
                self.dropped = None;
            }
            return;
        }
        if self.frame.as_mut().is_some_and(|frame| frame.end(name)) {
            self.break_line();
            self.frame = None;
            self.silent = false;
        }
        match name {
            "p" => {
                self.break_line();
                self.gap = true;
            }
            "pre" => {
                self.break_line();
                self.verbatim = self.verbatim.saturating_sub(1);
            }
            name if BLOCKS.contains(&name) => self.break_line(),
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.dropped.is_some() || self.silent {
            return;
        }
        for c in text.chars() {
            match c {
                '\n' if self.verbatim > 0 => self.end_line(),
                '\r' => {}
                ' ' | '\t' | '\n' | '\u{c}' if self.verbatim == 0 => {
                    if !self.line.is_empty() && !self.line.ends_with(' ') {
                        self.line.push(' ');
                    }
                }
                c => self.line.push(c),
            }
        }
    }

    /// Writes a line with `>` instead of a quote.
    fn quote(&mut self) {
        self.break_line();
        if !self.text.ends_with("\n>\n") {
            self.push_line(">");
        }
        self.gap = true;
    }

    fn break_line(&mut self) {
        if !self.line.trim_matches(' ').is_empty() {
            self.end_line();
        }
        self.line.clear();
    }

    fn end_line(&mut self) {
        if self.silent {
            return;
        }
        let line = std::mem::take(&mut self.line);
        self.push_line(if self.verbatim > 0 { &line } else { line.trim_end_matches(' ') });
    }

    fn push_line(&mut self, line: &str) {
        if std::mem::take(&mut self.gap) && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}
