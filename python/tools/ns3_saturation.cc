// UDP saturation of one BSS in ns-3, as docs/reference-data.md says; prints Mbit/s of UDP payload. Built by ns3_saturation.py.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <vector>

using namespace ns3;

int main(int argc, char** argv) {
    std::string standard = "n", mode = "HtMcs7", dir = "up";
    uint32_t width = 40, stations = 1, ampdu = 65535, payload = 1472, seed = 1, window = 64;
    bool sgi = true, rts = false;
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
    line.Parse(argc, argv);
    const bool n = standard == "n", ac = standard == "ac", ax = standard == "ax", up = dir == "up";
    RngSeedManager::SetRun(seed);
    Config::SetDefault("ns3::HeConfiguration::MpduBufferSize", UintegerValue(window));
    Config::SetDefault("ns3::HeConfiguration::GuardInterval", TimeValue(NanoSeconds(800)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rts ? 0 : 999999));

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
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "ActiveProbing", BooleanValue(false), "BE_MaxAmpduSize",
                UintegerValue(ampdu), "BE_MaxAmsduSize", UintegerValue(0));
    const NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BE_MaxAmpduSize", UintegerValue(ampdu), "BE_MaxAmsduSize",
                UintegerValue(0));
    const NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);
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

    // Mbit/s a station, above what any carries
    const double offered = std::min(ax ? 1200.0 : 600.0, std::max(20.0, (ax ? 1800.0 : 900.0) / stations));
    const Ptr<UniformRandomVariable> stagger = CreateObject<UniformRandomVariable>();
    ApplicationContainer sinks;
    for (uint32_t i = 0; i < stations; i++) {
        const uint16_t port = 5000 + i;
        PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(up ? ap.Get(0) : stas.Get(i)));
        OnOffHelper flood("ns3::UdpSocketFactory",
                          InetSocketAddress(up ? apAddress.GetAddress(0) : staAddress.GetAddress(i), port));
        flood.SetConstantRate(DataRate(static_cast<uint64_t>(offered * 1e6)), payload);
        ApplicationContainer source = flood.Install(up ? stas.Get(i) : ap.Get(0));
        source.Start(Seconds(1 + 0.01 * stagger->GetValue()));
    }
    auto received = [&] {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < stations; i++)
            bytes += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
        return bytes;
    };
    uint64_t before = 0;
    Simulator::Schedule(Seconds(settle), [&] { before = received(); });
    Simulator::Stop(Seconds(settle + seconds));
    Simulator::Run();
    std::cout << (received() - before) * 8e-6 / seconds << std::endl;
    Simulator::Destroy();
}
