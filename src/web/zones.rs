//! The list of time zones for the settings form.

use crate::clock::Zone;

/// The regions of zones named after places. Other zone names in the database are aliases.
const REGIONS: [&str; 10] =
    ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// Returns the zones of each region by name, followed by the chosen zone if it has another region.
pub(crate) fn zones(chosen: &str) -> Vec<(&'static str, Vec<&'static str>)> {
    let region = |name: &'static str| name.split_once('/').map_or("", |(region, _)| region);
    let of = |wanted: &'static str| (wanted, Zone::names().filter(|name| region(name) == wanted).collect());
    let mut zones: Vec<_> = REGIONS.into_iter().map(of).collect();
    let other = Zone::names().find(|name| *name == chosen && *name != "UTC" && !REGIONS.contains(&region(name)));
    zones.extend(other.map(|name| ("", vec![name])));
    zones
}
