//! A command written back as a line, passwords masked.

use super::words::written;
use super::{Account, Act, Command, Password, PreviewFrom, Verb, Which};

fn mask(password: &Password) -> String {
    format!("{password:?}")
}

fn which_word(which: Which) -> &'static str {
    match which {
        Which::All => "all",
        Which::Active => "active",
        Which::Next => "next",
    }
}

fn board_text(&(board, ply): &(u32, Option<u32>)) -> String {
    match ply {
        Some(ply) => format!("{board}#{ply}"),
        None => board.to_string(),
    }
}

/// The line that gives this command again, once the passwords are put back.
pub(super) fn shown(command: &Command, say: Option<&str>) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| words.push(word.to_owned());
    match command {
        Command::Signup { userid, password, addresses } => {
            [&["signup".to_owned(), userid.clone(), mask(password)], &addresses[..]]
                .concat()
                .iter()
                .for_each(|w| add(w));
        }
        Command::ConfirmAddress { userid, code } => ["confirm", userid, code].into_iter().for_each(add),
        Command::ChangePassword { userid, current, new } => {
            ["change", "password", userid, &mask(current), &mask(new)].into_iter().for_each(add);
        }
        Command::Account { userid, password, what: Account::Addresses(addresses) } => {
            ["change", "address", userid, &mask(password)].into_iter().for_each(&mut add);
            addresses.iter().for_each(|address| add(address));
        }
        Command::Account { .. } => unimplemented!("to come"),
        Command::Help { topics } => {
            add("help");
            topics.iter().for_each(|topic| add(topic));
        }
        Command::List { games } => {
            add("list");
            games.iter().for_each(|game| add(game));
        }
        Command::ShowPlayers { userids } => {
            add("show");
            userids.iter().for_each(|userid| add(userid));
        }
        Command::ShowBoards { boards, plain } => {
            add("show");
            boards.iter().for_each(|board| add(&board_text(board)));
            if *plain {
                add("--plain");
            }
        }
        Command::AllShow { userid, which } => ["all", "show", userid, which_word(*which)].into_iter().for_each(add),
        Command::Game { game, verb } => {
            add(game);
            verb_words(verb, &mut add);
        }
    }
    if let Some(say) = say {
        words.push(format!("--say={say}"));
    }
    // What holds no blank is written bare; options are one word each already.
    words.iter().map(|word| written(word)).collect::<Vec<_>>().join(" ")
}

fn verb_words(verb: &Verb, add: &mut impl FnMut(&str)) {
    match verb {
        Verb::Challenge { options, players, .. } => {
            add("challenge");
            options.to_string().split_whitespace().for_each(&mut *add);
            players.iter().for_each(|userid| add(userid.as_deref().unwrap_or("anyone")));
        }
        Verb::At { board, userid, password, act } => {
            let verb = match act {
                Act::Resign => "resign",
                Act::Decline => "decline",
                Act::Move { .. } => "move",
                _ => unimplemented!("to come"),
            };
            [verb, &board.to_string(), userid, &mask(password)].into_iter().for_each(&mut *add);
            if let Act::Move { text, ply } = act {
                add(&ply.map_or_else(|| text.clone(), |ply| format!("{text}#{ply}")));
            }
        }
        Verb::Wish { .. } | Verb::Standings => unimplemented!("to come"),
        Verb::Show { boards, plain } => {
            add("show");
            boards.iter().for_each(|board| add(&board_text(board)));
            if *plain {
                add("--plain");
            }
        }
        Verb::Games { userids, which } => {
            add("games");
            userids.iter().for_each(|userid| add(userid));
            add(which_word(*which));
        }
        Verb::History { board, json } => {
            ["history", &board.to_string()].into_iter().for_each(&mut *add);
            if *json {
                add("--format=json");
            }
        }
        Verb::Preview { from, moves, plain } => {
            add("preview");
            match from {
                PreviewFrom::Board(board, ply) => add(&board_text(&(*board, *ply))),
                PreviewFrom::New(options) => {
                    add("new");
                    options.to_string().split_whitespace().for_each(&mut *add);
                }
            }
            moves.iter().for_each(|text| add(text));
            if *plain {
                add("--plain");
            }
        }
    }
}
