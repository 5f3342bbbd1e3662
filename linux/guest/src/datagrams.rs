// SPDX-License-Identifier: GPL-2.0
//! Datagrams of one size at an even rate, as `iperf -u -b` sends them, and what becomes of each: lost, or how long on its way.
//!
//! A datagram begins with the time at which its socket took it, if it has room for one; the kernel of the other end stamps it when the
//! host's CPU is done with it (SO_TIMESTAMPNS; radio/air/host.c). All hosts of a guest have one clock. What is held back by its
//! socket's send buffer counts from when there was room.

use crate::{json, sys};
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::{mem, thread};

const BATCH: usize = 64;
const RCVBUF: i32 = 64 << 20;
/// Octets of the time that a datagram begins with, negative where it does not count.
const STAMP: usize = 8;
/// Room for one time stamp of the kernel.
const CONTROL: usize = 64;

/// How they are sent.
pub struct Pace {
    pub start: i64,
    pub stop: i64,
    /// ns from one to the next
    pub step: i64,
    pub payload: usize,
    /// what `SO_SNDBUF` asks for, which the kernel doubles
    pub sndbuf: i32,
    /// Datagrams handed to the socket within it count.
    pub window: (i64, i64),
}

/// Starts to send. Time lost while the socket was full is not made good. How many count, from then on.
pub fn send(netns: &str, to: SocketAddrV4, how: &Pace, tos: i32) -> Result<Arc<AtomicU64>, String> {
    let socket = sys::within(netns, || {
        let s = UdpSocket::bind(("0.0.0.0", 0)).map_err(|e| e.to_string())?;
        s.connect(to).map_err(|e| format!("{to}: {e}"))?;
        s.set_nonblocking(true).map_err(|e| e.to_string())?;
        sys::set_opt(s.as_raw_fd(), libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, &how.sndbuf)?;
        if tos != 0 {
            sys::set_opt(s.as_raw_fd(), libc::IPPROTO_IP, libc::IP_TOS, &tos)?;
        }
        Ok(s)
    })?;
    let (mut at, stop, step, window) = (how.start, how.stop, how.step.max(1), how.window);
    let mut data = vec![0u8; how.payload];
    let sent = Arc::new(AtomicU64::new(0));
    let counter = sent.clone();
    thread::spawn(move || {
        sys::punctual();
        while at < stop {
            sys::sleep_until(at);
            let mut now = sys::now();
            loop {
                let counts = (window.0..window.1).contains(&now);
                if let Some(stamp) = data.get_mut(..STAMP) {
                    let now = sys::real();
                    stamp.copy_from_slice(&if counts { now } else { -now }.to_ne_bytes());
                }
                match socket.send(&data) {
                    Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => sys::wait_writable(socket.as_raw_fd()),
                    Err(_) => break, // no way there yet, or no longer: it is lost
                    Ok(_) => {
                        counter.fetch_add(counts.into(), Ordering::Relaxed);
                        break;
                    }
                }
                now = sys::now();
            }
            at = (at + step).max(sys::now());
        }
    });
    Ok(sent)
}

/// What arrived of those that count.
#[derive(Default)]
struct Seen {
    /// ns, in the order of their arrival
    delays: Vec<i64>,
    /// RFC 3550 A.8's estimate, ns in 1/16
    jitter: i64,
    /// of all with a time since the last sample: how many, and their delays in all
    step: (u32, i64),
}

/// The other end; `read` takes what has arrived until now.
#[derive(Clone)]
pub struct Receiver {
    socket: Arc<UdpSocket>,
    octets: Arc<AtomicU64>,
    seen: Arc<Mutex<Seen>>,
    sent: Arc<AtomicU64>,
    stamped: bool,
}

impl Receiver {
    /// Its socket. What is sent to it, in datagrams of so much payload, is told later.
    pub fn new(netns: &str, port: u16, payload: usize) -> Result<Self, String> {
        let stamped = payload >= STAMP;
        let socket = sys::within(netns, || {
            let s = UdpSocket::bind(("0.0.0.0", port)).map_err(|e| e.to_string())?;
            sys::set_opt(s.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RCVBUF)?;
            if stamped {
                sys::set_opt(s.as_raw_fd(), libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1i32)?;
            }
            Ok(s)
        })?;
        Ok(Receiver {
            socket: Arc::new(socket),
            octets: Arc::default(),
            seen: Arc::default(),
            sent: Arc::default(),
            stamped,
        })
    }

