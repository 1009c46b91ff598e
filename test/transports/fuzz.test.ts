import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { pathsOf } from "../../src/transports/rest/mount.js";
import { errorSchema } from "../../src/transports/rest/schemas.js";
import { createId } from "../../src/lib/ids.js";
import { type ApiRequest, readOperations, requestsTo } from "../support/api-requests.js";
import { LOOPBACK, openRest, type OpenedRest, requestInit } from "../support/rest.js";
import type { SchemaSource } from "../support/schema-arbitrary.js";

/** For another seed: `FUZZ_SEED=… npx vitest run test/transports/fuzz.test.ts`. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_126);
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 2_500);
const AT_ONCE = 20;
const PATIENCE_MS = 15_000;
const SHOWN_FAILURES = 12;

/** The containers that requests name; none of them contains the canary. */
const CONTAINERS = ["den", "shed", "user:1", "a.b-c_d"];
const CANARY = "zanzibarcanary";
/** Tags of operations that belong to no container and never return submitted content. */
const WITHOUT_CONTENT = new Set(["analytics", "billing", "team", "connections", "session", "service", "web app"]);
/** Operations whose ids must belong to the containers that the request names. */
const BOUND_BY_CONTAINER = new Set([
  "PATCH /v4/memories",
  "DELETE /v4/memories",
  "POST /v4/memories/forget-matching",
  "POST /v3/documents/documents/by-ids",
  "POST /v3/container-tags/{containerTag}/inferred/{memoryId}/review",
]);
/** Deletes everything, so it is tried last, on its own. */
const LAST = "/v3/settings/reset";
/** Files are returned with the type of their upload. */
const ANY_TYPE = "application/octet-stream";

let rest: OpenedRest;
let operations: ReturnType<typeof readOperations>;
let source: SchemaSource;
/** The same, with ids of the vault among the others. */
let boldSource: SchemaSource;
/** Ids of the vault's contents, and everything that the service returns about it. */
const vault: { document: string; memory: string; content: unknown } = { document: "", memory: "", content: null };
const VAULT_CUSTOM_ID = "vault-document";
/** Ids that requests found or created outside the vault, the newest last. */
const seen: string[] = [];

beforeAll(async () => {
  rest = await openRest({ asOwner: true });
  const vaultTag = { containerTag: "vault" };
  const added = await rest.send("POST", "/v3/documents", {
    content: `The ${CANARY} sings at noon. Mia keeps the ${CANARY} on the roof.`,
    customId: VAULT_CUSTOM_ID,
    metadata: { team: CANARY },
    ...vaultTag,
  });
  vault.document = added.body.id;
  const memories = [{ content: `Mia owns a ${CANARY}.`, isStatic: true }];
  const created = await rest.send("POST", "/v4/memories", { memories, ...vaultTag });
  vault.memory = created.body.memories[0].id;
  await rest.send("PATCH", "/v3/container-tags/vault", { description: CANARY, entityContext: CANARY });
  for (const [index, containerTag] of CONTAINERS.entries()) {
    const content = `Mia keeps bees in ${containerTag}. She moved there in May.`;
    const body = { content, containerTag, customId: `note-${index}`, metadata: { team: "red", n: index } };
    seen.push((await rest.send("POST", "/v3/documents", body)).body.id);
  }
  await rest.settle();
  vault.content = await readVault();
  const { body: api } = await rest.send("GET", "/v3/openapi");
  operations = readOperations(api);
  const always = new Set(["containerTag", "containerTags"]);
  const components = api.components.schemas;
  source = { components, known: knownValues({ isBold: false }), always };
  boldSource = { components, known: knownValues({ isBold: true }), always };
}, 30_000);
afterAll(() => rest.close());

async function readVault(): Promise<unknown> {
  const containerTags = ["vault"];
  const documents = await rest.send("POST", "/v3/documents/documents", { containerTags });
  const memories = await rest.send("POST", "/v4/memories/list", { containerTags });
  const container = await rest.send("GET", "/v3/container-tags/vault");
  return [documents.body, memories.body, container.body];
}

