import * as z from "zod";
import type { SourceChange, SourceItem } from "../../core/ports.js";
import { askGithub, type GithubApi, parseGithub, readGithub } from "./github-api.js";
import { isIdOfThread } from "./threads.js";

/** A comparison of two commits lists no more files than this. */
const MOST_COMPARED = 300;
export const LARGEST_CODE = 512 * 1024;
const MARKDOWN = /\.(md|mdx|markdown|mkd|rst|adoc|asciidoc)$/i;
const CODE =
  /\.(c|h|cc|cpp|cxx|hpp|cs|css|dart|ex|exs|erl|fs|go|graphql|groovy|hs|html|java|jl|js|jsx|mjs|cjs|kt|kts|lua|m|ml|php|pl|proto|ps1|py|r|rb|rs|scala|scss|sh|sol|sql|svelte|swift|tf|toml|ts|tsx|mts|cts|vue|yaml|yml|zig)$|(^|\/)(Dockerfile|Makefile|CMakeLists\.txt)$/;
/** Code that others, or a machine, have written. */
const VENDORED =
  /(^|\/)(node_modules|vendor|third_party|dist|build|\.git)\/|\.min\.(js|css)$|(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml)$/;

/** A repository as it is now. */
export interface GithubRepository {
  readonly id: number;
  readonly fullName: string;
  /** The branch that is brought in, as long as it exists. */
  readonly branch: string;
  readonly defaultBranch: string;
  readonly webUrl: string;
}

/** What is known of a repository's files: the commit that was brought in. */
export const filesSchema = z.object({ head: z.string() });
export type KnownFiles = z.output<typeof filesSchema>;

const commitSchema = z.object({ sha: z.string() });
const treeSchema = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.number().optional(),
    }),
  ),
});
type Entry = z.output<typeof treeSchema>["tree"][number];
const LINK = "120000";
const comparisonSchema = z.object({
  status: z.string(),
  files: z
    .array(
      z.object({
        filename: z.string(),
        status: z.string(),
        sha: z.string().nullable(),
        previous_filename: z.string().optional(),
      }),
    )
    .default([]),
});

export interface FileChanges {
  readonly changes: readonly SourceChange[];
  readonly known: KnownFiles;
  readonly cutShort?: string;
}

/** What has changed in a repository's files; all of them where the former commit no longer exists. */
export async function changedFiles(
  api: GithubApi,
  repository: GithubRepository,
  { before, isWithCode }: { readonly before: KnownFiles | null; readonly isWithCode: boolean },
): Promise<FileChanges | null> {
  const head = await headOf(api, repository);
  if (head === null) return null;
  if (before?.head === head) return null;
  const compared = before && (await compare(api, repository, { before, head, isWithCode }));
  return compared ?? (await wholeTree(api, repository, { head, isWithCode }));
}

/** The newest commit of the branch; null for an empty repository. */
async function headOf(api: GithubApi, { fullName, branch, defaultBranch }: GithubRepository): Promise<string | null> {
  const newest = (name: string) =>
    askGithub(api, `/repos/${fullName}/commits/${encodeURIComponent(name)}`, { accepts: [404, 409, 422] });
  let commit = await newest(branch);
  // The chosen branch has been renamed or deleted.
  if (commit.status !== 200 && commit.status !== 409 && branch !== defaultBranch) commit = await newest(defaultBranch);
  return commit.status === 200 ? parseGithub(commit, commitSchema).sha : null;
}

interface Range {
  readonly before: KnownFiles | null;
  readonly head: string;
  readonly isWithCode: boolean;
}