    /// What is sent to it.
    pub fn of(mut self, sent: Arc<AtomicU64>) -> Self {
        self.sent = sent;
        self
    }

    /// Empties all of them each 20 ms, on one thread: one wake-up a packet would cost more than the packet.
    pub fn run(all: Vec<Receiver>) {
        thread::spawn(move || loop {
            sys::sleep_until(sys::now() / 20_000_000 * 20_000_000 + 20_000_000);
            for r in &all {
                r.read();
            }
        });
    }

    /// Octets of payload that have arrived.
    pub fn read(&self) -> u64 {
        let mut seen = self.seen.lock().expect("nobody panics with it");
        let (mut stamps, mut controls) = ([[0u8; STAMP]; BATCH], [[0u64; CONTROL / 8]; BATCH]);
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
        let mut iovs: Vec<libc::iovec> =
            stamps.iter_mut().map(|s| libc::iovec { iov_base: s.as_mut_ptr().cast(), iov_len: STAMP }).collect();
        loop {
            for ((m, iov), control) in messages.iter_mut().zip(&mut iovs).zip(&mut controls) {
                (m.msg_hdr.msg_iov, m.msg_hdr.msg_iovlen) = (iov, 1);
                (m.msg_hdr.msg_control, m.msg_hdr.msg_controllen) = (control.as_mut_ptr().cast(), CONTROL);
            }
            let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
            let (fd, none) = (self.socket.as_raw_fd(), std::ptr::null_mut());
            let n = unsafe { libc::recvmmsg(fd, messages.as_mut_ptr(), BATCH as u32, flags, none) };
            if n <= 0 {
                return self.octets.load(Ordering::Relaxed);
            }
            for (m, stamp) in messages[..n as usize].iter().zip(&stamps) {
                self.octets.fetch_add(m.msg_len.into(), Ordering::Relaxed);
                let born = i64::from_ne_bytes(*stamp);
                if let Some(came) = arrival(&m.msg_hdr) {
                    seen.add(came - born.abs(), born > 0);
                }
            }
        }
    }

    /// Mean delay of what arrived since this was asked before, ms.
    pub fn delay_since(&self) -> Option<f64> {
        let (n, sum) = mem::take(&mut self.seen.lock().expect("nobody panics with it").step);
        (n > 0).then(|| sum as f64 / f64::from(n) / 1e6)
    }

    /// What became of those that count, as the model tells it; null where they have no room for a time.
    pub fn delivery(&self) -> String {
        if !self.stamped {
            return "null".into();
        }
        self.read();
        let seen = self.seen.lock().expect("nobody panics with it");
        let (n, mut sorted) = (seen.delays.len(), seen.delays.clone());
        sorted.sort_unstable();
        let ms = |ns: f64| json::number(ns / 1e6, 6);
        let of =
            |q: f64| sorted.get(((q * n as f64).ceil() as usize).max(1) - 1).map_or("null".into(), |&ns| ms(ns as f64));
        let mean = sorted.iter().sum::<i64>() as f64 / n as f64;
        json::object(&[
            ("sent", self.sent.load(Ordering::Relaxed).to_string()),
            ("arrived", n.to_string()),
            (
                "delay_ms",
                json::object(&[
                    ("p10", of(0.1)),
                    ("p50", of(0.5)),
                    ("p90", of(0.9)),
                    ("p99", of(0.99)),
                    ("mean", if n > 0 { ms(mean) } else { "null".into() }),
                ]),
            ),
            ("jitter_ms", if n > 1 { ms((seen.jitter >> 4) as f64) } else { "null".into() }),
        ])
    }
}

impl Seen {
    fn add(&mut self, delay: i64, counts: bool) {
        self.step = (self.step.0 + 1, self.step.1 + delay);
        if !counts {
            return;
        }
        if let Some(last) = self.delays.last() {
            self.jitter += (delay - last).abs() - ((self.jitter + 8) >> 4);
        }
        self.delays.push(delay);
    }
}

/// The kernel's time stamp of a message.
fn arrival(m: &libc::msghdr) -> Option<i64> {
    let mut c = unsafe { libc::CMSG_FIRSTHDR(m) };
    while !c.is_null() {
        let (level, kind) = unsafe { ((*c).cmsg_level, (*c).cmsg_type) };
        if (level, kind) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
            let ts = unsafe { libc::CMSG_DATA(c).cast::<libc::timespec>().read_unaligned() };
            return Some(ts.tv_sec * 1_000_000_000 + ts.tv_nsec);
        }
        c = unsafe { libc::CMSG_NXTHDR(m, c) };
    }
    None
}
