import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Issue {
  readonly number: number;
  title: string;
  body: string;
  updatedAt: string;
  readonly comments: string[];
  readonly isPull: boolean;
}

/** One repository over the REST and GraphQL APIs of GitHub, and the addresses where somebody signs in. */
export interface ScriptedGithub {
  readonly url: string;
  readonly files: Map<string, string>;
  readonly issues: Issue[];
  readonly discussions: { number: number; title: string; body: string; updatedAt: string; comments: string[] }[];
  readonly requests: string[];
  readonly repositoryId: number;
  /** Makes a commit of what the files are now. */
  commit(): void;
  /** As a forced push: former commits are no longer there. */
  forgetCommits(): void;
  fail(status: number, headers: Readonly<Record<string, string>>, times: number): void;
  /** What one types on another device, and whether somebody did. */
  readonly device: { isApproved: boolean };
  close(): Promise<void>;
}

export const GITHUB_TOKEN = "github_pat_example";
const ID = 4711;
const NAME = "mia/farm";
const COMPARED = 300;

/** Paths of the REST API with the names of the queries that its description has for them. */
const ROUTES: readonly [RegExp, readonly string[]][] = [
  [/^\/user$/, []],
  [
    /^\/user\/repos$/,
    ["sort", "per_page", "page", "visibility", "affiliation", "type", "direction", "since", "before"],
  ],
  [/^\/repositories\/\d+$/, []],
  [/^\/repos\/mia\/farm\/commits\/[^/]+$/, ["page", "per_page"]],
  [/^\/repos\/mia\/farm\/compare\/[0-9a-f]+\.\.\.[0-9a-f]+$/, ["page", "per_page"]],
  [/^\/repos\/mia\/farm\/git\/trees\/[0-9a-f]+$/, ["recursive"]],
  [/^\/repos\/mia\/farm\/git\/blobs\/[0-9a-f]+$/, []],
  [/^\/repos\/mia\/farm\/issues$/, ["state", "sort", "direction", "since", "per_page", "page", "labels", "creator"]],
  [/^\/repos\/mia\/farm\/issues\/\d+$/, []],
  [/^\/repos\/mia\/farm\/issues\/\d+\/comments$/, ["since", "per_page", "page"]],
  [/^\/graphql$/, []],
];

