import type { Command } from "commander";
import type { Status } from "../../../core/index.js";
import { examples, type Cli } from "../cli.js";
import { frame } from "../frame.js";
import { wholeNumberOption } from "../options.js";
import type { ServiceInfo } from "../starters.js";
import { pairs } from "../style.js";
import { describeParts } from "./status.js";

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly showKey?: boolean;
}

interface Started extends ServiceInfo {
  /** False where output is kept, as in a service's log. */
  readonly mayShowKey: boolean;
}

export function registerServe(program: Command, cli: Cli): void {
  program
    .command("serve")
    .description("Serve the REST API over HTTP until stopped.")
    .option("--host <address>", "the address to listen on (default: 127.0.0.1)")
    .option("-p, --port <number>", "the port; 0 picks a free one (default: 6767)", wholeNumberOption(0, 65_535))
    .option("--show-key", "show the key of the first start even outside a terminal (logs keep what is shown)")
    .addHelpText("after", examples(cli, ["$ serve", "$ serve --port 0 --data-dir ./data --json"]))
    .action(async (options: ServeOptions) => serve(cli, options));
}

async function serve(cli: Cli, { host, port, showKey = false }: ServeOptions): Promise<void> {
  const settings = {
    ...cli.settings(),
    ...(host !== undefined && { RECOLLECT_HOST: host }),
    ...(port !== undefined && { RECOLLECT_PORT: String(port) }),
  };
  const service = await cli.starters.serve(settings);
  if (service.isNew) cli.output.note(`Created a new memory in ${service.dataDirectory}.`);
  const mayShowKey = showKey || cli.output.isTerminal;
  announce(cli, { ...service, mayShowKey }, await readStatus(cli, service));
  await service.ended;
}

/** A key that was just created must be shown whatever happens, so a status that cannot be read is merely left out. */
async function readStatus(cli: Cli, service: ServiceInfo): Promise<Status | null> {
  try {
    return await service.status();
  } catch (error) {
    cli.output.complain(`The status could not be read: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function announce(cli: Cli, service: Started, status: Status | null): void {
  const { url, dataDirectory, firstKey, isOwner, mayShowKey } = service;
  if (cli.output.isJson) {
    const { embedder, llm, vectors, factExtractor, degraded } = status ?? {};
    const parts = { embedder, llm, vectors, factExtractor, degraded };
    const { version } = cli.starters;
    const apiKey = mayShowKey ? firstKey : null;
    const apiKeyHint = firstKey !== null && !mayShowKey ? hiddenKey(cli) : undefined;
    return cli.output.answer({ url, dataDirectory, apiKey, apiKeyHint, isOwner, version, ...parts }, () => []);
  }
  for (const line of frame(describe(cli, service, status), cli.output.isTerminal)) cli.output.note(line);
}

function describe(cli: Cli, service: Started, status: Status | null): string[] {
  const { url, dataDirectory, firstKey, isOwner, objectionToApps, mayShowKey } = service;
  const { bold, yellow } = cli.output.style;
  const shown = mayShowKey ? `${yellow(firstKey ?? "")}  (shown only once)` : hiddenKey(cli);
  const key: [string, string][] = firstKey === null ? [] : [["API key", shown]];
  return [
    bold(`Recollect ${cli.starters.version} is running`),
    "",
    ...pairs([["URL", url], ["data folder", dataDirectory], ...key, ...(status ? describeParts(status) : [])]),
    ...(isOwner ? [] : ["", "Another process owns the data folder; this one forwards calls to it."]),
    ...(objectionToApps === undefined ? [] : ["", ...explainApps(objectionToApps)]),
    "",
    `Try:  ${cli.invocation} add "I prefer green tea to coffee"`,
    `      ${cli.invocation} search "what do I like to drink?"`,
  ];
}

function hiddenKey(cli: Cli): string {
  return `not shown outside a terminal; \`${cli.invocation} keys create\` creates one`;
}

/** One sentence per line, because it is shown in a box. */
function explainApps(objection: string): string[] {
  return ["Apps cannot sign in with OAuth; keys work.", ...objection.split(/(?<=\.) /)];
}