/** Values that make sense: containers, existing ids, texts that match, valid filters. */
function knownValues({ isBold }: { isBold: boolean }): SchemaSource["known"] {
  const container = fc.constantFrom(...CONTAINERS);
  const found = fc.nat().map((number) => seen[number % seen.length]);
  const ownId = fc.oneof(
    { arbitrary: found, weight: 6 },
    fc.constantFrom("note-0", "note-1", "own id/1"),
    fc.constant(null).map(createId),
  );
  /** Even by its id, content of another container must not be returned. */
  const anyId = fc.oneof(ownId, fc.constantFrom(vault.document, vault.memory, VAULT_CUSTOM_ID));
  const id = isBold ? anyId : ownId;
  const words = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 80 })
    .filter((one) => one.trim() !== "" && !one.includes(CANARY));
  /** Stored values never contain the canary, so that only the vault does. */
  const text = fc.oneof(fc.constantFrom("Mia keeps bees.", "She moved to Porto in May 2024."), words);
  const question = fc.oneof(fc.constantFrom(CANARY, `Where is the ${CANARY}?`, "bees roof", "Mia"), words);
  const condition = fc.record(
    {
      key: fc.constantFrom("team", "n", "sm_source"),
      value: fc.constantFrom("red", "1", CANARY),
      filterType: fc.constantFrom("metadata", "numeric", "array_contains", "string_contains"),
      numericOperator: fc.constantFrom(">", "<", ">=", "<=", "="),
      negate: fc.boolean(),
    },
    { requiredKeys: ["key", "value"] },
  );
  const filters = fc.oneof(
    fc.record({ AND: fc.array(condition, { minLength: 1, maxLength: 3 }) }),
    fc.record({ OR: fc.array(condition, { maxLength: 3 }) }).map((filter) => JSON.stringify(filter)),
  );
  const metadata = fc.dictionary(
    fc.constantFrom("team", "n", "sm_source"),
    fc.oneof(fc.string({ maxLength: 9 }), fc.nat(9)),
  );
  const known: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    containerTag: container,
    containerTags: fc.uniqueArray(container, { minLength: 1, maxLength: 3 }),
    targetContainerTag: container,
    id,
    docId: anyId,
    memoryId: id,
    customId: fc.constantFrom("note-0", "note-9", "own id/1", VAULT_CUSTOM_ID),
    conversationId: fc.constantFrom("chat-1", "note-0", VAULT_CUSTOM_ID),
    ids: fc.array(id, { minLength: 1, maxLength: 3 }),
    q: question,
    query: question,
    content: text,
    newContent: text,
    memory: text,
    filters,
    metadata,
    filterByMetadata: metadata,
    forgetAfter: fc.constantFrom("2099-01-01T00:00:00Z", "2099-01-01", "2001-01-01", null),
    documentDate: fc.constantFrom("2024-05-06", "2024-05-06T07:08:09Z"),
    eventDate: fc.constant(["2024-05-06"]),
    from: fc.constantFrom("2026-01-01", "", "den"),
    to: fc.constantFrom("2026-01-02", "", "shed"),
    start: fc.constantFrom("2026-01-01", ""),
    end: fc.constantFrom("2026-01-02", ""),
    limit: fc.integer({ min: 1, max: 100 }),
    page: fc.integer({ min: 1, max: 9 }),
    facts: fc.array(fc.record({ text }), { maxLength: 2 }),
    mergeId: found,
    key: fc.oneof(found, fc.constantFrom("work", "preferences")),
    mimeType: fc.constantFrom("text/plain", "text/markdown"),
    fileType: fc.constantFrom("text", "webpage", "pdf"),
    filepath: fc.constantFrom("/notes/a.md", "/notes/", "/"),
    connection: fc.constantFrom("notion", "s3", "nobody"),
    file: text,
  };
  return (name) => (Object.hasOwn(known, name) ? known[name] : undefined);
}

interface Outcome {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send({ method, path, body, headers }: ApiRequest): Promise<Outcome> {
  const init =
    body instanceof FormData
      ? { ...requestInit(method, undefined, headers), body }
      : requestInit(method, body, headers);
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it hangs")), PATIENCE_MS);
  });
  const answer = (async () => {
    const response = await rest.app.request(path, init, LOOPBACK);
    return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() };
  })();
  return Promise.race([answer, hang]).finally(() => clearTimeout(timer));
}

/** The reason why a response is wrong, or null. */
function objectionTo(request: ApiRequest, { status, type, text }: Outcome): string | null {
  const { method } = request;
  if (status >= 500) return `it fails with ${status}: ${text.slice(0, 300)}`;
  // A refusal may repeat the request.
  if (status < 400 && namesOthers(request) && text.includes(CANARY))
    return `it tells what lies in another container: ${text.slice(0, 600)}`;
  if (method === "OPTIONS") return status === 204 ? null : `a preflight is answered with ${status}`;
  if (method === "HEAD") return text === "" ? null : "HEAD has a body";
  if (status === 204) return text === "" ? null : "204 has a body";
  const endpoint = endpointOf(request);
  if (status < 400 && endpoint?.produces !== undefined)
    return [ANY_TYPE, type.split(";")[0]].includes(endpoint.produces) ? null : `it is ${type}`;
  if (!type.startsWith("application/json")) return `it is ${type || "nothing"}, not JSON`;
  const body = withoutWarnings(JSON.parse(text) as unknown);
  const schema = status >= 400 ? errorSchema : endpoint?.answer;
  if (status < 400 && status !== endpoint?.status) return `it answers ${status}, not ${endpoint?.status}`;
  const checked = schema?.safeParse(body);
  if (checked?.success === false) return `its answer (${status}) has another shape: ${checked.error.message}`;
  if (checked && JSON.stringify(sorted(checked.data)) !== JSON.stringify(sorted(body)))
    return `its answer (${status}) has more than it declares: ${text.slice(0, 600)}`;
  return null;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([name, part]) => [name, sorted(part)]);
}

