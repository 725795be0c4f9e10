//! Properties of every game in the catalogue: random play with each of its options, perft tables, required files.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::common::words;
use turnpost::rules::amazons::Amazons;
use turnpost::rules::breakthrough::Breakthrough;
use turnpost::rules::brique::Brique;
use turnpost::rules::catchup::Catchup;
use turnpost::rules::gonnect::Gonnect;
use turnpost::rules::havannah::Havannah;
use turnpost::rules::hex::Hex;
use turnpost::rules::lazo::Lazo;
use turnpost::rules::loa::LinesOfAction;
use turnpost::rules::marque::Marque;
use turnpost::rules::pente::Pente;
use turnpost::rules::replay::{perft, replay};
use turnpost::rules::tessella::Tessella;
use turnpost::rules::twixt::TwixT;
use turnpost::rules::y::Y;
use turnpost::rules::yavalath::Yavalath;
use turnpost::rules::{
    Described, Game, GameState, MoveList, Options, Play, RefusalKind, brique, catalogue::GAMES, hex, lazo, marque,
    tessella,
};

use crate::reference::{self, Reference, moving, placing};

/// A small deterministic generator (Knuth's MMIX constants), independent of the machine's randomness.
struct Generator(u64);

impl Generator {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % count
    }
}

/// Returns the values of an option to test, from its description: for `5 to 19`, the first and the last; for `26, 57 or
/// 145`, each.
fn values(about: &str) -> Vec<String> {
    let words = about.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns the default options, and each option by itself with each of its values.
fn all_options(game: &dyn Game) -> Vec<Options> {
    let mut all = vec![Options::default()];
    for spec in game.options() {
        let values = spec
            .value
            .clone()
            .map_or_else(|| vec![None], |about| values(&words(&about)).into_iter().map(Some).collect());
        assert!(!values.is_empty(), "the description of -{} names no value to try", spec.name);
        all.extend(values.into_iter().map(|value| Options::new(vec![(spec.name.to_owned(), value)])));
    }
    all
}

/// Returns everything that a caller can see of a board, for comparisons.
fn seen(play: &dyn Play) -> impl PartialEq + std::fmt::Debug + use<> {
    (play.to_move(), play.move_list(), play.outcome(), play.scene())
}

/// Returns the sort key of a move's text: the places of its cells in board order, with `-` before `x`. Words such as
/// `swap` are last.
fn places(order: &HashMap<&str, usize>, text: &str) -> Vec<(usize, bool)> {
    // Looks for a cell first, because `x` is a column in TwixT.
    if let Some(place) = order.get(text) {
        return vec![(*place, false)];
    }
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return vec![(usize::MAX, false)];
    }
    let place = |name: &str| *order.get(name).unwrap_or_else(|| panic!("{name} in {text} is not on the board"));
    let words: Vec<&str> = text.split([',', '-', 'x', '/']).collect();
    words.iter().map(|name| (place(name), text.contains('x'))).collect()
}

/// The maximum number of moves to list after each ply.
const MOST_LISTED: usize = 3_000;

/// Returns all legal moves, or a random selection if there are too many.
fn moves_of(play: &dyn Play, generator: &mut Generator) -> Vec<String> {
    let sets = match play.move_list() {
        MoveList::Texts(moves) => return moves,
        MoveList::Sets(sets) => sets,
    };
    let listed = |chosen: &[usize]| {
        let cells: Vec<&str> = chosen.iter().map(|at| sets.cells[*at].as_str()).collect();
        sets.text(&cells).unwrap()
    };
    if play.legal_count() <= MOST_LISTED {
        let moves = play.legal_moves();
        let size = |text: &String| text.split(',').count();
        assert!(moves.iter().all(|text| sets.text(&text.split(',').collect::<Vec<_>>()).as_ref() == Some(text)));
        assert_eq!(moves.iter().map(size).max(), Some(sets.most));
        return moves;
    }
    let mut some = |count: usize| {
        let mut chosen: Vec<usize> = (0..count).map(|_| generator.below(sets.cells.len())).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    };
    let mut chosen: Vec<Vec<usize>> = (0..40).map(|at| some(1 + at % sets.most)).collect();
    chosen.sort();
    chosen.dedup();
    chosen.iter().map(|chosen| listed(chosen)).collect()
}

/// Returns texts with random cells, which may or may not be legal moves.
fn guesses(cells: &[String], generator: &mut Generator) -> Vec<String> {
    let mut cell = || &cells[generator.below(cells.len())];
    vec![
        cell().clone(),
        format!("{},{}", cell(), cell()),
        format!("{}-{}", cell(), cell()),
        format!("{}x{}", cell(), cell()),
        format!("{}-{}/{}", cell(), cell(), cell()),
        "swap".to_owned(),
    ]
}

