import { resolve } from "node:path";
import type { Command } from "commander";
import type { AddDocumentInput, ExplainedReceipt } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { EXIT_FAILED } from "../exit-codes.js";
import { confirm, isTerminal } from "../confirm.js";
import { UsageError } from "../failure.js";
import { collect, readMetadata } from "../options.js";
import { describeFacts } from "../present.js";
import { addFiles, describeSummary, filesSummaryOf } from "../files/add-files.js";
import { addPages } from "../files/add-pages.js";
import { findFiles, isLocalFolder, isThere, looksLikeGlob } from "../files/find-files.js";
import { customIdFields, isAddress, isName, isSingleWord, refuseUnreadable } from "../files/names.js";
import { pathIdentity } from "../files/path-identity.js";
import { withSidecars } from "../files/sidecars.js";
import { countSent } from "../files/count-sent.js";
import { readPassword } from "../files/read-password.js";
import { sendFile, type AwaitReceipt } from "../files/send-file.js";
import { readTextFrom } from "../read-text.js";
import { indent, printableLine } from "../style.js";
import { count } from "../../../lib/count.js";
import { describeState, waitUntilUnderstood } from "../wait.js";
import { watchFolder } from "../watch/watch-folder.js";

interface AddOptions {
  readonly text?: boolean;
  readonly container?: string;
  readonly customId?: string;
  readonly title?: string;
  readonly metadata?: readonly string[];
  readonly date?: string;
  readonly forgetAfter?: string;
  readonly fact?: readonly string[];
  readonly updates?: string;
  readonly passwordFile?: string;
  readonly watch?: boolean;
  readonly wait: boolean;
  readonly yes?: boolean;
}

/** Files that are added without asking first. */
const MOST_UNASKED = 1_000;
/** Options that apply to a single document only. */
const OF_ONE_DOCUMENT = [
  "customId",
  "title",
  "fact",
  "updates",
  "passwordFile",
] as const satisfies readonly (keyof AddOptions)[];

/** What is added, and how it is treated. */
interface Source {
  readonly content: string;
  /** Identifies the document when it is added again. */
  readonly customId?: string;
  /** A note that a person typed is worth remembering verbatim. */
  readonly rememberAsIs: boolean;
}

export function registerAdd(program: Command, cli: Cli): void {
  program
    .command("add")
    .description("Store text, files, folders, web pages or standard input, and learn the facts in them.")
    .argument(
      "[text|file|folder|url|-...]",
      "words to remember, files (text, PDF, Office, mail, pictures and more), folders or globs such as 'notes/**/*.md', the address of a web page, or - for standard input",
    )
    .option("--text", "treat the argument as words even if a file has that name")
    .option(
      "-c, --container <tag>",
      "the container to store it in (default: RECOLLECT_CONTAINER, or sm_project_default)",
    )
    .option(
      "--custom-id <id>",
      "your own id; adding with the same id again replaces the document (default for a file: its path; for a page: its address)",
    )
    .option("--title <title>", "a title (default for a file: its own title, or its name)")
    .option("-m, --metadata <key=value>", "a field to filter by, or a JSON object; may be repeated", collect)
    .option("--date <date>", "the ISO date of the content; `yesterday` in it is relative to that date")
    .option("--forget-after <date>", "the ISO date or date-time at which it is forgotten, with what only it states")
    .option(
      "-f, --fact <text>",
      "a fact to remember, in your own words, instead of finding facts; may be repeated",
      collect,
    )
    .option("--updates <id>", "id of the memory that the text, or the only --fact, replaces")
    .option("--password-file <path>", "file with the password of an encrypted PDF, or - for standard input")
    .option("-y, --yes", "do not ask before adding more than a thousand files")
    .option(
      "--watch",
      "keep following the folder until Ctrl-C: files that are added, changed or moved are taken in; deleting a file deletes its document",
    )
    .option("--no-wait", "return as soon as it is stored, before it can be found")
    .addHelpText(
      "after",
      examples(cli, [
        '$ add "I prefer green tea to coffee"',
        "$ add notes.md --container work",
        "$ add notes/ 'journal/**/*.md'",
        "$ add report.pdf minutes.docx",
        "$ add notes/ --watch",
        "$ add https://example.org/handbook --container work",
        "git log -5 | $ add - --title 'Last commits' --metadata project=atlas",
        '$ add "User lives in Porto" --updates 3mJr7AoUXx2Wqd9ZtYbN4c',
        '$ add talk.txt --date 2025-06-01 --fact "Ana leads the Atlas project"',
      ]),
    )
    .action(async (words: readonly string[], options: AddOptions) => {
      if (options.watch) return follow(cli, words, options);
      if (areNames(words, options)) return addAll(cli, words, options);
      return add(cli, words.length === 0 ? undefined : joinWords(words, options), options);
    });
}

