//! A player's settings: the keys and values of `set userid password key=value…`.

use std::fmt;
use std::str::FromStr;

use crate::clock::Weekend;
use crate::draw::Theme;
use crate::message;
use crate::text::Message;

/// Reads the value of a setting.
type SettingReader = fn(&str) -> Result<Setting, InvalidValue>;

/// Every key of `set` with its reader, in the order of the help.
const SETTINGS: [(&str, SettingReader); 11] = [
    ("mail", |value| value.parse().map(Setting::Mail)),
    ("rhythm", |value| value.parse().map(Setting::Rhythm)),
    ("reminders", |value| value.parse().map(Setting::Reminders)),
    ("letters", |value| value.parse().map(Setting::Letters)),
    ("own", |value| value.parse().map(Setting::Own)),
    ("zone", zone),
    ("weekend", |value| value.parse().map(Setting::Weekend)),
    ("dmarc", |value| value.parse().map(Setting::Dmarc)),
    ("theme", |value| value.parse().map(Setting::Theme)),
    ("hints", |value| value.parse().map(Setting::Hints)),
    ("chat", |value| value.parse().map(Setting::Chat)),
];

/// The keys of `set`, in the order of the help.
pub const SETTING_KEYS: &[&str] = &{
    let mut keys = [""; SETTINGS.len()];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = SETTINGS[i].0;
        i += 1;
    }
    keys
};

/// The longest name of a time zone.
const LONGEST_ZONE: usize = 40;

/// Finds a key, ignoring case, with the reader of its values.
pub(super) fn setting(key: &str) -> Option<(&'static str, SettingReader)> {
    SETTINGS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(key))
}

fn zone(value: &str) -> Result<Setting, InvalidValue> {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-');
    let fits = (1..=LONGEST_ZONE).contains(&value.len()) && value.chars().all(letter);
    fits.then(|| Setting::Zone(value.to_owned())).ok_or_else(|| InvalidValue(message!("command.values-of-zone")))
}

/// One setting to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `mail=html|text|accessible`
    Mail(MailForm),
    /// `rhythm=each|once|daily@18`
    Rhythm(Rhythm),
    /// `reminders=all|last`
    Reminders(Reminders),
    /// `letters=all|boards|none`
    Letters(UnsolicitedLetters),
    /// `own=off|on`
    Own(OwnLetters),
    /// `zone=Europe/Berlin`: a name of the IANA time zone database, as typed. The service checks it.
    Zone(String),
    /// `weekend=sat,sun` or `weekend=none`
    Weekend(Weekend),
    /// `dmarc=off|required`
    Dmarc(Dmarc),
    /// `theme=wood|slate|moss|paper`
    Theme(Theme),
    /// `hints=off|on`
    Hints(Hints),
    /// `chat=everyone|players`
    Chat(ChatReaders),
}

/// How a letter shows a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MailForm {
    /// Drawn, with an additional HTML part in which boards are pictures.
    #[default]
    Html,
    /// Drawn, in plain text only.
    Text,
    /// In sentences, for a reader who cannot use a drawing.
    Accessible,
}

/// How often letters are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rhythm {
    /// Immediately, for each move.
    #[default]
    Each,
    /// One letter, then none until the player has answered.
    Once,
    /// One letter a day, at this hour (0 to 23) of the player's own time zone.
    Daily(u8),
}

/// Which reminders are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reminders {
    /// Every one.
    #[default]
    All,
    /// Only the last one before a forfeit, which is always sent.
    Last,
}

/// Which letters a player receives in addition to the answers to their own mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnsolicitedLetters {
    /// All of them.
    #[default]
    All,
    /// Those about boards, but no messages of other players and no broadcasts.
    Boards,
    /// None. The player's clocks keep running.
    None,
}

/// Whether a player who plays in the browser receives letters about events that they caused or saw there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnLetters {
    /// Letters only about events that they have not seen.
    #[default]
    Off,
    /// Letters about everything, as for players who play by mail.
    On,
}

/// The additional proof that mail in a player's name needs, apart from a password or reply token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dmarc {
    /// No additional proof.
    #[default]
    Off,
    /// The server's own check (DMARC, RFC 7489) must confirm that the mail is from an address of the player.
    Required,
}

/// Whether a player is informed about a computer player's expectations after its move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hints {
    /// The player sees only the move.
    #[default]
    Off,
    /// The player also sees the chance of winning and the expected moves.
    On,
}

/// Who may read the chat on a player's public boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChatReaders {
    /// Visitors as well as players.
    #[default]
    Everyone,
    /// Only the two players.
    Players,
}

