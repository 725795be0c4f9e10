//! The list of time zones to choose from.

use crate::clock::Zone;

/// The regions of the zones that are named after places. The time zone database has further names for the same clocks.
const REGIONS: [&str; 10] =
    ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// The zones of each region by name, and last the chosen one if no region has it.
pub(super) fn zones(chosen: &str) -> Vec<(&'static str, Vec<&'static str>)> {
    let region = |name: &'static str| name.split_once('/').map_or("", |(region, _)| region);
    let of = |wanted: &'static str| (wanted, Zone::names().filter(|name| region(name) == wanted).collect());
    let mut zones: Vec<_> = REGIONS.into_iter().map(of).collect();
    let other = Zone::names().find(|name| *name == chosen && *name != "UTC" && !REGIONS.contains(&region(name)));
    zones.extend(other.map(|name| ("", vec![name])));
    zones
}
