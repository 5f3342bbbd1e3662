// UDP saturation of one BSS in ns-3, as docs/reference-data.md says; prints Mbit/s of UDP payload. Built by ns3_saturation.py.
// With --categories it prints one such number for each of VO, VI, BE and BK.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>

using namespace ns3;

int main(int argc, char** argv) {
    std::string standard = "n", mode = "HtMcs7", dir = "up", categories;
    uint32_t width = 40, stations = 1, ampdu = 65535, payload = 1472, seed = 1, window = 64;
    bool sgi = true, rts = false, txop = true;
    double settle = 2, seconds = 5;
    CommandLine line;
    line.AddValue("std", "n, ac or ax (one stream) or a", standard);
    line.AddValue("mode", "DataMode", mode);
    line.AddValue("dir", "up or down", dir);
    line.AddValue("width_mhz", "channel width", width);
    line.AddValue("stations", "stations", stations);
    line.AddValue("max_ampdu_bytes", "0: single frames", ampdu);
    line.AddValue("sgi", "short guard interval", sgi);
    line.AddValue("rts", "RTS/CTS", rts);
    line.AddValue("udp_payload", "bytes", payload);
    line.AddValue("ba_window", "MPDUs of a Block Ack window (802.11ax: 64 or 256)", window);
    line.AddValue("seconds", "of saturation", seconds);
    line.AddValue("seed", "run number", seed);
    line.AddValue("categories", "of the stations in turn (VI+BE|BE), which each send or get a flow of each; best effort alone",
                  categories);
    line.AddValue("txop", "of several categories: TXOP limits of 1.504 ms (VO) and 3.008 ms (VI), else zero", txop);
    line.Parse(argc, argv);
    const bool n = standard == "n", ac = standard == "ac", ax = standard == "ax", up = dir == "up";
    RngSeedManager::SetRun(seed);
    Config::SetDefault("ns3::HeConfiguration::MpduBufferSize", UintegerValue(window));
    Config::SetDefault("ns3::HeConfiguration::GuardInterval", TimeValue(NanoSeconds(800)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rts ? 0 : 999999));

    const char* const acs[] = {"VO", "VI", "BE", "BK"};
    if (!categories.empty())
        Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(20)));  // BK behind VO waits longer than 500 ms
    for (const char* ac : acs) {
        Config::SetDefault(std::string("ns3::WifiMac::") + ac + "_MaxAmpduSize", UintegerValue(ampdu));
        Config::SetDefault(std::string("ns3::WifiMac::") + ac + "_MaxAmsduSize", UintegerValue(0));
    }

    NodeContainer stas, ap;
    stas.Create(stations);
    ap.Create(1);
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetErrorRateModel("ns3::NistErrorRateModel");  // a header that collides with its like is lost: bystanders wait no EIFS
    phy.DisablePreambleDetectionModel();
    const int streams = n ? std::stoi(mode.substr(5)) / 8 + 1 : 1;
    for (const char* of : {"Antennas", "MaxSupportedTxSpatialStreams", "MaxSupportedRxSpatialStreams"})
        phy.Set(of, UintegerValue(streams));
    phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(n || ac || ax ? width : 20) + ", BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(n ? WIFI_STANDARD_80211n : ac ? WIFI_STANDARD_80211ac : ax ? WIFI_STANDARD_80211ax : WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode), "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    const Ssid ssid("saturation");
    WifiMacHelper mac;
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "ActiveProbing", BooleanValue(false));
    const NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid));
    const NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);
    const int limits[] = {1504, 3008, 0, 0};  // us: Wi-Fi Multimedia's, which Linux has; ns-3's own are 802.11-2020's
    for (uint32_t i = 0; !categories.empty() && i <= stations; i++)
        for (uint32_t k = 0; k < 4; k++) {
            PointerValue queue;
            (i < stations ? staDevices.Get(i) : apDevice.Get(0))->GetObject<WifiNetDevice>()->GetMac()->GetAttribute(
                std::string(acs[k]) + "_Txop", queue);
            queue.Get<QosTxop>()->SetTxopLimits({MicroSeconds(txop ? limits[k] : 0)});
        }
    if (n || ac)
        Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/HtConfiguration/ShortGuardIntervalSupported",
                    BooleanValue(sgi));
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(stas);
    mobility.Install(ap);
    InternetStackHelper stack;
    stack.Install(stas);
    stack.Install(ap);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer apAddress = addresses.Assign(apDevice), staAddress = addresses.Assign(staDevices);

    // Mbit/s a flow, above what any carries: of several categories the mode's rate, less SIFS, preamble and ACK after single frames
    double offered = std::min(ax ? 1200.0 : 600.0, std::max(20.0, (ax ? 1800.0 : 900.0) / stations));
    if (!categories.empty()) {
        offered = WifiMode(mode).GetDataRate(width, ax || !sgi ? 800 : 400, streams) * 1e-6;
        if (!ampdu)
            offered = payload * 8 / (80 + payload * 8 / offered);
    }
    std::vector<std::vector<std::string>> sets(1);
    std::stringstream list(categories.empty() ? "BE" : categories);
    for (std::string set; std::getline(list, set, '|'); sets.emplace_back()) {
        std::stringstream flows(set);
        for (std::string ac; std::getline(flows, ac, '+');)
            sets.back().push_back(ac);
    }
    sets.pop_back();
    const uint8_t tos[] = {0xc0, 0xa0, 0x00, 0x20};
    const Ptr<UniformRandomVariable> stagger = CreateObject<UniformRandomVariable>();
    ApplicationContainer sinks[4];
    for (uint32_t i = 0; i < stations; i++)
        for (const std::string& ac : sets[i % sets.size()]) {
            const uint32_t k = std::find(acs, acs + 4, ac) - acs;
            NS_ABORT_MSG_IF(k == 4, "no access category: " << ac);
            const uint16_t port = 5000 + 4 * i + k;
            PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
            sinks[k].Add(sink.Install(up ? ap.Get(0) : stas.Get(i)));
            InetSocketAddress to(up ? apAddress.GetAddress(0) : staAddress.GetAddress(i), port);
            to.SetTos(tos[k]);
            OnOffHelper flood("ns3::UdpSocketFactory", to);
            flood.SetConstantRate(DataRate(static_cast<uint64_t>(offered * 1e6)), payload);
            ApplicationContainer source = flood.Install(up ? stas.Get(i) : ap.Get(0));
            source.Start(Seconds(1 + 0.01 * stagger->GetValue()));
        }
    auto received = [&](uint32_t k) {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < sinks[k].GetN(); i++)
            bytes += DynamicCast<PacketSink>(sinks[k].Get(i))->GetTotalRx();
        return bytes;
    };
    uint64_t before[4] = {};
    Simulator::Schedule(Seconds(settle), [&] {
        for (uint32_t k = 0; k < 4; k++)
            before[k] = received(k);
    });
    Simulator::Stop(Seconds(settle + seconds));
    Simulator::Run();
    for (uint32_t k = categories.empty() ? 2 : 0; k < (categories.empty() ? 3 : 4); k++)
        std::cout << (received(k) - before[k]) * 8e-6 / seconds << " ";
    std::cout << std::endl;
    Simulator::Destroy();
}
