import { expect, test } from "vitest";
import { objectionToHost } from "../../src/transports/allowed-hosts.js";

const objection = (host: string, publicUrl?: string) => objectionToHost(new Headers({ host }), { publicUrl });

test("a proxy that drops the port of the public address is told how that is reached", () => {
  const publicUrl = "https://memory.example:8443";
  expect(objection("memory.example:8443", publicUrl)).toBeNull();
  expect(objection("memory.example", publicUrl)).toMatch(
    /reached as memory\.example:8443.*pass on the Host header unchanged/,
  );
});

test("a name that is not known is told which settings make it known", () => {
  expect(objection("memory.example")).toMatch(/Set RECOLLECT_PUBLIC_URL/);
});
