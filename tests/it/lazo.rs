//! The rules of Lazo, one by one, and compared with an independent implementation.

use std::collections::BTreeMap;

use turnpost::rules::lazo::{ARCH, Lazo, Position, SURFACE_LOOP};
use turnpost::rules::{Described, EndReason, Game, Options, Outcome, Play, Position as _, RefusalKind, Seat};

use crate::common::words;
use crate::reference::lazo::End;
use crate::reference::{self, Reference};

/// A small deterministic generator (Knuth's MMIX constants), independent of the machine's randomness.
struct Generator(u64);

impl Generator {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % count
    }
}

fn options(size: usize) -> Options {
    Options::from_canonical(&format!("-size={size}"))
}

/// Returns the board after these moves, Black first.
fn after(size: usize, moves: &str) -> Box<dyn Play> {
    let mut play = Lazo.start(&options(size)).unwrap();
    for text in moves.split_whitespace() {
        assert_eq!(play.outcome(), None, "before {text}");
        play.play(text).unwrap();
    }
    play
}

fn won(seat: Seat, reason: EndReason) -> Option<Outcome> {
    Some(Outcome { winner: Some(seat), reason })
}

fn refused(play: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = play.play(text).unwrap_err();
    (refusal.kind, words(&refusal.whole_message()))
}

#[test]
fn boards_have_three_sizes() {
    for (size, last) in [(145, "j19"), (57, "f12"), (26, "d8")] {
        let moves = Lazo.start(&options(size)).unwrap().legal_moves();
        assert_eq!((moves.len(), moves.first().unwrap().as_str(), moves.last().unwrap().as_str()), (size, "a1", last));
    }
    assert_eq!(Lazo.start(&Options::default()).unwrap().legal_count(), 145);
    let refusal = Lazo.start(&Options::from_canonical("-size=64")).err().unwrap();
    assert_eq!((refusal.kind, refusal.word.as_str()), (RefusalKind::Options, "-size=64"));
}

#[test]
fn a_ring_on_level_one_wins_around_anything() {
    // Black builds a ring around c5, of which only d6 is missing. `inside` is White's first move.
    let ring = |inside: &str| format!("b4 {inside} b5 j3 c4 j5 c6 j7 d5 j9");
    for inside in ["j1", "c5"] {
        let mut play = after(145, &ring(inside));
        play.play("d6").unwrap();
        assert_eq!(play.outcome(), won(Seat::First, SURFACE_LOOP), "the ring wins after White plays {inside}");
    }
    // A ring around two spaces also wins, even if a tile of it is covered: White plays b4 on level 2, on
    // top of the tiles b4, c4 and c5.
    let mut play = after(145, "b4 c5 b5 j3 c4 b4 b6 j5 c7 j7 d5 j9 d6 j11");
    play.play("d7").unwrap();
    assert_eq!(play.outcome(), won(Seat::First, SURFACE_LOOP));
    assert!(play.pieces().contains(&("b4".to_owned(), "bw".to_owned())));
}

#[test]
fn the_rim_does_not_close_a_ring() {
    let play = after(145, "a2 j1 b1 j3 b2 j5");
    assert_eq!(play.outcome(), None, "a1 lies on the rim");
    let play = after(26, "b1 c1 b2 a1 b3 a2 b4 a3 b5 a4 b6 a5");
    assert_eq!(play.outcome(), None, "row b does not cut anything off");
}

#[test]
fn a_bridge_over_two_tiles_is_an_arch() {
    // The figure in the published rules. White has c3 and c4 on level 2, and d3 and c4 below; Black has c3 and d4
    // below.
    let figure = |last: &str| format!("c3 d3 d4 c4 {last} c3 j1");
    for last in ["d5", "j3"] {
        let mut play = after(145, &figure(last));
        if last == "j3" {
            // The tile on d5, below the other end of the bridge, may also be White's.
            play.play("d5").unwrap();
            play.play("j5").unwrap();
        }
        play.play("c4").unwrap();
        assert_eq!(play.outcome(), won(Seat::Second, ARCH));
    }
}

