import * as z from "zod";
import { ItemGone, ItemSkipped, readCheckpoint } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { ChangePage, Connector, Resource, SourceAccess, SourceContent, SourceItem } from "../../core/ports.js";
import { DISCUSSIONS, readDiscussion } from "./discussions.js";
import { askGithub, type GithubApi, parseGithub, readGithub } from "./github-api.js";
import { githubWebhooks } from "./github-webhooks.js";
import { ISSUES, readIssue } from "./issues.js";
import {
  changedFiles,
  filesSchema,
  idOfFile,
  isMarkdown,
  LARGEST_CODE,
  type GithubRepository,
} from "./repository-files.js";
import { followThreads, NO_THREADS, threadsSchema } from "./threads.js";

/** Changes per page. */
const PAGE = 100;

const flag = z.boolean("must be true or false").default(false);
const fieldsSchema = z.object({
  token: z.string().trim().min(1, "must be a GitHub token").max(1_000).optional(),
  code: flag,
  issues: flag,
  discussions: flag,
});
const resourceSchema = z.looseObject({
  id: z.union([z.number().int(), z.string().regex(/^\d+$/, "must be the id of a repository")]),
  name: z.string().min(1).max(300),
  defaultBranch: z.string().min(1).max(300).optional(),
});

const knownSchema = z.object({
  files: filesSchema.nullable(),
  issues: threadsSchema,
  discussions: threadsSchema,
});
type Known = z.output<typeof knownSchema>;
const NOTHING_KNOWN: Known = { files: null, issues: NO_THREADS, discussions: NO_THREADS };
const LONGEST_LINK = 4_096;
const STORED_ELSEWHERE = "version https://git-lfs.github.com/spec/";
/** A comparison does not distinguish links from files. A link's content is a path without a line break. */
const LINK_TARGET = /^[\w.@+-]*(\/[\w.@+-]+)*\.(md|mdx|markdown|rst|adoc)$/i;
/** By repository id. */
const checkpointSchema = z.object({ repositories: z.record(z.string(), knownSchema) });

const repositorySchema = z.object({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  default_branch: z.string(),
  html_url: z.string(),
  description: z.string().nullish(),
  private: z.boolean().optional(),
  updated_at: z.string().nullish(),
});

const detailSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), repository: z.string(), path: z.string(), sha: z.string() }),
  z.object({ kind: z.literal("issue"), repository: z.string(), number: z.number() }),
  z.object({ kind: z.literal("discussion"), repository: z.string(), number: z.number() }),
]);

/**
 * Repositories on GitHub, or on an enterprise edition whose API is at `apiUrl`: Markdown and, where the connection asks for
 * them, code, issues and discussions. Documents of a repository that is no longer chosen stay.
 */
export function createGithubConnector({ apiUrl = "https://api.github.com" }: { readonly apiUrl?: string }): Connector {
  const web = apiUrl === "https://api.github.com" ? "https://github.com" : new URL(apiUrl).origin;
  const apiOf = (access: SourceAccess): GithubApi => ({ url: apiUrl, access });
  return {
    provider: "github",
    title: "GitHub",
    signIn: {
      kind: "oauth",
      authorizeUrl: `${web}/login/oauth/authorize`,
      tokenUrl: `${web}/login/oauth/access_token`,
      deviceUrl: `${web}/login/device/code`,
      scopes: ["repo"],
      parameters: {},
      clientAuthentication: "body",
      application: "github",
      tokenField: "token",
    },
    fields: fieldsSchema,
    secretFields: ["token"],
    needsSelection: () => true,
    resourceSchema,
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 4 },
    async check(access) {
      const { login } = await readGithub(apiOf(access), "/user", z.object({ login: z.string() }));
      return { account: login };
    },
    async listResources(access, { page, perPage }) {
      const path = `/user/repos?sort=updated&per_page=${perPage}&page=${page}`;
      const found = await readGithub(apiOf(access), path, z.array(repositorySchema));
      return { resources: found.map((one) => ({ ...one, defaultBranch: one.default_branch })) };
    },
    changes: (access, checkpoint) =>
      follow(apiOf(access), checkpoint === null ? {} : readCheckpoint(checkpointSchema, checkpoint).repositories),
    read: (access, item) => read(apiOf(access), item),
    webhooks: githubWebhooks(apiOf),
  };
}

async function* follow(api: GithubApi, from: Readonly<Record<string, Known>>): AsyncIterable<ChangePage> {
  let repositories = from;
  const { resources } = api.access;
  for (const [index, resource] of resources.entries()) {
    const isLast = index === resources.length - 1;
    const before = repositories[String(resource.id)] ?? NOTHING_KNOWN;
    for await (const { changes: items, known, ...page } of followRepository(api, resource, before)) {
      repositories = { ...repositories, [String(resource.id)]: known };
      yield {
        ...page,
        kind: "changes",
        isFirst: false,
        isLast: isLast && page.isLast,
        items,
        checkpoint: { repositories },
      };
    }
  }
}

