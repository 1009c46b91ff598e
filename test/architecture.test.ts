import { readdirSync, readFileSync } from "node:fs";
import { posix, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** What everything around the core may import from it. */
const EDGE = [
  "core/connections/connector-errors.ts",
  "core/connections/json-answer.ts",
  "core/connections/require-new-page.ts",
  "core/documents/content-ports.ts",
  "core/given-up.ts",
  "core/ports.ts",
  "core/store-ports.ts",
  "core/types.ts",
  "core/errors.ts",
  "lib",
];
/** What a transport may import from the core: its use cases, not its parts. */
const TRANSPORT = ["core/index.ts", "core/types.ts", "core/errors.ts", "lib"];

/**
 * Where a file lives -> what it may import besides its own place. The longest match decides. Everything that is not listed
 * here is forbidden, so that a new folder has to be declared.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  language: ["lib"],
  core: ["language", "lib"],
  ingest: ["core", "language", "lib"],
  jobs: EDGE,
  adapters: [...EDGE, "language"],
  extractors: [...EDGE, "core/documents/content-ports.ts", "language"],
  connectors: EDGE,
  transports: TRANSPORT,
  "transports/mcp": [
    ...TRANSPORT,
    "transports/allowed-hosts.ts",
    "transports/auth.ts",
    "transports/errors.ts",
    "transports/pagination.ts",
    "transports/pinning-header.ts",
    "transports/place-in-file.ts",
    "transports/request-id.ts",
    "transports/telemetry",
    "transports/unknown-fields.ts",
    "transports/unread-content.ts",
    "transports/visitor.ts",
  ],
  "transports/rest": [
    ...TRANSPORT,
    "transports/auth.ts",
    "transports/errors.ts",
    "transports/pages/html.ts",
    "transports/pagination.ts",
    "transports/pinning-header.ts",
    "transports/request-id.ts",
    "transports/telemetry",
    "transports/unknown-fields.ts",
    "transports/unread-content.ts",
    "transports/visitor.ts",
  ],
  "transports/console": [
    ...TRANSPORT,
    "transports/pages",
    "transports/allowed-hosts.ts",
    "transports/errors.ts",
    "transports/request-id.ts",
    "transports/telemetry",
  ],
  // Logging and counting of requests, shared by all transports.
  "transports/telemetry": [...TRANSPORT, "transports/auth.ts", "transports/request-id.ts", "transports/visitor.ts"],
  // Parts shared by browser pages, whichever transport serves them.
  "transports/pages": [...TRANSPORT, "transports/allowed-hosts.ts", "transports/auth.ts", "transports/errors.ts"],
  "transports/oauth": [
    ...TRANSPORT,
    "transports/pages",
    "transports/allowed-hosts.ts",
    "transports/auth.ts",
    "transports/errors.ts",
    "transports/request-id.ts",
  ],
  // With `--json` a command answers in the format of the API.
  "transports/cli": [
    ...TRANSPORT,
    "config/user-folders.ts",
    "transports/errors.ts",
    "transports/pagination.ts",
    "transports/place-in-file.ts",
    "transports/rest/search/present-search-result.ts",
    "transports/rest/memories/present-memory.ts",
    "transports/rest/containers/present-container.ts",
    "transports/rest/documents/present-document.ts",
  ],
  // The server that the other transports are mounted on.
  "transports/http.ts": [...TRANSPORT, "transports"],
  "config.ts": ["config", "lib"],
  config: ["lib"],
  "app.ts": ["assemble.ts", "core", "ingest", "adapters", "lib"],
  "assemble.ts": [
    "config.ts",
    "data-folder.ts",
    "recurring-work.ts",
    "core",
    "ingest",
    "jobs",
    "adapters",
    "extractors",
    "connectors",
    "language",
    "lib",
  ],
  "recurring-work.ts": ["core", "jobs"],
  // Operations on a data folder that another process may own.
  "data-folder.ts": ["config.ts", "core", "adapters", "lib"],
  "node.ts": ["app.ts", "core", "adapters", "lib"],
  "main.ts": ["data-folder.ts", "node.ts", "config.ts", "transports", "lib"],
};

/** The folders in these places may not import each other; only one table knows them all. */
const SEPARATE = ["adapters", "connectors"];
const TABLES = ["connectors/index.ts"];

const LONGEST_FILE = 500;

interface Source {
  /** Path with `/`, relative to the folder that was read. */
  readonly path: string;
  readonly text: string;
  /** The text without comments, so that words about code are not taken for code. */
  readonly code: string;
}

function readSources(folder: string, endings: readonly string[]): Source[] {
  const root = resolve(ROOT, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => resolve(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`))
    .map((file) => {
      const text = readFileSync(file, "utf8");
      return { path: relative(root, file).split(sep).join("/"), text, code: withoutComments(text) };
    });
}

/** Quoted text stays: an address such as "https://…" contains no comment. */
function withoutComments(text: string): string {
  const pieces =
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[^]*?\*\/|(?<=^|[\s;{}(,])\/\/[^\n]*/g;
  return text.replace(pieces, (_match, quoted: string | undefined) => quoted ?? " ");
}

/** `import … from`, `export … from` and `import(…)`; the first group marks types, which do not exist at run time. */
const STATIC_IMPORT = /(?:^|[;\n])\s*(?:import|export)\b(\s+type\b)?(?:[^"'`;]*?\bfrom)?\s*["']([^"']+)["']/g;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*["']([^"']+)["']/g;

interface Import {
  readonly target: string;
  readonly isOurs: boolean;
  /** False if only types are imported. */
  readonly isRuntime: boolean;
}

function importsOf({ path, code }: Source): Import[] {
  const found = [
    ...[...code.matchAll(STATIC_IMPORT)].map(([, type, target = ""]) => ({ target, isRuntime: type === undefined })),
    ...[...code.matchAll(DYNAMIC_IMPORT)].map(([, target = ""]) => ({ target, isRuntime: true })),
  ];
  return found.map(({ target, isRuntime }) => {
    const isOurs = target.startsWith(".");
    const file = isOurs ? posix.join(posix.dirname(path), target).replace(/\.js$/, ".ts") : target;
    return { target: file, isOurs, isRuntime };
  });
}

function oursIn(source: Source): string[] {
  return importsOf(source).flatMap(({ target, isOurs }) => (isOurs ? target : []));
}

/** Package names, without the path inside them. */
function packagesIn(source: Source): string[] {
  return importsOf(source)
    .filter(({ isOurs }) => !isOurs)
    .map(({ target }) => target.split("/", target.startsWith("@") ? 2 : 1).join("/"));
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

function homeOf(file: string): string | undefined {
  return Object.keys(LAYERS)
    .filter((place) => isWithin(file, place))
    .toSorted((left, right) => right.length - left.length)[0];
}

/** Why a file may not import another one, or undefined if it may. */
function objectionTo(file: string, target: string): string | undefined {
  const home = homeOf(file);
  if (home === undefined) return `${file} has no place in the layout`;
  const isAllowed = isWithin(target, home) || (LAYERS[home] ?? []).some((place) => isWithin(target, place));
  const areStrangers =
    !TABLES.includes(file) &&
    SEPARATE.some(
      (place) => isWithin(file, place) && isWithin(target, place) && file.split("/")[1] !== target.split("/")[1],
    );
  return isAllowed && !areStrangers ? undefined : `${file} -> ${target}`;
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const begin = trail.indexOf(file);
    if (begin >= 0) cycles.push([...trail.slice(begin), file].join(" -> "));
    if (begin >= 0 || finished.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

const sources = readSources("src", [".ts"]);
const tests = readSources("test", [".ts", ".mjs"]);
const manifest = JSON.parse(readFileSync(resolve(ROOT, "package.json"), "utf8")) as {
  dependencies: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
};

/** Paths of the sources whose code matches, except those in the places given. */
function pathsMatching(pattern: RegExp, ...exceptions: string[]): string[] {
  return sources
    .filter(({ path, code }) => pattern.test(code) && !exceptions.some((place) => isWithin(path, place)))
    .map(({ path }) => path);
}

describe("the sources", () => {
  test("import along the layers only", () => {
    const objections = sources.flatMap((source) =>
      oursIn(source).flatMap((target) => objectionTo(source.path, target) ?? []),
    );
    expect(objections).toEqual([]);
  });

  test("have a place in the layout, each of them", () => {
    expect(sources.map(({ path }) => path).filter((path) => homeOf(path) === undefined)).toEqual([]);
  });

  test("import nothing that does not exist", () => {
    const known = new Set(sources.map(({ path }) => path));
    const missing = sources.flatMap((source) =>
      oursIn(source)
        .filter((target) => !known.has(target) && !target.endsWith(".json"))
        .map((target) => `${source.path} -> ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test("have no circles of imports at run time", () => {
    const graph = sources.map((source): [string, string[]] => [
      source.path,
      importsOf(source).flatMap(({ target, isOurs, isRuntime }) => (isOurs && isRuntime ? target : [])),
    ]);
    expect(findCycles(new Map(graph))).toEqual([]);
  });

  test("use only packages that package.json names", () => {
    const allowed = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
    const strangers = sources.flatMap((source) =>
      packagesIn(source)
        .filter((name) => !name.startsWith("node:") && !allowed.has(name))
        .map((name) => `${source.path} -> ${name}`),
    );
    expect(strangers).toEqual([]);
  });

  test("keep vendors, SQL and HTTP out of the core", () => {
    const strangers = sources
      .filter(({ path }) => isWithin(path, "core"))
      .flatMap((source) => packagesIn(source).map((name) => `${source.path} -> ${name}`))
      .filter((line) => !/ -> (zod|node:(crypto|path|util|timers|perf_hooks|async_hooks))$/.test(line));
    expect(strangers).toEqual([]);
  });

  test("read the environment in config.ts only", () => {
    expect(pathsMatching(/process\s*\.\s*env|\benv\b[^;]*from "(node:)?process"/, "config.ts")).toEqual([]);
  });

  test("write to standard output in the CLI only: elsewhere it belongs to MCP", () => {
    expect(pathsMatching(/\bconsole\s*\.|process\s*\.\s*stdout/, "transports/cli", "transports/console")).toEqual([]);
  });

  test("have no default exports and no names that say nothing", () => {
    expect(pathsMatching(/^export default /m)).toEqual([]);
    expect(sources.map(({ path }) => path).filter((path) => /util|helper|manager|common\.|misc/i.test(path))).toEqual(
      [],
    );
  });
});

test.each([
  ["src", sources],
  ["test", tests],
])("no file in %s is longer than 500 lines", (_folder, files) => {
  const long = files.filter(({ text }) => text.split("\n").length > LONGEST_FILE + 1);
  expect(long.map(({ path, text }) => `${path}: ${text.split("\n").length - 1}`)).toEqual([]);
});

describe("this test itself", () => {
  test.each([
    ["core/search.ts", "core/ports.ts", undefined],
    ["core/search.ts", "lib/ids.ts", undefined],
    ["core/search.ts", "adapters/store/db.ts", "core/search.ts -> adapters/store/db.ts"],
    ["lib/ids.ts", "core/types.ts", "lib/ids.ts -> core/types.ts"],
    ["adapters/store/db.ts", "core/ports.ts", undefined],
    ["adapters/store/db.ts", "core/search.ts", "adapters/store/db.ts -> core/search.ts"],
    ["adapters/store/db.ts", "adapters/vectors/exact.ts", "adapters/store/db.ts -> adapters/vectors/exact.ts"],
    ["transports/mcp/index.ts", "transports/rest/index.ts", "transports/mcp/index.ts -> transports/rest/index.ts"],
    ["transports/http.ts", "transports/rest/index.ts", undefined],
    ["transports/cli/index.ts", "app.ts", "transports/cli/index.ts -> app.ts"],
    ["app.ts", "transports/http.ts", "app.ts -> transports/http.ts"],
    ["main.ts", "core/index.ts", "main.ts -> core/index.ts"],
    ["stray/file.ts", "lib/ids.ts", "stray/file.ts has no place in the layout"],
  ])("%s -> %s", (file, target, objection) => {
    expect(objectionTo(file, target)).toBe(objection);
  });

  test("finds a circle", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["a"]],
      ["d", []],
    ]);
    expect(findCycles(graph)).toEqual(["a -> b -> c -> a"]);
  });

  test("sees imports, also of types and at run time, and none in comments", () => {
    const text = [
      'import type { A } from "../types.js";',
      'export { b } from "./b.js";',
      'const c = await import("pkg/deep");',
      'import "side-effect";',
      '// import "./ghost.js"',
      '/* from "./ghost.js" */',
      'const address = "https://x"; import { d } from "./d.js";',
      'export const WORDS = ["from", "import", "x"];',
    ].join("\n");
    const source: Source = { path: "core/search.ts", text, code: withoutComments(text) };
    expect(importsOf(source)).toEqual([
      { target: "types.ts", isOurs: true, isRuntime: false },
      { target: "core/b.ts", isOurs: true, isRuntime: true },
      { target: "side-effect", isOurs: false, isRuntime: true },
      { target: "core/d.ts", isOurs: true, isRuntime: true },
      { target: "pkg/deep", isOurs: false, isRuntime: true },
    ]);
    expect(packagesIn(source)).toEqual(["side-effect", "pkg"]);
  });
});
