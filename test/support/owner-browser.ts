import type { HttpApp } from "../../src/transports/http.js";
import { LOOPBACK, type OpenedRest } from "./rest.js";

/** A page as received by a browser. */
export interface SeenPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The target of a redirect, or an empty text. */
  readonly location: string;
  /** Hidden fields of the form on the page. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** A browser that keeps cookies by path, follows no redirects by itself, and runs no scripts. */
export interface OwnerBrowser {
  readonly cookies: Map<string, { value: string; path: string; flags: string }>;
  get(path: string, headers?: Record<string, string>): Promise<SeenPage>;
  /** Submits a form like a page of this server; headers override those of a browser. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<SeenPage>;
  /** Opens a page and submits its form with its hidden fields and these. */
  fill(path: string, fields: Fields): Promise<SeenPage>;
  /** Signs in with a link, like the owner. */
  signIn(): Promise<void>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

export const HOST = "127.0.0.1:6767";

export function openBrowser(
  { app, core, actor }: Pick<OpenedRest, "core" | "actor"> & { readonly app: HttpApp },
  { host = HOST, peer = "127.0.0.1" }: { host?: string; peer?: string } = {},
): OwnerBrowser {
  const cookies: OwnerBrowser["cookies"] = new Map();

  async function send(
    path: string,
    init: Omit<RequestInit, "headers"> & { headers: Record<string, string> },
  ): Promise<SeenPage> {
    const cookie = [...cookies.entries()]
      .filter(([, { path: place }]) => path.startsWith(place))
      .map(([key, { value }]) => `${key.split(" ")[0]}=${value}`)
      .join("; ");
    const headers = { host, "user-agent": "Test browser", ...(cookie !== "" && { cookie }), ...init.headers };
    const bindings = { ...LOOPBACK, incoming: { socket: { remoteAddress: peer } } };
    const answer = await app.request(path, { ...init, headers }, bindings);
    for (const line of answer.headers.getSetCookie()) keep(line);
    const text = await answer.text();
    const { status, headers: answered } = answer;
    return { status, headers: answered, text, location: answered.get("location") ?? "", hidden: hiddenIn(text) };
  }

  function keep(line: string): void {
    const [pair = "", ...flags] = line.split("; ");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = flags.find((flag) => flag.startsWith("Path="))?.slice("Path=".length) ?? "/";
    if (flags.includes("Max-Age=0")) cookies.delete(`${name} ${path}`);
    else cookies.set(`${name} ${path}`, { value, path, flags: flags.join("; ") });
  }

  const browser: OwnerBrowser = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: "POST",
        body: encode(fields),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: `http://${host}`,
          "sec-fetch-site": "same-origin",
          ...headers,
        },
      }),
    async fill(path, fields) {
      const { hidden } = await browser.get(path);
      return browser.post(path, { ...hidden, ...fields });
    },
    async signIn() {
      const { code } = await core.createSignInCode({ actor });
      const { status, location } = await browser.fill(`/auth/sign-in?code=${code}`, {});
      if (status !== 303 || location !== "/auth") throw new Error(`Not signed in: ${status} ${location}`);
    },
  };
  return browser;
}

function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return new URLSearchParams(pairs as [string, string][]).toString();
}

function hiddenIn(text: string): Record<string, string> {
  const main = text.split("</main>")[0] ?? "";
  const found = main.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"(?: \/)?>/g);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, unescape(value)]));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#96": "`" };

function unescape(text: string): string {
  return text.replace(/&(#?\w+);/g, (all, name: string) => ENTITIES[name] ?? all);
}
