import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { EmbeddingEstimate, EmbeddingStatus, ShownMove } from "../../../core/index.js";
import { sleep } from "../../../lib/time.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { confirm } from "../confirm.js";
import { UsageError } from "../failure.js";
import { notEmpty, wholeNumberOption } from "../options.js";
import { inDollars, printableLine, pairs } from "../style.js";
import { count } from "../../../lib/count.js";

/** Milliseconds between two checks of the progress. */
const POLL_MS = 500;
const MOST_DIMENSIONS = 65_536;

interface UseOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly dimensions?: number;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait: boolean;
}

const ACTIONS = [
  ["pause", "Stop filling the next embedder until resumed, even across restarts."],
  ["resume", "Continue filling the next embedder."],
  ["switch", "Let the next embedder take over as soon as it is filled, even if it finds less."],
  ["rollback", "Go back to the previous embedder, or abandon the move to the next one."],
  ["drop", "Remove the vectors of the previous embedder; after that, there is no way back."],
] as const;

export function registerEmbeddings(program: Command, cli: Cli): void {
  const embeddings = program
    .command("embeddings")
    .description("Show what turns text into vectors, and change it while the service keeps answering.")
    .addHelpText(
      "after",
      examples(cli, [
        "$ embeddings",
        "$ embeddings use openai --model text-embedding-3-small --dry-run",
        "$ embeddings rollback",
      ]),
    )
    .action(async () => show(cli));
  embeddings
    .command("status")
    .description("Show the active embedder, the progress of a move to another one, and what is kept.")
    .action(async () => show(cli));
  embeddings
    .command("use")
    .description("Fill another embedder in the background; it takes over when it is filled.")
    .argument("<kind>", "builtin, static or openai (any compatible service; its key is RECOLLECT_EMBEDDING_API_KEY)")
    .option("--model <model>", "model, or the folder of a static one", notEmpty)
    .option("--base-url <url>", "base URL of the service, e.g. http://127.0.0.1:11434/v1", notEmpty)
    .option("--dimensions <size>", "size of the vectors to request", wholeNumberOption(1, MOST_DIMENSIONS))
    .option("--dry-run", "only show how many texts there are and what it would take")
    .option("-y, --yes", "do not ask; required outside a terminal if the service may cost something")
    .option("--no-wait", "return as soon as it has started")
    .addHelpText(
      "after",
      examples(cli, [
        "$ embeddings use static",
        "$ embeddings use openai --base-url http://127.0.0.1:11434/v1 --model nomic-embed-text",
        "$ embeddings use builtin --no-wait",
      ]),
    )
    .action(async (kind: string, options: UseOptions) => use(cli, kind, options));
  for (const [action, description] of ACTIONS)
    embeddings
      .command(action)
      .description(description)
      .addHelpText("after", examples(cli, [`$ embeddings ${action}`]))
      .action(async () => change(cli, action));
}

async function show(cli: Cli): Promise<void> {
  const status = await withCore(cli, ({ core, read }) => core.getEmbeddings(read));
  cli.output.answer(status, () => describe(cli, status));
}

async function change(cli: Cli, action: (typeof ACTIONS)[number][0]): Promise<void> {
  const changed = await withCore(cli, ({ core, newWrite }) => core.changeEmbeddings(newWrite(), { action }));
  cli.output.answer(changed, () => [printableLine(changed.done)]);
}

async function use(cli: Cli, kind: string, options: UseOptions): Promise<void> {
  const choice = readChoice(kind, options);
  const answer = await withCore(cli, async (access) => {
    const { core, read, newWrite } = access;
    const estimate = await core.getEmbeddingEstimate(read, { choice });
    if (options.dryRun)
      return { done: describeEstimate(estimate), estimate, embeddings: await core.getEmbeddings(read) };
    const mayCost = estimate.cost !== 0 && estimate.texts > 0;
    if (mayCost && !options.yes && !(await confirm(cli, `${describeEstimate(estimate)}.`, "embed them"))) return null;
    const changed = await core.changeEmbeddings(newWrite(), { action: "use", choice });
    const embeddings = options.wait ? await watch(cli, access, changed.embeddings) : changed.embeddings;
    return { done: changed.done, estimate, embeddings };
  });
  if (!answer) {
    cli.output.note("Nothing was changed.");
    cli.exitWith(1);
    return;
  }
  cli.output.answer(answer, () => (options.dryRun ? [answer.done] : describe(cli, answer.embeddings)));
}

