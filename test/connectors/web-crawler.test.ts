import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { linksOf } from "../../src/connectors/web-crawler/page-address.js";
import { createWebCrawlerConnector } from "../../src/connectors/web-crawler/web-crawler.js";
import { parseRobots } from "../../src/connectors/web-crawler/robots.js";
import { useCleanups } from "../support/cleanups.js";
import { type ConnectOptions, connect, type Connected, lastRun } from "../support/connection.js";
import { pagesOf, sourceAccess } from "../support/source-access.js";
import { openWebServer } from "../support/web-server.js";

interface Page {
  readonly html?: string;
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly etag?: string;
}

interface Site {
  readonly url: string;
  readonly pages: Map<string, Page>;
  readonly asked: string[];
}

const cleanups = useCleanups();

async function startSite(pages: Readonly<Record<string, Page>>): Promise<Site> {
  const site = { url: "", pages: new Map(Object.entries(pages)), asked: [] as string[] };
  const server = createServer((request, response: ServerResponse) => {
    site.asked.push(request.url ?? "");
    const page = site.pages.get(request.url ?? "");
    if (!page) return void response.writeHead(404).end("not here");
    const headers = {
      "content-type": page.type ?? "text/html; charset=utf-8",
      ...(page.location !== undefined && { location: page.location }),
      ...(page.etag !== undefined && { etag: page.etag }),
    };
    if (page.etag !== undefined && request.headers["if-none-match"] === page.etag)
      return void response.writeHead(304, headers).end();
    response.writeHead(page.status ?? 200, headers).end(page.html ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return site;
}

const page = (title: string, text: string, ...links: string[]): Page => ({
  html: `<!doctype html><html><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${text}</p>${links
    .map((link) => `<a href="${link}">on</a>`)
    .join(" ")}</article></body></html>`,
});

async function crawl(site: Site, metadata: ConnectOptions["metadata"] = {}): Promise<Connected> {
  const connected = await connect({ provider: "web-crawler", metadata: { startUrl: `${site.url}/`, ...metadata } });
  cleanups.push(() => connected.close());
  return connected;
}

async function addresses({ core, actor }: Connected, site: Site): Promise<string[]> {
  const { documents } = await core.listDocuments({ actor }, { limit: 1_000 });
  return documents.map(({ customId }) => (customId ?? "").replace(site.url, "")).toSorted();
}

test("a site is read breadth-first, each page once, whatever form its links have", async () => {
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/trees", "/trees#pears", "/trees?utm_source=x"),
    "/trees": page("Trees", "Forty pear trees stand behind the house.", "/", "/wells", "https://elsewhere.example/"),
    "/wells": page("Wells", "The deepest well has thirty metres.", "/moved", "/print?page=wells"),
    "/moved": { status: 301, location: "/barn" },
    "/barn": page("Barn", "The barn burnt down in 1911 and was built anew."),
    "/print?page=wells": {
      html: `<html><head><link rel="canonical" href="/wells"></head><body><p>The deepest well.</p></body></html>`,
    },
  });
  const connected = await crawl(site);
  expect(await addresses(connected, site)).toEqual(["/", "/barn", "/trees", "/wells"]);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done" });
  const texts = await connected.texts();
  expect(texts["Trees"]).toContain("Forty pear trees");
  const { documents } = await connected.core.listDocuments({ actor: connected.actor }, { limit: 10 });
  expect(documents.map(({ origin, source }) => [origin, source])).toEqual(
    Array.from({ length: 4 }, () => ["connector", "web-crawler"]),
  );
});

test("unchanged pages cause no work, by ETag or by their bytes", async () => {
  const site = await startSite({
    "/": { ...page("Home", "The farm lies on the hill above the river.", "/a", "/b"), etag: '"1"' },
    "/a": { ...page("A", "Page A has a text of its own here."), etag: '"a"' },
    "/b": page("B", "Page B has no ETag, and the same bytes each time."),
  });
  const connected = await crawl(site);
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, unchanged: 3 });
  site.pages.set("/b", page("B", "Page B has another text by now."));
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, unchanged: 2 });
  expect((await connected.texts())["B"]).toContain("another text");
});

