import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import type { Endpoint } from "../../src/transports/rest/endpoint.js";
import { pathsOf } from "../../src/transports/rest/mount.js";
import {
  isChanging,
  OTHER_ROUTES,
  PAGES,
  refusalOf,
  type Refusal,
  type RouteAccess,
  ROUTES,
} from "../support/access-table.js";
import { type AccessWorld, CANARY, openAccessWorld, type Principal } from "../support/access-world.js";
import { keep, type Keeper, type Question, questions, sees } from "../support/access-questions.js";
import { encodeForm } from "../support/forms.js";
import { requestInit } from "../support/rest.js";

let world: AccessWorld;
let keeper: Keeper;
beforeAll(async () => {
  world = await openAccessWorld();
  keeper = keep(world);
}, 30_000);
afterAll(() => world.close());

const LAST = "POST /v3/settings/reset";
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

/** One entry for each path of an endpoint. */
function routes(): Route[] {
  return ENDPOINTS.flatMap((endpoint) => {
    const access = ROUTES[nameOf(endpoint)];
    const method = endpoint.method.toUpperCase();
    if (!access) return [];
    return pathsOf(endpoint).map((path): Route => ({ name: `${method} ${path}`, method, path, endpoint, access }));
  });
}

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

/** Routes without requirements need few callers, as do further paths of a route for callers that it accepts. */
function questionsOf({ access, path, endpoint }: Route): Question[] {
  if (access.needs === "nothing") return questions(world).filter(({ who }) => FEW.includes(who.name));
  const all = questions(world);
  if (path === endpoint.path) return all;
  return all.filter(({ who, tag }) => refusalOf(access, who.rights, tag) !== null || FEW.includes(who.name));
}

describe("the access table", () => {
  const advice = (what: string) =>
    `${what} is not in test/support/access-table.ts. Say there what it needs of whoever calls it (contract 1.2).`;

  test.each(ENDPOINTS.map(nameOf))("states what %s needs", (name) => {
    expect(ROUTES[name], advice(name)).toBeDefined();
  });

  test("lists only routes that are served", () => {
    expect(Object.keys(ROUTES).filter((name) => !ENDPOINTS.map(nameOf).includes(name))).toEqual([]);
  });

  test("states the purpose of every other mounted route", () => {
    const ofApi = new Set(
      ENDPOINTS.flatMap((endpoint) =>
        pathsOf(endpoint).flatMap((path) => {
          const pattern = path.replace(/\{(\w+)\}/g, ":$1");
          // Other methods of a known path are refused by a handler of the same path.
          return [`${endpoint.method.toUpperCase()} ${pattern}`, `ALL ${pattern}`];
        }),
      ),
    );
    const mounted = [...new Set(world.app.routes.map(({ method, path }) => `${method} ${path}`))];
    const others = mounted.filter((name) => !ofApi.has(name) || name in OTHER_ROUTES);
    for (const name of others) expect(OTHER_ROUTES[name], advice(name)).toBeDefined();
    expect(Object.keys(OTHER_ROUTES).filter((name) => !mounted.includes(name))).toEqual([]);
  });
});

/** First checks that callers without the right are refused and change nothing, then that the others are accepted. */
async function checkRoute(route: Route): Promise<void> {
  const { access, endpoint } = route;
  await keeper.look();
  for (const { who, tag } of questionsOf(route)) {
    const refusal = refusalOf(access, who.rights, tag);
    if (refusal === null && isChanging(access)) continue;
    const { status, text } = await ask(route, who, tag, false);
    const expected = refusal === null ? (access.answers ?? endpoint.status) : STATUS[refusal];
    expect([who.name, tag, status, status === expected ? "" : text]).toEqual([who.name, tag, expected, ""]);
    if (!sees(who)) expect([who.name, text.includes(CANARY)]).toEqual([who.name, false]);
  }
  await keeper.expectUnchanged();
  for (const { who, tag } of questionsOf(route)) {
    if (refusalOf(access, who.rights, tag) !== null || !isChanging(access)) continue;
    keeper.letChange();
    const { status, text } = await ask(route, who, tag, true);
    const expected = access.answers ?? endpoint.status;
    expect([who.name, tag, status, status === expected ? "" : text]).toEqual([who.name, tag, expected, ""]);
  }
}

describe("the API", () => {
  test.each(routes().filter(({ name }) => name !== LAST))("$name", checkRoute);
});

describe("the pages", () => {
  const OWNER = "no key, in the browser of the owner";
  const open = async (who: Principal, path: string, init: RequestInit) => {
    const answer = await world.app.request(path, init, who.bindings);
    return { status: answer.status, text: await answer.text() };
  };

  test.each(Object.entries(PAGES))(
    "%s is for the owner's browser only, whatever key a caller has",
    async (path, expected) => {
      await keeper.look();
      for (const who of world.principals) {
        const { status, text } = await open(who, path, requestInit("GET", undefined, { ...who.headers }));
        const wanted = who.name === OWNER ? expected.owner : expected.others;
        expect([who.name, status]).toEqual([who.name, wanted]);
        expect([who.name, text.includes(CANARY)]).toEqual([who.name, false]);
      }
      await keeper.expectUnchanged();
    },
  );

  test.each(["/auth/connect", "/auth/agent-connect", "/auth/device", "/auth/sign-in", "/auth/sign-out", "/auth"])(
    "POST %s changes nothing without the token of the owner's form",
    async (path) => {
      await keeper.look();
      const body = "client=codex&callback=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&approve=yes&key=wrong&csrf=wrong";
      for (const who of world.principals) {
        const headers = { ...who.headers, "content-type": "application/x-www-form-urlencoded" };
        const { status } = await open(who, path, requestInit("POST", body, headers));
        expect([who.name, status]).toEqual([who.name, expect.toSatisfy((code: number) => code >= 303)]);
      }
      await keeper.expectUnchanged();
    },
  );
});

describe("the internal API for other processes", () => {
  test.each(["GET /internal/ping", "GET /internal/watch", "POST /internal/call/session"])(
    "%s accepts no API key",
    async (name) => {
      const [method = "", path = ""] = name.split(" ");
      for (const who of world.principals) {
        const body = method === "POST" ? { call: world.owner } : undefined;
        const answer = await world.app.request(path, requestInit(method, body, { ...who.headers }), who.bindings);
        const isPage = "origin" in who.headers;
        expect([who.name, answer.status]).toEqual([who.name, isPage ? 403 : 401]);
        await answer.body?.cancel();
      }
    },
  );
});

describe("the route that deletes everything", () => {
  test.each(routes().filter(({ name }) => name === LAST))("$name", checkRoute);
});
