import { createId } from "../../src/lib/ids.js";
import type { Rights, Subject } from "./access-world.js";

/**
 * What a caller needs: nothing; any key, where every key gets the same answer without stored data; read or
 * write access to the container of the request, for erasing only by an identified caller; everything in the
 * organisation with a key, even a read-only one; or full read and write access.
 */
export type Need = "nothing" | "any key" | "read" | "whole" | "write" | "named" | "owner";

/** The requirements of a call, and how it names its container. */
export interface Access {
  readonly needs: Need;
  /** Whether scoped keys, which are more limited than others, may use it. */
  readonly isForScoped: boolean;
  /**
   * By a tag, which is forbidden to others; by an id, which others do not find, and a caller who may only read is told so; by
   * an id that only callers who may change the thing can find; or by neither, covering all that the caller may see.
   */
  readonly names: "tag" | "id" | "id to change" | "neither";
}

/** A request that can only be refused because of its sender. */
interface Sent {
  /** Values of the path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

export interface RouteAccess extends Access {
  /** Status for permitted callers; by default the one that the endpoint declares. */
  readonly answers?: number | undefined;
  readonly request: (subject: Subject) => Sent | Promise<Sent>;
}

type Asks = RouteAccess["request"];

const route =
  (access: Access) =>
  (request: Asks, answers?: number): RouteAccess => ({ ...access, request, answers });
const plain =
  (needs: Need) =>
  (answers?: number, sent: Sent = {}): RouteAccess =>
    route({ needs, isForScoped: needs === "nothing" || needs === "any key", names: "neither" })(() => sent, answers);
const anybody = plain("nothing");
const anyKey = plain("any key");
const owner = plain("owner");
const ownerAbout = route({ needs: "owner", isForScoped: false, names: "neither" });
/** Paths that scoped keys may use. */
const readsTag = route({ needs: "read", isForScoped: true, names: "tag" });
const readsId = route({ needs: "read", isForScoped: true, names: "id" });
const readsAll = route({ needs: "read", isForScoped: true, names: "neither" });
const writesTag = route({ needs: "write", isForScoped: true, names: "tag" });
const writesId = route({ needs: "write", isForScoped: true, names: "id" });
/** Paths that they may not use. */
const agentReadsTag = route({ needs: "read", isForScoped: false, names: "tag" });
const agentReadsAll = route({ needs: "read", isForScoped: false, names: "neither" });
const agentWritesTag = route({ needs: "write", isForScoped: false, names: "tag" });
const agentWritesId = route({ needs: "write", isForScoped: false, names: "id" });
const agentNamedTag = route({ needs: "named", isForScoped: false, names: "tag" });
const agentNamedId = route({ needs: "named", isForScoped: false, names: "id" });
const whereWritable = <Of extends Access>(access: Of): Of => ({ ...access, names: "id to change" });

const tagOnly: Asks = ({ tag }) => ({ body: { containerTag: tag } });
const tags: Asks = ({ tag }) => ({ body: { containerTags: [tag] } });
const tagInPath: Asks = ({ tag }) => ({ path: { containerTag: tag } });
const documentInPath: Asks = async (subject) => ({ path: { id: await subject.document() } });
const question: Asks = ({ tag }) => ({ body: { q: "what sings", containerTag: tag } });

const provider = { path: { connection: "notion" } };
const inProvider = { ...provider, body: { containerTags: ["den"] } };
const connection = { path: { connection: "nobody" } };
const member = { memberId: "nobody" };