/// Checks that the game accepts this text if it is a legal move, and refuses it otherwise.
fn try_out(play: &dyn Play, text: &str) {
    let mut clone = play.boxed_clone();
    let is_listed = |text: &str| match play.move_list() {
        MoveList::Texts(moves) => moves.iter().any(|listed| listed == text),
        MoveList::Sets(sets) => sets.text(&text.split(',').collect::<Vec<_>>()).as_deref() == Some(text),
    };
    match clone.play(text) {
        Ok(played) => assert!(is_listed(&played.text), "{text} is legal but not listed"),
        Err(refusal) => {
            assert!(matches!(refusal.kind, RefusalKind::Illegal | RefusalKind::NotAMove), "{text}: {:?}", refusal.kind);
            assert!(words(&refusal.message).ends_with('.') && !is_listed(text), "{text}: {refusal}");
            assert_eq!(seen(clone.as_ref()), seen(play), "a refused move does not change the game");
        }
    }
}

fn random_game(game: &dyn Game, options: &Options, generator: &mut Generator) {
    let start = game.start(options).unwrap();
    let scene = start.scene();
    let ids: HashSet<&str> = scene.cells.iter().map(|cell| cell.id.as_str()).collect();
    assert_eq!(ids.len(), scene.cells.len(), "ids are unique");
    let mut cells: Vec<String> = scene.cells.into_iter().map(|cell| cell.name).collect();
    // In Lazo, all spaces of a stack have the same name.
    cells.dedup();
    let order: HashMap<&str, usize> = cells.iter().enumerate().rev().map(|(at, cell)| (cell.as_str(), at)).collect();
    let (mut play, mut line) = (start, Vec::new());
    while let Some(seat) = play.to_move() {
        let moves = moves_of(&*play, generator);
        assert!(!moves.is_empty() && (moves.len() == play.legal_count() || play.legal_count() > MOST_LISTED));
        assert_eq!(play.perft(1), play.legal_count() as u64);
        let placed: Vec<_> = moves.iter().map(|text| places(&order, text)).collect();
        assert!(placed.windows(2).all(|two| two[0] < two[1]), "moves are unique and in board order: {moves:?}");
        if generator.below(4) == 0 {
            for text in guesses(&cells, generator) {
                try_out(play.as_ref(), &text);
            }
        }
        if generator.below(16) == 0 {
            for text in &moves {
                assert_eq!(play.boxed_clone().play(&text.to_uppercase()).unwrap().text, *text);
            }
        }
        let text = &moves[generator.below(moves.len())];
        let mut clone = play.boxed_clone();
        let played = play.play(text).unwrap();
        assert_eq!((played.seat, &played.text), (seat, text));
        assert_eq!(clone.play(text).unwrap(), played);
        if generator.below(4) == 0 {
            assert_eq!(seen(clone.as_ref()), seen(play.as_ref()));
        }
        line.push(text.clone());
    }
    assert_eq!((play.legal_count(), play.legal_moves().len(), play.perft(1)), (0, 0, 0));
    assert_eq!(play.play(&cells[0]).unwrap_err().kind, RefusalKind::GameOver);
    let record = replay(game, options, &line.join(" ")).unwrap();
    assert_eq!((record.plies, record.error, record.to_move), (line.len(), None, None));
    assert_eq!((record.board.0, record.reason), (play.pieces(), play.outcome().map(|outcome| outcome.reason.as_str())));
}

#[test]
fn random_play_preserves_the_invariants() {
    let mut generator = Generator(20081111);
    for game in GAMES {
        for options in all_options(*game) {
            for _ in 0..3 {
                random_game(*game, &options, &mut generator);
            }
        }
    }
}

/// Plays random games by picking moves: every pick is legal. In positions with fewer than 40 legal moves, each of them
/// is picked eventually.
fn picks<P: Described>(start: &P, generator: &mut Generator) {
    let mut game = GameState::new(start.clone());
    while game.outcome().is_none() {
        let position = game.position();
        let legal: Vec<P::Move> = position.legal().collect();
        assert_eq!(legal.len(), position.legal_count());
        assert!(legal.iter().all(|mv| position.check(*mv) == Ok(())));
        let mut picked = |position: &P| position.pick(|count| generator.below(count)).unwrap();
        if legal.len() < 40 {
            let mut left = legal.clone();
            for _ in 0..1_000 {
                let mv = picked(position);
                left.retain(|other| *other != mv);
            }
            assert!(left.is_empty(), "moves that cannot be picked: {left:?}");
        }
        let mv = picked(position);
        assert!(legal.contains(&mv));
        game.play_unchecked(mv);
    }
}

