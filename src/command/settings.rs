//! What a player can set about himself: the values of `set userid password key=value…`.

use std::fmt;
use std::str::FromStr;

/// The keys of `set`, in the order of the help.
pub const SETTING_KEYS: &[&str] = &["mail", "rhythm", "reminders", "letters", "zone", "weekend", "dmarc"];

/// One setting to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `mail=html|text|accessible`
    Mail(MailForm),
    /// `rhythm=each|once|daily@18`
    Rhythm(Rhythm),
    /// `reminders=all|last`
    Reminders(Reminders),
    /// `letters=all|none`
    Letters(Letters),
    /// `zone=Europe/Berlin`: a name of the IANA time zone database, as typed; only the service knows them.
    Zone(String),
    /// `weekend=sat,sun` or `weekend=none`
    Weekend(Weekend),
    /// `dmarc=off|required`
    Dmarc(Dmarc),
}

/// How a letter shows a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MailForm {
    /// Drawn, and with a second part of HTML in which boards are pictures.
    #[default]
    Html,
    /// Drawn in plain text, and nothing else.
    Text,
    /// In sentences, for a reader who cannot use a drawing.
    Accessible,
}

/// How often letters come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rhythm {
    /// At once, for each move.
    #[default]
    Each,
    /// One letter, and then none until the player has answered.
    Once,
    /// Everything of a day in one letter, at this full hour (0 to 23) of the player's own clock.
    Daily(u8),
}

/// Which reminders come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reminders {
    /// Every step of the ladder.
    #[default]
    All,
    /// Only the last one before a forfeit, which always comes.
    Last,
}

/// What is sent that nobody has asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Letters {
    /// Everything.
    #[default]
    All,
    /// Nothing: only his own mails are answered. His clocks run on, as he has wished it so.
    None,
}

/// What a mail in a player's name must show beside his password or reply token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dmarc {
    /// Nothing.
    #[default]
    Off,
    /// That it comes from an address of his, by the server's own check (DMARC, RFC 7489).
    Required,
}

/// The days of the week on which a player's clocks stand still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weekend(u8);

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Weekend {
    /// Whether a day is one of them; 0 is Monday.
    pub fn contains(self, day: u32) -> bool {
        self.0 & (1 << day) != 0
    }
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

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Letters::All => "all",
            Letters::None => "none",
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

impl fmt::Display for Weekend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<&str> = (0..7).filter(|&day| self.contains(day)).map(|day| DAYS[day as usize]).collect();
        f.write_str(if days.is_empty() { "none" } else { "" })?;
        f.write_str(&days.join(","))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Mail(form) => write!(f, "mail={form}"),
            Setting::Rhythm(rhythm) => write!(f, "rhythm={rhythm}"),
            Setting::Reminders(reminders) => write!(f, "reminders={reminders}"),
            Setting::Letters(letters) => write!(f, "letters={letters}"),
            Setting::Zone(zone) => write!(f, "zone={zone}"),
            Setting::Weekend(weekend) => write!(f, "weekend={weekend}"),
            Setting::Dmarc(dmarc) => write!(f, "dmarc={dmarc}"),
        }
    }
}

/// A value that is none; what would be one: `each, once or daily@HOUR, with an hour from 0 to 23`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(pub &'static str);

impl FromStr for MailForm {
    type Err = NoValue;
    fn from_str(text: &str) -> Result<Self, NoValue> {
        match text.to_ascii_lowercase().as_str() {
            "html" => Ok(MailForm::Html),
            "text" => Ok(MailForm::Text),
            "accessible" => Ok(MailForm::Accessible),
            _ => Err(NoValue("html, text or accessible")),
        }
    }
}

impl FromStr for Rhythm {
    type Err = NoValue;
    fn from_str(text: &str) -> Result<Self, NoValue> {
        let text = text.to_ascii_lowercase();
        let hour = || text.strip_prefix("daily@").and_then(|hour| hour.parse().ok()).filter(|hour| *hour < 24);
        match text.as_str() {
            "each" => Ok(Rhythm::Each),
            "once" => Ok(Rhythm::Once),
            _ => hour().map(Rhythm::Daily).ok_or(NoValue("each, once or daily@HOUR, with an hour from 0 to 23")),
        }
    }
}

impl FromStr for Reminders {
    type Err = NoValue;
    fn from_str(text: &str) -> Result<Self, NoValue> {
        match text.to_ascii_lowercase().as_str() {
            "all" => Ok(Reminders::All),
            "last" => Ok(Reminders::Last),
            _ => Err(NoValue("all or last")),
        }
    }
}

impl FromStr for Letters {
    type Err = NoValue;
    fn from_str(text: &str) -> Result<Self, NoValue> {
        match text.to_ascii_lowercase().as_str() {
            "all" => Ok(Letters::All),
            "none" => Ok(Letters::None),
            _ => Err(NoValue("all or none")),
        }
    }
}

impl FromStr for Dmarc {
    type Err = NoValue;
    fn from_str(text: &str) -> Result<Self, NoValue> {
        match text.to_ascii_lowercase().as_str() {
            "off" => Ok(Dmarc::Off),
            "required" => Ok(Dmarc::Required),
            _ => Err(NoValue("off or required")),
        }
    }
}

impl FromStr for Weekend {
    type Err = NoValue;
    fn from_str(text: &str) -> Result<Self, NoValue> {
        const WANTED: NoValue = NoValue("none, or up to four of mon, tue, wed, thu, fri, sat and sun: sat,sun");
        let text = text.to_ascii_lowercase();
        if text == "none" {
            return Ok(Weekend::default());
        }
        let mut days = 0_u8;
        for word in text.split(',') {
            let day = DAYS.iter().position(|day| *day == word).ok_or(WANTED)?;
            days |= 1 << day;
        }
        // A clock that hardly ever runs is no clock.
        if days.count_ones() > 4 { Err(WANTED) } else { Ok(Weekend(days)) }
    }
}
