//! The kinds of notices: a table with their names, recipients and timing.

use crate::store::OutboxNotice;

/// The followers of a board who are notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followers {
    Nobody,
    /// Followers of every move.
    EveryMove,
    /// All followers, including those of the end only.
    All,
}

/// When a player is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// As the player's setting `rhythm` determines.
    Rhythm,
    /// Immediately, unless the player has stopped letters.
    AtOnce,
    /// Always immediately, because the player requested the notice.
    Asked,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $followers:ident, $due:ident;)*) => {
        /// The kind of a notice. If several notices are about the same board, the first kind in this list has
        /// priority.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum NoticeKind {
            $($(#[$doc])* $kind,)*
        }

        impl NoticeKind {
            /// Every kind.
            pub const ALL: &[NoticeKind] = &[$(NoticeKind::$kind),*];

            /// Returns the stored name. The templates of the kind are `mail/NAME.txt` and `mail/NAME.subject`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(NoticeKind::$kind => $name,)*
                }
            }

            pub(crate) const fn followers(self) -> Followers {
                match self {
                    $(NoticeKind::$kind => Followers::$followers,)*
                }
            }

            pub(crate) const fn due(self) -> Due {
                match self {
                    $(NoticeKind::$kind => Due::$due,)*
                }
            }
        }
    };
}

kinds! {
    /// The game has ended.
    End = "end", All, Rhythm;
    /// The board was removed, because no first move was played in time.
    Lapse = "lapse", All, Rhythm;
    /// A player declined the board.
    Decline = "decline", All, Rhythm;
    /// A board was voided: it has no result and changes no ratings.
    Void = "void", All, Rhythm;
    /// The administrator reverted the end of the board.
    Reopen = "reopen", All, Rhythm;
    /// A reminder to the player to move.
    Reminder = "reminder", Nobody, AtOnce;
    /// A player proposes a draw, an undo or an end without a result.
    Propose = "propose", Nobody, Rhythm;
    /// The board was created.
    Challenge = "challenge", Nobody, Rhythm;
    /// A move was played or undone.
    Move = "move", EveryMove, Rhythm;
    /// A proposal was rejected.
    Reject = "reject", Nobody, Rhythm;
    /// A proposal was withdrawn by its author.
    Withdraw = "withdraw", Nobody, Rhythm;
    /// A player wrote to the players and followers of the board.
    Chat = "chat", EveryMove, Rhythm;
    /// An answer to a message.
    Answer = "answer", Nobody, Asked;
    /// The analysis of a finished board, which the reader requested.
    Analysis = "analysis", Nobody, Asked;
    /// The puzzle of the day.
    Puzzle = "puzzle", Nobody, Rhythm;
    /// An edition of an event begins.
    EventBegin = "event-begin", Nobody, Rhythm;
    /// Results of an edition.
    EventReport = "event-report", Nobody, Rhythm;
    /// An edition has ended.
    EventEnd = "event-end", Nobody, Rhythm;
    /// The player was withdrawn from an edition, or lost on time without a move in it.
    EventAbsence = "event-absence", Nobody, Rhythm;
    /// A request to the owner of an address to confirm it.
    Confirm = "confirm", Nobody, Asked;
    /// A login link.
    Login = "login", Nobody, Asked;
    /// A link that sets a new password.
    Password = "password", Nobody, Asked;
    /// Letters to an address of the player bounced, so further letters are not sent there.
    Pause = "pause", Nobody, AtOnce;
    /// A message could not be processed.
    Quarantined = "quarantined", Nobody, AtOnce;
    /// A text from another player, or from the administrator.
    Message = "message", Nobody, AtOnce;
    /// A player's report about another one, for the administrators.
    Report = "report", Nobody, AtOnce;
    /// A text from an administrator to all players.
    Broadcast = "broadcast", Nobody, AtOnce;
}

impl NoticeKind {
    /// Finds a kind by its name.
    pub fn named(name: &str) -> Option<NoticeKind> {
        NoticeKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns whether a notice of this kind reports that the board has ended.
    pub fn ends_board(self) -> bool {
        matches!(self, NoticeKind::End | NoticeKind::Lapse | NoticeKind::Decline | NoticeKind::Void)
    }

    /// Returns whether a notice of this kind is sent as a separate letter, so that its code or link is easy to find.
    pub fn is_sent_alone(self) -> bool {
        matches!(self, NoticeKind::Confirm | NoticeKind::Login | NoticeKind::Password)
    }

    /// Returns the kind of a stored notice; `None` if a later version wrote it.
    pub fn of(notice: &OutboxNotice) -> Option<NoticeKind> {
        NoticeKind::named(&notice.kind)
    }
}
