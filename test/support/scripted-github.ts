import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import {
  compared,
  createRepository,
  type Discussion,
  hash,
  type Kept,
  type ScriptedRepository,
  shown,
  shownDiscussion,
  shownIssue,
  treeOf,
} from "./scripted-github-repository.js";
import type { ScriptedSource, SourceFault } from "./scripted-source.js";
import { graphBody, GITHUB_ROUTES } from "./scripted-github-routes.js";
import { createGithubHooks, type Hook } from "./scripted-github-hooks.js";
import type { Delivered } from "./webhook-delivery.js";

/** A fault of one request: the next one, or the next whose path matches. */
export type GithubFault = (
  | SourceFault
  | { readonly kind: "garbage" }
  | { readonly kind: "slow"; readonly ms: number }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
) & { readonly path?: RegExp };

type Shared = "files" | "issues" | "discussions" | "commit" | "forgetCommits" | "startOver";

/** Repositories over GitHub's REST and GraphQL APIs, and its sign-in addresses. */
export interface ScriptedGithub extends ScriptedSource, Pick<ScriptedRepository, Shared> {
  /** The repository used by `put` and similar methods. */
  readonly farm: ScriptedRepository;
  /** Methods and paths. */
  readonly asked: string[];
  readonly repositoryId: number;
  addRepository(id: number, fullName: string): ScriptedRepository;
  /** Renames a repository; the former name redirects to it. */
  renameRepository(repository: ScriptedRepository, fullName: string): void;
  fail(fault: GithubFault, times: number): void;
  /** Makes lists repeat the same page forever. */
  isLooping: boolean;
  /** Called between two requests. */
  betweenRequests: (path: string) => void;
  /** Whether the code was entered on another device. */
  readonly device: { isApproved: boolean };
  /** By their ids. */
  readonly hooks: ReadonlyMap<number, Hook>;
  /** False for a token that may not create webhooks. */
  mayHook: boolean;
  /** Address where the service listens for messages. */
  listening: string | null;
  /** Notifies each webhook of a push, with a signature. */
  notify(secret?: string): Promise<Delivered[]>;
}

export const GITHUB_TOKEN = "github_pat_example";
const ID = 4711;
const NAME = "mia/farm";

