//! What a receiver remembers: what waits and its memory (`queue`), skb by skb (`line`), what is made of memory that holds little (`packing`, `collapse`); how far the window may
//! open (`window`), for what a program reads (`right_sizing`), which window is offered (`offer`), what came early (`ofo`), and what acknowledgements are due (`delack`, `stretch`). Nothing here knows the socket.

mod collapse;
pub mod delack;
mod line;
mod offer;
pub mod ofo;
mod packing;
mod queue;
mod right_sizing;
pub mod stretch;
pub mod window;
