import { createWebCrawlerConnector } from "../../../src/connectors/web-crawler/web-crawler.js";
import type { FollowedEntry, FollowedProvider, RequestFault } from "../followed-source.js";
import { openWebServer } from "../web-server.js";

interface Page {
  title: string;
  text: string;
  version: number;
}

const HOME = "Contents";

/** A site whose first page links to all others, each with an ETag. A moved page leaves a redirect behind. */
export const WEB_CRAWLER: FollowedProvider = {
  provider: "web-crawler",
  readAhead: 10,
  nameOf: (count) => `Note ${count}`,
  async start() {
    const pages = new Map<string, Page>();
    const moved = new Map<string, string>();
    const unlinked = new Set<string>();
    const closed = new Set<string>();
    let faults: (RequestFault | "pass")[] = [];
    let made = 0;
    let isMapped = false;
    const linked = () => [...pages.keys()].filter((path) => !unlinked.has(path));
    const shown = (path: string): Page | undefined => {
      const links = [...linked(), ...moved.keys()].map((one) => `<a href="${one}">${one}</a>`).join(" ");
      return path === "/" ? { title: HOME, text: `Here is all that there is: ${links}`, version: 0 } : pages.get(path);
    };
    const site = await openWebServer((request, response) => {
      const path = request.url ?? "";
      const fault = faults.shift() ?? "pass";
      if (fault !== "pass" && fault.kind === "cut") {
        response.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
        return void response.write("<html>", () => response.destroy());
      }
      if (fault !== "pass" && fault.kind === "status" && fault.status !== 401) {
        const { status, retryAfter } = fault;
        return void response
          .writeHead(status, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) })
          .end();
      }
      if (path === "/sitemap.xml" && isMapped) {
        const places = linked().map((one) => `<url><loc>${site.url}${one}</loc></url>`);
        return void response.writeHead(200, { "content-type": "text/xml" }).end(`<urlset>${places.join("")}</urlset>`);
      }
      const target = moved.get(path);
      if (target !== undefined) return void response.writeHead(301, { location: target }).end();
      if (closed.has(path)) return void response.writeHead(500).end();
      const page = shown(path);
      if (!page) return void response.writeHead(404).end("not here");
      const html = `<!doctype html><html><head><title>${page.title}</title></head><body><article><h1>${page.title}</h1><p>${page.text}</p></article></body></html>`;
      const etag = path === "/" ? `"${linked().join()} ${[...moved.keys()].join()}"` : `"${page.version}"`;
      const headers = { "content-type": "text/html; charset=utf-8", etag };
      if (request.headers["if-none-match"] === etag) return void response.writeHead(304, headers).end();
      response.writeHead(200, headers).end(html);
    });
    const idOf = (path: string): string => `${site.url}${path}`;
    const pathOf = (id: string): string => id.slice(site.url.length);
    const home: FollowedEntry = { id: `${site.url}/`, name: HOME, texts: [], isThere: true };
    const newPath = (): string => `/notes/${(made += 1)}`;
    return {
      connector: createWebCrawlerConnector(),
      metadata: { startUrl: `${site.url}/` },
      lasting: home,
      put(name, text) {
        const path = newPath();
        pages.set(path, { title: name, text, version: 1 });
        return Promise.resolve(idOf(path));
      },
      edit(entry, text) {
        const page = pages.get(pathOf(entry.id));
        if (page) Object.assign(page, { text, version: page.version + 1 });
        return Promise.resolve(entry.id);
      },
      rename(entry, title) {
        const page = pages.get(pathOf(entry.id));
        if (!page) return Promise.resolve(entry.id);
        const path = newPath();
        pages.delete(pathOf(entry.id));
        pages.set(path, { ...page, title });
        moved.set(pathOf(entry.id), path);
        return Promise.resolve(idOf(path));
      },
      remove: ({ id }) => Promise.resolve(void pages.delete(pathOf(id))),
      restore({ id, name, texts: [text = ""] }) {
        pages.set(pathOf(id), { title: name, text, version: (made += 1) });
        return Promise.resolve(true);
      },
      events: [() => void (isMapped = !isMapped)],
      titleOf: ({ name }) => name,
      // An inaccessible page looks like a missing one; this one fails temporarily.
      forbid: ({ id }) => void closed.add(pathOf(id)),
      fail: (fault, after) => void faults.push(...Array.from({ length: after }, () => "pass" as const), fault),
      heal() {
        faults = [];
        closed.clear();
      },
      requests: () => site.asked.length,
      // robots.txt, the sitemap, each page, and the redirects from former addresses.
      least: (count) => 2 + count + 2 * moved.size,
      close: () => site.close(),
    };
  },
};
