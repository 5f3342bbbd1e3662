//! The state of a world at a time, by the kernel's names: its sockets, disciplines, TXQs, drivers and their hardware.
//!
//! Nothing is kept for it that an algorithm does not have or a counter of one instruction does not give, and looking changes nothing: a run in
//! which somebody looked gives the same bytes. What the model does not keep is left out, not made up.
//! What fills it is [`look`](super::look), and each part's own.

use crate::driver::holds::Holds;
use crate::mac80211::airtime::Aql;
use crate::qdisc::{Qdisc, Told};
use crate::rate::minstrel_ht::RateStats;
use crate::sim::{Named, NodeId, Time};
use crate::tcp::State as TcpState;
use crate::tcp::cc::BbrInfo;

/// All of it.
#[derive(Clone, Debug)]
pub struct State {
    /// When.
    pub at: Time,
    /// The hosts by number.
    pub hosts: Vec<HostState>,
    /// Packets that are somewhere: what all numbers of this name and `backlog` below add up to, less `landed`.
    pub held: u64,
    /// Of those that stand in hardware queues, packets that their receiver has got meanwhile.
    pub landed: u64,
    /// Packets that TCP/HACK holds.
    pub hack: u64,
}

/// A host.
#[derive(Clone, Debug)]
pub struct HostState {
    /// Its name.
    pub name: String,
    /// Its sockets, in the order of the flows.
    pub sockets: Vec<SocketState>,
    /// Its devices.
    pub devices: Vec<DeviceState>,
    /// Packets between its devices and its stack.
    pub received: u64,
}

/// A TCP socket.
#[derive(Clone, Debug)]
pub struct SocketState {
    /// Number of its flow.
    pub flow: u16,
    /// The host at the other end.
    pub peer: NodeId,
    /// It connects; else it listens.
    pub client: bool,
    /// State of the connection.
    pub state: TcpState,
    /// Bytes that the program has not read, and bytes written that are not acknowledged.
    pub queued: (u32, u32),
    /// Name of its congestion control.
    pub cc: &'static str,
    /// `TCP_INFO`, as far as it is kept.
    pub info: Named,
    /// `SO_MEMINFO`, as far as it is kept.
    pub mem: Named,
    /// What BBR tells.
    pub bbr: Option<BbrInfo>,
}

/// A network device.
#[derive(Clone, Debug)]
pub struct DeviceState {
    /// Its name, as in the second water.
    pub name: String,
    /// Its disciplines, the root first; none: `noqueue`.
    pub qdiscs: Vec<QdiscState>,
    /// Of a wired one: what it and the cable hold.
    pub counts: Named,
    /// Of a radio.
    pub radio: Option<RadioState>,
}

/// A discipline.
#[derive(Clone, Debug)]
pub struct QdiscState {
    /// Its kind.
    pub kind: &'static str,
    /// Where it stands: none at the root, or the class above.
    pub parent: Option<&'static str>,
    /// Bytes and segments that have left it; none: it is not counted.
    pub sent: Option<(u64, u64)>,
    /// Packets dropped.
    pub dropped: u64,
    /// Bytes and packets in it.
    pub backlog: (u64, u64),
    /// How it is set, and what it counts.
    pub told: Told,
}

/// A radio.
#[derive(Clone, Debug)]
pub struct RadioState {
    /// Its driver's name.
    pub driver: &'static str,
    /// mac80211's queues as a whole, where the driver has them.
    pub phy: Option<PhyState>,
    /// Whom the driver's numbers stand for.
    pub peers: Vec<NodeId>,
    /// Its peers.
    pub stations: Vec<StationState>,
    /// The driver and its hardware.
    pub holds: Holds,
    /// Packets of a qdisc's last super-packet, which is cut, that the device had no room for.
    pub cut: u64,
    /// Packets that stand with another in a TXQ, an A-MSDU, which counts as one there.
    pub joined: u64,
    /// Packets in FIFOs of the device's own.
    pub fifo: u64,
    /// Packets in driver and hardware.
    pub held: u64,
    /// Packets between the air and mac80211, in reorder buffers, and that TAO holds back.
    pub received: u64,
    /// See `received`.
    pub reorder: u64,
    /// See `received`.
    pub tao: u64,
}

