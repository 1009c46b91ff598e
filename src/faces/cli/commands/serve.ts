import type { Command } from "commander";
import type { Status } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { frame } from "../frame.js";
import { wholeNumber } from "../options.js";
import type { ServiceInfo } from "../starters.js";
import { pairs } from "../style.js";
import { describeParts } from "./status.js";

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
}

export function registerServe(program: Command, cli: Cli): void {
  program
    .command("serve")
    .description("Serve the REST API over HTTP until it is stopped.")
    .option("--host <address>", "the address to listen on (default: 127.0.0.1)")
    .option("-p, --port <number>", "the port; 0 takes a free one (default: 6767)", wholeNumber(0, 65_535))
    .addHelpText("after", examples(cli, ["$ serve", "$ serve --port 0 --data-dir ./data --json"]))
    .action(async (options: ServeOptions) => serve(cli, options));
}

async function serve(cli: Cli, { host, port }: ServeOptions): Promise<void> {
  const settings = {
    ...cli.settings(),
    ...(host !== undefined && { RECOLLECT_HOST: host }),
    ...(port !== undefined && { RECOLLECT_PORT: String(port) }),
  };
  const service = await cli.starters.serve(settings);
  const status = await withCore(cli, ({ core, read }) => core.status(read), { settings });
  announce(cli, service, status);
  await service.ended;
}

function announce(cli: Cli, service: ServiceInfo, status: Status): void {
  const { url, dataDirectory, firstKey, isOwner } = service;
  const { embedder, llm, vectors, factExtractor } = status;
  if (cli.output.isJson) {
    const answer = { url, dataDirectory, apiKey: firstKey, isOwner, version: status.version };
    return cli.output.answer({ ...answer, embedder, llm, vectors, factExtractor }, () => []);
  }
  for (const line of frame(describe(cli, service, status), cli.output.isTerminal)) cli.output.note(line);
}

function describe(cli: Cli, { url, dataDirectory, firstKey, isOwner }: ServiceInfo, status: Status): string[] {
  const { bold, yellow } = cli.output.style;
  const key: [string, string][] = firstKey === null ? [] : [["API key", `${yellow(firstKey)}  (shown this once)`]];
  return [
    bold(`Recollect ${status.version} is running`),
    "",
    ...pairs([["URL", url], ["data folder", dataDirectory], ...key, ...describeParts(status)]),
    ...(isOwner ? [] : ["", "Another process owns the data folder; this one passes calls on to it."]),
    "",
    `Try:  ${cli.programName} add "I prefer green tea to coffee"`,
    `      ${cli.programName} search "what do I like to drink?"`,
  ];
}
