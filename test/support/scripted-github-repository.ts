import { createHash } from "node:crypto";

const COMPARED = 300;

export interface Issue {
  readonly number: number;
  title: string;
  body: string;
  updatedAt: string;
  readonly comments: string[];
  readonly isPull: boolean;
}

export interface Discussion {
  readonly number: number;
  title: string;
  body: string;
  updatedAt: string;
  comments: string[];
}

export interface ScriptedRepository {
  readonly id: number;
  fullName: string;
  defaultBranch: string;
  readonly files: Map<string, string>;
  /** Files that are links; their text is their target. */
  readonly links: Set<string>;
  readonly issues: Issue[];
  readonly discussions: Discussion[];
  state: "open" | "closed" | "gone";
  hasIssues: boolean;
  /** Maximum number of tree entries per list. */
  treeLimit: number;
  /** Commits the current state of the files. */
  commit(): void;
  /** Like a forced push after which former commits are gone. */
  forgetCommits(): void;
  /** Like a forced push that leaves former commits available: the next one follows the very first. */
  startOver(): void;
}

export interface Commit {
  readonly sha: string;
  readonly tree: ReadonlyMap<string, string>;
  readonly links: ReadonlySet<string>;
  /** Its ancestors, nearest first. */
  readonly before: readonly string[];
}

export function createRepository(id: number, fullName: string) {
  let commits: Commit[] = [];
  let isStartingOver = false;
  const repository: ScriptedRepository = {
    id,
    fullName,
    defaultBranch: "main",
    files: new Map(),
    links: new Set(),
    issues: [],
    discussions: [],
    state: "open",
    hasIssues: true,
    treeLimit: Number.POSITIVE_INFINITY,
    commit() {
      const tree = new Map(repository.files);
      const [head] = isStartingOver ? commits : commits.slice(-1);
      isStartingOver = false;
      const before = head ? [head.sha, ...head.before] : [];
      const sha = hash(`commit ${commits.length} ${Math.random()}`);
      commits.push({ sha, tree, links: new Set(repository.links), before });
    },
    forgetCommits() {
      commits = commits.slice(-1).map((one) => ({ ...one, before: [], sha: hash(`rewritten ${Math.random()}`) }));
    },
    startOver: () => void (isStartingOver = true),
  };
  return { repository, commits: () => commits };
}
export type Kept = ReturnType<typeof createRepository>;

export function treeOf(repository: ScriptedRepository, commits: readonly Commit[], name: string, isDeep: boolean) {
  for (const { sha, tree, links } of commits) {
    const folders = new Set(
      [...tree.keys()].flatMap((path) =>
        path
          .split("/")
          .slice(0, -1)
          .map((_, depth, all) => all.slice(0, depth + 1).join("/")),
      ),
    );
    const folder = name === sha ? "" : [...folders].find((one) => hash(`${sha} ${one}`) === name);
    if (folder === undefined) continue;
    const start = folder === "" ? 0 : folder.length + 1;
    const isIn = (path: string): boolean =>
      (folder === "" || path.startsWith(`${folder}/`)) && (isDeep || !path.slice(start).includes("/"));
    const all = [
      ...[...folders]
        .filter((path) => path !== folder && isIn(path))
        .map((path) => ({
          path: path.slice(start),
          mode: "040000",
          type: "tree",
          sha: hash(`${sha} ${path}`),
        })),
      ...[...tree]
        .filter(([path]) => isIn(path))
        .map(([path, text]) => ({
          path: path.slice(start),
          mode: links.has(path) ? "120000" : "100644",
          type: "blob",
          sha: hash(text),
          size: Buffer.byteLength(text),
        })),
    ];
    const truncated = isDeep && all.length > repository.treeLimit;
    return { status: 200, value: { sha: name, truncated, tree: truncated ? all.slice(0, repository.treeLimit) : all } };
  }
  return null;
}

export function compared(status: string, { tree: base }: Commit, { tree: target }: Commit) {
  const removed = [...base].filter(([path]) => !target.has(path));
  const added = [...target].filter(([path, text]) => base.get(path) !== text);
  const renamed = added.flatMap(([path, text]) => {
    const former = removed.find(([, before]) => before === text);
    return former && !base.has(path) ? [{ path, former: former[0], text }] : [];
  });
  const files = [
    ...renamed.map(({ path, former, text }) => ({
      filename: path,
      status: "renamed",
      sha: hash(text),
      previous_filename: former,
    })),
    ...removed
      .filter(([path]) => !renamed.some(({ former }) => former === path))
      .map(([path, text]) => ({ filename: path, status: "removed", sha: hash(text) })),
    ...added
      .filter(([path]) => !renamed.some((one) => one.path === path))
      .map(([path, text]) => ({ filename: path, status: base.has(path) ? "modified" : "added", sha: hash(text) })),
  ];
  return { status, files: files.slice(0, COMPARED) };
}

export function shown({ id, fullName, defaultBranch }: ScriptedRepository) {
  return {
    id,
    name: fullName.split("/")[1],
    full_name: fullName,
    default_branch: defaultBranch,
    html_url: `https://github.com/${fullName}`,
    description: "A farm.",
    private: true,
    updated_at: "2026-01-01T00:00:00Z",
  };
}

export function shownIssue({ fullName }: ScriptedRepository, { number, title, body, updatedAt, isPull }: Issue) {
  return {
    number,
    title,
    body,
    updated_at: updatedAt,
    state: "open",
    html_url: `https://github.com/${fullName}/issues/${number}`,
    user: { login: "mia" },
    labels: [{ name: "garden" }],
    ...(isPull && { pull_request: { url: "x" } }),
  };
}

export function shownDiscussion(repository: string, { comments, ...one }: Discussion, size: number, start: number) {
  const nodes = comments.slice(start, start + size).map((body) => ({
    body,
    createdAt: "2026-02-01T00:00:00Z",
    author: { login: "ann" },
    replies: { pageInfo: { hasNextPage: false }, nodes: [] },
  }));
  const end = start + nodes.length;
  return {
    ...one,
    url: `https://github.com/${repository}/discussions/${one.number}`,
    author: { login: "tom" },
    category: { name: "General" },
    comments: { pageInfo: { hasNextPage: end < comments.length, endCursor: String(end) }, nodes },
  };
}

export function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
