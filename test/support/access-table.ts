import { createId } from "../../src/lib/ids.js";
import type { Rights, Subject } from "./access-world.js";

/**
 * What a caller needs: nothing; any key, where every key is told the same and nothing of what is kept; reading or
 * writing in the container that a request is about, the latter by somebody who is known where it erases; everything of the
 * organisation with a key, if only to read; or all of it, to read and to write.
 */
export type Need = "nothing" | "any key" | "read" | "whole" | "write" | "named" | "owner";

/** What is asked of whoever calls something, and how it says which container it is about. */
export interface Access {
  readonly needs: Need;
  /** Whether scoped keys may use it, which may do less than others. */
  readonly isForScoped: boolean;
  /**
   * By a tag, which is forbidden to others; by an id, which others do not find, and whoever may only read is told so; by
   * an id of something that only those find who may change it; or by neither, for all that one may see.
   */
  readonly names: "tag" | "id" | "id to change" | "neither";
}

/** A request that is refused for nothing but who sends it. */
interface Sent {
  /** What stands for the parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

export interface RouteAccess extends Access {
  /** Status for whoever is let in; what the endpoint declares by default. */
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
/** What lies under the paths that scoped keys may use. */
const readsTag = route({ needs: "read", isForScoped: true, names: "tag" });
const readsId = route({ needs: "read", isForScoped: true, names: "id" });
const readsAll = route({ needs: "read", isForScoped: true, names: "neither" });
const writesTag = route({ needs: "write", isForScoped: true, names: "tag" });
const writesId = route({ needs: "write", isForScoped: true, names: "id" });
/** What does not. */
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

/** Every operation of the API by method and path; other paths of the same operation count with it. */
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
    // What is there and stays is one: the other is then the default one.
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
  // Last of all in the test: it ends everything.
  "POST /v3/settings/reset": owner(200, { body: { confirmation: "Recollect" } }),
  "GET /v3/embeddings": owner(),
  // There is no move to pause, which only the owner is told.
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

  // Nobody can be invited, and nothing is billed: 403 to the owner too, in other words.
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

  // Fixed answers, the same for every key.
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

/** What is mounted beside the API, by method and path as the router has it. */
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

/** Statuses of pages: to the owner's browser, and to everybody else, whatever key they have. */
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

/** What is asked of a tool, a resource or a prompt of MCP. All of them are for scoped keys too. */
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

/** Every tool by name, those of earlier generations too. */
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

/** How a call is refused for who makes it; null for whoever is let in (contract 1.2). */
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

/** True for what may change something for those who are let in. */
export function isChanging({ needs }: Pick<Access, "needs">): boolean {
  return needs === "write" || needs === "named" || needs === "owner";
}

export function mayWriteSomewhere({ containers, permission }: Rights): boolean {
  return containers === "all" ? permission === "write" : Object.values(containers).includes("write");
}