/** Every operation of the API by method and path; other paths of the same operation are included. */
export const ROUTES: Readonly<Record<string, RouteAccess>> = {
  "POST /v3/documents": writesTag(({ tag }) => ({ body: { content: "Mia keeps bees.", containerTag: tag } })),
  "POST /v3/documents/batch": writesTag(({ tag }) => ({ body: { documents: ["Mia keeps bees."], containerTag: tag } })),
  "POST /v3/documents/file": writesTag(({ tag }) => ({ form: { containerTag: tag } })),
  "GET /v3/documents/{id}": readsId(documentInPath),
  "PATCH /v3/documents/{id}": writesId(async (subject) => ({
    path: { id: await subject.document() },
    body: { metadata: { a: 1 } },
  })),
  "DELETE /v3/documents/{id}": writesId(documentInPath),
  "DELETE /v3/documents/bulk": writesTag(({ tag }) => ({ body: { containerTags: [tag], filepath: "/nowhere/" } })),
  "POST /v3/documents/list": readsTag(tags),
  "GET /v3/documents": readsTag(({ tag }) => ({ query: `containerTags=${tag}` })),
  "GET /v3/documents/processing": readsAll(() => ({})),
  "GET /v3/documents/{id}/chunks": readsId(documentInPath),
  "GET /v3/documents/{id}/file-url": readsId(async (subject) => ({ path: { id: await subject.file() } })),
  "GET /files/{key}": readsId(async (subject) => ({ path: { key: await subject.fileKey() } })),
  "POST /v3/documents/documents": readsTag(tags),
  "POST /v3/documents/documents/by-ids": readsTag(async (subject) => ({
    body: { ids: [await subject.document()], containerTags: [subject.tag] },
  })),
  "POST /v3/documents/documents/facets": readsTag(tags),
  "POST /v3/reprocess": agentWritesTag(({ tag }) => ({ body: { containerTag: tag } })),
  "POST /v4/conversations": agentWritesTag(({ tag }) => ({
    body: {
      conversationId: createId(),
      messages: [{ role: "user", content: "I keep bees." }],
      containerTags: [tag],
    },
  })),

  "POST /v4/search": readsTag(question),
  "POST /v3/search": readsTag(question),

  "POST /v4/memories": writesTag(({ tag }) => ({
    body: { containerTag: tag, memories: [{ content: `Mia has the number ${createId()}.` }] },
  })),
  "PATCH /v4/memories": writesTag(async (subject) => ({
    body: { id: await subject.memory(), newContent: `Now it is ${createId()}.`, containerTag: subject.tag },
  })),
  "DELETE /v4/memories": writesTag(async (subject) => ({
    body: { id: await subject.memory(), containerTag: subject.tag },
  })),
  "POST /v3/memories/forget": writesTag(async (subject) => ({
    body: { id: await subject.memory(), containerTag: subject.tag },
  })),
  "POST /v4/memories/list": readsTag(tags),
  "POST /v4/memories/forget-matching": writesTag(async (subject) => ({
    body: { ids: [await subject.memory()], containerTag: subject.tag },
  })),
  "POST /v3/extractions/pending": writesTag(tagOnly),
  "POST /v3/extractions/{taskId}": whereWritable(
    writesId(async (subject) => ({ path: { taskId: await subject.task() }, body: { facts: [] } })),
  ),
  "GET /v3/journal": agentReadsTag(({ tag }) => ({ query: `containerTag=${tag}` })),
  "POST /v3/journal/{batchId}/undo": whereWritable(
    agentWritesId(async (subject) => ({ path: { batchId: await subject.batch() } })),
  ),

  "POST /v4/profile": readsTag(tagOnly),
  "POST /v4/profile/buckets": readsTag(tagOnly),

  "GET /v3/container-tags/list": agentReadsAll(() => ({})),
  "GET /v3/container-tags/{containerTag}": agentReadsTag(tagInPath),
  "PATCH /v3/container-tags/{containerTag}": agentNamedTag(({ tag }) => ({
    path: { containerTag: tag },
    body: { entityContext: `Asked ${createId()}` },
  })),
  "DELETE /v3/container-tags/{containerTag}": ownerAbout(async (subject) => ({
    path: { containerTag: await subject.container() },
  })),
  "POST /v3/container-tags/merge": ownerAbout(async (subject) => {
    const [source, target] = [await subject.container(), await subject.container()];
    // A caller may have only one container; the target is then the default one.
    const targetContainerTag = source === target ? "default" : target;
    return { body: { containerTags: [source, targetContainerTag], targetContainerTag } };
  }),
  "GET /v3/container-tags/merge/{mergeId}": owner(404, { path: { mergeId: "nothing" } }),
  "GET /v3/container-tags/{containerTag}/inferred": agentReadsTag(tagInPath),
  "POST /v3/container-tags/{containerTag}/inferred/{memoryId}/review": agentWritesTag(async (subject) => ({
    path: { containerTag: subject.tag, memoryId: await subject.inferred() },
    body: { action: "approve" },
  })),
  "GET /v3/container-tags/{containerTag}/profile": agentReadsTag(tagInPath),
  "GET /v3/projects": agentReadsAll(() => ({})),
  "POST /v3/projects": ownerAbout(() => ({ body: { name: `Project ${createId()}` } })),
  "DELETE /v3/projects/{id}": ownerAbout(async (subject) => ({
    path: { id: await subject.project() },
    body: { action: "delete" },
  })),

  "GET /v3/settings": owner(),
  "PATCH /v3/settings": owner(200, { body: { chunkSize: 2_000 } }),
  "POST /v3/settings/suggest-buckets": owner(400),
  // Last in the test, since it ends everything.
  "POST /v3/settings/reset": owner(200, { body: { confirmation: "Recollect" } }),
  "GET /v3/embeddings": owner(),
  // 409 for the owner, since there is no move to pause.
  "POST /v3/embeddings": owner(409, { body: { action: "pause" } }),
  "POST /v3/purge": agentNamedId(async (subject) => ({
    body: { documentId: await subject.document(), confirm: true },
  })),

  "GET /v3/session": anyKey(),
  "POST /v3/auth/scoped-key": owner(200, { body: { containerTag: "den" } }),
  "POST /v3/auth/agent-key": owner(200, { body: { name: "agent" } }),
  "DELETE /v3/auth/scoped-key/{id}": ownerAbout(async (subject) => ({ path: { id: await subject.key() } })),
  "GET /v3/auth/keys": owner(),
  "PUT /v3/auth/keys/{id}/toggle": ownerAbout(async (subject) => ({ path: { id: await subject.key() } })),
  "GET /v3/auth/plugins": owner(),
  "GET /v3/oauth/grants": owner(),
  "DELETE /v3/oauth/grants/{clientId}": owner(404, { path: { clientId: "nobody" } }),

  "GET /v3/audit": owner(),
  "GET /v3/status": owner(),
  "GET /metrics": plain("whole")(),
  "GET /v3/analytics/usage": owner(),
  "GET /v3/analytics/errors": owner(),
  "GET /v3/analytics/logs": owner(),
  "GET /v3/analytics/requests": owner(),
  "GET /v3/analytics/memory": owner(),
  "GET /v3/analytics/chat": owner(),

  // Connections belong to the whole organisation.
  "POST /v3/connections/list": owner(),
  "GET /v3/connections": owner(),
  "GET /v3/connections/{connection}": owner(404, connection),
  "POST /v3/connections/{connection}": owner(404, inProvider),
  "DELETE /v3/connections/{connection}": owner(404, inProvider),
  "POST /v3/connections/{connection}/connection": owner(404, inProvider),
  "POST /v3/connections/{connection}/documents": owner(200, inProvider),
  "POST /v3/connections/{connection}/import": owner(400, inProvider),
  "GET /v3/connections/{connection}/resources": owner(404, connection),
  "POST /v3/connections/{connection}/configure": owner(404, { ...connection, body: { resources: [] } }),
  "POST /v3/connections/{connection}/sync": owner(404, connection),
  "POST /v3/connections/{connection}/reconnect": owner(404, connection),
  "POST /v3/connections/{connection}/device": owner(404, connection),
  "GET /v3/connections/{connection}/sync-runs": owner(404, connection),
  "POST /v3/connections/{connection}/google-drive/hosted-picker": owner(404, connection),
  "GET /v3/connections/auth/callback/{connection}": anybody(400, provider),
  "POST /v3/connections/webhooks/{connection}": anybody(404, connection),

  // Inviting and billing do not exist: 403 to the owner too, with another message.
  "GET /v3/auth/team/members": owner(),
  "GET /v3/auth/team/invitations": owner(),
  "POST /v3/auth/team/invite": owner(403, { body: {} }),
  "DELETE /v3/auth/team/members/{memberId}": owner(403, { path: member }),
  "PUT /v3/auth/team/members/{memberId}/role": owner(403, { path: member, body: {} }),
  "GET /v3/auth/billing": owner(),
  "GET /v3/auth/billing/usage": owner(),
  "GET /v3/auth/billing/usage-events": owner(),
  "GET /v3/auth/billing/invoices": owner(),
  "GET /v3/auth/billing/auto-topups": owner(),
  "PATCH /v3/auth/billing/auto-topups": owner(403, { body: {} }),

  // Fixed responses, the same for every key.
  "POST /v3/documents/migrate-mcp": anyKey(200, { body: { userId: "u" } }),
  "GET /v3/mcp/has-login": anyKey(),
  "GET /v3/digests": anyKey(),
  "GET /v3/digests/preferences": anyKey(),
  "POST /v3/digests/preferences": anyKey(200, { body: { digestOptOut: true } }),
  "GET /v3/digests/{id}": anyKey(404, { path: { id: "nothing" } }),
  "POST /v3/emails/welcome/pro": anyKey(200, { body: { email: "a@b.example", firstName: "Mia" } }),
  "GET /v3/waitlist/status": owner(),

  "GET /": anybody(),
  "GET /v3/openapi": anybody(),
  "GET /reference": anybody(),
};