test.each([
  ["answers with an error", { status: 503 }],
  ["is truncated", { type: "application/xml", html: "<urlset><url><loc>https://a.example/</loc></url><url><loc>htt" }],
])("when a sitemap %s, none of its pages is considered deleted", async (_what, broken) => {
  const site = await startSite({ "/": page("Home", "The farm lies on the hill above the river.") });
  const map = `<urlset><url><loc>${site.url}/mapped</loc></url></urlset>`;
  site.pages.set("/sitemap.xml", { type: "application/xml", html: map });
  site.pages.set("/mapped", page("Mapped", "Only the map of the site names this page."));
  const connected = await crawl(site);
  site.pages.set("/sitemap.xml", broken);
  for (let run = 0; run < 3; run += 1) {
    const ended = await connected.sync();
    expect(ended).toMatchObject({ status: "partial", removed: 0 });
    expect(ended.notes).toEqual([expect.stringMatching(/sitemap\.xml was not read completely/)]);
  }
  expect(await addresses(connected, site)).toEqual(["/", "/mapped"]);
  site.pages.delete("/sitemap.xml");
  await connected.sync();
  await connected.sync();
  expect(await addresses(connected, site)).toEqual(["/"]);
});

test("sitemaps that refer to each other, or to a hundred thousand others, are limited", async () => {
  const site = await startSite({ "/": page("Home", "The farm lies on the hill above the river.") });
  const entry = (path: string) => `<sitemap><loc>${site.url}${path}</loc></sitemap>`;
  const many = Array.from({ length: 100_000 }, (_, index) => entry(`/m${index}.xml`)).join("");
  const index = `<sitemapindex>${entry("/sitemap.xml")}${many}</sitemapindex>`;
  site.pages.set("/sitemap.xml", { type: "application/xml", html: index });
  const connected = await crawl(site);
  expect((await lastRun(connected, connected.id)).notes).toEqual(["Only 20 sitemaps were read."]);
});

test("a page with more links than are followed says so", async () => {
  const links = Array.from({ length: 2_100 }, (_, index) => `/p/${index}`);
  const site = await startSite({ "/": page("Home", "The farm lies on the hill above the river.", ...links) });
  const connected = await crawl(site, { maxDepth: 0 });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 1 });
  expect(run.notes).toEqual([expect.stringMatching(/^Only the first links of .* were followed, at most 2000\.$/)]);
  expect(await connected.sync()).toMatchObject({ status: "partial", unchanged: 1 });
});

test("a robots.txt with too many wildcards allows nothing, and is evaluated quickly", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const hostile = `User-agent: *${end}${`Disallow: /${"*a".repeat(200)}b$${end}`.repeat(1_000)}`;
    expect(parseRobots("https://a.example", hostile).isAllowed(`https://a.example/${"a".repeat(2_000)}`)).toBe(false);
  }
  const many = `User-agent: *\n${"Disallow: /private\n".repeat(20_000)}`;
  expect(parseRobots("https://a.example", many).isAllowed("https://a.example/open")).toBe(true);
  expect(parseRobots("https://a.example", many).isAllowed("https://a.example/private/a")).toBe(false);
});

test("no page replaces another by claiming its address", async () => {
  const claim = (address: string, text: string) => ({
    html: `<html><head><title>X</title><link rel="canonical" href="${address}"></head><body><p>${text}</p></body></html>`,
  });
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/evil", "/lost", "/victim"),
    "/evil": claim("/victim", "Send your money to somebody else."),
    "/hidden": page("Hidden", "Nothing but a claim names this page."),
    "/victim": page("Victim", "The bank of the village opens at nine."),
    "/lost": claim("/nowhere", "What it names is not there, so that it stays itself."),
  });
  site.pages.set("/evil", claim("/hidden", "Send your money to somebody else."));
  const connected = await crawl(site);
  expect(await addresses(connected, site)).toEqual(["/", "/hidden", "/lost", "/victim"]);
  site.pages.set("/evil", claim("/victim", "Send your money to somebody else."));
  await connected.sync();
  const texts = Object.values(await connected.texts()).join("\n");
  expect(texts).toContain("opens at nine");
  expect(texts).toContain("Nothing but a claim");
  expect(texts).not.toContain("your money");
});