async function compare(
  api: GithubApi,
  repository: GithubRepository,
  { before, head, isWithCode }: Range & { readonly before: KnownFiles },
): Promise<FileChanges | null> {
  const path = `/repos/${repository.fullName}/compare/${before.head}...${head}?per_page=1&page=1`;
  // After a force push the former commit may no longer exist.
  const answer = await askGithub(api, path, { accepts: [404, 422] });
  if (answer.status !== 200) return null;
  const { status: way, files } = parseGithub(answer, comparisonSchema);
  // Unless the former commit is an ancestor of the new one, GitHub compares with their common ancestor.
  if (way !== "ahead" && way !== "identical") return null;
  if (files.length >= MOST_COMPARED) return null;
  const changes: SourceChange[] = [];
  const drop = (gone: string): void => {
    if (isWanted(gone, true)) changes.push({ kind: "remove", id: idOfFile(repository, gone) });
  };
  // All removals first: two files may have swapped names.
  for (const { filename, status, previous_filename: former } of files) {
    if (former !== undefined) drop(former);
    if (status === "removed") drop(filename);
  }
  for (const { filename, status, sha } of files) {
    if (status === "removed" || sha === null || !isWanted(filename, isWithCode)) continue;
    changes.push({ kind: "upsert", item: itemOf(repository, { path: filename, sha }) });
  }
  return { changes, known: { head } };
}

async function wholeTree(
  api: GithubApi,
  repository: GithubRepository,
  { head, isWithCode }: Omit<Range, "before">,
): Promise<FileChanges> {
  const { entries, isComplete } = await entriesOf(api, repository, { sha: head, folder: "" });
  const files = entries.filter(
    ({ path, type, mode, size = 0 }) =>
      type === "blob" && mode !== LINK && isWanted(path, isWithCode) && (MARKDOWN.test(path) || size <= LARGEST_CODE),
  );
  const upserts = files.map(({ path, sha }) => ({ kind: "upsert" as const, item: itemOf(repository, { path, sha }) }));
  if (!isComplete) {
    const cutShort = `${repository.fullName} has more files than GitHub lists in one answer; some were left out.`;
    return { changes: upserts, known: { head }, cutShort };
  }
  const there = new Set(upserts.map(({ item }) => item.id));
  const known = await api.access.knownIds(idOfFile(repository, ""));
  const gone = known.filter((id) => !there.has(id) && !isIdOfThread(repository, id));
  return { changes: [...gone.map((id) => ({ kind: "remove" as const, id })), ...upserts], known: { head } };
}

/** Everything in a folder, recursively; folder by folder where GitHub cannot list it all at once. */
async function entriesOf(
  api: GithubApi,
  repository: GithubRepository,
  { sha, folder }: { readonly sha: string; readonly folder: string },
): Promise<{ entries: Entry[]; isComplete: boolean }> {
  const address = `/repos/${repository.fullName}/git/trees/${sha}`;
  const inside = ({ path, ...rest }: Entry): Entry => ({ ...rest, path: `${folder}${path}` });
  const whole = await readGithub(api, `${address}?recursive=1`, treeSchema);
  if (!whole.truncated) return { entries: whole.tree.map(inside), isComplete: true };
  const here = await readGithub(api, address, treeSchema);
  const entries: Entry[] = [];
  let isComplete = !here.truncated;
  for (const entry of here.tree.map(inside)) {
    if (entry.type !== "tree") entries.push(entry);
    else if (!VENDORED.test(`${entry.path}/`)) {
      const below = await entriesOf(api, repository, { sha: entry.sha, folder: `${entry.path}/` });
      for (const one of below.entries) entries.push(one);
      isComplete &&= below.isComplete;
    }
  }
  return { entries, isComplete };
}

function isWanted(path: string, isWithCode: boolean): boolean {
  return !VENDORED.test(path) && (MARKDOWN.test(path) || (isWithCode && CODE.test(path)));
}

export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path);
}

export function idOfFile({ id }: Pick<GithubRepository, "id">, path: string): string {
  return `github:${id}:${path}`;
}

function itemOf(
  repository: GithubRepository,
  { path, sha }: { readonly path: string; readonly sha: string },
): SourceItem {
  const { fullName, branch, webUrl } = repository;
  return {
    id: idOfFile(repository, path),
    version: sha,
    title: path.split("/").at(-1) ?? path,
    address: `${webUrl}/blob/${addressPath(branch)}/${addressPath(path)}`,
    path: `${fullName}/${path}`,
    detail: { kind: "file", repository: fullName, path, sha },
  };
}

function addressPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