/** Everything mounted next to the API, by method and path as the router has it. */
export const OTHER_ROUTES: Readonly<Record<string, "anybody" | "mcp" | "pages" | "other processes" | "not a place">> = {
  "GET /health": "anybody",
  "GET /health/live": "anybody",
  "GET /health/ready": "anybody",
  "ALL /.well-known/oauth-protected-resource": "anybody",
  "ALL /.well-known/oauth-protected-resource/mcp": "anybody",
  "ALL /.well-known/oauth-authorization-server": "anybody",
  "ALL /.well-known/openid-configuration": "anybody",
  "ALL /oauth/*": "anybody",
  "ALL /api/auth/oauth2/*": "anybody",
  "ALL /api/auth/jwks": "anybody",
  "ALL /auth/consent/*": "pages",
  "ALL /mcp": "mcp",
  "ALL /mcp/": "mcp",
  "ALL /mcp/server-card": "anybody",
  "ALL /.well-known/ai-catalog.json": "anybody",
  "POST /": "mcp",
  "ALL /auth": "pages",
  "ALL /auth/*": "pages",
  "ALL /v3/auth/key": "pages",
  "GET /internal/ping": "other processes",
  "GET /internal/watch": "other processes",
  "POST /internal/call/:useCase": "other processes",
  "ALL /internal/*": "other processes",
  "ALL /*": "not a place",
};

