//! The life of a board in the command language: open challenges, prepared replies, proposals, undos, texts, and
//! access.

use crate::common::inside::Inside;
use crate::common::words;
use chrono::TimeDelta;
use turnpost::numbers::{BoardNumber, EntryNumber, Ply};
use turnpost::service::{BoardView, Response};
use turnpost::store::{EntryKind, ProposalKind};

fn pair() -> Inside {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge -any_2 alice bob");
    inside
}

fn board(answer: Response) -> BoardView {
    match answer {
        Response::Moved { board, .. }
        | Response::Accepted { board, .. }
        | Response::Resigned { board }
        | Response::Challenged { board }
        | Response::Submitted { board, .. } => board,
        Response::Shown { boards, .. } => boards.into_iter().next().unwrap(),
        other => panic!("no board in {other:?}"),
    }
}

fn moves(board: &BoardView) -> Vec<&str> {
    board.moves.iter().map(|mv| mv.text.as_str()).collect()
}

fn show(inside: &mut Inside) -> BoardView {
    board(inside.say("alice", "marque show 1"))
}

#[test]
fn an_open_challenge_becomes_a_board_with_its_number() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    let Response::Offered { offer } =
        inside.say("alice", "marque challenge -opposite alice anyone --nagtime=3 --say=Hi")
    else {
        panic!()
    };
    assert_eq!((offer.number, offer.first, offer.nag_days), (BoardNumber(1), true, 3));
    // Challenges and boards share one sequence of numbers.
    assert_eq!(board(inside.say("bob", "marque challenge bob carol")).number, BoardNumber(2));
    assert!(inside.refused("bob", "marque move 1 bob - f3").contains("open challenge of alice"));
    assert!(inside.refused("alice", "marque accept 1 alice -").contains("your own"));
    let taken = board(inside.say("bob", "marque accept 1 bob -"));
    assert_eq!(
        (taken.number, taken.options.as_str(), taken.to_move.as_deref()),
        (BoardNumber(1), "-opposite", Some("alice"))
    );
    assert_eq!(taken.comments[0].text, "Hi");
    assert!(inside.refused("carol", "marque accept 1 carol -").contains("1 has already been accepted: alice and bob"));
    // Only the author can withdraw the challenge. The other seat can also be open.
    inside.say("carol", "marque challenge anyone carol");
    assert!(inside.refused("bob", "marque decline 3 bob -").contains("open challenge"));
    inside.say("carol", "marque decline 3 carol -");
    assert!(inside.refused("bob", "marque accept 3 bob -").contains("There is no board 3"));
}

#[test]
fn preferences_limit_boards_and_list_seekers() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.say("bob", "marque limit bob - 1");
    inside.say("bob", "marque seek bob - 2");
    inside.say("alice", "marque challenge alice bob");
    assert!(inside.refused("carol", "marque challenge carol bob").contains("at most 1"));
    let Response::Standings { seekers, .. } = inside.say("alice", "marque standings") else { panic!() };
    assert_eq!(seekers, [("bob".to_owned(), 1)]);
    // The limit applies only to challenges by others, so bob can still challenge them.
    inside.say("bob", "marque challenge bob carol");
    // Only one of the two players can create a challenge, and their number is limited.
    assert!(inside.refused("carol", "marque challenge alice bob").contains("must come from one of its two players"));
    inside.say("carol", "set carol - strangers=20");
    for _ in 1..20 {
        inside.say("alice", "marque challenge alice carol");
    }
    assert!(inside.refused("alice", "marque challenge alice carol").contains("20 of your challenges"));
    inside.say("carol", "marque decline 3 carol -");
    inside.say("alice", "marque challenge alice anyone");
    assert!(inside.refused("alice", "marque challenge alice anyone").contains("20 of your challenges"));
}

