//! Looking at a world: what its parts hold at a time, put together as [`State`].
//!
//! Wired devices whose completions are caught up with when somebody looks ([`port`](super::port)) are looked at as copies.

use super::ends::Ends;
use super::fabric::Fabric;
use super::port::{Port, PortCtx};
use super::state::{DeviceState, HostState, SocketState, State};
use super::world::World;
use crate::sim::{Named, Probe, Time};

impl Fabric {
    /// What wired ports, hosts and the BSS hold: devices by node, packets between them and the stacks, and how many packets that is in all.
    fn look(&self, now: Time) -> (Vec<Vec<DeviceState>>, Vec<u64>, u64) {
        let (mut q, mut accounts) = (self.q.clone(), self.accounts.clone());
        let (mut hosts, mut ports) = (self.hosts.clone(), self.ports.clone());
        for (i, port) in ports.iter_mut().enumerate() {
            let mut ctx = PortCtx { q: &mut q, bin: &mut accounts, hosts: &mut hosts, index: i as u16 };
            port.catch_up(now, &mut ctx);
        }
        let mut devices: Vec<Vec<DeviceState>> = hosts.iter().map(|_| Vec::new()).collect();
        for (i, radio) in self.bss.iter().flat_map(|b| b.radios()).enumerate() {
            let (qdiscs, radio) = radio;
            let device = DeviceState { name: format!("wlan{i}"), qdiscs, counts: Named::new(), radio: Some(radio) };
            devices[usize::from(self.stations[i].0)].push(device);
        }
        for (port, &(node, name)) in ports.iter().zip(&self.devices) {
            devices[usize::from(node.0)].push(port.state(name));
        }
        let received: Vec<u64> = hosts.iter().map(|h| h.held() as u64).collect();
        let held = received.iter().sum::<u64>() + ports.iter().map(Port::held).sum::<u64>();
        (devices, received, held + self.bss.as_ref().map_or(0, |b| b.held()))
    }
}

impl<T: Probe> World<T> {
    /// Runs the events up to `at`, and looks.
    pub fn state_at(&mut self, at: Time) -> State {
        self.advance(at);
        self.state(at)
    }

    fn state(&self, at: Time) -> State {
        let (devices, received, held) = self.fabric.look(at);
        let mut hosts: Vec<HostState> = (self.observer.parties().into_iter().zip(devices).zip(received))
            .map(|((p, devices), received)| HostState { name: p.name, sockets: Vec::new(), devices, received })
            .collect();
        for (flow, ends) in self.flows.iter().enumerate() {
            let Ends::Tcp { client, server, .. } = *ends else { continue };
            for (own, other) in [(client, server), (server, client)] {
                let (s, peer) = (&self.socks[usize::from(own)], &self.socks[usize::from(other)]);
                let (cc, bbr) = s.socket.control();
                let mut info = s.socket.tcp_info_kept(at);
                if let Some(scale) = peer.socket.tcp_info(at, "tcpi_rcv_wscale") {
                    info.push(("tcpi_snd_wscale", scale));
                }
                hosts[usize::from(s.node.0)].sockets.push(SocketState {
                    flow: flow as u16,
                    peer: peer.node,
                    client: own == client,
                    state: s.socket.state(),
                    queued: s.socket.queued(),
                    cc,
                    info,
                    mem: s.socket.meminfo(),
                    bbr,
                });
            }
        }
        let (landed, hack) = self.fabric.bss.as_ref().map_or((0, 0), |b| (b.landed(), b.held_by_hack()));
        State { at, hosts, held, landed, hack }
    }
}
