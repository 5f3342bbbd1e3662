//! One station's side of the BSS.

use super::netdev::Netdev;
use crate::driver::Name;
use crate::mac80211::tao::Tao;
use crate::sim::NodeId;

pub(super) struct Station {
    pub(super) netdev: Netdev,
    pub(super) driver: Name,
    pub(super) node: NodeId,
    pub(super) tao: Option<Box<Tao>>,
}
