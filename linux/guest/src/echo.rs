// SPDX-License-Identifier: GPL-2.0
//! UDP echo at a fixed interval: the latency that another flow feels.
//!
//! Stands for `ping -i`, whose interval does not hold in virtual time. Requests leave on a schedule of absolute
//! times, whether or not answers come; each carries its number, and the time it left is kept here.

use crate::sys;
use std::net::{SocketAddrV4, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;

const PAYLOAD: usize = 64;

pub fn serve(netns: &str, port: u16) -> Result<(), String> {
    let socket = sys::within(netns, || UdpSocket::bind(("0.0.0.0", port)).map_err(|e| e.to_string()))?;
    thread::spawn(move || {
        let mut buf = [0u8; 2048];
        while let Ok((n, from)) = socket.recv_from(&mut buf) {
            let _ = socket.send_to(&buf[..n], from);
        }
    });
    Ok(())
}

/// Times are nanoseconds of the monotonic clock; the results are [seconds since `zero`, milliseconds].
pub struct Plan {
    pub zero: i64,
    pub first: i64,
    pub interval: i64,
    pub count: usize,
    pub tos: i32,
}

pub type Answers = Arc<Mutex<Vec<(f64, f64)>>>;

pub fn start(netns: &str, to: SocketAddrV4, plan: Plan) -> Result<Answers, String> {
    let socket = sys::within(netns, || {
        let s = UdpSocket::bind(("0.0.0.0", 0)).map_err(|e| e.to_string())?;
        s.connect(to).map_err(|e| e.to_string())?;
        Ok(s)
    })?;
    if plan.tos != 0 {
        use std::os::fd::AsRawFd;
        sys::set_opt(socket.as_raw_fd(), libc::IPPROTO_IP, libc::IP_TOS, &plan.tos)?;
    }
    let answers = Answers::default();
    let (listener, kept) = (socket.try_clone().map_err(|e| e.to_string())?, answers.clone());
    let zero = plan.zero;
    thread::spawn(move || {
        sys::realtime();
        let mut buf = [0u8; 2048];
        while let Ok(n) = listener.recv(&mut buf) {
            let at = sys::now();
            if n < 8 {
                continue;
            }
            let sent = i64::from_ne_bytes(buf[..8].try_into().expect("8 bytes"));
            kept.lock().expect("lock").push(((sent - zero) as f64 / 1e9, (at - sent) as f64 / 1e6));
        }
    });
    thread::spawn(move || {
        sys::realtime();
        let mut buf = [0u8; PAYLOAD];
        for i in 0..plan.count {
            sys::sleep_until(plan.first + i as i64 * plan.interval);
            buf[..8].copy_from_slice(&sys::now().to_ne_bytes());
            let _ = socket.send(&buf);
        }
    });
    Ok(answers)
}
