//! Players, and what they have set about themselves.

use chrono::{DateTime, Utc};

use super::Result;
use crate::clock::Span;
use crate::command::{ChatReaders, Dmarc, Hints, MailForm, OwnLetters, Reminders, Rhythm, UnsolicitedLetters, Weekend};
use crate::draw::Theme;

/// A player's key in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub i64);

/// A player as other things name them: by key and userid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerRef {
    /// Key in the database.
    pub id: PlayerId,
    /// The name that people know.
    pub userid: String,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Key in the database.
    pub id: PlayerId,
    /// As signed up: the case is kept, and the name is unique in any case.
    pub userid: String,
    /// argon2 in PHC form; empty once they have left.
    pub password_hash: String,
    /// When they signed up.
    pub created_at: DateTime<Utc>,
    /// What they have set.
    pub settings: Settings,
    /// Their request to leave, which waits to be confirmed.
    pub signoff: Option<Signoff>,
    /// When they left.
    pub left_at: Option<DateTime<Utc>>,
    /// When an administrator blocked them: they can do nothing, and get no letters.
    pub blocked_at: Option<DateTime<Utc>>,
    /// When they were last out of reach and could be reached again.
    pub back_in_reach_at: Option<DateTime<Utc>>,
}

/// A player's request to leave, which they must confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signoff {
    /// The code that confirms it.
    pub code: String,
    /// When the code was given.
    pub given_at: DateTime<Utc>,
}

/// What a player has set about themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How letters show boards.
    pub mail: MailForm,
    /// How often letters come.
    pub rhythm: Rhythm,
    /// Which reminders come.
    pub reminders: Reminders,
    /// A name of the IANA time zone database.
    pub zone: String,
    /// The days on which their clocks stand still.
    pub weekend: Weekend,
    /// What is sent without their asking for it.
    pub letters: UnsolicitedLetters,
    /// Whether they get letters about what they did or saw in the browser.
    pub own: OwnLetters,
    /// What mail in their name must show.
    pub dmarc: Dmarc,
    /// The colours of the boards on pages.
    pub theme: Theme,
    /// Whether they are told what computer players expect.
    pub hints: Hints,
    /// Who may read the chat of their boards.
    pub chat: ChatReaders,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mail: MailForm::default(),
            rhythm: Rhythm::default(),
            reminders: Reminders::default(),
            zone: "UTC".to_owned(),
            weekend: Weekend::default(),
            letters: UnsolicitedLetters::default(),
            own: OwnLetters::default(),
            dmarc: Dmarc::default(),
            theme: Theme::default(),
            hints: Hints::default(),
            chat: ChatReaders::default(),
        }
    }
}

/// Players and their passwords.
///
/// Needs: a userid is unique in any case, also among players added at the same time.
pub trait Players {
    /// Finds the player of a userid, in any case.
    fn player(&self, userid: &str) -> Result<Option<Player>>;
    /// Finds the player of a key.
    fn player_by_id(&self, player: PlayerId) -> Result<Option<Player>>;
    /// Lists every player, by userid.
    fn players(&self) -> Result<Vec<Player>>;
    /// Lists the players who have not left, by userid, so many at most.
    fn first_players(&self, most: u32) -> Result<Vec<Player>>;
    /// Lists the userids that begin with these letters, in order, so many at most.
    fn userids(&self, beginning: &str, most: u32) -> Result<Vec<String>>;
    /// Adds a player. Fails when the userid is taken.
    fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId>;
    /// Replaces the password hash, and removes the player's tokens.
    fn set_password(&mut self, player: PlayerId, password_hash: &str) -> Result<()>;
    /// Replaces what a player has set.
    fn set_settings(&mut self, player: PlayerId, settings: &Settings) -> Result<()>;
    /// Sets [`Player::blocked_at`].
    fn set_blocked(&mut self, player: PlayerId, blocked_at: Option<DateTime<Utc>>) -> Result<()>;
    /// Sets when a player was out of reach and can be reached again.
    fn set_back_in_reach(&mut self, player: PlayerId, at: DateTime<Utc>) -> Result<()>;
    /// Sets the code that will confirm that a player leaves.
    fn begin_signoff(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()>;
    /// Removes what a player leaves behind: their password, addresses, tokens, webhook, preferences, notes, sessions,
    /// what they follow and what they want no letters about. Their userid, vacations and boards stay.
    fn leave(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// Lists the players who have an address that was added before the time `waits` and not confirmed, and none that was. An
    /// address that was added after that time is as old as one that was added next.
    fn unconfirmed_players(&self, waits: &Span) -> Result<Vec<PlayerId>>;
    /// Removes a player who never had a board or an open challenge, and gives true; false for any other.
    fn remove_player(&mut self, player: PlayerId) -> Result<bool>;
}
