//! Conditional replies: a tree over the opponent's moves, and its text form.
//!
//! ```text
//! plan   = branch { ";" branch } [ ";" ]
//! branch = ( [ "if" ] move { "or" move } "then" | "else" [ "then" ] ) reply [ "then" ( "(" plan ")" | branch ) ]
//! reply  = move | "resign" | "stop"
//! ```
//!
//! Before another branch, `else if` means the same as `if`.
//!
//! `k4 then h2; k5,k6 then resign; else stop`: if the opponent plays k4, h2 is played immediately. If they play the
//! pair k5,k6, the game is resigned. On any other move, the plan ends. `k4 then h2 then k6 then h3` answers two
//! consecutive moves of the opponent. In `k4 then h2 then (k6 then h3; else h4)`, the second reply depends on the
//! opponent's second move.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::words::{excerpt, is_graphic};
use crate::message;
use crate::text::{Message, nearest};

/// Conditional replies, tried in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The alternatives. An `else` is always last.
    pub branches: Vec<Branch>,
}

/// The reply to some moves of the opponent, and the plan after the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The opponent's moves.
    pub when: When,
    /// The reply.
    pub reply: Reply,
    /// The plan after the reply. It is empty unless the reply is a move.
    pub next: Plan,
}

/// The moves of the opponent that a branch replies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Any of these move texts, as typed, in lower case. There is at least one.
    Moves(Vec<String>),
    /// Any move that no earlier branch names.
    Else,
}

/// A reply of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A move text, as typed, in lower case.
    Move(String),
    /// Resigns the game.
    Resign,
    /// No reply: the plan ends, and the player chooses the move.
    Stop,
}

impl Plan {
    /// Returns whether any branch of the plan resigns the game.
    pub fn resigns(&self) -> bool {
        self.branches.iter().any(|branch| branch.reply == Reply::Resign || branch.next.resigns())
    }

    /// Adds a line of play: a move of the opponent, the reply, their next move, and so on. The line replaces earlier
    /// replies to the same moves. A final move of the opponent without a reply is ignored.
    ///
    /// ```
    /// use turnpost::command::Plan;
    ///
    /// let mut plan: Plan = "k4 or k5 then h2; else stop".parse().unwrap();
    /// plan.add(&["k4", "h2", "k6", "h3"]);
    /// assert_eq!(plan.to_string(), "k5 then h2; k4 then h2 then k6 then h3; else stop");
    /// ```
    pub fn add(&mut self, line: &[&str]) {
        let [when, reply, rest @ ..] = line else { return };
        let mut next = Plan::default();
        if let Some(at) = self.branches.iter().position(|branch| branch.replies_to(when)) {
            let branch = &mut self.branches[at];
            if branch.reply == Reply::Move((*reply).to_owned()) {
                next = branch.next.clone();
            }
            match &mut branch.when {
                When::Moves(moves) if moves.len() > 1 => moves.retain(|text| text != when),
                _ => drop(self.branches.remove(at)),
            }
        }
        next.add(rest);
        let branch =
            Branch { when: When::Moves(vec![(*when).to_owned()]), reply: Reply::Move((*reply).to_owned()), next };
        let end = self.branches.iter().position(|branch| branch.when == When::Else).unwrap_or(self.branches.len());
        self.branches.insert(end, branch);
    }
}

impl Branch {
    fn replies_to(&self, when: &str) -> bool {
        matches!(&self.when, When::Moves(moves) if moves.iter().any(|text| text == when))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, branch) in self.branches.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "; " })?;
            write!(f, "{branch}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.when {
            When::Moves(moves) => write!(f, "{} then ", moves.join(" or "))?,
            When::Else => f.write_str("else ")?,
        }
        match &self.reply {
            Reply::Move(text) => f.write_str(text)?,
            Reply::Resign => f.write_str("resign")?,
            Reply::Stop => f.write_str("stop")?,
        }
        match self.next.branches.as_slice() {
            [] => Ok(()),
            [one] => write!(f, " then {one}"),
            _ => write!(f, " then ({})", self.next),
        }
    }
}

/// The maximum number of branches in a plan, including nested ones.
const MOST_BRANCHES: usize = 200;
/// The maximum number of consecutive replies, which limits the parser's recursion.
const DEEPEST: usize = 30;
/// Words that cannot be move texts.
const RESERVED: [&str; 6] = ["if", "then", "or", "else", "stop", "resign"];

/// Why a text is not a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    /// The wrong word, in lower case; empty if the plan is empty.
    pub word: String,
    /// A description of the error, in one sentence with a full stop.
    pub message: Message,
}

/// A [`PlanError`] with its position.
pub(crate) struct LocatedPlanError {
    pub error: PlanError,
    /// The byte offset of the wrong word.
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

/// Parses a plan. The error includes its position in the text.
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

    /// Creates the error for a word other than the allowed ones.
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
        // A dash or comma at the start, or a comma at the end, would change the word when the plan is written and
        // parsed again.
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

    /// Takes the next token if it has this text.
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
        if self.tokens.get(self.next + 1).is_some_and(|token| token.text == "if") {
            self.take("else");
        }
        self.take("if");
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