#[test]
fn picked_moves_are_the_legal_ones() {
    let mut generator = Generator(41);
    picks(&brique::Position::new(7), &mut generator);
    picks(&hex::Position::new(6), &mut generator);
    picks(&turnpost::rules::gonnect::Position::new(7), &mut generator);
    picks(&marque::Position::default(), &mut generator);
    picks(&turnpost::rules::twixt::Position::new(12), &mut generator);
    picks(&tessella::Position::default(), &mut generator);
    picks(&turnpost::rules::catchup::Position::new(4), &mut generator);
    picks(&lazo::Position::start(&Options::from_canonical("-size=26")).unwrap(), &mut generator);
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

/// A line of a table contains a depth and a number of leaves. Options precede them if the board is not the default one.
#[test]
fn perft_equals_the_tables() {
    for game in GAMES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{}.perft", game.name()));
        for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let [options @ .., depth, leaves] = &line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let options = Options::from_canonical(&options.join(" "));
            let counted = perft(*game, &options, depth.parse().unwrap()).unwrap();
            assert_eq!(counted, leaves.parse::<u64>().unwrap(), "{}: {line}", game.name());
        }
    }
}

fn agrees<D: Reference>(game: &dyn Game, options: &str, games: usize, generator: &mut Generator) {
    let options = Options::from_canonical(options);
    for _ in 0..games {
        let mut play = game.start(&options).unwrap();
        let mut reference = D::start(&options);
        while play.outcome().is_none() {
            let moves = play.legal_moves();
            assert_eq!(moves, reference.moves());
            let text = &moves[generator.below(moves.len())];
            play.play(text).unwrap();
            reference.play(text);
            assert_eq!(play.pieces(), reference.pieces(), "after {text}");
            assert_eq!(reference::end(play.as_ref()), reference.end(), "after {text}");
        }
    }
}

#[test]
fn the_reference_agrees_on_every_move_of_random_games() {
    let mut generator = Generator(20121201);
    for (options, games) in [("-size=5", 60), ("-size=6", 40), ("-size=9", 10), ("", 2), ("-size=19", 1)] {
        agrees::<reference::brique::Brique>(&Brique, options, games, &mut generator);
    }
    agrees::<reference::tessella::Tessella>(&Tessella, "", 40, &mut generator);
    for (options, games) in [("-size=26", 40), ("-size=57", 10), ("", 2)] {
        agrees::<reference::lazo::Lazo>(&Lazo, options, games, &mut generator);
    }
}

/// One function for each game on a grid. Each compares about `100 * times` random games with a reference, but fewer of
/// Amazons, where a turn has thousands of moves.
mod on_grids {
    use super::*;

    pub(super) fn hex(times: usize, generator: &mut Generator) {
        for (options, games) in [("-size=5", 60), ("-size=6", 29), ("-size=7", 10), ("", 1)] {
            agrees::<placing::Board<reference::hex::Hex>>(&Hex, options, games * times, generator);
        }
    }

    pub(super) fn y(times: usize, generator: &mut Generator) {
        for (options, games) in [("-size=5", 60), ("-size=6", 29), ("-size=7", 10), ("", 1)] {
            agrees::<placing::Board<reference::y::Y>>(&Y, options, games * times, generator);
        }
    }

    pub(super) fn havannah(times: usize, generator: &mut Generator) {
        for (options, games) in [("-size=4", 80), ("-size=5", 19), ("", 1)] {
            agrees::<placing::Board<reference::havannah::Havannah>>(&Havannah, options, games * times, generator);
        }
    }

    pub(super) fn yavalath(times: usize, generator: &mut Generator) {
        agrees::<placing::Board<reference::yavalath::Yavalath>>(&Yavalath, "", 100 * times, generator);
    }

    pub(super) fn gonnect(times: usize, generator: &mut Generator) {
        for (options, games) in [("-size=7", 95), ("-size=9", 4), ("", 1)] {
            agrees::<reference::gonnect::Gonnect>(&Gonnect, options, games * times, generator);
        }
    }

    pub(super) fn pente(times: usize, generator: &mut Generator) {
        for (options, games) in [("-size=13", 95), ("-size=15", 4), ("", 1)] {
            agrees::<reference::pente::Pente>(&Pente, options, games * times, generator);
        }
    }

    pub(super) fn breakthrough(times: usize, generator: &mut Generator) {
        agrees::<moving::Board<reference::breakthrough::Breakthrough>>(&Breakthrough, "", 100 * times, generator);
    }

    pub(super) fn loa(times: usize, generator: &mut Generator) {
        agrees::<moving::Board<reference::loa::LinesOfAction>>(&LinesOfAction, "", 100 * times, generator);
    }

    pub(super) fn amazons(times: usize, generator: &mut Generator) {
        agrees::<moving::Board<reference::amazons::Amazons>>(&Amazons, "", 10 * times, generator);
    }