export async function startGithub(): Promise<ScriptedGithub> {
  const kept = new Map<number, Kept>([[ID, createRepository(ID, NAME)]]);
  const formerNames = new Map<string, number>();
  const asked: string[] = [];
  let faults: GithubFault[] = [];
  const device = { isApproved: false };
  const hooks = createGithubHooks();
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://github");
    const body = await bodyOf(request);
    const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    if (url.pathname.startsWith("/login/")) return send(200, signIn(url.pathname, body, device));
    github.betweenRequests(url.pathname);
    asked.push(`${request.method} ${url.pathname}`);
    const at = faults.findIndex(({ path }) => path === undefined || path.test(url.pathname));
    const [fault] = at === -1 ? [] : faults.splice(at, 1);
    if (fault?.kind === "answer") return send(fault.status, fault.body ?? { message: "A fault." }, fault.headers);
    if (fault?.kind === "status")
      return send(
        fault.status,
        { message: "A fault." },
        fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) },
      );
    if (fault?.kind === "garbage") return void response.end("{oops");
    if (fault?.kind === "cut") {
      response.writeHead(200, { "content-length": "1000" });
      return void response.write("[{", () => response.destroy());
    }
    if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (request.headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return send(401, { message: "Bad credentials" });
    if (!request.headers["user-agent"]) return send(403, { message: "No user agent." });
    if (request.headers["x-github-api-version"] !== "2022-11-28") return send(400, { message: "No such version." });
    if (url.pathname === "/graphql") {
      const { success, data } = graphBody.safeParse(JSON.parse(body));
      if (!success || request.method !== "POST") return send(418, { message: body });
      return send(200, graph(data.variables));
    }
    const [, hooked, hookId] = /^\/repositories\/(\d+)\/hooks(?:\/(\d+))?$/.exec(url.pathname) ?? [];
    if (hooked !== undefined) {
      const isOpen = github.mayHook && kept.get(Number(hooked))?.repository.state === "open";
      // A token without permission gets the same answer as for a missing thing.
      if (!isOpen) return send(404, { message: "Not Found" });
      return hooks.answer(request.method, { body, repository: Number(hooked), hookId }, send);
    }
    if (request.method !== "GET") return send(418, { message: `${request.method} ${url.pathname}` });
    if (url.pathname === "/user") return send(200, { login: "mia" });
    if (url.pathname === "/user/repos") {
      const all = [...kept.values()].filter(({ repository }) => repository.state === "open");
      return send(200, url.searchParams.get("page") === "1" ? all.map(({ repository }) => shown(repository)) : []);
    }
    const [, id, name = "", rest = ""] =
      /^\/(?:repositories\/(\d+)|repos\/([^/]+\/[^/]+))(\/.*)?$/.exec(url.pathname) ?? [];
    if (formerNames.has(name)) {
      const location = `${github.url}/repositories/${formerNames.get(name)}${rest}${url.search}`;
      return send(301, { message: "Moved Permanently" }, { location });
    }
    const found =
      id === undefined
        ? [...kept.values()].find(({ repository }) => repository.fullName === name)
        : kept.get(Number(id));
    const route = GITHUB_ROUTES.find(([path]) => path.test(rest));
    const query = route?.[1].safeParse(Object.fromEntries(url.searchParams));
    if (!route || !query?.success) return send(418, { message: `${url.href}: ${query?.error?.message}` });
    if (!found || found.repository.state === "gone") return send(404, { message: "Not Found" });
    if (found.repository.state === "closed") return send(403, { message: "Forbidden" });
    const parts = (route[0].exec(rest) ?? []).slice(1);
    const { status, value, raw } = ofRepository(found, rest, parts, url.searchParams);
    if (raw === undefined) return send(status, value);
    response.writeHead(200, { "content-type": "application/vnd.github.raw+json; charset=utf-8" });
    response.end(raw);
  }

  function graph({ owner, name, after, direction, number }: z.output<typeof graphBody>["variables"]) {
    const found = [...kept.values()].find(({ repository }) => repository.fullName === `${owner}/${name}`);
    if (!found) return { data: { repository: null }, errors: [{ type: "NOT_FOUND", message: "No such repository." }] };
    const { discussions } = found.repository;
    if (number !== undefined) {
      const one = discussions.find((discussion) => discussion.number === number);
      if (!one)
        return { data: { repository: { discussion: null } }, errors: [{ type: "NOT_FOUND", message: "None." }] };
      return { data: { repository: { discussion: shownDiscussion(NAME, one, 100, Number(after ?? 0)) } } };
    }
    const sorted = discussions.toSorted((one, other) => (one.updatedAt < other.updatedAt ? -1 : 1));
    if (direction === "DESC") sorted.reverse();
    // A cursor stands for a place in the order, not for a number of steps.
    const isAfter = ({ updatedAt }: Discussion): boolean =>
      after === null || (direction === "DESC" ? updatedAt < after : updatedAt > after);
    const left = github.isLooping ? sorted : sorted.filter(isAfter);
    const nodes = left.slice(0, 25);
    const pageInfo = { hasNextPage: left.length > 25, endCursor: nodes.at(-1)?.updatedAt ?? null };
    return {
      data: { repository: { discussions: { pageInfo, nodes: nodes.map((one) => shownDiscussion(NAME, one, 50, 0)) } } },
    };
  }

  function ofRepository(
    { repository, commits }: Kept,
    rest: string,
    [first = "", second = ""]: readonly string[],
    query: URLSearchParams,
  ): { status: number; value?: unknown; raw?: string } {
    const { issues } = repository;
    const ok = (value: unknown) => ({ status: 200, value });
    const missing = { status: 404, value: { message: "Not Found" } };
    const commitOf = (name: string) => commits().find((one) => one.sha === name);
    if (rest === "") return ok(shown(repository));
    if (rest.startsWith("/commits/")) {
      const head = commits().at(-1);
      if (!head) return { status: 409, value: { message: "Git Repository is empty." } };
      if (decodeURIComponent(first) !== repository.defaultBranch)
        return { status: 422, value: { message: "No commit." } };
      return ok({ sha: head.sha });
    }
    if (rest.startsWith("/compare/")) {
      const [base, target] = [commitOf(first), commitOf(second)];
      if (!base || !target) return missing;
      if (target.before.includes(base.sha)) return ok(compared("ahead", base, target));
      const common = commitOf(target.before.find((one) => base.before.includes(one)) ?? "");
      return common ? ok(compared(base.before.includes(target.sha) ? "behind" : "diverged", common, target)) : missing;
    }
    if (rest.startsWith("/git/trees/")) return treeOf(repository, commits(), first, query.has("recursive")) ?? missing;
    if (rest.startsWith("/git/blobs/")) {
      const text = commits()
        .flatMap(({ tree }) => [...tree.values()])
        .find((one) => hash(one) === first);
      return text === undefined ? missing : { status: 200, raw: text };
    }
    const found = issues.find(({ number }) => number === Number(first));
    const size = Number(query.get("per_page") ?? 30);
    const start = (github.isLooping ? 0 : Number(query.get("page") ?? 1) - 1) * size;
    if (rest.endsWith("/comments"))
      return found
        ? ok(
            found.comments
              .slice(start, start + size)
              .map((text) => ({ body: text, user: { login: "tom" }, created_at: "2026-02-01T00:00:00Z" })),
          )
        : missing;
    if (first !== "")
      return found ? ok(shownIssue(repository, found)) : { status: 410, value: { message: "Deleted." } };
    if (!repository.hasIssues) return { status: 410, value: { message: "Issues are disabled for this repo" } };
    const since = github.isLooping ? null : query.get("since");
    const listed = issues
      .filter(({ updatedAt }) => since === null || updatedAt >= since)
      .toSorted((one, other) => one.updatedAt.localeCompare(other.updatedAt) || one.number - other.number);
    return ok(listed.slice(start, start + size).map((issue) => shownIssue(repository, issue)));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const farm = kept.get(ID)?.repository;
  if (!farm) throw new Error("There is no farm.");
  const { files } = farm;
  const change = (how: () => void): Promise<void> => {
    how();
    farm.commit();
    return Promise.resolve();
  };
  const pathOf = (id: string): string => id.slice(`github:${ID}:`.length);
  const github: ScriptedGithub = {
    ...farm,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    farm,
    asked,
    repositoryId: ID,
    isLooping: false,
    betweenRequests: () => {},
    device,
    hooks: hooks.all,
    mayHook: true,
    listening: null,
    notify: (given) => hooks.notify(github.listening ?? "", given),
    requests: () => asked.length,
    addRepository(id, fullName) {
      const added = createRepository(id, fullName);
      kept.set(id, added);
      return added.repository;
    },
    renameRepository(repository, fullName) {
      formerNames.set(repository.fullName, repository.id);
      repository.fullName = fullName;
    },
    async put(name, text) {
      await change(() => files.set(name, text));
      return `github:${ID}:${name}`;
    },
    edit: (id, text) => change(() => files.set(pathOf(id), text)),
    rename: (id, name) =>
      change(() => {
        files.set(name, files.get(pathOf(id)) ?? "");
        files.delete(pathOf(id));
      }),
    remove: (id) => change(() => files.delete(pathOf(id))),
    fail(fault, times) {
      if (fault.kind === "expired") farm.forgetCommits();
      else faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
    heal: () => void (faults = []),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return github;
}

function signIn(path: string, body: string, device: { readonly isApproved: boolean }) {
  if (path === "/login/device/code")
    return {
      device_code: "device",
      user_code: "WXYZ-1234",
      verification_uri: "http://github/login/device",
      expires_in: 900,
      interval: 1,
    };
  const form = new URLSearchParams(body);
  if (form.get("client_id") !== "client") return { error: "incorrect_client_credentials" };
  const isCode = form.get("grant_type") === "authorization_code" && form.get("code") === "good";
  const isDevice = form.get("device_code") === "device" && device.isApproved;
  if (isCode && !form.get("code_verifier")) return { error: "bad_verification_code" };
  if (isCode || isDevice) return { access_token: GITHUB_TOKEN, token_type: "bearer", scope: "repo" };
  const error = form.has("device_code") ? "authorization_pending" : "bad_verification_code";
  return { error, error_description: "No such code." };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
