import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOperations } from "../support/api-requests.js";
import { Bounds, type Known } from "../support/field-limits/bounds.js";
import { type LimitedRequest, type LimitProbe, limitsOf, type RouteBase } from "../support/field-limits/probes.js";
import { encodeForm } from "../support/forms.js";
import { openRest, type OpenedRest, type RestAnswer } from "../support/rest.js";

const TAG = "limits";

/** What a request needs beyond its schema, and which of its fields exclude each other. */
const IN_TAG = { fields: { containerTag: TAG } };
const FORGETTING = { fields: { containerTag: TAG, content: "Mia keeps bees." } };
const BASES: Readonly<Record<string, RouteBase>> = {
  "POST /v4/conversations": { fields: { conversationId: "talk" } },
  "DELETE /v3/documents/bulk": { fields: { containerTags: [TAG] }, oneOf: ["containerTag", "containerTags", "ids"] },
  "POST /v3/reprocess": { fields: { containerTag: TAG }, oneOf: ["containerTag", "ids", "all"] },
  "POST /v4/memories": IN_TAG,
  "PATCH /v4/memories": FORGETTING,
  "DELETE /v4/memories": FORGETTING,
  "POST /v3/memories/forget": FORGETTING,
  "POST /v4/memories/list": IN_TAG,
  "POST /v4/memories/forget-matching": { fields: { containerTag: TAG, query: "bees" }, oneOf: ["query", "q", "ids"] },
  "POST /v4/profile": IN_TAG,
  "POST /v3/container-tags/merge": { fields: { containerTags: ["a", "b"], targetContainerTag: `${TAG}-to` } },
  "PATCH /v3/settings": { fields: { chunkSize: 8_000 } },
  "DELETE /v3/projects/{id}": { fields: { action: "move", targetProjectId: "sm_project_default" } },
  "POST /v3/auth/scoped-key": { ...IN_TAG, oneOf: ["containerTag", "containerTags"] },
  "DELETE /v3/connections/{connection}": { fields: { containerTags: [TAG] } },
  "POST /v3/purge": { fields: { containerTag: "none" }, oneOf: ["containerTag", "documentId", "memoryId"] },
};
/** Limits that requests cannot reach by the schema alone, by the start of their name. Values beyond are still refused. */
const REASONS: Readonly<Record<string, string>> = {
  "POST /v4/conversations body messages[].content: type null":
    "beside tool_calls: test/transports/rest-conversations.test.ts",
  "POST /v3/documents body facts[].updates": "names a memory: test/transports/rest-documents.test.ts",
  "POST /v3/documents/batch body documents[]: type null": "anything is read, and what is no document refused by itself",
  "POST /v3/documents/batch body documents[].facts[].updates": "as of one document",
  "POST /v3/extractions/{taskId} body facts[].relation.kind":
    "most kinds name memories: test/core/submit-extraction.test.ts",
  "POST /v3/settings/reset body confirmation": "is the name of the organisation: test/transports/rest-settings.test.ts",
  "PATCH /v3/settings body chunkingStrategy": "tokens allow a smaller chunkSize: test/core/reprocess-chunks.test.ts",
  "GET /v3/journal query action": "is one of those that a refusal names: test/transports/rest-idle-fields.test.ts",
  "GET /v3/audit query action": "is one of those that a refusal names: test/transports/rest-idle-fields.test.ts",
  "POST /v3/container-tags/merge body from":
    "must say what containerTags says: test/transports/contradicting-fields.test.ts",
  "POST /v3/container-tags/merge body to":
    "must say what targetContainerTag says: test/transports/contradicting-fields.test.ts",
  "DELETE /v3/projects/{id} body action": "takes no target to delete: test/transports/contradicting-fields.test.ts",
  "POST /v3/connections/{connection}/import": "there is no connection, so nothing to sync",
};
const MOMENT = "2031-05-05T00:00:00Z";
const KNOWN: Known = {
  containerTag: [TAG],
  containerTags: [[TAG, `${TAG}-to`]],
  filters: [{ AND: [{ key: "team", value: "a" }] }, '{"AND":[{"key":"team","value":"a"}]}'],
  content: ["Mia keeps bees.", { type: "image_url", imageUrl: "https://example.org/bee.png" }],
  messages: [[{ role: "user", content: "Mia keeps bees." }], { role: "user", content: "Mia keeps bees." }],
  timezone: ["Europe/Brussels"],
  redirectUrl: ["https://app.example/done"],
  returnUrl: ["https://app.example/picked"],
  chunkSize: [8_000],
  ...Object.fromEntries(
    ["forgetAfter", "documentDate", "eventDate", "eventDates", "from", "to"].map((name) => [name, [MOMENT]]),
  ),
};

