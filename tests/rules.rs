//! What every game of the catalogue must hold: random play over each of its options, perft tables, files it must have.

use std::path::Path;

use turnpost::rules::replay::{perft, replay};
use turnpost::rules::{Game, Options, Play, RefusalKind, catalogue::GAMES, marque::Marque};

mod dull;

/// A small deterministic generator (Knuth's MMIX constants): tests know no randomness of the machine's.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % count
    }
}

/// No option, and each option by itself that takes no value.
fn all_options(game: &dyn Game) -> Vec<Options> {
    let single = game.options().iter().filter(|spec| spec.value.is_none());
    let single = single.map(|spec| Options::new(vec![(spec.name.to_owned(), None)]));
    std::iter::once(Options::default()).chain(single).collect()
}

/// Everything that can be seen of a board.
fn seen(play: &dyn Play) -> String {
    format!("{:?} {:?} {:?} {:?}", play.to_move(), play.legal_moves(), play.outcome(), play.scene())
}

fn random_game(game: &dyn Game, options: &Options, dice: &mut Dice) {
    let start = game.start(options).unwrap();
    let cells: Vec<String> = start.scene().cells.into_iter().map(|cell| cell.name).collect();
    let place = |text: &str| {
        text.split(',').map(|name| cells.iter().position(|cell| cell == name).unwrap()).collect::<Vec<_>>()
    };
    let (mut play, mut line) = (start, Vec::new());
    while let Some(seat) = play.to_move() {
        let moves = play.legal_moves();
        assert!(!moves.is_empty() && moves.len() == play.legal_count());
        assert!(moves.windows(2).all(|two| place(&two[0]) < place(&two[1])), "unique, in board order: {moves:?}");
        for _ in 0..4 {
            let (a, b) = (&cells[dice.below(cells.len())], &cells[dice.below(cells.len())]);
            let mut clone = play.boxed_clone();
            for text in [a.clone(), format!("{a},{b}")] {
                match clone.play(&text) {
                    Ok(played) => assert!(moves.contains(&played.text), "{text} is not listed after {line:?}"),
                    Err(refusal) => {
                        assert_eq!(refusal.kind, RefusalKind::Illegal, "{text}");
                        assert!(refusal.message.ends_with('.') && !moves.contains(&text), "{text}: {refusal}");
                        assert_eq!(seen(clone.as_ref()), seen(play.as_ref()), "a refused move changes nothing");
                        continue;
                    }
                }
                clone = play.boxed_clone();
            }
        }
        if dice.below(8) == 0 {
            for text in &moves {
                assert_eq!(play.boxed_clone().play(&text.to_uppercase()).unwrap().text, *text);
            }
        }
        let text = &moves[dice.below(moves.len())];
        let mut clone = play.boxed_clone();
        let played = play.play(text).unwrap();
        assert_eq!((played.seat, &played.text), (seat, text));
        assert_eq!(clone.play(text).unwrap(), played);
        assert_eq!(seen(clone.as_ref()), seen(play.as_ref()));
        line.push(text.clone());
    }
    assert_eq!((play.legal_count(), play.legal_moves().len()), (0, 0));
    assert_eq!(play.play(&cells[0]).unwrap_err().kind, RefusalKind::GameOver);
    let record = replay(game, options, &line.join(" ")).unwrap();
    assert_eq!((record.plies, record.error, record.to_move), (line.len(), None, None));
    assert_eq!((record.board.0, record.reason), (play.pieces(), play.outcome().map(|outcome| outcome.reason)));
}

#[test]
fn random_play_keeps_what_must_always_hold() {
    let mut dice = Dice(20081111);
    for game in GAMES {
        for options in all_options(*game) {
            for _ in 0..3 {
                random_game(*game, &options, &mut dice);
            }
        }
    }
}

#[test]
fn every_game_has_its_table_its_playthrough_and_its_help() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in GAMES.iter().map(|game| game.name()) {
        for file in [
            format!("tests/data/{name}.perft"),
            format!("tests/data/{name}.game"),
            format!("templates/help/{name}.txt"),
        ] {
            assert!(root.join(&file).is_file(), "{name} has no {file}");
        }
    }
}

#[test]
fn perft_tables_hold() {
    for game in GAMES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{}.perft", game.name()));
        for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let (depth, leaves) = line.split_once(' ').unwrap();
            let counted = perft(*game, &Options::default(), depth.parse().unwrap()).unwrap();
            assert_eq!(counted, leaves.trim().parse::<u64>().unwrap(), "{} at depth {depth}", game.name());
        }
    }
}

#[test]
fn the_dull_validator_counts_the_same() {
    let dull = dull::Dull::new(&Marque.start(&Options::default()).unwrap().scene());
    assert_eq!((dull.perft(1), dull.perft(2)), (66, 8_958));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes without optimisation: run by `cargo test --release --test rules`")]
fn the_dull_validator_counts_depth_three() {
    let dull = dull::Dull::new(&Marque.start(&Options::default()).unwrap().scene());
    assert_eq!(dull.perft(3), perft(&Marque, &Options::default(), 3).unwrap());
}

#[test]
fn the_dull_validator_agrees_on_every_move_of_random_games() {
    let mut dice = Dice(7);
    for _ in 0..2 {
        let mut play = Marque.start(&Options::from_canonical("-any_4")).unwrap();
        let mut dull = dull::Dull::new(&play.scene());
        while let Some(seat) = play.to_move() {
            dull.mover = seat.index();
            let moves = dull.moves();
            assert_eq!(play.legal_moves(), moves.iter().map(|(set, _)| dull.text(set)).collect::<Vec<_>>());
            let (set, next) = &moves[dice.below(moves.len())];
            play.play(&dull.text(set)).unwrap();
            dull = next.clone();
            assert_eq!(play.pieces(), dull.pieces());
        }
    }
}