#[test]
fn prepared_replies_are_played_with_the_move_that_they_answer() {
    let mut inside = pair();
    inside.say("alice", "marque move 1 alice - f3");
    assert!(inside.refused("bob", "marque if 1 bob - \"k4 then h2\"").contains("It is your turn"));
    inside.say("bob", "marque move 1 bob - k1");
    // bob prepares replies to f4 or f1, and to the pair l1,l2. A further reply follows the first one.
    let Response::Planned { plan, .. } =
        inside.say("bob", "marque if 1 bob - \"f4 or F1 then f2 then (k2 then k3; else stop); l2,l1 then resign\"")
    else {
        panic!()
    };
    let told: Vec<_> = plan.iter().map(|line| (line.depth, line.when.join(" "), line.reply.as_str())).collect();
    assert_eq!(
        told,
        [
            (0, "f4 f1".to_owned(), "f2"),
            (1, "k2".to_owned(), "k3"),
            (1, String::new(), "stop"),
            (0, "l1,l2".to_owned(), "resign"),
        ]
    );
    // A move that the opponent cannot play is stored, with the reason.
    let Response::Planned { plan, .. } = inside.say("bob", "marque if 1 bob - \"k5,k6 then h2\"") else { panic!() };
    assert!(plan[0].never.as_ref().is_some_and(|why| words(why).contains("adjacent")), "{plan:?}");
    inside.say("bob", "marque if 1 bob - \"f4 or F1 then f2 then (k2 then k3; else stop); l2,l1 then resign\"");
    // A reply that would be illegal is refused now, and the error names the illegal move.
    let refused = inside.try_say("bob", "marque if 1 bob - \"f4 then f4\"", None).unwrap_err();
    assert!(words(&refused.message).contains("f4"), "{refused:?}");
    let _ = inside.letters();
    let after = board(inside.say("alice", "marque move 1 alice - f4"));
    assert_eq!(moves(&after), ["f3", "k1", "f4", "f2"]);
    assert_eq!(after.news.len(), 2);
    assert!(after.news[1].prepared && after.to_move.as_deref() == Some("alice"));
    // One letter contains both moves.
    let letters = inside.letters();
    assert_eq!((letters["alice@example.org"].len(), letters["bob@example.org"].len()), (1, 1));
    let after = board(inside.say("alice", "marque move 1 alice - k2"));
    assert_eq!(moves(&after)[4..], ["k2", "k3"]);
    // The plan is now empty.
    assert_eq!(board(inside.say("alice", "marque move 1 alice - l1,l2")).to_move.as_deref(), Some("bob"));
}

#[test]
fn a_queued_move_that_becomes_illegal_is_dropped_and_reported() {
    let mut inside = pair();
    inside.say("bob", "marque queue 1 bob - f3");
    assert!(inside.refused("bob", "marque queue 1 bob - z99").contains("no such cell"));
    let _ = inside.letters();
    let after = board(inside.say("alice", "marque move 1 alice - f3"));
    assert_eq!(moves(&after), ["f3"]);
    let letters = inside.letters();
    assert!(letters["bob@example.org"][0].contains("prepared reply f3"), "{}", letters["bob@example.org"][0]);
    assert!(!letters["alice@example.org"][0].contains("prepared"));
    // bob withdraws a plan before any of it is played.
    inside.say("bob", "marque move 1 bob - k1");
    inside.say("bob", "marque queue 1 bob - k2");
    inside.say("bob", "marque queue 1 bob - off");
    assert_eq!(moves(&board(inside.say("alice", "marque move 1 alice - f4"))), ["f3", "k1", "f4"]);
    // During the player's turn, a queued move is played immediately.
    assert_eq!(board(inside.say("bob", "marque queue 1 bob - k2")).plies, Ply(4));
}

#[test]
fn both_players_can_prepare_replies_and_a_prepared_resignation_waits_for_its_turn() {
    let mut inside = pair();
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("alice", "marque if 1 alice - \"k1 then f4 then k3 then f1\"");
    inside.say("bob", "marque move 1 bob - k2");
    // alice has no prepared reply to k2, so alice is to move.
    inside.say("alice", "marque move 1 alice - f4");
    inside.say("alice", "marque if 1 alice - \"k3 then f1; else resign\"");
    let after = board(inside.say("bob", "marque move 1 bob - k1"));
    let result = after.result.unwrap();
    assert_eq!((result.winner.as_deref(), result.reason.to_string().as_str()), (Some("bob"), "resignation"));
    assert_eq!(after.plies, Ply(4));
}

