import { readConfig } from "../../src/config.js";
import type { Call, Core } from "../../src/core/index.js";
import type { Permission } from "../../src/core/access/key-types.js";
import { createHttpFace, type HttpApp, type HttpBindings } from "../../src/transports/http.js";
import { createId } from "../../src/lib/ids.js";
import { captureLog, type LogLine } from "./captured-log.js";
import { type ManualCore, openManualCore } from "./manual-core.js";
import { uploadsOf } from "./uploads-of.js";
import { LOOPBACK } from "./rest.js";

/** The container of the requests, one that a key may also read, and someone else's. */
export const HOME = "den";
export const LIBRARY = "shed";
const ELSEWHERE = "garage";
/** A word that occurs only in the home and the library. */
export const CANARY = "zanzibarcanary";

/** The rights of a caller, as in the contract (contract 1.2). */
export interface Rights {
  readonly containers: "all" | Readonly<Record<string, Permission>>;
  /** With access to all containers: `read` changes nothing. */
  readonly permission: Permission;
  readonly isScoped: boolean;
  /** An app authorised over OAuth, which has no access to what is the owner's alone. */
  readonly isApp?: boolean;
  /** A program on this machine without a key: it neither administers nor purges. */
  readonly isKeyless?: boolean;
}

/** A caller. */
export interface Principal {
  readonly name: string;
  /** Null for an unidentified caller, without a valid key. */
  readonly rights: Rights | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly bindings: HttpBindings;
}

/** Things in a container that requests may name. */
export interface Subject {
  readonly tag: string;
  /** A container that may be lost. */
  container(): Promise<string>;
  document(): Promise<string>;
  /** A document from a file. */
  file(): Promise<string>;
  /** The key of a file, under which it is downloaded. */
  fileKey(): Promise<string>;
  memory(): Promise<string>;
  /** A memory that awaits review. */
  inferred(): Promise<string>;
  /** A batch of changes that can be undone. */
  batch(): Promise<string>;
  /** A text given to an agent to read. */
  task(): Promise<string>;
  key(): Promise<string>;
  project(): Promise<string>;
}

export interface AccessWorld {
  readonly app: HttpApp;
  readonly opened: ManualCore;
  readonly core: Core;
  readonly owner: Call;
  readonly log: readonly LogLine[];
  readonly principals: readonly Principal[];
  principal(name: string): Principal;
  /** Things that exist from the start and stay. */
  lasting(tag: string): Subject;
  /** New things for each question, which a request may change or remove. */
  passing(tag: string): Subject;
  /** All stored data, once no work is in progress. */
  everything(): Promise<string>;
  close(): Promise<void>;
}

const REMOTE: HttpBindings = { incoming: { socket: { remoteAddress: "192.168.1.20" } }, isLoopbackOnly: true };
const EVERYTHING: Rights = { containers: "all", permission: "write", isScoped: false };
/** The Host header of requests in this process. */
const HOST = "127.0.0.1:6767";
const OWNER_TOKEN = "the-owner-token";

/** The service with two containers with contents, and all kinds of callers. */
export async function openAccessWorld(): Promise<AccessWorld> {
  const log = captureLog();
  const opened = await openManualCore({ log });
  const owner = opened.call();
  const { core } = opened;
  const app = createHttpFace({
    core,
    log,
    organizationId: owner.actor.organizationId,
    limits: readConfig({}),
    uploads: uploadsOf(opened),
    ownerToken: OWNER_TOKEN,
    defaultContainer: "default",
    version: "0.0.0-test",
    isReady: () => true,
  });
  const lasting = new Map<string, Subject>();
  for (const tag of [HOME, LIBRARY]) lasting.set(tag, await seed(opened, tag));
  const principals = [...(await makePrincipals(opened)), ...(await makeApps(opened))];
  // Created when first needed.
  await core.oauthSecrets(owner);
  // The first use of a key is recorded; further ones within a minute are not.
  for (const { headers, bindings } of principals)
    await app.request("/v3/session", { headers: { host: HOST, ...headers } }, bindings);
  return {
    app,
    opened,
    core,
    owner,
    log: log.lines,
    principals,
    principal: (name) => named(principals, name),
    lasting: (tag) => lasting.get(tag) ?? subjectOf(opened, tag),
    passing: (tag) => subjectOf(opened, tag),
    async everything() {
      await opened.settle();
      return opened.everything();
    },
    close: () => opened.close(),
  };
}