/** Statuses of pages: in the owner's browser, and for everyone else, whatever their key. */
export const PAGES: Readonly<Record<string, { readonly owner: number; readonly others: number }>> = {
  "/auth": { owner: 200, others: 303 },
  "/auth/sign-in": { owner: 303, others: 200 },
  "/auth/device": { owner: 200, others: 303 },
  "/auth/apps": { owner: 200, others: 303 },
  "/auth/connect?client=codex&callback=http://127.0.0.1:9/callback": { owner: 200, others: 303 },
  "/auth/agent-connect?client=codex&callback=http://127.0.0.1:9/callback": { owner: 200, others: 303 },
  "/auth/consent/nothing": { owner: 400, others: 303 },
  "/auth/nothing": { owner: 404, others: 404 },
};

/** The requirements of an MCP tool, resource or prompt. All of them are available to scoped keys. */
interface McpAccess extends Access {
  readonly args: (subject: Subject) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
}

const mcp = (needs: Need, names: Access["names"], args: McpAccess["args"]): McpAccess => ({
  needs,
  isForScoped: true,
  names,
  args,
});

const inTag: McpAccess["args"] = ({ tag }) => ({ containerTag: tag });
const queryInTag: McpAccess["args"] = ({ tag }) => ({ query: "what sings", containerTag: tag });
const documentId: McpAccess["args"] = async (subject) => ({ documentId: await subject.document() });
const everywhere: McpAccess["args"] = () => ({});

/** Every tool by name, including those of earlier generations. */
export const TOOLS: Readonly<Record<string, McpAccess>> = {
  search: mcp("read", "tag", queryInTag),
  profile: mcp("read", "tag", inTag),
  fetch: mcp("read", "id", async (subject) => ({ id: await subject.document() })),
  "add-memory": mcp("write", "tag", ({ tag }) => ({ content: "Mia keeps bees.", containerTag: tag, wait: 0 })),
  forget: mcp("write", "id to change", async (subject) => ({ id: await subject.memory() })),
  undo: {
    ...mcp("write", "id to change", async (subject) => ({ batchId: await subject.batch() })),
    isForScoped: false,
  },
  "pending-extractions": mcp("write", "tag", ({ tag }) => ({ containerTag: tag, limit: 1 })),
  "submit-extraction": mcp("write", "id to change", async (subject) => ({ taskId: await subject.task(), facts: [] })),

  search_memory: mcp("read", "tag", queryInTag),
  recall: mcp("read", "tag", queryInTag),
  searchSupermemory: mcp("read", "tag", ({ tag }) => ({ informationToGet: "what sings", projectId: tag })),
  get_profile: mcp("read", "tag", inTag),
  add_memory: mcp("write", "tag", ({ tag }) => ({ content: "Mia keeps bees.", namespace: tag })),
  memory: mcp("write", "tag", ({ tag }) => ({ content: "Mia keeps bees.", action: "forget", containerTag: tag })),
  "save-memory": mcp("write", "tag", ({ tag }) => ({ content: "Mia keeps bees.", containerTag: tag })),
  addToSupermemory: mcp("write", "tag", ({ tag }) => ({ thingToRemember: "Mia keeps bees.", projectId: tag })),
  list_documents: mcp("read", "tag", ({ tag }) => ({ namespace: tag })),
  listDocuments: mcp("read", "tag", inTag),
  get_document: mcp("read", "id", documentId),
  getDocument: mcp("read", "id", documentId),
  delete_document: mcp("write", "id", documentId),
  list_memories: mcp("read", "tag", inTag),
  listMemories: mcp("read", "tag", inTag),
  "memory-graph": mcp("read", "tag", inTag),
  "fetch-graph-data": mcp("read", "tag", inTag),
  list_spaces: mcp("read", "neither", everywhere),
  listSpaces: mcp("read", "neither", everywhere),
  listProjects: mcp("read", "neither", everywhere),
  getProjects: mcp("read", "neither", everywhere),
  who_am_i: mcp("read", "neither", everywhere),
  whoAmI: mcp("read", "neither", everywhere),
};

