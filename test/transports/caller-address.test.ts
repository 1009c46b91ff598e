import { BlockList } from "node:net";
import { describe, expect, test } from "vitest";
import { callerAddressOf } from "../../src/transports/caller-address.js";

const trusted = new BlockList();
trusted.addAddress("127.0.0.1");
trusted.addSubnet("10.0.0.0", 8);
trusted.addAddress("fd00::1", "ipv6");

const said = (list: string) => new Headers({ "x-forwarded-for": list });

describe("who asks", () => {
  test.each([
    ["a caller without a proxy is who they are, whatever they say", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
    ["a trusted proxy is believed", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["what the caller told the proxy is not", "127.0.0.1", "1.2.3.4, 203.0.113.7", "203.0.113.7"],
    ["two trusted proxies in a row are", "127.0.0.1", "1.2.3.4, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["IPv4 over IPv6 is IPv4", "::ffff:127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["IPv6 in brackets with a port is an address", "fd00::1", "[2001:db8::7]:443", "2001:db8::7"],
    ["what is no address is nobody", "127.0.0.1", "unknown", "127.0.0.1"],
    ["nothing said is the proxy itself", "127.0.0.1", "", "127.0.0.1"],
  ])("%s", (_what, peer, list, expected) => {
    expect(callerAddressOf(said(list), peer, trusted)).toBe(expected);
  });

  test("nobody is believed where no proxy is named, and an unknown peer stays unknown", () => {
    expect(callerAddressOf(said("203.0.113.7"), "127.0.0.1", undefined)).toBe("127.0.0.1");
    expect(callerAddressOf(said("203.0.113.7"), undefined, trusted)).toBeUndefined();
  });
});
