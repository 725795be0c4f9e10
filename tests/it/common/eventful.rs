//! Creates a server whose boards show every kind of entry and event that a record or an export can contain.

use chrono::TimeDelta;
use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, Response};
use turnpost::store::Seat;

use super::inside::{Inside, WORLD};

/// The moves of a short game of Marque that ends with a win, from tests/data/marque.game.
const FORMATION: &str = "d1 a2 a1 b1 f1,e2 b2 j2 d2 k2,j1 u2 h2";

/// Runs `marque challenge` with these arguments as the first player named in them. Returns the board's number.
fn board(inside: &mut Inside, challenge: &str) -> BoardNumber {
    let challenger = challenge.split_whitespace().find(|word| !word.starts_with('-')).unwrap().to_owned();
    match inside.say(&challenger, &format!("marque challenge {challenge}")) {
        Response::Challenged { board } => board.number,
        Response::Offered { offer } => offer.number,
        other => panic!("{other:?}"),
    }
}

/// Plays moves in turn, starting with the player to move.
fn play(inside: &mut Inside, number: BoardNumber, moves: &str) {
    for text in moves.split_whitespace() {
        let board = inside.read(|l| l.board(number).unwrap().unwrap());
        let userid = board.players[board.to_move.unwrap().index()].userid.clone();
        inside.pass(TimeDelta::minutes(7));
        inside.say(&userid, &format!("marque move {number} {userid} - {text}"));
    }
}

/// Runs a command of the form `marque VERB NUMBER USERID - …`.
fn act(inside: &mut Inside, userid: &str, verb: &str, number: BoardNumber, rest: &str) {
    inside.pass(TimeDelta::seconds(11));
    inside.say(userid, &format!("marque {verb} {number} {userid} - {rest}"));
}

/// Makes an administrator's decision about a board.
fn decide(inside: &mut Inside, number: BoardNumber, decision: Decision, reason: &str) {
    let (service, now) = (inside.config.service(WORLD), inside.now());
    let mut tx = inside.store.write().unwrap();
    service.decide(&mut tx, number, decision, reason, now).unwrap().unwrap();
    tx.commit().unwrap();
}

/// Creates the server. Also returns pairs of an event, for example `forfeit`, and a board on which it occurred.
pub fn eventful() -> (Inside, Vec<(&'static str, BoardNumber)>) {
    let mut inside = Inside::with_players(&["Alice", "bob", "carol", "dora"]);
    let it = &mut inside;
    let mut boards = Vec::new();

    let lapsed = board(it, "Alice carol --nagtime=0 --forfeittime=1");
    boards.push(("lapse", lapsed));
    let forfeited = board(it, "Alice bob --nagtime=1 --forfeittime=2");
    play(it, forfeited, "f3 k1");
    boards.push(("forfeit", forfeited));
    for _ in 0..5 {
        it.letters();
        it.pass(TimeDelta::days(1));
        it.tick();
    }

    let won = board(it, "-any_2 bob Alice");
    play(it, won, FORMATION);
    boards.push(("formation", won));

    let resigned = board(it, "-opposite Alice bob");
    play(it, resigned, "f3 k1 f4");
    act(it, "bob", "resign", resigned, "");
    boards.push(("resign", resigned));

    let drawn = board(it, "carol bob");
    play(it, drawn, "f3");
    act(it, "bob", "propose", drawn, "");
    act(it, "carol", "accept", drawn, "--say=\"Good game\"");
    boards.push(("draw", drawn));

    let decided = board(it, "Alice carol --unrated");
    play(it, decided, "f3");
    decide(it, decided, Decision::Adjudicate(Some(Seat::First)), "both wish it");
    boards.push(("adjudge", decided));

    let declined = board(it, "Alice bob");
    act(it, "bob", "decline", declined, "");
    boards.push(("decline", declined));

    let taken = board(it, "-y Alice anyone --say=Anyone?");
    let withdrawn = board(it, "bob anyone");
    board(it, "carol anyone --private --nagtime=3");
    act(it, "bob", "accept", taken, "");
    act(it, "bob", "decline", withdrawn, "");
    play(it, taken, "f3 k1 f4");
    act(it, "Alice", "undo", taken, "");
    act(it, "bob", "accept", taken, "");
    play(it, taken, "e4");
    act(it, "bob", "propose", taken, "");
    it.try_say("bob", &format!("marque note {taken} bob -"), Some("Watch the corner")).unwrap();
    it.try_say("Alice", &format!("marque chat {taken} Alice -"), Some("Hello\n\"there\" \u{2603}")).unwrap();
    boards.push(("undo", taken));

    let prepared = board(it, "Alice bob --private --totaltime=60");
    play(it, prepared, "f3 k1 f4");
    act(it, "Alice", "if", prepared, "\"k2 then h2; else stop\"");
    act(it, "bob", "submit", prepared, "k2");
    boards.push(("plan", prepared));
    let waiting = board(it, "Alice bob");
    play(it, waiting, "f3 k1 f4");
    act(it, "Alice", "if", waiting, "\"else resign\"");
    boards.push(("resigns", waiting));
    let alone = board(it, "carol carol");
    play(it, alone, "f3 k1");
    boards.push(("alone", alone));

    let reopened = board(it, "Alice carol");
    play(it, reopened, "f3 k1 f4");
    act(it, "carol", "resign", reopened, "");
    decide(it, reopened, Decision::Reopen { days: None }, "by mistake");
    play(it, reopened, "k2");
    boards.push(("reopen", reopened));
    let void = board(it, "carol bob");
    play(it, void, "f3 k1 f4");
    act(it, "bob", "resign", void, "");
    decide(it, void, Decision::Void, "two accounts");
    boards.push(("void", void));

    it.say("bob", "set bob - zone=Europe/Berlin weekend=sat,sun rhythm=daily@18 reminders=last mail=accessible");
    it.say("bob", "vacation bob - until 2027-01-20");
    it.say("bob", "marque limit bob - 9");
    it.say("carol", "marque seek carol - 2");
    it.say("carol", &format!("marque subscribe {taken} carol -"));
    it.say("carol", "marque notify all carol -");
    it.say("carol", "change address carol secret new@example.org carol@example.org");
    let left = board(it, "dora bob");
    play(it, left, "f3 k1");
    let Response::SignoffAsked { code, .. } = it.say("dora", "signoff dora secret") else { panic!() };
    it.say("dora", &format!("signoff dora secret {code}"));
    boards.push(("left", left));
    (inside, boards)
}
