import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addUids,
  countUids,
  eachUid,
  formatUids,
  parseUids,
  type UidSet,
  uidPieces,
  withoutUids,
} from "../../src/connectors/imap/uid-set.js";

const uids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });

function setOf(values: readonly number[]): UidSet {
  const set = parseUids(values.join(","));
  if (set === null) throw new Error("These are no UIDs.");
  return set;
}

const sorted = (values: Iterable<number>) => [...values].toSorted((one, other) => one - other);

test("sets of UIDs behave like sets of numbers", () => {
  fc.assert(
    fc.property(uids, uids, fc.integer({ min: 1, max: 9 }), (some, others, size) => {
      const [one, other] = [setOf(some), setOf(others)];
      expect([...eachUid(one)]).toEqual(sorted(some));
      expect(countUids(one)).toBe(some.length);
      expect(parseUids(formatUids(one))).toEqual(one);
      expect([...eachUid(addUids(one, other))]).toEqual(sorted(new Set([...some, ...others])));
      expect([...eachUid(withoutUids(one, other))]).toEqual(sorted(some.filter((uid) => !others.includes(uid))));
      const pieces = [...uidPieces(one, size)];
      expect(pieces.flatMap((piece) => [...eachUid(piece)])).toEqual(sorted(some));
      expect(pieces.slice(0, -1).every((piece) => countUids(piece) === size)).toBe(true);
    }),
  );
});

test("a sequence set is read in either direction, without expanding its ranges", () => {
  expect(parseUids("9:7,1,2:4294967295")).toEqual([[1, 4_294_967_295]]);
  expect(parseUids("")).toEqual([]);
  expect(countUids(withoutUids([[1, 4_294_967_295]], [[2, 4_294_967_294]]))).toBe(2);
});

test.each(["0", "1:*", "a", "1:2:3", "1,,2", "4294967296", "1.5", "-1"])("%s is not a sequence set of UIDs", (text) => {
  expect(parseUids(text)).toBe(null);
});
