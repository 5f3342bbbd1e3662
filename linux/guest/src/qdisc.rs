// SPDX-License-Identifier: GPL-2.0
//! A qdisc's counters by rtnetlink, without a fork; and setting up one, by tc or, where tc does not know it, likewise.
//! src: linux@6.12 net/sched/sch_api.c tc_dump_qdisc; include/uapi/linux/gen_stats.h struct tc_stats.

use crate::case::Case;
use crate::sys;
use std::os::fd::RawFd;

const RTM_NEWQDISC: u16 = 36;
const RTM_GETQDISC: u16 = 38;
/// NLM_F_REQUEST, ACK, CREATE, REPLACE
const NLM_F_PUT: u16 = 0x505;
const NLM_F_REQUEST_DUMP: u16 = 0x301;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
/// linux/include/wavetank_aaq.h
const WT_AAQ_LIMIT: u16 = 1;
const TC_H_ROOT: u32 = 0xffff_ffff;
const TCA_STATS: u16 = 3;

/// netem on S's end `dev`: the round trip of rtt_ms, all on the returning way.
pub fn delay(case: &Case, dev: &str) -> Result<(), String> {
    let rtt_us = (case.get("rtt_ms", 0.0)? * 1000.0) as u64;
    if rtt_us == 0 {
        return Ok(());
    }
    tc("S", &format!("qdisc add dev {dev} root netem delay {rtt_us}us limit 100000"))
}

/// Carries out a line of tc in `netns`. tc has no words for aaq's options: `qdisc add|replace dev DEV root|parent P handle H: aaq limit
/// N` goes by netlink.
pub fn tc(netns: &str, line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (dev, parent, handle, options) = match words[..] {
        ["qdisc", "add" | "replace", "dev", dev, "root", "handle", handle, "aaq", ref options @ ..] => {
            (dev, TC_H_ROOT, handle, options)
        }
        ["qdisc", "add" | "replace", "dev", dev, "parent", parent, "handle", handle, "aaq", ref options @ ..] => {
            (dev, number(parent)?, handle, options)
        }
        _ => return sys::feed("tc", &["-n", netns, "-batch"], &format!("{line}\n")),
    };
    let limit = match options {
        [] => None,
        ["limit", n] => Some(n.parse().map_err(|_| format!("aaq limit: cannot read {n}"))?),
        _ => return Err(format!("aaq has no option {}", options.join(" "))),
    };
    let handle = number(handle)?;
    sys::within(netns, || put_aaq(dev, parent, handle, limit)).map_err(|e| format!("{line}: {e}"))
}

/// `1:a` as the kernel has it.
fn number(id: &str) -> Result<u32, String> {
    let (major, minor) = id.split_once(':').unwrap_or((id, ""));
    let hex = |s: &str| if s.is_empty() { Ok(0) } else { u32::from_str_radix(s, 16) };
    Ok(hex(major).map_err(|_| format!("{id} is no handle"))? << 16
        | hex(minor).map_err(|_| format!("{id} is no handle"))?)
}

fn put_aaq(dev: &str, parent: u32, handle: u32, limit: Option<u32>) -> Result<(), String> {
    let (fd, ifindex) = open(dev)?;
    let mut req = vec![0u8; 36]; // nlmsghdr 16, tcmsg 20
    req[4..6].copy_from_slice(&RTM_NEWQDISC.to_ne_bytes());
    req[6..8].copy_from_slice(&NLM_F_PUT.to_ne_bytes());
    req[20..24].copy_from_slice(&ifindex.to_ne_bytes());
    req[24..28].copy_from_slice(&handle.to_ne_bytes());
    req[28..32].copy_from_slice(&parent.to_ne_bytes());
    put(&mut req, TCA_KIND, b"aaq\0");
    if let Some(n) = limit {
        let mut options = Vec::new();
        put(&mut options, WT_AAQ_LIMIT, &n.to_ne_bytes());
        put(&mut req, TCA_OPTIONS, &options);
    }
    let len = req.len() as u32;
    req[0..4].copy_from_slice(&len.to_ne_bytes());
    let sent = unsafe { libc::send(fd, req.as_ptr().cast(), req.len(), 0) };
    sys::check("netlink send", sent as i64)?;
    let mut buf = vec![0u8; 8192];
    let n = unsafe { libc::recv(fd, buf.as_mut_ptr().cast(), buf.len(), 0) };
    sys::check("netlink receive", n as i64)?;
    unsafe { libc::close(fd) };
    let error = u32_at(&buf, 16) as i32; // nlmsgerr
    if u16::from_ne_bytes([buf[4], buf[5]]) != NLMSG_ERROR || error != 0 {
        return Err(std::io::Error::from_raw_os_error(-error).to_string());
    }
    Ok(())
}

