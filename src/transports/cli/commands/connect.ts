import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { AppError } from "../../../core/errors.js";
import { ConfigFileError } from "../../../lib/config-file.js";
import { examples, withCore, type Cli } from "../cli.js";
import { CLIENT_TABLE } from "../clients/table.js";
import { type Client, type Scope, CLIENT_SCOPES, type WantedConnection } from "../clients/client.js";
import type { ConnectionPlan, UndoPlan } from "../clients/connection.js";
import type { ClientState } from "../clients/state.js";
import { type Calling, calling, expectedIn, keyIn, launching, withKey } from "../clients/wanted.js";
import { UsageError } from "../failure.js";
import { notEmpty } from "../options.js";
import type { Surroundings } from "../starters.js";
import { printableLine, pairs } from "../style.js";

interface Options {
  readonly list?: true;
  readonly write?: true;
  readonly undo?: true;
  readonly force?: true;
  /** True where no URL follows. */
  readonly http?: string | true;
  readonly key?: string;
  readonly keyEnv?: string;
  readonly container?: string;
  readonly scope: Scope;
  readonly file?: string;
}

/** Placeholder for a key that is yet to be created. */
const KEY_TO_COME = "sm_…";

export function registerConnect(program: Command, cli: Cli): void {
  program
    .command("connect")
    .description("Set up a client to use this memory. Shows what would be written; --write writes it.")
    .addArgument(new Argument("[client]", "client to set up").choices(CLIENT_TABLE.map(({ name }) => name)))
    .option("--list", "list which clients are installed, and which are connected")
    .option("--write", "write what is shown, and keep a copy of the original file")
    .option("--undo", "show how to remove what was written; with --write, remove it")
    .option("--force", "with --undo: even if the entry has changed since")
    .option("--http [url]", "call the service over HTTP instead of starting `recollect mcp`", readUrl)
    .option("--key <key>", "API key for --http and for plugins; `-` reads it from standard input", notEmpty)
    .option("--key-env <name>", "environment variable with the key, so that the file does not contain it", readVariable)
    .option("--container <tag>", "container to use if the client specifies none", readTag)
    .addOption(new Option("--scope <scope>", "whose configuration to edit").choices([...CLIENT_SCOPES]).default("user"))
    .option("--file <path>", "file to edit, if it is not in its usual place", notEmpty)
    .addHelpText(
      "after",
      examples(cli, [
        "$ connect --list",
        "$ connect claude-code",
        "$ connect claude-code --write",
        "$ connect cursor --scope project --container my-project --write",
        "$ connect vscode --http https://memory.example.com --key-env MEMORY_KEY --write",
        "$ connect codex-plugin --write",
        "$ connect claude-code --undo --write",
      ]),
    )
    .action(async (name: string | undefined, options: Options) => {
      try {
        await run(cli, name, options);
      } catch (error) {
        if (error instanceof ConfigFileError) throw new AppError("conflict", error.message, { cause: error });
        throw error;
      }
    });
}

async function run(cli: Cli, name: string | undefined, options: Options): Promise<void> {
  refuseContradictions(name, options);
  const around = await cli.starters.surroundings(cli.settings());
  const client = CLIENT_TABLE.find((known) => known.name === name);
  if (!client) return list(cli, around);
  if (!client.files[options.scope] && options.file === undefined)
    throw new UsageError(`${client.title} has no configuration for the scope ${options.scope}.`);
  return options.undo ? undo(cli, client, around, options) : connect(cli, client, around, options);
}

function refuseContradictions(name: string | undefined, { list: asList, undo: asUndo, force }: Options): void {
  if (name === undefined && !asList) throw new UsageError("name a client, or use --list");
  if (name !== undefined && asList) throw new UsageError("--list covers all clients: do not name one");
  if (force && !asUndo) throw new UsageError("--force needs --undo");
}

async function list(cli: Cli, around: Surroundings): Promise<void> {
  const { readClientState } = await import("../clients/state.js");
  const clients: ClientState[] = [];
  for (const client of CLIENT_TABLE) clients.push(await readClientState(client, around, expectedIn(around)));
  cli.output.answer({ clients }, () => describeStates(cli, clients));
}

