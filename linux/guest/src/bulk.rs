// SPDX-License-Identifier: GPL-2.0
//! Bulk TCP: a sender that always has data, a receiver that is woken seldom, and TCP_INFO read from the
//! sender's own descriptor.
//!
//! The sender writes 1 MiB blocks; the receiver sleeps until 128 KiB wait for it (SO_RCVLOWAT) and lets the
//! kernel discard them (MSG_TRUNC), which moves the window exactly as a copying read would.
//! src: linux@6.12 include/uapi/linux/tcp.h struct tcp_info; iproute2 misc/ss.c tcp_show_info names the columns.

use crate::{json, sys};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::thread;

const BLOCK: usize = 1 << 20;
const LOWAT: i32 = 128 << 10;
const RCVBUF: i32 = 64 << 20;
/// wavetank_sock's option (linux/modules/wavetank_sock).
const WT_SO_PACING_SHIFT: i32 = 0x5754;

/// Starts the receiver of `flows` connections on `port` in `netns`; returns once it listens.
pub fn receive(netns: &str, port: u16, flows: usize) -> Result<(), String> {
    let listener = sys::within(netns, || listen(port))?;
    thread::spawn(move || {
        for _ in 0..flows {
            let (stream, _) = listener.accept().expect("accept");
            thread::Builder::new().stack_size(64 << 10).spawn(move || drain(stream)).expect("thread");
        }
    });
    Ok(())
}

fn listen(port: u16) -> Result<TcpListener, String> {
    let l = TcpListener::bind(("0.0.0.0", port)).map_err(|e| e.to_string())?;
    sys::set_opt(l.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RCVBUF)?;
    sys::set_opt(l.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVLOWAT, &LOWAT)?;
    Ok(l)
}

fn drain(stream: TcpStream) {
    loop {
        let n = unsafe { libc::recv(stream.as_raw_fd(), std::ptr::null_mut(), BLOCK, libc::MSG_TRUNC) };
        if n <= 0 {
            return;
        }
    }
}

/// What a sender's socket is set to before it connects.
#[derive(Clone)]
pub struct Sender {
    pub netns: String,
    pub to: SocketAddrV4,
    pub cc: String,
    pub pacing_shift: Option<i32>,
    /// the IP header's TOS byte: EDCA's access category on a radio
    pub tos: i32,
}

pub struct Flow {
    fd: RawFd,
    pub port: u16,
}

/// Opens a connection and starts to write at `start` (monotonic ns).
pub fn send(how: &Sender, start: i64) -> Result<Flow, String> {
    let fd = sys::within(&how.netns, || {
        let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0) };
        sys::check("socket", fd.into())?;
        let cc = how.cc.as_bytes();
        let rc = unsafe {
            libc::setsockopt(fd, libc::IPPROTO_TCP, libc::TCP_CONGESTION, cc.as_ptr().cast(), cc.len() as u32)
        };
        sys::check(&format!("congestion control {}", how.cc), rc.into())?;
        if how.tos != 0 {
            sys::set_opt(fd, libc::IPPROTO_IP, libc::IP_TOS, &how.tos)?;
        }
        Ok(fd)
    })?;
    if let Some(shift) = how.pacing_shift {
        sys::set_opt(fd, libc::IPPROTO_IP, WT_SO_PACING_SHIFT, &shift)?;
    }
    let to = how.to;
    let mut stream = unsafe { TcpStream::from_raw_fd(fd) };
    let (tx, rx) = std::sync::mpsc::channel();
    thread::spawn(move || {
        sys::sleep_until(start);
        let addr = libc::sockaddr_in {
            sin_family: libc::AF_INET as u16,
            sin_port: to.port().to_be(),
            sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(to.ip().octets()) },
            sin_zero: [0; 8],
        };
        let rc = unsafe { libc::connect(fd, (&raw const addr).cast(), 16) };
        if rc != 0 {
            println!("connect {to}: {}", std::io::Error::last_os_error());
            return;
        }
        let _ = tx.send(stream.local_addr().map_or(0, |a| a.port()));
        let block = vec![0u8; BLOCK];
        use std::io::Write;
        while stream.write_all(&block).is_ok() {}
    });
    drop(rx); // the port is read with the samples: connecting takes virtual time that the caller must not wait for
    Ok(Flow { fd, port: 0 })
}

/// The columns that the reference has, in its units.
#[derive(Clone, Default)]
pub struct Info {
    pub cwnd: u32,
    pub ssthresh: u32,
    pub rtt_us: u32,
    pub min_rtt_us: u32,
    pub acked: u64,
    pub retrans: u32,
    pub pacing: u64,
    pub delivery: u64,
    pub notsent: u32,
    pub unacked: u32,
}

impl Flow {
    pub fn info(&mut self) -> Option<Info> {
        let mut raw = [0u8; 232];
        let mut len = raw.len() as libc::socklen_t;
        let rc =
            unsafe { libc::getsockopt(self.fd, libc::IPPROTO_TCP, libc::TCP_INFO, raw.as_mut_ptr().cast(), &mut len) };
        if rc != 0 || raw[0] != 1 {
            return None; // not established
        }
        if self.port == 0 {
            self.port = local_port(self.fd);
        }
        let u32_at = |o: usize| u32::from_ne_bytes(raw[o..o + 4].try_into().expect("4 bytes"));
        let u64_at = |o: usize| u64::from_ne_bytes(raw[o..o + 8].try_into().expect("8 bytes"));
        Some(Info {
            unacked: u32_at(24),
            rtt_us: u32_at(68),
            ssthresh: u32_at(76),
            cwnd: u32_at(80),
            retrans: u32_at(100),
            pacing: u64_at(104),
            acked: u64_at(120),
            notsent: u32_at(144),
            min_rtt_us: u32_at(148),
            delivery: u64_at(160),
        })
    }
}

fn local_port(fd: RawFd) -> u16 {
    let mut a: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    let mut len = 16;
    unsafe { libc::getsockname(fd, (&raw mut a).cast(), &mut len) };
    u16::from_be(a.sin_port)
}

impl Info {
    pub fn columns(&self, t: f64, port: u16) -> Vec<(&'static str, String)> {
        // ss leaves ssthresh out while it is infinite: it prints it below 0xFFFF only
        let ssthresh = if self.ssthresh < 0xffff { self.ssthresh.to_string() } else { "null".into() };
        vec![
            ("t", json::number(t, 4)),
            ("port", port.to_string()),
            ("cwnd", self.cwnd.to_string()),
            ("ssthresh", ssthresh),
            ("rtt", json::number(f64::from(self.rtt_us) / 1e3, 3)),
            ("minrtt", json::number(f64::from(self.min_rtt_us) / 1e3, 3)),
            ("acked", self.acked.to_string()),
            ("retrans", self.retrans.to_string()),
            ("pacing", (self.pacing * 8).to_string()),
            ("notsent", self.notsent.to_string()),
            ("unacked", self.unacked.to_string()),
            ("delivery", (self.delivery * 8).to_string()),
        ]
    }
}
