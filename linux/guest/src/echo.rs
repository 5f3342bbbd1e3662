// SPDX-License-Identifier: GPL-2.0
//! Echoes at a fixed interval, ICMP or UDP: the latency that another flow feels.
//!
//! Stands for `ping -i`, whose interval does not hold in virtual time. Requests leave on a schedule of absolute
//! times, whether or not answers come; each carries its number, and the time it left is kept here.
//! src: RFC 792 (echo); linux@6.12 net/ipv4/icmp.c icmp_echo answers ICMP, `serve` answers UDP.

use crate::{json, sys};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex};
use std::thread;

/// Answers with the mark of what was asked, as irtt's server does, and as the kernel answers pings.
pub fn serve(netns: &str, port: u16) -> Result<(), String> {
    let socket = sys::within(netns, || UdpSocket::bind(("0.0.0.0", port)).map_err(|e| e.to_string()))?;
    sys::set_opt(socket.as_raw_fd(), libc::IPPROTO_IP, libc::IP_RECVTOS, &1i32)?;
    thread::spawn(move || {
        let mut buf = [0u8; 2048];
        while let Some(asked) = Asked::next(socket.as_raw_fd(), &mut buf) {
            asked.answer(socket.as_raw_fd(), &mut buf);
        }
    });
    Ok(())
}

/// A request: its length, who sent it, its TOS octet.
struct Asked {
    len: usize,
    from: libc::sockaddr_in,
    tos: u8,
}

/// Room for one control message of an `int`.
type Control = [u64; 4];

impl Asked {
    fn next(fd: RawFd, buf: &mut [u8]) -> Option<Asked> {
        let mut from: libc::sockaddr_in = unsafe { std::mem::zeroed() };
        let mut control = Control::default();
        let mut part = libc::iovec { iov_base: buf.as_mut_ptr().cast(), iov_len: buf.len() };
        let mut m = message(&mut from, &mut part, &mut control);
        let len = usize::try_from(unsafe { libc::recvmsg(fd, &mut m, 0) }).ok()?;
        let mut tos = 0;
        unsafe {
            let c = libc::CMSG_FIRSTHDR(&m);
            if !c.is_null() && ((*c).cmsg_level, (*c).cmsg_type) == (libc::IPPROTO_IP, libc::IP_TOS) {
                tos = *libc::CMSG_DATA(c);
            }
        }
        Some(Asked { len, from, tos })
    }

    fn answer(mut self, fd: RawFd, buf: &mut [u8]) {
        let mut control = Control::default();
        let mut part = libc::iovec { iov_base: buf.as_mut_ptr().cast(), iov_len: self.len };
        let mut m = message(&mut self.from, &mut part, &mut control);
        unsafe {
            m.msg_controllen = libc::CMSG_SPACE(4) as usize;
            let c = libc::CMSG_FIRSTHDR(&m);
            ((*c).cmsg_level, (*c).cmsg_type) = (libc::IPPROTO_IP, libc::IP_TOS);
            (*c).cmsg_len = libc::CMSG_LEN(4) as usize;
            libc::CMSG_DATA(c).cast::<i32>().write_unaligned(self.tos.into());
            libc::sendmsg(fd, &m, 0);
        }
    }
}

fn message(from: &mut libc::sockaddr_in, part: &mut libc::iovec, control: &mut Control) -> libc::msghdr {
    let mut m: libc::msghdr = unsafe { std::mem::zeroed() };
    m.msg_name = (from as *mut libc::sockaddr_in).cast();
    m.msg_namelen = std::mem::size_of::<libc::sockaddr_in>() as libc::socklen_t;
    (m.msg_iov, m.msg_iovlen) = (part, 1);
    (m.msg_control, m.msg_controllen) = (control.as_mut_ptr().cast(), std::mem::size_of::<Control>());
    m
}

/// Times are nanoseconds of the monotonic clock; results count from `zero`.
pub struct Plan {
    pub zero: i64,
    pub first: i64,
    pub interval: i64,
    pub count: usize,
    pub tos: i32,
    /// octets, 8 at least
    pub payload: usize,
}

#[derive(Clone, Copy)]
pub enum Kind {
    /// Identifier of the echo requests.
    Icmp(u16),
    /// To this port.
    Udp(u16),
}

/// When each request left, and how long its answer took, ns.
#[derive(Clone)]
pub struct Answers {
    zero: i64,
    seen: Arc<Mutex<Vec<(i64, Option<i64>)>>>,
}

