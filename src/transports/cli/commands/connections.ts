import type { Command } from "commander";
import type { BegunDeviceSignIn, CreatedConnection, ShownConnection } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import type { SyncRun } from "../../../core/types.js";
import { sleep } from "../../../lib/time.js";
import { askSecrets } from "../ask-secret.js";
import { type Access, type Cli, examples, withCore } from "../cli.js";
import { confirm } from "../confirm.js";
import { UsageError } from "../failure.js";
import { openLoopbackCallback } from "../loopback-callback.js";
import { notEmpty, wholeNumber } from "../options.js";
import { type BrowserSignIn, signInByBrowser } from "../sign-in-by-browser.js";
import { count, oneLine } from "../style.js";

/** Between two looks at how far it is. */
const POLL_MS = 300;
const MOST_DOCUMENTS = 10_000;

interface Fields {
  readonly set?: readonly string[];
  readonly ask?: readonly string[];
}

interface AddOptions extends Fields {
  readonly container?: string;
  readonly limit?: number;
  readonly every?: number;
  readonly clientId?: string;
  readonly clientSecret?: boolean;
  readonly wait: boolean;
}

export function registerConnections(program: Command, cli: Cli): void {
  const connections = program
    .command("connections")
    .description("Connect to GitHub, Notion, buckets, web sites and folders, and keep their documents in step.");
  connections
    .command("list")
    .description("List all connections and how their last run went.")
    .addHelpText("after", examples(cli, ["$ connections list"]))
    .action(async () => list(cli));
  withFields(connections.command("add"))
    .description("Connect to a provider. What is needed for each one is in docs/connections.md.")
    .argument("<provider>", "github, notion, s3, web-crawler or folder")
    .option("--container <tag>", "container for its documents", notEmpty)
    .option("--client-id <id>", "id of your own app at the provider, for signing in with it", notEmpty)
    .option("--client-secret", "ask for the secret of that app")
    .option("--limit <documents>", "bring in so many documents at most", wholeNumber(1, MOST_DOCUMENTS))
    .option("--every <minutes>", "minutes between two runs, 5 to 44640", wholeNumber(5, 44_640))
    .option("--no-wait", "answer as soon as it is connected")
    .addHelpText(
      "after",
      examples(cli, [
        "$ connections add web-crawler --set startUrl=https://docs.example.com/ maxPages=200",
        "$ connections add github --ask token",
        "$ connections add github --client-id Iv23liExample",
        "$ connections add s3 --set bucket=papers region=eu-central-1 --ask accessKeyId secretAccessKey",
      ]),
    )
    .action(async (provider: string, options: AddOptions) => add(cli, provider, options));
  connections
    .command("choose")
    .description("List what a connection could bring in, or choose from it by name or id.")
    .argument("<id>", "id of the connection, as `connections list` prints it")
    .argument("[names...]", "names or ids of what is to be brought in")
    .option("--no-wait", "answer as soon as the choice is kept")
    .addHelpText("after", examples(cli, ["$ connections choose 3mJr7AoUXx2Wqd9ZtYbN4c mia/farm"]))
    .action(async (id: string, names: readonly string[], { wait }: { wait: boolean }) => choose(cli, id, names, wait));
  connections
    .command("sync")
    .description("Bring in now what has changed.")
    .argument("<id>", "id of the connection, as `connections list` prints it")
    .option("--confirm-removals", "agree to the removals that the last run did not make by itself")
    .option("--no-wait", "answer as soon as the run is ordered")
    .addHelpText("after", examples(cli, ["$ connections sync 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string, { confirmRemovals = false, wait }: { confirmRemovals?: boolean; wait: boolean }) =>
      sync(cli, id, { confirmRemovals, wait }),
    );
  for (const [name, description, isPaused] of [
    ["pause", "Sync a connection no more until it is resumed.", true],
    ["resume", "Go on with a connection that was paused.", false],
  ] as const)
    connections
      .command(name)
      .description(description)
      .argument("<id>", "id of the connection, as `connections list` prints it")
      .addHelpText("after", examples(cli, [`$ connections ${name} 3mJr7AoUXx2Wqd9ZtYbN4c`]))
      .action(async (id: string) => pause(cli, id, isPaused));
  connections
    .command("history")
    .description("Show the runs of a connection, and what could not be brought in.")
    .argument("<id>", "id of the connection, as `connections list` prints it")
    .addHelpText("after", examples(cli, ["$ connections history 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => history(cli, id));
  withFields(connections.command("reconnect"))
    .description("Sign a connection in again, with other credentials.")
    .argument("<id>", "id of the connection, as `connections list` prints it")
    .addHelpText("after", examples(cli, ["$ connections reconnect 3mJr7AoUXx2Wqd9ZtYbN4c --ask token"]))
    .action(async (id: string, fields: Fields) => reconnect(cli, id, fields));
  connections
    .command("remove")
    .description("Remove a connection with its documents.")
    .argument("<id>", "id of the connection, as `connections list` prints it")
    .option("--keep-documents", "leave the documents as they are")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", examples(cli, ["$ connections remove 3mJr7AoUXx2Wqd9ZtYbN4c --keep-documents"]))
    .action(async (id: string, options: { keepDocuments?: boolean; yes?: boolean }) => remove(cli, id, options));
}

function withFields(command: Command): Command {
  return command
    .option("--set <name=value...>", "settings of the provider, such as bucket=papers")
    .option("--ask <name...>", "settings that are asked for and not shown, such as token");
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listConnections(read, {}));
  const none = `There are no connections yet. Make one: ${cli.invocation} connections add`;
  cli.output.answer(answer, () =>
    answer.connections.length > 0 ? answer.connections.map((connection) => describe(cli, connection)) : [none],
  );
}

function describe(cli: Cli, connection: ShownConnection): string {
  const { id, provider, account, containerTags, state, problem, documentCount, lastRun } = connection;
  const { dim, red } = cli.output.style;
  const what = [provider, account, `in ${containerTags.join(", ")}`].filter((part) => part !== null).join(" ");
  const shown = state === "active" ? dim(lastRun ? `last run ${lastRun.status}` : "no run yet") : red(state);
  const why = problem === null ? "" : `\n    ${oneLine(problem)}`;
  return `${id}  ${oneLine(what)}  ${count(documentCount, "document")}, ${shown}${why}`;
}

async function add(cli: Cli, provider: string, options: AddOptions): Promise<void> {
  const metadata = await readFields(cli, options);
  const loopback = await openLoopbackCallback();
  await withCore(
    cli,
    async (access) => {
      const { core, newWrite } = access;
      await keepApp(cli, access, provider, options);
      const made = await core.createConnection(newWrite(), {
        provider,
        metadata,
        isDevice: true,
        origin: loopback.origin,
        ...(options.container !== undefined && { containerTag: options.container }),
        ...(options.limit !== undefined && { documentLimit: options.limit }),
        ...(options.every !== undefined && { everyMinutes: options.every }),
      });
      await signIn(cli, access, made, { provider, loopback });
      const connection = await core.findConnection(access.read, { id: made.id });
      cli.output.note(`Connected to ${provider}${connection.account === null ? "" : ` as ${connection.account}`}.`);
      const isIdle = connection.nextSyncAt === null && connection.lastRun === null && connection.everyMinutes !== null;
      if (isIdle) cli.output.note(`Choose what it brings in: ${cli.invocation} connections choose ${made.id}`);
      if (isIdle || !options.wait) return cli.output.answer(made, () => [made.id]);
      await follow(cli, access, made.id, null);
    },
    { begins: true },
  ).finally(() => loopback.close());
}

/** Has somebody sign in where that is needed; without it there is no connection. */
async function signIn(
  cli: Cli,
  access: Access,
  { id, device, authLink: link }: CreatedConnection,
  { provider, loopback }: Omit<BrowserSignIn, "link">,
): Promise<void> {
  try {
    if (device) await signInElsewhere(cli, access, id, device);
    else if (link !== undefined) await signInByBrowser(cli, access, { provider, link, loopback });
  } catch (error) {
    await access.core.removeConnection(access.newWrite(), { id });
    throw error;
  }
}

/** Keeps the app of the organisation at a provider, where one is named. */
async function keepApp(
  cli: Cli,
  { core, newWrite }: Access,
  provider: string,
  { clientId, clientSecret = false }: AddOptions,
): Promise<void> {
  if (clientId === undefined) return;
  const prefix = provider.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const asked = clientSecret ? await askSecrets(cli, ["Client secret:"], "keep it with PATCH /v3/settings") : [];
  if (asked === null) throw new UsageError("the input ended before the secret was given");
  const [secret] = asked;
  await core.updateSettings(newWrite(), {
    [`${prefix}ClientId`]: clientId,
    ...(secret !== undefined && { [`${prefix}ClientSecret`]: secret }),
  });
}

/** Has somebody sign in on another device, and waits for it. */
async function signInElsewhere(
  cli: Cli,
  { core, read }: Access,
  id: string,
  { userCode, verificationUrl, expiresIn, interval }: BegunDeviceSignIn,
): Promise<void> {
  cli.output.note(`Open ${verificationUrl} and type ${cli.output.style.bold(userCode)}.`);
  const progress = cli.output.progress("waiting for the sign-in");
  try {
    let waitMs = interval * 1_000;
    for (let left = expiresIn * 1_000; left > 0; left -= waitMs) {
      await sleep(waitMs);
      const { isConnected, isSlowDown } = await core.pollConnection(read, { id });
      if (isConnected) return;
      if (isSlowDown) waitMs += 5_000;
    }
  } finally {
    progress.stop();
  }
  throw new AppError("unavailable", "Nobody has signed in in time. Begin again.");
}

async function choose(cli: Cli, id: string, names: readonly string[], wait: boolean): Promise<void> {
  await withCore(cli, async (access) => {
    const { core, read, newWrite } = access;
    const found = await core.listConnectionResources(read, { id, perPage: 100 });
    const nameOf = (resource: Readonly<Record<string, unknown>>) => String(resource["full_name"] ?? resource["name"]);
    if (names.length === 0)
      return cli.output.answer(found, () =>
        found.resources.length > 0
          ? found.resources.map((resource) => `${resource.id}  ${oneLine(nameOf(resource))}`)
          : ["There is nothing to choose from."],
      );
    const resources = names.map((name) => {
      const chosen = found.resources.find(
        (resource) => String(resource.id) === name || nameOf(resource) === name || resource.name === name,
      );
      if (!chosen) throw new AppError("not_found", `There is no ${name} to choose. Without names, all are listed.`);
      return chosen;
    });
    const before = await newestRun(access, id);
    const { connection } = await core.configureConnection(newWrite(), { id, resources });
    if (!wait || connection.state !== "active") return cli.output.answer({ id }, () => ["The choice is kept."]);
    await follow(cli, access, id, before);
  });
}

async function sync(
  cli: Cli,
  id: string,
  { confirmRemovals, wait }: { readonly confirmRemovals: boolean; readonly wait: boolean },
): Promise<void> {
  await withCore(cli, async (access) => {
    const before = await newestRun(access, id);
    await access.core.syncOneConnection(access.newWrite(), { id, confirmRemovals });
    if (!wait) return cli.output.answer({ id }, () => ["The run is ordered."]);
    await follow(cli, access, id, before);
  });
}

async function newestRun({ core, read }: Access, id: string): Promise<SyncRun | null> {
  const { runs } = await core.listSyncRuns(read, { id });
  return runs[0] ?? null;
}

/** Shows how far a run is until it is through. @param before the newest run before it was ordered */
async function follow(cli: Cli, access: Access, id: string, before: SyncRun | null): Promise<void> {
  const progress = cli.output.progress("waiting for the run to begin");
  try {
    for (;;) {
      const run = await newestRun(access, id);
      const isNew = run !== null && (run.id !== before?.id || before.status === "running");
      if (isNew && run.status !== "running") {
        progress.stop();
        if (run.status === "failed") cli.exitWith(1);
        return cli.output.answer({ id, run }, () => summaryOf(run));
      }
      if (isNew) progress.update(countsOf(run));
      await sleep(POLL_MS);
    }
  } finally {
    progress.stop();
  }
}

function countsOf({ listed, read, unchanged, removed, skipped, failed }: SyncRun): string {
  const left = Math.max(0, listed - read - unchanged - removed - skipped - failed);
  const amounts = { listed, read, unchanged, removed, skipped, failed, left };
  const told = Object.entries(amounts).filter(([name, amount]) => amount > 0 || name === "listed");
  return told.map(([name, amount]) => `${amount} ${name}`).join(", ");
}

const MOST_NAMED = 10;

function summaryOf(run: SyncRun): readonly string[] {
  const { status, error, notes, failures, failed } = run;
  const named = failures.slice(0, MOST_NAMED);
  const more = failed - named.length;
  return [
    `${status}: ${countsOf(run)}`,
    ...(error === null ? [] : [oneLine(error)]),
    ...notes.map(oneLine),
    ...named.map(({ title, itemId, reason }) => `  ${oneLine(title ?? itemId)}: ${oneLine(reason)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
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
      ? ["There was no run yet."]
      : answer.runs.flatMap((run) => [
          `${cli.localTime(run.startedAt)}  ${run.trigger}`,
          ...summaryOf(run).map((line) => `  ${line}`),
        ]),
  );
}

async function reconnect(cli: Cli, id: string, fields: Fields): Promise<void> {
  const metadata = await readFields(cli, fields);
  const answer = await withCore(cli, ({ core, read }) => core.reconnectConnection(read, { id, metadata }));
  cli.output.answer(answer, () => [`${id} is signed in again, and goes on.`]);
}

async function remove(
  cli: Cli,
  id: string,
  { keepDocuments = false, yes = false }: { readonly keepDocuments?: boolean; readonly yes?: boolean },
): Promise<void> {
  await withCore(cli, async ({ core, read, newWrite }) => {
    const { provider, documentCount } = await core.findConnection(read, { id });
    const what = keepDocuments ? "its documents stay" : `${count(documentCount, "document")} of it go as well`;
    const isSure = yes || (await confirm(cli, `The connection to ${provider} is removed, and ${what}.`, "remove it"));
    if (!isSure) return cli.output.note("Nothing was removed.");
    const removed = await core.removeConnection(newWrite(), { id, deleteDocuments: !keepDocuments });
    cli.output.answer(removed, () => [`Removed ${id}.`]);
  });
}

async function readFields(cli: Cli, { set = [], ask = [] }: Fields): Promise<Record<string, string | boolean>> {
  const given = set.map((text) => {
    const [, name, value] = /^([A-Za-z]\w*)=([^]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--set ${JSON.stringify(text)} must look like name=value`);
    return [name, value === "true" ? true : value === "false" ? false : value] as const;
  });
  if (ask.length === 0) return Object.fromEntries(given);
  const answers = await askSecrets(
    cli,
    ask.map((name) => `${name}:`),
    `give ${ask.map((name) => `--set ${name}=…`).join(" ")}`,
  );
  if (answers === null) throw new UsageError("the input ended before everything was given");
  return Object.fromEntries([...given, ...ask.map((name, index) => [name, answers[index] ?? ""] as const)]);
}
