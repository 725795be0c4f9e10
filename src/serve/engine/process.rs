//! The process of an engine, with limits on its memory and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::world::Deadline;

/// The longest line, and the most output in total, in bytes.
const LONGEST_LINE: u64 = 16 * 1_024;
const MOST_BYTES: u64 = 4 * 1_024 * 1_024;
/// The size of the queue of lines to read.
const LINES: usize = 64;
/// The interval between checks whether the server is stopping.
const LOOK: Duration = Duration::from_millis(100);
/// Sets the memory limit and then executes the program. Setting it from this process would need unsafe code.
const LIMITED: &str = "ulimit -v \"$1\" || exit 126; shift; exec \"$@\"";
/// The search path if the environment has none.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A failure of an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineFault {
    /// The process cannot be started.
    #[error("it cannot be started: {0}")]
    Start(#[source] std::io::Error),
    /// The process ended, or closed its output.
    #[error("it ended before it said {0}")]
    Ended(&'static str),
    /// The process took too long.
    #[error("it did not say {0} in time")]
    Late(&'static str),
    /// The process exceeded the output limit.
    #[error("it writes without end")]
    Endless,
    /// The move is illegal.
    #[error("its move {0:?} is not legal")]
    Illegal(String),
    /// The server is stopping, so the process was interrupted.
    #[error("the server stops")]
    Stopped,
}

/// A running engine. Dropping this ends the engine's process group.
pub(crate) struct Process {
    child: Child,
    /// A queue to a writing thread, because the engine may not read its input.
    said: Sender<String>,
    lines: Receiver<Line>,
}

enum Line {
    Text(String),
    TooLong,
}

impl Process {
    /// Starts a program with a memory limit in megabytes. The program's environment contains only the search path,
    /// because ours may contain passwords.
    pub(crate) fn start(words: &[String], memory: u64) -> Result<Process, EngineFault> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| PATH.into());
        let mut child = Command::new("/bin/sh")
            .args(["-c", LIMITED, "sh", &(memory * 1_024).to_string()])
            .args(words)
            .env_clear()
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(EngineFault::Start)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(EngineFault::Start(std::io::Error::other("it has no standard streams")));
        };
        let ((sender, lines), (said, told)) = (sync_channel(LINES), channel());
        let process = Process { child, said, lines };
        // The threads end with the program, or when this is dropped.
        let start = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().name("engine".to_owned()).spawn(work);
        start(Box::new(move || read(output, &sender))).map_err(EngineFault::Start)?;
        start(Box::new(move || write(input, &told))).map_err(EngineFault::Start)?;
        Ok(process)
    }

    /// Queues a line for the engine.
    pub(crate) fn say(&mut self, line: &str) -> Result<(), EngineFault> {
        self.said.send(format!("{line}\n")).map_err(|_| EngineFault::Ended("anything"))
    }

    /// Waits for a line that starts with this word; returns the rest of the line.
    pub(crate) fn until(
        &mut self,
        word: &'static str,
        time: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<String, EngineFault> {
        let deadline = Deadline::after(time);
        while let Some(left) = deadline.left() {
            if stop() {
                return Err(EngineFault::Stopped);
            }
            match self.lines.recv_timeout(left.min(LOOK)) {
                Ok(Line::Text(text)) => {
                    let mut words = text.trim().splitn(2, char::is_whitespace);
                    if words.next() == Some(word) {
                        return Ok(words.next().unwrap_or_default().to_owned());
                    }
                }
                Ok(Line::TooLong) => return Err(EngineFault::Endless),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineFault::Ended(word)),
            }
        }
        Err(EngineFault::Late(word))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process group may have ended already.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes lines until the program ends or the sender is dropped.
fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Passes lines on until one is too long or their total is.
fn read(output: ChildStdout, lines: &SyncSender<Line>) {
    let mut output = BufReader::new(output.take(MOST_BYTES));
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line);
        let whole = line.ends_with(b"\n");
        let line = match read {
            Ok(0) if output.get_ref().limit() > 0 => return,
            Ok(1..) if whole || (line.len() as u64) < LONGEST_LINE && output.get_ref().limit() > 0 => {
                Line::Text(String::from_utf8_lossy(&line).into_owned())
            }
            Ok(_) => Line::TooLong,
            Err(_) => return,
        };
        let is_last = matches!(line, Line::TooLong);
        if lines.send(line).is_err() || is_last {
            return;
        }
    }
}
