import { expect, test } from "vitest";
import { networkOf } from "../../src/lib/ip-address.js";

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::ffff:192.0.2.200", "192.0.2.200"],
  ["::ffff:c000:2c8", "192.0.2.200"],
  ["192.0.2.200", "192.0.2.200"],
  ["unknown", "unknown"],
  ["not:an:address", "not:an:address"],
])("counts attempts from %s for %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
