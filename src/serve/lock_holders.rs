//! The processes that hold a lock, found in `/proc` on Linux.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::text;

/// Describes the other processes that hold the lock of a file, such as "process 1234 (turnpost mail)".
pub(crate) fn holder(file: &File) -> String {
    let unseen = "a process that is not visible from here, perhaps in another container";
    visible(file).unwrap_or_else(|| unseen.to_owned())
}

fn visible(file: &File) -> Option<String> {
    let of = file.metadata().ok()?;
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut ids: Vec<u32> = locks.lines().filter_map(|line| process(line, &of)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| *id != std::process::id());
    let described: Vec<String> = ids.into_iter().map(describe).collect();
    (!described.is_empty()).then(|| described.join(" and "))
}

/// Parses a line of `/proc/locks`; returns the process if it holds a lock of this file.
fn process(line: &str, of: &Metadata) -> Option<u32> {
    let (process, device, inode) = flock(line)?;
    // Some file systems report a different device number there, and files on other devices may have the same inode.
    let is_ours = || has_open(process, of).unwrap_or_else(|| device == device_of(of.dev()));
    (inode == of.ino() && is_ours()).then_some(process)
}

/// Parses the process, device and inode of a held flock(2) lock from a line such as `1: FLOCK  ADVISORY  WRITE 1234
/// fe:00:10010747 0 EOF`. Lines of waiting processes have an arrow before `FLOCK`.
fn flock(line: &str) -> Option<(u32, &str, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, "FLOCK", _, _, process, file, ..] = words[..] else { return None };
    let (device, inode) = file.rsplit_once(':')?;
    Some((process.parse().ok()?, device, inode.parse().ok()?))
}

/// Returns whether a process has a file open; `None` without the permission to check, as for other users' processes.
fn has_open(process: u32, file: &Metadata) -> Option<bool> {
    let mut open = fs::read_dir(format!("/proc/{process}/fd")).ok()?.flatten();
    let is_file = |open: Metadata| (open.dev(), open.ino()) == (file.dev(), file.ino());
    Some(open.any(|entry| fs::metadata(entry.path()).is_ok_and(is_file)))
}

/// Formats a device number as in `/proc/locks`.
fn device_of(device: u64) -> String {
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & 0xff_ff_ff_00;
    format!("{major:02x}:{minor:02x}")
}

fn describe(process: u32) -> String {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let command = command(&line).map_or_else(String::new, |command| format!(" ({command})"));
    format!("process {process}{command}")
}

/// Returns the program and subcommand of a command line. Other words may contain a password.
fn command(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.trim_end_matches('\0').split('\0');
    let program = Path::new(words.next()?).file_name().and_then(OsStr::to_str)?;
    let mut shown = vec![program];
    while let Some(word) = words.next() {
        match word {
            "--data" => drop(words.next()),
            option if option.starts_with('-') => {}
            "admin" if shown.len() == 1 => shown.push("admin"),
            word => {
                shown.push(word);
                break;
            }
        }
    }
    if words.next().is_some() {
        shown.push("…");
    }
    Some(text::line(&shown.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_command_lines_stay_hidden() {
        let shown = |line: &str| command(line.replace(' ', "\0").as_bytes()).unwrap();
        assert_eq!(shown("/usr/bin/turnpost --data /var/lib/turnpost serve"), "turnpost serve");
        assert_eq!(shown("turnpost mail"), "turnpost mail");
        assert_eq!(shown("turnpost marque move 1 alice wonderland f3"), "turnpost marque …");
        assert_eq!(shown("turnpost --json admin --data=x move file"), "turnpost admin move …");
        assert_eq!(shown("turnpost"), "turnpost");
        assert_eq!(command(b""), None);
    }

    #[test]
    fn a_waiting_process_is_not_the_holder_of_a_lock() {
        let held = Some((1234, "fe:00", 10_010_747));
        assert_eq!(flock("1: FLOCK  ADVISORY  WRITE 1234 fe:00:10010747 0 EOF"), held);
        assert_eq!(flock("1: FLOCK  ADVISORY  READ 1234 fe:00:10010747 0 EOF"), held);
        assert_eq!(flock("1: -> FLOCK  ADVISORY  WRITE 99 fe:00:10010747 0 EOF"), None);
        assert_eq!(flock("2: POSIX  ADVISORY  READ 5132 00:1b:10010747 128 128"), None);
        assert_eq!(device_of(0xfe00), "fe:00");
        assert_eq!(device_of(0x0010_3001), "30:101");
    }
}
