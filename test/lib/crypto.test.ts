import { expect, test } from "vitest";
import { equalSecrets, randomSecret, sha256 } from "../../src/lib/crypto.js";

test("sha256 is the published digest", () => {
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(sha256(new Uint8Array())).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test("a secret has letters and digits only, the full number of bits, and does not repeat", () => {
  expect(randomSecret()).toMatch(/^[A-Za-z0-9]{43}$/);
  expect(randomSecret(12)).toMatch(/^[A-Za-z0-9]{17}$/);
  expect(new Set(Array.from({ length: 1_000 }, () => randomSecret())).size).toBe(1_000);
});

test("equalSecrets compares texts of any length", () => {
  expect(equalSecrets("abc", "abc")).toBe(true);
  expect(equalSecrets("abc", "abd")).toBe(false);
  expect(equalSecrets("abc", "abcd")).toBe(false);
  expect(equalSecrets("", "")).toBe(true);
});
