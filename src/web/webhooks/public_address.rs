//! The classification of IP addresses as public or not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address is public: not on this machine, in a private network, or reserved for a special use (the
/// registries of RFC 6890). Strangers choose the addresses of webhooks, so the server must not call others: services on
/// private addresses trust their neighbours.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0 | 10 | 127, ..] => true,
        // Carrier-grade NAT.
        [100, second, ..] => (64..128).contains(&second),
        [169, 254, ..] | [192, 168, ..] => true,
        [172, second, ..] => (16..32).contains(&second),
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        [198, 18 | 19, ..] => true,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => true,
        _ => false,
    };
    !special
}

/// Accepts only the allocated part of IPv6, without addresses that contain an IPv4 address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let allocated = (0x2000..0x4000).contains(&first);
    let special = match (first, second) {
        // Protocol assignments, including Teredo.
        (0x2001, second) if second < 0x0200 => true,
        // Addresses for documentation (RFC 3849, RFC 9637).
        (0x2001, 0x0db8) | (0x3fff, 0..0x1000) => true,
        // 6to4.
        (0x2002, _) => true,
        _ => false,
    };
    allocated && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "2001:200::1",
            "3fff:1000::",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
            "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