function named(principals: readonly Principal[], name: string): Principal {
  const found = principals.find((one) => one.name === name);
  if (!found) throw new Error(`There is no principal ${name}`);
  return found;
}

async function makePrincipals({ core, call, clock }: ManualCore): Promise<Principal[]> {
  const owner = call();
  const make = async (input: Record<string, unknown>) => core.createKey(owner, input);
  const grant = (containerTag: string, permission: Permission = "write") => ({ containerTag, permission });
  const expired = await make({ expiresInDays: 1 });
  clock.advance(2 * 86_400_000);
  const disabled = await make({});
  await core.toggleKey(owner, { id: disabled.key.id });
  const revoked = await make({});
  await core.revokeKey(owner, { id: revoked.key.id });
  const { code } = await core.createSignInCode(owner);
  const { token } = await core.signIn(owner, { code });
  const as = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const stranger = (name: string, headers: Record<string, string>, bindings = LOOPBACK): Principal => ({
    name,
    rights: null,
    headers,
    bindings,
  });
  const keyed = async (name: string, input: Record<string, unknown>, rights: Partial<Rights>): Promise<Principal> => ({
    name,
    rights: { ...EVERYTHING, ...rights },
    headers: as((await make(input)).secret),
    bindings: REMOTE,
  });
  return [
    { name: "no key, from this machine", rights: { ...EVERYTHING, isKeyless: true }, headers: {}, bindings: LOOPBACK },
    stranger("no key, from elsewhere", {}, REMOTE),
    stranger("no key, from a web page", { origin: "http://localhost:3000" }),
    // Cookies are only for the owner's pages.
    stranger("no key, in the browser of the owner", { cookie: `recollect_session=${token}` }, REMOTE),
    stranger("wrong key", as(`sm_${owner.actor.organizationId}_${"x".repeat(43)}`)),
    stranger("expired key", as(expired.secret)),
    stranger("key that is switched off", as(disabled.secret)),
    stranger("revoked key", as(revoked.secret)),
    await keyed(
      "scoped to another container",
      { kind: "scoped", grants: [grant(ELSEWHERE)] },
      { containers: { [ELSEWHERE]: "write" }, isScoped: true },
    ),
    await keyed(
      "scoped to the container",
      { kind: "scoped", grants: [grant(HOME)] },
      { containers: { [HOME]: "write" }, isScoped: true },
    ),
    await keyed(
      "scoped to the container, reading",
      { kind: "scoped", grants: [grant(HOME, "read")] },
      { containers: { [HOME]: "read" }, isScoped: true },
    ),
    await keyed(
      "agent of another container",
      { kind: "agent", grants: [grant(ELSEWHERE)] },
      {
        containers: { [ELSEWHERE]: "write" },
      },
    ),
    await keyed("agent, reading everything", { kind: "agent", permission: "read" }, { permission: "read" }),
    await keyed(
      "agent, one container to write, one to read",
      { kind: "agent", grants: [grant(HOME), grant(LIBRARY, "read")] },
      { containers: { [HOME]: "write", [LIBRARY]: "read" } },
    ),
    await keyed("full key", {}, {}),
  ];
}

