import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const PLACES = [
  process.env["CHROMIUM_PATH"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The Chromium on this machine, or undefined if there is none. */
export const CHROMIUM = PLACES.find((path): path is string => path !== undefined && existsSync(path));

export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
}

/** A page in its own window, with the errors of its console. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints };
}

/** One request received by a callback. */
export interface Arrival {
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly cookie: string | undefined;
  readonly referrer: string | undefined;
}

/** A callback server on this machine, like that of a plugin waiting for its key. */
export async function startCallback(): Promise<{
  readonly port: number;
  readonly arrivals: Arrival[];
  close(): Promise<void>;
}> {
  const arrivals: Arrival[] = [];
  const server = createServer(({ url = "", headers }, answer) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname === "/callback")
      arrivals.push({ path: pathname, parameters: searchParams, cookie: headers.cookie, referrer: headers.referer });
    answer.writeHead(pathname === "/callback" ? 200 : 404, { "content-type": "text/html" });
    answer.end('<!doctype html><link rel="icon" href="data:,"><title>Done</title><h1>You can close this window</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    arrivals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
