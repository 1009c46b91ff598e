import * as z from "zod";
import { ItemGone } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { ChangePage, Connector, Resource, SourceAccess, SourceContent, SourceItem } from "../../core/ports.js";
import { changedDiscussions, changedIssues, readIssue, type Updates } from "./discourse.js";
import { askGithub, type GithubApi, parsed, readGithub } from "./github-api.js";
import { changedFiles, filesSchema, isMarkdown, type Repository } from "./repository-files.js";

/** Changes of a page. */
const PAGE = 100;

const flag = z.boolean("must be true or false").default(false);
const fieldsSchema = z.object({
  token: z.string().trim().min(1, "must be a token of GitHub").max(1_000).optional(),
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
  issues: z.string().nullable(),
  discussions: z.string().nullable(),
});
type Known = z.output<typeof knownSchema>;
const NOTHING_KNOWN: Known = { files: null, issues: null, discussions: null };
/** By the ids of the repositories. */
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
  z.object({ kind: z.literal("discussion") }),
]);

/**
 * Repositories of GitHub, or of an enterprise edition whose API answers at `apiUrl`: Markdown, and where the connection says
 * so code, issues and discussions. Documents of a repository that is no longer chosen stay.
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
      follow(apiOf(access), checkpoint === null ? {} : checkpointSchema.parse(checkpoint).repositories),
    read: (access, item) => read(apiOf(access), item),
  };
}

async function* follow(api: GithubApi, before: Readonly<Record<string, Known>>): AsyncIterable<ChangePage> {
  let repositories = before;
  const { resources } = api.access;
  for (const [index, resource] of resources.entries()) {
    const isLast = index === resources.length - 1;
    for await (const page of followRepository(api, resource, repositories[String(resource.id)] ?? NOTHING_KNOWN)) {
      repositories = { ...repositories, [String(resource.id)]: page.known };
      const { changes: items, cutShort } = page;
      yield {
        kind: "changes",
        isFirst: false,
        isLast: isLast && page.isLast,
        items,
        checkpoint: { repositories },
        ...(cutShort !== undefined && { cutShort }),
      };
    }
  }
}

interface RepositoryPage {
  readonly changes: ChangePage["items"];
  readonly known: Known;
  readonly isLast: boolean;
  readonly cutShort?: string;
}

async function* followRepository(api: GithubApi, resource: Resource, before: Known): AsyncIterable<RepositoryPage> {
  const { settings } = api.access;
  const repository = await repositoryOf(api, resource);
  if (repository === null) {
    const cutShort = `The repository ${resource.name} is no longer open to this account; its documents stay.`;
    yield { changes: [], known: before, isLast: true, cutShort };
    return;
  }
  let known = before;
  const files = await changedFiles(api, repository, { before: known.files, isWithCode: settings["code"] === true });
  if (files) {
    const slices = slicesOf(files.changes);
    for (const [index, changes] of slices.entries()) {
      // The commit counts as known once all of its files are.
      const isWhole = index === slices.length - 1;
      if (isWhole) known = { ...known, files: files.known };
      const { cutShort } = files;
      yield { changes, known, isLast: false, ...(isWhole && cutShort !== undefined && { cutShort }) };
    }
  }
  for (const what of ["issues", "discussions"] as const) {
    if (settings[what] !== true) continue;
    for await (const updates of followUpdates(api, repository, what, known[what])) {
      known = { ...known, [what]: updates.until ?? known[what] };
      yield { changes: updates.changes, known, isLast: false };
    }
  }
  yield { changes: [], known, isLast: true };
}

function slicesOf(changes: ChangePage["items"]): ChangePage["items"][] {
  const count = Math.max(1, Math.ceil(changes.length / PAGE));
  return Array.from({ length: count }, (_, index) => changes.slice(index * PAGE, (index + 1) * PAGE));
}

async function* followUpdates(
  api: GithubApi,
  repository: Repository,
  what: "issues" | "discussions",
  from: string | null,
): AsyncIterable<Updates> {
  for (let since = from; ;) {
    const updates =
      what === "issues"
        ? await changedIssues(api, repository, since)
        : await changedDiscussions(api, repository, since);
    yield updates;
    // More changes at one moment than a page holds cannot be told apart.
    if (updates.isLast || updates.until === null || updates.until === since) return;
    since = updates.until;
  }
}

/** The repository by its id, which renames and moves leave as it is; null where it is not there any more. */
async function repositoryOf(api: GithubApi, { id, defaultBranch }: Resource): Promise<Repository | null> {
  const answer = await askGithub(api, `/repositories/${id}`, { accepts: [403, 404, 451] });
  if (answer.status !== 200) return null;
  const found = parsed(answer, repositorySchema);
  const branch = typeof defaultBranch === "string" ? defaultBranch : found.default_branch;
  return { id: found.id, fullName: found.full_name, branch, webUrl: found.html_url };
}

async function read(api: GithubApi, item: SourceItem): Promise<SourceContent> {
  const detail = detailSchema.parse(item.detail);
  if (detail.kind === "discussion") throw new AppError("invalid", "A discussion is read with its list.");
  if (detail.kind === "issue") return readIssue(api, detail.repository, detail.number);
  const { repository, path, sha } = detail;
  const accept = "application/vnd.github.raw+json";
  const answer = await askGithub(api, `/repos/${repository}/git/blobs/${sha}`, { accept, accepts: [404] });
  if (answer.status !== 200) throw new ItemGone();
  return {
    content: answer.bytes,
    mimeType: isMarkdown(path) ? "text/markdown" : "text/plain",
    fileName: path.split("/").at(-1) ?? path,
    type: isMarkdown(path) ? "github_markdown" : null,
    title: path.split("/").at(-1) ?? path,
    changedAt: null,
    metadata: { repository, path },
  };
}
