import { expect, test } from "vitest";
import { objectionToHost } from "../../src/transports/allowed-hosts.js";

const objection = (host: string, publicUrl?: string) => objectionToHost(new Headers({ host }), { publicUrl });

test("names the public address to a proxy that drops its port", () => {
  const publicUrl = "https://memory.example:8443";
  expect(objection("memory.example:8443", publicUrl)).toBeNull();
  expect(objection("memory.example", publicUrl)).toMatch(
    /reached as memory\.example:8443.*pass on the Host header unchanged/,
  );
});

test("names the settings that would allow an unknown host", () => {
  expect(objection("memory.example")).toMatch(/Set RECOLLECT_PUBLIC_URL/);
});