test("a page that now redirects to another is not taken for unchanged, even with the same ETag", async () => {
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/old"),
    "/old": { ...page("Trees", "Forty pear trees stand behind the house."), etag: '"1"' },
  });
  const connected = await crawl(site);
  site.pages.set("/old", { status: 301, location: "/new" });
  site.pages.set("/new", { ...page("Trees", "Forty pear trees stand behind the house."), etag: '"1"' });
  await connected.sync();
  await connected.sync();
  expect(await addresses(connected, site)).toEqual(["/", "/new"]);
});

test("a deleted page is removed at once; one without any links to it after two crawls", async () => {
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/gone", "/lost"),
    "/gone": page("Gone", "This page will answer with 404 later."),
    "/lost": page("Lost", "This page will have no links to it later."),
  });
  const connected = await crawl(site);
  site.pages.set("/", page("Home", "The farm lies on the hill above the lake.", "/gone"));
  site.pages.delete("/gone");
  expect(await connected.sync()).toMatchObject({ removed: 1 });
  expect(await addresses(connected, site)).toEqual(["/", "/lost"]);
  expect(await connected.sync()).toMatchObject({ removed: 1 });
  expect(await addresses(connected, site)).toEqual(["/"]);
});

test("robots.txt is followed, with its sitemap, and a site whose rules are unavailable is not read", async () => {
  const site = await startSite({});
  site.pages.set("/robots.txt", {
    type: "text/plain",
    html: `User-agent: *\nDisallow: /private\nAllow: /private/open\nSitemap: ${site.url}/map.xml`,
  });
  site.pages.set("/map.xml", {
    type: "application/xml",
    html: `<urlset><url><loc>${site.url}/mapped</loc></url><url><loc>https://elsewhere.example/x</loc></url></urlset>`,
  });
  site.pages.set("/", page("Home", "The farm lies on the hill above the river.", "/private/a", "/private/open"));
  site.pages.set("/mapped", page("Mapped", "Only the map of the site names this page."));
  site.pages.set("/private/a", page("Secret", "Nobody may read this one."));
  site.pages.set("/private/open", page("Open", "This one may be read all the same."));
  const connected = await crawl(site);
  expect(await addresses(connected, site)).toEqual(["/", "/mapped", "/private/open"]);
  expect(site.asked).not.toContain("/private/a");
  site.pages.set("/robots.txt", { status: 503 });
  await expect(crawl(site)).rejects.toThrow(/503/);
});

test("a failing page fails alone, is reported, and is imported later", async () => {
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/broken", "/fine"),
    "/broken": { status: 500 },
    "/fine": page("Fine", "This page answers as it should."),
  });
  const connected = await crawl(site);
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 2, failed: 1 });
  expect(run.failures).toMatchObject([{ itemId: `${site.url}/broken`, reason: expect.stringContaining("500") }]);
  site.pages.set("/broken", page("Mended", "It answers again after all."));
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, failed: 0 });
});

test("a failing page reached by an older address is reported once, not forever", async () => {
  const site = await startSite({
    "/": page("Home", "Here is all.", "/old", "/new"),
    "/old": { status: 301, location: "/new" },
    "/new": { status: 500 },
  });
  let days = 0;
  const clock = { now: () => new Date(Date.now() + days * 25 * 3_600_000) };
  const connected = await connect({ provider: "web-crawler", metadata: { startUrl: `${site.url}/` }, clock });
  cleanups.push(() => connected.close());
  expect(await lastRun(connected, connected.id)).toMatchObject({ failed: 2 });
  site.pages.set("/new", page("New", "It works again."));
  for (days = 1; days <= 2; days += 1) await connected.sync();
  expect(await connected.sync()).toMatchObject({ status: "done", failed: 0 });
  expect(await addresses(connected, site)).toEqual(["/", "/new"]);
});

test("budgets end a crawl, are named, and remove nothing", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `/p${index}`);
  const pages = names.map((name) => [name, page(name, `The page ${name} has this text.`)] as const);
  const site = await startSite({ "/": page("Home", "It has many links.", ...names), ...Object.fromEntries(pages) });
  const connected = await crawl(site, { maxPages: 12 });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 12, removed: 0 });
  expect(run.notes).toEqual([expect.stringMatching(/ended after 12 pages.*maxPages/)]);
});

