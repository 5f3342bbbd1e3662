// SPDX-License-Identifier: GPL-2.0
//! UDP flood: a socket that is never let run dry, and a sink that counts.
//!
//! The flood blocks on its socket's send buffer, so the queue below is refilled whenever it is half empty
//! (linux@6.12 net/core/sock.c sock_def_write_space). The sink wakes every 20 ms and takes what has come at once:
//! one wake-up a packet would cost more than the packet.

use crate::sys;
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

const BATCH: usize = 64;
/// What a host's flood may have below its socket, octets, which the kernel doubles.
pub const SNDBUF: i32 = 1 << 20;
const RCVBUF: i32 = 64 << 20;

pub struct Flood {
    pub to: SocketAddrV4,
    /// UDP payload, octets.
    pub payload: usize,
    /// When it begins.
    pub start: i64,
    /// When one datagram goes ahead of it.
    pub ahead: Option<i64>,
    /// Its mark, the TOS octet.
    pub tos: i32,
    /// As [`SNDBUF`].
    pub sndbuf: i32,
}

impl Flood {
    /// One without a mark that nothing goes ahead of.
    pub fn of(to: SocketAddrV4, payload: usize, start: i64) -> Self {
        Flood { to, payload, start, ahead: None, tos: 0, sndbuf: SNDBUF }
    }
}

pub fn flood(netns: &str, how: Flood) -> Result<(), String> {
    let Flood { to, payload, start, ahead, tos, sndbuf } = how;
    let socket = sys::within(netns, || {
        let s = UdpSocket::bind(("0.0.0.0", 0)).map_err(|e| e.to_string())?;
        s.connect(to).map_err(|e| format!("{to}: {e}"))?;
        sys::set_opt(s.as_raw_fd(), libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, &sndbuf)?;
        if tos != 0 {
            sys::set_opt(s.as_raw_fd(), libc::IPPROTO_IP, libc::IP_TOS, &tos)?;
        }
        Ok(s)
    })?;
    thread::spawn(move || {
        let data = vec![0u8; payload];
        if let Some(ahead) = ahead {
            sys::sleep_until(ahead);
            let _ = socket.send(&data);
        }
        sys::sleep_until(start);
        let mut iov = libc::iovec { iov_base: data.as_ptr() as *mut _, iov_len: payload };
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        for m in &mut messages {
            m.msg_hdr.msg_iov = &mut iov;
            m.msg_hdr.msg_iovlen = 1;
        }
        let (mut batches, mut since, mut errors) = (0, sys::now(), 0);
        loop {
            // Packets that are dropped below (no neighbour yet) never block the socket, and in virtual time a loop
            // that never sleeps stops the clock.
            batches += 1;
            if batches == 32 {
                if sys::now() - since < 1_000_000 {
                    sys::sleep_until(since + 1_000_000);
                }
                (batches, since) = (0, sys::now());
            }
            let n = unsafe { libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), BATCH as u32, 0) };
            if n >= 0 {
                errors = 0;
                continue;
            }
            errors += 1;
            if errors > 100 {
                return; // the device or the peer is gone for good
            }
            sys::sleep_until(sys::now() + 10_000_000); // ICMP unreachable, buffers: try again
        }
    });
    Ok(())
}

/// Counts payload octets; `read` takes what has arrived until now.
pub struct Sink {
    socket: Arc<UdpSocket>,
    octets: Arc<AtomicU64>,
}

impl Sink {
    pub fn new(netns: &str, port: u16) -> Result<Self, String> {
        let socket = sys::within(netns, || {
            let s = UdpSocket::bind(("0.0.0.0", port)).map_err(|e| e.to_string())?;
            sys::set_opt(s.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RCVBUF)?;
            Ok(s)
        })?;
        Ok(Sink { socket: Arc::new(socket), octets: Arc::default() })
    }

    /// Empties every sink each 20 ms, on one thread.
    pub fn run(sinks: &[&Sink]) {
        let all: Vec<_> = sinks.iter().map(|s| Sink { socket: s.socket.clone(), octets: s.octets.clone() }).collect();
        thread::spawn(move || loop {
            sys::sleep_until(sys::now() / 20_000_000 * 20_000_000 + 20_000_000);
            for s in &all {
                s.read();
            }
        });
    }

    pub fn read(&self) -> u64 {
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        loop {
            let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
            let n = unsafe {
                libc::recvmmsg(
                    self.socket.as_raw_fd(),
                    messages.as_mut_ptr(),
                    BATCH as u32,
                    flags,
                    std::ptr::null_mut(),
                )
            };
            if n <= 0 {
                return self.octets.load(Ordering::Relaxed);
            }
            let sum: u64 = messages[..n as usize].iter().map(|m| u64::from(m.msg_len)).sum();
            self.octets.fetch_add(sum, Ordering::Relaxed);
        }
    }
}
