//! Reads conditional replies; the grammar is at the head of `plan.rs`.

use std::collections::HashSet;
use std::str::FromStr;

use super::plan::{Branch, Plan, Reply, When};
use super::words::{excerpt, is_graphic};
use crate::message;
use crate::text::{Message, nearest};

/// The maximum number of branches in a plan, including nested ones.
const MOST_BRANCHES: usize = 200;
/// The maximum number of consecutive replies, which limits the parser's recursion.
const DEEPEST: usize = 30;
/// Words that are never move texts.
const RESERVED: [&str; 5] = ["then", "or", "else", "stop", "resign"];

/// Why a text is not a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    /// The word at fault, in lower case; empty if the whole plan is at fault.
    pub word: String,
    /// The fault, in one sentence with a full stop.
    pub message: Message,
}

/// A [`PlanError`] with its position.
pub(crate) struct LocatedPlanError {
    pub error: PlanError,
    /// Byte offset of the word at fault.
    pub at: usize,
    /// The nearest valid word, if one is close.
    pub nearest: Option<String>,
}

impl FromStr for Plan {
    type Err = PlanError;
    fn from_str(text: &str) -> Result<Self, PlanError> {
        read(text).map_err(|located| located.error)
    }
}

/// Parses a plan. The error includes the position of the fault.
pub(crate) fn read(text: &str) -> Result<Plan, LocatedPlanError> {
    let tokens = tokens(text);
    if tokens.is_empty() {
        let error = PlanError { word: String::new(), message: message!("command.plan-empty") };
        return Err(LocatedPlanError { error, at: 0, nearest: None });
    }
    let mut reader = Reader { tokens: &tokens, next: 0, branches: 0 };
    let plan = reader.plan(1)?;
    match reader.peek() {
        Some(token) if token.text == ")" => Err(token.wrong(message!("command.plan-unopened"))),
        Some(token) => Err(token.wrong_end()),
        None => Ok(plan),
    }
}