#[test]
fn a_draw_requires_agreement_and_silence_is_not_agreement() {
    let mut inside = pair();
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - k1");
    inside.say("bob", "marque propose 1 bob -");
    assert!(inside.refused("bob", "marque accept 1 bob -").contains("your own"));
    assert!(inside.refused("alice", "marque undo 1 alice -").contains("accept or reject"));
    // Once alice moves, the proposal is no longer open.
    inside.say("alice", "marque move 1 alice - f4");
    assert!(show(&mut inside).proposal.is_none());
    assert!(inside.refused("alice", "marque accept 1 alice -").contains("No proposal is open"));
    inside.say("alice", "marque propose 1 alice -");
    inside.say("bob", "marque reject 1 bob -");
    inside.say("alice", "marque move 1 alice - propose");
    let after = board(inside.say("bob", "marque move 1 bob - accept"));
    let result = after.result.unwrap();
    assert_eq!((result.winner, result.reason.to_string().as_str(), result.ratings.len()), (None, "agreement", 2));
    assert!(inside.refused("bob", "marque move 1 bob - k2").contains("has ended"));
}

#[test]
fn an_undo_takes_back_the_proposers_last_move() {
    let mut inside = pair();
    assert!(inside.refused("alice", "marque undo 1 alice -").contains("not made a move"));
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - k1");
    let hash = show(&mut inside).hash;
    // It is alice's turn, so an undo takes back bob's last move and alice's before it.
    inside.say("alice", "marque undo 1 alice -");
    let after = board(inside.say("bob", "marque accept 1 bob -"));
    assert_eq!((after.plies, after.entries, after.to_move.as_deref()), (Ply(0), EntryNumber(3), Some("alice")));
    assert_ne!(after.hash, hash, "an undo extends the hash chain");
    inside.say("alice", "marque move 1 alice - f4#1");
    inside.say("bob", "marque move 1 bob - k1");
    // bob has just moved, so bob's undo takes back only that move.
    inside.say("bob", "marque undo 1 bob -");
    let Response::Accepted { board: after, proposal } = inside.say("alice", "marque accept 1 alice -") else {
        panic!()
    };
    assert_eq!((moves(&after), proposal), (vec!["f4"], ProposalKind::Undo));
    assert_eq!(after.news[0].kind, EntryKind::Undo);
    let shown = board(inside.say("bob", "marque show 1#1"));
    assert_eq!(moves(&shown), ["f4"]);
    let Response::History { record, .. } = inside.say("bob", "marque history 1") else { panic!() };
    let kinds: Vec<_> = record.entries.iter().map(|entry| (entry.kind, entry.ply.0)).collect();
    use EntryKind::{Move, Undo};
    assert_eq!(kinds, [(Move, 1), (Move, 2), (Undo, 0), (Move, 1), (Move, 2), (Undo, 1)]);
}

#[test]
fn a_submitted_move_is_shown_and_confirmed() {
    let mut inside = pair();
    assert!(inside.refused("alice", "marque confirm 1 alice -").contains("You have not submitted a move"));
    let seen = board(inside.say("alice", "marque submit 1 alice - f3"));
    assert_eq!((seen.plies, show(&mut inside).plies), (Ply(1), Ply(0)));
    assert_eq!(moves(&board(inside.say("alice", "marque confirm 1 alice -"))), ["f3"]);
    assert!(inside.refused("alice", "marque confirm 1 alice -").contains("You have not submitted a move"));
    assert!(inside.refused("bob", "marque submit 1 bob - f3").contains("f3"));
}

