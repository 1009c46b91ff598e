import { expect, test } from "vitest";
import { GatheredParts } from "../../src/extractors/gathered-parts.js";
import { SheetParts } from "../../src/extractors/sheet-parts.js";

test("a sheet name, which each piece repeats, is shortened", () => {
  const gathered = new GatheredParts({ maximumTextBytes: 1_000_000 });
  const sheet = new SheetParts("S".repeat(1_000_000), gathered);
  for (let row = 1; row <= 1_000; row += 1)
    sheet.add(row, [
      [1, `item ${row}`],
      [2, "9"],
    ]);
  sheet.end();
  expect(gathered.parts).toHaveLength(5);
  for (const { text, place } of gathered.parts) {
    expect(place.sheet?.length).toBeLessThanOrEqual(101);
    expect(text.length).toBeLessThan(10_000);
  }
});
