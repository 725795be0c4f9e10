//! Players who leave a cup or a league, or never move.

use turnpost::service::EventView;
use turnpost::store::Withdrawal;

use super::{begin, event, event_at, finish, flat, playing, shown, wait, with_event};
use crate::common::inside::Inside;

/// Lets a player leave the event, and returns the answer.
fn leave(inside: &mut Inside, player: &str) -> String {
    let left = inside.say(player, &format!("leave spring {player} -"));
    flat(&inside.composer.answer(&left).unwrap())
}

fn players_of(playing: &[(u32, [String; 2])]) -> Vec<&str> {
    playing.iter().flat_map(|(_, players)| players).map(String::as_str).collect()
}

/// Returns how a player was withdrawn.
fn withdrawn(view: &EventView, userid: &str) -> Option<Withdrawal> {
    let rows = &view.shown.as_ref().unwrap().divisions[0].rows;
    rows.iter().find(|row| row.userid == userid).unwrap().withdrawn
}

#[test]
fn a_player_who_leaves_is_withdrawn_immediately_and_reads_how() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    let of = |inside: &mut Inside, player: &str| -> Vec<u32> {
        let playing = playing(inside).into_iter();
        playing.filter(|(_, players)| players.contains(&player.to_owned())).map(|(board, _)| board).collect()
    };
    let finished = of(&mut inside, "erin")[0];
    inside.say("erin", &format!("resign {finished} erin -"));
    let annulled = "erin has left spring. Fewer than half of their games there had ended. All of them are annulled, \
                    those that had ended too, and change no ratings.";
    assert_eq!(leave(&mut inside, "erin"), annulled);
    // Joining again in the same second does not revive the games.
    inside.say("erin", "join spring erin -");
    assert!(of(&mut inside, "erin").is_empty());
    inside.tick();
    assert_eq!(withdrawn(&event(&mut inside), "erin"), Some(Withdrawal::Annulled));
    for board in &of(&mut inside, "dave")[..2] {
        inside.say("dave", &format!("resign {board} dave -"));
    }
    let lost = "dave has left spring. Their games in progress there are lost, and their other results remain.";
    assert_eq!(leave(&mut inside, "dave"), lost);
    assert!(of(&mut inside, "dave").is_empty());
}