const uri =
  (before: string, part: (subject: Subject) => string | Promise<string> = () => ""): McpAccess["args"] =>
  async (subject) => ({ uri: `${before}${await part(subject)}` });

/** Every resource and template by its address. */
export const RESOURCES: Readonly<Record<string, McpAccess>> = {
  "memory://profile": mcp("read", "neither", uri("memory://profile")),
  "memory://containers": mcp("read", "neither", uri("memory://containers")),
  "memory://connections": mcp("read", "neither", uri("memory://connections")),
  "supermemory://profile": mcp("read", "neither", uri("supermemory://profile")),
  "supermemory://spaces": mcp("read", "neither", uri("supermemory://spaces")),
  "supermemory://projects": mcp("read", "neither", uri("supermemory://projects")),
  "memory://profile/{containerTag}": mcp(
    "read",
    "tag",
    uri("memory://profile/", ({ tag }) => tag),
  ),
  "memory://memories/{id}": mcp(
    "read",
    "id",
    uri("memory://memories/", (subject) => subject.memory()),
  ),
  "memory://documents/{id}": mcp(
    "read",
    "id",
    uri("memory://documents/", (subject) => subject.document()),
  ),
};

/** Every prompt by name. */
export const PROMPTS: Readonly<Record<string, McpAccess>> = {
  context: mcp("read", "tag", ({ tag }) => ({ name: "context", arguments: { containerTag: tag } })),
  recall: mcp("read", "tag", ({ tag }) => ({ name: "recall", arguments: { topic: "what sings", containerTag: tag } })),
};

/** How a caller is refused; null for permitted callers (contract 1.2). */
export type Refusal = "unauthorized" | "forbidden" | "not_found" | null;

export function refusalOf({ needs, isForScoped, names }: Access, rights: Rights | null, tag: string): Refusal {
  if (needs === "nothing") return null;
  if (rights === null) return "unauthorized";
  if (needs === "any key") return null;
  const { containers, permission, isScoped, isApp = false, isKeyless = false } = rights;
  if (isScoped && !isForScoped) return "forbidden";
  if (isKeyless && (needs === "owner" || needs === "named" || needs === "whole")) return "forbidden";
  if (needs === "named") return refusalOf({ needs: "write", isForScoped, names }, rights, tag);
  if (needs === "whole") return containers === "all" && !isApp ? null : "forbidden";
  if (needs === "owner") return containers === "all" && permission === "write" && !isApp ? null : "forbidden";
  if (needs === "write" && !mayWriteSomewhere(rights)) return "forbidden";
  const granted = containers === "all" ? permission : containers[tag];
  if (needs === "write" && granted === "read") return names === "id to change" ? "not_found" : "forbidden";
  if (granted !== undefined || names === "neither") return null;
  return names === "tag" ? "forbidden" : "not_found";
}

/** True if permitted callers may change something with it. */
export function isChanging({ needs }: Pick<Access, "needs">): boolean {
  return needs === "write" || needs === "named" || needs === "owner";
}

export function mayWriteSomewhere({ containers, permission }: Rights): boolean {
  return containers === "all" ? permission === "write" : Object.values(containers).includes("write");
}
