import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/faces/rest/app.js";
import type { Endpoint } from "../../src/faces/rest/endpoint.js";
import { pathsOf } from "../../src/faces/rest/mount.js";
import {
  mayWriteSomewhere,
  OTHER_ROUTES,
  type Refusal,
  refusalOf,
  type RouteAccess,
  ROUTES,
  TOOLS,
} from "../support/access-table.js";
import { type AccessWorld, CANARY, HOME, LIBRARY, openAccessWorld, type Principal } from "../support/access-world.js";
import { encodeForm } from "../support/forms.js";
import { requestInit } from "../support/rest.js";

let world: AccessWorld;
beforeAll(async () => {
  world = await openAccessWorld();
}, 30_000);
afterAll(() => world.close());

const LAST = "POST /v3/settings/reset";
/** Reads one container and writes to another: asked about both. */
const OF_BOTH = "agent, one container to write, one to read";
const FEW = ["no key, from elsewhere", "wrong key", "full key"];
const STATUS: Readonly<Record<NonNullable<Refusal>, number>> = { unauthorized: 401, forbidden: 403, not_found: 404 };

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly access: RouteAccess;
}

const nameOf = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`;

/** Under each of its paths. */
function routes(): Route[] {
  return ENDPOINTS.flatMap((endpoint) => {
    const access = ROUTES[nameOf(endpoint)];
    const method = endpoint.method.toUpperCase();
    if (!access) return [];
    return pathsOf(endpoint).map((path): Route => ({ name: `${method} ${path}`, method, path, endpoint, access }));
  });
}

/** Everything that was kept when it was last looked at, as long as nobody was let in to change it. */
let kept: string | null = null;
async function keptNow(): Promise<string> {
  kept ??= await world.everything();
  return kept;
}

async function expectUnchanged(who: readonly string[]): Promise<void> {
  const before = kept;
  kept = await world.everything();
  expect(kept === before ? "" : difference(before ?? "", kept), `changed by one of ${who.join(", ")}`).toBe("");
}

/** The tables that differ. */
function difference(before: string, after: string): string {
  const tables = new Set(before.split("\n"));
  const changed = after.split("\n").filter((table) => !tables.has(table));
  return changed.map((table) => table.slice(0, 2_000)).join("\n");
}

const isChanging = ({ needs }: RouteAccess | { needs: string }): boolean => needs === "write" || needs === "owner";

async function ask({ method, path, access }: Route, who: Principal, tag: string, mayChange: boolean) {
  const subject = mayChange ? world.passing(tag) : world.lasting(tag);
  const sent = await access.request(subject);
  const place = path.replace(/\{(\w+)\}/g, (_braces, name: string) => {
    const value = sent.path?.[name];
    if (value === undefined) throw new Error(`${path}: access-table.ts does not say what stands for ${name}`);
    return encodeURIComponent(value);
  });
  const url = sent.query === undefined ? place : `${place}?${sent.query}`;
  const form = sent.form && (await encodeForm({ ...sent.form, file: new File(["Mia keeps bees."], "a.txt") }));
  const init = requestInit(method, form?.bytes ?? sent.body, { ...who.headers, ...form?.headers });
  const answer = await world.app.request(url, init, who.bindings);
  return { status: answer.status, text: await answer.text() };
}

/** Who asks about which container. */
interface Question {
  readonly who: Principal;
  readonly tag: string;
}

function questions(): Question[] {
  const home = world.principals.map((who) => ({ who, tag: HOME }));
  return [...home, { who: world.principal(OF_BOTH), tag: LIBRARY }];
}

/** What anybody may have is the same to everybody; another path of an operation lets in whom the first lets in. */
function questionsOf({ access, path, endpoint }: Route): Question[] {
  if (access.needs === "nothing") return questions().filter(({ who }) => FEW.includes(who.name));
  const all = questions();
  if (path === endpoint.path) return all;
  return all.filter(({ who, tag }) => refusalOf(access, who.rights, tag) !== null || FEW.includes(who.name));
}

const sees = ({ rights }: Principal): boolean => {
  const containers = rights?.containers ?? {};
  return containers === "all" || HOME in containers || LIBRARY in containers;
};

describe("the list", () => {
  const advice = (what: string) =>
    `${what} is not in test/support/access-table.ts. Say there what it needs of whoever calls it (contract.md §1.2).`;

  test.each(ENDPOINTS.map(nameOf))("says what %s needs", (name) => {
    expect(ROUTES[name], advice(name)).toBeDefined();
  });

  test("has nothing that is not served", () => {
    expect(Object.keys(ROUTES).filter((name) => !ENDPOINTS.map(nameOf).includes(name))).toEqual([]);
  });

  test("says of everything else that is mounted what it is for", () => {
    const ofApi = new Set(
      ENDPOINTS.flatMap((endpoint) =>
        pathsOf(endpoint).flatMap((path) => {
          const pattern = path.replace(/\{(\w+)\}/g, ":$1");
          // Other methods of a known path are refused by the same path.
          return [`${endpoint.method.toUpperCase()} ${pattern}`, `ALL ${pattern}`];
        }),
      ),
    );
    const mounted = [...new Set(world.app.routes.map(({ method, path }) => `${method} ${path}`))];
    const others = mounted.filter((name) => !ofApi.has(name) || name in OTHER_ROUTES);
    for (const name of others) expect(OTHER_ROUTES[name], advice(name)).toBeDefined();
  });
});

/** Whoever may not is refused and changes nothing; then those who may are let in. */
async function checkRoute(route: Route): Promise<void> {
  const { access, endpoint } = route;
  await keptNow();
  const refused: string[] = [];
  for (const { who, tag } of questionsOf(route)) {
    const refusal = refusalOf(access, who.rights, tag);
    if (refusal === null && isChanging(access)) continue;
    const { status, text } = await ask(route, who, tag, false);
    const expected = refusal === null ? (access.answers ?? endpoint.status) : STATUS[refusal];
    expect([who.name, tag, status, status === expected ? "" : text]).toEqual([who.name, tag, expected, ""]);
    if (!sees(who)) expect([who.name, text.includes(CANARY)]).toEqual([who.name, false]);
    refused.push(who.name);
  }
  await expectUnchanged(refused);
  for (const { who, tag } of questionsOf(route)) {
    if (refusalOf(access, who.rights, tag) !== null || !isChanging(access)) continue;
    kept = null;
    const { status, text } = await ask(route, who, tag, true);
    const expected = access.answers ?? endpoint.status;
    expect([who.name, tag, status, status === expected ? "" : text]).toEqual([who.name, tag, expected, ""]);
  }
}

describe("the API", () => {
  test.each(routes().filter(({ name }) => name !== LAST))("$name", checkRoute);
});

/** One message of MCP by itself, and what came back. */
async function callMcp(who: Principal, method: string, params: unknown) {
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
    ...who.headers,
  };
  const body = { jsonrpc: "2.0", id: 1, method, params };
  const answer = await world.app.request("/mcp", requestInit("POST", body, headers), who.bindings);
  const text = await answer.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return { status: answer.status, text, message: JSON.parse(data) as McpMessage };
}

interface McpMessage {
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** In the words of a refusal for the scope of a key. */
const WORDS = { forbidden: /may not use the container|may only read/, not_found: /not found|is no|There is no/i };

describe("MCP", () => {
  test("every tool is in the list", async () => {
    const { message } = await callMcp(world.principal("full key"), "tools/list", {});
    for (const { name } of message.result?.tools ?? [])
      expect(TOOLS[name], `${name} is not among TOOLS of test/support/access-table.ts`).toBeDefined();
    expect(message.result?.tools).toHaveLength(Object.keys(TOOLS).length);
  });

  test("tools are shown to those who may use them", async () => {
    for (const who of world.principals) {
      const { status, message } = await callMcp(who, "tools/list", {});
      expect([who.name, status]).toEqual([who.name, who.rights ? 200 : 401]);
      const { rights } = who;
      if (!rights) continue;
      const usable = Object.entries(TOOLS).filter(([, { needs }]) => needs === "read" || mayWriteSomewhere(rights));
      const shown = (message.result?.tools ?? []).map(({ name }) => name);
      expect([who.name, shown.sort()]).toEqual([who.name, usable.map(([name]) => name).sort()]);
    }
  });

  test.each(Object.entries(TOOLS))("%s", async (name, tool) => {
    await keptNow();
    for (const { who, tag } of questions()) {
      const refusal = refusalOf(tool, who.rights, tag);
      if (refusal === null && isChanging(tool)) continue;
      const args = await tool.args(world.lasting(tag));
      const { status, text, message } = await callMcp(who, "tools/call", { name, arguments: args });
      const { result, error } = message;
      const about = [who.name, tag, text];
      expect([...about, status]).toEqual([...about, who.rights ? 200 : 401]);
      if (!sees(who)) expect([who.name, text.includes(CANARY)]).toEqual([who.name, false]);
      if (!who.rights) continue;
      const isShown = tool.needs === "read" || mayWriteSomewhere(who.rights);
      expect([...about, error === undefined]).toEqual([...about, isShown]);
      if (!isShown) continue;
      expect([...about, result?.isError ?? false]).toEqual([...about, refusal !== null]);
      if (refusal === "forbidden" || refusal === "not_found")
        expect(result?.content?.[0]?.text).toMatch(WORDS[refusal]);
    }
    await expectUnchanged(world.principals.map((who) => who.name));
    for (const { who, tag } of questions()) {
      if (refusalOf(tool, who.rights, tag) !== null || !isChanging(tool)) continue;
      kept = null;
      const args = await tool.args(world.passing(tag));
      const { text, message } = await callMcp(who, "tools/call", { name, arguments: args });
      expect([who.name, tag, text, message.result?.isError ?? false]).toEqual([who.name, tag, text, false]);
    }
  });
});

describe("what ends everything", () => {
  test.each(routes().filter(({ name }) => name === LAST))("$name", checkRoute);
});
