//! The words and codes by which databases store values of few kinds, the same in every database.

use super::{
    CountedKind, DeliveryState, EffectKind, EntryKind, LinkPurpose, MailSource, NoResult, ProposalAnswer, ProposalKind,
    StopCause, VerdictKind, Via,
};

/// A type of few values that have fixed names in the database.
pub(super) trait Named: Copy + PartialEq + 'static {
    /// All values with their names.
    const NAMES: &'static [(Self, &'static str)];
}

/// A type of few values that have fixed codes in the database, where the room for words counts.
pub(super) trait Numbered: Copy + PartialEq + 'static {
    /// All values with their codes.
    const CODES: &'static [(Self, i64)];
}

impl Named for ProposalKind {
    const NAMES: &'static [(Self, &'static str)] =
        &[(ProposalKind::Draw, "draw"), (ProposalKind::Undo, "undo"), (ProposalKind::Abandon, "abandon")];
}

impl Named for NoResult {
    const NAMES: &'static [(Self, &'static str)] = &[
        (NoResult::Declined, NoResult::Declined.name()),
        (NoResult::Expired, NoResult::Expired.name()),
        (NoResult::Void, NoResult::Void.name()),
        (NoResult::Abandoned, NoResult::Abandoned.name()),
    ];
}

impl Named for CountedKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (CountedKind::WrongPassword, "wrong password"),
        (CountedKind::Letter, "letter"),
        (CountedKind::PasswordRequest, "password request"),
        (CountedKind::Answer, "answer"),
        (CountedKind::PasswordLink, "password link"),
        (CountedKind::LoginLink, "login link"),
    ];
}

impl Named for StopCause {
    const NAMES: &'static [(Self, &'static str)] = &[
        (StopCause::Vacation, "vacation"),
        (StopCause::Off, "off"),
        (StopCause::Held, "held"),
        (StopCause::Paused, "paused"),
        (StopCause::Maintenance, "maintenance"),
    ];
}

impl Named for DeliveryState {
    const NAMES: &'static [(Self, &'static str)] = &[
        (DeliveryState::Failed, "failed"),
        (DeliveryState::Sent, "sent"),
        (DeliveryState::Refused, "refused"),
        (DeliveryState::Bounced, "bounced"),
    ];
}

impl Named for ProposalAnswer {
    const NAMES: &'static [(Self, &'static str)] = &[
        (ProposalAnswer::Accepted, "accepted"),
        (ProposalAnswer::Rejected, "rejected"),
        (ProposalAnswer::Withdrawn, "withdrawn"),
    ];
}

impl Named for MailSource {
    const NAMES: &'static [(Self, &'static str)] = &[
        (MailSource::Pipe, "pipe"),
        (MailSource::Lmtp, "lmtp"),
        (MailSource::Maildir, "maildir"),
        (MailSource::Imap, "imap"),
    ];
}

impl Named for VerdictKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (VerdictKind::Done, "done"),
        (VerdictKind::Refused, "refused"),
        (VerdictKind::Repeated, "repeated"),
        (VerdictKind::Ignored, "ignored"),
        (VerdictKind::Poison, "poison"),
    ];
}

impl Named for EffectKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (EffectKind::Board, "board"),
        (EffectKind::Entry, "entry"),
        (EffectKind::Comment, "comment"),
        (EffectKind::Proposal, "proposal"),
        (EffectKind::Answer, "answer"),
        (EffectKind::Notice, "notice"),
    ];
}

impl Named for Via {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Via::Mail, "mail"),
        (Via::Shell, "shell"),
        (Via::Web, "web"),
        (Via::Api, "api"),
        (Via::Visitor, "visitor"),
        (Via::Plan, "plan"),
        (Via::Clock, "clock"),
        (Via::Administrator, "administrator"),
        (Via::Robot, "robot"),
    ];
}

impl Named for LinkPurpose {
    const NAMES: &'static [(Self, &'static str)] =
        &[(LinkPurpose::Login, "login"), (LinkPurpose::Password, "password")];
}

// The codes of the table `entry_kinds`.
impl Numbered for EntryKind {
    const CODES: &'static [(Self, i64)] = &[
        (EntryKind::Move, 0),
        (EntryKind::Undo, 1),
        (EntryKind::Resign, 2),
        (EntryKind::Draw, 3),
        (EntryKind::Forfeit, 4),
        (EntryKind::Adjudge, 5),
        (EntryKind::Reopen, 6),
        (EntryKind::Void, 7),
        (EntryKind::Abandon, 8),
    ];
}

// The codes of the table `entry_vias`.
impl Numbered for Via {
    const CODES: &'static [(Self, i64)] = &[
        (Via::Mail, 0),
        (Via::Web, 1),
        (Via::Api, 2),
        (Via::Shell, 3),
        (Via::Visitor, 4),
        (Via::Plan, 5),
        (Via::Clock, 6),
        (Via::Administrator, 7),
        (Via::Robot, 8),
    ];
}
