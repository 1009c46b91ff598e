import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOperations, requestsTo, type ApiRequest } from "../support/api-requests.js";
import { type OpenedRest, openRest, requestInit } from "../support/rest.js";
import type { SchemaSource } from "../support/schema-arbitrary.js";

/** For another seed: `ACCESS_SEED=… npx vitest run test/transports/access-fuzz.test.ts`. */
const SEED = Number(process.env["ACCESS_SEED"] ?? 20_261_126);
const REQUESTS = Number(process.env["ACCESS_REQUESTS"] ?? 1_500);
const AT_ONCE = 10;
const CANARY = "zanzibarcanary";
const VAULT = "vault";
const LIBRARY = "library";
const ELSEWHERE = { incoming: { socket: { remoteAddress: "192.168.1.20" } }, isLoopbackOnly: true };

let rest: OpenedRest;
/** Limited keys, named by what they may do. */
let keys: readonly (readonly [name: string, key: string])[];
let operations: ReturnType<typeof readOperations>;
let source: SchemaSource;
let untouched: unknown;

beforeAll(async () => {
  rest = await openRest();
  const owner = { actor: rest.actor };
  const ids: string[] = [];
  for (const tag of [VAULT, LIBRARY, "mia"]) {
    const words = tag === VAULT ? ` The ${CANARY} sings.` : "";
    const body = { content: `Note of ${tag}.${words}`, containerTags: [tag], customId: `own-${tag}` };
    ids.push((await rest.core.addDocument(owner, body)).id);
    const memories = [{ content: `Mia has a bird in ${tag}.${words}` }];
    ids.push((await rest.core.createMemories(owner, { containerTag: tag, memories })).memories[0]?.id ?? "");
    await rest.core.updateContainer(owner, { containerTag: tag, entityContext: `About ${tag}.${words}` });
  }
  const both = await rest.core.addDocument(owner, { content: "In both.", containerTags: ["mia", VAULT] });
  ids.push(both.id);
  await rest.settle();
  const make = async (input: Record<string, unknown>) => (await rest.core.createKey(owner, input)).secret;
  const grants = [{ containerTag: "mia" }, { containerTag: LIBRARY, permission: "read" }];
  keys = [
    ["agent", await make({ kind: "agent", grants })],
    ["scoped", await make({ kind: "scoped", grants })],
    ["scoped to one", await make({ kind: "scoped", grants: [{ containerTag: "mia" }] })],
  ];
  const { body: api } = await rest.send("GET", "/v3/openapi");
  operations = readOperations(api);
  source = { components: api.components.schemas, known: knownValues(ids), always: new Set() };
  untouched = await look();
}, 30_000);
afterAll(() => rest.close());

/** The contents of the containers that the keys may not write to. */
async function look(): Promise<unknown> {
  const owner = { actor: rest.actor };
  const seen = [VAULT, LIBRARY].map(async (containerTag) => {
    const containerTags = [containerTag];
    const { documents } = await rest.core.listDocuments(owner, { containerTags, includeContent: true });
    const memories = await rest.core.listMemories(owner, { containerTags });
    // With write access to one container of a document, a key may remove the document from that container.
    const elsewhere = documents.map((one) => ({
      ...one,
      containerTags: one.containerTags.filter((tag) => tag !== "mia"),
    }));
    return [elsewhere, memories, await rest.core.getContainer(owner, { containerTag })];
  });
  const { containers } = await rest.core.listContainers(owner);
  // A key may purge a container that it may write to.
  const tags = containers.map(({ tag }) => tag).filter((tag) => tag !== "mia");
  return [await Promise.all(seen), tags.toSorted(), await rest.core.getSettings(owner)];
}

function knownValues(ids: readonly string[]): SchemaSource["known"] {
  const tag = fc.constantFrom("mia", VAULT, LIBRARY, "__proto__", "Vault", "vault.");
  const id = fc.constantFrom(...ids, `own-${VAULT}`, "own-mia", "own-library", "nothing");
  const text = fc.constantFrom("Mia keeps bees.", "Mia has a bird in vault.", "bird");
  const known: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    containerTag: tag,
    containerTags: fc.uniqueArray(tag, { maxLength: 3 }),
    targetContainerTag: tag,
    id,
    docId: id,
    documentId: id,
    memoryId: id,
    customId: id,
    conversationId: id,
    ids: fc.array(id, { minLength: 1, maxLength: 3 }),
    q: fc.constantFrom("bird", "note", "*", "sings"),
    query: text,
    content: text,
    newContent: text,
    memory: text,
    filters: fc.constant({ AND: [{ key: "k", value: "v", negate: true }] }),
    threshold: fc.constantFrom(0, 0.1),
    limit: fc.integer({ min: 1, max: 100 }),
    page: fc.constant(1),
    facts: fc.array(fc.record({ text, updates: id }), { maxLength: 2 }),
    forgetAfter: fc.constant(null),
    confirm: fc.constant(true),
    confirmation: fc.constant("Recollect"),
    filepath: fc.constantFrom("/", "/notes/"),
    file: text,
  };
  return (name) => (Object.hasOwn(known, name) ? known[name] : undefined);
}

async function send({ method, path, body, headers }: ApiRequest, key: string) {
  const all = { ...headers, authorization: `Bearer ${key}` };
  const init =
    body instanceof FormData ? { ...requestInit(method, undefined, all), body } : requestInit(method, body, all);
  const answer = await rest.app.request(path, init, ELSEWHERE);
  return { status: answer.status, text: await answer.text() };
}

test(
  `${REQUESTS} requests with limited keys read and change nothing outside their scope (seed ${SEED})`,
  { timeout: 120_000 },
  async () => {
    const any = fc.tuple(
      fc.constantFrom(...keys),
      fc.oneof(...operations.map((operation) => requestsTo(operation, source))),
    );
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    for (let done = 0; done < REQUESTS && failures.length < 5; done += AT_ONCE) {
      const batch = fc.sample(any, { seed: SEED + done, numRuns: AT_ONCE });
      const answered = batch.map(async ([[name, key], request]) => {
        // Skips keys that the generator broke on purpose.
        if (request.headers["authorization"] !== undefined) return;
        const { status, text } = await send(request, key);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const said = `${name}: ${request.method} ${request.path} ${typeof request.body === "string" ? request.body : ""}`;
        if (text.includes(CANARY)) failures.push(`${said}\n  is told ${text.slice(0, 500)}`);
        if (status >= 500) failures.push(`${said}\n  fails with ${status}: ${text.slice(0, 300)}`);
      });
      await Promise.all(answered);
    }
    await rest.settle();
    expect(failures.join("\n\n"), `seed ${SEED}`).toBe("");
    expect(await look(), `seed ${SEED}`).toEqual(untouched);
    // Shows that the secret could be found, and that requests were both accepted and refused.
    const { body } = await rest.send("POST", "/v4/search", { q: "what sings", threshold: 0, containerTag: VAULT });
    expect(JSON.stringify(body)).toContain(CANARY);
    for (const status of [200, 403, 404]) expect(statuses.get(status) ?? 0).toBeGreaterThan(REQUESTS / 40);
  },
);
