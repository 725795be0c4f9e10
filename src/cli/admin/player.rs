//! Tasks of the administrator for one player.

use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused, unconfirmed};
use crate::command::RESERVED_WORDS;
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{ClosedBoards, NotMerged, NotRenamed, Rejection, Removal, Service, administration};
use crate::store::{self, Act, ActKind, Address, EditionRef, Player, Transaction};

use super::names::no_player;
use super::table::{act, send_letters};

/// Tasks of the administrator for one player.
#[derive(Subcommand)]
pub(crate) enum PlayerTask {
    /// Give a player a new random password, and print it. This ends their sessions and removes their tokens
    Password {
        /// The player
        userid: String,
    },
    /// Send letters to a paused address again
    Unpause {
        /// The player
        userid: String,
        /// The address at which letters bounced
        address: String,
    },
    /// Add an address to a player. A letter asks its owner to confirm it
    Address {
        /// The player
        userid: String,
        /// The new address
        address: String,
        /// Confirm it yourself, without a letter
        #[arg(long)]
        confirmed: bool,
    },
    /// Confirm an unconfirmed address
    Confirm {
        /// The player
        userid: String,
        /// The address
        address: String,
    },
    /// Change a player's userid everywhere
    Rename {
        /// The player
        userid: String,
        /// The new userid
        new: String,
    },
    /// Block a player from everything, send them no letters, and resign their boards
    Block {
        /// The player
        userid: String,
        /// Confirm, if the player has boards in progress. Without --yes, only these boards are shown
        #[arg(long)]
        yes: bool,
    },
    /// Unblock a player
    Unblock {
        /// The player
        userid: String,
    },
    /// Transfer everything of a player to another userid of the same person, and remove the old userid. This cannot be
    /// undone
    Merge {
        /// The player to remove
        #[arg(value_name = "OLD")]
        userid: String,
        /// The player who receives the boards, comments, addresses and notes
        new: String,
        /// Confirm. Without this, the effects are shown
        #[arg(long)]
        yes: bool,
    },
    /// Resign a player's boards and erase their data. This cannot be undone
    Remove {
        /// The player
        userid: String,
        /// Confirm. Without this, the effects are shown
        #[arg(long)]
        yes: bool,
    },
}

impl PlayerTask {
    fn userid(&self) -> &str {
        match self {
            PlayerTask::Password { userid }
            | PlayerTask::Unpause { userid, .. }
            | PlayerTask::Address { userid, .. }
            | PlayerTask::Confirm { userid, .. }
            | PlayerTask::Rename { userid, .. }
            | PlayerTask::Block { userid, .. }
            | PlayerTask::Unblock { userid }
            | PlayerTask::Merge { userid, .. }
            | PlayerTask::Remove { userid, .. } => userid,
        }
    }

    /// Returns the task's kind in the log of acts.
    fn kind(&self) -> ActKind {
        match self {
            PlayerTask::Password { .. } => ActKind::Password,
            PlayerTask::Unpause { .. } => ActKind::Unpause,
            PlayerTask::Address { .. } | PlayerTask::Confirm { .. } => ActKind::Addresses,
            PlayerTask::Rename { .. } => ActKind::Rename,
            PlayerTask::Merge { .. } => ActKind::Merge,
            PlayerTask::Block { .. } => ActKind::Block,
            PlayerTask::Unblock { .. } => ActKind::Unblock,
            PlayerTask::Remove { .. } => ActKind::Remove,
        }
    }

    /// Returns whether the task frees the player's userid, so that another person could take it.
    fn frees_userid(&self) -> bool {
        match self {
            PlayerTask::Rename { userid, new, .. } => !new.eq_ignore_ascii_case(userid),
            PlayerTask::Merge { .. } | PlayerTask::Remove { .. } => true,
            _ => false,
        }
    }

    /// Returns the task's detail for the log of acts, in addition to the player.
    fn detail(&self) -> String {
        match self {
            PlayerTask::Confirm { address, .. } | PlayerTask::Address { address, confirmed: true, .. } => {
                format!("{address} confirmed")
            }
            PlayerTask::Unpause { address, .. } | PlayerTask::Address { address, .. } => address.clone(),
            PlayerTask::Rename { userid, .. } | PlayerTask::Merge { userid, .. } => userid.clone(),
            _ => String::new(),
        }
    }
}