impl Answers {
    /// [seconds since `zero`, milliseconds] of every request that was answered.
    pub fn answered(&self) -> Vec<(f64, f64)> {
        let seen = self.seen.lock().expect("lock");
        seen.iter().filter_map(|(at, rtt)| Some(((at - self.zero) as f64 / 1e9, (*rtt)? as f64 / 1e6))).collect()
    }

    /// The same of every request; `null` where none came.
    pub fn json(&self) -> String {
        let seen = self.seen.lock().expect("lock");
        json::array(seen.iter().map(|(at, rtt)| {
            let ms = rtt.map_or("null".into(), |r| json::number(r as f64 / 1e6, 6));
            format!("[{},{ms}]", json::number((at - self.zero) as f64 / 1e9, 9))
        }))
    }
}

pub fn start(netns: &str, kind: Kind, to: Ipv4Addr, plan: Plan) -> Result<Answers, String> {
    let socket = sys::within(netns, || open(kind, to))?;
    if plan.tos != 0 {
        sys::set_opt(socket.as_raw_fd(), libc::IPPROTO_IP, libc::IP_TOS, &plan.tos)?;
    }
    let answers = Answers { zero: plan.zero, seen: Arc::default() };
    let socket = Arc::new(socket);
    let (listener, theirs, ours) = (socket.clone(), answers.seen.clone(), answers.seen.clone());
    thread::spawn(move || {
        sys::realtime();
        let mut buf = [0u8; 2048];
        loop {
            let n = receive(listener.as_raw_fd(), &mut buf);
            let Ok(n) = usize::try_from(n) else { return };
            let at = sys::now();
            let Some(i) = number_of(kind, &buf[..n]) else { continue };
            if let Some((sent, rtt @ None)) = theirs.lock().expect("lock").get_mut(i as usize) {
                *rtt = Some(at - *sent);
            }
        }
    });
    thread::spawn(move || {
        sys::realtime();
        let mut buf = vec![0u8; plan.payload.max(8)];
        for i in 0..plan.count {
            sys::sleep_until(plan.first + i as i64 * plan.interval);
            ours.lock().expect("lock").push((sys::now(), None));
            buf[..8].copy_from_slice(&(i as u64).to_ne_bytes());
            match kind {
                Kind::Udp(_) => send(socket.as_raw_fd(), &buf),
                Kind::Icmp(id) => send(socket.as_raw_fd(), &request(id, i as u16, &buf)),
            }
        }
    });
    Ok(answers)
}

fn open(kind: Kind, to: Ipv4Addr) -> Result<OwnedFd, String> {
    let (how, protocol, port) = match kind {
        Kind::Icmp(_) => (libc::SOCK_RAW, libc::IPPROTO_ICMP, 0),
        Kind::Udp(port) => (libc::SOCK_DGRAM, 0, port),
    };
    let fd = unsafe { libc::socket(libc::AF_INET, how, protocol) };
    sys::check("echo socket", fd.into())?;
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let addr = sys::address(SocketAddrV4::new(to, port));
    let rc = unsafe { libc::connect(fd, (&raw const addr).cast(), 16) };
    sys::check("echo connect", rc.into())?;
    Ok(socket)
}

fn receive(fd: RawFd, buf: &mut [u8]) -> isize {
    unsafe { libc::recv(fd, buf.as_mut_ptr().cast(), buf.len(), 0) }
}

fn send(fd: RawFd, buf: &[u8]) {
    unsafe { libc::send(fd, buf.as_ptr().cast(), buf.len(), 0) };
}

/// The number that an answer bears; none if it is not ours.
fn number_of(kind: Kind, packet: &[u8]) -> Option<u64> {
    let payload = match kind {
        Kind::Udp(_) => packet,
        Kind::Icmp(id) => {
            // a raw socket hands over the IP header, and every host's ICMP
            let icmp = packet.get(usize::from(packet.first()? & 15) * 4..)?;
            if icmp.len() < 8 || icmp[0] != 0 || icmp[4..6] != id.to_be_bytes() {
                return None;
            }
            &icmp[8..]
        }
    };
    Some(u64::from_ne_bytes(payload.get(..8)?.try_into().ok()?))
}

/// An ICMP echo request.
fn request(id: u16, seq: u16, payload: &[u8]) -> Vec<u8> {
    let mut m = vec![8, 0, 0, 0];
    m.extend(id.to_be_bytes());
    m.extend(seq.to_be_bytes());
    m.extend(payload);
    let word = |c: &[u8]| u32::from(c[0]) << 8 | c.get(1).map_or(0, |b| u32::from(*b));
    let mut sum: u32 = m.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    m[2..4].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    m
}
