import type { Command } from "commander";
import type { ShownConnection } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import { type Cli, examples, withCore } from "../cli.js";
import { confirm } from "../confirm.js";
import { notEmpty, wholeNumberOption } from "../options.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";
import { chooseResources, type ChooseOptions } from "./choose-resources.js";
import type { Fields } from "./connection-fields.js";
import { addConnection, type AddOptions, type PaceOptions, reconnect } from "./connection-sign-in.js";
import { followRun, newestRun, runSummaryOf } from "./follow-run.js";

const PROVIDERS =
  "notion, google-drive, onedrive, gmail, github, web-crawler, s3, granola, imap or folder (on the server)";
const MOST_DOCUMENTS = 10_000;
const MOST_DOCUMENTS_RAISED = 1_000_000;
const MOST_PAGES = 100_000;
/** Settings that tell connections to one provider apart. */
const PLACE_SETTINGS = ["bucket", "startUrl", "path"];

export function registerConnections(program: Command, cli: Cli): void {
  const connections = program
    .command("connections")
    .description(
      "Connect to GitHub, Notion, Google, OneDrive, mail, buckets, web sites and folders, and keep their documents in sync.",
    );
  registerList(connections, cli);
  registerAdd(connections, cli);
  registerChoose(connections, cli);
  registerSync(connections, cli);
  registerChange(connections, cli);
  registerPauseAndResume(connections, cli);
  registerHistory(connections, cli);
  registerReconnect(connections, cli);
  registerRemove(connections, cli);
}

function registerList(connections: Command, cli: Cli): void {
  connections
    .command("list")
    .description("List all connections and how their last run went.")
    .addHelpText("after", examples(cli, ["$ connections list"]))
    .action(async () => list(cli));
}

function registerAdd(connections: Command, cli: Cli): void {
  withFields(connections.command("add"))
    .description(
      "Connect to a provider. In a terminal, it asks for what is missing; see docs/connections.md for details of each provider.",
    )
    .argument("<provider>", PROVIDERS)
    .option("--container <tag>", "container for its documents", notEmpty)
    .option("--client-id <id>", "id of your own app at the provider, for signing in with it", notEmpty)
    .option("--client-secret", "ask for that app's secret")
    .option("--limit <documents>", "maximum number of documents to import", wholeNumberOption(1, MOST_DOCUMENTS))
    .option("--every <minutes>", "minutes between runs, 5 to 44640", wholeNumberOption(5, 44_640))
    .option("--no-wait", "return as soon as it is connected")
    .addHelpText(
      "after",
      examples(cli, [
        "$ connections add imap",
        "$ connections add web-crawler --set startUrl=https://docs.example.com/ maxPages=200",
        "$ connections add github --ask token",
        "$ connections add github --client-id Iv23liExample",
        "$ connections add s3 --set bucket=papers region=eu-central-1 --ask accessKeyId secretAccessKey",
      ]),
    )
    .action(async (provider: string, options: AddOptions) => addConnection(cli, provider, options));
}

function registerChoose(connections: Command, cli: Cli): void {
  connections
    .command("choose")
    .description("List what a connection can import, or choose from it by name or id.")
    .argument("<id>", "id of the connection, as printed by `connections list`")
    .argument("[names...]", "names or ids of what to import")
    .option("--page <number>", "page of the list, from 1", wholeNumberOption(1, MOST_PAGES))
    .option("--parent <id>", "id of a folder or drive, to list what is in it", notEmpty)
    .option("--no-wait", "return as soon as the choice is saved")
    .addHelpText(
      "after",
      examples(cli, [
        "$ connections choose 3mJr7AoUXx2Wqd9ZtYbN4c mia/farm",
        "$ connections choose 3mJr7AoUXx2Wqd9ZtYbN4c --page 2",
        "$ connections choose 3mJr7AoUXx2Wqd9ZtYbN4c --parent 0AExampleDrive Papers",
      ]),
    )
    .action(async (id: string, names: readonly string[], options: ChooseOptions) =>
      chooseResources(cli, id, names, options),
    );
}