/// Carries out a task for a player.
pub(crate) fn run(instance: &mut Instance, task: &PlayerTask, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let tx = instance.store.read()?;
    let Some(player) = administration::player(&tx, task.userid())? else {
        return Err(refused(no_player(&tx, task.userid())?));
    };
    drop(tx);
    if administration::is_removed(&player) || player.left_at.is_some() && !matches!(task, PlayerTask::Remove { .. }) {
        return Err(refused(has_left(&player)));
    }
    if task.frees_userid() && instance.config.policy.is_administrator(&player.userid) {
        return Err(refused(format_args!(
            "the configuration names {} as an administrator; remove the userid from `administrators` in [policy], and \
             repeat the command",
            player.userid
        )));
    }
    let boards = administration::boards_of(&instance.store.read()?, player.id)?;
    match (task, player.blocked_at) {
        (PlayerTask::Block { .. }, Some(since)) if boards.is_empty() => {
            let since = since.format("%Y-%m-%d");
            return Err(refused(format_args!("{} is already blocked, since {since}", player.userid)));
        }
        (PlayerTask::Unblock { .. }, None) => {
            return Err(refused(format_args!(
                "{} is not blocked; `turnpost admin players` shows who is",
                player.userid
            )));
        }
        _ => {}
    }
    let service = instance.config.service(instance.world);
    if let PlayerTask::Remove { yes: false, .. } | PlayerTask::Block { yes: false, .. } = task
        && !boards.is_empty()
    {
        // Removing a player ends the same boards as blocking them. The transaction is not committed.
        let closed = match service.block(&mut instance.store.write()?, &player, now)? {
            Ok(closed) => closed,
            Err(rejection) => return Err(refused(instance.composer.message(&rejection.message)?)),
        };
        return ask_to_end(&player, task, (&boards, &closed), as_json);
    }
    if let PlayerTask::Remove { yes: false, .. } = task {
        return ask_to_end(&player, task, (&boards, &ClosedBoards::default()), as_json);
    }
    let password = service.random_password();
    let hash = matches!(task, PlayerTask::Password { .. }).then(|| service.hash_password(&password));
    let changing = Change { service, player: &player, now, password, hash: hash.unwrap_or_default(), reason, as_json };
    match store::write_with_retries(&mut *instance.store, |tx| changing.make(tx, task))? {
        Ok(done) => finish(instance, &done),
        Err(NotDone::Because(why)) => Err(refused(why)),
        Err(NotDone::Rejected(rejection)) => Err(refused(instance.composer.message(&rejection.message)?)),
    }
}

/// Says that a player was removed, or that they have left and how to erase their userid.
fn has_left(player: &Player) -> String {
    let userid = &player.userid;
    if administration::is_removed(player) {
        return format!("{userid} has already been removed; only their boards and comments remain, under this name");
    }
    format!("{userid} has left this server; `turnpost admin player remove {userid}` erases their userid, too")
}

/// A change to one player.
struct Change<'a> {
    service: Service<'a>,
    player: &'a Player,
    now: DateTime<Utc>,
    /// A random password, for the task that resets the password.
    password: String,
    hash: String,
    /// The administrator's reason, for the log of acts.
    reason: &'a str,
    as_json: bool,
}

/// Why a task did not change the player. The database is unchanged.
enum NotDone {
    Because(String),
    Rejected(Box<Rejection>),
}

