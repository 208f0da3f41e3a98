//! Work on items in any order, on several threads, with results in the order of the items.
//!
//! The doors `decode_threaded` of all formats are built on it. A program that does not hold its
//! files in memory passes an iterator that reads them, and a sink that writes.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

/// Items per thread between the iterator and the sink: one in work, and one that waits.
const AHEAD: usize = 2;

/// Runs `work` on the items, on up to `threads` threads, and passes the results to `sink` in the
/// order of the items.
///
/// * The calling thread pulls the items and runs `sink`, so that both may share files and buffers.
///   Between these, it works on items as the others do: no more than `threads` threads ever run.
/// * Each thread makes one workspace with `init`, and keeps it from item to item.
/// * At most `2 * threads` items are between the iterator and the sink, which bounds memory.
/// * The first error in the order of the items is returned, whether of the iterator, of `work` or
///   of `sink`. Results after it are dropped, and no thread starts another item.
/// * A panic in `work` continues on the calling thread.
///
/// With one thread, everything happens on the calling thread. If the system refuses a thread, work
/// goes on with those that it granted.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::threads::in_order;
/// let (mut lines, two) = (vec![], NonZeroUsize::new(2).unwrap());
/// let numbers = (1..=4).map(Ok::<_, unspool::Error>);
/// in_order(two, numbers, String::new, |text, n: u32| {
///     text.push('#');
///     Ok(n * n)
/// }, |square| {
///     lines.push(square);
///     Ok(())
/// })?;
/// assert_eq!(lines, [1, 4, 9, 16]);
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn in_order<I: Send, W, R: Send, E: Send>(
    threads: NonZeroUsize,
    items: impl Iterator<Item = Result<I, E>>,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, I) -> Result<R, E> + Sync,
    sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    on_threads(threads, Builder::new, items, init, work, sink)
}

/// The result of `work` on an item, or its panic.
type Outcome<R, E> = thread::Result<Result<R, E>>;

/// Does the work of [`in_order`] on threads of this builder.
fn on_threads<I: Send, W, R: Send, E: Send>(
    threads: NonZeroUsize,
    builder: fn() -> Builder,
    mut items: impl Iterator<Item = Result<I, E>>,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, I) -> Result<R, E> + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // The workspace of this thread.
    let mut own = None;
    if threads.get() == 1 {
        return items.try_for_each(|item| sink(work(own.get_or_insert_with(&init), item?)?));
    }
    let queue = Queue::default();
    let (queue, init, work) = (&queue, &init, &work);
    thread::scope(move |scope| {
        // Dropped before the scope waits for its threads, which tells them to end.
        let _end = End(queue);
        let (results, finished) = channel();
        let most = threads.get().saturating_mul(AHEAD);
        let (mut granted, mut refused, mut pulling) = (0, false, true);
        // The outcomes from the next one for the sink on, and their first number.
        let (mut waiting, mut first) = (VecDeque::<Option<Outcome<R, E>>>::new(), 0usize);
        loop {
            while pulling && waiting.len() < most {
                let Some(item) = items.next() else {
                    pulling = false;
                    break;
                };
                // This thread is one of them.
                if granted + 1 < threads.get() && !refused {
                    let results = results.clone();
                    refused = builder().spawn_scoped(scope, move || serve(queue, results, init, work)).is_err();
                    granted += usize::from(!refused);
                }
                let outcome = match item {
                    Err(error) => {
                        pulling = false;
                        Some(Ok(Err(error)))
                    }
                    Ok(item) => {
                        queue.push(first.wrapping_add(waiting.len()), item);
                        None
                    }
                };
                waiting.push_back(outcome);
            }
            match waiting.front_mut().map(Option::take) {
                None => return Ok(()),
                Some(Some(outcome)) => {
                    waiting.pop_front();
                    first = first.wrapping_add(1);
                    sink(outcome.unwrap_or_else(|panic| resume_unwind(panic))?)?;
                }
                Some(None) => {
                    let mut work_here = || {
                        let (number, item) = queue.take()?;
                        Some((number, run(&mut own, item, init, work)))
                    };
                    let ended = finished.try_recv().ok().or_else(&mut work_here);
                    // This thread holds a sender, so the channel is never closed.
                    let Some((number, outcome)) = ended.or_else(|| finished.recv().ok()) else { return Ok(()) };
                    pulling &= matches!(outcome, Ok(Ok(_)));
                    if let Some(slot) = waiting.get_mut(usize::wrapping_sub(number, first)) {
                        *slot = Some(outcome);
                    }
                }
            }
        }
    })
}

/// Items that no thread has taken, with their numbers.
struct Queue<I> {
    jobs: Mutex<Jobs<I>>,
    /// Signalled for each job, and at the end.
    changed: Condvar,
}

