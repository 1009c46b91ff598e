import { expect, test } from "vitest";
import { findDate, readTimestamp } from "../../src/language/dates.js";

test.each([
  ["2023-05-20", "2023-05-20"],
  ["2023-05-20 10:15", "2023-05-20T10:15:00.000Z"],
  ["at 2023-05-20T10:15:00+02:00.", "2023-05-20T08:15:00.000Z"],
  ["Sat, 20 May 2023 10:15:00 GMT", "2023-05-20T10:15:00.000Z"],
  ["Session date: 2023/05/20 (Sat)", "2023-05-20"],
  ["8 May, 2023", "2023-05-08"],
  ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
  ["May 8th 2023", "2023-05-08"],
  ["8 May", null],
  ["May 2023", null],
  ["yesterday", null],
  ["2023-02-31", null],
  ["version 1.2.3", null],
  ["", null],
  [`${"word ".repeat(100)}8 May 2023`, null],
])("finds the date in %j", async (text, date) => {
  expect(await findDate(text)).toBe(date);
});

test.each([
  [1_684_576_800, "2023-05-20T10:00:00.000Z"],
  [1_684_576_800_000, "2023-05-20T10:00:00.000Z"],
  ["2023-05-20T10:00:00Z", "2023-05-20T10:00:00.000Z"],
  [5, null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
  [null, null],
  [{}, null],
])("reads the timestamp %j", async (value, date) => {
  expect(await readTimestamp(value)).toBe(date);
});