/// Checks that a text is a move text that a plan may contain.
pub(crate) fn check_move(text: &str) -> Result<(), PlanError> {
    let whole = Token { at: 0, text: text.to_ascii_lowercase() };
    let cut = text.contains([';', '(', ')']);
    let not_a_move = || message!("command.not-a-move", word = excerpt(text));
    let checked = if cut { Err(whole.wrong(not_a_move())) } else { whole.move_text() };
    checked.map(|_| ()).map_err(|located| located.error)
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

    fn wrong(&self, message: Message) -> LocatedPlanError {
        let error = PlanError { word: self.text.clone(), message };
        LocatedPlanError { error, at: self.at, nearest: None }
    }

    /// Creates the error for a word that is not one of the allowed ones.
    fn wrong_near(&self, message: Message, right: &[&'static str]) -> LocatedPlanError {
        let near = nearest(&self.text, right.iter().copied()).map(str::to_owned);
        LocatedPlanError { nearest: near, ..self.wrong(message) }
    }

    fn wrong_end(&self) -> LocatedPlanError {
        self.wrong_near(message!("command.plan-after-reply", word = excerpt(&self.text)), &["then"])
    }

    /// Reads the token as a move text.
    fn move_text(&self) -> Result<String, LocatedPlanError> {
        let text = self.text.as_str();
        if let Some((before, _)) = text.split_once('#') {
            let near = Some(before.to_owned()).filter(|before| !before.is_empty());
            return Err(LocatedPlanError { nearest: near, ..self.wrong(message!("command.plan-number")) });
        }
        if !self.is_word() || self.is_reserved() {
            return Err(self.wrong(message!("command.plan-wants-move", word = excerpt(text))));
        }
        // A final dash or comma would change the word when the plan is written and parsed again.
        if !is_graphic(text) || text.contains('"') || text.starts_with(['-', ',']) || text.ends_with(',') {
            return Err(self.wrong(message!("command.not-a-move", word = excerpt(text))));
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
    /// The number of branches read so far.
    branches: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    /// Takes the next token. `missing` is the error at the end of the text.
    fn need(&mut self, missing: Message) -> Result<&'a Token, LocatedPlanError> {
        let token = self.peek();
        self.next += 1;
        token.ok_or_else(|| self.tokens[self.tokens.len() - 1].wrong(missing))
    }

    /// Takes the next token, if it is this one.
    fn take(&mut self, text: &str) -> Option<&'a Token> {
        let token = self.peek().filter(|token| token.text == text)?;
        self.next += 1;
        Some(token)
    }

    /// Reads branches up to the end of the plan.
    fn plan(&mut self, depth: usize) -> Result<Plan, LocatedPlanError> {
        let mut plan = Plan::default();
        let mut named = HashSet::new();
        loop {
            plan.branches.push(self.branch(depth, &mut named)?);
            let ended = self.take(";").is_none();
            let Some(token) = self.peek().filter(|token| !ended && token.text != ")") else { return Ok(plan) };
            if plan.branches.last().is_some_and(|branch| branch.when == When::Else) {
                return Err(token.wrong(message!("command.plan-after-else")));
            }
        }
    }

    /// Reads one branch. Its moves must differ from those already `named` in the same plan.
    fn branch(&mut self, depth: usize, named: &mut HashSet<&'a str>) -> Result<Branch, LocatedPlanError> {
        let first = self.need(message!("command.plan-missing-move"))?;
        self.branches += 1;
        if self.branches > MOST_BRANCHES {
            return Err(first.wrong(message!("command.plan-branches", most = MOST_BRANCHES)));
        }
        if depth > DEEPEST {
            return Err(first.wrong(message!("command.plan-depth", most = DEEPEST)));
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
                return Err(then.wrong(message!("command.plan-after-end")));
            }
            next = self.next_plan(depth + 1)?;
        }
        Ok(Branch { when, reply, next })
    }

    /// Reads the opponent's moves up to `then`.
    fn moves(&mut self, first: &'a Token, named: &mut HashSet<&'a str>) -> Result<Vec<String>, LocatedPlanError> {
        let mut moves = Vec::new();
        let mut token = first;
        loop {
            if !token.is_word() {
                return Err(token.wrong(message!("command.plan-wants-condition", word = excerpt(&token.text))));
            }
            moves.push(token.move_text()?);
            if !named.insert(&token.text) {
                return Err(token.wrong(message!("command.plan-replied", word = excerpt(&token.text))));
            }
            let after = self.need(message!("command.plan-missing-then"))?;
            match after.text.as_str() {
                "then" => return Ok(moves),
                "or" => token = self.need(message!("command.plan-missing-move"))?,
                text => {
                    let message = message!("command.plan-after-move", word = excerpt(text));
                    return Err(after.wrong_near(message, &["then"]));
                }
            }
        }
    }

    fn reply(&mut self) -> Result<Reply, LocatedPlanError> {
        let token = self.need(message!("command.plan-missing-reply"))?;
        match token.text.as_str() {
            "resign" => Ok(Reply::Resign),
            "stop" => Ok(Reply::Stop),
            _ => token.move_text().map(Reply::Move),
        }
    }

    /// Reads the plan after a reply: a plan in parentheses, or one branch.
    fn next_plan(&mut self, depth: usize) -> Result<Plan, LocatedPlanError> {
        let Some(open) = self.take("(") else {
            return Ok(Plan { branches: vec![self.branch(depth, &mut HashSet::new())?] });
        };
        if let Some(token) = self.take(")") {
            return Err(token.wrong(message!("command.plan-empty-parentheses")));
        }
        let plan = self.plan(depth)?;
        match self.peek() {
            None => Err(open.wrong(message!("command.plan-unclosed"))),
            Some(token) if token.text == ")" => {
                self.next += 1;
                Ok(plan)
            }
            Some(token) => Err(token.wrong_end()),
        }
    }
}
