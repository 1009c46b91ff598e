import { BlockList } from "node:net";
import { describe, expect, test } from "vitest";
import { callerAddressOf } from "../../src/transports/caller-address.js";

const trusted = new BlockList();
trusted.addAddress("127.0.0.1");
trusted.addSubnet("10.0.0.0", 8);
trusted.addAddress("fd00::1", "ipv6");

const said = (list: string) => new Headers({ "x-forwarded-for": list });

describe("the caller's address", () => {
  test.each([
    ["is the peer's without a trusted proxy, whatever the header says", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
    ["is taken from a trusted proxy", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["is not taken from what the caller told the proxy", "127.0.0.1", "1.2.3.4, 203.0.113.7", "203.0.113.7"],
    ["is taken through two trusted proxies in a row", "127.0.0.1", "1.2.3.4, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["is IPv4 for an IPv4-mapped IPv6 address", "::ffff:127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["may be IPv6 in brackets with a port", "fd00::1", "[2001:db8::7]:443", "2001:db8::7"],
    ["is the proxy's where the header holds no address", "127.0.0.1", "unknown", "127.0.0.1"],
    ["is the proxy's where the header is empty", "127.0.0.1", "", "127.0.0.1"],
  ])("%s", (_what, peer, list, expected) => {
    expect(callerAddressOf(said(list), peer, trusted)).toBe(expected);
  });

  test("believes no header where no proxy is trusted, and leaves an unknown peer unknown", () => {
    expect(callerAddressOf(said("203.0.113.7"), "127.0.0.1", undefined)).toBe("127.0.0.1");
    expect(callerAddressOf(said("203.0.113.7"), undefined, trusted)).toBeUndefined();
  });
});
