//! The places of a ladder, written from the rules in `help events`.

use chrono::{DateTime, TimeDelta, Utc};

/// The time between two checks for idle players.
const WEEK: TimeDelta = TimeDelta::days(7);
/// The time after which a player without a game is idle and loses places.
const IDLE: TimeDelta = TimeDelta::days(30);
/// The maximum number of changes in a step for which all possible orders are considered.
const MOST: usize = 4;

/// A possible state of a ladder. Several states are possible, because the model does not know when exactly the server
/// applied changes, especially after a fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// The players in the order of their places.
    pub(crate) places: Vec<usize>,
    /// The time at which idle players last lost places.
    sank_at: DateTime<Utc>,
    /// Changes that the server may not have applied yet.
    pending: Changes,
}

/// The results, departures and sign-ups in a ladder.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Changes {
    /// The winner and the loser of each game.
    pub(crate) won: Vec<(usize, usize)>,
    pub(crate) left: Vec<usize>,
    pub(crate) joined: Vec<usize>,
}

impl State {
    /// Returns the state of a new ladder.
    pub(crate) fn new(began_at: DateTime<Utc>) -> State {
        State { places: Vec::new(), sank_at: began_at, pending: Changes::default() }
    }

    /// Returns the time at which idle players lose places next.
    pub(crate) fn sinks_at(&self) -> DateTime<Utc> {
        self.sank_at + WEEK
    }

    /// Returns the possible states after a step with these changes. `is_idle` returns whether a player has had no game
    /// since a time. `done` is true if nothing failed in the step.
    pub(crate) fn next(
        mut self,
        changes: &Changes,
        is_idle: &impl Fn(usize, DateTime<Utc>) -> bool,
        (now, done): (DateTime<Utc>, bool),
    ) -> Vec<State> {
        self.pending.won.extend(&changes.won);
        self.pending.left.extend(&changes.left);
        self.pending.joined.extend(&changes.joined);
        let is_week_over = self.sinks_at() <= now;
        let mut states = Vec::new();
        let sinks_after: Vec<Option<usize>> = match is_week_over {
            true => (0..=self.pending.won.len()).map(Some).collect(),
            false => vec![None],
        };
        for won in orders(&self.pending.won) {
            for sinks_after in &sinks_after {
                for joins_first in [true, false] {
                    let mut places = self.places.clone();
                    let sink = |places: &mut Vec<usize>| {
                        sink(places, |player| is_idle(player, self.sinks_at() - IDLE));
                    };
                    if joins_first {
                        places.extend(&self.pending.joined);
                    }
                    for (at, (winner, loser)) in won.iter().enumerate() {
                        if *sinks_after == Some(at) {
                            sink(&mut places);
                        }
                        take(&mut places, *winner, *loser);
                    }
                    places.retain(|player| !self.pending.left.contains(player));
                    if !joins_first {
                        places.extend(&self.pending.joined);
                    }
                    if *sinks_after == Some(won.len()) {
                        sink(&mut places);
                    }
                    let sank_at = if is_week_over { now } else { self.sank_at };
                    states.push(State { places, sank_at, pending: Changes::default() });
                }
            }
        }
        if !done {
            states.push(self);
        }
        states
    }
}

/// Lets the winner of a challenge take the place of the loser.
fn take(places: &mut Vec<usize>, winner: usize, loser: usize) {
    let place = |player| places.iter().position(|of| *of == player);
    if let (Some(from), Some(to)) = (place(winner), place(loser))
        && from > to
    {
        places.remove(from);
        places.insert(to, winner);
    }
}

/// Moves each idle player down by one place, the lowest one first, unless the player below is idle, too.
fn sink(places: &mut Vec<usize>, is_idle: impl Fn(usize) -> bool) {
    let before = places.clone();
    for player in before.iter().rev().filter(|player| is_idle(**player)) {
        let at = places.iter().position(|of| of == player).unwrap_or(0);
        if places.get(at + 1).is_some_and(|below| !is_idle(*below)) {
            places.remove(at);
            places.insert(at + 1, *player);
        }
    }
}

/// Returns the possible orders in which the server may have applied the changes of a step.
pub(super) fn orders<T: Copy>(changes: &[T]) -> Vec<Vec<T>> {
    if changes.len() < 2 || changes.len() > MOST {
        return vec![changes.to_vec()];
    }
    let mut all = Vec::new();
    for at in 0..changes.len() {
        let mut rest = changes.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|rest| [vec![first], rest].concat()));
    }
    all
}