/** @throws UsageError for options that do not apply to this kind */
function readChoice(kind: string, { model, baseUrl, dimensions }: UseOptions): Readonly<Record<string, unknown>> {
  const given = { model, baseUrl, dimensions };
  const useful = USED_BY[kind];
  if (!useful) throw new UsageError(`there is no embedder ${JSON.stringify(kind)}; use builtin, static or openai`);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !useful.includes(name))
      throw new UsageError(`the embedder ${kind} does not use --${name === "baseUrl" ? "base-url" : name}`);
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  // The service may run in another working folder than this command.
  const isFolder = kind === "static" && model !== undefined && /^([.~/\\]|[A-Za-z]:)/.test(model);
  return { kind, ...said, ...(isFolder && { model: resolve(model.replace(/^~(?=[/\\]|$)/, homedir())) }) };
}

const USED_BY: Readonly<Record<string, readonly string[]>> = {
  builtin: [],
  static: ["model"],
  openai: ["model", "baseUrl", "dimensions"],
};

/** Shows the progress until the new embedder has taken over, or does not continue by itself. */
async function watch(cli: Cli, { core, read }: Access, first: EmbeddingStatus): Promise<EmbeddingStatus> {
  let status = first;
  if (!status.next) return status;
  const progress = cli.output.progress(describeMove(status.next));
  try {
    while (status.next && status.next.state !== "paused" && status.next.problem === null) {
      await sleep(POLL_MS);
      status = await core.getEmbeddings(read);
      if (status.next) progress.update(describeMove(status.next));
    }
    return status;
  } finally {
    progress.stop();
  }
}

function describeEstimate({ name, texts, tokens, cost, minutes }: EmbeddingEstimate): string {
  const price =
    cost === null ? "price unknown: set RECOLLECT_EMBEDDING_PRICE" : cost === 0 ? "free" : `about ${inDollars(cost)}`;
  const time = minutes === null ? "" : `, at least ${count(minutes, "minute")}`;
  return `${printableLine(name)}: ${count(texts, "text")}, about ${tokens} tokens, ${price}${time}`;
}

function describe(cli: Cli, { active, next, previous }: EmbeddingStatus): string[] {
  const { green, yellow, red } = cli.output.style;
  const lines: [string, string][] = [
    [
      "active",
      active.isAnswering ? green(printableLine(active.name)) : red(`${printableLine(active.name)} (unavailable)`),
    ],
  ];
  if (next) lines.push(["next", printableLine(next.name)], ["progress", describeMove(next)]);
  if (next?.comparison) lines.push(["compared", describeComparison(next.comparison)]);
  if (next?.problem) lines.push(["waiting", yellow(printableLine(next.problem))]);
  if (previous)
    lines.push([
      "kept",
      `${printableLine(previous.name)} until ${previous.keptUntil?.slice(0, 10) ?? "it is dropped"}`,
    ]);
  return [...pairs(lines), ...hints(cli, { next, previous })];
}

export function describeMove({
  state,
  done,
  total,
  perMinute,
  minutesLeft,
  cost,
  download,
}: Pick<ShownMove, "state" | "done" | "total" | "perMinute" | "minutesLeft" | "cost" | "download">): string {
  if (download && state === "preparing")
    return `downloading: ${megabytes(download.bytes)} of ${megabytes(download.total)} MB`;
  const share = total > 0 ? `, ${Math.floor((100 * done) / total)}%` : "";
  const rate = perMinute === null ? "" : `, ${perMinute} per minute`;
  const left = minutesLeft === null || minutesLeft === 0 ? "" : `, ${count(minutesLeft, "minute")} left`;
  const spent = cost === null || cost === 0 ? "" : `, ${inDollars(cost)} so far`;
  return `${state}: ${done} of ${count(total, "text")}${share}${rate}${left}${spent}`;
}

function describeComparison({ searches, overlap, active, next }: NonNullable<ShownMove["comparison"]>): string {
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  const same = overlap === null ? "" : `${percent(overlap)} of the ten nearest are the same; `;
  const before = active === null ? "" : `, the active one ${percent(active.found)}`;
  return `${count(searches, "search", "searches")}: ${same}it finds ${percent(next.found)} of the sources${before}`;
}

function hints(cli: Cli, { next, previous }: Pick<EmbeddingStatus, "next" | "previous">): string[] {
  const say = (command: string) => `${cli.invocation} embeddings ${command}`;
  if (next?.comparison?.isSane === false) return [`To decide: ${say("switch")}, or ${say("rollback")}`];
  if (next?.state === "paused") return [`To continue: ${say("resume")}`];
  return previous && !next ? [`To go back: ${say("rollback")}`] : [];
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
