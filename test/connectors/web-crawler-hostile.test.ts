import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { useCleanups } from "../support/cleanups.js";
import { connect, type Connected, lastRun } from "../support/connection.js";

/* What one page, or whoever may place a link on a site, can do to the crawl of all the others. */

const cleanups = useCleanups();

type Reply = { readonly status?: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

/** A site that answers each path with its given reply, or 404. */
async function serve(answerTo: (path: string, port: number) => Reply | undefined) {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    asked.push(path);
    const { port } = server.address() as AddressInfo;
    const { status = 200, body = "", headers = {} } = answerTo(path, port) ?? { status: 404, body: "no" };
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked };
}

function page(title: string, ...links: string[]): Reply {
  const anchors = links.map((link) => `<a href="${link}">on</a>`).join(" ");
  return {
    body: `<!doctype html><title>${title}</title><article><h1>${title}</h1><p>${title} has a sentence of its own.</p>${anchors}</article>`,
  };
}
const redirect = (location: string): Reply => ({ status: 302, headers: { location } });

async function crawl(startUrl: string, metadata: Readonly<Record<string, unknown>> = {}): Promise<Connected> {
  const connected = await connect({ provider: "web-crawler", metadata: { startUrl, ...metadata } });
  cleanups.push(() => connected.close());
  return connected;
}

async function pathsOf({ core, actor }: Connected): Promise<string[]> {
  const { documents } = await core.listDocuments({ actor }, { limit: 100 });
  return documents.map(({ customId }) => new URL(customId ?? "").pathname).toSorted();
}

test("a link that redirects into a private network is skipped", async () => {
  const pages: Record<string, Reply> = {
    "/": page("Home", "/go", "/a"),
    "/go": redirect("http://10.0.0.1/"),
    "/a": page("Pears"),
  };
  const site = await serve((path) => pages[path]);
  const connected = await crawl(`${site.url}/`);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done" });
  expect(await pathsOf(connected)).toEqual(["/", "/a"]);
});

test("a missing or failing subdomain is skipped, and everything else is read", async () => {
  const site = await serve((path, port) => {
    if (path === "/") return page("Home", `http://none.localhost:${port}/b`, `http://x.localhost:${port}/b`, "/a");
    return path === "/a" ? page("Pears") : undefined;
  });
  const connected = await crawl(`http://localhost:${site.port}/`, { subdomains: true });
  expect(await pathsOf(connected)).toEqual(["/", "/a"]);
});

test("a page that keeps asking for time is reported as failing, and everything else is imported", async () => {
  const busy: Reply = { status: 503, body: "busy", headers: { "retry-after": "1" } };
  const pages: Record<string, Reply> = { "/": page("Home", "/busy", "/a"), "/busy": busy, "/a": page("Pears") };
  const site = await serve((path) => pages[path]);
  const connected = await crawl(`${site.url}/`);
  const run = () => lastRun(connected, connected.id);
  await expect.poll(async () => (await connected.settle(), (await run()).status), { timeout: 20_000 }).toBe("partial");
  expect(await pathsOf(connected)).toEqual(["/", "/a"]);
  expect(await run()).toMatchObject({ failed: 1, failures: [{ itemId: expect.stringContaining("/busy") }] });
  expect(site.asked.filter((path) => path === "/busy")).toHaveLength(4);
  pages["/busy"] = page("Busy no more");
  expect(await connected.sync()).toMatchObject({ status: "done" });
  expect(await pathsOf(connected)).toEqual(["/", "/a", "/busy"]);
}, 60_000);

test("a redirect is not followed to a page that robots.txt forbids", async () => {
  const rules = { body: "User-agent: *\nDisallow: /private\n", headers: { "content-type": "text/plain" } };
  const pages: Record<string, Reply> = {
    "/robots.txt": rules,
    "/": page("Home", "/a"),
    "/a": redirect("/private/diary"),
    "/private/diary": page("Diary"),
  };
  const site = await serve((path) => pages[path]);
  expect(await pathsOf(await crawl(`${site.url}/`))).toEqual(["/"]);
});

test("a page that fails and then redirects to another host imports nothing from there", async () => {
  const other = await serve((path) => (path === "/secret" ? page("Secret") : undefined));
  let asked = 0;
  const site = await serve((path) => {
    if (path === "/") return page("Home", "/a");
    if (path !== "/a") return undefined;
    asked += 1;
    return asked === 1 ? { status: 500, body: "broken" } : redirect(`${other.url}/secret`);
  });
  const connected = await crawl(`${site.url}/`);
  expect(asked).toBe(2);
  expect(Object.keys(await connected.texts())).toEqual(["Home"]);
});
