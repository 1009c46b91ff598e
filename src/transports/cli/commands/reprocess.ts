import type { Command } from "commander";
import type { Reprocessed } from "../../../core/index.js";
import { sleep } from "../../../lib/time.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { confirm } from "../confirm.js";
import { UsageError } from "../failure.js";
import { notEmpty } from "../options.js";
import { dollars, oneLine } from "../style.js";
import { count } from "../../../lib/count.js";

/** Between two looks at how much is left. */
const POLL_MS = 500;
/** Nothing was finished for so long: it waits for a language model that is away. */
const PATIENCE_MS = 120_000;

interface ReprocessOptions {
  readonly container?: string;
  readonly all?: true;
  readonly outdated?: boolean;
  readonly replace?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait: boolean;
}

/** What was done, and how many documents are still to be read when the command ends. */
interface Answer extends Reprocessed {
  readonly waiting: number;
}

export function registerReprocess(program: Command, cli: Cli): void {
  program
    .command("reprocess")
    .description("Read documents again with the present language model, prompt or rules; nothing known is lost.")
    .argument("[documents...]", "ids or customIds of documents")
    .option("-c, --container <tag>", "the documents of a container", notEmpty)
    .option("--all", "the documents of all containers")
    .option("--outdated", "only those that something older has read (default unless documents are named)")
    .option("--no-outdated", "also those that were read like this already")
    .option("--replace", "forget what only they state and is not found again; `recollect undo` brings it back")
    .option("--dry-run", "only say how many there are and what it would take")
    .option("-y, --yes", "do not ask; needed where no person watches")
    .option("--no-wait", "answer as soon as the work is queued")
    .addHelpText(
      "after",
      examples(cli, [
        "$ reprocess --all --dry-run",
        "$ reprocess --container work",
        "$ reprocess 3mJr7AoUXx2Wqd9ZtYbN4c",
      ]),
    )
    .action(async (ids: readonly string[], options: ReprocessOptions) => reprocess(cli, ids, options));
}

async function reprocess(cli: Cli, ids: readonly string[], options: ReprocessOptions): Promise<void> {
  const ways = [ids.length > 0, options.container !== undefined, options.all === true].filter(Boolean);
  if (ways.length !== 1)
    throw new UsageError("say what to read again in exactly one way: documents, --container or --all");
  const input = {
    ...(ids.length > 0 && { ids }),
    ...(options.container !== undefined && { containerTag: options.container }),
    ...(options.all && { all: true }),
    ...(options.outdated !== undefined && { onlyOutdated: options.outdated }),
    ...(options.replace && { replace: true }),
  };
  const answer = await withCore(cli, async (access): Promise<Answer | null> => {
    const planned = await access.core.reprocess(access.read, { ...input, dryRun: true });
    if (options.dryRun || planned.documents === 0) return { ...planned, waiting: 0 };
    const isAsked = ids.length === 0 && !options.yes;
    if (isAsked && !(await confirm(cli, `This has ${describePlan(planned)}.`, "read them again"))) return null;
    const done = await access.core.reprocess(access.newWrite(), input);
    return { ...done, waiting: await waitForReaders(cli, access, done, options.wait) };
  });
  if (!answer) {
    cli.output.note("Nothing was changed.");
    cli.exitWith(1);
    return;
  }
  cli.output.answer(answer, () => describe(cli, answer));
}

/** @returns how many documents are still to be read */
async function waitForReaders(
  cli: Cli,
  { core, read }: Access,
  { documents }: Reprocessed,
  isPatient: boolean,
): Promise<number> {
  const countLeft = async () => (await core.status(read)).reprocessing;
  let left = await countLeft();
  if (!isPatient || left === 0) return left;
  const progress = cli.output.progress(describeProgress(left, documents));
  try {
    for (let deadline = Date.now() + PATIENCE_MS; left > 0 && Date.now() < deadline;) {
      await sleep(POLL_MS);
      const now = await countLeft();
      if (now < left) deadline = Date.now() + PATIENCE_MS;
      left = now;
      progress.update(describeProgress(left, documents));
    }
    return left;
  } finally {
    progress.stop();
  }
}

function describeProgress(left: number, documents: number): string {
  return `reading again: ${Math.max(0, documents - left)} of ${documents}`;
}

function describePlan({ documents, retried, bytes, extractor, estimate }: Reprocessed): string {
  const again = `${count(retried, "document")} that failed or could not be read yet tried again`;
  if (documents === retried) return again;
  const read = `${count(documents - retried, "document")} (${Math.ceil(bytes / 1024)} KB) read by ${extractor}`;
  const what = retried === 0 ? read : `${again}, ${read}`;
  const { inputTokens, outputTokens, cost } = estimate;
  if (inputTokens === 0) return what;
  const price =
    cost === null
      ? "price not known: set RECOLLECT_LLM_INPUT_PRICE and RECOLLECT_LLM_OUTPUT_PRICE"
      : `about ${dollars(cost)}`;
  return `${what}, about ${inputTokens} tokens read and ${outputTokens} written, ${price}`;
}

function describe(cli: Cli, answer: Answer): string[] {
  const { green, yellow } = cli.output.style;
  const skipped = answer.skipped.map(({ id, reason }) => `${yellow("left alone:")} ${oneLine(id)}: ${reason}`);
  if (answer.documents === 0) return ["No documents are to be read again.", ...skipped];
  if (answer.dryRun) return [`would have ${describePlan(answer)}`, ...skipped];
  const rest =
    answer.waiting > 0
      ? [`${count(answer.waiting, "document")} to be read yet, whenever the service runs: ${cli.invocation} status`]
      : [];
  return [`${green("reprocessed:")} ${describePlan(answer)}`, ...rest, ...skipped];
}