/** Apps with tokens as issued over OAuth. */
async function makeApps({ core, call }: ManualCore): Promise<Principal[]> {
  const owner = call();
  const issuer = `http://${HOST}`;
  const make = async (
    name: string,
    granted: Record<string, unknown>,
    { rights, scope = "memory:read memory:write", aud = `${issuer}/mcp`, isRevoked = false }: Token,
  ): Promise<Principal> => {
    const about = { issuer, clientId: `app-${createId()}`, clientName: "App", clientHost: "app.example" };
    const grant = await core.allowApp(owner, { ...about, permission: "write", ...granted });
    const token = `token-${createId()}`;
    const payload = JSON.stringify({ aud, scope, grantId: grant.id });
    await core.saveOAuthRecord(owner, { kind: "AccessToken", secret: `${issuer} ${token}`, payload });
    if (isRevoked) await core.revokeGrants(owner, { client: grant.id });
    return {
      name,
      rights: rights && { ...EVERYTHING, ...rights, isApp: true },
      headers: { authorization: `Bearer ${token}` },
      bindings: REMOTE,
    };
  };
  return [
    await make("app that was let go", {}, { rights: null, isRevoked: true }),
    await make("app with a token for another server", {}, { rights: null, aud: "https://memory.example/mcp" }),
    await make(
      "app, one container, reading",
      { containerTags: [HOME], permission: "read" },
      { rights: { containers: { [HOME]: "read" } } },
    ),
    await make(
      "app of another container",
      { containerTags: [ELSEWHERE] },
      { rights: { containers: { [ELSEWHERE]: "write" } } },
    ),
    await make("app, everything", {}, { rights: {} }),
    await make("app, everything, that asked for reading", {}, { rights: { permission: "read" }, scope: "memory:read" }),
  ];
}

interface Token {
  /** Null for one without any access. */
  readonly rights: Partial<Rights> | null;
  readonly scope?: string;
  readonly aud?: string;
  readonly isRevoked?: boolean;
}

/** The same things on every call, with the canary in their texts. */
async function seed(opened: ManualCore, tag: string): Promise<Subject> {
  const source = subjectOf(opened, tag, ` The ${CANARY} sings.`);
  const [container, document, memory] = [tag, await source.document(), await source.memory()];
  const [file, fileKey] = [await source.file(), await source.fileKey()];
  const [inferred, batch, task] = [await source.inferred(), await source.batch(), await source.task()];
  const [key, project] = [await source.key(), await source.project()];
  await opened.core.addDocument(opened.call(), {
    content: `Known by its own id. The ${CANARY} sings.`,
    containerTags: [tag],
    customId: `own-${tag}`,
  });
  await opened.settle();
  const known = { container, document, file, fileKey, memory, inferred, batch, task, key, project };
  const answers = Object.entries(known).map(([name, id]) => [name, () => Promise.resolve(id)] as const);
  return { tag, ...Object.fromEntries(answers) } as unknown as Subject;
}

/** New things in a container of any service. */
export function subjectOf({ core, call }: Pick<ManualCore, "core" | "call">, tag: string, words = ""): Subject {
  const owner = call();
  const add = async (more: Record<string, unknown> = {}) =>
    core.addDocument(owner, { content: `Note ${createId()}.${words}`, containerTags: [tag], ...more });
  const remember = async () => {
    const memories = [{ content: `Mia has the number ${createId()}.${words}` }];
    return (await core.createMemories(owner, { containerTag: tag, memories })).memories[0]?.id ?? "";
  };
  const file = async () => {
    const bytes = Buffer.from(`File ${createId()}.${words}`).toString("base64");
    return (await core.addFile(owner, { bytes, name: "a.txt", document: { containerTags: [tag] } })).id;
  };
  return {
    tag,
    async container() {
      const fresh = `lost-${createId()}`;
      await core.addDocument(owner, { content: "To be lost.", containerTags: [fresh] });
      return fresh;
    },
    document: async () => (await add()).id,
    file,
    fileKey: async () => (await core.getDocumentFile(owner, { id: await file() })).file.key,
    memory: remember,
    async inferred() {
      // A quote that is not in the text makes the fact an inference.
      const facts = [{ text: `Tom has the number ${createId()}.${words}`, quote: "nobody said this" }];
      const { facts: known } = await add({ facts, dreaming: "instant", wait: 20 });
      return known?.[0]?.id ?? "";
    },
    async batch() {
      const forgotten = await core.forget(owner, { ids: [await remember()] });
      return forgotten.batchId ?? "";
    },
    async task() {
      await add({ dreaming: "instant", wait: 20 });
      const { tasks } = await core.pendingExtractions(owner, { containerTag: tag, limit: 1 });
      return tasks[0]?.taskId ?? "";
    },
    key: async () => (await core.createKey(owner, {})).key.id,
    project: async () => (await core.createProject(owner, { name: `Lost ${createId()}` })).uid,
  };
}