interface RepositoryPage {
  readonly changes: ChangePage["items"];
  readonly known: Known;
  readonly isLast: boolean;
  readonly cutShort?: string;
  readonly missing?: readonly string[];
}

async function* followRepository(api: GithubApi, resource: Resource, before: Known): AsyncIterable<RepositoryPage> {
  const { settings } = api.access;
  const { id, name } = resource;
  const repository = await repositoryOf(api, resource);
  if (repository === "closed") {
    const cutShort = `GitHub does not give this account access to the repository ${name}; its documents stay unchanged.`;
    yield { changes: [], known: before, isLast: true, cutShort };
    return;
  }
  if (repository === "gone") {
    const all = await api.access.knownIds(idOfFile({ id: Number(id) }, ""));
    const changes = all.map((one) => ({ kind: "remove" as const, id: one }));
    yield { changes, known: NOTHING_KNOWN, isLast: true, missing: [name] };
    return;
  }
  let known = before;
  const files = await changedFiles(api, repository, { before: known.files, isWithCode: settings["code"] === true });
  if (files) {
    const slices = slicesOf(files.changes);
    for (const [index, changes] of slices.entries()) {
      // The commit counts as known once all of its files have been brought in.
      const isWhole = index === slices.length - 1;
      if (isWhole) known = { ...known, files: files.known };
      const { cutShort } = files;
      yield { changes, known, isLast: false, ...(isWhole && cutShort !== undefined && { cutShort }) };
    }
  }
  for (const [what, source] of [
    ["issues", ISSUES],
    ["discussions", DISCUSSIONS],
  ] as const) {
    if (settings[what] !== true) continue;
    for await (const found of followThreads(api, repository, source, known[what])) {
      known = { ...known, [what]: found.known };
      yield { changes: found.changes, known, isLast: false };
    }
  }
  yield { changes: [], known, isLast: true };
}

/** Pages of what is to be read. All removals are on the first page, so that their number is known before any is made. */
function slicesOf(changes: ChangePage["items"]): ChangePage["items"][] {
  const removals = changes.filter(({ kind }) => kind === "remove");
  const upserts = changes.filter(({ kind }) => kind === "upsert");
  const count = Math.max(1, Math.ceil(upserts.length / PAGE));
  return Array.from({ length: count }, (_, index) => [
    ...(index === 0 ? removals : []),
    ...upserts.slice(index * PAGE, (index + 1) * PAGE),
  ]);
}

/** Finds the repository by id, which renames and moves do not change. A deleted one looks like one never seen. */
async function repositoryOf(
  api: GithubApi,
  { id, defaultBranch }: Resource,
): Promise<GithubRepository | "gone" | "closed"> {
  const answer = await askGithub(api, `/repositories/${id}`, { accepts: [403, 404, 451] });
  if (answer.status === 403) return "closed";
  if (answer.status !== 200) return "gone";
  const found = parseGithub(answer, repositorySchema);
  return {
    id: found.id,
    fullName: found.full_name,
    branch: typeof defaultBranch === "string" ? defaultBranch : found.default_branch,
    defaultBranch: found.default_branch,
    webUrl: found.html_url,
  };
}

async function read(api: GithubApi, item: SourceItem): Promise<SourceContent> {
  const detail = detailSchema.parse(item.detail);
  const { repository } = detail;
  if (detail.kind === "issue") return readIssue(api, repository, { ...item, number: detail.number });
  if (detail.kind === "discussion") return readDiscussion(api, repository, detail.number);
  const { path, sha } = detail;
  const bytes = await readBlob(api, repository, sha);
  const isCode = !isMarkdown(path);
  if (isCode && bytes.byteLength > LARGEST_CODE) throw new ItemSkipped("It is too large to have been written by hand.");
  const text = bytes.byteLength > LONGEST_LINK ? "" : Buffer.from(bytes).toString("utf8");
  if (text.startsWith(STORED_ELSEWHERE)) throw new ItemSkipped("Its content is kept in Git LFS.");
  if (LINK_TARGET.test(text)) throw new ItemSkipped("It is a link to another file.");
  const name = path.split("/").at(-1) ?? path;
  return {
    content: bytes,
    mimeType: isCode ? "text/plain" : "text/markdown",
    fileName: name,
    type: isCode ? null : "github_markdown",
    title: name,
    changedAt: null,
    metadata: { repository, path },
  };
}

async function readBlob(api: GithubApi, repository: string, sha: string): Promise<Uint8Array> {
  const accept = "application/vnd.github.raw+json";
  try {
    const answer = await askGithub(api, `/repos/${repository}/git/blobs/${sha}`, { accept, accepts: [404] });
    if (answer.status === 200) return answer.bytes;
  } catch (error) {
    if (error instanceof AppError && error.kind === "too_large")
      throw new ItemSkipped("It is larger than the limit for files.", { cause: error });
    throw error;
  }
  throw new ItemGone("The file no longer exists.");
}
