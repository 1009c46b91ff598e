import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWebCrawlerConnector } from "../../src/connectors/web-crawler/web-crawler.js";
import type { SourceAccess } from "../../src/core/ports.js";
import { useCleanups } from "../support/cleanups.js";
import { findProgram, type Proxy, startNginx } from "../support/proxies.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const NGINX = findProgram("nginx");
const CHAPTERS = 40;
const PAGES = 2_000;

const cleanups = useCleanups();

/** A site in a folder served by nginx: a first page, chapters, and the pages that they link to. */
class Site {
  readonly #folder: string;
  readonly #log: string;
  readonly #server: Proxy;

  private constructor(folder: string, log: string, server: Proxy) {
    this.#folder = folder;
    this.#log = log;
    this.#server = server;
    cleanups.push(
      () => rm(folder, { recursive: true, force: true }),
      () => server.close(),
    );
  }

  static async start(program: string): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), "recollect-site-"));
    const log = join(folder, "access.log");
    const server = await startNginx(
      program,
      ({ port }) => `
  log_format short '$status $request_uri';
  types { text/html html; }
  server { listen 127.0.0.1:${port}; root ${folder}; index index.html; access_log ${log} short; }`,
    );
    return new Site(folder, log, server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async write(name: string, text: string, links: readonly string[]): Promise<void> {
    const list = links.map((link) => `<li><a href="${link}.html">${link}</a></li>`).join("");
    const html = `<!doctype html><title>${name}</title><article><h1>${name}</h1><p>${text}</p><ul>${list}</ul></article>`;
    await writeFile(join(this.#folder, `${name}.html`), html);
  }

  remove(name: string): Promise<void> {
    return rm(join(this.#folder, `${name}.html`));
  }

  /** The statuses that nginx has returned since the last call, by path. */
  async answered(): Promise<Map<string, number[]>> {
    const lines = (await readFile(this.#log, "utf8")).split("\n").filter((line) => line !== "");
    await writeFile(this.#log, "");
    const found = new Map<string, number[]>();
    for (const line of lines) {
      const [status, path = ""] = line.split(" ");
      found.set(path, [...(found.get(path) ?? []), Number(status)]);
    }
    found.delete("/robots.txt");
    found.delete("/sitemap.xml");
    return found;
  }
}

const chapterOf = (page: number): number => page % CHAPTERS;
const pagesOfChapter = (chapter: number): number[] =>
  Array.from({ length: PAGES - CHAPTERS - 1 }, (_, page) => page).filter((page) => chapterOf(page) === chapter);
const nameOf = (page: number): string => `page-${page}`;

function writeChapter(site: Site, chapter: number, more: readonly string[] = []): Promise<void> {
  const links = [...pagesOfChapter(chapter).map(nameOf), ...more];
  return site.write(`chapter-${chapter}`, `Chapter ${chapter} tells of ${links.length} fields.`, links);
}

function writePage(site: Site, page: number, text: string): Promise<void> {
  // Links to its chapter and to others, like a menu.
  return site.write(nameOf(page), text, ["index", `chapter-${chapterOf(page)}`, nameOf((page + 7) % 1_900)]);
}

/** Crawls the site, and stores pages as the engine does. @returns new, unchanged and removed pages */
async function crawl(site: Site, versions: Map<string, Awaited<ReturnType<SourceAccess["known"]>>>) {
  const connector = createWebCrawlerConnector();
  const access = sourceAccess(connector, {
    metadata: { startUrl: `${site.url}/index.html`, maxPages: 5_000 },
    known: (id) => Promise.resolve(versions.get(id) ?? null),
  });
  const pages = await pagesOf(connector, access);
  const said = { read: [] as string[], unchanged: 0, removed: [] as string[] };
  for (const [id, change] of itemsOf(pages)) {
    const name = id.replace(`${site.url}/`, "").replace(".html", "");
    if (change === null) {
      if (versions.delete(id)) said.removed.push(name);
      continue;
    }
    const { version, detail } = change.item;
    if (versions.get(id)?.version === version) said.unchanged += 1;
    else said.read.push(name);
    versions.set(id, { version, detail });
  }
  expect(pages.at(-1)?.cutShort).toBeUndefined();
  return { ...said, largest: Math.max(...pages.map(({ checkpoint }) => JSON.stringify(checkpoint).length)) };
}

test.skipIf(NGINX === undefined)(
  `a site of 2,000 pages behind nginx is read once, and then only its changes${NGINX === undefined ? " (nginx is not installed here)" : ""}`,
  async () => {
    const site = await Site.start(NGINX ?? "");
    const chapters = Array.from({ length: CHAPTERS }, (_, chapter) => chapter);
    await site.write(
      "index",
      "The farm has forty fields and a well.",
      chapters.map((chapter) => `chapter-${chapter}`),
    );
    for (const chapter of chapters) await writeChapter(site, chapter);
    for (const page of chapters.flatMap(pagesOfChapter))
      await writePage(site, page, `Field ${page} bears ${page} sacks.`);
    const versions = new Map<string, Awaited<ReturnType<SourceAccess["known"]>>>();

    const first = await crawl(site, versions);
    expect(first.read).toHaveLength(PAGES);
    expect(new Set(first.read).size).toBe(PAGES);
    const asked = await site.answered();
    expect(asked.size).toBe(PAGES);
    expect([...asked.values()].filter((statuses) => statuses.join() !== "200")).toEqual([]);
    // The state kept to survive a kill stays small.
    expect(first.largest).toBeLessThan(300_000);

    const second = await crawl(site, versions);
    expect(second).toMatchObject({ read: [], removed: [], unchanged: PAGES });
    const again = await site.answered();
    expect(again.size).toBe(PAGES);
    expect([...again.values()].filter((statuses) => statuses.join() !== "304")).toEqual([]);

    const changed = [3, 200, 401, 602, 803, 1_004, 1_205, 1_406, 1_607, 1_808, 1_909, 50, 60, 70, 80];
    for (const page of changed) await writePage(site, page, `Field ${page} bears nothing at all this year.`);
    const gone = [5, 105, 305, 505, 705];
    for (const page of gone) await site.remove(nameOf(page));
    const added = ["orchard", "cellar", "stable", "meadow", "pond"];
    for (const [index, name] of added.entries()) {
      await site.write(name, `The ${name} is new.`, ["index"]);
      await writeChapter(site, index, [name]);
    }
    const third = await crawl(site, versions);
    const newer = [...changed.map(nameOf), ...added, ...added.map((_, index) => `chapter-${index}`)];
    expect(third.read.toSorted()).toEqual(newer.toSorted());
    expect(third.removed.toSorted()).toEqual(gone.map(nameOf).toSorted());
    const statuses = [...(await site.answered()).values()].flat();
    expect(statuses.filter((status) => status === 200)).toHaveLength(newer.length);
    expect(statuses.filter((status) => status === 404)).toHaveLength(gone.length);
    expect(versions.size).toBe(PAGES);
  },
  180_000,
);
