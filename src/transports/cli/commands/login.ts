import type { Command } from "commander";
import type { SignIn } from "../../../core/types.js";
import { AppError } from "../../../core/errors.js";
import { examples, withCore, type Cli } from "../cli.js";
import { UsageError } from "../failure.js";
import { untilInterrupted } from "../interrupt.js";
import { notEmpty } from "../options.js";
import { printableLine } from "../style.js";

interface LoginOptions {
  readonly open?: true;
  readonly list?: true;
  readonly end?: string;
  readonly device?: string;
  readonly client?: string;
}

export function registerLogin(program: Command, cli: Cli): void {
  program
    .command("login")
    .description(
      "Print a link that signs one browser in to the pages of the running service. It works once, within 10 minutes.",
    )
    .option("--open", "also open it in a browser on this machine")
    .option("--list", "instead, list the browsers that are signed in")
    .option("--end <id>", "instead, sign one of them out", notEmpty)
    .option(
      "--device <url>",
      "instead, get a key for this machine from the service at this address, without a browser here",
    )
    .option("--client <name>", "with --device: the program that the key is for")
    .addHelpText(
      "after",
      examples(cli, [
        "$ login",
        "$ login --open",
        "$ login --list",
        "$ login --end 3mJr7AoUXx2Wqd9ZtYbN4c",
        "$ login --device https://memory.example --client codex",
      ]),
    )
    .action(async (options: LoginOptions) => {
      const { device, client } = options;
      if ([options.open, options.list, options.end, device].filter((one) => one !== undefined).length > 1)
        throw new UsageError("choose one of --open, --list, --end and --device");
      if (client !== undefined && device === undefined) throw new UsageError("--client needs --device");
      if (device !== undefined) return getKey(cli, device, client);
      if (options.list) return list(cli);
      if (options.end !== undefined) return end(cli, options.end);
      return login(cli, options.open === true);
    });
}

async function login(cli: Cli, isOpened: boolean): Promise<void> {
  const { output, starters, invocation } = cli;
  // Asked before this process opens the data folder, which makes it the owner where there is none.
  const service = await starters.runningService(cli.settings());
  if (service === null)
    throw new AppError(
      "unavailable",
      `No service is running for this data folder. Start one with \`${invocation} serve\`.`,
    );
  const { code, expiresAt } = await withCore(cli, ({ core, newWrite }) => core.createSignInCode(newWrite()));
  const url = `${service.url}/auth/sign-in?code=${code}`;
  const opened = isOpened && (await starters.openInBrowser(url));
  output.answer({ url, expiresAt, opened }, () => [url]);
  if (isOpened && !opened) output.note("No browser could be opened here. Open the link yourself.");
  output.note("The link signs one browser in, once, within 10 minutes. Do not share it.");
}

async function getKey(cli: Cli, service: string, client: string | undefined): Promise<void> {
  const { askForKey } = await import("../ask-for-key.js");
  const told = await untilInterrupted(() => askForKey(cli, service, client));
  cli.output.answer(told, () => [told.apiKey]);
  cli.output.note(`This key is for ${printableLine(told.apiUrl)}. It is shown only once: keep it somewhere safe.`);
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listSignIns(read));
  const none = `No browser is signed in. To sign one in: ${cli.invocation} login`;
  cli.output.answer(answer, () =>
    answer.signIns.length > 0 ? answer.signIns.map((signIn) => describe(cli, signIn)) : [none],
  );
}

function describe(cli: Cli, { id, how, client, createdAt, lastUsedAt, expiresAt }: SignIn): string {
  const days = (time: string) => cli.localTime(time).slice(0, 10);
  return `${id}  ${printableLine(client ?? "unknown browser")}, signed in with ${WAYS[how]} ${days(createdAt)}, last used ${days(lastUsedAt)}, expires ${days(expiresAt)}`;
}

const WAYS = { link: "a link", key: "a key", password: "the password" } as const;

async function end(cli: Cli, id: string): Promise<void> {
  const ended = await withCore(cli, ({ core, newWrite }) => core.endSignIn(newWrite(), { id }));
  cli.output.answer(ended, () => [`${cli.output.style.green("signed out:")} ${ended.id}`]);
}
