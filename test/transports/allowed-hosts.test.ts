import { expect, test } from "vitest";
import { objectionToHost } from "../../src/transports/allowed-hosts.js";

const objection = (host: string, publicUrl?: string) => objectionToHost(new Headers({ host }), { publicUrl });

test("the error names the public address for a proxy that drops its port", () => {
  const publicUrl = "https://memory.example:8443";
  expect(objection("memory.example:8443", publicUrl)).toBeNull();
  expect(objection("memory.example", publicUrl)).toMatch(
    /reached as memory\.example:8443.*pass on the Host header unchanged/,
  );
});

test("the error for an unknown host names the settings that would allow it", () => {
  expect(objection("memory.example")).toMatch(/Set RECOLLECT_PUBLIC_URL/);
});