export async function startGithub(): Promise<ScriptedGithub> {
  const files = new Map<string, string>();
  const issues: Issue[] = [];
  const discussions: ScriptedGithub["discussions"] = [];
  const requests: string[] = [];
  const faults: { status: number; headers: Readonly<Record<string, string>> }[] = [];
  let commits: { sha: string; tree: ReadonlyMap<string, string> }[] = [];
  const device = { isApproved: false };
  const commit = (): void => {
    const tree = new Map(files);
    commits.push({ sha: hash(`commit ${commits.length} ${JSON.stringify([...tree])}`), tree });
  };
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://github");
    const body = await bodyOf(request);
    const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    if (url.pathname === "/login/device/code")
      return send(200, {
        device_code: "device",
        user_code: "WXYZ-1234",
        verification_uri: "http://github/login/device",
        expires_in: 900,
        interval: 1,
      });
    if (url.pathname === "/login/oauth/access_token") {
      const form = new URLSearchParams(body);
      if (form.get("client_id") !== "client") return send(200, { error: "incorrect_client_credentials" });
      const isCode = form.get("grant_type") === "authorization_code" && form.get("code") === "good";
      const isDevice = form.get("device_code") === "device" && device.isApproved;
      if (isCode && !form.get("code_verifier")) return send(200, { error: "bad_verification_code" });
      if (isCode || isDevice) return send(200, { access_token: GITHUB_TOKEN, token_type: "bearer", scope: "repo" });
      const error = form.has("device_code") ? "authorization_pending" : "bad_verification_code";
      return send(200, { error, error_description: "No such code." });
    }
    requests.push(`${request.method} ${url.pathname}`);
    const fault = faults.shift();
    if (fault) return send(fault.status, { message: "A fault." }, fault.headers);
    if (request.headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return send(401, { message: "Bad credentials" });
    if (!request.headers["user-agent"]) return send(403, { message: "No user agent." });
    const route = ROUTES.find(([path]) => path.test(url.pathname));
    const unknown = [...url.searchParams.keys()].filter((name) => !route?.[1].includes(name));
    if (!route || unknown.length > 0) return send(418, { message: `${url.pathname}: ${unknown.join(", ")}` });
    const repository = {
      id: ID,
      name: "farm",
      full_name: NAME,
      default_branch: "main",
      html_url: `https://github.com/${NAME}`,
      description: "A farm.",
      private: true,
      updated_at: "2026-01-01T00:00:00Z",
    };
    const [head] = commits.slice(-1);
    const [first = "", second = ""] = /([0-9a-f]{40})(?:\.\.\.([0-9a-f]{40}))?$/.exec(url.pathname)?.slice(1) ?? [];
    const treeOf = (sha: string) => commits.find((one) => one.sha === sha)?.tree;
    if (url.pathname === "/user") return send(200, { login: "mia" });
    if (url.pathname === "/user/repos") return send(200, url.searchParams.get("page") === "1" ? [repository] : []);
    if (url.pathname === `/repositories/${ID}`) return send(200, repository);
    if (url.pathname.startsWith("/repositories/")) return send(404, { message: "Not Found" });
    if (url.pathname.includes("/commits/"))
      return head ? send(200, { sha: head.sha }) : send(409, { message: "Empty." });
    if (url.pathname.includes("/compare/")) {
      const [base, target] = [treeOf(first), treeOf(second)];
      if (!base || !target) return send(404, { message: "Not Found" });
      return send(200, { files: compare(base, target).slice(0, COMPARED) });
    }
    if (url.pathname.includes("/trees/")) {
      const entries = [...(treeOf(first) ?? [])].map(([path, text]) => ({
        path,
        type: "blob",
        sha: hash(text),
        size: text.length,
      }));
      return send(200, {
        sha: first,
        truncated: false,
        tree: [{ path: "docs", type: "tree", sha: hash("") }, ...entries],
      });
    }
    if (url.pathname.includes("/blobs/")) {
      const text = commits.flatMap(({ tree }) => [...tree.values()]).find((one) => hash(one) === first);
      if (text === undefined) return send(404, { message: "Not Found" });
      response.writeHead(200, { "content-type": "application/vnd.github.raw+json; charset=utf-8" });
      return void response.end(text);
    }
    if (url.pathname === "/graphql") {
      const sorted = discussions.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
      const nodes = sorted.map((one) => ({
        ...one,
        url: `https://github.com/${NAME}/discussions/${one.number}`,
        author: { login: "tom" },
        comments: { nodes: one.comments.map((text) => ({ ...saidBy(text), replies: { nodes: [] } })) },
      }));
      const page = { pageInfo: { hasNextPage: false, endCursor: null }, nodes };
      return send(200, { data: { repository: { discussions: page } } });
    }
    const number = Number(/issues\/(\d+)/.exec(url.pathname)?.[1]);
    const found = issues.find((one) => one.number === number);
    if (url.pathname.endsWith("/comments"))
      return send(
        200,
        (found?.comments ?? []).map((text) => ({
          body: text,
          user: { login: "tom" },
          created_at: "2026-02-01T00:00:00Z",
        })),
      );
    if (found) return send(200, shownIssue(found));
    const since = url.searchParams.get("since");
    const listed = issues
      .filter(({ updatedAt }) => since === null || updatedAt >= since)
      .toSorted((one, other) => (one.updatedAt < other.updatedAt ? -1 : 1));
    send(200, listed.slice(0, Number(url.searchParams.get("per_page") ?? 30)).map(shownIssue));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    issues,
    discussions,
    requests,
    repositoryId: ID,
    commit,
    forgetCommits() {
      commits = commits.slice(-1).map(({ tree }) => ({ sha: hash(`rewritten ${Math.random()}`), tree }));
    },
    fail: (status, headers, times) => void faults.push(...Array.from({ length: times }, () => ({ status, headers }))),
    device,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function compare(base: ReadonlyMap<string, string>, target: ReadonlyMap<string, string>) {
  const removed = [...base].filter(([path]) => !target.has(path));
  const added = [...target].filter(([path, text]) => base.get(path) !== text);
  const renamed = added.flatMap(([path, text]) => {
    const former = removed.find(([, before]) => before === text);
    return former && !base.has(path) ? [{ path, former: former[0], text }] : [];
  });
  return [
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
}

const saidBy = (body: string) => ({ body, createdAt: "2026-02-01T00:00:00Z", author: { login: "ann" } });

function shownIssue({ number, title, body, updatedAt, isPull }: Issue) {
  return {
    number,
    title,
    body,
    updated_at: updatedAt,
    state: "open",
    html_url: `https://github.com/${NAME}/issues/${number}`,
    user: { login: "mia" },
    labels: [{ name: "garden" }],
    ...(isPull && { pull_request: { url: "x" } }),
  };
}

function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
