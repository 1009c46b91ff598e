import { expect, test } from "vitest";
import { readConfig } from "../src/config.js";

test.each(["RECOLLECT_LLM_FAST_MODEL", "RECOLLECT_TRANSCRIBE_MODEL", "RECOLLECT_TRANSCRIBE_API_KEY"])(
  "%s without a service is a warning",
  (name) => {
    expect(readConfig({ [name]: "own" }).warnings).toEqual([
      expect.stringMatching(new RegExp(`^${name} is set, but has no effect without`)),
    ]);
    const services = { RECOLLECT_LLM_API_KEY: "key", RECOLLECT_TRANSCRIBE_BASE_URL: "http://127.0.0.1:8000/v1" };
    expect(readConfig({ ...services, [name]: "own" }).warnings).toEqual([]);
  },
);

test("a model for small questions may be set while models are switched off", () => {
  expect(readConfig({ RECOLLECT_LLM: "off", RECOLLECT_LLM_FAST_MODEL: "own" }).warnings).toEqual([]);
});

test.each([
  ["RECOLLECT_ALLOWED_HOSTS", ["nonsense value!", "https://memory.example", "*", "memory.example/"]],
  ["RECOLLECT_ALLOWED_ORIGINS", ["nonsense value!", "app.example", "*", "https://app.example/", "https://a@b.example"]],
])("%s refuses what no request can have", (name, values) => {
  for (const value of values)
    expect(() => readConfig({ [name]: value }), value).toThrow(new RegExp(`^${name} must be`));
});

test("names and origins of every kind may call", () => {
  const hosts = ["inner", "Inner_1.example:8080", "[fd00::1]:8080"];
  const origins = ["https://App.example:8443", "http://[fd00::1]", "chrome-extension://abcdef", "app://obsidian.md"];
  const { allowedHosts, allowedOrigins } = readConfig({
    RECOLLECT_ALLOWED_HOSTS: hosts.join(","),
    RECOLLECT_ALLOWED_ORIGINS: origins.join(","),
  });
  expect([allowedHosts, allowedOrigins]).toEqual([hosts, origins]);
});
