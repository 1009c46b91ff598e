import type { Command } from "commander";
import type { ApiKey } from "../../../core/types.js";
import { examples, withCore, type Cli } from "../cli.js";
import { oneLine } from "../style.js";

export function registerKeys(program: Command, cli: Cli): void {
  const keys = program.command("keys").description("Make, list and revoke API keys for the HTTP service.");
  keys
    .command("create")
    .description("Make a key and print it: this once, since only a hash of it is kept.")
    .option("--name <name>", "what it is for", "key")
    .option(
      "--client <name>",
      "client that it is for, such as opencode: settings that it writes are this client's alone",
    )
    .addHelpText(
      "after",
      examples(cli, ["$ keys create --name laptop", "$ keys create --client opencode", "$ keys create --json"]),
    )
    .action(async (options: { name: string; client?: string }) => create(cli, options));
  keys
    .command("list")
    .description("List all keys, revoked ones too.")
    .addHelpText("after", examples(cli, ["$ keys list"]))
    .action(async () => list(cli));
  keys
    .command("revoke")
    .description("Make a key useless, at once and for good.")
    .argument("<id>", "id of the key, as `keys list` prints it")
    .addHelpText("after", examples(cli, ["$ keys revoke 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => revoke(cli, id));
}

async function create(cli: Cli, options: { name: string; client?: string }): Promise<void> {
  const created = await withCore(cli, ({ core, newWrite }) => core.createKey(newWrite(), options));
  cli.output.answer(created, () => [created.secret]);
  cli.output.note(
    `Key ${created.key.id} (${describeUse(created.key)}). It is shown this once: keep it somewhere safe.`,
  );
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listKeys(read));
  const none = `There are no keys yet. Make one: ${cli.programName} keys create`;
  cli.output.answer(answer, () => (answer.keys.length > 0 ? answer.keys.map((key) => describe(cli, key)) : [none]));
}

function describe(cli: Cli, key: ApiKey): string {
  const { dim, red } = cli.output.style;
  const used = key.lastUsedAt === null ? "never used" : `last used ${key.lastUsedAt.slice(0, 10)}`;
  const state = key.revokedAt === null ? dim(used) : red(`revoked ${key.revokedAt.slice(0, 10)}`);
  return `${key.id}  …${key.hint}  ${describeUse(key)}  made ${key.createdAt.slice(0, 10)}, ${state}`;
}

/** What the key is for. */
function describeUse({ name, client }: ApiKey): string {
  return client === null ? oneLine(name) : `${oneLine(name)}, for ${client}`;
}

async function revoke(cli: Cli, id: string): Promise<void> {
  const revoked = await withCore(cli, ({ core, newWrite }) => core.revokeKey(newWrite(), { id }));
  cli.output.answer(revoked, () => [`${cli.output.style.green("revoked:")} ${revoked.id}`]);
}
