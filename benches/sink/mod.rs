//! A mail server for benches.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// An SMTP server that takes every letter.
pub struct Sink {
    pub port: u16,
    letters: Arc<Mutex<Vec<String>>>,
}

impl Sink {
    pub fn start() -> Sink {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, letters) = (listener.local_addr().unwrap().port(), Arc::default());
        let taken = Arc::clone(&letters);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let taken = Arc::clone(&taken);
                std::thread::spawn(move || drop(take_letters(stream.unwrap(), &taken)));
            }
        });
        Sink { port, letters }
    }

    /// How many letters to players it took.
    pub fn count(&self) -> usize {
        self.letters.lock().unwrap().len()
    }

    /// The letters to players that it took since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.letters.lock().unwrap())
    }
}

fn take_letters(mut stream: TcpStream, letters: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    stream.write_all(b"220 sink\r\n")?;
    let mut to_player = false;
    while let Some(line) = lines.next().transpose()? {
        if line.starts_with("RCPT") {
            to_player = line.contains("@example.org>");
        }
        let reply = match line.get(..4).unwrap_or_default() {
            "DATA" => {
                stream.write_all(b"354 go on\r\n")?;
                let mut letter = String::new();
                while let Some(line) = lines.next().transpose()?.filter(|line| line != ".") {
                    letter += line.strip_prefix('.').unwrap_or(&line);
                    letter += "\r\n";
                }
                // What strangers are answered is not counted.
                if to_player {
                    letters.lock().unwrap().push(letter);
                }
                "250 taken"
            }
            "EHLO" => "250-sink\r\n250 8BITMIME",
            "QUIT" => return stream.write_all(b"221 bye\r\n"),
            _ => "250 ok",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
    }
    Ok(())
}
