//! The queue for drawing pictures as files, one at a time, outside the event loop and without a database connection.
//!
//! Drawing a picture takes milliseconds and megabytes. The queue protects the pages: even if many clients request
//! pictures, drawing uses only one processor, little memory and no database connections.

use std::time::Duration;

use anyhow::Context;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The maximum number of requests in the queue, including the current one.
const MAX_WAITING: usize = 50;
/// The longest wait in the queue.
const PATIENCE: Duration = Duration::from_secs(30);

/// The queue: a semaphore for its places, and a semaphore for the right to draw.
pub(crate) struct DrawingQueue {
    places: Semaphore,
    turn: Semaphore,
}

impl Default for DrawingQueue {
    fn default() -> DrawingQueue {
        DrawingQueue { places: Semaphore::new(MAX_WAITING), turn: Semaphore::new(1) }
    }
}

impl DrawingQueue {
    /// Waits for this request's turn and draws. Returns `None` if the queue is full or the wait is too long.
    pub(crate) async fn draw<T: Send + 'static>(
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
    fn waiting_for_a_turn_times_out() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let queue = DrawingQueue::default();
        let held = queue.turn.try_acquire().unwrap();
        assert!(runtime.block_on(queue.draw(|| Ok(()))).unwrap().is_none());
        drop(held);
        assert!(runtime.block_on(queue.draw(|| Ok(()))).unwrap().is_some());
    }

    #[test]
    fn drawings_run_one_at_a_time_in_a_bounded_queue() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (queue, running) = (DrawingQueue::default(), Arc::new(AtomicUsize::new(0)));
        let (release, released) = mpsc::channel();
        let mut first = Some(released);
        let drawings = (0..MAX_WAITING + 10).map(|n| {
            let (running, wait) = (Arc::clone(&running), first.take());
            queue.draw(move || {
                assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0, "two drawings run at the same time");
                if let Some(wait) = wait {
                    wait.recv()?;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(n)
            })
        });
        // The first drawing continues only after all others are in the queue or were rejected.
        let (drawn, ()) = runtime.block_on(join(join_all(drawings), async { release.send(()).unwrap() }));
        let drawn: Vec<Option<usize>> = drawn.into_iter().map(Result::unwrap).collect();
        assert_eq!(drawn.iter().flatten().count(), MAX_WAITING);
        assert!(drawn[..MAX_WAITING].iter().all(Option::is_some), "{drawn:?}");
        let later = runtime.block_on(queue.draw(|| Ok(())));
        assert!(later.unwrap().is_some(), "the queue has a free place again");
    }
}