impl Change<'_> {
    /// Carries out the task, records it in the log of acts, and returns a report.
    fn make(&self, tx: &mut Transaction<'_>, task: &PlayerTask) -> store::Result<Result<String, NotDone>> {
        let done = self.change(tx, task)?;
        if done.is_ok() {
            let player = match task {
                PlayerTask::Merge { new, .. } => tx.player(new)?.map(|player| player.id),
                _ => Some(self.player.id),
            };
            let (detail, reason) = (task.detail(), self.reason.to_owned());
            tx.add_act(&Act { player, detail, reason, ..act(task.kind(), self.now) })?;
        }
        Ok(done)
    }

    fn change(&self, tx: &mut Transaction<'_>, task: &PlayerTask) -> store::Result<Result<String, NotDone>> {
        let Change { service, player, now, password, hash, .. } = self;
        let userid = &player.userid;
        let not_done = |why: std::fmt::Arguments<'_>| Ok(Err(NotDone::Because(why.to_string())));
        Ok(Ok(match task {
            PlayerTask::Password { .. } => {
                service.reset_password(tx, player, hash)?;
                self.said(json!({ "player": userid, "password": password }), || {
                    format!(
                        "The new password of {userid} is {password}\nThey should change it: change password {userid} …\n"
                    )
                })
            }
            PlayerTask::Unpause { address, .. } => {
                if !service.unpause(tx, player, address, *now)? {
                    let paused = self.addresses(tx, |known| known.paused.is_some())?;
                    return not_done(format_args!(
                        "{userid} has no paused address {address}. Their paused addresses: {paused}"
                    ));
                }
                self.said(json!({ "player": userid, "address": address, "paused": false }), || {
                    format!("Letters to {userid} are sent to {address} again.\n")
                })
            }
            PlayerTask::Address { address, confirmed, .. } => {
                match service.add_address(tx, player, address, *confirmed, *now)? {
                    Ok(()) => self.added(address, *confirmed),
                    Err(rejection) => return Ok(Err(NotDone::Rejected(Box::new(rejection)))),
                }
            }
            PlayerTask::Confirm { address, .. } => match service.confirm_waiting(tx, player, address, *now)? {
                Ok(true) => self.added(address, true),
                Ok(false) => {
                    let unconfirmed = self.addresses(tx, |known| known.confirmed_at.is_none())?;
                    return not_done(format_args!(
                        "{userid} has no unconfirmed address {address}. Their unconfirmed addresses: {unconfirmed}"
                    ));
                }
                Err(rejection) => return Ok(Err(NotDone::Rejected(Box::new(rejection)))),
            },
            PlayerTask::Rename { new, .. } => match service.rename_player(tx, player, new)? {
                Ok(()) => {
                    self.said(json!({ "player": new, "was": userid }), || format!("{userid} is now called {new}.\n"))
                }
                Err(NotRenamed::Invalid) => {
                    return not_done(format_args!(
                        "{new} cannot be a userid: write 2 to 20 letters, digits, \"_\", \".\" or \"-\", beginning with \
                         a letter and not ending with \".atom\" or \".\". These words cannot be \
                         userids: {}",
                        RESERVED_WORDS.join(", ")
                    ));
                }
                Err(NotRenamed::Robots) => {
                    return not_done(format_args!(
                        "{userid} cannot be called {new}: userids such as robot1 are reserved for computer players"
                    ));
                }
                Err(NotRenamed::Taken) => {
                    return not_done(format_args!("the userid {new} is taken; choose another one"));
                }
            },
            PlayerTask::Block { .. } => match service.block(tx, player, *now)? {
                Ok(closed) => self.blocked(&closed),
                Err(rejection) => return Ok(Err(NotDone::Rejected(Box::new(rejection)))),
            },
            PlayerTask::Unblock { .. } => {
                service.unblock(tx, player)?;
                self.said(json!({ "player": userid, "blocked": false }), || format!("{userid} is no longer blocked.\n"))
            }
            PlayerTask::Merge { new, yes, .. } => return self.merge(tx, new, *yes),
            PlayerTask::Remove { .. } => match service.remove_player(tx, player, *now)? {
                Ok(removal) => self.removed(&removal),
                Err(rejection) => return Ok(Err(NotDone::Rejected(Box::new(rejection)))),
            },
        }))
    }

    /// Lists the player's addresses that satisfy a condition.
    fn addresses(&self, tx: &Transaction<'_>, is_listed: impl Fn(&Address) -> bool) -> store::Result<String> {
        let listed = tx.addresses(self.player.id)?.into_iter().filter(is_listed).map(|known| known.address);
        let listed: Vec<String> = listed.collect();
        Ok(if listed.is_empty() { "none".to_owned() } else { listed.join(", ") })
    }

    /// Returns a report of the change, as JSON or in words.
    fn said(&self, facts: serde_json::Value, words: impl FnOnce() -> String) -> String {
        if self.as_json { format!("{facts}\n") } else { words() }
    }

    /// Merges the player into another one, or describes the effects.
    fn merge(&self, tx: &mut Transaction<'_>, new: &str, yes: bool) -> store::Result<Result<String, NotDone>> {
        let Change { service, player: old, now, .. } = self;
        let userid = &old.userid;
        let not_done = |why: std::fmt::Arguments<'_>| Ok(Err(NotDone::Because(why.to_string())));
        let Some(new) = tx.player(new)? else { return Ok(Err(NotDone::Because(no_player(tx, new)?))) };
        if new.left_at.is_some() {
            return Ok(Err(NotDone::Because(has_left(&new))));
        }
        let merged = match yes {
            true => service.merge_players(tx, old, &new, *now)?,
            false => administration::boards_to_merge(tx, old, &new)?.map(|boards| boards.len()),
        };
        let boards = match merged {
            Ok(boards) if yes => boards,
            Ok(boards) => {
                let new = &new.userid;
                return not_done(format_args!(
                    "{new} would take over everything from {userid} (boards: {boards}), and {userid} would be removed, \
                     which cannot be undone; to do it, repeat the command with --yes"
                ));
            }
            Err(NotMerged::Same) => return not_done(format_args!("{userid} cannot be merged with themselves")),
            Err(NotMerged::Robots) => return not_done(format_args!("computer players cannot be merged")),
            Err(NotMerged::Together(boards)) => {
                return not_done(format_args!(
                    "{userid} and {} play or played each other on these boards, and one person cannot be both \
                     players of a game: {}",
                    new.userid,
                    numbers(&boards)
                ));
            }
            Err(NotMerged::InEdition(EditionRef { name, edition })) => {
                return not_done(format_args!(
                    "{userid} and {} both play or played in edition {edition} of {name}, and one person cannot be \
                     two players of an edition; players of a ladder can be merged after one of them has left it",
                    new.userid
                ));
            }
        };
        let new = &new.userid;
        Ok(Ok(self.said(json!({ "merged": userid, "into": new, "boards": boards }), || {
            format!("{userid} is merged into {new}. Boards taken over: {boards}\n")
        })))
    }

    /// Describes an added address of the player.
    fn added(&self, address: &str, confirmed: bool) -> String {
        let userid = &self.player.userid;
        self.said(json!({ "player": userid, "address": address, "confirmed": confirmed }), || match confirmed {
            true => format!("{address} is a confirmed address of {userid}.\n"),
            false => format!("A letter asks {address} to confirm that it is {userid}'s address.\n"),
        })
    }

    /// Describes the effects of blocking the player.
    fn blocked(&self, closed: &ClosedBoards) -> String {
        let (userid, ClosedBoards { resigned, declined, annulled }) = (&self.player.userid, closed);
        let facts = json!({ "player": userid, "blocked": true, "resigned": resigned, "taken out of play": declined,
            "annulled": annulled });
        self.said(facts, || format!("{userid} is blocked: no commands, no letters.\n") + &listed(closed))
    }

    /// Describes the effects of removing the player.
    fn removed(&self, Removal { shown_as, closed }: &Removal) -> String {
        let (userid, ClosedBoards { resigned, declined, annulled }) = (&self.player.userid, closed);
        let facts = json!({ "player": userid, "shown as": shown_as, "resigned": resigned, "taken out of play": declined,
            "annulled": annulled, "removed": true });
        self.said(facts, || format!("{userid} is removed, and shown as \"{shown_as}\".\n") + &listed(closed))
    }
}

