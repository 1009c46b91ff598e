import { expect, test } from "vitest";
import { createLog, type LogOptions } from "../../src/lib/log.js";

function logInto(lines: string[], options: Partial<LogOptions> = {}) {
  return createLog({
    level: "debug",
    write: (line) => lines.push(line),
    now: () => new Date("2024-05-06T07:08:09.010Z"),
    ...options,
  });
}

test("text: time, level, event and fields on one line", () => {
  const lines: string[] = [];
  logInto(lines).info("a job is done", { kind: "chunk", ms: 12, note: "two words", missing: undefined });
  expect(lines).toEqual(['2024-05-06T07:08:09.010Z INFO  a job is done kind=chunk ms=12 note="two words"\n']);
});

test("json: one object per line", () => {
  const lines: string[] = [];
  logInto(lines, { format: "json" }).warn("slow", { ms: 12 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time: "2024-05-06T07:08:09.010Z", level: "warn", event: "slow", ms: 12 },
  ]);
});

test("events below the level are dropped", () => {
  const lines: string[] = [];
  const log = logInto(lines, { level: "warn" });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(lines.map((line) => line.split(" ").at(-1))).toEqual(["c\n", "d\n"]);
});

test("an error keeps its stack and its causes", () => {
  const lines: string[] = [];
  logInto(lines).error("failed", { error: new Error("outer", { cause: new Error("inner") }) });
  expect(lines[0]).toContain("outer");
  expect(lines[0]).toContain("log.test.ts");
  expect(lines[0]).toContain("inner");
});

test.each(["text", "json"] as const)("%s: hostile values stay on one line and never throw", (format) => {
  const lines: string[] = [];
  const log = logInto(lines, { format });
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const cause = new Error("round");
  cause.cause = cause;
  log.info("line\nbreak\u001b[2J", {
    text: "a\nb\u2028c",
    circular,
    cause,
    big: 1n,
    function: () => 1,
    lone: "\ud800",
  });
  log.info("", { empty: "" });
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(["\n", "\u001b", "\u2028"].filter((breaking) => line.slice(0, -1).includes(breaking))).toEqual([]);
    expect(line.endsWith("\n")).toBe(true);
  }
});
