import type { Command } from "commander";
import type { Reprocessed } from "../../../core/index.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { confirm } from "../confirm.js";
import { EXIT_FAILED } from "../exit-codes.js";
import { UsageError } from "../failure.js";
import { notEmpty } from "../options.js";
import { requireExistingContainer } from "../require-container.js";
import { shellWord } from "../shell-word.js";
import { inDollars, printableLine } from "../style.js";
import { count } from "../../../lib/count.js";
import { NOTHING_LEFT, waitForReadings, type Outcome } from "../wait-for-readings.js";

/** Documents listed, or named in one call, at a time. */
const AT_ONCE = 1_000;
/** The result where no document is to be read. */
const NOTHING_DONE: Reprocessed = {
  dryRun: false,
  extractor: "",
  documents: 0,
  retried: 0,
  failedLeftOut: 0,
  bytes: 0,
  estimate: { inputTokens: 0, outputTokens: 0, cost: 0 },
  skipped: [],
};

interface ReprocessOptions {
  readonly container?: string;
  readonly all?: true;
  readonly failed?: true;
  readonly outdated?: boolean;
  readonly replace?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait: boolean;
}

/** What was done, and its outcome by the time the command ends. */
export interface ReprocessAnswer extends Reprocessed, Outcome {}

export function registerReprocess(program: Command, cli: Cli): void {
  program
    .command("reprocess")
    .description("Read documents again with the current language model, prompt or rules; nothing known is lost.")
    .argument("[documents...]", "ids or customIds of documents")
    .option("-c, --container <tag>", "the documents of a container", notEmpty)
    .option("--all", "the documents of all containers")
    .option("--failed", "the documents that could not be read, in all containers or in the one given by --container")
    .option("--outdated", "only those read by something older (default unless documents are named)")
    .option("--no-outdated", "also those already read in the current way")
    .option("--replace", "forget what only they state and is no longer found; `recollect undo` brings it back")
    .option("--dry-run", "only show how many there are and what it would take")
    .option("-y, --yes", "do not ask; required outside a terminal")
    .option("--no-wait", "return as soon as the work is queued")
    .addHelpText(
      "after",
      examples(cli, [
        "$ reprocess --all --dry-run",
        "$ reprocess --container work",
        "$ reprocess 3mJr7AoUXx2Wqd9ZtYbN4c",
        "$ reprocess --failed",
      ]),
    )
    .action(async (ids: readonly string[], options: ReprocessOptions) => reprocess(cli, ids, options));
}

async function reprocess(cli: Cli, named: readonly string[], options: ReprocessOptions): Promise<void> {
  checkWays(named, options);
  const answer = await withCore(cli, async (access): Promise<ReprocessAnswer | null> => {
    const ids = options.failed ? await findFailed(access, options.container) : named;
    const inputs = inputsOf(ids, options);
    const planned = await reprocessEach(access, inputs, true);
    if (options.dryRun || planned.documents === 0) return { ...planned, ...NOTHING_LEFT };
    const isAsked = ids.length === 0 && !options.yes;
    if (isAsked && !(await confirm(cli, `This reprocesses ${describePlan(planned)}.`, "read them again"))) return null;
    const done = await reprocessEach(access, inputs, false);
    const left = new Set(done.skipped.map(({ id }) => id));
    const begun = { documents: done.documents, named: ids.filter((id) => !left.has(id)) };
    return { ...done, ...(await waitForReadings(cli, access, begun, options.wait)) };
  });
  if (!answer) {
    cli.output.note("Nothing was changed.");
    cli.exitWith(EXIT_FAILED);
    return;
  }
  cli.output.answer(answer, () => describe(cli, answer, options));
  if (answer.failed.length > 0) cli.exitWith(EXIT_FAILED);
}

function checkWays(named: readonly string[], { container, all, failed, outdated }: ReprocessOptions): void {
  if (failed && (named.length > 0 || all || outdated !== undefined))
    throw new UsageError(
      "--failed cannot be combined with ids, --all, --outdated or --no-outdated: it selects all documents that could not be read",
    );
  const ways = [named.length > 0, container !== undefined || failed === true, all === true].filter(Boolean);
  if (ways.length !== 1)
    throw new UsageError("specify what to read again in exactly one way: documents, --container, --all or --failed");
}

