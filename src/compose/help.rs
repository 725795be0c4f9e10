//! Help pages: plain text for letters and the command line, and the same text split into parts for web pages.
//!
//! The text has no markup: a paragraph may start with a heading (`Board: …`), lists have hyphens, columns are
//! separated by two blanks, and other indented lines are literal. A line `[diagram NAME]` represents a diagram of the
//! game's file.

use anyhow::Context;
use serde::Serialize;

use super::composer::Composer;
use super::lines::{Indents, PROSE, fold};
use super::pictures::Shown;
use super::texts::{Diagram, GameFile};
use crate::message;
use crate::rules::{Game, Notation, Options, catalogue};
use crate::service::help_topics;

/// The maximum length of a paragraph's heading.
const HEADING: usize = 60;

/// A help page for the web.
#[derive(Clone, Debug, Serialize)]
pub struct HelpPage {
    /// The title: `Marque`.
    pub title: String,
    /// The text next to the title: `designed by Cameron Browne, 2008`.
    pub subtitle: String,
    /// The parts in order.
    pub blocks: Vec<Block>,
}

/// A part of a help page.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Block {
    /// A heading.
    Heading {
        /// The text.
        text: String,
    },
    /// A paragraph.
    Paragraph {
        /// The text.
        spans: Vec<Span>,
    },
    /// A list.
    List {
        /// The text of each item.
        items: Vec<Vec<Span>>,
    },
    /// Words with their meanings.
    Table {
        /// The rows.
        rows: Vec<Row>,
    },
    /// Literal lines.
    Code {
        /// The lines.
        text: String,
    },
    /// A position.
    Diagram {
        /// The picture as SVG.
        svg: String,
        /// The caption.
        caption: String,
    },
}

/// A word with its meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The word.
    pub term: Vec<Span>,
    /// The meaning.
    pub meaning: Vec<Span>,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The text.
    pub text: String,
    /// The link target.
    pub link: Option<String>,
    /// Whether the text is part of a command, for example a cell or an option.
    pub code: bool,
}

impl Composer {
    /// Returns a help page as text with soft breaks. For a game, mentions this server's default options.
    pub(crate) fn help_text(&self, topic: &str, default_options: Option<&str>, shown: Shown) -> anyhow::Result<String> {
        let text = self.templates.help(topic)?;
        let game = catalogue::find(topic);
        let file = game.map(|game| self.templates.game_file(game.name())).transpose()?.unwrap_or_default();
        let mut chunks = Vec::new();
        for chunk in text.trim_end().split("\n\n") {
            let lines: Vec<&str> = chunk.lines().collect();
            match (game, lines.first().and_then(|line| directive(line))) {
                (Some(game), Some(name)) => {
                    let diagram = find(&file, game, name)?;
                    if diagram.text {
                        chunks.push(self.diagram_text(game, diagram, shown)?.trim_end().to_owned());
                    }
                }
                _ => chunks.push(folded(&lines)),
            }
        }
        if let (Some(game), Some(options)) = (game, default_options) {
            chunks.push(fold(&self.default_options(game, options)?, PROSE, Indents::default()));
        }
        Ok(chunks.join("\n\n") + "\n")
    }

    /// Describes the default options for challenges on this server.
    fn default_options(&self, game: &dyn Game, options: &str) -> anyhow::Result<String> {
        let labels = Options::from_canonical(options).labels(game.options());
        let words = labels.iter().map(|label| self.message(label)).collect::<anyhow::Result<Vec<_>>>()?;
        let built_in = game.built_in();
        self.message(&message!("compose.default-options", options, words, built_in))
    }

    /// Returns a help page as parts of a web page. For a game, mentions this server's default options.
    ///
    /// # Errors
    /// If there is no such page, or a diagram cannot be drawn.
    pub fn help_page(&self, topic: &str, default_options: Option<&str>) -> anyhow::Result<HelpPage> {
        let text = self.templates.help(topic)?;
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let (title, subtitle) = first.split_once(" - ").unwrap_or((first, ""));
        let game = catalogue::find(topic);
        let mut letters = title.chars();
        let title = match game {
            Some(game) => game.title().to_owned(),
            None => letters.next().into_iter().chain(letters.flat_map(char::to_lowercase)).collect(),
        };
        let file = game.map(|game| self.templates.game_file(game.name())).transpose()?.unwrap_or_default();
        let (mut blocks, mut diagrams) = (Vec::new(), 'a'..);
        if let (Some(game), Some(options)) = (game, default_options) {
            blocks.push(Block::Paragraph { spans: spans(&self.default_options(game, options)?) });
        }
        for chunk in rest.split("\n\n") {
            let lines: Vec<&str> = chunk.lines().filter(|line| !line.is_empty()).collect();
            match (game, lines.first().and_then(|line| directive(line))) {
                (Some(game), Some(name)) => {
                    let diagram = find(&file, game, name)?;
                    // Each diagram contains hundreds of ids, so their prefix is short.
                    let prefix = String::from_iter(diagrams.next());
                    let (svg, caption) = (self.diagram_svg(game, diagram, &prefix)?, diagram.caption.clone());
                    blocks.push(Block::Diagram { svg, caption });
                }
                _ => add_chunk(&mut blocks, &lines),
            }
        }
        Ok(HelpPage { title, subtitle: subtitle.to_owned(), blocks })
    }
}

