//! Reads conditional replies; the grammar is at the head of `plan.rs`.

use crate::text::{Message, nearest};
use std::collections::HashSet;
use std::str::FromStr;

use super::values::is_graphic;
use super::words::said;
use super::{Branch, Plan, Reply, When};

/// The most branches of a plan, those inside others counted too.
const MOST_BRANCHES: usize = 200;
/// How many replies may stand one behind the other; the reader calls itself no deeper.
const DEEPEST: usize = 30;
/// Words that are never move texts.
const RESERVED: [&str; 5] = ["then", "or", "else", "stop", "resign"];

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    /// The word at fault, in lower case; empty when the plan is.
    pub word: String,
    /// What is wrong, one sentence with a full stop.
    pub message: Message,
}

/// A [`PlanError`], and where it is.
pub(super) struct Wrong {
    pub error: PlanError,
    /// Byte offset of the word at fault.
    pub at: usize,
    /// What was meant, perhaps.
    pub nearest: Option<String>,
}

impl FromStr for Plan {
    type Err = PlanError;
    fn from_str(text: &str) -> Result<Self, PlanError> {
        read(text).map_err(|wrong| wrong.error)
    }
}

/// Reads a plan, and says of a wrong one where.
pub(super) fn read(text: &str) -> Result<Plan, Wrong> {
    let tokens = tokens(text);
    if tokens.is_empty() {
        let error = PlanError { word: String::new(), message: "The plan is empty.".into() };
        return Err(Wrong { error, at: 0, nearest: None });
    }
    let mut reader = Reader { tokens: &tokens, next: 0, branches: 0 };
    let plan = reader.plan(1)?;
    match reader.peek() {
        Some(token) if token.text == ")" => Err(token.wrong("This \")\" closes nothing.")),
        Some(token) => Err(token.wrong_end()),
        None => Ok(plan),
    }
}

/// Whether a text is a move text that a plan can hold.
pub(super) fn check_move(text: &str) -> Result<(), PlanError> {
    let whole = Token { at: 0, text: text.to_ascii_lowercase() };
    let cut = text.contains([';', '(', ')']);
    let checked = if cut { Err(whole.wrong(format!("{} is not a move.", said(text)))) } else { whole.move_text() };
    checked.map(|_| ()).map_err(|wrong| wrong.error)
}

/// A word, or one of `;`, `(` and `)`.
struct Token {
    at: usize,
    text: String,
}

impl Token {
    fn is_word(&self) -> bool {
        !matches!(self.text.as_str(), ";" | "(" | ")")
    }

    fn is_reserved(&self) -> bool {
        RESERVED.contains(&self.text.as_str())
    }

    fn wrong(&self, message: impl Into<Message>) -> Wrong {
        let error = PlanError { word: self.text.clone(), message: message.into() };
        Wrong { error, at: self.at, nearest: None }
    }

