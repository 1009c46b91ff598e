import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { UnitRows } from "../../src/adapters/vectors/unit-rows.js";

describe("Units in rows", () => {
  it("are where a list and a map of them would have them, whatever comes and goes", () => {
    // Few units that meet each other again, and very large ones.
    const unit = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 2 ** 31, max: 2 ** 52 }));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 400 }), (changes) => {
        const rows = new UnitRows();
        const expected: number[] = [];
        for (const change of changes) {
          const at = expected.indexOf(change);
          expect(rows.find(change)).toBe(at);
          if (at < 0) {
            expect(rows.append(change)).toBe(expected.length);
            expected.push(change);
          } else {
            rows.remove(at);
            const last = expected.pop()!;
            if (at < expected.length) expected[at] = last;
          }
        }
        expect(rows.size).toBe(expected.length);
        expect([...rows.units.subarray(0, rows.size)]).toEqual(expected);
        for (const [row, one] of expected.entries()) expect(rows.find(one)).toBe(row);
      }),
      { numRuns: 500 },
    );
  });

  it("are found among very many, and none when all are cleared", () => {
    const rows = new UnitRows();
    for (let unit = 0; unit < 100_000; unit++) rows.append(unit * 2 + 1);
    expect(rows.find(99_999)).toBe(49_999);
    expect(rows.find(100_000)).toBe(-1);
    for (let row = 99_999; row >= 0; row -= 2) rows.remove(row);
    expect(rows.size).toBe(50_000);
    expect(rows.find(1)).toBe(0);
    rows.clear();
    expect([rows.size, rows.find(1)]).toEqual([0, -1]);
  });
});
