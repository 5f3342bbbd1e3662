// SPDX-License-Identifier: GPL-2.0
//! Generic netlink, as far as the guest needs it: a family by its name, a command, attributes.
//!
//! Stands for: include/uapi/linux/netlink.h, include/uapi/linux/genetlink.h.

use crate::sys;
use std::collections::HashMap;
use std::os::fd::RawFd;

const GENL_ID_CTRL: u16 = 0x10;
const CTRL_CMD_GETFAMILY: u8 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const NLMSG_ERROR: u16 = 2;
/// A netlink header and a generic netlink one: attributes begin behind them.
const HEADERS: usize = 20;

/// A socket of this namespace.
pub fn socket() -> Result<RawFd, String> {
    let fd = unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_GENERIC) };
    sys::check("netlink", fd.into())?;
    Ok(fd)
}

/// Appends an attribute.
pub fn put(out: &mut Vec<u8>, kind: u16, value: &[u8]) {
    out.extend((4 + value.len() as u16).to_ne_bytes());
    out.extend(kind.to_ne_bytes());
    out.extend(value);
    out.resize(out.len().next_multiple_of(4), 0);
}

fn message(family: u16, flags: u16, command: u8, attributes: &[u8]) -> Vec<u8> {
    let mut m = Vec::with_capacity(HEADERS + attributes.len());
    m.extend(((HEADERS + attributes.len()) as u32).to_ne_bytes());
    m.extend(family.to_ne_bytes());
    m.extend(flags.to_ne_bytes());
    m.extend([0u8; 8]);
    m.extend([command, 1, 0, 0]);
    m.extend(attributes);
    m
}

/// A command that nobody answers.
pub fn send(fd: RawFd, family: u16, command: u8, attributes: &[u8]) {
    let m = message(family, NLM_F_REQUEST, command, attributes);
    unsafe { libc::send(fd, m.as_ptr().cast(), m.len(), 0) };
}

/// A command, and the kernel's word on it.
pub fn ask(fd: RawFd, family: u16, command: u8, attributes: &[u8]) -> Result<(), String> {
    let m = message(family, NLM_F_REQUEST | NLM_F_ACK, command, attributes);
    let sent = unsafe { libc::send(fd, m.as_ptr().cast(), m.len(), 0) };
    sys::check("netlink send", sent as i64)?;
    let mut buffer = [0u8; 4096];
    let n = unsafe { libc::recv(fd, buffer.as_mut_ptr().cast(), buffer.len(), 0) };
    let n = sys::check("netlink receive", n as i64)?;
    if n < HEADERS as i64 || u16::from_ne_bytes([buffer[4], buffer[5]]) != NLMSG_ERROR {
        return Err("the kernel gave no answer".into());
    }
    match i32::from_ne_bytes([buffer[16], buffer[17], buffer[18], buffer[19]]) {
        0 => Ok(()),
        e => Err(std::io::Error::from_raw_os_error(-e).to_string()),
    }
}

/// The next message, if one comes: its type (the family's number, if it is no error) and its attributes.
pub fn receive(fd: RawFd, buffer: &mut [u8]) -> Option<(u16, HashMap<u16, &[u8]>)> {
    let n = unsafe { libc::recv(fd, buffer.as_mut_ptr().cast(), buffer.len(), 0) };
    let n = usize::try_from(n).ok()?;
    let kind = u16::from_ne_bytes([buffer[4], buffer[5]]);
    Some((kind, attributes(buffer.get(HEADERS..n)?)))
}

/// Attributes by their number.
fn attributes(mut rest: &[u8]) -> HashMap<u16, &[u8]> {
    let mut all = HashMap::new();
    while rest.len() >= 4 {
        let len = usize::from(u16::from_ne_bytes([rest[0], rest[1]]));
        let kind = u16::from_ne_bytes([rest[2], rest[3]]) & 0x3fff;
        let Some(value) = rest.get(4..len) else { break };
        all.insert(kind, value);
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
    }
    all
}

/// The number of a family, and its groups' by name.
pub fn family(fd: RawFd, name: &str) -> Result<(u16, HashMap<String, i32>), String> {
    const NAME: u16 = 2;
    const ID: u16 = 1;
    const GROUPS: u16 = 7;
    let mut body = Vec::new();
    put(&mut body, NAME, &[name.as_bytes(), &[0]].concat());
    send(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, &body);
    let mut buffer = vec![0u8; 8192];
    let (kind, all) = receive(fd, &mut buffer).ok_or_else(|| format!("{name}: {}", std::io::Error::last_os_error()))?;
    let id = all.get(&ID).filter(|_| kind == GENL_ID_CTRL).map(|id| u16::from_ne_bytes([id[0], id[1]]));
    let id = id.ok_or_else(|| format!("generic netlink has no family {name}"))?;
    let mut groups = HashMap::new();
    for group in all.get(&GROUPS).map(|g| attributes(g)).unwrap_or_default().into_values() {
        let of = attributes(group);
        if let (Some(name), Some(number)) = (of.get(&1), of.get(&2)) {
            let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_string();
            groups.insert(name, i32::from_ne_bytes([number[0], number[1], number[2], number[3]]));
        }
    }
    Ok((id, groups))
}
