import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { documentEffects } from "../support/field-effects/documents.js";
import type { Effect, Place, Probe, Sent } from "../support/field-effects/effect.js";
import { readingEffects } from "../support/field-effects/reading.js";
import { requestFields } from "../support/field-effects/request-fields.js";
import { serviceEffects } from "../support/field-effects/service.js";
import { writingEffects } from "../support/field-effects/writing.js";
import { encodeForm } from "../support/forms.js";
import { type OpenedRest, openRest } from "../support/rest.js";

const EFFECTS: Readonly<Record<string, Effect>> = {
  ...documentEffects,
  ...readingEffects,
  ...writingEffects,
  ...serviceEffects,
};

let rest: OpenedRest;
let ids: Record<string, string>;
let places = 0;
beforeAll(async () => {
  rest = await openRest({ asOwner: true, settings: { RECOLLECT_RATE_LIMIT: "0" } });
  ids = await fillWorld();
});
afterAll(() => rest.close());

/** Creates what the probes of read requests look at. */
async function fillWorld(): Promise<Record<string, string>> {
  const add = async (body: Record<string, unknown>) => (await rest.send("POST", "/v3/documents", body)).body.id;
  const paragraphs = ["Mia lives in Rome.", "Mia keeps bees and sells honey.", "Her roof has eight hives of bees."];
  const long = paragraphs.map((text) => `${text} ${"Nothing else is said about it here. ".repeat(30)}`).join("\n\n");
  const bees = await add({
    content: long,
    customId: "bees",
    containerTags: ["world"],
    metadata: { team: "a", sm_source: "slack" },
    filepath: "/notes/bees.md",
  });
  await add({ content: "Mia drinks tea with honey.", containerTags: ["world", "second"], metadata: { team: "b" } });
  await add({ content: "Rome has bees, says Mia.", containerTags: ["second"] });
  const made = await rest.send("POST", "/v4/memories", {
    containerTag: "world",
    memories: [
      { content: "Mia keeps bees in Rome", isStatic: true, metadata: { team: "a" } },
      { content: "Mia likes honey", metadata: { team: "b" } },
      { content: "Mia plays chess" },
    ],
  });
  const memory = made.body.memories[0].id;
  await rest.settle();
  await rest.send("PATCH", "/v4/memories", {
    id: memory,
    newContent: "Mia keeps bees near Rome",
    containerTag: "world",
  });
  await rest.send("DELETE", "/v4/memories", { content: "Mia plays chess", containerTag: "world" });
  for (const id of ["none", "nothing"]) await rest.send("GET", `/v3/documents/${id}`);
  await rest.settle();
  await rest.recorded();
  const { entries } = (await rest.send("GET", "/v3/journal?action=memory.updated")).body;
  const late = new Date();
  const until = new Date(late.getTime() + 1);
  return { bees, memory, batch: entries[0].batchId, late: late.toISOString(), until: until.toISOString() };
}

/** With another container, nothing is found. */
const NOT_THERE = /\?containerTag$/;

/** The outcome of a request, without values that differ between runs. */
async function outcomeOf(route: string, probe: Probe, sent: Probe["with"]): Promise<{ status: number; text: string }> {
  const place: Place = { rest, tag: `probe-${(places += 1)}`, ids };
  await probe.before?.(place);
  if (probe.before) await rest.settle();
  const { body, form, query = "" }: Sent = sent(place);
  const [method = "", pattern = ""] = route.split(" ");
  const path = (probe.path?.(place) ?? pattern) + query;
  const encoded = form && (await encodeForm(form as Parameters<typeof encodeForm>[0]));
  const answer = encoded
    ? await rest.send(method, path, encoded.bytes, encoded.headers)
    : await rest.send(method, path, method === "GET" ? undefined : body);
  const seen = await probe.see?.(place, answer);
  return { status: answer.status, text: steady(JSON.stringify([answer.status, answer.body, seen]), place.tag) };
}

function steady(text: string, tag: string): string {
  const today = new Date().toISOString().slice(0, 10);
  return (
    text
      .replaceAll(tag, "TAG")
      .replaceAll(new RegExp(`"${today}T[^"]*"`, "g"), '"NOW"')
      .replaceAll(/\b[1-9A-HJ-NP-Za-km-z]{22}\b/g, "ID")
      .replaceAll(/sm_[\w.]{20,}/g, "KEY")
      // Every request here adds one operation.
      .replaceAll(/("sm_operations","total":|"date":"[^"]*","total":)[1-9]\d*/g, "$1N")
      .replaceAll(/"(timing|searchTime|duration|latency|avgDuration|took|startTime|endTime)":[\d.]+/g, '"$1":0')
  );
}

test("every field of every route has a probe, or a reason for having none", () => {
  const advice = "say in test/support/field-effects what each field does, or why that is not tried";
  expect(Object.keys(EFFECTS).sort(), advice).toEqual([...new Set(requestFields())].sort());
});

test("the tests that reasons refer to exist", () => {
  const reasons = Object.values(EFFECTS).flatMap((effect) => ("reason" in effect ? [effect.reason] : []));
  const named = new Set(reasons.flatMap((reason) => reason.match(/test\/\S+?\.test\.ts/g) ?? []));
  expect([...named].filter((path) => !existsSync(resolve(import.meta.dirname, "../..", path)))).toEqual([]);
});

const probes = Object.entries(EFFECTS).flatMap(([name, effect]) =>
  "reason" in effect ? [] : [[name, effect] as const],
);

test.each(probes)("%s", async (name, probe) => {
  const route = name.slice(0, name.lastIndexOf(" "));
  const without = await outcomeOf(route, probe, probe.without);
  const set = await outcomeOf(route, probe, probe.with);
  expect(set.status, set.text).toBeLessThan(NOT_THERE.test(name) ? 405 : 400);
  expect(set.text).not.toBe(without.text);
  // Values that differ on every request would say nothing about the field.
  expect(await outcomeOf(route, probe, probe.without)).toEqual(without);
});
