//! Limits a process to a share of a processor, as if it ran on a slower machine, with a Linux control group.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

/// The period in which the processes run for their share and then pause. It is the shortest period that both versions
/// of control groups accept for a share of a tenth, so that locks are not held for long.
const PERIOD: Duration = Duration::from_millis(10);

/// A control group, which is removed when dropped. Its processes must have ended.
pub struct Share(PathBuf);

impl Share {
    /// Creates a group with this percentage of a processor. Returns `None` if it cannot be created, for example because
    /// the user lacks the permission.
    pub fn of(name: &str, percent: u32) -> Option<Share> {
        let (period, quota) = (PERIOD.as_micros(), (PERIOD * percent / 100).as_micros());
        // Version 1 has a separate tree for each resource.
        let of_first = vec![("cpu.cfs_period_us", period.to_string()), ("cpu.cfs_quota_us", quota.to_string())];
        let of_second = vec![("cpu.max", format!("{quota} {period}"))];
        [("/sys/fs/cgroup/cpu", of_first), ("/sys/fs/cgroup", of_second)].iter().find_map(|(tree, settings)| {
            let share = Share(Path::new(tree).join(format!("turnpost-{}-{name}", std::process::id())));
            fs::create_dir(&share.0).ok()?;
            let set = settings.iter().all(|(file, value)| fs::write(share.0.join(file), value).is_ok());
            set.then_some(share)
        })
    }

    /// Moves a process into the group, with all its current and future threads.
    pub fn give_to(&self, process: &Child) {
        fs::write(self.0.join("cgroup.procs"), process.id().to_string())
            .expect("the control group accepts the process");
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