let rest: OpenedRest;
let probes: LimitProbe[];
let pathValues: Readonly<Record<string, string>>;
beforeAll(async () => {
  rest = await openRest({ asOwner: true, settings: { RECOLLECT_RATE_LIMIT: "0" } });
  const { body } = await rest.send("POST", "/v3/documents", { content: "Mia keeps bees.", containerTag: TAG });
  pathValues = { id: body.id, containerTag: TAG, connection: "notion" };
  await rest.settle();
  const api = (await rest.send("GET", "/v3/openapi")).body;
  const bounds = new Bounds(api.components.schemas, KNOWN);
  probes = readOperations(api).flatMap((operation) =>
    limitsOf(operation, bounds, BASES[`${operation.method} ${operation.path}`] ?? {}),
  );
});
afterAll(() => rest.close());

async function send(route: string, { place, value, body }: LimitedRequest): Promise<RestAnswer> {
  const [method = "", pattern = ""] = route.split(" ");
  const inPath = { ...pathValues, ...(place === "path" && (value as Record<string, string>)) };
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath[name] ?? "none"));
  if (place === "query") {
    const query = Object.entries(value).flatMap(([name, part]) =>
      [part].flat().map((one): [string, string] => [name, String(one)]),
    );
    return rest.send(method, `${path}?${new URLSearchParams(query).toString()}`, body);
  }
  if (place === "form") {
    const { bytes, headers } = await encodeForm(value as Parameters<typeof encodeForm>[0]);
    return rest.send(method, path, bytes, headers);
  }
  return rest.send(method, path, value);
}

/** The text of a refusal as one line; null if the value was accepted. A batch refuses documents one by one. */
function refusalOf({ status, body }: RestAnswer): string | null {
  if (status === 400) return JSON.stringify([body.message, body.issues ?? []]);
  if (typeof body?.failed === "number" && body.failed > 0) return JSON.stringify(body.results);
  return null;
}

/** A batch refuses documents one by one, so the path starts within the document. */
function names(refusal: string, { path }: LimitProbe): boolean {
  const told = path[0] === "documents" ? path.slice(2) : path;
  return refusal.includes(told.join("."));
}

/** Wording of libraries, and plurals that do not match their number. */
const FOREIGN =
  /too (?:big|small|short|long)|expected|received|unrecogni[sz]ed|invalid |[<>]=?|\b1 (?:characters|entries|bytes|documents|containers)\b|NaN|undefined/i;

/** True for a sentence that states the requirement and its limit. */
function isPlain(refusal: string, { name }: LimitProbe): boolean {
  const [, most] = /: (?:maxLength|maximum|maxItems) (\d+)$/.exec(name) ?? [];
  const tellsLimit = most === undefined || refusal.replaceAll(",", "").includes(most);
  // Just above a limit in a query is a fraction, and a limit of two is written as a word.
  const isToldElse = /must be a whole number"|must name two different containers/.test(refusal);
  return !FOREIGN.test(refusal) && /\b(?:must|is missing)\b/.test(refusal) && (tellsLimit || isToldElse);
}

async function deviations(): Promise<string[]> {
  const found: string[] = [];
  const asKnown = Object.keys(REASONS);
  for (const probe of probes) {
    for (const request of asKnown.some((start) => probe.name.startsWith(start)) ? [] : probe.within) {
      const refusal = refusalOf(await send(probe.route, request));
      if (refusal !== null) found.push(`${probe.name} refuses ${short(request)}: ${refusal.slice(0, 300)}`);
    }
    for (const request of probe.beyond) {
      const answer = await send(probe.route, request);
      const refusal = refusalOf(answer);
      if (refusal === null) found.push(`${probe.name} takes ${short(request)} with ${answer.status}`);
      else if (!isPlain(refusal, probe)) found.push(`${probe.name} is told in other words: ${refusal.slice(0, 300)}`);
      else if (!names(refusal, probe)) found.push(`${probe.name} does not name it: ${refusal.slice(0, 300)}`);
    }
  }
  return found;
}

function short({ value }: LimitedRequest): string {
  return JSON.stringify(value).slice(0, 150);
}

test("every limit in the API document holds exactly", async () => {
  expect(probes.length).toBeGreaterThan(600);
  expect(await deviations()).toEqual([]);
}, 120_000);

test("every reason belongs to a limit, and the tests that it names exist", () => {
  const idle = Object.keys(REASONS).filter((start) => !probes.some(({ name }) => name.startsWith(start)));
  const named = Object.values(REASONS).flatMap((reason) => reason.match(/test\/\S+?\.test\.ts/g) ?? []);
  const missing = named.filter((path) => !existsSync(resolve(import.meta.dirname, "../..", path)));
  expect([idle, missing]).toEqual([[], []]);
});