#[test]
fn a_bridge_over_a_single_tile_is_not_an_arch() {
    // Like the figure, except that c3 on level 1 is White's.
    let play = after(145, "d4 c3 d5 d3 j1 c4 j3 c3 j5 c4");
    assert_eq!(play.outcome(), None);
    assert!(play.pieces().contains(&("c4".to_owned(), "ww".to_owned())));
}

#[test]
fn a_tile_above_level_one_touches_a_tile_of_its_player() {
    let hole = "c3 j1 d3 j3 d4 j5";
    assert!(after(145, hole).legal_moves().contains(&"c3".to_owned()));
    let mut play = after(145, &format!("{hole} j19"));
    assert_eq!(
        refused(play.as_mut(), "c3"),
        (
            RefusalKind::Illegal,
            "A tile on c3 would lie on level 2 without touching any of your tiles, either next to it on level 2 or \
             below it, on c3, d3 and d4."
                .to_owned()
        )
    );
    // If White has a tile on level 2 next to c3, White may play c3.
    let mut play = after(145, &format!("{hole} d5 c4 j19 c4 j17"));
    assert_eq!(play.play("c3").unwrap().text, "c3");
}

#[test]
fn tiles_two_levels_apart_do_not_touch() {
    // Three black tiles lie on level 2, over three white and three black ones.
    let mut play = after(145, "d3 c3 d4 e3 e4 e5 c3 j1 d3 j3 d4");
    let (kind, message) = refused(play.as_mut(), "c3");
    assert_eq!(kind, RefusalKind::Illegal);
    assert!(message.contains("level 3"), "{message}");
    play.play("j5").unwrap();
    assert!(play.legal_moves().contains(&"c3".to_owned()));
}

#[test]
fn refusals_contain_the_reason() {
    let mut play = after(26, "a1 b1 d1 d2");
    let mut said = |text: &str, kind: RefusalKind, part: &str| {
        let (found, message) = refused(play.as_mut(), text);
        assert_eq!(found, kind, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    };
    let rest = "would lie on level 2 and rest on a1, b1 and b2, but there is no tile on level 1 of b2 yet.";
    said("A1", RefusalKind::Illegal, rest);
    said("d1", RefusalKind::Illegal, "Stack d1 is full: stacks in row d have at most 1 level.");
    said("a6", RefusalKind::NotAMove, "row a has a1 to a5. Did you mean a5?");
    said("a0", RefusalKind::NotAMove, "Did you mean a1?");
    said("3c", RefusalKind::NotAMove, "Did you mean c3?");
    said("e1", RefusalKind::NotAMove, "the stacks are a1 to d8");
    said("", RefusalKind::NotAMove, "no such stack");
    said("a1,a2", RefusalKind::NotAMove, "no such stack");
    said("\u{e9}1", RefusalKind::NotAMove, "no such stack");
    said("c05", RefusalKind::NotAMove, "Did you mean c5?");
}

#[test]
fn a_drawing_shows_only_relevant_levels() {
    let regions = |play: &dyn Play| {
        let mut levels: Vec<char> = play.scene().cells.iter().map(|cell| cell.id.chars().last().unwrap()).collect();
        levels.dedup();
        levels.into_iter().collect::<String>()
    };
    let mut play = after(145, "c3 d3");
    assert_eq!(regions(play.as_ref()), "1");
    play.play("d4").unwrap();
    assert_eq!(regions(play.as_ref()), "12");
    play.play("c3").unwrap();
    let scene = play.scene();
    assert_eq!(words(&scene.captions.last().unwrap().text), "Level 2, last move c3");
    let named: Vec<_> = scene.cells.iter().filter(|cell| cell.id.ends_with(".2") && cell.label.is_some()).collect();
    assert!(named.is_empty(), "c3 has its tile, and no other space of level 2 is supported");
}

/// Converts the outcome to the type that the independent rules use.
fn end(position: &Position) -> End {
    match position.outcome() {
        None => End::NotYet,
        Some(outcome) => match outcome.winner {
            Some(seat) => End::Won(seat.index(), outcome.reason.as_str()),
            None => End::Drawn(outcome.reason.as_str()),
        },
    }
}

/// Plays random games with both rules in parallel. If `quiet` is set, players avoid ending the game if possible, so
/// that pyramids grow. Compares the effect of every legal move, not only the played one. Returns how often each kind of
/// end occurred.
fn compare(size: usize, games: usize, quiet: bool, generator: &mut Generator) -> BTreeMap<&'static str, usize> {
    let mut found = BTreeMap::new();
    for _ in 0..games {
        let (mut position, mut reference) =
            (Position::start(&options(size)).unwrap(), reference::lazo::Lazo::start(&options(size)));
        while position.outcome().is_none() {
            let (moves, spaces) = (position.legal().collect::<Vec<_>>(), reference.legal());
            let texts = moves.iter().map(|mv| position.text(*mv));
            assert!(texts.eq(spaces.iter().map(|space| reference.name(*space))), "after {:?}", reference.pieces());
            let pick = |number| {
                position.pick(|count| {
                    assert_eq!(count, moves.len());
                    number
                })
            };
            let mut picked: Vec<_> = (0..moves.len()).filter_map(pick).collect();
            picked.sort();
            assert_eq!(picked, moves);
            let mut chosen = generator.below(moves.len());
            let mut harmless = Vec::new();
            for (number, (mv, space)) in moves.iter().zip(&spaces).enumerate() {
                // Level 1 of the large boards is sampled: it has no arches, and the independent rules are slow there.
                if size > 26 && space.0 == 1 && generator.below(8) > 0 {
                    continue;
                }
                let (mut next, mut slow) = (position.clone(), reference.clone());
                next.play_unchecked(*mv);
                assert_eq!(end(&next), slow.fill(*space), "{} after {:?}", position.text(*mv), reference.pieces());
                *found.entry(next.outcome().map_or("none", |outcome| outcome.reason.as_str())).or_default() += 1;
                if next.outcome().is_none() {
                    harmless.push(number);
                }
            }
            if quiet && !harmless.is_empty() {
                chosen = harmless[generator.below(harmless.len())];
            }
            position.play_unchecked(moves[chosen]);
            assert_eq!(end(&position), reference.fill(spaces[chosen]));
        }
    }
    found
}