    pub(super) fn twixt(times: usize, generator: &mut Generator) {
        for (options, games) in [("-size=12", 90), ("-size=13", 9), ("", 1)] {
            agrees::<reference::twixt::TwixT>(&TwixT, options, games * times, generator);
        }
    }

    /// On a board of the usual size, the first turns have tens of thousands of moves, so only one such game is
    /// compared.
    pub(super) fn catchup(times: usize, generator: &mut Generator) {
        agrees::<reference::catchup::Catchup>(&Catchup, "-size=4", 100 * times, generator);
        agrees::<reference::catchup::Catchup>(&Catchup, "", 1, generator);
    }
}

/// Defines a test that compares all these games with their references in a little random play, and for each game a
/// separate test that compares 100 times as much.
macro_rules! compare_on_grids {
    ($($game:ident)+) => {
        #[test]
        fn the_reference_agrees_on_every_move_of_random_games_on_grids() {
            let mut generator = Generator(20121201);
            $(on_grids::$game(1, &mut generator);)+
        }

        mod the_reference_agrees_on_every_move_of_ten_thousand_random_games {
            $(
                #[test]
                #[cfg_attr(
                    debug_assertions,
                    ignore = "minutes without optimisation: run by `cargo test --release --test it rules`"
                )]
                fn $game() {
                    super::on_grids::$game(100, &mut super::Generator(10_000));
                }
            )+
        }
    };
}

compare_on_grids! { hex y havannah yavalath gonnect pente breakthrough loa amazons twixt catchup }

#[test]
fn perft_equals_the_reference() {
    let small = Options::from_canonical("-size=5");
    let brique = reference::brique::Brique::start(&small);
    let tessella = reference::tessella::Tessella::start(&Options::default());
    for depth in 1..=3 {
        assert_eq!(brique.perft(depth), perft(&Brique, &small, depth).unwrap());
        assert_eq!(tessella.perft(depth), perft(&Tessella, &Options::default(), depth).unwrap());
    }
    let marque = reference::marque::Marque::new(&Marque.start(&Options::default()).unwrap().scene());
    assert_eq!((marque.perft(1), marque.perft(2)), (66, 8_958));
    assert_eq!(moving::Board::<reference::breakthrough::Breakthrough>::start(&Options::default()).perft(2), 484);
    assert_eq!(moving::Board::<reference::loa::LinesOfAction>::start(&Options::default()).perft(2), 1_244);
    assert_eq!(moving::Board::<reference::amazons::Amazons>::start(&Options::default()).perft(1), 2_176);
    let small = Options::from_canonical("-size=13");
    assert_eq!(reference::pente::Pente::start(&small).perft(2), perft(&Pente, &small, 2).unwrap());
    let small = Options::from_canonical("-size=4");
    assert_eq!(reference::catchup::Catchup::start(&small).perft(2), perft(&Catchup, &small, 2).unwrap());
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes without optimisation: run by `cargo test --release --test it rules`")]
fn perft_equals_the_reference_at_greater_depth() {
    let small = Options::from_canonical("-size=5");
    assert_eq!(reference::brique::Brique::start(&small).perft(5), perft(&Brique, &small, 5).unwrap());
    let start = Options::default();
    assert_eq!(reference::tessella::Tessella::start(&start).perft(4), perft(&Tessella, &start, 4).unwrap());
    let marque = reference::marque::Marque::new(&Marque.start(&start).unwrap().scene());
    assert_eq!(marque.perft(3), perft(&Marque, &start, 3).unwrap());
    assert_eq!(moving::Board::<reference::breakthrough::Breakthrough>::start(&start).perft(4), 256_036);
    assert_eq!(moving::Board::<reference::loa::LinesOfAction>::start(&start).perft(3), 44_952);
    assert_eq!(moving::Board::<reference::amazons::Amazons>::start(&start).perft(2), 4_307_152);
    let small = Options::from_canonical("-size=4");
    assert_eq!(reference::catchup::Catchup::start(&small).perft(3), perft(&Catchup, &small, 3).unwrap());
}

/// The reference does not pass over a player without moves, so the test sets the player to move.
#[test]
fn the_reference_agrees_on_every_move_of_marque() {
    let mut generator = Generator(7);
    for _ in 0..2 {
        let mut play = Marque.start(&Options::from_canonical("-any_4")).unwrap();
        let mut reference = reference::marque::Marque::new(&play.scene());
        while let Some(seat) = play.to_move() {
            reference.to_move = seat.index();
            let moves = reference.moves();
            assert_eq!(play.legal_moves(), moves.iter().map(|(set, _)| reference.text(set)).collect::<Vec<_>>());
            let (set, next) = &moves[generator.below(moves.len())];
            play.play(&reference.text(set)).unwrap();
            reference = next.clone();
            assert_eq!(play.pieces(), reference.pieces());
        }
    }
}
