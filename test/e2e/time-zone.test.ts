import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../support/recollect-process.js";

test("the program counts days in the machine's time zone, or in that of its setting", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recollect-zone-"));
  try {
    const today = (zone: string) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format();
    // These two are 26 hours apart, so that their days always differ.
    const [east, west] = ["Pacific/Kiritimati", "Etc/GMT+12"];
    const add = (text: string, environment: Record<string, string>) =>
      runProgram(folder, ["add", text, "--json"], environment);
    const written = (day: string) => new Date(day).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
    const before = [today(east), today(west)].map(written);
    const machine = await add("I adopted a dog today.", { TZ: east });
    const setting = await add("I adopted a cat today.", { TZ: east, RECOLLECT_TIMEZONE: west });
    const after = [today(east), today(west)].map(written);
    expect(
      [before[0], after[0]].some((day) => machine.stdout.includes(`on ${day}`)),
      machine.stdout,
    ).toBe(true);
    expect(
      [before[1], after[1]].some((day) => setting.stdout.includes(`on ${day}`)),
      setting.stdout,
    ).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
