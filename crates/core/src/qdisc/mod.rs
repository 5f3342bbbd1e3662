//! Queueing disciplines: `net/sched`.