/// Returns the name of the diagram that a line represents.
fn directive(line: &str) -> Option<&str> {
    line.strip_prefix("[diagram ")?.strip_suffix(']')
}

fn find<'a>(file: &'a GameFile, game: &dyn Game, name: &str) -> anyhow::Result<&'a Diagram> {
    let diagram = file.diagrams.iter().find(|diagram| diagram.name == name);
    diagram.with_context(|| format!("help/{}.toml: no diagram {name}", game.name()))
}

/// The role of a line in its chunk, which is a series of lines without an empty line between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Item,
    Indented,
    Columns,
}

fn kind(line: &str) -> Kind {
    match () {
        () if line.starts_with("- ") => Kind::Item,
        () if line.starts_with("  ") => Kind::Indented,
        () if columns(line).is_some() => Kind::Columns,
        () => Kind::Text,
    }
}

/// Splits a line without indentation into two columns.
fn columns(line: &str) -> Option<(&str, &str)> {
    let (term, meaning) = line.split_once("  ")?;
    Some((term, meaning.trim_start())).filter(|(term, meaning)| !term.is_empty() && !meaning.is_empty())
}

/// Returns the leading lines of a chunk that form one part, and the remaining lines.
fn first_part<'a, 'b>(lines: &'b [&'a str]) -> Option<(Kind, &'b [&'a str], &'b [&'a str])> {
    let same = kind(lines.first()?);
    // Indented lines continue a list or columns.
    let goes_on = |line: &&&str| {
        let this = kind(line);
        this == same || this == Kind::Indented && matches!(same, Kind::Item | Kind::Columns)
    };
    let (these, after) = lines.split_at(lines.iter().take_while(goes_on).count());
    Some((same, these, after))
}

/// Formats a chunk as text, with soft breaks in paragraphs and list items.
fn folded(lines: &[&str]) -> String {
    let (mut parts, mut rest) = (Vec::new(), lines);
    while let Some((kind, these, after)) = first_part(rest) {
        match kind {
            Kind::Text => parts.push(fold(&these.join(" "), PROSE, Indents::default())),
            Kind::Item => {
                let indents = Indents { first: "- ", other: "  " };
                parts.extend(items(these).iter().map(|item| fold(item, PROSE, indents)));
            }
            Kind::Indented | Kind::Columns => parts.extend(these.iter().map(|line| (*line).to_owned())),
        }
        rest = after;
    }
    parts.join("\n")
}

/// Adds the parts of a chunk, which are lines without an empty line between them.
fn add_chunk(blocks: &mut Vec<Block>, lines: &[&str]) {
    let mut rest = lines;
    while let Some((same, these, after)) = first_part(rest) {
        match same {
            Kind::Text => add_paragraph(blocks, these, rest.len() == lines.len(), after),
            Kind::Item => blocks.push(Block::List { items: items(these).iter().map(|item| spans(item)).collect() }),
            Kind::Indented | Kind::Columns => {
                blocks.push(table(these).unwrap_or_else(|| Block::Code { text: dedented(these).join("\n") }));
            }
        }
        rest = after;
    }
}

/// Adds a paragraph. The first paragraph of a chunk may start with a heading, or be only a heading.
fn add_paragraph(blocks: &mut Vec<Block>, lines: &[&str], begins: bool, after: &[&str]) {
    let text = lines.join(" ");
    let is_heading = |words: &str| {
        words.len() <= HEADING && words.chars().all(|c| c.is_alphabetic() || c == ' ' || c == ',') && words.len() > 2
    };
    let before_indented = after.first().is_some_and(|line| kind(line) == Kind::Indented);
    let (heading, text) = match text.split_once(':') {
        Some((words, rest)) if begins && is_heading(words) => (Some(words), rest.trim_start()),
        None if begins && before_indented && is_heading(&text) => (Some(&*text), ""),
        _ => (None, &*text),
    };
    if let Some(heading) = heading {
        blocks.push(Block::Heading { text: heading.to_owned() });
    }
    if !text.is_empty() {
        blocks.push(Block::Paragraph { spans: spans(&capitalised(text, heading.is_some())) });
    }
}

/// Capitalizes a text that follows a heading.
fn capitalised(text: &str, follows_heading: bool) -> String {
    let mut letters = text.chars();
    match letters.next().filter(|_| follows_heading) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => text.to_owned(),
    }
}

/// Returns the items of a list, each on one line.
fn items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        match (line.strip_prefix("- "), items.last_mut()) {
            (None, Some(item)) => *item = format!("{item} {}", line.trim_start()),
            (item, _) => items.push(item.unwrap_or(line).to_owned()),
        }
    }
    items
}