/// Appends an attribute, padded to four octets.
fn put(to: &mut Vec<u8>, kind: u16, value: &[u8]) {
    to.extend((value.len() as u16 + 4).to_ne_bytes());
    to.extend(kind.to_ne_bytes());
    to.extend(value);
    to.resize((to.len() + 3) & !3, 0);
}

/// A netlink socket in the caller's namespace, and a device's index there.
fn open(dev: &str) -> Result<(RawFd, i32), String> {
    let fd = unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE) };
    sys::check("netlink socket", fd.into())?;
    let name = std::ffi::CString::new(dev).expect("device name");
    let ifindex = unsafe { libc::if_nametoindex(name.as_ptr()) } as i32;
    sys::check(dev, if ifindex == 0 { -1 } else { 0 })?;
    Ok((fd, ifindex))
}

pub struct Watch {
    fd: RawFd,
    ifindex: i32,
    handle: u32,
}

#[derive(Default, Clone, Copy)]
pub struct Stats {
    pub backlog_packets: u32,
    pub backlog_bytes: u32,
    pub dropped: u32,
}

impl Watch {
    /// Watches the qdisc with major number `major` on `dev` in `netns`.
    pub fn new(netns: &str, dev: &str, major: u32) -> Result<Self, String> {
        sys::within(netns, || {
            let (fd, ifindex) = open(dev)?;
            Ok(Watch { fd, ifindex, handle: major << 16 })
        })
    }

    pub fn read(&self) -> Result<Stats, String> {
        let mut req = [0u8; 36]; // nlmsghdr 16, tcmsg 20
        req[0..4].copy_from_slice(&36u32.to_ne_bytes());
        req[4..6].copy_from_slice(&RTM_GETQDISC.to_ne_bytes());
        req[6..8].copy_from_slice(&NLM_F_REQUEST_DUMP.to_ne_bytes());
        req[20..24].copy_from_slice(&self.ifindex.to_ne_bytes());
        let sent = unsafe { libc::send(self.fd, req.as_ptr().cast(), req.len(), 0) };
        sys::check("netlink send", sent as i64)?;
        let mut found = Stats::default();
        let mut buf = vec![0u8; 32768];
        loop {
            let n = unsafe { libc::recv(self.fd, buf.as_mut_ptr().cast(), buf.len(), 0) };
            let mut rest = &buf[..sys::check("netlink receive", n as i64)? as usize];
            while rest.len() >= 16 {
                let len = u32_at(rest, 0) as usize;
                if u16::from_ne_bytes([rest[4], rest[5]]) == NLMSG_DONE {
                    return Ok(found);
                }
                if len >= 36 && u32_at(rest, 20) as i32 == self.ifindex && u32_at(rest, 24) == self.handle {
                    if let Some(stats) = attribute(&rest[36..len], TCA_STATS) {
                        // tc_stats: bytes u64, packets, drops, overlimits, bps, pps, qlen, backlog
                        found = Stats {
                            dropped: u32_at(stats, 12),
                            backlog_packets: u32_at(stats, 28),
                            backlog_bytes: u32_at(stats, 32),
                        };
                    }
                }
                rest = &rest[((len + 3) & !3).min(rest.len())..];
            }
        }
    }
}

fn u32_at(b: &[u8], o: usize) -> u32 {
    u32::from_ne_bytes(b[o..o + 4].try_into().expect("4 bytes"))
}

fn attribute(mut b: &[u8], wanted: u16) -> Option<&[u8]> {
    while b.len() >= 4 {
        let len = usize::from(u16::from_ne_bytes([b[0], b[1]]));
        if u16::from_ne_bytes([b[2], b[3]]) == wanted {
            return b.get(4..len);
        }
        b = b.get((len + 3) & !3..)?;
    }
    None
}
