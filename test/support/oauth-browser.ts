import { expect } from "vitest";
import type { Core } from "../../src/core/index.js";
import type { Actor } from "../../src/core/types.js";

/** Redirects that a browser follows before giving up. */
const MOST_STEPS = 10;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser: cookies, redirects and forms, over real HTTP. */
export interface Browser {
  /** Follows redirects until a page, or an address elsewhere, which it does not visit. */
  open(url: string | URL): Promise<Page>;
  /** Submits the form of a page, with its hidden fields. */
  submit(page: Page, fields: readonly (readonly [string, string])[]): Promise<Page>;
  readonly cookies: readonly Cookie[];
}

/** @param base the server to visit; addresses elsewhere are only reported */
export function createBrowser(base: string, given: readonly Cookie[] = []): Browser {
  /** Several cookies may share a name, each for its own path. */
  const jar = new Map(given.map((cookie) => [`${cookie.name};${cookie.path}`, cookie]));
  const { host } = new URL(base);

  function keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const at = pair.indexOf("=");
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
      const isOver = attributes.some((one) => /^(expires=thu, 01 jan 1970|max-age=0)/i.test(one));
      const name = pair.slice(0, at);
      if (isOver) jar.delete(`${name};${path}`);
      else jar.set(`${name};${path}`, { name, value: pair.slice(at + 1), path });
    }
  }

  async function go(url: URL, init: RequestInit = {}): Promise<Page> {
    let next = { url, init };
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (next.url.host !== host) return { url: next.url, status: 0, text: "", headers: new Headers() };
      const cookie = [...jar.values()]
        .filter(({ path }) => next.url.pathname.startsWith(path))
        .map(({ name, value }) => `${name}=${value}`)
        .join("; ");
      const headers = new Headers(next.init.headers);
      headers.set("accept", "text/html,*/*;q=0.8");
      if (cookie !== "") headers.set("cookie", cookie);
      const answer = await fetch(next.url, { ...next.init, headers, redirect: "manual" });
      keep(answer.headers.getSetCookie());
      const location = answer.headers.get("location");
      if (location === null)
        return { url: next.url, status: answer.status, text: await answer.text(), headers: answer.headers };
      await answer.body?.cancel();
      next = { url: new URL(location, next.url), init: {} };
    }
    throw new Error("The browser was redirected in a circle");
  }

  return {
    get cookies() {
      return [...jar.values()];
    },
    open: (url) => go(new URL(url)),
    submit(page, fields) {
      const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const body = new URLSearchParams();
      for (const [, name = "", value = ""] of hidden) body.append(name, value);
      for (const [name, value] of fields) body.append(name, value);
      return go(page.url, { method: "POST", body, headers: { origin: page.url.origin } });
    },
  };
}

/** A browser in which the owner is signed in. */
export async function createOwnerBrowser(
  rest: { readonly core: Core; readonly actor: Actor },
  base: string,
): Promise<Browser> {
  const { code } = await rest.core.createSignInCode({ actor: rest.actor });
  const { token } = await rest.core.signIn({ actor: rest.actor }, { code });
  return createBrowser(base, [{ name: "recollect_session", value: token, path: "/auth" }]);
}

/** The owner's choice. */
export interface Answer {
  readonly containers?: readonly string[];
  readonly permission?: "read" | "write";
  readonly expires?: string;
}

/** Opens an app's authorisation request and allows it. @returns where the browser is sent then */
export async function allow(browser: Browser, url: string | URL, answer: Answer = {}): Promise<URL> {
  const page = await browser.open(url);
  expect([page.status, page.url.pathname]).toEqual([200, expect.stringMatching(/^\/auth\/consent\/./)]);
  const after = await browser.submit(page, [
    ["containers", answer.containers ? "some" : "all"],
    ...(answer.containers ?? []).map((tag) => ["container", tag] as const),
    ["permission", answer.permission ?? "write"],
    ["expires", answer.expires ?? "30"],
    ["answer", "allow"],
  ]);
  return after.url;
}