/// Parses lines in two columns. Returns `None` for other lines. A line with more indentation continues the meaning in
/// the second column.
fn table(lines: &[&str]) -> Option<Block> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in dedented(lines) {
        match (line.starts_with("    "), columns(line), rows.last_mut()) {
            (true, _, Some((_, meaning))) => *meaning = format!("{meaning} {}", line.trim_start()),
            (false, Some((term, meaning)), _) => rows.push((term.to_owned(), meaning.to_owned())),
            _ => return None,
        }
    }
    let rows = rows.iter().map(|(term, meaning)| Row { term: spans(term), meaning: spans(meaning) });
    Some(Block::Table { rows: rows.collect() })
}

/// Removes the common indentation of lines.
fn dedented<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    lines.iter().map(|line| &line[indent..]).collect()
}

/// Splits text into spans: addresses and other help pages become links; cells, moves and options become code.
fn spans(text: &str) -> Vec<Span> {
    let topics = help_topics();
    let mut spans: Vec<Span> = Vec::new();
    let mut add = |text: &str, link: Option<String>, code: bool| match spans.last_mut() {
        Some(last) if last.link.is_none() && !last.code && link.is_none() && !code => last.text += text,
        _ if text.is_empty() => {}
        _ => spans.push(Span { text: text.to_owned(), link, code }),
    };
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    for (i, whole) in words.iter().enumerate() {
        let outside = |c: char| "().,;:[]\" ".contains(c);
        let word = whole.trim_matches(outside);
        let (before, after) = whole.split_once(word).filter(|_| !word.is_empty()).unwrap_or((whole, ""));
        let asks_help = i > 0 && words[i - 1].trim_start_matches('(') == "help ";
        let link = match () {
            () if word.starts_with("http://") || word.starts_with("https://") => Some(word.to_owned()),
            () if asks_help && topics.contains(&word) => Some(format!("/help/{word}")),
            () => None,
        };
        add(before, None, false);
        let code = link.is_none() && is_code(word);
        add(word, link, code);
        add(after, None, false);
    }
    spans
}

/// Returns whether a word is part of a command: `f3`, `f3,f4`, `e1-e2`, `-any_3`.
fn is_code(word: &str) -> bool {
    let option = word.trim_start_matches('-');
    let is_option = option.len() < word.len() && option.starts_with(|c: char| c.is_ascii_alphabetic());
    let separates = |c: char| c == Notation::UNORDERED || catalogue::GAMES.iter().any(|game| separated(*game, c));
    let is_move = word.bytes().all(|byte| !byte.is_ascii_uppercase()) && word.split(separates).all(Notation::is_cell);
    is_option || is_move
}

fn separated(game: &dyn Game, c: char) -> bool {
    game.notation().ordered.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        text.split("\n\n").for_each(|chunk| add_chunk(&mut blocks, &chunk.lines().collect::<Vec<_>>()));
        blocks
    }

    fn plain(text: &str) -> Vec<Span> {
        vec![Span { text: text.to_owned(), link: None, code: false }]
    }

    #[test]
    fn a_paragraph_may_begin_with_its_heading() {
        let paragraph = |text| Block::Paragraph { spans: plain(text) };
        let heading = |text: &str| Block::Heading { text: text.to_owned() };
        assert_eq!(blocks("Aim: three or more\nin a row."), [heading("Aim"), paragraph("Three or more in a row.")]);
        assert_eq!(blocks("There are 2: one, two."), [paragraph("There are 2: one, two.")]);
        let accounts = [heading("Accounts"), Block::Code { text: "signup userid\nsignoff userid".to_owned() }];
        assert_eq!(blocks("Accounts\n  signup userid\n  signoff userid"), accounts);
    }

    #[test]
    fn lists_and_columns_continue_in_indented_lines() {
        let list = Block::List { items: vec![plain("one and more;"), plain("two.")] };
        assert_eq!(blocks("- one\n  and more;\n- two."), [list]);
        let row = |term, meaning| Row { term: plain(term), meaning: plain(meaning) };
        let table = Block::Table { rows: vec![row("none", "no base at all"), row("all", "every base")] };
        assert_eq!(blocks("  none   no base\n         at all\n  all    every base"), std::slice::from_ref(&table));
        assert_eq!(blocks("none   no base\n       at all\nall    every base"), [table]);
    }

    #[test]
    fn cells_options_and_links_are_marked_up() {
        let shown = |text: &str| {
            let span = |span: &Span| match (&span.link, span.code) {
                (Some(link), _) => format!("<{link}>"),
                (None, true) => format!("`{}`", span.text),
                (None, false) => span.text.clone(),
            };
            spans(text).iter().map(span).collect::<String>()
        };
        assert_eq!(shown("Write f3,f4 or (e1-e2), not F3."), "Write `f3,f4` or (`e1-e2`), not F3.");
        assert_eq!(shown("Choose -opposite - or not."), "Choose `-opposite` - or not.");
        assert_eq!(shown("See (help clocks)."), "See (help </help/clocks>).");
        assert_eq!(shown("Rules: https://example.org/a."), "Rules: <https://example.org/a>.");
    }
}