/// Reports the change, and sends the letters about it.
fn finish(instance: &mut Instance, done: &str) -> anyhow::Result<Exit> {
    // Erased data must also disappear from the free pages and the write-ahead log of the database.
    instance.store.checkpoint()?;
    print(done)?;
    Ok(send_letters(instance))
}

/// Shows the boards that removing or blocking a player would end.
fn ask_to_end(
    player: &Player,
    task: &PlayerTask,
    (boards, closed): (&[BoardNumber], &ClosedBoards),
    as_json: bool,
) -> anyhow::Result<Exit> {
    let (done, advice) = match task {
        PlayerTask::Remove { .. } => ("removed", "removing them cannot be undone: repeat the command with --yes"),
        _ => ("blocked", "to block them, repeat the command with --yes"),
    };
    if as_json {
        print(&(json!({ "player": player.userid, "running boards": boards, done: false }).to_string() + "\n"))?;
    }
    let would = |what: &str, boards: &[BoardNumber]| match boards {
        [] => None,
        _ => Some(format!("these running boards, which would be {what}: {}", numbers(boards))),
    };
    let ClosedBoards { resigned, declined, annulled } = closed;
    let groups = [("resigned", resigned), ("taken out of play", declined), ("annulled", annulled)];
    let groups: Vec<String> = groups.into_iter().filter_map(|(what, boards)| would(what, boards)).collect();
    let running = match &groups[..] {
        [] => "no running boards".to_owned(),
        groups => groups.join("; "),
    };
    Ok(unconfirmed(format_args!("{} has {running}; {advice}", player.userid)))
}

/// Lists the boards that a task ended, with one line each for resigned, declined and annulled boards.
fn listed(closed: &ClosedBoards) -> String {
    let line = |what: &str, boards: &[BoardNumber]| match boards {
        [] => String::new(),
        _ => format!("{what}: {}\n", numbers(boards)),
    };
    line("Resigned", &closed.resigned)
        + &line("Taken out of play", &closed.declined)
        + &line("Annulled", &closed.annulled)
}

fn numbers(boards: &[BoardNumber]) -> String {
    boards.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
