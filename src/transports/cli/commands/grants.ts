import type { Command } from "commander";
import type { AppGrant } from "../../../core/types.js";
import { examples, withCore, type Cli } from "../cli.js";
import { oneLine } from "../style.js";

export function registerGrants(program: Command, cli: Cli): void {
  const grants = program
    .command("grants")
    .description("List the apps that you let in by OAuth, or let one in no more.");
  grants
    .command("list", { isDefault: true })
    .description("List the apps that may come in.")
    .addHelpText("after", examples(cli, ["$ grants list", "$ grants list --json"]))
    .action(async () => list(cli));
  grants
    .command("revoke")
    .description("Let an app in no more: its tokens open nothing from now on.")
    .argument("<id>", "id of the grant, as `grants list` prints it, or the client id of an app for all of its grants")
    .addHelpText("after", examples(cli, ["$ grants revoke 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => revoke(cli, id));
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listGrants(read));
  const none = "No app was let in by OAuth. Apps ask for it in your browser when you give them this server's address.";
  cli.output.answer(answer, () =>
    answer.grants.length > 0 ? answer.grants.map((grant) => describe(cli, grant)) : [none],
  );
}

function describe(cli: Cli, grant: AppGrant): string {
  const { clientName, clientHost, containerTags, permission, createdAt, lastUsedAt, expiresAt } = grant;
  const use = [
    `${oneLine(clientName)} (${oneLine(clientHost)})`,
    containerTags !== null && `only ${containerTags.join(" ")}`,
    permission === "read" && "read only",
  ];
  const day = (moment: string) => cli.localTime(moment).slice(0, 10);
  const state = [
    `let in ${day(createdAt)}`,
    lastUsedAt === null ? "never used" : `last used ${day(lastUsedAt)}`,
    expiresAt !== null && `expires ${day(expiresAt)}`,
  ];
  const join = (parts: readonly (string | false)[]) => parts.filter((part) => part !== false).join(", ");
  return `${grant.id}  ${join(use)}  ${cli.output.style.dim(join(state))}`;
}

async function revoke(cli: Cli, id: string): Promise<void> {
  const answer = await withCore(cli, ({ core, newWrite }) => core.revokeGrants(newWrite(), { client: id }));
  cli.output.answer(answer, () => [
    answer.revoked === 1 ? "Let in no more." : `Let in no more: ${answer.revoked} grants ended.`,
  ]);
}
