import { expect, it, vi } from "vitest";
import { dayIn, endOfDay, inTimeZone, instantOf, isTimeZone, wallClock } from "../../src/lib/time-zone.js";

it.each([
  ["2026-11-23T20:00:00.000Z", "Pacific/Auckland", "2026-11-24T09:00:00.000+13:00"],
  ["2026-11-24T03:30:00Z", "America/Los_Angeles", "2026-11-23T19:30:00.000-08:00"],
  ["2026-06-24T00:00:00Z", "Asia/Kathmandu", "2026-06-24T05:45:00.000+05:45"],
  ["2026-11-23T20:00:00Z", "+13:00", "2026-11-24T09:00:00.000+13:00"],
  // A time without an offset is in the zone; one with an offset keeps it.
  ["2026-11-24 09:00", "Pacific/Auckland", "2026-11-24T09:00:00.000+13:00"],
  ["2026-11-24T09:00:00+13:00", "UTC", "2026-11-24T09:00:00+13:00"],
  // A day is the same day everywhere.
  ["2026-11-24", "Pacific/Auckland", "2026-11-24"],
  ["no date", "Pacific/Auckland", "no date"],
])("writes %s in %s as %s", (text, zone, expected) => {
  expect(inTimeZone(text, zone)).toBe(expected);
  expect(dayIn(text, zone)).toBe(expected.slice(0, 10));
});

it.each([
  ["2026-11-24", "Pacific/Auckland", "2026-11-24T10:59:59.999Z"],
  ["2026-11-24", "America/Los_Angeles", "2026-11-25T07:59:59.999Z"],
  // Clocks go forward at 02:00 and back at 03:00 on these days.
  ["2026-03-29", "Europe/Berlin", "2026-03-29T21:59:59.999Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-25T22:59:59.999Z"],
  ["2026-11-24", "UTC", "2026-11-24T23:59:59.999Z"],
])("ends %s in %s at %s", (day, zone, expected) => {
  expect(endOfDay(day, zone)).toBe(expected);
});

it.each([
  ["a time that occurs twice is the first of them", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["a skipped time is read as if the clocks had not gone forward", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["an offset takes precedence over the zone", "2026-03-29T02:30+00:00", "2026-03-29T02:30:00.000Z"],
  ["a day starts at midnight in the zone", "2026-07-01", "2026-06-30T22:00:00.000Z"],
])("%s", (_what, text, expected) => {
  expect(instantOf(text, "Europe/Berlin")?.toISOString()).toBe(expected);
});

it("agrees with itself for every hour of a year in zones on both sides of the world", () => {
  for (const zone of ["Pacific/Auckland", "America/St_Johns", "Europe/Berlin", "Australia/Lord_Howe", "-09:30"])
    for (let hour = 0; hour < 365 * 24; hour += 1) {
      const moment = new Date(Date.UTC(2026, 0, 1, hour));
      const local = inTimeZone(moment.toISOString(), zone);
      expect(instantOf(local, "UTC")?.getTime(), local).toBe(moment.getTime());
      expect(wallClock(moment, zone).toISOString().slice(0, 19)).toBe(local.slice(0, 19));
    }
});

it("accepts names and offsets of zones, and nothing else", () => {
  for (const zone of ["UTC", "Europe/Berlin", "Etc/GMT+5", "+05:45", "-1000"]) expect(isTimeZone(zone)).toBe(true);
  for (const zone of ["", "Mars/Olympus", "+15:00", "+5", "Europe/Berlin; drop", "12:00"])
    expect(isTimeZone(zone), zone).toBe(false);
});

it("caches formats for the last hundred zones, once per zone however it is spelt", () => {
  const others = Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "America/Indiana/Tell_City");
  const made = vi.spyOn(Intl, "DateTimeFormat");
  try {
    const spellings = Array.from({ length: 200 }, (_, number) =>
      Array.from("america/indiana/tell_city", (letter, at) =>
        (number >> at) & 1 ? letter.toUpperCase() : letter,
      ).join(""),
    );
    expect(new Set(spellings).size).toBeGreaterThan(100);
    expect(spellings.every(isTimeZone)).toBe(true);
    expect(made).toHaveBeenCalledTimes(1);
    expect(others.length).toBeGreaterThan(300);
    expect(others.slice(0, 200).every(isTimeZone)).toBe(true);
    made.mockClear();
    expect(isTimeZone("America/Indiana/Tell_City")).toBe(true);
    expect(made).toHaveBeenCalledTimes(1);
  } finally {
    made.mockRestore();
    // The mocked formats are not usable, and other tests share the cache.
    expect(others.slice(200, 300).every(isTimeZone)).toBe(true);
  }
});
