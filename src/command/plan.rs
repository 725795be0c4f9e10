//! Conditional replies: a tree over the opponent's moves.
//!
//! ```text
//! plan   = branch { ";" branch } [ ";" ]
//! branch = ( move { "or" move } "then" | "else" [ "then" ] ) reply [ "then" ( "(" plan ")" | branch ) ]
//! reply  = move | "resign" | "stop"
//! ```
//!
//! `k4 then h2; k5,k6 then resign; else stop`: if the opponent plays k4, h2 is played immediately. If they play the
//! pair k5,k6, the game is resigned. On any other move, the plan ends. `k4 then h2 then k6 then h3` answers two
//! consecutive moves of the opponent, and `k4 then h2 then (k6 then h3; else h4)` does so with a choice.

use std::fmt;

/// Conditional replies, tried in order. Without branches, the plan is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The alternatives. An `else` is always last.
    pub branches: Vec<Branch>,
}

/// The reply to some moves of the opponent, and the plan after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The opponent's moves.
    pub when: When,
    /// The reply.
    pub reply: Reply,
    /// The plan after the reply. Only a move has one.
    pub next: Plan,
}

/// The moves of the opponent that a branch replies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// One of these move texts, as typed, in lower case; at least one.
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
    /// Returns whether the plan resigns the game anywhere.
    pub fn resigns(&self) -> bool {
        self.branches.iter().any(|branch| branch.reply == Reply::Resign || branch.next.resigns())
    }

    /// Adds a line of play: a move of the opponent, the reply, their next move, and so on. It replaces earlier
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
