// SPDX-License-Identifier: GPL-2.0
//! Bulk TCP: a sender that always has data, a receiver that is woken seldom, and TCP_INFO read from the
//! sender's own descriptor.
//!
//! The sender writes 1 MiB blocks; the receiver sleeps until 128 KiB wait for it (SO_RCVLOWAT; a case may ask otherwise) and lets the
//! kernel discard them (MSG_TRUNC), which moves the window exactly as a copying read would.
//! src: linux@6.12 include/uapi/linux/tcp.h struct tcp_info; iproute2 misc/ss.c tcp_show_info names the columns.

use crate::case::Case;
use crate::{json, sys};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

const BLOCK: usize = 1 << 20;
const LOWAT: i32 = 128 << 10;
const RCVBUF: i32 = 64 << 20;
/// wavetank_sock's option (linux/modules/wavetank_sock).
const WT_SO_PACING_SHIFT: i32 = 0x5754;

/// Starts the receiver of `flows` connections on `port` in `netns`; returns once it listens.
pub fn receive(netns: &str, port: u16, flows: usize, how: &Buffers) -> Result<(), String> {
    let listener = sys::within(netns, || listen(port, how))?;
    thread::spawn(move || {
        for _ in 0..flows {
            let (stream, _) = listener.accept().expect("accept");
            thread::Builder::new().stack_size(64 << 10).spawn(move || drain(stream)).expect("thread");
        }
    });
    Ok(())
}

fn listen(port: u16, how: &Buffers) -> Result<TcpListener, String> {
    let l = TcpListener::bind(("0.0.0.0", port)).map_err(|e| e.to_string())?;
    how.set(l.as_raw_fd())?;
    Ok(l)
}

fn socket() -> Result<RawFd, String> {
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0) };
    sys::check("socket", fd.into())?;
    Ok(fd)
}

/// Whether it is connected now.
fn connect(fd: RawFd, to: SocketAddrV4) -> bool {
    let addr = sys::address(to);
    let rc = unsafe { libc::connect(fd, (&raw const addr).cast(), 16) };
    if rc != 0 {
        println!("connect {to}: {}", std::io::Error::last_os_error());
    }
    rc == 0
}

fn drain(stream: TcpStream) {
    loop {
        let n = unsafe { libc::recv(stream.as_raw_fd(), std::ptr::null_mut(), BLOCK, libc::MSG_TRUNC) };
        if n <= 0 {
            return;
        }
    }
}

/// What a receiver's socket is set to.
pub struct Buffers {
    /// what `SO_RCVBUF` asks for, which the kernel doubles; 0: left to TCP
    pub rcvbuf: i32,
    pub lowat: i32,
    /// of its ACKs
    pub tos: i32,
}

impl Buffers {
    /// What no window limits, read seldom; a case may say otherwise (`rcvbuf`, `rcvlowat`).
    pub fn of(case: &Case) -> Result<Buffers, String> {
        Ok(Buffers { rcvbuf: case.get("rcvbuf", RCVBUF)?, lowat: case.get("rcvlowat", LOWAT)?, tos: 0 })
    }

    fn set(&self, fd: RawFd) -> Result<(), String> {
        if self.rcvbuf > 0 {
            sys::set_opt(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &self.rcvbuf)?;
        }
        if self.lowat > 1 {
            sys::set_opt(fd, libc::SOL_SOCKET, libc::SO_RCVLOWAT, &self.lowat)?;
        }
        if self.tos != 0 {
            sys::set_opt(fd, libc::IPPROTO_IP, libc::IP_TOS, &self.tos)?;
        }
        Ok(())
    }
}

/// The receiver of one connection.
pub struct Receiver(Arc<OnceLock<TcpStream>>);

/// A receiver in `netns` that opens its connection itself, at `start` (monotonic ns): a download as netperf's client asks for it.
pub fn fetch(netns: &str, from: SocketAddrV4, how: &Buffers, start: i64) -> Result<Receiver, String> {
    let fd = sys::within(netns, || {
        let fd = socket()?;
        how.set(fd)?;
        Ok(fd)
    })?;
    let slot = Arc::new(OnceLock::new());
    let ours = Receiver(slot.clone());
    thread::spawn(move || {
        sys::sleep_until(start);
        let stream = unsafe { TcpStream::from_raw_fd(fd) };
        if !connect(fd, from) {
            return;
        }
        let twin = stream.try_clone().expect("dup");
        let _ = slot.set(stream); // stays open to the end, so that its counters can be read
        drain(twin);
    });
    Ok(ours)
}

/// Starts the receiver of one connection on `port` in `netns`; returns once it listens.
pub fn receive_one(netns: &str, port: u16, how: &Buffers) -> Result<Receiver, String> {
    let listener = sys::within(netns, || listen(port, how))?;
    let slot = Arc::new(OnceLock::new());
    let ours = Receiver(slot.clone());
    thread::spawn(move || {
        let (stream, _) = listener.accept().expect("accept");
        let twin = stream.try_clone().expect("dup");
        let _ = slot.set(stream); // stays open to the end, so that its counters can be read
        drain(twin);
    });
    Ok(ours)
}

