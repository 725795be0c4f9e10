//! Runs another program with a time limit.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The interval between checks of whether a program has ended.
const LOOK: Duration = Duration::from_millis(5);
/// The longest wait for the remaining output of a program that has ended. One of its own child processes may still
/// hold the pipe open.
const OUTPUT: Duration = Duration::from_secs(1);
/// The maximum number of octets of output to read.
const MOST_OUTPUT: u64 = 1_000_000;

/// The result of a program that has ended.
pub struct Ended {
    /// The program's exit status.
    pub status: ExitStatus,
    /// Whether the program was killed because it took too long.
    pub was_late: bool,
    /// Whether all of the input could be written to the program's pipe.
    pub took_all: bool,
    /// The program's standard output.
    pub out: Vec<u8>,
    /// The program's standard error, if the caller has piped it.
    pub err: Vec<u8>,
}

/// Runs a program with this input. `left` returns the remaining time, and the program is killed when it returns `None`.
///
/// # Errors
/// If the program cannot be run.
pub fn run(program: &mut Command, input: &[u8], left: &dyn Fn() -> Option<Duration>) -> io::Result<Ended> {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let ended = attend(&mut child, input.to_vec(), left);
    if ended.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    ended
}

fn attend(child: &mut Child, input: Vec<u8>, left: &dyn Fn() -> Option<Duration>) -> io::Result<Ended> {
    // Use a thread for each pipe, because the program may use the pipes in any order. The threads end with the program.
    let stdin = child.stdin.take();
    let taken = in_thread(move || stdin.is_some_and(|mut stdin| stdin.write_all(&input).is_ok()))?;
    let (out, err) = (printed(child.stdout.take())?, printed(child.stderr.take())?);
    let (status, was_late) = loop {
        if let Some(status) = child.try_wait()? {
            break (status, false);
        }
        let Some(left) = left() else {
            child.kill()?;
            break (child.wait()?, true);
        };
        thread::sleep(left.min(LOOK));
    };
    let took_all = taken.recv_timeout(OUTPUT).unwrap_or(false);
    let [out, err] = [out, err].map(|printed| printed.recv_timeout(OUTPUT).unwrap_or_default());
    Ok(Ended { status, was_late, took_all, out, err })
}

fn printed(pipe: Option<impl Read + Send + 'static>) -> io::Result<Receiver<Vec<u8>>> {
    in_thread(move || {
        let mut text = Vec::new();
        // Treat a read error as the end of the output.
        let _ = pipe.map(|pipe| pipe.take(MOST_OUTPUT).read_to_end(&mut text));
        text
    })
}

fn in_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<Receiver<T>> {
    let (done, result) = mpsc::channel();
    thread::Builder::new().name("child".to_owned()).spawn(move || {
        // Ignore an error: the receiver may have been dropped.
        let _ = done.send(work());
    })?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, input: &[u8], left: Option<Duration>) -> Ended {
        run(Command::new("sh").args(["-c", script]).stderr(Stdio::piped()), input, &|| left).unwrap()
    }

    #[test]
    fn a_program_gets_its_input_and_its_output_is_returned() {
        let long = vec![b'x'; 500_000];
        let ended = sh("cat; echo why >&2; exit 3", &long, Some(LOOK));
        assert_eq!((ended.status.code(), ended.was_late, ended.took_all), (Some(3), false, true));
        assert_eq!((ended.out, ended.err), (long.clone(), b"why\n".to_vec()));
        let ended = sh("exit 0", &long, Some(LOOK));
        assert!(ended.status.success() && !ended.took_all, "the child reads no input");
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        for script in ["sleep 1000", "exec 0<&- 1>&- 2>&-; exec sleep 1000", "trap '' TERM; while :; do sleep 1; done"]
        {
            let ended = sh(script, b"input", None);
            assert!(ended.was_late && !ended.status.success(), "{script}");
        }
    }

    #[test]
    fn a_background_child_of_a_program_is_not_awaited() {
        let ended = sh("sleep 30 & echo done", b"", Some(LOOK));
        assert!(ended.status.success() && !ended.was_late);
    }
}
