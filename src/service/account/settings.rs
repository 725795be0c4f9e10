//! Settings.

use crate::clock::Zone;
use crate::command::{Dmarc, Setting, UnsolicitedLetters, ZoneName};
use crate::message;
use crate::store::{ActKind, Player};
use crate::text;

use crate::service::board::clocks;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    /// Changes a player's settings, or shows them if there are no changes.
    pub(crate) fn set(&mut self, player: Player, wanted: &[Setting]) -> RequestResult<Response> {
        let mut settings = player.settings.clone();
        for setting in wanted {
            settings.change(match setting {
                // Otherwise no mail of the player would ever be accepted again.
                Setting::Dmarc(Dmarc::Required) if self.service.authserv_id.is_none() => {
                    return self.refuse("dmarc", message!("service.no-dmarc-here"));
                }
                Setting::Zone(name) => Setting::Zone(self.zone(name)?),
                setting => setting.clone(),
            });
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
            settings: settings.pairs().map(|(key, value)| format!("{key}={value}")).into(),
        })
    }

    /// Returns a time zone's name as the time zone database writes it.
    fn zone(&self, name: &str) -> RequestResult<ZoneName> {
        if let Some(zone) = Zone::names().find(|zone| zone.eq_ignore_ascii_case(name)) {
            return Ok(ZoneName(zone.to_owned()));
        }
        let near = text::nearest(name, Zone::names()).map(|near| format!("zone={near}"));
        Err(self.rejection(name, message!("service.no-such-zone", name)).near(near).into())
    }
}
