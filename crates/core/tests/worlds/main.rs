//! The core from outside, one file a subject; one program, so that the core is linked to it once. `cargo test --test worlds SUBJECT` runs one.

mod aasrc_vectors;
mod any_setting;
mod backlog;
mod beacon;
mod encryption;
mod ended;
mod erp;
mod given;
mod golden;
mod gro;
mod hack;
mod icmp_socket;
mod instant_backhaul;
mod many_stations;
mod programs_take_time;
mod rate_control;
mod scenario_fuzz;
mod send_buffer;
mod softirq_first;
mod softirq_order;
mod state;
mod tao_reader;
mod timed_qdisc;
mod udp_flood;
mod wake;
mod weight;