#[test]
fn players_and_followers_receive_chat_and_a_note_is_private() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol", "dave"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("carol", "marque subscribe 1 carol -");
    inside.say("dave", "marque notify all dave -");
    assert!(inside.refused("alice", "marque subscribe 1 alice -").contains("receive its letters anyway"));
    let _ = inside.letters();
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - k1");
    let _ = inside.letters();
    let Response::Chatted { to, .. } = inside.say("alice", "marque chat 1 alice - --say=\"Nice game\"") else {
        panic!()
    };
    assert_eq!(to, ["bob", "carol"]);
    inside.say("bob", "marque note 1 bob - --say=\"Watch base D\"");
    inside.say("alice", "marque move 1 alice - f4");
    let letters = inside.letters();
    assert!(letters["bob@example.org"][0].contains("Watch base D"));
    for other in ["alice", "carol"] {
        assert!(!letters[&format!("{other}@example.org")][0].contains("Watch base D"));
    }
    assert!(letters["carol@example.org"][0].contains("Nice game"));
    assert!(!letters.contains_key("dave@example.org"));
    inside.say("carol", "marque unsubscribe 1 carol -");
    inside.say("bob", "marque move 1 bob - k2");
    inside.say("alice", "marque resign 1 alice -");
    let letters = inside.letters();
    assert!(letters.contains_key("dave@example.org") && !letters.contains_key("carol@example.org"));
}

#[test]
fn a_private_board_is_shown_to_its_players_only() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.say("alice", "marque challenge --private alice bob");
    for line in ["marque show 1", "marque history 1", "marque preview 1 f3", "marque subscribe 1 carol -"] {
        assert!(inside.refused("carol", line).contains("private"), "{line}");
    }
    let Response::Games { boards, .. } = inside.say("carol", "marque games") else { panic!() };
    assert!(boards.is_empty());
    let Response::Games { boards, .. } = inside.say("bob", "marque games") else { panic!() };
    assert_eq!(boards.len(), 1);
    assert_eq!(show(&mut inside).number, BoardNumber(1));
}

#[test]
fn ratings_change_once_and_show_the_reason() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge --unrated alice bob");
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque challenge alice alice");
    for (number, winner) in [(1, 0), (2, 2)] {
        inside.say("alice", &format!("marque move {number} alice - f3"));
        inside.say("bob", &format!("marque move {number} bob - k1"));
        let after = board(inside.say("alice", &format!("marque resign {number} alice -")));
        assert_eq!(after.result.unwrap().ratings.len(), winner);
    }
    inside.say("alice", "marque move 3 alice - f3");
    inside.say("alice", "marque resign 3 alice -");
    let Response::Standings { rows, .. } = inside.say("bob", "marque standings") else { panic!() };
    let told: Vec<_> = rows.iter().map(|row| (row.userid.as_str(), row.games, row.wins, row.provisional)).collect();
    assert_eq!(told, [("bob", 1, 1, true), ("alice", 1, 0, true)]);
    assert!(rows[0].rating > 1500 && rows[1].rating < 1500 && rows[0].deviation < 350);
    assert_eq!(inside.read(|tx| turnpost::service::recompute(tx).unwrap()), vec![]);
}

/// If ratings changed, a player could raise the rating of another player who has not accepted the game.
#[test]
fn a_resignation_before_the_opponents_first_move_does_not_change_ratings() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    for number in [1, 2] {
        inside.say("alice", "marque challenge alice bob");
        inside.say("alice", &format!("marque move {number} alice - f3"));
    }
    inside.say("bob", "marque move 2 bob - k1");
    // Both players agreed to a game by an open challenge.
    inside.say("bob", "marque challenge bob anyone");
    inside.say("alice", "marque accept 3 alice -");
    for (number, changes) in [(1, 0), (2, 2), (3, 2)] {
        let result = board(inside.say("alice", &format!("marque resign {number} alice -"))).result.unwrap();
        assert_eq!((result.winner.as_deref(), result.ratings.len()), (Some("bob"), changes), "board {number}");
    }
    assert_eq!(inside.read(|tx| turnpost::service::check(tx).unwrap().differences), vec![]);
}