impl fmt::Display for MailForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MailForm::Html => "html",
            MailForm::Text => "text",
            MailForm::Accessible => "accessible",
        })
    }
}

impl fmt::Display for Rhythm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rhythm::Each => f.write_str("each"),
            Rhythm::Once => f.write_str("once"),
            Rhythm::Daily(hour) => write!(f, "daily@{hour}"),
        }
    }
}

impl fmt::Display for Reminders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reminders::All => "all",
            Reminders::Last => "last",
        })
    }
}

impl fmt::Display for UnsolicitedLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnsolicitedLetters::All => "all",
            UnsolicitedLetters::Boards => "boards",
            UnsolicitedLetters::None => "none",
        })
    }
}

impl fmt::Display for OwnLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OwnLetters::Off => "off",
            OwnLetters::On => "on",
        })
    }
}

impl fmt::Display for Dmarc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dmarc::Off => "off",
            Dmarc::Required => "required",
        })
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hints::Off => "off",
            Hints::On => "on",
        })
    }
}

impl fmt::Display for ChatReaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChatReaders::Everyone => "everyone",
            ChatReaders::Players => "players",
        })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Mail(form) => write!(f, "mail={form}"),
            Setting::Rhythm(rhythm) => write!(f, "rhythm={rhythm}"),
            Setting::Reminders(reminders) => write!(f, "reminders={reminders}"),
            Setting::Letters(letters) => write!(f, "letters={letters}"),
            Setting::Own(own) => write!(f, "own={own}"),
            Setting::Zone(zone) => write!(f, "zone={zone}"),
            Setting::Weekend(weekend) => write!(f, "weekend={weekend}"),
            Setting::Dmarc(dmarc) => write!(f, "dmarc={dmarc}"),
            Setting::Theme(theme) => write!(f, "theme={theme}"),
            Setting::Hints(hints) => write!(f, "hints={hints}"),
            Setting::Chat(readers) => write!(f, "chat={readers}"),
        }
    }
}

/// The error for an invalid value, with the valid ones (`each, once or daily@HOUR, …`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue(pub Message);

impl FromStr for MailForm {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "html" => Ok(MailForm::Html),
            "text" => Ok(MailForm::Text),
            "accessible" => Ok(MailForm::Accessible),
            _ => Err(InvalidValue(message!("command.values-of-mail"))),
        }
    }
}

impl FromStr for Rhythm {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let text = text.to_ascii_lowercase();
        let hour = || text.strip_prefix("daily@").and_then(|hour| hour.parse().ok()).filter(|hour| *hour < 24);
        match text.as_str() {
            "each" => Ok(Rhythm::Each),
            "once" => Ok(Rhythm::Once),
            _ => hour().map(Rhythm::Daily).ok_or_else(|| InvalidValue(message!("command.values-of-rhythm"))),
        }
    }
}

impl FromStr for Reminders {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "all" => Ok(Reminders::All),
            "last" => Ok(Reminders::Last),
            _ => Err(InvalidValue(message!("command.values-of-reminders"))),
        }
    }
}

impl FromStr for UnsolicitedLetters {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "all" => Ok(UnsolicitedLetters::All),
            "boards" => Ok(UnsolicitedLetters::Boards),
            "none" => Ok(UnsolicitedLetters::None),
            _ => Err(InvalidValue(message!("command.values-of-letters"))),
        }
    }
}

impl FromStr for OwnLetters {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "off" => Ok(OwnLetters::Off),
            "on" => Ok(OwnLetters::On),
            _ => Err(InvalidValue(message!("command.values-of-own"))),
        }
    }
}

impl FromStr for Dmarc {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "off" => Ok(Dmarc::Off),
            "required" => Ok(Dmarc::Required),
            _ => Err(InvalidValue(message!("command.values-of-dmarc"))),
        }
    }
}

impl FromStr for Hints {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "off" => Ok(Hints::Off),
            "on" => Ok(Hints::On),
            _ => Err(InvalidValue(message!("command.values-of-hints"))),
        }
    }
}

impl FromStr for ChatReaders {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.to_ascii_lowercase().as_str() {
            "everyone" => Ok(ChatReaders::Everyone),
            "players" => Ok(ChatReaders::Players),
            _ => Err(InvalidValue(message!("command.values-of-chat"))),
        }
    }
}

impl FromStr for Weekend {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Weekend::read(text).ok_or_else(|| InvalidValue(message!("command.values-of-weekend")))
    }
}

impl FromStr for Theme {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let theme = Theme::ALL.into_iter().find(|theme| theme.name().eq_ignore_ascii_case(text));
        theme.ok_or_else(|| InvalidValue(message!("command.values-of-theme")))
    }
}
