// Records which libraries the joined program contains, and under which licences. Plain JavaScript: it is part of the
// build.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const INSTALLED = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * Writes the name, version and licence text of each library that one of the files belongs to.
 * @param {string} target
 * @param {readonly string[]} files paths, including those of the program itself
 */
export function writeLicences(target, files) {
  const folders = new Set(files.flatMap((file) => INSTALLED.exec(file)?.[0] ?? []));
  const parts = [...folders].sort().map(describeLibrary);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${[...new Set(parts)].join("\n\n----\n\n")}\n`);
}

function describeLibrary(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(({ name: file }) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
