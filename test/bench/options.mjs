import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** The parts of a run, in order. */
export const SECTIONS = [
  "search",
  "loop",
  "containers",
  "ingest",
  "mix",
  "connections",
  "vectors",
  "postgres",
  "mcp",
  "peers",
  "facts",
  "silence",
  "reading",
  "pages",
];

const HELP = `npm run bench -- [options]

How fast Recollect searches and takes in, how that grows, and how other memories do on the same data. Prints a Markdown table
and writes a report with charts. Runs the built program in processes of its own, on made-up notes; every search has an answer
that is known, and the exit code is 1 when such an answer is missing or something fails. No time fails a run.

  --sizes 1k,10k,100k  notes in one container                       (default 1k,10k,100k)
  --million            also 1M notes; allow for hours
  --quick              1k and 10k, fewer calls: a first look in a minute or two
  --only a,b           parts of the run: ${SECTIONS.join(", ")}
  --no-peers           nothing but Recollect
  --build-peers        runs the install script of better-sqlite3, which mem0ai uses; without it a slower stand-in does
  --seed N             another set of notes                         (default 1)
  --out DIR            where the report goes                        (default bench-report)
  --data DIR           keeps filled data folders there and uses them again, for several runs of one version
  --cache DIR          where peers and the Chroma engine are installed (default ~/.cache/recollect-bench)
  --dist DIR           another build                                (default dist)
  --set NAME=value     a setting of Recollect; may be repeated
  --help               this text
`;

/** Reads the command line. Throws an Error with a readable message; `help` is a text when help was requested. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      sizes: { type: "string" },
      million: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      peers: { type: "boolean", default: true },
      "build-peers": { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
      out: { type: "string", default: join(ROOT, "bench-report") },
      data: { type: "string" },
      cache: { type: "string", default: join(homedir(), ".cache", "recollect-bench") },
      dist: { type: "string", default: join(ROOT, "dist") },
      set: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  const sizes = readSizes(values.sizes ?? (values.quick ? "1k,10k" : "1k,10k,100k"));
  if (values.million && !sizes.includes(1_000_000)) sizes.push(1_000_000);
  return {
    help: values.help ? HELP : null,
    sizes: sizes.sort((a, b) => a - b),
    quick: values.quick,
    sections: readSections(values),
    seed: readNumber(values.seed, "--seed"),
    out: resolve(values.out),
    buildPeers: values["build-peers"],
    data: values.data === undefined ? null : resolve(values.data),
    cache: resolve(values.cache),
    dist: resolve(values.dist),
    settings: Object.fromEntries(values.set.map(readSetting)),
  };
}

function readSizes(text) {
  return text.split(",").map((part) => {
    const match = /^(\d+)([km]?)$/i.exec(part.trim());
    if (!match || Number(match[1]) === 0) throw new Error(`--sizes: ${part} is no size; write 500, 1k or 1m.`);
    return Number(match[1]) * { "": 1, k: 1_000, m: 1_000_000 }[match[2].toLowerCase()];
  });
}

function readSections({ only, peers }) {
  const chosen = only === undefined ? SECTIONS : only.split(",").map((name) => name.trim());
  const unknown = chosen.find((name) => !SECTIONS.includes(name));
  if (unknown !== undefined) throw new Error(`--only: there is no part ${unknown}; there are ${SECTIONS.join(", ")}.`);
  return new Set(chosen.filter((name) => peers || name !== "peers"));
}

function readNumber(text, name) {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name}: ${text} is no whole number.`);
  return Number(text);
}

function readSetting(text) {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`--set: ${text} must be NAME=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
