import { expect, test } from "vitest";
import { iso, isoOfHeader, parseIso, sleep } from "../../src/lib/time.js";

test("iso writes UTC with milliseconds", () => {
  expect(iso(new Date(0))).toBe("1970-01-01T00:00:00.000Z");
});

test.each([
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2024-05-06T07:08Z", "2024-05-06T07:08:00.000Z"],
  ["2024-05-06T07:08:09.1234+02:00", "2024-05-06T05:08:09.123Z"],
  ["2024-05-06 07:08:09", "2024-05-06T07:08:09.000Z"],
  [" 2024-05-06T07:08:09 ", "2024-05-06T07:08:09.000Z"],
])("parseIso reads %s", (text, expected) => {
  expect(parseIso(text)?.toISOString()).toBe(expected);
});

test.each(["", "yesterday", "2024-02-31", "2024-13-01", "2024-05-06T25:00Z", "12", "2024", "06/05/2024"])(
  "parseIso refuses %j",
  (text) => {
    expect(parseIso(text)).toBeNull();
  },
);

test("sleep ends early with the signal's reason", async () => {
  const controller = new AbortController();
  const sleeping = sleep(60_000, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  await expect(sleep(60_000, { signal: controller.signal })).rejects.toThrow("enough");
});

test.each([
  ["Tue, 03 Mar 2026 10:00:00 GMT", "2026-03-03T10:00:00.000Z"],
  ["soon", null],
  [undefined, null],
])("isoOfHeader reads %s", (header, expected) => {
  expect(isoOfHeader(header)).toBe(expected);
});