impl Receiver {
    /// Octets of payload that have arrived in order.
    pub fn received(&self) -> u64 {
        self.0.get().and_then(|s| tcp_info(s.as_raw_fd())).map_or(0, |raw| u64_at(&raw, 128))
    }
}

/// What a sender's socket is set to before its connection is opened.
#[derive(Clone)]
pub struct Sender {
    pub netns: String,
    pub cc: String,
    pub pacing_shift: Option<i32>,
    /// a timer enforces the pacing rate
    pub paced: bool,
    /// the IP header's TOS byte: EDCA's access category on a radio
    pub tos: i32,
}

impl Sender {
    fn set(&self, fd: RawFd) -> Result<(), String> {
        let cc = self.cc.as_bytes();
        let rc = unsafe {
            libc::setsockopt(fd, libc::IPPROTO_TCP, libc::TCP_CONGESTION, cc.as_ptr().cast(), cc.len() as u32)
        };
        sys::check(&format!("congestion control {}", self.cc), rc.into())?;
        if self.tos != 0 {
            sys::set_opt(fd, libc::IPPROTO_IP, libc::IP_TOS, &self.tos)?;
        }
        if self.paced {
            // any rate but "none" asks for pacing (linux@6.12 net/core/sock.c sk_setsockopt, SO_MAX_PACING_RATE)
            sys::set_opt(fd, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &(u64::MAX - 1))?;
        }
        self.pacing_shift.map_or(Ok(()), |shift| sys::set_opt(fd, libc::IPPROTO_IP, WT_SO_PACING_SHIFT, &shift))
    }
}

pub struct Flow {
    /// The sender's socket, once there is one.
    fd: Arc<OnceLock<RawFd>>,
    pub port: u16,
    /// What it had come to when it ended before it was connected.
    given_up: Option<Info>,
    /// Its application has ended: one that still waits for its connection writes nothing when it has it.
    ended: Arc<AtomicBool>,
    /// The error in which a write ended (errno); 0: none did.
    error: Arc<AtomicI32>,
}

/// Opens a connection and starts to write at `start` (monotonic ns).
pub fn send(how: &Sender, to: SocketAddrV4, start: i64) -> Result<Flow, String> {
    let fd = sys::within(&how.netns, socket)?;
    how.set(fd)?;
    let flow = Flow::new(Arc::new(fd.into()));
    let error = flow.error.clone();
    thread::spawn(move || {
        sys::sleep_until(start);
        if connect(fd, to) {
            write(unsafe { TcpStream::from_raw_fd(fd) }, &error);
        }
    });
    Ok(flow)
}

/// Waits on `port` for the one connection that its receiver opens, and writes as soon as it is there.
pub fn serve(how: &Sender, port: u16) -> Result<Flow, String> {
    let listener = sys::within(&how.netns, || TcpListener::bind(("0.0.0.0", port)).map_err(|e| e.to_string()))?;
    how.set(listener.as_raw_fd())?; // which the connection has from it (net/core/sock.c sk_clone_lock)
    let fd = Arc::new(OnceLock::new());
    let flow = Flow::new(fd.clone());
    let (error, ended) = (flow.error.clone(), flow.ended.clone());
    thread::spawn(move || {
        let (stream, _) = listener.accept().expect("accept");
        let _ = fd.set(stream.as_raw_fd());
        if ended.load(Ordering::SeqCst) {
            shut(stream.as_raw_fd()); // stop() may have come before there was anything to shut
        }
        write(stream, &error);
    });
    Ok(flow)
}

fn write(mut stream: TcpStream, error: &AtomicI32) {
    let block = vec![0u8; BLOCK];
    use std::io::Write;
    let e = loop {
        if let Err(e) = stream.write_all(&block) {
            break e;
        }
    };
    error.store(e.raw_os_error().unwrap_or(0), Ordering::Relaxed);
    std::mem::forget(stream); // stays open to the end, so that its counters can be read
}

/// The columns that the reference has, in its units.
#[derive(Clone, Default)]
pub struct Info {
    /// ESTABLISHED, SYN_SENT or another (include/net/tcp_states.h).
    state: u8,
    pub cwnd: u32,
    pub ssthresh: u32,
    pub rtt_us: u32,
    pub min_rtt_us: u32,
    pub acked: u64,
    pub total_retrans: u32,
    pub pacing: u64,
    pub delivery: u64,
    pub notsent: u32,
    pub unacked: u32,
    /// retransmission timeouts, from 6.7
    pub rtos: u32,
    /// from 4.18
    pub delivered_ce: u32,
}