async function follow(cli: Cli, words: readonly string[], options: AddOptions): Promise<void> {
  const [folder = "", ...others] = words;
  if (others.length > 0 || options.text || !isLocalFolder(folder))
    throw new UsageError("--watch needs exactly one folder");
  refuseOfOne(options);
  const container = options.container ?? (await cli.defaultContainer());
  const mayAdd = (files: number) => mayAddMany(cli, files, options);
  await watchFolder(cli, { folder, container, shared: sharedInput(container, options), waits: options.wait, mayAdd });
}

function refuseOfOne(options: AddOptions): void {
  const unfit = OF_ONE_DOCUMENT.find((name) => options[name] !== undefined);
  if (unfit !== undefined)
    throw new UsageError(
      `--${unfit.replace(/[A-Z]/g, "-$&").toLowerCase()} can be used with one file, not with several`,
    );
}

async function mayAddMany(cli: Cli, files: number, { yes }: AddOptions): Promise<boolean> {
  return files <= MOST_UNASKED || yes === true || confirm(cli, `${count(files, "file")} would be added.`, "add them");
}

/** True if the words name several files or pages: a folder, a glob, or several names. */
function areNames(words: readonly string[], { text }: AddOptions): boolean {
  if (text || words.length === 0) return false;
  return words.length === 1 ? words.some((word) => isLocalFolder(word) || looksLikeGlob(word)) : words.every(isName);
}

async function addAll(cli: Cli, names: readonly string[], options: AddOptions): Promise<void> {
  refuseOfOne(options);
  refuseUnreadable(names);
  const addresses = names.filter(isAddress);
  const paths = names.filter((name) => !isAddress(name));
  const { files: found, leftOut } = await findFiles(paths);
  const files = await withSidecars(found);
  for (const sentence of leftOut) cli.output.note(cli.output.style.yellow(`warning: ${sentence}`));
  if (files.length + addresses.length === 0)
    throw new AppError("not_found", `There are no files to add in ${paths.join(", ")}.`);
  if (!(await mayAddMany(cli, files.length, options))) return cli.output.note("Nothing was added.");
  const shared = sharedInput(options.container ?? (await cli.defaultContainer()), options);
  const adding = { shared, waits: options.wait };
  const sent = countSent(files.length + addresses.length);
  const addEach = async (access: Access) => [
    ...(files.length > 0 ? await addFiles(cli, access, { ...adding, files }, sent.onSent) : []),
    ...(await addPages(cli, access, { ...adding, addresses }, sent.onSent)),
  ];
  const outcomes = await withCore(cli, addEach, { begins: true }).catch(sent.explainInterruption);
  cli.output.answer({ ...filesSummaryOf(outcomes), leftOut }, () => describeSummary(outcomes, cli.invocation));
  if (outcomes.some(({ outcome }) => outcome === "failed")) cli.exitWith(EXIT_FAILED);
}

async function add(cli: Cli, argument: string | undefined, options: AddOptions): Promise<void> {
  const container = options.container ?? (await cli.defaultContainer());
  const isOfFile = argument !== undefined && isFile(argument, options);
  if (!isOfFile && options.passwordFile !== undefined)
    throw new UsageError("--password-file needs a file that is encrypted");
  const sending = isOfFile
    ? await fileSending(argument, container, options, await readPassword(cli, options.passwordFile))
    : textSending(inputOf(await readSource(cli, argument, options), container, options), options);
  const receipt = await withCore(
    cli,
    async (access) => {
      if (!options.wait) return (await sending(access))(() => undefined);
      const progress = cli.output.progress("adding");
      try {
        return await (
          await sending(access)
        )((state) => progress.update(state));
      } finally {
        progress.stop();
      }
    },
    { begins: true },
  );
  cli.output.answer(receipt, () => describeReceipt(cli, receipt, options.wait));
  for (const warning of receipt.warnings ?? []) cli.output.note(cli.output.style.yellow(`warning: ${warning}`));
  if (receipt.status === "failed") cli.exitWith(EXIT_FAILED);
}

function isFile(argument: string, { text }: AddOptions): boolean {
  return !text && argument !== "-" && isThere(argument);
}

type Sending = (access: Access) => Promise<AwaitReceipt>;

function textSending(input: AddDocumentInput, { wait }: AddOptions): Sending {
  return async ({ core, newWrite }) => {
    const call = newWrite();
    if (wait) return (onState) => waitUntilUnderstood(core, call, input, onState);
    const receipt = await core.addDocument(call, input);
    return () => Promise.resolve(receipt);
  };
}

async function fileSending(
  path: string,
  container: string,
  options: AddOptions,
  secret: { readonly password?: string },
): Promise<Sending> {
  const { title, customId = await pathIdentity(path), wait } = options;
  const document = { ...sharedInput(container, options), customId, ...(title !== undefined && { title }) };
  const [named = { path, root: null }] = await withSidecars([{ path: resolve(path), root: null }]);
  const file = {
    ...named,
    ...secret,
    path,
    document,
    factsOf: (text: string | null) => factsOf(text, options),
    waits: wait,
  };
  return async (access) => {
    const { reading } = await access.core.status(access.read);
    const sent = await sendFile(access, reading, file);
    if (!sent) throw new AppError("invalid", `content: must not be empty, but ${path} is`);
    return sent;
  };
}

