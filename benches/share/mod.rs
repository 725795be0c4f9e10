//! A share of a processor, which is given to a process as if it ran on a slower machine: a control group of Linux.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

/// In each of these periods the processes run as long as their share is, and then stand still. The shortest that both
/// versions of control groups take at a share of a tenth, so that nobody waits long for what they hold.
const PERIOD: Duration = Duration::from_millis(10);

/// A control group, which is removed when it is dropped; its processes must have ended.
pub struct Share(PathBuf);

impl Share {
    /// One of so many hundredths of a processor; `None` where this user may make none.
    pub fn of(name: &str, percent: u32) -> Option<Share> {
        let (period, quota) = (PERIOD.as_micros(), (PERIOD * percent / 100).as_micros());
        // Version 1 has a tree for each resource.
        let of_first = vec![("cpu.cfs_period_us", period.to_string()), ("cpu.cfs_quota_us", quota.to_string())];
        let of_second = vec![("cpu.max", format!("{quota} {period}"))];
        [("/sys/fs/cgroup/cpu", of_first), ("/sys/fs/cgroup", of_second)].iter().find_map(|(tree, settings)| {
            let share = Share(Path::new(tree).join(format!("turnpost-{}-{name}", std::process::id())));
            fs::create_dir(&share.0).ok()?;
            let set = settings.iter().all(|(file, value)| fs::write(share.0.join(file), value).is_ok());
            set.then_some(share)
        })
    }

    /// Gives it to a process, with all threads that it has and will have.
    pub fn give_to(&self, process: &Child) {
        fs::write(self.0.join("cgroup.procs"), process.id().to_string()).expect("the group takes the process");
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