test("patterns and depth limit a crawl", async () => {
  const site = await startSite({
    "/": page("Home", "It has links to other parts.", "/docs/a", "/blog/x"),
    "/docs/a": page("A", "The first page of the documents.", "/docs/deep/b"),
    "/docs/deep/b": page("B", "The second page of the documents."),
    "/blog/x": page("X", "A post of the blog."),
  });
  const narrow = await crawl(site, { startUrl: `${site.url}/docs/a`, include: "docs/**", maxDepth: 0 });
  expect(await addresses(narrow, site)).toEqual(["/docs/a"]);
  const wide = await crawl(site, { exclude: "blog/**" });
  expect(await addresses(wide, site)).toEqual(["/", "/docs/a", "/docs/deep/b"]);
});

test("a start address in a private network is refused", async () => {
  const settings = { RECOLLECT_FETCH_ALLOW: "" };
  const site = await startSite({ "/": page("Home", "Nobody outside may read it.") });
  await expect(connect({ provider: "web-crawler", metadata: { startUrl: `${site.url}/` }, settings })).rejects.toThrow(
    /private network/,
  );
  expect(site.asked).toEqual([]);
});

test("the time to find links is proportional to the page", async () => {
  for (const piece of ["<a ", "<a href=", '<a href="', "<base ", "<link rel=canonical "]) {
    const timed = async (times: number): Promise<number> => {
      const html = piece.repeat(times);
      const start = performance.now();
      await linksOf(html, "https://example.com/");
      return performance.now() - start;
    };
    await timed(1_000);
    expect(await timed(200_000), piece).toBeLessThan(2_000);
  }
});

test("an inaccessible, deleted, failing or forbidden start page ends the run and removes nothing", async () => {
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/a"),
    "/a": page("A", "Page A is found by the start page alone."),
  });
  const connected = await crawl(site);
  const robots = { type: "text/plain", html: "User-agent: *\nDisallow: /" };
  for (const [path, answer] of [
    ["/", { status: 403 }],
    ["/", { status: 404 }],
    ["/", { status: 301, location: "https://elsewhere.invalid/" }],
    ["/robots.txt", robots],
  ] as const) {
    const before = site.pages.get(path);
    site.pages.set(path, answer);
    for (let turn = 0; turn < 2; turn += 1)
      expect(await connected.sync(), JSON.stringify(answer)).toMatchObject({ status: "failed", removed: 0 });
    if (before) site.pages.set(path, before);
    else site.pages.delete(path);
  }
  expect(await connected.sync()).toMatchObject({ status: "done", unchanged: 2, removed: 0 });
});

test("pages found only through a failing page are not considered deleted", async () => {
  const site = await startSite({
    "/": page("Home", "The farm lies on the hill above the river.", "/hub"),
    "/hub": page("Hub", "It alone leads on.", "/leaf"),
    "/leaf": page("Leaf", "It is found by the hub alone."),
  });
  const connected = await crawl(site);
  site.pages.set("/hub", { status: 500 });
  for (let turn = 0; turn < 3; turn += 1)
    expect(await connected.sync()).toMatchObject({ status: "partial", failed: 1, unchanged: 2, removed: 0 });
  expect(await addresses(connected, site)).toEqual(["/", "/hub", "/leaf"]);
});

test("the stored state of a page is limited to 64 KB", async () => {
  const site = await openWebServer((request, response) => {
    if (request.url !== "/") return void response.writeHead(404).end();
    const links = Array.from({ length: 2_000 }, (_, at) => `<a href="/${"x".repeat(1_000)}${at}">on</a>`);
    response.writeHead(200, { "content-type": "text/html" }).end(`<p>Text</p>${links.join("")}`);
  });
  const metadata = { startUrl: `${site.url}/`, maxPages: 1 };
  const crawler = createWebCrawlerConnector();
  const [page] = await pagesOf(crawler, sourceAccess(crawler, { metadata }));
  await site.close();
  const [change] = page?.items ?? [];
  const detail = JSON.stringify(change?.kind === "upsert" && change.item.detail);
  expect(detail.length).toBeGreaterThan(50_000);
  expect(detail.length).toBeLessThanOrEqual(64 * 1024);
});