    /// Not one of the words that may stand here.
    fn wrong_near(&self, message: impl Into<Message>, right: &[&'static str]) -> Wrong {
        let near = nearest(&self.text, right.iter().copied()).map(str::to_owned);
        Wrong { nearest: near, ..self.wrong(message) }
    }

    fn wrong_end(&self) -> Wrong {
        let message = format!("Behind a reply stands \"then\" or \";\", not {}.", said(&self.text));
        self.wrong_near(message, &["then"])
    }

    /// The move text that it is.
    fn move_text(&self) -> Result<String, Wrong> {
        let text = self.text.as_str();
        if let Some((before, _)) = text.split_once('#') {
            let near = Some(before.to_owned()).filter(|before| !before.is_empty());
            return Err(Wrong { nearest: near, ..self.wrong("In a plan a move has no number.") });
        }
        if !self.is_word() || self.is_reserved() {
            return Err(self.wrong(format!("A move should stand here, not {}.", said(text))));
        }
        // A dash or a comma at the end would make another word of it when the plan is written back.
        if !is_graphic(text) || text.contains('"') || text.starts_with(['-', ',']) || text.ends_with(',') {
            return Err(self.wrong(format!("{} is not a move.", said(text))));
        }
        Ok(text.to_owned())
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let mark = matches!(c, ';' | '(' | ')');
        if c.is_whitespace() {
            inside = false;
            continue;
        }
        match tokens.last_mut().filter(|_| inside && !mark) {
            Some(word) => word.text.push(c.to_ascii_lowercase()),
            None => tokens.push(Token { at, text: c.to_ascii_lowercase().to_string() }),
        }
        inside = !mark;
    }
    // `k5, k6` is one move.
    let mut joined: Vec<Token> = Vec::new();
    for token in tokens {
        match joined.last_mut() {
            Some(before)
                if (before.text.ends_with(',') || token.text.starts_with(','))
                    && [&*before, &token].iter().all(|token| token.is_word() && !token.is_reserved()) =>
            {
                before.text.push_str(&token.text);
            }
            _ => joined.push(token),
        }
    }
    joined
}

struct Reader<'a> {
    tokens: &'a [Token],
    next: usize,
    /// Branches so far.
    branches: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    /// The next token; at the end, what is missing after the last.
    fn need(&mut self, what: &str) -> Result<&'a Token, Wrong> {
        let token = self.peek();
        self.next += 1;
        token.ok_or_else(|| self.tokens[self.tokens.len() - 1].wrong(format!("{what} is missing at the end.")))
    }

    /// Takes this token, if it is the next.
    fn take(&mut self, text: &str) -> Option<&'a Token> {
        let token = self.peek().filter(|token| token.text == text)?;
        self.next += 1;
        Some(token)
    }

    /// Branches up to what ends the plan.
    fn plan(&mut self, depth: usize) -> Result<Plan, Wrong> {
        let mut plan = Plan::default();
        let mut named = HashSet::new();
        loop {
            plan.branches.push(self.branch(depth, &mut named)?);
            let ended = self.take(";").is_none();
            let Some(token) = self.peek().filter(|token| !ended && token.text != ")") else { return Ok(plan) };
            if plan.branches.last().is_some_and(|branch| branch.when == When::Else) {
                return Err(token.wrong("Nothing may follow \"else\" and its reply: it stands for every other move."));
            }
        }
    }

    /// One branch, to moves that none of its plan has `named` yet.
    fn branch(&mut self, depth: usize, named: &mut HashSet<&'a str>) -> Result<Branch, Wrong> {
        let first = self.need("A move of the opponent")?;
        self.branches += 1;
        if self.branches > MOST_BRANCHES {
            return Err(first.wrong(format!("A plan has {MOST_BRANCHES} branches at most.")));
        }
        if depth > DEEPEST {
            return Err(first.wrong(format!("In a plan {DEEPEST} replies at most stand one behind the other.")));
        }
        let when = if first.text == "else" {
            self.take("then");
            When::Else
        } else {
            When::Moves(self.moves(first, named)?)
        };
        let reply = self.reply()?;
        let mut next = Plan::default();
        if let Some(then) = self.take("then") {
            if !matches!(reply, Reply::Move(_)) {
                return Err(then.wrong("Nothing may follow \"resign\" or \"stop\"."));
            }
            next = self.next_plan(depth + 1)?;
        }
        Ok(Branch { when, reply, next })
    }

    /// The opponent's moves up to `then`.
    fn moves(&mut self, first: &'a Token, named: &mut HashSet<&'a str>) -> Result<Vec<String>, Wrong> {
        let mut moves = Vec::new();
        let mut token = first;
        loop {
            if !token.is_word() {
                let message =
                    format!("A move of the opponent or \"else\" should stand here, not {}.", said(&token.text));
                return Err(token.wrong(message));
            }
            moves.push(token.move_text()?);
            if !named.insert(&token.text) {
                return Err(token.wrong(format!("{} has a reply already.", said(&token.text))));
            }
            let after = self.need("\"then\" with a reply")?;
            match after.text.as_str() {
                "then" => return Ok(moves),
                "or" => token = self.need("A move of the opponent")?,
                text => {
                    let message =
                        format!("After a move of the opponent stands \"then\" or \"or\", not {}.", said(text));
                    return Err(after.wrong_near(message, &["then"]));
                }
            }
        }
    }

    fn reply(&mut self) -> Result<Reply, Wrong> {
        let token = self.need("The reply")?;
        match token.text.as_str() {
            "resign" => Ok(Reply::Resign),
            "stop" => Ok(Reply::Stop),
            _ => token.move_text().map(Reply::Move),
        }
    }

    /// What is prepared after a reply: a plan in parentheses, or one branch.
    fn next_plan(&mut self, depth: usize) -> Result<Plan, Wrong> {
        let Some(open) = self.take("(") else {
            return Ok(Plan { branches: vec![self.branch(depth, &mut HashSet::new())?] });
        };
        if let Some(token) = self.take(")") {
            return Err(token.wrong("The plan between \"(\" and \")\" is empty."));
        }
        let plan = self.plan(depth)?;
        match self.peek() {
            None => Err(open.wrong("This \"(\" is not closed.")),
            Some(token) if token.text == ")" => {
                self.next += 1;
                Ok(plan)
            }
            Some(token) => Err(token.wrong_end()),
        }
    }
}