/// A device's TXQs. src: linux@6.12 net/mac80211/debugfs.c `aqm_read`, `aql_txq_limit_read`, `aql_pending_read`
#[derive(Clone, Debug)]
pub struct PhyState {
    /// By the kernel's names (`fq_flows_cnt`, ...), of what they name.
    pub fq: Named,
    /// AQL's limits, us, if the driver asked for them.
    pub aql: Option<Aql>,
    /// Estimated airtime in the device by category, voice first, us.
    pub pending: [i32; 4],
    /// Airtime that is reported counts (`airtime_flags`).
    pub fair: bool,
}

/// A peer of a radio.
#[derive(Clone, Debug)]
pub struct StationState {
    /// The peer.
    pub peer: NodeId,
    /// Its TXQs by TID; none where the driver has no TXQs.
    pub txqs: Vec<TxqState>,
    /// Its account by category, voice first; none where the driver has no TXQs.
    pub airtime: Option<AirtimeState>,
    /// What rate control knows of it, where it has statistics; and the mean length of an A-MPDU in 4096ths.
    pub rates: Option<(Vec<RateStats>, u32)>,
}

/// A TXQ. src: linux@6.12 net/mac80211/debugfs_sta.c `sta_aqm_read`
#[derive(Clone, Copy, Debug)]
pub struct TxqState {
    /// Its TID.
    pub tid: u8,
    /// Its category, voice 0.
    pub ac: u8,
    /// Bytes in it.
    pub backlog_bytes: u64,
    /// Packets in it.
    pub backlog_packets: u64,
    /// Flows that became new ones.
    pub new_flows: u64,
    /// Packets that CoDel dropped.
    pub drops: u64,
    /// Packets that CoDel marked.
    pub marks: u64,
    /// Times that a flow of it paid for an overlimit.
    pub overlimit: u64,
    /// Packets that found their flow taken.
    pub collisions: u64,
    /// Bytes pulled.
    pub tx_bytes: u64,
    /// Packets pulled.
    pub tx_packets: u64,
    /// A Block Ack session of mac80211's stands (`IEEE80211_TXQ_AMPDU`).
    pub ampdu: bool,
}

/// Airtime of a peer. src: linux@6.12 net/mac80211/debugfs_sta.c `sta_airtime_read`, `sta_aql_read`
#[derive(Clone, Copy, Debug)]
pub struct AirtimeState {
    /// Microseconds received and sent.
    pub rx: u64,
    /// See `rx`.
    pub tx: u64,
    /// Its weight.
    pub weight: i32,
    /// What it may yet use, us.
    pub deficit: [i32; 4],
    /// Estimated airtime in the device, us.
    pub pending: [i32; 4],
}

impl QdiscState {
    /// Of a discipline; of one with a leaf, both.
    pub(super) fn of(q: &Qdisc, parent: Option<&'static str>, sent: (u64, u64)) -> Vec<QdiscState> {
        let at = |kind, parent, told| QdiscState {
            kind,
            parent,
            sent: Some(sent),
            dropped: q.dropped(),
            backlog: (q.bytes(), q.packets().into()),
            told,
        };
        let mut all = vec![at(q.name(), parent, q.told())];
        if let Qdisc::Htb(h) = q {
            all.push(at(h.leaf().name(), Some("1:1"), h.leaf().told()));
        }
        all
    }
}

impl State {
    /// What the parts hold, added up: `held`.
    pub fn sum(&self) -> u64 {
        let device = |d: &DeviceState| {
            let wire: u64 = d.counts.iter().filter(|c| c.0 == "requeued" || c.0 == "cable").map(|c| c.1).sum();
            let roots = d.qdiscs.iter().filter(|q| q.parent != Some("1:1"));
            let radio = d.radio.as_ref().map_or(0, |r| {
                let txqs: u64 = r.stations.iter().flat_map(|s| &s.txqs).map(|t| t.backlog_packets).sum();
                txqs + r.cut + r.joined + r.fifo + r.held + r.received + r.reorder + r.tao
            });
            wire + radio + roots.map(|q| q.backlog.1).sum::<u64>()
        };
        let host = |h: &HostState| h.received + h.devices.iter().map(device).sum::<u64>();
        self.hosts.iter().map(host).sum::<u64>() + self.hack - self.landed
    }
}