function registerSync(connections: Command, cli: Cli): void {
  connections
    .command("sync")
    .description("Bring in changes now.")
    .argument("<id>", "id of the connection, as printed by `connections list`")
    .option("--confirm-removals", "confirm the removals that the last run did not make on its own")
    .option("--no-wait", "return as soon as the run is requested")
    .addHelpText("after", examples(cli, ["$ connections sync 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string, { confirmRemovals = false, wait }: { confirmRemovals?: boolean; wait: boolean }) =>
      sync(cli, id, { confirmRemovals, wait }),
    );
}

function registerChange(connections: Command, cli: Cli): void {
  connections
    .command("change")
    .description("Change how many documents a connection imports, and how often it is synced.")
    .argument("<id>", "id of the connection, as printed by `connections list`")
    .option("--limit <documents>", "maximum number of documents to import", wholeNumberOption(1, MOST_DOCUMENTS_RAISED))
    .option("--every <minutes>", "minutes between runs, 5 to 44640", wholeNumberOption(5, 44_640))
    .addHelpText("after", examples(cli, ["$ connections change 3mJr7AoUXx2Wqd9ZtYbN4c --limit 50000 --every 60"]))
    .action(async (id: string, options: PaceOptions) => change(cli, id, options));
}

function registerPauseAndResume(connections: Command, cli: Cli): void {
  for (const [name, description, isPaused] of [
    ["pause", "Stop syncing a connection until it is resumed.", true],
    ["resume", "Resume a paused connection.", false],
  ] as const)
    connections
      .command(name)
      .description(description)
      .argument("<id>", "id of the connection, as printed by `connections list`")
      .addHelpText("after", examples(cli, [`$ connections ${name} 3mJr7AoUXx2Wqd9ZtYbN4c`]))
      .action(async (id: string) => pause(cli, id, isPaused));
}

function registerHistory(connections: Command, cli: Cli): void {
  connections
    .command("history")
    .description("Show the runs of a connection, and what could not be imported.")
    .argument("<id>", "id of the connection, as printed by `connections list`")
    .addHelpText("after", examples(cli, ["$ connections history 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => history(cli, id));
}

function registerReconnect(connections: Command, cli: Cli): void {
  withFields(connections.command("reconnect"))
    .description("Sign a connection in again, with other credentials or on another device.")
    .argument("<id>", "id of the connection, as printed by `connections list`")
    .addHelpText(
      "after",
      examples(cli, [
        "$ connections reconnect 3mJr7AoUXx2Wqd9ZtYbN4c",
        "$ connections reconnect 3mJr7AoUXx2Wqd9ZtYbN4c --ask token",
      ]),
    )
    .action(async (id: string, fields: Fields) => reconnect(cli, id, fields));
}

function registerRemove(connections: Command, cli: Cli): void {
  connections
    .command("remove")
    .description("Remove a connection and its documents.")
    .argument("<id>", "id of the connection, as printed by `connections list`")
    .option("--keep-documents", "keep its documents")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", examples(cli, ["$ connections remove 3mJr7AoUXx2Wqd9ZtYbN4c --keep-documents"]))
    .action(async (id: string, options: { keepDocuments?: boolean; yes?: boolean }) => remove(cli, id, options));
}

function withFields(command: Command): Command {
  return command
    .option("--set <name=value...>", "settings of the provider, such as bucket=papers")
    .option("--ask <name...>", "settings to ask for without showing them, such as token");
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listConnections(read, {}));
  const none = `There are no connections yet. Create one: ${cli.invocation} connections add <provider>`;
  cli.output.answer(answer, () =>
    answer.connections.length > 0 ? answer.connections.map((connection) => describe(cli, connection)) : [none],
  );
}

function describe(cli: Cli, connection: ShownConnection): string {
  const { id, provider, account, containerTags, state, problem, documentCount, lastRun, settings } = connection;
  const { dim, red } = cli.output.style;
  const place = PLACE_SETTINGS.map((name) => settings[name]).find((value) => value !== undefined) ?? null;
  const what = [provider, account ?? place, `in ${containerTags.join(", ")}`].filter((part) => part !== null).join(" ");
  const shown = state === "active" ? dim(lastRun ? `last run ${lastRun.status}` : "no run yet") : red(state);
  const why = problem === null ? "" : `\n    ${printableLine(problem)}`;
  return `${id}  ${printableLine(what)}  ${count(documentCount, "document")}, ${shown}${why}`;
}

async function sync(
  cli: Cli,
  id: string,
  { confirmRemovals, wait }: { readonly confirmRemovals: boolean; readonly wait: boolean },
): Promise<void> {
  await withCore(cli, async (access) => {
    const before = await newestRun(access, id);
    await access.core.syncOneConnection(access.newWrite(), { id, confirmRemovals });
    if (!wait) return cli.output.answer({ id }, () => ["The run was requested."]);
    await followRun(cli, access, id, before);
  });
}

async function change(cli: Cli, id: string, { limit, every }: PaceOptions): Promise<void> {
  if (limit === undefined && every === undefined)
    throw new AppError("invalid", "Specify what to change with --limit or --every.");
  const wish = {
    ...(limit !== undefined && { documentLimit: limit }),
    ...(every !== undefined && { everyMinutes: every }),
  };
  const { connection, beyondLimit } = await withCore(cli, ({ core, newWrite }) =>
    core.configureConnection(newWrite(), { id, ...wish }),
  );
  const { documentLimit, everyMinutes } = connection;
  const there = count(documentLimit + beyondLimit, "document");
  if (beyondLimit > 0)
    cli.output.note(`It already has ${there}: they are kept, and nothing new is imported until there is room.`);
  const pace = everyMinutes === null ? "only on request" : `every ${count(everyMinutes, "minute")}`;
  cli.output.answer({ id, documentLimit, everyMinutes }, () => [
    `${id} imports at most ${count(documentLimit, "document")} and is synced ${pace}.`,
  ]);
}

async function pause(cli: Cli, id: string, isPaused: boolean): Promise<void> {
  const { connection } = await withCore(cli, ({ core, newWrite }) =>
    core.configureConnection(newWrite(), { id, isPaused }),
  );
  cli.output.answer({ id, state: connection.state }, () => [`${id} is ${connection.state}.`]);
}

async function history(cli: Cli, id: string): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listSyncRuns(read, { id }));
  cli.output.answer(answer, () =>
    answer.runs.length === 0
      ? ["There have been no runs yet."]
      : answer.runs.flatMap((run) => [
          `${cli.localTime(run.startedAt)}  ${run.trigger}`,
          ...runSummaryOf(run).map((line) => `  ${line}`),
        ]),
  );
}

async function remove(
  cli: Cli,
  id: string,
  { keepDocuments = false, yes = false }: { readonly keepDocuments?: boolean; readonly yes?: boolean },
): Promise<void> {
  await withCore(cli, async ({ core, read, newWrite }) => {
    const { provider, documentCount } = await core.findConnection(read, { id });
    const what = keepDocuments ? "its documents are kept" : `its documents (${documentCount}) are deleted`;
    const isSure = yes || (await confirm(cli, `The connection to ${provider} is removed, and ${what}.`, "remove it"));
    if (!isSure) return cli.output.note("Nothing was removed.");
    const removed = await core.removeConnection(newWrite(), { id, deleteDocuments: !keepDocuments });
    cli.output.answer(removed, () => [`Removed ${id}.`]);
  });
}
