//! Reception: frames go from the air through the device's CPU and the upload stream to the host, in batches.
//!
//! Stands for: open-ath9k-htc-firmware target_firmware/wlan/if_ath.c ath_tgt_rx_tasklet and the USB upload stream that
//! magpie_fw_dev/target/init/app_start.c sets up; Linux 6.12 drivers/net/wireless/ath/ath9k/hif_usb.c ath9k_hif_usb_rx_cb.
//!
//! In stream mode the device strings frames together into one USB transfer, until it has 10 frames or 16 KiB or no further
//! frame came for 171 us; the host sees none of them before the transfer ends. So a lone frame (a ping's reply) is 171 us
//! late, and an A-MPDU of 17 reaches the host as 10 and 7.
//!
//! Differs: D1 the timeout runs from the end of the last frame (the chip's data sheet, which would say, is not public);
//! D2 the eleven receive buffers never run out: the bus is three times as fast as the air; D3 the CPU's receive work does
//! not delay its transmit work, since a half-duplex radio rarely has both; D4 beacons are not
//! uploaded; a BAR is as long as an empty packet.

use super::params::{Params, in_bytes};
use crate::sim::Time;
use crate::wifi::{Came, Encryption};
use std::collections::VecDeque;

/// The upload path.
#[derive(Debug)]
pub(super) struct Upload {
    /// Frames of transfers that are not yet with the host, the oldest first.
    frames: VecDeque<Came>,
    /// Transfers that ended or will: when, and how many of `frames` each carries.
    ended: VecDeque<(Time, u16)>,
    /// The open transfer: its frames and bytes.
    open: (u16, u32),
    /// What protects what comes.
    pub encryption: Encryption,
    cpu: Time,
    bus: Time,
}

impl Upload {
    pub fn new() -> Upload {
        Upload {
            frames: VecDeque::with_capacity(256),
            ended: VecDeque::with_capacity(64),
            open: (0, 0),
            encryption: Encryption::None,
            cpu: Time::ZERO,
            bus: Time::ZERO,
        }
    }
    /// The bus carries uploads until then.
    pub fn busy_until(&self) -> Time {
        self.bus
    }
    /// Packets not yet with the host.
    pub fn held(&self) -> usize {
        self.frames.iter().filter(|c| c.is_packet()).count()
    }
    /// A frame whose last bit was in the air at `ended`; `out_busy`: until when downloads share the bus.
    pub fn receive(&mut self, ended: Time, c: &Came, out_busy: Time, par: &Params) {
        self.cpu = self.cpu.max(ended) + par.cpu_frame;
        if self.open.0 > 0 && self.cpu > self.bus + par.upload_timeout {
            self.close(self.bus + par.upload_timeout);
        }
        let bytes = in_bytes(c.p.ip_len(), self.encryption);
        let start = self.cpu.max(self.bus);
        let alone = par.bus_time(bytes);
        self.bus = start + alone + out_busy.since(start).min(alone);
        self.frames.push_back(*c);
        self.open = (self.open.0 + 1, self.open.1 + bytes);
        // A transfer whose next full frame would not fit ends when that frame fills it up; the host stitches the two halves.
        if self.open.0 >= u16::from(par.upload_frames) || self.open.1 >= par.upload_bytes {
            self.close(self.bus);
        }
    }
    fn close(&mut self, at: Time) {
        self.ended.push_back((at, self.open.0));
        self.open = (0, 0);
    }
    /// When the next transfer ends, if nothing more is received.
    pub fn due(&self, par: &Params) -> Time {
        match self.ended.front() {
            Some(t) => t.0,
            None if self.open.0 > 0 => self.bus + par.upload_timeout,
            None => Time::NEVER,
        }
    }
    /// Ends the open transfer if its timeout has passed, and says how many frames of ended transfers the host may take.
    pub fn ready(&mut self, now: Time, par: &Params) -> u16 {
        if self.open.0 > 0 && now >= self.bus + par.upload_timeout {
            self.close(self.bus + par.upload_timeout);
        }
        let mut n = 0;
        while self.ended.front().is_some_and(|t| t.0 <= now) {
            n += self.ended.pop_front().expect("seen").1;
        }
        n
    }
    /// The host takes `n` frames.
    pub fn take(&mut self, n: u16, up: &mut Vec<Came>) {
        up.extend(self.frames.drain(..usize::from(n)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId, Packet, Span};
    use crate::wifi::{StaIx, Tid};

    fn full() -> Came {
        let p = Packet { payload: 1448, headers: 52, ..Packet::blank(Kind::Tcp, FlowId(1), NodeId(1), NodeId(2)) };
        Came::plain(&p, StaIx::AP, Tid::default())
    }

    #[test]
    fn an_ampdu_of_seventeen_comes_as_ten_and_seven() {
        let (par, mut u) = (Params { cpu_frame: Span::from_us(5), ..Params::default() }, Upload::new());
        for i in 1..=17 {
            u.receive(Time::from_us(82 * i), &full(), Time::ZERO, &par);
        }
        // The tenth is in the air until 820 us; CPU 5 us, bus 29.9 us (1592 bytes of 6656 in 125 us).
        assert_eq!(u.due(&par).us(), 854);
        assert_eq!(u.ready(Time::from_us(1394), &par), 10);
        // The seventeenth is up at 1428.9 us; 170.7 us later the transfer ends.
        assert_eq!(u.due(&par).us(), 1599);
        assert_eq!(u.ready(Time::from_us(1598), &par), 0);
        assert_eq!(u.ready(Time::from_us(1600), &par), 7);
    }

    #[test]
    fn a_lone_frame_waits_for_the_timeout() {
        let (par, mut u) = (Params { cpu_frame: Span::from_us(5), ..Params::default() }, Upload::new());
        u.receive(Time::from_us(100), &full(), Time::ZERO, &par);
        assert_eq!(u.due(&par).us(), 305);
        u.receive(Time::from_us(400), &full(), Time::ZERO, &par);
        assert_eq!(u.ready(Time::from_us(400), &par), 1, "the later frame opens its own transfer");
    }
}
