import type { Command } from "commander";
import type { ListedKey } from "../../../core/index.js";
import type { ApiKey, Grant } from "../../../core/types.js";
import { examples, withCore, type Cli } from "../cli.js";
import { UsageError } from "../failure.js";
import { notEmpty, wholeNumberOption } from "../options.js";
import { editDistance } from "../../../lib/edit-distance.js";
import { printableLine } from "../style.js";

export function registerKeys(program: Command, cli: Cli): void {
  const keys = program.command("keys").description("Create, list, disable and revoke API keys for the HTTP service.");
  keys
    .command("create")
    .description("Create a key and print it. It is shown only once, because only a hash of it is stored.")
    .option("--name <name>", "what it is for", notEmpty, "key")
    .option(
      "--client <name>",
      "client that it is for, such as opencode; settings written with it apply only to this client",
      notEmpty,
    )
    .option("--container <tag...>", "only these containers; TAG:read does not allow writing")
    .option("--read-only", "do not allow any writing")
    .option("--expires <days>", "number of days until it expires, 1 to 365", wholeNumberOption(1, 365))
    .option("--rate <requests>", "maximum number of requests per minute, 1 to 10000", wholeNumberOption(1, 10_000))
    .addHelpText(
      "after",
      examples(cli, [
        "$ keys create --name laptop",
        "$ keys create --client opencode",
        "$ keys create --container mia library:read --expires 90",
        "$ keys create --json",
      ]),
    )
    .action(async (options: CreateOptions) => create(cli, options));
  keys
    .command("list")
    .description("List all keys, including revoked ones.")
    .addHelpText("after", examples(cli, ["$ keys list"]))
    .action(async () => list(cli));
  keys
    .command("toggle")
    .description("Disable a key, or enable it again.")
    .argument("<id>", "id of the key, as printed by `keys list`")
    .addHelpText("after", examples(cli, ["$ keys toggle 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => toggle(cli, id));
  keys
    .command("revoke")
    .description("Revoke a key, immediately and permanently.")
    .argument("<id>", "id of the key, as printed by `keys list`")
    .addHelpText("after", examples(cli, ["$ keys revoke 3mJr7AoUXx2Wqd9ZtYbN4c"]))
    .action(async (id: string) => revoke(cli, id));
}

interface CreateOptions {
  readonly name: string;
  readonly client?: string;
  readonly container?: readonly string[];
  readonly readOnly?: boolean;
  readonly expires?: number;
  readonly rate?: number;
}

const MINUTE_MS = 60_000;

async function create(cli: Cli, { container, readOnly, expires, rate, ...named }: CreateOptions): Promise<void> {
  const wanted = {
    ...named,
    ...(container && { kind: "agent", grants: await readGrants(container) }),
    ...(readOnly && { permission: "read" }),
    ...(expires !== undefined && { expiresInDays: expires }),
    ...(rate !== undefined && { rate: { requests: rate, windowMs: MINUTE_MS } }),
  };
  const created = await withCore(cli, ({ core, newWrite }) => core.createKey(newWrite(), wanted));
  cli.output.answer(created, () => [created.secret]);
  cli.output.note(
    `Key ${created.key.id} (${describeUse(created.key)}). It is shown only once: keep it somewhere safe.`,
  );
}

/** Reads `TAG` or `TAG:read`; a tag may contain colons itself. @throws UsageError for an invalid tag */
async function readGrants(texts: readonly string[]): Promise<Grant[]> {
  // The core's rules take long to load, and other commands do without them.
  const { containerTagSchema } = await import("../../../core/index.js");
  return texts.map((text) => {
    const [, tag = text, permission] = /^(.*):(read|write)$/.exec(text) ?? [];
    if (permission === undefined) refuseMisspelt(text);
    const checked = containerTagSchema.safeParse(tag);
    if (!checked.success)
      throw new UsageError(
        `--container ${JSON.stringify(text)} ${checked.error.issues[0]?.message ?? "is not a container tag"}.`,
      );
    return { containerTag: checked.data, permission: permission === "read" ? "read" : "write" };
  });
}

const MOST_DIFFERENT = 2;

/** A misspelt right would make a key that may write, to a container of another name. @throws UsageError */
function refuseMisspelt(text: string): void {
  const word = /:([^:]*)$/.exec(text)?.[1]?.toLowerCase();
  if (!word) return;
  const meant = ["read", "write"].find((right) => word[0] === right[0] && isLike(word, right));
  if (meant === undefined) return;
  const tag = text.slice(0, -word.length - 1);
  throw new UsageError(
    `--container ${JSON.stringify(text)} looks like a misspelt permission: write ${tag}:${meant}, or ${text}:write if that is the container's tag.`,
  );
}

function isLike(word: string, right: string): boolean {
  return (
    right.startsWith(word) ||
    editDistance(word, right) <= MOST_DIFFERENT ||
    /^(ro|rw|read-?only|read-?write)$/.test(word)
  );
}

async function list(cli: Cli): Promise<void> {
  const answer = await withCore(cli, ({ core, read }) => core.listKeys(read));
  const none = `There are no keys yet. Create one: ${cli.invocation} keys create`;
  cli.output.answer(answer, () => (answer.keys.length > 0 ? answer.keys.map((key) => describe(cli, key)) : [none]));
}

function describe(cli: Cli, key: ListedKey): string {
  const made = `created ${cli.localTime(key.createdAt).slice(0, 10)}`;
  return `${key.id}  …${key.hint}  ${describeUse(key)}  ${made}, ${describeState(cli, key)}`;
}

function describeState(cli: Cli, { isOpen, revokedAt, disabledAt, expiresAt, lastUsedAt }: ListedKey): string {
  const { dim, red } = cli.output.style;
  const day = (moment: string) => cli.localTime(moment).slice(0, 10);
  if (revokedAt !== null) return red(`revoked ${day(revokedAt)}`);
  if (disabledAt !== null) return red(`disabled ${day(disabledAt)}`);
  if (expiresAt !== null && !isOpen) return red(`expired ${day(expiresAt)}`);
  const used = lastUsedAt === null ? "never used" : `last used ${day(lastUsedAt)}`;
  return dim(expiresAt === null ? used : `${used}, expires ${day(expiresAt)}`);
}

/** What the key is for, and its limits. */
function describeUse({ name, client, grants, permission, rate }: ApiKey): string {
  const parts = [
    printableLine(name),
    client !== null && `for ${client}`,
    grants !== null && `only ${grants.map((grant) => describeGrant(grant)).join(" ")}`,
    grants === null && permission === "read" && "read-only",
    rate !== null && `${rate.requests} requests in ${rate.windowMs / 1_000} s`,
  ];
  return parts.filter((part) => part !== false).join(", ");
}

function describeGrant({ containerTag, permission }: Grant): string {
  return permission === "read" ? `${containerTag}:read` : containerTag;
}

async function toggle(cli: Cli, id: string): Promise<void> {
  const toggled = await withCore(cli, ({ core, newWrite }) => core.toggleKey(newWrite(), { id }));
  const { green, red } = cli.output.style;
  cli.output.answer(toggled, () => [`${toggled.enabled ? green("enabled:") : red("disabled:")} ${toggled.id}`]);
}

async function revoke(cli: Cli, id: string): Promise<void> {
  const revoked = await withCore(cli, ({ core, newWrite }) => core.revokeKey(newWrite(), { id }));
  cli.output.answer(revoked, () => [`${cli.output.style.green("revoked:")} ${revoked.id}`]);
}
