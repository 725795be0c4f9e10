//! The kinds of notices: one table of their names and of who is told, and when.

use crate::store::OutboxNotice;

/// Which followers of a board are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::service) enum Followers {
    /// None of them.
    Nobody,
    /// Those who follow every move.
    EveryMove,
    /// Those who follow the end only, too.
    All,
}

/// When a player is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::service) enum Due {
    /// By the rhythm of their letters.
    Rhythm,
    /// At once, unless they have stopped their letters.
    AtOnce,
    /// At once in any case: they have asked for it.
    Asked,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $followers:ident, $due:ident;)*) => {
        /// What a notice tells. Beside other notices about the same board, the kind that comes first here matters most.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum NoticeKind {
            $($(#[$doc])* $kind,)*
        }

        impl NoticeKind {
            /// Every kind.
            pub const ALL: &[NoticeKind] = &[$(NoticeKind::$kind),*];

            /// The name that it is stored under, and that its templates have: `mail/NAME.txt` and `mail/NAME.subject`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(NoticeKind::$kind => $name,)*
                }
            }

            pub(in crate::service) const fn followers(self) -> Followers {
                match self {
                    $(NoticeKind::$kind => Followers::$followers,)*
                }
            }

            pub(in crate::service) const fn due(self) -> Due {
                match self {
                    $(NoticeKind::$kind => Due::$due,)*
                }
            }
        }
    };
}

kinds! {
    /// The game is over.
    End = "end", All, Rhythm;
    /// The board was removed, because no first move was made in time.
    Lapse = "lapse", All, Rhythm;
    /// A player declined the board.
    Decline = "decline", All, Rhythm;
    /// The administrator voided the board.
    Void = "void", All, Rhythm;
    /// The administrator took back the end of the board.
    Reopen = "reopen", All, Rhythm;
    /// The player to move takes long.
    Reminder = "reminder", Nobody, AtOnce;
    /// A player proposes a draw or an undo.
    Propose = "propose", Nobody, Rhythm;
    /// The board was made.
    Challenge = "challenge", Nobody, Rhythm;
    /// A move was made or taken back.
    Move = "move", EveryMove, Rhythm;
    /// A proposal was rejected.
    Reject = "reject", Nobody, Rhythm;
    /// A proposal was taken back by the player who made it.
    Withdraw = "withdraw", Nobody, Rhythm;
    /// A player wrote to the players and followers of the board.
    Chat = "chat", EveryMove, Rhythm;
    /// What a mail is answered with.
    Answer = "answer", Nobody, Asked;
    /// The analysis of a finished board, which the reader has asked for.
    Analysis = "analysis", Nobody, Asked;
    /// The puzzle of the day.
    Puzzle = "puzzle", Nobody, Rhythm;
    /// The owner of an address is asked to confirm it.
    Confirm = "confirm", Nobody, Asked;
    /// A link that logs a player in.
    Login = "login", Nobody, Asked;
    /// A link that sets a new password.
    Password = "password", Nobody, Asked;
    /// Letters to an address of the player bounced, and no more are sent there.
    Pause = "pause", Nobody, AtOnce;
    /// A mail could not be processed.
    SetAside = "set-aside", Nobody, AtOnce;
    /// A text from another player.
    Message = "message", Nobody, AtOnce;
    /// A text from an administrator to all players.
    Broadcast = "broadcast", Nobody, AtOnce;
}

impl NoticeKind {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<NoticeKind> {
        NoticeKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether no move follows on the board.
    pub fn ends_board(self) -> bool {
        matches!(self, NoticeKind::End | NoticeKind::Lapse | NoticeKind::Decline | NoticeKind::Void)
    }

    /// Whether its letter contains no other notices, so that its code or link is easy to find.
    pub fn is_sent_alone(self) -> bool {
        matches!(self, NoticeKind::Confirm | NoticeKind::Login | NoticeKind::Password)
    }

    /// The kind of a stored notice; `None` when a later version wrote it.
    pub fn of(notice: &OutboxNotice) -> Option<NoticeKind> {
        NoticeKind::named(&notice.kind)
    }
}
