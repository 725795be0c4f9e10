//! The tests that every store must pass. To run them for another store, call `contract!(name: fresh)`, where `fresh`
//! creates an empty database for a test.

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::clock::{Span, TimeControl};
use turnpost::command::Terms;
use turnpost::numbers::{BoardNumber, EntryNumber, Ply};
use turnpost::store::*;

mod analyses;
mod blocked_senders;
mod boards;
mod changes;
mod counts;
mod events;
mod hints;
mod history;
mod inbox;
mod leases;
pub mod letters;
mod lists;
mod moving;
mod players;
mod puzzles;
mod ratings;
mod record;
mod results;
mod retention;
mod transactions;

/// A database for a single test, which is removed when dropped.
pub trait Database: Sync {
    /// Opens a connection. The first connection creates the tables.
    fn open(&self) -> Box<dyn Store>;
}

/// Creates an empty database.
pub type Fresh = fn() -> Box<dyn Database>;

/// Defines the tests of the contract for one store. If a test function is missing here, the compiler reports it as dead
/// code.
macro_rules! contract {
    ($(#[$attribute:meta])* $store:ident: $fresh:path) => {
        contract!(@ [$(#[$attribute])*] $store: $fresh;
            analyses: {
                an_analysis_waits_until_it_is_computed
            }
            blocked_senders: {
                a_sender_is_blocked_until_it_is_unblocked
            }
            boards: {
                challenges_and_boards_share_their_numbers
                an_open_challenge_may_have_the_first_number
                unanswered_challenges_are_counted
                boards_awaiting_a_player_are_listed
                boards_awaiting_any_of_several_players_are_listed
                clocks_are_due_in_order
                vacations_and_standstills_stop_clocks
                times_in_the_future_are_reset
                plans_and_proposals_end_with_the_board
                each_player_has_a_separate_note
                a_follower_of_a_board_and_its_game_is_listed_once
                a_rematch_is_found_by_its_first_board
                an_abandoned_board_is_listed_without_a_result
                boards_and_challenges_are_listed_in_order
            }
            changes: {
                every_visible_change_of_a_board_is_recorded
                a_token_is_valid_until_its_player_leaves_or_changes_their_password
                calls_wait_until_their_webhook_is_removed
            }
            counts: {
                the_oldest_work_of_each_queue_is_found
            }
            hints: {
                the_last_hint_of_a_board_is_stored
            }
            history: {
                effects_of_a_message_are_found_until_it_is_closed
                a_proposal_has_one_answer
                the_settings_when_a_letter_was_sent_are_stored
            }
            inbox: {
                a_message_is_processed_once
            }
            leases: {
                a_lease_belongs_to_one_node_until_it_expires
                a_lease_too_far_in_the_future_has_expired
                work_leased_by_another_node_is_not_due
                only_one_of_several_nodes_gets_a_lease
            }
            letters: {
                a_notice_becomes_a_letter
                a_notice_is_removed_unless_it_is_part_of_a_letter
                the_notices_of_a_letter_are_updated_together
                held_notices_wait_for_their_player
                a_held_letter_is_not_split_and_is_sent_like_a_new_one
                a_dropped_letter_is_never_due_and_can_be_resent
                the_administrator_holds_all_letters
                deliveries_show_the_state_of_a_letter_at_each_address
                letters_since_a_time_are_found
                the_newest_reminder_of_an_entry_is_found
                answers_are_listed_by_address_and_time
            }
            lists: {
                a_page_begins_at_its_cursor
                players_are_listed_with_their_own_last_activity
                boards_of_a_pair_and_months_of_each_game_are_listed
            }
            moving: {
                every_table_is_listed_as_moved_or_not_moved
                rows_are_returned_as_they_were_added
                stored_rows_are_added_without_triggers
                numbers_and_keys_continue_in_another_database
                an_address_is_erased_once_no_mail_with_it_is_in_progress
            }
            players: {
                a_block_ends_when_either_player_leaves
                userids_and_confirmed_addresses_are_unique
                acts_are_counted_by_kind_source_and_time
                sessions_and_links_expire
                a_player_who_never_played_is_removed
                an_address_is_paused_and_resumed
                settings_are_returned_as_they_were_set
                a_vacation_ends_early_and_later_ones_are_removed
                preferences_are_stored_and_seekers_listed
                leaving_removes_everything_except_past_games
                a_player_takes_over_all_data_of_another
            }
            events: {
                an_event_has_entrants_editions_and_boards
                two_players_share_an_edition
                an_absence_is_found_until_its_player_acts
            }
            puzzles: {
                a_finished_board_is_searched_once_unless_it_is_private
                every_puzzle_has_been_daily_before_one_is_repeated
                subscribers_get_the_puzzle_of_the_day
                the_first_record_of_a_solved_puzzle_remains
            }
            ratings: {
                standings_are_stored_and_listed
                a_page_of_the_standings_lists_current_players
                boards_are_rated_in_the_order_in_which_they_end
            }
            record: {
                entries_and_comments_are_stored
                moves_are_taken_back
                requests_out_of_order_are_refused
                each_kind_of_end_has_its_winner
                an_end_is_reverted
            }
            retention: {
                old_messages_are_erased_except_for_their_identity
                old_letters_are_deleted_once_they_were_sent
                entries_from_the_future_are_as_old_as_the_next_ones
            }
            results: {
                results_include_the_newest_boards_that_a_reader_may_see
                ratings_are_counted_in_ranges
            }
            transactions: {
                a_transaction_dropped_without_commit_changes_nothing
                writes_are_visible_to_later_reads
                many_connections_open_a_new_database_simultaneously
                a_reader_sees_the_state_at_its_start
                an_entry_is_appended_once
                a_message_identity_has_one_first_copy
                board_and_challenge_numbers_are_unique
                no_update_of_a_seat_is_lost
                a_userid_an_address_and_a_challenge_are_taken_once
                changes_are_seen_in_order
                turns_of_several_writers_are_stored_and_their_changes_are_ordered
            }
        );
    };
    (@ $attributes:tt $store:ident: $fresh:path; $($subject:ident: $tests:tt)+) => {
        mod $store {
            $(contract!(@subject $attributes $fresh; $subject $tests);)+
        }
    };
    (@subject $attributes:tt $fresh:path; $subject:ident {$($test:ident)+}) => {
        mod $subject {
            $(contract!(@test $attributes $fresh; $subject $test);)+
        }
    };
    (@test [$(#[$attribute:meta])*] $fresh:path; $subject:ident $test:ident) => {
        #[test]
        $(#[$attribute])*
        fn $test() {
            super::super::$subject::$test($fresh);
        }
    };
}

contract!(on_sqlite: crate::store::sqlite::fresh);
contract!(
    #[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
    on_postgres: crate::store::postgres::fresh
);

/// A database with the players alice and bob, and board 1, which alice's challenge to bob created.
pub struct Instance {
    pub database: Box<dyn Database>,
    pub store: Box<dyn Store>,
    pub alice: PlayerId,
    pub bob: PlayerId,
}

pub fn instance(fresh: Fresh) -> Instance {
    let database = fresh();
    let mut store = database.open();
    let mut tx = store.write().unwrap();
    let alice = tx.add_player("Alice", "$argon2$a", at(0)).unwrap();
    let bob = tx.add_player("bob", "$argon2$b", at(0)).unwrap();
    assert_eq!(tx.add_board(&board([alice, bob])).unwrap(), BoardNumber(1));
    tx.commit().unwrap();
    Instance { database, store, alice, bob }
}

/// Returns whether a call fails, either immediately or at the next statement. It runs in a savepoint, because in
/// PostgreSQL, a failed statement aborts the transaction.
pub fn refuses<T>(tx: &mut Transaction<'_>, call: impl FnOnce(&mut Transaction<'_>) -> Result<T>) -> bool {
    tx.set_savepoint().unwrap();
    let refused = call(tx).is_err() || tx.letters_held_at().is_err();
    tx.undo_to_savepoint().unwrap();
    refused
}

pub fn numbers(numbers: &[u32]) -> Vec<BoardNumber> {
    numbers.iter().copied().map(BoardNumber).collect()
}

/// Returns the time span between two minutes of the test.
pub fn span(from: i64, until: i64) -> Span {
    Span { from: at(from), until: at(until) }
}

pub fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_270_833, 0).unwrap() + TimeDelta::minutes(minute)
}

pub fn named(id: PlayerId, userid: &str) -> PlayerRef {
    PlayerRef { id, userid: userid.into() }
}

pub fn terms(rated: bool, private: bool) -> Terms {
    let mut terms: Terms = "--nagtime=3 --forfeittime=10 --totaltime=30".parse().unwrap();
    (terms.flags.rated, terms.flags.private) = (rated, private);
    terms
}

/// Returns a new board, on which the first of these players has challenged the second.
pub fn board(players: [PlayerId; 2]) -> NewBoard {
    NewBoard {
        number: None,
        game: "marque".into(),
        options: String::new(),
        terms: terms(true, false),
        players,
        to_move: Seat::First,
        challenger: Some(players[0]),
        rematch_of: None,
        hash: "00".into(),
        created_at: at(1),
    }
}

fn challenge(challenger: PlayerId) -> OpenChallenge {
    OpenChallenge {
        number: BoardNumber(0),
        game: "marque".into(),
        options: "x".into(),
        terms: Terms {
            time_control: TimeControl { nag: 1, forfeit: 2, total: 3, fischer: "10/1/20".parse().ok() },
            ..terms(true, true)
        },
        challenger: named(challenger, "Alice"),
        seat: Seat::Second,
        comment: Some("hello".into()),
        created_at: at(1),
        closed_at: None,
    }
}

pub fn entry(entry: u32, kind: EntryKind, ply: u32, seat: Option<Seat>) -> Entry {
    let (text, via, hash) = ("f3".into(), Channel::Mail, String::new());
    Entry { entry: EntryNumber(entry), kind, ply: Ply(ply), seat, text, made_at: at(i64::from(entry) + 1), via, hash }
}

/// Returns an entry with a move, for a record in which every entry is a move.
pub fn ply(ply: u32, seat: Seat) -> Entry {
    entry(ply, EntryKind::Move, ply, Some(seat))
}

/// Appends an entry to a board's record, and returns the stored entry. If the entry has no hash, computes the hash that
/// chains it to the previous entry.
pub fn append(tx: &mut Transaction<'_>, number: u32, entry: &Entry, to_move: Option<Seat>) -> Result<Entry> {
    let mut entry = entry.clone();
    if entry.hash.is_empty() {
        let head = tx.board(BoardNumber(number))?.map_or(String::new(), |board| board.head);
        entry.hash = next_hash(&head, entry.ply, &entry.text);
    }
    tx.add_entry(BoardNumber(number), &entry, to_move)?;
    Ok(entry)
}

fn result(winner: Option<Seat>, reason: &str) -> BoardResult {
    BoardResult { winner, reason: reason.into(), ended_at: at(90) }
}
