//! A player's settings: the keys and values of `set userid password key=value…`.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::clock::{Night, Weekend};
use crate::draw::Theme;
use crate::message;
use crate::text::Message;

type SettingReader = fn(&str) -> Result<Setting, InvalidValue>;

/// Defines the settings in the order of the help: key, variant of [`Setting`], type, and message with the valid values.
macro_rules! settings {
    ($($(#[$doc:meta])* $key:ident, $name:ident($value:ty), $valid:expr;)*) => {
        /// A player's settings. As text, it lists those that differ from the default: `mail=text zone=Asia/Tokyo`.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Settings {
            $($(#[$doc])* pub $key: $value,)*
        }

        /// One setting to change.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Setting {
            $($(#[$doc])* $name($value),)*
        }

        /// Every key of `set` with the function that reads its values, in the order of the help.
        const SETTINGS: &[(&str, SettingReader)] =
            &[$((stringify!($key), |text| text.parse().map(Setting::$name).map_err(|_| InvalidValue($valid)))),*];

        /// The keys of `set`, in the order of the help.
        pub const SETTING_KEYS: [&str; SETTINGS.len()] = [$(stringify!($key)),*];

        impl Settings {
            /// Returns all settings as keys and values, for example `rhythm` and `each`.
            pub fn pairs(&self) -> [(&'static str, String); SETTINGS.len()] {
                [$((stringify!($key), self.$key.to_string())),*]
            }

            /// Changes one setting.
            pub fn change(&mut self, setting: Setting) {
                match setting {
                    $(Setting::$name(value) => self.$key = value,)*
                }
            }
        }

        impl fmt::Display for Setting {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Setting::$name(value) => write!(f, "{}={value}", stringify!($key)),)*
                }
            }
        }
    };
}

settings! {
    /// How letters show boards.
    mail, Mail(MailForm), message!("command.values-of-mail");
    /// How often letters are sent.
    rhythm, Rhythm(Rhythm), message!("command.values-of-rhythm");
    /// Which reminders are sent.
    reminders, Reminders(Reminders), message!("command.values-of-reminders");
    /// Which letters are sent in addition to answers.
    letters, Letters(UnsolicitedLetters), message!("command.values-of-letters");
    /// Whether letters report what the player did or saw in the browser.
    own, Own(OwnLetters), message!("command.values-of-own");
    /// The time zone of clocks and dates.
    zone, Zone(ZoneName), message!("command.values-of-zone");
    /// The days on which the player's clocks are stopped.
    weekend, Weekend(Weekend), message!("command.values-of-weekend");
    /// The hours of the night in which the player's clocks are stopped.
    night, Night(Night), message!("command.values-of-night");
    /// Whether mail in the player's name must pass DMARC.
    dmarc, Dmarc(Dmarc), message!("command.values-of-dmarc");
    /// The colours of the boards on pages.
    theme, Theme(Theme), message!("command.values-of-theme");
    /// Whether computer players report their expectations.
    hints, Hints(Hints), message!("command.values-of-hints");
    /// Who may read the chat of the player's boards.
    chat, Chat(ChatReaders), message!("command.values-of-chat");
    /// Who may challenge the player.
    challenges, Challenges(Challengers), message!("command.values-of-challenges");
    /// How many boards a stranger may open with the player in an hour.
    strangers, Strangers(Strangers), message!("command.values-of-strangers");
}

/// Finds a key, ignoring case. Returns it with the function that reads its values.
pub(crate) fn setting(key: &str) -> Option<(&'static str, SettingReader)> {
    SETTINGS.iter().copied().find(|(known, _)| known.eq_ignore_ascii_case(key))
}

/// The error for an invalid value, with a message that lists the valid values (`each, once or daily@HOUR, …`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue(pub Message);

impl Settings {
    /// Changes a setting by its key and value.
    ///
    /// # Errors
    /// The setting does not exist, or the value is invalid.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), UnknownSetting> {
        let (_, read) = setting(key).ok_or(UnknownSetting)?;
        self.change(read(value).map_err(|_| UnknownSetting)?);
        Ok(())
    }
}

/// The error for a text that is not a valid setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSetting;

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = self.pairs().into_iter().zip(Settings::default().pairs()).filter(|(now, default)| now != default);
        for (n, ((key, value), _)) in changed.enumerate() {
            write!(f, "{}{key}={value}", if n == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl FromStr for Settings {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        let mut settings = Settings::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or(UnknownSetting)?;
            settings.set(key, value)?;
        }
        Ok(settings)
    }
}

/// Defines settings whose values are words, the default first.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident {
        $(#[$first_doc:meta])* $first:ident = $first_word:literal,
        $($(#[$other_doc:meta])* $other:ident = $other_word:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            $(#[$first_doc])*
            #[default]
            $first,
            $($(#[$other_doc])* $other,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $name::$first => $first_word,
                    $($name::$other => $other_word,)*
                })
            }
        }

        impl FromStr for $name {
            type Err = UnknownSetting;
            fn from_str(text: &str) -> Result<Self, UnknownSetting> {
                let mut words = [($name::$first, $first_word), $(($name::$other, $other_word)),*].into_iter();
                words.find(|(_, word)| word.eq_ignore_ascii_case(text)).map(|(value, _)| value).ok_or(UnknownSetting)
            }
        }
    )*};
}

