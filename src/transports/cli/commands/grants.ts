import type { Command } from "commander";
import type { AppGrant } from "../../../core/types.js";
import { examples, withCore, type Cli } from "../cli.js";
import { printableLine } from "../style.js";

export function registerGrants(program: Command, cli: Cli): void {
  const grants = program
    .command("grants")
    .description("List the apps that have access through OAuth, or revoke their access.");
  grants
    .command("list", { isDefault: true })
    .description("List the apps that have access.")
    .addHelpText("after", examples(cli, ["$ grants list", "$ grants list --json"]))
    .action(async () => list(cli));
  grants
    .command("revoke")
    .description("Revoke an app's access: its tokens stop working immediately.")
    .argument("<id>", "id of the grant, as printed by `grants list`, or the client id of an app for all of its grants")
    .addHelpText("after", examples(cli, ["$ grants revoke 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => revoke(cli, id));
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listGrants(read));
  const none =
    "No app has access through OAuth. Apps ask for it in your browser when you give them this server's address.";
  cli.output.answer(answer, () =>
    answer.grants.length > 0 ? answer.grants.map((grant) => describe(cli, grant)) : [none],
  );
}

function describe(cli: Cli, grant: AppGrant): string {
  const { clientName, clientHost, containerTags, permission, createdAt, lastUsedAt, expiresAt } = grant;
  const use = [
    `${printableLine(clientName)} (${printableLine(clientHost)})`,
    containerTags !== null && `only ${containerTags.join(" ")}`,
    permission === "read" && "read-only",
  ];
  const day = (moment: string) => cli.localTime(moment).slice(0, 10);
  const state = [
    `granted ${day(createdAt)}`,
    lastUsedAt === null ? "never used" : `last used ${day(lastUsedAt)}`,
    expiresAt !== null && `expires ${day(expiresAt)}`,
  ];
  const join = (parts: readonly (string | false)[]) => parts.filter((part) => part !== false).join(", ");
  return `${grant.id}  ${join(use)}  ${cli.output.style.dim(join(state))}`;
}

async function revoke(cli: Cli, id: string): Promise<void> {
  const answer = await withCore(cli, ({ core, newWrite }) => core.revokeGrants(newWrite(), { client: id }));
  cli.output.answer(answer, () => [
    answer.revoked === 1 ? "Access revoked." : `Access revoked: ${answer.revoked} grants ended.`,
  ]);
}
