//! A command written back as a line, passwords masked.

use super::words::written;
use super::{Account, Act, Command, Followed, Password, PreviewFrom, Terms, Verb, Which, Wish, at, game};

/// A line as it grows, word by word.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, word: &str) -> &mut Self {
        self.0.push(word.to_owned());
        self
    }

    fn all(&mut self, words: impl IntoIterator<Item = impl ToString>) -> &mut Self {
        self.0.extend(words.into_iter().map(|word| word.to_string()));
        self
    }

    fn signed(&mut self, userid: &str, password: &Password) -> &mut Self {
        self.add(userid).add(&format!("{password:?}"))
    }

    /// `--plain` and the like.
    fn flag(&mut self, set: bool, name: &str) -> &mut Self {
        self.all(set.then(|| format!("--{name}")))
    }

    fn boards(&mut self, boards: &[(u32, Option<u32>)]) -> &mut Self {
        self.all(boards.iter().map(|&(board, ply)| numbered(&board.to_string(), ply)))
    }
}

/// `123#7`, `f3#14`
fn numbered(text: &str, ply: Option<u32>) -> String {
    ply.map_or_else(|| text.to_owned(), |ply| format!("{text}#{ply}"))
}

fn which_word(which: Which) -> &'static str {
    match which {
        Which::All => "all",
        Which::Active => "active",
        Which::Next => "next",
    }
}

/// The line that gives this command again, once the passwords are put back.
pub(super) fn shown(command: &Command, say: Option<&str>) -> String {
    let mut words = Words::default();
    match command {
        Command::Signup { userid, password, addresses } => words.add("signup").signed(userid, password).all(addresses),
        Command::ConfirmAddress { userid, code } => words.all(["confirm", userid, code]),
        Command::ChangePassword { userid, current, new } => {
            words.all(["change", "password"]).signed(userid, current).add(&format!("{new:?}"))
        }
        Command::Account { userid, password, what } => {
            let (own, rest) = account(what);
            words.all(own.split(' ')).signed(userid, password).all(rest)
        }
        Command::Help { topics } => words.add("help").all(topics),
        Command::List { games } => words.add("list").all(games),
        Command::ShowPlayers { userids } => words.add("show").all(userids),
        Command::ShowBoards { boards, plain } => words.add("show").boards(boards).flag(*plain, "plain"),
        Command::AllShow { userid, which } => words.all(["all", "show", userid, which_word(*which)]),
        Command::Game { game, verb } => {
            words.add(game);
            verb_words(verb, &mut words);
            &mut words
        }
    };
    words.all(say.map(|say| format!("--say={say}")));
    // What holds no blank is written bare; options are one word each already.
    words.0.iter().map(|word| written(word)).collect::<Vec<_>>().join(" ")
}

/// The command's own words, and what stands behind userid and password.
fn account(what: &Account) -> (&'static str, Vec<String>) {
    match what {
        Account::Addresses(addresses) => ("change address", addresses.clone()),
        Account::VacationUntil(day) => ("vacation", vec!["until".to_owned(), day.to_string()]),
        Account::VacationOff => ("vacation", vec!["off".to_owned()]),
        Account::Vacation => ("vacation", Vec::new()),
        Account::Set(settings) => ("set", settings.iter().map(ToString::to_string).collect()),
        Account::Signoff(code) => ("signoff", code.iter().cloned().collect()),
        Account::Message(to) => ("message", to.clone()),
        Account::Broadcast => ("broadcast", Vec::new()),
    }
}

fn verb_words(verb: &Verb, words: &mut Words) {
    match verb {
        Verb::Challenge { options, players, terms } => {
            words.add("challenge").all(options.to_string().split_whitespace());
            add_terms(terms, words);
            words.all(players.iter().map(|userid| userid.as_deref().unwrap_or("anyone")))
        }
        Verb::At { board, userid, password, act } => {
            words.add(at::verb(act)).all([board]).signed(userid, password).all(act_words(act))
        }
        Verb::Wish { userid, password, wish: Wish::Seek(n) } => words.add("seek").signed(userid, password).all([n]),
        Verb::Wish { userid, password, wish: Wish::Limit(limit) } => {
            let limit = match limit {
                None => "all".to_owned(),
                Some(0) => "none".to_owned(),
                Some(n) => n.to_string(),
            };
            words.add("limit").signed(userid, password).add(&limit)
        }
        Verb::Wish { userid, password, wish: Wish::Follow { what, how } } => {
            let what = match what {
                Followed::All => "all".to_owned(),
                Followed::Board(board) => board.to_string(),
            };
            words.add(game::following(*how)).add(&what).signed(userid, password)
        }
        Verb::Show { boards, plain } => words.add("show").boards(boards).flag(*plain, "plain"),
        Verb::Games { userids, which } => words.add("games").all(userids).add(which_word(*which)),
        Verb::History { board, json } => words.add("history").all([board]).flag(*json, "format=json"),
        Verb::Standings => words.add("standings"),
        Verb::Preview { from, moves, plain } => {
            words.add("preview");
            match from {
                PreviewFrom::Board(board, ply) => words.boards(&[(*board, *ply)]),
                PreviewFrom::New(options) => words.add("new").all(options.to_string().split_whitespace()),
            };
            words.all(moves).flag(*plain, "plain")
        }
    };
}

fn add_terms(terms: &Terms, words: &mut Words) {
    for (name, days) in [("nagtime", terms.nag), ("forfeittime", terms.forfeit), ("totaltime", terms.total)] {
        words.all(days.map(|days| format!("--{name}={days}")));
    }
    words.flag(terms.unrated, "unrated").flag(terms.private, "private");
}

/// What stands behind the password.
fn act_words(act: &Act) -> Option<String> {
    match act {
        Act::Move { text, ply } | Act::Submit { text, ply } => Some(numbered(text, *ply)),
        Act::Queue(text) => Some(text.as_deref().unwrap_or("off").to_owned()),
        Act::If(plan) => Some(plan.as_ref().map_or_else(|| "off".to_owned(), ToString::to_string)),
        _ => None,
    }
}