const ESTABLISHED: u8 = 1;
const SYN_SENT: u8 = 2;
/// Reset, given up, or past its last ACK (TIME_WAIT is a socket of its own): what is left in the fields is no state of a connection.
const CLOSE: u8 = 7;

type Raw = [u8; 248];

fn tcp_info(fd: RawFd) -> Option<Raw> {
    let mut raw: Raw = [0u8; 248];
    let mut len = raw.len() as libc::socklen_t;
    let rc = unsafe { libc::getsockopt(fd, libc::IPPROTO_TCP, libc::TCP_INFO, raw.as_mut_ptr().cast(), &mut len) };
    (rc == 0).then_some(raw)
}

fn u32_at(raw: &Raw, o: usize) -> u32 {
    u32::from_ne_bytes(raw[o..o + 4].try_into().expect("4 bytes"))
}

fn u64_at(raw: &Raw, o: usize) -> u64 {
    u64::from_ne_bytes(raw[o..o + 8].try_into().expect("8 bytes"))
}

/// Nothing more is written: FIN, or another write's EPIPE.
fn shut(fd: RawFd) {
    unsafe { libc::shutdown(fd, libc::SHUT_WR) };
}

impl Flow {
    fn new(fd: Arc<OnceLock<RawFd>>) -> Flow {
        Flow { fd, port: 0, given_up: None, ended: Arc::default(), error: Arc::default() }
    }

    /// What TCP_INFO says while the connection is established.
    pub fn info(&mut self) -> Option<Info> {
        self.state().filter(|i| i.state == ESTABLISHED)
    }

    /// What TCP_INFO says.
    pub fn state(&mut self) -> Option<Info> {
        if self.given_up.is_some() {
            return self.given_up.clone();
        }
        let fd = *self.fd.get()?;
        let raw = tcp_info(fd)?;
        let state = raw[0];
        if self.port == 0 && state == ESTABLISHED {
            self.port = local_port(fd);
        }
        Some(Info {
            state,
            unacked: u32_at(&raw, 24),
            rtt_us: u32_at(&raw, 68),
            ssthresh: u32_at(&raw, 76),
            cwnd: u32_at(&raw, 80),
            total_retrans: u32_at(&raw, 100),
            pacing: u64_at(&raw, 104),
            acked: u64_at(&raw, 120),
            notsent: u32_at(&raw, 144),
            min_rtt_us: u32_at(&raw, 148),
            delivery: u64_at(&raw, 160),
            rtos: u32_at(&raw, 240) & 0xffff,
            delivered_ce: u32_at(&raw, 196),
        })
    }

    /// The error in which its connection ended; EPIPE is the end that the application itself asked for.
    pub fn error(&self) -> Option<&'static str> {
        match self.error.load(Ordering::Relaxed) {
            libc::ETIMEDOUT => Some("ETIMEDOUT"),
            libc::ECONNRESET => Some("ECONNRESET"),
            libc::ENETUNREACH => Some("ENETUNREACH"),
            libc::EHOSTUNREACH => Some("EHOSTUNREACH"),
            _ => None,
        }
    }

    /// The application ends: what is in the send buffer still goes, then FIN. A socket that still connects is closed, and counts anew
    /// (net/ipv4/af_inet.c inet_shutdown, tcp_disconnect). A connection that its receiver has yet to open carries nothing but its FIN.
    pub fn stop(&mut self) {
        self.given_up = self.state().filter(|i| i.state == SYN_SENT);
        self.ended.store(true, Ordering::SeqCst);
        if let Some(&fd) = self.fd.get() {
            shut(fd);
        }
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
            ("retrans", self.total_retrans.to_string()),
            ("pacing", (self.pacing * 8).to_string()),
            ("notsent", self.notsent.to_string()),
            ("unacked", self.unacked.to_string()),
            ("delivery", (self.delivery * 8).to_string()),
        ]
    }

    /// The product's columns after t and received: acked, snd_cwnd, snd_ssthresh, srtt, min_rtt (us), unacked, retrans,
    /// pacing, delivery (bit/s), notsent. `null`: the kernel has none, or the connection has ended.
    pub fn row(&self) -> impl Iterator<Item = String> {
        let known = |there: bool, v: u64| if there && self.state != CLOSE { v.to_string() } else { "null".into() };
        [
            self.acked.to_string(),
            known(true, self.cwnd.into()),
            // TCP_INFINITE_SSTHRESH
            known(self.ssthresh < 0x7fff_ffff, self.ssthresh.into()),
            known(true, self.rtt_us.into()),
            known(self.min_rtt_us != u32::MAX, self.min_rtt_us.into()),
            known(true, self.unacked.into()),
            self.total_retrans.to_string(),
            known(self.pacing != u64::MAX, self.pacing.saturating_mul(8)),
            known(true, self.delivery * 8),
            known(true, self.notsent.into()),
        ]
        .into_iter()
    }
}