/** The ids of the documents that failed. */
async function findFailed(access: Access, container: string | undefined): Promise<readonly string[]> {
  if (container !== undefined) await requireExistingContainer(access, container);
  const within = { statuses: ["failed" as const], ...(container !== undefined && { containerTags: [container] }) };
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const { documents, total } = await access.core.listDocuments(access.read, { ...within, page, limit: AT_ONCE });
    ids.push(...documents.map(({ id }) => id));
    if (documents.length < AT_ONCE || ids.length >= total) return ids;
  }
}

/** The calls to the core: as many as the named documents need. */
function inputsOf(ids: readonly string[], { container, all, failed, outdated, replace }: ReprocessOptions) {
  const shared = { ...(outdated !== undefined && { onlyOutdated: outdated }), ...(replace && { replace }) };
  if (ids.length === 0 && !failed)
    return [{ ...shared, ...(container !== undefined && { containerTag: container }), ...(all && { all }) }];
  const starts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, turn) => turn * AT_ONCE);
  return starts.map((start) => ({ ...shared, ids: ids.slice(start, start + AT_ONCE) }));
}

async function reprocessEach(
  { core, newWrite, read }: Access,
  inputs: ReturnType<typeof inputsOf>,
  dryRun: boolean,
): Promise<Reprocessed> {
  let whole: Reprocessed | null = null;
  for (const input of inputs) {
    const one = await core.reprocess(dryRun ? read : newWrite(), { ...input, dryRun });
    whole = whole === null ? one : together(whole, one);
  }
  return whole ?? { ...NOTHING_DONE, dryRun };
}

function together(one: Reprocessed, other: Reprocessed): Reprocessed {
  const costs = [one.estimate.cost, other.estimate.cost];
  return {
    ...one,
    documents: one.documents + other.documents,
    retried: one.retried + other.retried,
    failedLeftOut: one.failedLeftOut + other.failedLeftOut,
    bytes: one.bytes + other.bytes,
    estimate: {
      inputTokens: one.estimate.inputTokens + other.estimate.inputTokens,
      outputTokens: one.estimate.outputTokens + other.estimate.outputTokens,
      cost: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    },
    skipped: [...one.skipped, ...other.skipped],
  };
}

function describePlan({ documents, retried, bytes, extractor, estimate }: Reprocessed): string {
  const again = `${count(retried, "document")} that failed or could not be read yet`;
  if (documents === retried) return again;
  const read = `${count(documents - retried, "document")} (${Math.ceil(bytes / 1024)} KB) with ${extractor}`;
  const what = retried === 0 ? read : `${again}, and ${read}`;
  const { inputTokens, outputTokens, cost } = estimate;
  if (inputTokens === 0) return what;
  const price =
    cost === null
      ? "price unknown: set RECOLLECT_LLM_INPUT_PRICE and RECOLLECT_LLM_OUTPUT_PRICE"
      : `about ${inDollars(cost)}`;
  return `${what}, about ${inputTokens} tokens read and ${outputTokens} written, ${price}`;
}

function describe(cli: Cli, answer: ReprocessAnswer, { failed: isOfFailed, container }: ReprocessOptions): string[] {
  const { green, red, yellow } = cli.output.style;
  const skipped = [
    ...answer.skipped.map(({ id, reason }) => `${yellow("left alone:")} ${printableLine(id)}: ${reason}`),
    ...describeFailedLeftOut(cli, answer, container),
  ];
  if (answer.documents === 0)
    return [isOfFailed ? "No documents have failed." : "No documents need to be read again.", ...skipped];
  if (answer.dryRun) return [`would reprocess ${describePlan(answer)}`, ...skipped];
  const { failed, waiting, documents } = answer;
  const rest =
    waiting > 0
      ? [
          `${count(waiting, "document is", "documents are")} still to be read, which a running service does. To check: ${cli.invocation} status`,
        ]
      : [];
  return [
    ...(failed.length < documents ? [`${green("reprocessed:")} ${describePlan(answer)}`] : []),
    ...failed.map(({ id, reason }) => `${red("failed:")} ${printableLine(id)}: ${printableLine(reason)}`),
    ...rest,
    ...skipped,
  ];
}

function describeFailedLeftOut(cli: Cli, { failedLeftOut }: ReprocessAnswer, container: string | undefined): string[] {
  if (failedLeftOut === 0) return [];
  const where = container === undefined ? "" : ` --container ${shellWord(container)}`;
  const what = `${count(failedLeftOut, "document")} whose processing failed`;
  return [
    `${cli.output.style.yellow("left alone:")} ${what}. To try again: ${cli.invocation} reprocess --failed${where}`,
  ];
}
