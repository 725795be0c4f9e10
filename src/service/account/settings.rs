//! Settings.

use crate::clock::Zone;
use crate::command::{Dmarc, Setting, UnsolicitedLetters};
use crate::message;
use crate::store::{ActKind, Player, Settings};
use crate::text;

use crate::service::board::clocks;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    /// Changes a player's settings, or shows them if there are no changes.
    pub(in crate::service) fn set(&mut self, player: Player, wanted: &[Setting]) -> RequestResult<Response> {
        let mut settings = player.settings.clone();
        for setting in wanted {
            self.apply(&mut settings, setting)?;
        }
        let changed = settings != player.settings;
        if changed {
            let now = self.now();
            let waiting = clocks::count_up(self.tx, &player, now)?;
            self.tx.set_settings(player.id, &settings)?;
            clocks::rewind(self.tx, waiting)?;
            let none = UnsolicitedLetters::None;
            if settings.letters != none && player.settings.letters == none {
                self.tx.release_held(player.id, now)?;
            }
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            self.log_change(player.id, ActKind::Settings, &wanted.join(" "))?;
        }
        Ok(Response::Settings {
            userid: player.userid,
            changed,
            settings: self::settings(&settings).iter().map(ToString::to_string).collect(),
        })
    }

    fn apply(&self, settings: &mut Settings, setting: &Setting) -> RequestResult<()> {
        match setting {
            Setting::Mail(form) => settings.mail = *form,
            Setting::Rhythm(rhythm) => settings.rhythm = *rhythm,
            Setting::Reminders(reminders) => settings.reminders = *reminders,
            Setting::Letters(letters) => settings.letters = *letters,
            Setting::Own(own) => settings.own = *own,
            Setting::Weekend(weekend) => settings.weekend = *weekend,
            // Otherwise no mail of the player would ever be accepted again.
            Setting::Dmarc(Dmarc::Required) if self.service.authserv_id.is_none() => {
                return self.refuse("dmarc", message!("service.no-dmarc-here"));
            }
            Setting::Dmarc(dmarc) => settings.dmarc = *dmarc,
            Setting::Theme(theme) => settings.theme = *theme,
            Setting::Hints(hints) => settings.hints = *hints,
            Setting::Chat(readers) => settings.chat = *readers,
            Setting::Zone(name) => settings.zone = self.zone(name)?,
        }
        Ok(())
    }

    /// Returns a time zone's name as the time zone database writes it.
    fn zone(&self, name: &str) -> RequestResult<String> {
        if let Some(zone) = Zone::names().find(|zone| zone.eq_ignore_ascii_case(name)) {
            return Ok(zone.to_owned());
        }
        let near = text::nearest(name, Zone::names()).map(|near| format!("zone={near}"));
        Err(self.rejection(name, message!("service.no-such-zone", name)).near(near).into())
    }
}

/// Returns all settings of a player in the form of the `set` command.
pub(in crate::service) fn settings(settings: &Settings) -> [Setting; 11] {
    [
        Setting::Mail(settings.mail),
        Setting::Rhythm(settings.rhythm),
        Setting::Reminders(settings.reminders),
        Setting::Letters(settings.letters),
        Setting::Own(settings.own),
        Setting::Zone(settings.zone.clone()),
        Setting::Weekend(settings.weekend),
        Setting::Dmarc(settings.dmarc),
        Setting::Theme(settings.theme),
        Setting::Hints(settings.hints),
        Setting::Chat(settings.chat),
    ]
}
