import { Argument, type Command } from "commander";
import type { Reviewed } from "../../../core/index.js";
import type { Memory } from "../../../core/types.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { UsageError } from "../failure.js";
import { requireExistingContainer } from "../require-container.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

const ACTIONS = ["approve", "decline", "undo"] as const;
type Action = (typeof ACTIONS)[number];

interface ReviewOptions {
  readonly container?: string;
}

/** A guess, and how many memories it was derived from. */
interface Guess {
  readonly memory: Memory;
  readonly parentCount: number;
}

export function registerReview(program: Command, cli: Cli): void {
  program
    .command("review")
    .description("Show doubtful memories that wait for your review; approve or decline them, or undo that.")
    .addArgument(new Argument("[action]", "what to do with the memories").choices(ACTIONS))
    .argument("[ids...]", "ids of the memories, as printed by review")
    .option("-c, --container <tag>", "show only those of this container (default: all)")
    .addHelpText(
      "after",
      examples(cli, [
        "$ review",
        "$ review approve 3mJr7AoUXx2Wqd9ZtYbN4c",
        "$ review decline 3mJr7AoUXx2Wqd9ZtYbN4c",
        "$ review undo 3mJr7AoUXx2Wqd9ZtYbN4c",
      ]),
    )
    .action(async (action: Action | undefined, ids: readonly string[], options: ReviewOptions) =>
      action === undefined ? showGuesses(cli, options) : decide(cli, action, ids, options),
    );
}

async function showGuesses(cli: Cli, { container }: ReviewOptions): Promise<void> {
  const guesses = await withCore(cli, async (access) => {
    const found: Guess[] = [];
    for (const containerTag of await containersOf(access, container))
      found.push(...(await access.core.listInferred(access.read, { containerTag })));
    return found;
  });
  const memories = guesses.map(({ memory, parentCount }) => {
    const { id, text, containerTag, createdAt, updatedAt, metadata } = memory;
    return { id, memory: text, containerTag, parentCount, createdAt, updatedAt, metadata };
  });
  cli.output.answer({ memories, total: memories.length }, () => describe(cli, guesses));
}

async function containersOf(access: Access, container: string | undefined): Promise<readonly string[]> {
  if (container !== undefined) {
    await requireExistingContainer(access, container);
    return [container];
  }
  return (await access.core.listContainers(access.read)).containers.map(({ tag }) => tag);
}

function describe(cli: Cli, guesses: readonly Guess[]): string[] {
  if (guesses.length === 0) return ["Nothing is waiting for review."];
  const { dim } = cli.output.style;
  return [
    `${count(guesses.length, "memory waits", "memories wait")} for review:`,
    ...guesses.map(({ memory }) => {
      const about = [memory.containerTag, cli.localTime(memory.createdAt).slice(0, 10), whyOf(memory), memory.id];
      return `- ${printableLine(memory.text)}  ${dim(about.filter(Boolean).join(" · "))}`;
    }),
    `To decide: ${cli.invocation} review approve ID, or review decline ID`,
  ];
}

/** Why it was not simply believed, where that was noted. */
function whyOf({ metadata }: Memory): string {
  const flagged = metadata?.["flagged"];
  return flagged === undefined ? "" : `flagged: ${printableLine([flagged].flat().map(String).join(", "))}`;
}

async function decide(cli: Cli, action: Action, ids: readonly string[], { container }: ReviewOptions): Promise<void> {
  if (ids.length === 0) throw new UsageError(`give the ids of the memories to ${action}`);
  const reviewed = await withCore(cli, async (access) => {
    // All are looked up before anything is changed, so that one wrong id changes nothing.
    const places = new Map<string, string>();
    for (const id of ids) places.set(id, container ?? (await containerOf(access, id)));
    const done: Reviewed[] = [];
    for (const [id, containerTag] of places)
      done.push(await access.core.reviewInferred(access.newWrite(), { containerTag, id, action }));
    return done;
  });
  cli.output.answer({ reviewed }, () => reviewed.map((one) => describeReviewed(cli, one)));
}

async function containerOf({ core, read }: Access, id: string): Promise<string> {
  return (await core.readHistory(read, { id })).memory.containerTag;
}

function describeReviewed(cli: Cli, { id, reviewStatus }: Reviewed): string {
  const { green } = cli.output.style;
  if (reviewStatus === null) return `${green("open again:")} ${id} waits for review`;
  return `${green(`${reviewStatus}:`)} ${id}. To undo this: ${cli.invocation} review undo ${id}`;
}