struct Jobs<I> {
    waiting: VecDeque<(usize, I)>,
    is_over: bool,
}

impl<I> Default for Queue<I> {
    fn default() -> Self {
        Self { jobs: Mutex::new(Jobs { waiting: VecDeque::new(), is_over: false }), changed: Condvar::new() }
    }
}

impl<I> Queue<I> {
    fn lock(&self) -> MutexGuard<'_, Jobs<I>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, number: usize, item: I) {
        self.lock().waiting.push_back((number, item));
        self.changed.notify_one();
    }

    /// Takes the first job, if there is one.
    fn take(&self) -> Option<(usize, I)> {
        self.lock().waiting.pop_front()
    }

    /// Waits for a job and takes it; `None` at the end.
    fn wait(&self) -> Option<(usize, I)> {
        let idle = |jobs: &mut Jobs<I>| jobs.waiting.is_empty() && !jobs.is_over;
        let mut jobs = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        if jobs.is_over { None } else { jobs.waiting.pop_front() }
    }
}

/// Ends the threads of a queue when it is dropped.
struct End<'q, I>(&'q Queue<I>);

impl<I> Drop for End<'_, I> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

/// Works on jobs of the queue until its end.
fn serve<I, W, R, E>(
    queue: &Queue<I>,
    results: Sender<(usize, Outcome<R, E>)>,
    init: &impl Fn() -> W,
    work: &impl Fn(&mut W, I) -> Result<R, E>,
) {
    let mut workspace = None;
    while let Some((number, item)) = queue.wait() {
        let outcome = run(&mut workspace, item, init, work);
        if results.send((number, outcome)).is_err() {
            return;
        }
    }
}

