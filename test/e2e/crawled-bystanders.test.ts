import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sleep } from "../../src/lib/time.js";
import { useCleanups } from "../support/cleanups.js";
import { watchService } from "../support/bystander.js";
import { type ServeProcess, startServe, withDataDirectory } from "../support/recollect-process.js";

/* A site designed to be expensive to crawl: other callers are still answered in time. */

const KEY = "sm_tests_0123456789abcdefghijklmn";
/** The promised answer time beside an attacker. */
const SLOWEST_MS = 500;
const WATCHED_MS = 4_000;
/** A delay caused by other programs on this machine hardly ever repeats. */
const ATTEMPTS = 3;
const LARGEST = 10 * 1024 * 1024 - 200;

type Site = (path: string, url: string) => { readonly type: string; readonly body: string } | null;

const cleanups = useCleanups();

/** Serves everything compressed: ten megabytes are 20 KB in transfer. */
async function serve(site: Site): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const made = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const found = site(path, url);
    if (!found) return void response.writeHead(404).end();
    const body = made.get(found.body) ?? gzipSync(found.body);
    made.set(found.body, body);
    response.writeHead(200, { "content-type": found.type, "content-encoding": "gzip" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, asked };
}

const html = (body: string) => ({
  type: "text/html",
  body: `<title>H</title><p>The farm lies on the hill.</p>${body}`,
});
const xml = (body: string) => ({ type: "application/xml", body });
const robots = (url: string) => ({
  type: "text/plain",
  body: Array.from({ length: 20 }, (_, at) => `Sitemap: ${url}/map${at}.xml`).join("\n"),
});
const filled = (piece: string) => piece.repeat(Math.floor(LARGEST / piece.length));

const sites: Record<string, Site> = {
  "pages with a million links": (path) => {
    if (path === "/") return html(Array.from({ length: 100 }, (_, at) => `<a href="/page${at}">on</a>`).join(""));
    return path.startsWith("/page") ? html(filled("<a href=/>")) : null;
  },
  "sitemaps with a million sitemaps": (path, url) => {
    if (path === "/robots.txt") return robots(url);
    if (path.startsWith("/map")) return xml(`<sitemapindex>${filled("<loc>a</loc>")}</sitemapindex>`);
    return path === "/" ? html("") : null;
  },
  "sitemaps with a million pages": (path, url) => {
    if (path === "/robots.txt") return robots(url);
    if (!path.startsWith("/map")) return path === "/" ? html("") : null;
    const places = Array.from({ length: 50_000 }, (_, at) => `<loc>${url}${path}/${at}</loc>`).join("");
    return xml(`<urlset>${places}</urlset>`);
  },
};

/** The slowest health check while the site was crawled (milliseconds). */
async function slowestBeside(service: ServeProcess, site: Site): Promise<number> {
  const { url, asked } = await serve(site);
  const bystander = watchService(service.url);
  cleanups.push(() => bystander.stop());
  const slowest = await bystander.during(async () => {
    const answer = await fetch(`${service.url}/v3/connections/web-crawler`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ containerTag: "farm", metadata: { startUrl: `${url}/` } }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    await sleep(WATCHED_MS);
  });
  expect(asked.length).toBeGreaterThan(5);
  return slowest;
}

test.each(Object.entries(sites))(
  "%s do not delay other callers",
  async (_, site) => {
    await withDataDirectory(async (dataDirectory) => {
      const open = { RECOLLECT_API_KEY: KEY, RECOLLECT_OFFLINE: "0", RECOLLECT_FETCH_ALLOW: "127.0.0.1" };
      const service = await startServe(dataDirectory, open);
      try {
        let slowest = Infinity;
        for (let attempt = 0; attempt < ATTEMPTS && slowest > SLOWEST_MS; attempt += 1)
          slowest = await slowestBeside(service, site);
        expect(slowest).toBeLessThanOrEqual(SLOWEST_MS);
      } finally {
        await service.stop("SIGKILL");
      }
    });
  },
  120_000,
);