function describeStates(cli: Cli, clients: readonly ClientState[]): string[] {
  const { green, yellow, red, dim } = cli.output.style;
  const paint = { connected: green, stale: yellow, different: yellow, absent: dim, unreadable: red };
  const words = {
    connected: "connected",
    stale: "stale",
    different: "different",
    absent: "–",
    unreadable: "unreadable",
  };
  return pairs(
    clients.flatMap(({ client, installed, files }) =>
      files.map(({ scope, file, state, problem }): [string, string] => [
        scope === "user" ? client : `${client} (project)`,
        [
          installed ? "installed" : dim("not found"),
          paint[state](words[state]),
          dim(printableLine(problem ?? file)),
        ].join("  "),
      ]),
    ),
  );
}

async function connect(cli: Cli, client: Client, around: Surroundings, options: Options): Promise<void> {
  const { openClient, planConnection, writePlan } = await import("../clients/connection.js");
  const opened = await openClient(client, options.scope, around, namedFile(around, options));
  const draft = await wantedBy(cli, client, around, options);
  const first = planConnection(opened, draft);
  const mustMakeKey = options.write && first.action !== "none" && keyIn(draft) === KEY_TO_COME;
  const made = mustMakeKey ? await makeKey(cli, client) : undefined;
  const plan = made ? planConnection(opened, withKey(draft, made.secret)) : first;
  if (!options.write || plan.action === "none")
    return show(cli, plan, { options, backup: undefined, keyId: undefined });
  if (around.dataDirectory !== undefined && !around.hasMemory && !made)
    cli.output.note(`There is no memory in ${around.dataDirectory} yet. It is created on first use.`);
  const backup = await writePlan(plan, { home: around.home, now: new Date(), keyId: made?.id });
  await show(cli, plan, { options, backup, keyId: made?.id });
}

interface Outcome {
  readonly options: Options;
  readonly backup: string | undefined;
  readonly keyId: string | undefined;
}

async function show(cli: Cli, plan: ConnectionPlan, { options, backup, keyId }: Outcome): Promise<void> {
  const { describeChange } = await import("../clients/show.js");
  const { client, scope, file, action, text } = plan;
  const changes = action === "none" ? [] : describeChange(file.text ?? "", text);
  const written = options.write === true && action !== "none";
  const answer = {
    client: client.name,
    scope,
    file: file.path,
    action,
    written,
    backup: backup ?? null,
    keyId: keyId ?? null,
    changes,
  };
  cli.output.answer(answer, () => [
    `${cli.output.style.bold(client.title)}  ${file.path}${action === "create" ? " (new)" : ""}`,
    ...describeLines(cli, changes),
    ...nextSteps(cli, plan, { options, backup, keyId }),
  ]);
}

function nextSteps(cli: Cli, { client, action }: ConnectionPlan, { options, backup, keyId }: Outcome): string[] {
  const where = [
    ...(options.scope === "user" ? [] : [`--scope ${options.scope}`]),
    ...(options.file === undefined ? [] : [`--file ${options.file}`]),
  ];
  const again = [cli.invocation, "connect", client.name, ...where].join(" ");
  if (action === "none") return ["It is already there; nothing to write."];
  if (!options.write) return ["", "Nothing was written yet. Run the same command with --write to write it."];
  return [
    "",
    cli.output.style.green("written."),
    ...(backup === undefined ? [] : [`Copy of the original file: ${backup}`]),
    ...(keyId === undefined ? [] : [`A key was created for it: ${keyId}`]),
    client.afterwards,
    `To undo this: ${again} --undo --write`,
  ];
}

async function undo(cli: Cli, client: Client, around: Surroundings, options: Options): Promise<void> {
  const { openClient, planUndo, undoConnection } = await import("../clients/connection.js");
  const opened = await openClient(client, options.scope, around, namedFile(around, options));
  const ways = expectedIn(around).filter(({ by }) => client.ways.includes(by));
  const entries = ways.flatMap((way) => client.entries(withKey(way, KEY_TO_COME), options.scope, opened.document));
  const plan = planUndo(opened, { force: options.force ?? false, paths: entries.map(({ path }) => path) });
  if (options.write) await undoConnection(plan, { home: around.home, now: new Date() });
  await showUndo(cli, plan, options);
}