/// Works on an item. The caller gets a panic in its turn, and nobody uses that workspace again.
fn run<I, W, R, E>(
    workspace: &mut Option<W>,
    item: I,
    init: &impl Fn() -> W,
    work: &impl Fn(&mut W, I) -> Result<R, E>,
) -> Outcome<R, E> {
    let outcome = catch_unwind(AssertUnwindSafe(|| work(workspace.get_or_insert_with(init), item)));
    if outcome.is_err() {
        *workspace = None;
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    fn threads(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    /// Lets threads finish in another order than they start.
    fn delay(number: usize) {
        thread::sleep(Duration::from_micros([300, 0, 100, 0, 0, 200, 50][number % 7]));
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [1, 2, 3, 8] {
            for len in [0, 1, 2, 5, 40] {
                let mut results = vec![];
                let items = (0..len).map(Ok::<usize, ()>);
                let work = |_: &mut (), item: usize| {
                    delay(item);
                    Ok(item * 10)
                };
                let sink = |result| {
                    results.push(result);
                    Ok(())
                };
                assert_eq!(in_order(threads(count), items, || (), work, sink), Ok(()));
                assert_eq!(results, (0..len).map(|item| item * 10).collect::<Vec<_>>(), "{count} threads");
            }
        }
    }

    #[test]
    fn the_first_error_in_order_wins() {
        // Errors of `work` at 20 and 23, of the iterator at 26.
        for count in [1, 2, 8] {
            for (from_work, from_items, expected) in [(&[20, 23][..], 26, 20), (&[23], 22, 22), (&[], 0, 0)] {
                let (mut results, pulled) = (0, Cell::new(0));
                let items = (0..1000).inspect(|&item| pulled.set(item)).map(|item| match item {
                    _ if item == from_items => Err(item),
                    _ => Ok(item),
                });
                let work = |_: &mut (), item| {
                    delay(item);
                    if from_work.contains(&item) { Err(item) } else { Ok(item) }
                };
                let sink = |result| {
                    assert_eq!(result, results);
                    results += 1;
                    Ok(())
                };
                assert_eq!(in_order(threads(count), items, || (), work, sink), Err(expected), "{count} threads");
                assert_eq!(results, expected, "all results before the error");
                assert!(pulled.get() <= expected + 2 * count, "{} items pulled", pulled.get());
            }
        }
    }

    #[test]
    fn no_more_than_two_items_a_thread_are_in_flight() {
        for count in [1, 2, 8] {
            let (pulled, sunk, most) = (Cell::new(0), Cell::new(0), Cell::new(0));
            let items = (0..100).map(|item| {
                pulled.set(pulled.get() + 1);
                most.set(most.get().max(pulled.get() - sunk.get()));
                Ok::<usize, ()>(item)
            });
            let work = |_: &mut (), item| {
                delay(item);
                Ok(())
            };
            let sink = |()| {
                sunk.set(sunk.get() + 1);
                Ok(())
            };
            assert_eq!(in_order(threads(count), items, || (), work, sink), Ok(()));
            assert_eq!(sunk.get(), 100);
            assert_eq!(most.get(), if count == 1 { 1 } else { 2 * count }, "{count} threads");
        }
    }

    #[test]
    fn a_sink_that_refuses_stops_the_work() {
        for count in [1, 2, 8] {
            let started = AtomicUsize::new(0);
            let work = |_: &mut (), item: usize| {
                started.fetch_add(1, Ordering::Relaxed);
                Ok(item)
            };
            let sink = |result| if result == 3 { Err("full") } else { Ok(()) };
            let ended = in_order(threads(count), (0..1000).map(Ok), || (), work, sink);
            assert_eq!(ended, Err("full"));
            assert!(started.into_inner() <= 4 + 2 * count);
        }
    }

    #[test]
    fn each_thread_keeps_one_workspace() {
        let (made, used) = (AtomicUsize::new(0), Mutex::new(HashSet::new()));
        let init = || (made.fetch_add(1, Ordering::Relaxed), thread::current().id());
        let work = |workspace: &mut (usize, thread::ThreadId), item| {
            assert_eq!(workspace.1, thread::current().id());
            used.lock().unwrap().insert(workspace.0);
            delay(item);
            Ok::<(), ()>(())
        };
        in_order(threads(3), (0..60).map(Ok), init, work, |()| Ok(())).unwrap();
        let (made, used) = (made.into_inner(), used.into_inner().unwrap());
        assert!((1..=3).contains(&made), "{made} workspaces");
        assert_eq!(used.len(), made);
    }

    #[test]
    fn the_calling_thread_works_too() {
        let (here, helped) = (thread::current().id(), AtomicUsize::new(0));
        let work = |_: &mut (), _| {
            if thread::current().id() == here {
                helped.fetch_add(1, Ordering::Relaxed);
            }
            // The other thread works on one item until then.
            let start = Instant::now();
            while helped.load(Ordering::Relaxed) == 0 && start.elapsed() < Duration::from_secs(20) {
                thread::yield_now();
            }
            Ok::<(), ()>(())
        };
        in_order(threads(2), (0..2).map(Ok), || (), work, |()| Ok(())).unwrap();
        assert!(helped.into_inner() > 0);
    }

    #[test]
    fn the_iterator_and_the_sink_share_buffers() {
        for count in [1, 2] {
            let (pool, made) = (RefCell::new(vec![]), Cell::new(0));
            let items = (0..50u8).map(|item| {
                let mut buffer = pool.borrow_mut().pop().unwrap_or_else(|| {
                    made.set(made.get() + 1);
                    vec![0; 16]
                });
                buffer[0] = item;
                Ok::<_, ()>(buffer)
            });
            let (mut next, pool) = (0, &pool);
            let sink = |buffer: Vec<u8>| {
                assert_eq!(buffer[0], next);
                next += 1;
                pool.borrow_mut().push(buffer);
                Ok(())
            };
            in_order(threads(count), items, || (), |(), buffer| Ok(buffer), sink).unwrap();
            assert!(made.get() <= 2 * count, "{} buffers", made.get());
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for count in [1, 2, 8] {
            let run = || {
                let work = |_: &mut (), item| {
                    delay(item);
                    assert_ne!(item, 5, "a bug in the work");
                    Ok::<(), ()>(())
                };
                in_order(threads(count), (0..100).map(Ok), || (), work, |()| Ok(()))
            };
            let panic = catch_unwind(run).unwrap_err();
            assert!(panic.downcast_ref::<String>().unwrap().contains("a bug in the work"), "{count} threads");
        }
        // A panic of the sink or the iterator leaves the threads nothing to wait for.
        let sink = |item| if item == 5 { panic!("a bug in the sink") } else { Ok::<(), ()>(()) };
        assert!(catch_unwind(|| in_order(threads(2), (0..100).map(Ok), || (), |(), item| Ok(item), sink)).is_err());
    }

    #[test]
    fn work_goes_on_without_the_threads_that_the_system_refuses() {
        // No system has that much memory for a stack.
        let builder = || Builder::new().stack_size(1 << 60);
        let here = thread::current().id();
        let (mut results, items) = (vec![], (0..10).map(Ok::<usize, ()>));
        let work = |_: &mut (), item| {
            assert_eq!(thread::current().id(), here);
            Ok(item)
        };
        let sink = |result| {
            results.push(result);
            Ok(())
        };
        assert_eq!(on_threads(threads(4), builder, items, || (), work, sink), Ok(()));
        assert!(results.into_iter().eq(0..10));
    }
}
