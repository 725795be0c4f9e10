//! The queue of pictures that are drawn as files: one at a time, and beside the event loop and the database.
//!
//! A picture takes milliseconds and megabytes to draw. However many clients ask at once, the pages have the other
//! processors, the memory and the database's connections.

use std::time::Duration;

use anyhow::Context;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many requests may wait for their drawing, the one that is drawn among them.
const MAX_WAITING: usize = 50;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// The requests that wait for a drawing, and the one whose turn it is.
pub(super) struct DrawingQueue {
    places: Semaphore,
    turn: Semaphore,
}

impl Default for DrawingQueue {
    fn default() -> DrawingQueue {
        DrawingQueue { places: Semaphore::new(MAX_WAITING), turn: Semaphore::new(1) }
    }
}

impl DrawingQueue {
    /// Draws when it is this request's turn; `None` when too many others wait, or when its turn does not come in time.
    pub(super) async fn draw<T: Send + 'static>(
        &self,
        draw: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<Option<T>> {
        let Ok(_place) = self.places.try_acquire() else { return Ok(None) };
        let Ok(turn) = timeout(PATIENCE, self.turn.acquire()).await else { return Ok(None) };
        let _turn = turn?;
        tokio::task::spawn_blocking(draw).await.context("a drawing panicked")?.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};

    use futures_util::future::{join, join_all};

    use super::*;

    #[test]
    fn a_turn_that_does_not_come_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let queue = DrawingQueue::default();
        let held = queue.turn.try_acquire().unwrap();
        assert!(runtime.block_on(queue.draw(|| Ok(()))).unwrap().is_none());
        drop(held);
        assert!(runtime.block_on(queue.draw(|| Ok(()))).unwrap().is_some());
    }

    #[test]
    fn one_is_drawn_at_a_time_and_few_wait() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (queue, running) = (DrawingQueue::default(), Arc::new(AtomicUsize::new(0)));
        let (release, released) = mpsc::channel();
        let mut first = Some(released);
        let drawings = (0..MAX_WAITING + 10).map(|n| {
            let (running, wait) = (Arc::clone(&running), first.take());
            queue.draw(move || {
                assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0, "two are drawn at once");
                if let Some(wait) = wait {
                    wait.recv()?;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(n)
            })
        });
        // The first is being drawn, and waits, when the others ask.
        let (drawn, ()) = runtime.block_on(join(join_all(drawings), async { release.send(()).unwrap() }));
        let drawn: Vec<Option<usize>> = drawn.into_iter().map(Result::unwrap).collect();
        assert_eq!(drawn.iter().flatten().count(), MAX_WAITING);
        assert!(drawn[..MAX_WAITING].iter().all(Option::is_some), "{drawn:?}");
        let later = runtime.block_on(queue.draw(|| Ok(())));
        assert!(later.unwrap().is_some(), "there is place again");
    }
}