#[test]
fn the_local_loop_test_agrees_with_the_global_one() {
    let mut generator = Generator(1997);
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for (size, games, quiet) in [(26, 60, true), (26, 30, false), (57, 10, true), (57, 5, false), (145, 2, true)] {
        for (end, times) in compare(size, games, quiet, &mut generator) {
            *found.entry(end).or_default() += times;
        }
    }
    println!("{found:?}");
    assert!(found.values().sum::<usize>() > 30_000, "{found:?}");
    assert!(found["arch"] > 2_000 && found["surface loop"] > 100, "{found:?}");
    for end in ["no moves", "pyramid full", "tiles played"] {
        assert!(found.contains_key(end), "no game ended with {end}: {found:?}");
    }
}

#[test]
fn surface_loops_match_a_flood_fill_from_the_rim() {
    let mut generator = Generator(145);
    for _ in 0..60 {
        let (mut position, mut reference) =
            (Position::start(&Options::default()).unwrap(), reference::lazo::Lazo::start(&Options::default()));
        // The players use only level 1, where parts grow large and are often joined.
        let mut free: Vec<_> = reference.legal();
        while position.outcome().is_none() && !free.is_empty() {
            let space = free.swap_remove(generator.below(free.len()));
            let seat = reference.to_move();
            reference.tiles.insert(space, seat);
            position.play_unchecked(position.parse(&reference.name(space)).unwrap());
            let found = position.outcome().is_some_and(|outcome| outcome.reason == SURFACE_LOOP);
            assert_eq!(
                found,
                reference.cut_off(&reference.of(seat)),
                "{} of {:?}",
                reference.name(space),
                reference.pieces()
            );
        }
    }
}

#[test]
fn the_second_implementation_agrees() {
    for (size, depth) in [(26, 4), (57, 3), (145, 2)] {
        let reference = reference::lazo::Lazo::start(&options(size));
        assert_eq!(Lazo.start(&options(size)).unwrap().perft(depth), reference.perft(depth), "{size}");
    }
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "half a minute without optimisation: run by `cargo test --release --test it lazo`"
)]
fn the_second_rules_agree_at_depth_five() {
    assert_eq!(Lazo.start(&options(26)).unwrap().perft(5), reference::lazo::Lazo::start(&options(26)).perft(5));
}