#[test]
fn a_vacation_has_a_budget_and_can_be_shortened() {
    let mut inside = Inside::with_players(&["alice"]);
    assert!(inside.refused("alice", "vacation alice - until 2027-03-01").contains("58.6 days"));
    assert!(inside.refused("alice", "vacation alice - until 2027-02-30").contains("2027-02-30 does not exist"));
    assert!(inside.refused("alice", "vacation alice - until 2027-01-01").contains("already begun"));
    let used = |answer| match answer {
        Response::Vacation { used_days, until, .. } => (used_days, until.is_some()),
        other => panic!("{other:?}"),
    };
    assert_eq!(used(inside.say("alice", "vacation alice - until 2027-01-21")), (19.6, true));
    inside.pass(TimeDelta::days(5));
    assert_eq!(used(inside.say("alice", "vacation alice - off")), (5.0, false));
    assert_eq!(used(inside.say("alice", "vacation alice -")), (5.0, false));
}

#[test]
fn settings_are_shown_as_commands_write_them() {
    let mut inside = Inside::with_players(&["alice"]);
    let Response::Settings { settings, changed, .. } =
        inside.say("alice", "set alice - zone=europe/berlin weekend=sat,sun rhythm=daily@18 mail=accessible")
    else {
        panic!()
    };
    assert!(changed);
    let wanted = [
        "mail=accessible", "rhythm=daily@18", "reminders=all", "letters=all", "own=off", "zone=Europe/Berlin",
        "weekend=sat,sun", "night=none", "dmarc=off", "theme=wood", "hints=off", "chat=everyone",
        "challenges=everyone", "strangers=3",
    ];
    assert_eq!(settings, wanted);
    let refused = inside.try_say("alice", "set alice - zone=Europe/Berlni", None).unwrap_err();
    assert_eq!(refused.nearest.as_deref(), Some("zone=Europe/Berlin"));
}

#[test]
fn leaving_needs_confirmation_and_resigns_started_boards() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque challenge bob alice");
    inside.say("alice", "marque challenge alice anyone");
    inside.say("alice", "marque move 1 alice - f3");
    let Response::SignoffAsked { code, boards, .. } = inside.say("alice", "signoff alice secret") else { panic!() };
    assert_eq!(boards, [1, 2].map(BoardNumber));
    assert!(inside.refused("alice", "signoff alice secret wrong").contains("not the code"));
    let Response::SignedOff { resigned, removed, .. } = inside.say("alice", &format!("signoff alice secret {code}"))
    else {
        panic!()
    };
    assert_eq!((resigned, removed), (vec![BoardNumber(1)], vec![BoardNumber(2)]));
    assert!(inside.refused("bob", "marque challenge bob alice").contains("has left"));
    assert!(inside.refused("bob", "marque accept 3 bob -").contains("no board 3"));
    assert!(!inside.refused("alice", "signoff alice secret").is_empty());
}

#[test]
fn messages_are_forwarded_to_players() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.try_say("alice", "message alice - bob carol", Some("Shall we?\n")).unwrap();
    assert!(inside.refused("alice", "message alice - bob").contains("The text of the message is missing"));
    assert!(inside.refused("alice", "broadcast alice - --say=Hello").contains("administrator"));
    inside.config.policy.administrators = vec!["Alice".to_owned()];
    inside.say("alice", "broadcast alice - --say=\"Down on Sunday\"");
    let letters = inside.letters();
    assert!(letters["bob@example.org"].iter().any(|letter| letter.contains("Shall we?")));
    assert!(letters["carol@example.org"].iter().any(|letter| letter.contains("Down on Sunday")));
}

#[test]
fn a_player_who_made_or_accepted_a_challenge_cannot_decline_the_game() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice anyone");
    inside.say("bob", "marque accept 1 bob -");
    inside.say("alice", "brique challenge alice bob");
    for (player, number) in [("bob", 1), ("alice", 2)] {
        let refused = inside.refused(player, &format!("decline {number} {player} -"));
        assert_eq!(refused, "You agreed to this game, so you cannot decline it. To end it, resign.", "{player}");
    }
}
