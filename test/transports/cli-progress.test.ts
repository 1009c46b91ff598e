import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createOutput } from "../../src/transports/cli/output.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(isTerminal: boolean) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const output = createOutput({ stdin, stdout, stderr, isTerminal, useColor: false }, false);
  return { output, shown: () => String(stderr.read() ?? "") };
}

describe("the progress of long work", () => {
  test("counts seconds on a terminal, starting again for each text", () => {
    const { output, shown } = open(true);
    const progress = output.progress("finding facts");
    vi.advanceTimersByTime(1_000);
    expect(shown()).not.toContain(" s)");
    vi.advanceTimersByTime(11_000);
    expect(shown()).toMatch(/finding facts \(11 s\)[^]*finding facts \(12 s\)$/);
    progress.update("embedding");
    vi.advanceTimersByTime(1_000);
    expect(shown()).toMatch(/embedding$/);
    progress.stop();
  });

  test("is repeated every 30 seconds elsewhere", () => {
    const { output, shown } = open(false);
    const progress = output.progress("adding");
    vi.advanceTimersByTime(20_000);
    progress.update("finding facts");
    progress.update("finding facts");
    vi.advanceTimersByTime(65_000);
    expect(shown()).toBe("adding\nfinding facts\nfinding facts (30 s)\nfinding facts (60 s)\n");
    progress.stop();
    vi.advanceTimersByTime(65_000);
    expect(shown()).toBe("");
  });
});