async function showUndo(cli: Cli, plan: UndoPlan, options: Options): Promise<void> {
  const { describeChange } = await import("../clients/show.js");
  const { client, scope, file, text, removes, receipt } = plan;
  const changes = describeChange(file.text ?? "", removes ? "" : text);
  const keyId = receipt?.keyId ?? null;
  const write = options.write === true;
  const answer = { client: client.name, scope, file: file.path, removed: removes, written: write, keyId, changes };
  const { green } = cli.output.style;
  cli.output.answer(answer, () =>
    write
      ? [
          `${green("undone:")} ${file.path}${removes ? " was removed, as it did not exist before" : " no longer has the entry"}`,
          ...(keyId === null
            ? []
            : [`The key that was created for it still works. To revoke it: ${cli.invocation} keys revoke ${keyId}`]),
        ]
      : [
          `${cli.output.style.bold(client.title)}  ${file.path}${removes ? " (to be removed, as it did not exist before)" : ""}`,
          ...describeLines(cli, changes),
          "",
          "Nothing was changed yet. Run the same command with --write to do it.",
        ],
  );
}

/** Removed and added lines, in their colours. */
function describeLines({ output: { style } }: Cli, changes: readonly string[]): string[] {
  return changes.map((line) => (line.startsWith("+") ? style.green(line) : style.red(line)));
}

function namedFile({ workingFolder }: Surroundings, { file }: Options): string | undefined {
  return file === undefined ? undefined : resolve(workingFolder, file);
}

async function wantedBy(cli: Cli, client: Client, around: Surroundings, options: Options): Promise<WantedConnection> {
  const isCalling = options.http !== undefined || !client.ways.includes("stdio");
  if (!isCalling) {
    if (options.key !== undefined || options.keyEnv !== undefined)
      throw new UsageError("a key is only for --http; `recollect mcp` does not need one");
    return launching(around, options.container);
  }
  if (!client.ways.includes("http"))
    throw new UsageError(
      `${client.title} cannot be given a service in its file. Leave out --http, or add the service in its settings under Connectors.`,
    );
  const url = typeof options.http === "string" ? options.http : around.serviceUrl;
  if (url.endsWith(":0"))
    throw new UsageError("RECOLLECT_PORT does not fix the port: give the URL of the service with --http");
  const { key, keyVariable } = await keyFor(cli, client, around, { ...options, url });
  return calling(url, { key, keyVariable, container: options.container });
}

/** A key belongs in a person's own file or in a variable; others may read a project's file. */
async function keyFor(
  cli: Cli,
  client: Client,
  around: Surroundings,
  options: Options & { url: string },
): Promise<Calling> {
  const { scope, keyEnv, url } = options;
  if (keyEnv !== undefined) return byVariable(client, keyEnv);
  const given = options.key === "-" ? (await readAll(cli.stdin)).trim() : options.key;
  if (given !== undefined) return { key: given };
  const isOurs = url === around.serviceUrl;
  if (scope === "project")
    return isOurs && around.apiKey && client.variable ? byVariable(client, "RECOLLECT_API_KEY") : {};
  if (isOurs && around.apiKey !== undefined) return { key: around.apiKey };
  if (client.kind === "mcp") return {};
  if (!isOurs) throw new UsageError(`${client.title} needs a key for ${url}: give it with --key`);
  return { key: KEY_TO_COME };
}

function byVariable(client: Client, name: string): Calling {
  if (!client.variable)
    throw new UsageError(`${client.title} does not support variables in its file: give the key with --key`);
  return { key: client.variable(name), keyVariable: name };
}

async function makeKey(cli: Cli, client: Client): Promise<{ id: string; secret: string }> {
  const name = client.name.replace(/-plugin$/, "");
  const { key, secret } = await withCore(
    cli,
    ({ core, newWrite }) => core.createKey(newWrite(), { name: client.title, client: name }),
    { begins: true },
  );
  return { id: key.id, secret };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("It must be a URL such as https://memory.example.com.");
  if (url.username || url.password) throw new InvalidArgumentError("It must not contain a user name or a password.");
  return `${url.origin}${url.pathname}`.replace(/(\/mcp)?\/*$/, "");
}

function readVariable(text: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text))
    throw new InvalidArgumentError("It must be the name of an environment variable, such as RECOLLECT_API_KEY.");
  return text;
}

function readTag(text: string): string {
  if (!/^[A-Za-z0-9_:.-]{1,100}$/.test(text))
    throw new InvalidArgumentError("It must be 1 to 100 letters, digits or any of _ - : .");
  return text;
}