/** An odd path may match another operation. */
function endpointOf({ method, path }: ApiRequest) {
  const bare = path.replace(/\?.*/s, "");
  const ofMethod = ENDPOINTS.filter((endpoint) => endpoint.method === method.toLowerCase());
  const fits = (pattern: string) => new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`).test(bare);
  return (
    ofMethod.find((endpoint) => pathsOf(endpoint).includes(bare)) ?? ofMethod.find((one) => pathsOf(one).some(fits))
  );
}

/** True if a request may only return content of the containers that it names, which never include the vault. */
function namesOthers({ operation, value, query, pathValues }: ApiRequest): boolean {
  if (WITHOUT_CONTENT.has(operation.tag)) return true;
  const { containerTag, containerTags } = { ...(value as object | null) } as Record<string, unknown>;
  const inQuery = query.filter(([name]) => /^containerTags?$/.test(name)).map(([, tag]) => tag);
  const named = [containerTag, containerTags, pathValues["containerTag"], inQuery].flat(2);
  return named.some((tag) => typeof tag === "string" && CONTAINERS.includes(tag));
}

function sourceFor({ method, path }: ApiRequest["operation"]): SchemaSource {
  return BOUND_BY_CONTAINER.has(`${method} ${path}`) ? boldSource : source;
}

/** True for a request that may change the vault: it names something in the vault, and no other container. */
function mayTouchVault(request: ApiRequest): boolean {
  const said = JSON.stringify([request.value, request.body, request.pathValues, request.query]);
  const isNamed = [vault.document, vault.memory, VAULT_CUSTOM_ID].some((id) => said.includes(id));
  return isNamed && !namesOthers(request);
}

/** Writes are more frequent than deletions, so that there is something to find. */
function weightOf({ method, path, tag }: ApiRequest["operation"]): number {
  if (WITHOUT_CONTENT.has(tag) || method === "DELETE" || /\/(merge|purge)$/.test(path)) return 1;
  return /^\/v[34]\/(documents|memories|conversations)(\/batch|\/file)?$/.test(path) ? 8 : 4;
}

/** Keeps ids from successful responses for later requests. */
function remember(text: string): void {
  const ids = [...text.matchAll(/(?:"(?:id|mergeId|documentId)":"|\/files\/)([\w-]{22,60})"/g)].map(
    ([, id = ""]) => id,
  );
  seen.push(...ids.filter((id) => id !== vault.document && id !== vault.memory));
  seen.splice(0, seen.length - 40);
}

function tell({ fault, method, path, headers, body }: ApiRequest): string {
  const said = body instanceof FormData ? "(form)" : (body ?? "").slice(0, 800);
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${said}\n  fault: ${fault}`;
}

test(
  `handles ${REQUESTS} valid and broken requests generated from the API document (seed ${SEED})`,
  { timeout: 240_000 },
  async () => {
    const random = operations.filter(({ path }) => path !== LAST);
    const any = fc.oneof(
      ...random.map((operation) => ({
        arbitrary: requestsTo(operation, sourceFor(operation)),
        weight: weightOf(operation),
      })),
    );
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    for (let done = 0; done < REQUESTS && failures.length < SHOWN_FAILURES; done += AT_ONCE) {
      const batch = fc.sample(any, { seed: SEED + done, numRuns: AT_ONCE });
      const answered = batch.map(async (request) => {
        if (mayTouchVault(request)) return;
        const outcome = await send(request).catch((error: unknown) => ({ status: 599, type: "", text: String(error) }));
        statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
        const objection = objectionTo(request, outcome);
        if (outcome.status < 300 && namesOthers(request)) remember(outcome.text);
        if (objection !== null) failures.push(`${tell(request)}\n  ${objection}`);
      });
      await Promise.all(answered);
    }
    const errors = rest.log
      .filter(({ level }) => level === "error")
      .map((line) => JSON.stringify(line).slice(0, 1_500));
    expect(failures.join("\n\n"), `seed ${SEED}; ${errors.slice(0, 5).join("\n")}`).toBe("");
    expect(errors).toEqual([]);
    // Shows that requests were both accepted and refused.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(REQUESTS / 5);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(REQUESTS / 20);
  },
);

test("nothing in the other container has changed, and it can still be read there", async () => {
  expect(await readVault()).toEqual(vault.content);
  const { body } = await rest.send("POST", "/v4/search", { q: CANARY, containerTag: "vault", threshold: 0 });
  expect(JSON.stringify(body)).toContain(CANARY);
});

test("a reset requires the exact confirmation", async () => {
  for (const body of [{}, { confirmation: "" }, { confirmation: "yes" }, { confirmation: 1 }, [], null])
    expect((await rest.send("POST", LAST, body)).status).toBe(400);
  const { org } = (await rest.send("GET", "/v3/session")).body;
  expect((await rest.send("POST", LAST, { confirmation: org.name })).status).toBe(200);
});

/** Any response may have warnings about unknown fields. */
function withoutWarnings(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("warnings" in body)) return body;
  const { warnings, ...rest } = body;
  expect(warnings).toEqual(expect.arrayContaining([expect.any(String)]));
  return rest;
}
