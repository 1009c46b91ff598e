import { describe, expect, test } from "vitest";
import { createLineSplitter } from "../../src/transports/mcp/lines.js";

/** Feeds text in pieces and returns the lines; of a line that is too long, the length of its start and its end. */
function split(limit: number, pieces: readonly string[]): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(limit, {
    onLine: (line) => lines.push(line.toString()),
    onTooLong: (beginning, ending) => lines.push(`too long: ${beginning.length} ${ending.toString().slice(-4)}`),
  });
  for (const piece of pieces) splitter.push(Buffer.from(piece));
  splitter.end();
  return lines;
}

describe("lines", () => {
  test.each([
    [["one\ntwo\n"], ["one", "two"]],
    [
      ["o", "ne\nt", "wo", "\n"],
      ["one", "two"],
    ],
    [["one\n\ntwo"], ["one", "", "two"]],
    [["\n"], [""]],
    [["last without an end"], ["last without an end"]],
    [[""], []],
    [[], []],
  ])("%j -> %j", (pieces, lines) => {
    expect(split(100, pieces)).toEqual(lines);
  });

  test("keeps characters intact that arrive in two pieces", () => {
    const bytes = Buffer.from("größe 🎈\n");
    for (let cut = 0; cut <= bytes.length; cut++) {
      const lines: string[] = [];
      const splitter = createLineSplitter(100, {
        onLine: (line) => lines.push(line.toString()),
        onTooLong: () => lines.push("too long"),
      });
      splitter.push(bytes.subarray(0, cut));
      splitter.push(bytes.subarray(cut));
      expect(lines).toEqual(["größe 🎈"]);
    }
  });

  test("drops a line that is too long, however it arrives, and continues after it", () => {
    const long = `${"x".repeat(3_000)}tail`;
    const expected = ["before", "too long: 512 tail", "after"];
    expect(split(1_000, [`before\n${long}\nafter\n`])).toEqual(expected);
    const small = `before\n${long}\nafter\n`.split("");
    expect(split(1_000, small).map((line) => line.replace(/\d+/, "512"))).toEqual(expected);
    expect(split(1_000, [long])).toEqual(["too long: 512 tail"]);
  });

  test("keeps a line of exactly the limit", () => {
    expect(split(4, ["1234\n12345\n"])).toEqual(["1234", "too long: 5 2345"]);
  });
});
