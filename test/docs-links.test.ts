import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = [
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file.replaceAll("\\", "/")}`),
  ...readdirSync(ROOT).filter((file) => file.endsWith(".md")),
];
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");
const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = read(page)
    .replaceAll(/^```[^]*?^```$/gm, "")
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Links from a page into this repository with a missing target. */
function brokenLinks(page: string): string[] {
  return [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
}

/** Paths of the repository that a page names and that do not exist; `*` stands for any name. */
function missingPaths(page: string): string[] {
  return [...read(page).matchAll(/`((?:src|test|docs)\/[\w./*-]+)`/g)]
    .map(([, path = ""]) => path)
    .filter((path) => !path.includes("*") && !existsSync(join(ROOT, path)));
}

test.each(PAGES)("every link of %s leads somewhere", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test.each(PAGES)("every path that %s names exists", (page) => {
  expect(missingPaths(page)).toEqual([]);
});

test("docs/README.md lists every page", () => {
  const index = read("docs/README.md");
  const missing = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md").filter(
    (page) => !index.includes(`(${page.slice("docs/".length)})`),
  );
  expect(missing).toEqual([]);
});

/** Numbered statements of the contract, such as 3.4. */
const CONTRACT_NUMBERS = new Set(
  [...read("docs/contract.md").matchAll(/^\*\*(\d+\.\d+) /gm)].map(([, number = ""]) => number),
);

const SOURCES = ["src", "test"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => /\.(ts|mjs)$/.test(file) && statSync(join(ROOT, file)).isFile()),
);

test("every number of the contract is given once", () => {
  const numbers = [...read("docs/contract.md").matchAll(/^\*\*(\d+\.\d+) /gm)].map(([, number]) => number);
  expect(numbers.length).toBeGreaterThan(50);
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

test("every reference to the contract leads to one of its numbers", () => {
  const lost = SOURCES.flatMap((file) =>
    [...read(file).matchAll(/\bcontract (\d+\.\d+(?:, \d+\.\d+)*)/g)].flatMap(([, numbers = ""]) =>
      numbers
        .split(", ")
        .filter((number) => !CONTRACT_NUMBERS.has(number))
        .map((number) => `${file}: contract ${number}`),
    ),
  );
  expect(lost).toEqual([]);
});

test("no source names a document that is not in the repository", () => {
  const named =
    /(?:contract(?:-gaps)?|design|extraction)\.md\b|(?<!docs\/)\bclients\.md\b|\bG-\d\d\b|(?:contract(?:-gaps)?|clients)(?:\.md)? §\d/g;
  const own = "test/docs-links.test.ts";
  const lost = SOURCES.filter((file) => file !== own).flatMap((file) =>
    [...read(file).matchAll(named)].map(([text]) => `${file}: ${text}`),
  );
  expect(lost).toEqual([]);
});
