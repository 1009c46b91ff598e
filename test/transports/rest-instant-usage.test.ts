import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeForm } from "../support/forms.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;

beforeAll(async () => {
  rest = await openRest({ asOwner: true });
});
afterAll(() => rest.close());

/** Operations so far, without the calls that this function makes itself. */
async function operations(): Promise<{ meter: number; days: number }> {
  await rest.recorded();
  const { items } = (await rest.send("GET", "/v3/auth/billing/usage")).body;
  const events = (await rest.send("GET", "/v3/auth/billing/usage-events")).body;
  const meter = items.find(({ unit }: { unit: string }) => unit === "operations").used;
  return { meter, days: events.byDay.reduce((sum: number, { total }: { total: number }) => sum + total, 0) };
}
const QUESTIONS = 2;

const add = (body: Record<string, unknown>) => rest.send("POST", "/v3/documents", { containerTag: "a", ...body });

async function upload(dreaming: string) {
  const file = new File(["Mia has a kayak."], "kayak.txt", { type: "text/plain" });
  const form = await encodeForm({ file, containerTag: "a", dreaming });
  return rest.send("POST", "/v3/documents/file", form.bytes, form.headers);
}

const again = { content: "Mia keeps bees.", customId: "bees", dreaming: "instant" };

test.each<[string, number, () => Promise<unknown>]>([
  ["a document that waits for a quiet period", 1, () => add({ content: "Mia likes tea." })],
  ["an instant document", 2, () => add(again)],
  ["the same text again, which is not read", 1, () => add(again)],
  ["another text for it", 2, () => add({ ...again, content: "Mia keeps bees and goats." })],
  ["a document that forms no memories", 1, () => add({ content: "Notes", dreaming: "instant", taskType: "superrag" })],
  [
    "a document with a waiting caller",
    2,
    () => rest.send("POST", "/v3/documents", { ...again, customId: "w" }, { prefer: "wait=5" }),
  ],
  ["a refused document", 1, () => add({ content: "", dreaming: "instant" })],
  ["a file", 2, () => upload("instant")],
  ["a file that waits for a quiet period", 1, () => upload("dynamic")],
  [
    "three documents together, two of them instant",
    3,
    () => {
      const documents = ["One.", { content: "Two.", dreaming: "dynamic" }, "Three.", { content: "" }];
      return rest.send("POST", "/v3/documents/batch", { documents, dreaming: "instant", containerTag: "a" });
    },
  ],
])("%s counts as %i", async (_what, count, act) => {
  const before = await operations();
  await act();
  const after = await operations();
  expect(after.meter - before.meter).toBe(count + QUESTIONS);
  expect(after.days - before.days).toBe(count + QUESTIONS);
});
