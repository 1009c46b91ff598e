import * as z from "zod";
import type { SourceChange, SourceItem } from "../../core/ports.js";
import { askGithub, type GithubApi, parsed, readGithub } from "./github-api.js";

/** The comparison of two commits names no more of them. */
const MOST_COMPARED = 300;
const LARGEST_CODE = 512 * 1024;
const MARKDOWN = /\.(md|mdx|markdown|mkd|rst|adoc|asciidoc)$/i;
const CODE =
  /\.(c|h|cc|cpp|cxx|hpp|cs|css|dart|ex|exs|erl|fs|go|graphql|groovy|hs|html|java|jl|js|jsx|mjs|cjs|kt|kts|lua|m|ml|php|pl|proto|ps1|py|r|rb|rs|scala|scss|sh|sol|sql|svelte|swift|tf|toml|ts|tsx|mts|cts|vue|yaml|yml|zig)$|(^|\/)(Dockerfile|Makefile|CMakeLists\.txt)$/;
/** What others have written, or a machine. */
const VENDORED =
  /(^|\/)(node_modules|vendor|third_party|dist|build|\.git)\/|\.min\.(js|css)$|(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml)$/;

/** A repository as it is now. */
export interface Repository {
  readonly id: number;
  readonly fullName: string;
  readonly branch: string;
  readonly webUrl: string;
}

/** What is known of the files of a repository: the commit, and the paths that were brought in. */
export const filesSchema = z.object({ head: z.string(), paths: z.array(z.string()) });
export type KnownFiles = z.output<typeof filesSchema>;

const commitSchema = z.object({ sha: z.string() });
const treeSchema = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string(), size: z.number().optional() })),
});
const comparisonSchema = z.object({
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

/** What has changed in the files of a repository; all of them where the former commit is no longer there. */
export async function changedFiles(
  api: GithubApi,
  repository: Repository,
  { before, isWithCode }: { readonly before: KnownFiles | null; readonly isWithCode: boolean },
): Promise<FileChanges | null> {
  const { fullName, branch } = repository;
  // An empty repository has no commit.
  const commit = await askGithub(api, `/repos/${fullName}/commits/${encodeURIComponent(branch)}`, {
    accepts: [404, 409, 422],
  });
  if (commit.status !== 200) return null;
  const { sha: head } = parsed(commit, commitSchema);
  if (before?.head === head) return null;
  const compared = before && (await compare(api, repository, { before, head, isWithCode }));
  return compared ?? (await wholeTree(api, repository, { before, head, isWithCode }));
}

interface Range {
  readonly before: KnownFiles | null;
  readonly head: string;
  readonly isWithCode: boolean;
}

async function compare(
  api: GithubApi,
  repository: Repository,
  { before, head, isWithCode }: Range & { readonly before: KnownFiles },
): Promise<FileChanges | null> {
  const path = `/repos/${repository.fullName}/compare/${before.head}...${head}?per_page=100`;
  // A forced push leaves no way from the one to the other.
  const answer = await askGithub(api, path, { accepts: [404, 422] });
  if (answer.status !== 200) return null;
  const { files } = parsed(answer, comparisonSchema);
  if (files.length >= MOST_COMPARED) return null;
  const paths = new Set(before.paths);
  const changes: SourceChange[] = [];
  const drop = (gone: string): void => {
    if (paths.delete(gone)) changes.push({ kind: "remove", id: idOf(repository, gone) });
  };
  for (const { filename, status, sha, previous_filename: former } of files) {
    if (former !== undefined) drop(former);
    if (status === "removed") drop(filename);
    else if (sha !== null && isWanted(filename, isWithCode)) {
      paths.add(filename);
      changes.push({ kind: "upsert", item: itemOf(repository, { path: filename, sha }) });
    }
  }
  return { changes, known: { head, paths: [...paths] } };
}

async function wholeTree(
  api: GithubApi,
  repository: Repository,
  { before, head, isWithCode }: Range,
): Promise<FileChanges> {
  const { tree, truncated } = await readGithub(
    api,
    `/repos/${repository.fullName}/git/trees/${head}?recursive=1`,
    treeSchema,
  );
  const files = tree.filter(
    ({ path, type, size = 0 }) =>
      type === "blob" && isWanted(path, isWithCode) && (MARKDOWN.test(path) || size <= LARGEST_CODE),
  );
  const paths = files.map(({ path }) => path);
  const there = new Set(paths);
  const upserts = files.map(({ path, sha }) => ({ kind: "upsert" as const, item: itemOf(repository, { path, sha }) }));
  if (truncated) {
    const cutShort = `${repository.fullName} has more files than GitHub lists at once; some were left out.`;
    return { changes: upserts, known: { head, paths: [...new Set([...(before?.paths ?? []), ...paths])] }, cutShort };
  }
  const gone = (before?.paths ?? []).filter((path) => !there.has(path));
  const removals = gone.map((path) => ({ kind: "remove" as const, id: idOf(repository, path) }));
  return { changes: [...removals, ...upserts], known: { head, paths } };
}

function isWanted(path: string, isWithCode: boolean): boolean {
  return !VENDORED.test(path) && (MARKDOWN.test(path) || (isWithCode && CODE.test(path)));
}

export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path);
}

function idOf({ id }: Repository, path: string): string {
  return `github:${id}:${path}`;
}

function itemOf(repository: Repository, { path, sha }: { readonly path: string; readonly sha: string }): SourceItem {
  const { fullName, branch, webUrl } = repository;
  return {
    id: idOf(repository, path),
    version: sha,
    title: path.split("/").at(-1) ?? path,
    address: `${webUrl}/blob/${branch}/${path.split("/").map(encodeURIComponent).join("/")}`,
    path: `${fullName}/${path}`,
    detail: { kind: "file", repository: fullName, path, sha },
  };
}