const NO_FILE_HERE = "Only text can be read from there: to add a PDF or another file, give its path.";

async function readSource(cli: Cli, argument: string | undefined, options: AddOptions): Promise<Source> {
  if (argument === undefined) {
    if (!options.fact) throw new UsageError("there is nothing to add: give text, a file, or - for standard input");
    return { content: options.fact.join("\n"), rememberAsIs: false };
  }
  if (options.text) return { content: argument, rememberAsIs: true };
  if (argument === "-")
    return { content: await readTextFrom(cli.stdin, "standard input", NO_FILE_HERE), rememberAsIs: false };
  if (isAddress(argument)) return { content: argument, rememberAsIs: false, ...customIdFields(argument) };
  if (isName(argument)) refuseUnreadable([argument]);
  if (isSingleWord(argument) && !(await isMeant(cli, argument)))
    throw new AppError("not_found", `There is no file ${argument}. If these are words to remember, add --text.`);
  return { content: argument, rememberAsIs: true };
}

/** @throws UsageError where one of several words is a file, so that the meaning is unclear */
function joinWords(words: readonly string[], { text }: AddOptions): string {
  const file = words.length > 1 && !text ? words.find(isThere) : undefined;
  if (file !== undefined)
    throw new UsageError(
      `${file} is a file: add it alone or with other files, or add --text if these are words to remember`,
    );
  return words.join(" ");
}

/** Asks the person at the terminal; where nobody can be asked, the answer is no. */
async function isMeant(cli: Cli, word: string): Promise<boolean> {
  const canAsk = cli.output.isTerminal && !cli.output.isJson && isTerminal(cli.stdin);
  return canAsk && confirm(cli, `There is no file ${printableLine(word)}. Should this word be remembered?`, "keep it");
}

function inputOf(source: Source, container: string, options: AddOptions): AddDocumentInput {
  const { title, customId = source.customId } = options;
  return {
    ...sharedInput(container, options),
    content: source.content,
    rememberAsIs: source.rememberAsIs,
    ...(customId !== undefined && { customId }),
    ...(title !== undefined && { title }),
    ...factsOf(source.content, options),
  };
}

/** What applies to every document of a command line. */
function sharedInput(container: string, { metadata, date, forgetAfter }: AddOptions) {
  return {
    dreaming: "instant",
    containerTags: [container],
    ...(metadata && { metadata: readMetadata(metadata) as AddDocumentInput["metadata"] }),
    ...(date !== undefined && { documentDate: date }),
    ...(forgetAfter !== undefined && { forgetAfter }),
  } satisfies Omit<AddDocumentInput, "content">;
}

/** @param content null for a file whose text is not known here */
function factsOf(content: string | null, { fact, updates }: AddOptions): Pick<AddDocumentInput, "facts"> {
  if (updates === undefined) return fact ? { facts: fact.map((text) => ({ text })) } : {};
  const [text = content, ...others] = fact ?? [];
  if (text === null) throw new UsageError("--updates needs --fact for a file that is not plain text");
  if (others.length > 0) throw new UsageError("--updates can be used with one --fact, not with several");
  return { facts: [{ text, updates }] };
}

function wordFor({ isUnchanged, isUpdate }: ExplainedReceipt): string {
  if (isUnchanged) return "unchanged";
  return isUpdate ? "updated" : "added";
}

function describeReceipt(cli: Cli, receipt: ExplainedReceipt, waited: boolean): string[] {
  const { bold, green, red, yellow } = cli.output.style;
  const where = `${bold(receipt.id)} in ${receipt.containerTags.join(", ")}`;
  if (receipt.status === "failed")
    return [
      `${red("failed:")} ${where} is kept but could not be indexed: ${receipt.errorReason ?? "unknown reason"}`,
      `To read it again after removing the cause: ${cli.invocation} reprocess ${receipt.id}`,
      `To delete it: ${cli.invocation} forget ${receipt.id}`,
    ];
  if (receipt.status === "done" && receipt.dreamingStatus === "done")
    return [
      `${green(`${wordFor(receipt)}:`)} ${where}`,
      ...(receipt.facts?.length
        ? [`${count(receipt.facts.length, "fact")}:`, ...describeFacts(receipt.facts).map((line) => indent(line, 2))]
        : ["No facts were found in it; its text can be searched."]),
    ];
  const state = waited ? `still being processed (${describeState(receipt)})` : "not searchable yet";
  return [
    `${yellow("kept:")} ${where}, ${state}`,
    `Processing continues while any ${cli.invocation} process runs, for example ${cli.invocation} serve.`,
  ];
}
