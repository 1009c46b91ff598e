import type { Command } from "commander";
import type { Fetched, Forgotten } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import { requireExistingContainer } from "../require-container.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { UsageError } from "../failure.js";
import { describeSource } from "../document-source.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

interface ForgetOptions {
  readonly text?: string;
  readonly query?: string;
  readonly container?: string;
  readonly reason?: string;
}

/** What was forgotten, and the documents deleted with everything they stated. */
interface Answer extends Forgotten {
  readonly deletedDocuments: readonly string[];
}

export function registerForget(program: Command, cli: Cli): void {
  program
    .command("forget")
    .description("Forget memories by id or by their exact text, or delete a document by its id.")
    .argument("[ids...]", "ids of memories or documents, as printed by search and add")
    .option("--text <text>", "the exact text of one memory")
    .option("--query <query>", "list what could be meant, without forgetting anything")
    .option(
      "-c, --container <tag>",
      "only in this container (default for --text: RECOLLECT_CONTAINER, or sm_project_default)",
    )
    .option("--reason <reason>", "reason, for the journal")
    .addHelpText(
      "after",
      examples(cli, [
        '$ forget --query "where I live"',
        "$ forget 3mJr7AoUXx2Wqd9ZtYbN4c",
        '$ forget --text "User lives in Lisbon" --container home',
      ]),
    )
    .action(async (ids: readonly string[], options: ForgetOptions) => forget(cli, ids, options));
}

async function forget(cli: Cli, ids: readonly string[], options: ForgetOptions): Promise<void> {
  const ways = [ids.length > 0, options.text !== undefined, options.query !== undefined].filter(Boolean);
  if (ways.length !== 1) throw new UsageError("specify what to forget in exactly one way: ids, --text or --query");
  const answer = await withCore(cli, (access) =>
    ids.length > 0 ? forgetIds(access, ids, options) : forgetText(cli, access, options),
  );
  cli.output.answer(answer, () => describe(cli, answer, options.query));
  const idle = whyReasonIsIdle(answer, options);
  if (idle !== null) cli.output.note(cli.output.style.yellow(`warning: --reason has no effect ${idle}`));
}

/** Only the memories that were forgotten keep the reason. */
function whyReasonIsIdle({ deletedDocuments }: Answer, { query, reason }: ForgetOptions): string | null {
  if (reason === undefined) return null;
  if (query !== undefined) return "with --query, which forgets nothing";
  return deletedDocuments.length > 0 ? "on documents, whose deletion records none" : null;
}

async function forgetText(cli: Cli, access: Access, options: ForgetOptions): Promise<Answer> {
  const { core, newWrite } = access;
  if (options.query !== undefined && options.container !== undefined)
    await requireExistingContainer(access, options.container);
  const forgotten = await core.forget(newWrite(), {
    ...(options.text === undefined
      ? { query: options.query, ...inContainer(options) }
      : { content: options.text, containerTag: options.container ?? (await cli.defaultContainer()) }),
    ...because(options),
  });
  return { ...forgotten, deletedDocuments: [] };
}

function inContainer({ container }: ForgetOptions): { containerTag?: string } {
  return container === undefined ? {} : { containerTag: container };
}

function because({ reason }: ForgetOptions): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Memories first; an id that is not a memory may be a document. */
async function forgetIds(access: Access, ids: readonly string[], options: ForgetOptions): Promise<Answer> {
  try {
    return { ...(await forgetMemories(access, ids, options)), deletedDocuments: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    return forgetBoth(access, ids, options);
  }
}

async function forgetMemories({ core, newWrite }: Access, ids: readonly string[], options: ForgetOptions) {
  return core.forget(newWrite(), { ids, ...inContainer(options), ...because(options) });
}

async function lookUp({ core, read }: Access, id: string, within: string | undefined): Promise<Fetched> {
  try {
    return await core.fetch(read, { id, within });
  } catch (error) {
    throw error instanceof AppError && error.kind === "not_found" ? unknownId(id, within) : error;
  }
}

function unknownId(id: string, within: string | undefined): AppError {
  const where = within === undefined ? "" : ` in ${within}`;
  return new AppError(
    "not_found",
    `There is no memory or document ${printableLine(id)}${where}. Nothing was changed. \`search\` prints the ids.`,
  );
}

/** Looks every id up before changing anything, so that one wrong id changes nothing. */
async function forgetBoth(access: Access, ids: readonly string[], options: ForgetOptions): Promise<Answer> {
  const memories: string[] = [];
  const documents = new Set<string>();
  for (const id of ids) {
    const { document } = await lookUp(access, id, options.container);
    if (document) documents.add(document.id);
    else memories.push(id);
  }
  const none: Forgotten = { forgotten: [], candidates: [], statedIn: [], batchId: null };
  const answer = memories.length > 0 ? await forgetMemories(access, memories, options) : none;
  for (const id of documents) await access.core.deleteDocument(access.newWrite(), { id });
  const statedIn = answer.statedIn.filter(({ id }) => !documents.has(id));
  return { ...answer, statedIn, deletedDocuments: [...documents] };
}

function describe(cli: Cli, answer: Answer, query: string | undefined): string[] {
  if (query !== undefined) return describeCandidates(cli, answer, query);
  const { green } = cli.output.style;
  return [
    ...answer.forgotten.map(({ id, text }) => `${green("forgotten:")} ${printableLine(text)}  [${id}]`),
    ...(answer.saidBy ?? []).map(({ id, text }) => `another memory still says it: ${printableLine(text)}  [${id}]`),
    ...answer.deletedDocuments.map((id) => `${green("deleted:")} document ${id} and what only it stated`),
    ...(answer.batchId === null ? [] : [`To undo this: ${cli.invocation} undo ${answer.batchId}`]),
    ...describeStating(cli, answer),
  ];
}

/** Where it is still stated, and how to remove it there too. */
function describeStating({ output, invocation }: Cli, { statedIn, forgotten }: Answer): string[] {
  const [document] = statedIn;
  const [memory] = forgotten;
  if (!document || !memory) return [];
  const isOne = statedIn.length === 1;
  return [
    isOne ? "The text of a document still states it:" : "The texts of documents still state it:",
    ...statedIn.map((stating) => `  ${output.style.bold(describeSource(stating))}  [${stating.id}]`),
    ...(statedIn.every(({ isLeftOut }) => isLeftOut) ? [] : ["The exact words are unknown, so searches may show it."]),
    `To remove ${isOne ? "it" : "one"} with what only it states: ${invocation} forget ${document.id}`,
    `To permanently cut only what the memory says out of it: ${invocation} purge --memory ${memory.id}`,
  ];
}

function describeCandidates(cli: Cli, { candidates }: Answer, query: string): string[] {
  if (candidates.length === 0) return [`No memory matches “${printableLine(query)}”. Nothing was forgotten.`];
  const { bold } = cli.output.style;
  return [
    `${count(candidates.length, "memory", "memories")} could be meant; nothing was forgotten yet:`,
    ...candidates.map(
      ({ id, text, similarity }) => `  ${bold(similarity.toFixed(2))}  ${printableLine(text)}  [${id}]`,
    ),
    `To forget one: ${cli.invocation} forget ${candidates[0]?.id}`,
  ];
}