words! {
    /// How a letter shows a board.
    MailForm {
        /// As a drawing in text, with an additional HTML part in which boards are pictures.
        Html = "html",
        /// As a drawing in text only.
        Text = "text",
        /// In sentences, for readers who cannot use a drawing.
        Accessible = "accessible",
    }

    /// Which reminders are sent.
    Reminders {
        /// Every reminder.
        All = "all",
        /// Only the last reminder before a forfeit, which is always sent.
        Last = "last",
    }

    /// Which letters a player receives in addition to the answers to their own mail.
    UnsolicitedLetters {
        /// All letters.
        All = "all",
        /// All letters except messages of other players and broadcasts.
        Boards = "boards",
        /// Only answers. The player's clocks still run.
        None = "none",
    }

    /// Whether a player who plays in the browser receives letters about events that they caused or saw there.
    OwnLetters {
        /// Letters only about events that the player has not seen.
        Off = "off",
        /// Letters about everything, as for players who play by mail.
        On = "on",
    }

    /// Whether mail in a player's name must pass DMARC, in addition to a password or reply token.
    Dmarc {
        /// A password or reply token is sufficient.
        Off = "off",
        /// The server's own check (DMARC, RFC 7489) must confirm that the mail is from an address of the player.
        Required = "required",
    }

    /// Whether a player is informed about a computer player's expectations after its move.
    Hints {
        /// The player sees only the move.
        Off = "off",
        /// The player also sees the chance of winning and the expected moves.
        On = "on",
    }

    /// Who may read the chat on a player's public boards.
    ChatReaders {
        /// Players and visitors.
        Everyone = "everyone",
        /// Only the two players and the administrator.
        Players = "players",
    }
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

impl fmt::Display for Rhythm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rhythm::Each => f.write_str("each"),
            Rhythm::Once => f.write_str("once"),
            Rhythm::Daily(hour) => write!(f, "daily@{hour}"),
        }
    }
}

impl FromStr for Rhythm {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        let text = text.to_ascii_lowercase();
        let hour = || text.strip_prefix("daily@").and_then(|hour| hour.parse().ok()).filter(|hour| *hour < 24);
        match text.as_str() {
            "each" => Ok(Rhythm::Each),
            "once" => Ok(Rhythm::Once),
            _ => hour().map(Rhythm::Daily).ok_or(UnknownSetting),
        }
    }
}

/// Who may challenge a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Challengers {
    /// All players.
    #[default]
    Everyone,
    /// Players whose rating in the game differs by at most this number of points.
    Within(u16),
    /// Nobody. The player can still accept open challenges.
    None,
}

/// The maximum number of points in `within@POINTS`.
const MOST_POINTS: u16 = 3_000;

impl fmt::Display for Challengers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Challengers::Everyone => f.write_str("everyone"),
            Challengers::Within(points) => write!(f, "within@{points}"),
            Challengers::None => f.write_str("none"),
        }
    }
}

impl FromStr for Challengers {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        let text = text.to_ascii_lowercase();
        let points = || text.strip_prefix("within@").and_then(|points| points.parse().ok());
        match text.as_str() {
            "everyone" => Ok(Challengers::Everyone),
            "none" => Ok(Challengers::None),
            _ => points().filter(|n| (1..=MOST_POINTS).contains(n)).map(Challengers::Within).ok_or(UnknownSetting),
        }
    }
}

/// The number of boards that a stranger may open with a player in an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strangers(pub u32);

impl Default for Strangers {
    fn default() -> Self {
        Strangers(3)
    }
}

impl fmt::Display for Strangers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Strangers {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        text.parse().ok().filter(|boards| *boards <= 20).map(Strangers).ok_or(UnknownSetting)
    }
}

/// The name of a time zone. Only its form is checked here. The service checks whether the IANA time zone database
/// contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneName(pub String);

/// The maximum length of a time zone's name, in octets.
const LONGEST_ZONE: usize = 40;

impl Default for ZoneName {
    fn default() -> Self {
        ZoneName("UTC".to_owned())
    }
}

impl Deref for ZoneName {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl FromStr for ZoneName {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-');
        let fits = (1..=LONGEST_ZONE).contains(&text.len()) && text.chars().all(letter);
        fits.then(|| ZoneName(text.to_owned())).ok_or(UnknownSetting)
    }
}

impl FromStr for Weekend {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        Weekend::read(text).ok_or(UnknownSetting)
    }
}

impl FromStr for Night {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        Night::read(text).ok_or(UnknownSetting)
    }
}

impl FromStr for Theme {
    type Err = UnknownSetting;
    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        Theme::ALL.into_iter().find(|theme| theme.name().eq_ignore_ascii_case(text)).ok_or(UnknownSetting)
    }
}
