import * as z from "zod";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { chunkingIssues, chunkingShape } from "../documents/chunking.js";
import { checkMetadataSize, invalid, noteSchema, parseInput, textSchema } from "../input.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import { profileBucketsSchema } from "../profile/profile-buckets.js";

const MOST_MEMORIES = 1_000_000;

const memoryLimit = z
  .number("must be a number")
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(MOST_MEMORIES, `must be at most ${MOST_MEMORIES}, or null for no limit`)
  .nullable();

/** The organisation's own application at a provider of connections. */
const application = {
  customKeyEnabled: z.boolean("must be true or false").nullable(),
  text: noteSchema(4_096).nullable(),
};

/** Any JSON: sources disagree on its shape (contract 6.3). */
const anyJson = z.unknown();

/** Settings for how new content is read (contract 6.1). A key that was never written is absent. */
export const settingsSchema = z
  .object({
    shouldLLMFilter: z.boolean("must be true or false").nullable(),
    /** Guidance for extraction for the whole organisation. */
    filterPrompt: textSchema({ maxLength: 750 }).nullable(),
    includeItems: anyJson,
    excludeItems: anyJson,
    categories: anyJson,
    workspacePrompt: noteSchema(1_500).nullable(),
    ...chunkingShape,
    /** How many memories one document, and one container, may have; null for no limit. */
    maxMemoriesPerDocument: memoryLimit,
    maxMemoriesPerContainer: memoryLimit,
    profileBuckets: profileBucketsSchema,
    googleDriveCustomKeyEnabled: application.customKeyEnabled,
    googleDriveClientId: application.text,
    googleDriveClientSecret: application.text,
    notionCustomKeyEnabled: application.customKeyEnabled,
    notionClientId: application.text,
    notionClientSecret: application.text,
    onedriveCustomKeyEnabled: application.customKeyEnabled,
    onedriveClientId: application.text,
    onedriveClientSecret: application.text,
    githubCustomKeyEnabled: application.customKeyEnabled,
    githubClientId: application.text,
    githubClientSecret: application.text,
  })
  .partial();
export type Settings = z.output<typeof settingsSchema>;

/** The name under which the settings of the organisation itself are stored. */
export const EVERY_CLIENT = "";

/** The settings for a client: the organisation's, overridden by those that the client wrote for itself. */
export async function readSettings(
  { settings }: Pick<Repositories, "settings">,
  organizationId: string,
  client: string | null | undefined,
): Promise<Settings> {
  const common = await settings.read(organizationId, EVERY_CLIENT);
  const own = client ? await settings.read(organizationId, client) : null;
  return { ...common, ...own };
}

/** The settings for the caller, with secrets masked. @throws AppError `forbidden` for a restricted caller */
export async function getSettings(context: CoreContext, { actor }: AuthorizedCall): Promise<{ settings: Settings }> {
  requireAllContainers(actor);
  const settings = await readSettings(context.store, actor.organizationId, actor.client);
  return { settings: maskSecrets(await openSecrets(context, settings)) };
}

/**
 * Changes the given fields; null clears one. A caller that names its client changes only this client's settings. A secret sent
 * back masked stays unchanged. Affects new content, and what is reprocessed.
 * @throws AppError `invalid`, also for filters that are not switched on (contract 6.4) and for inconsistent settings,
 * `forbidden` for a restricted caller
 */
export async function updateSettings(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ settings: Settings }> {
  const { actor } = call;
  requireAllContainers(actor);
  const sent = parseInput(settingsSchema, raw);
  for (const key of FREE) checkMetadataSize(key, sent[key], context.limits);
  const client = actor.client ?? EVERY_CLIENT;
  return runOnce(context, call, "updateSettings", async (repositories) => {
    const before = await openSecrets(context, await readSettings(repositories, actor.organizationId, actor.client));
    const after = { ...before, ...sent };
    refuseIdleFilters(sent, after);
    const issues = Object.keys(chunkingShape).some((key) => key in sent) ? chunkingIssues(after) : [];
    if (issues.length > 0) throw invalid(issues);
    const change = withoutMasked(sent, before);
    const own = await repositories.settings.read(actor.organizationId, client);
    await repositories.settings.write(actor.organizationId, client, {
      ...own,
      ...(await sealSecrets(context, change)),
    });
    return { settings: maskSecrets({ ...before, ...change }) };
  });
}

/** Fields that may be any JSON. */
const FREE = ["includeItems", "excludeItems", "categories"] as const;
const FILTERS = ["filterPrompt", ...FREE] as const;

function refuseIdleFilters(sent: Settings, after: Settings): void {
  if (after.shouldLLMFilter === true) return;
  const idle = FILTERS.filter((key) => sent[key] !== undefined && sent[key] !== null);
  if (idle.length > 0)
    throw invalid(idle.map((key) => ({ path: [key], message: "has no effect: send shouldLLMFilter: true with it" })));
}

const SECRETS = [
  "googleDriveClientSecret",
  "notionClientSecret",
  "onedriveClientSecret",
  "githubClientSecret",
] as const;
/** Prefix of a stored secret; one without it was stored by an earlier version. */
const SEALED = "sealed:";

type SecretSettings = Pick<Settings, (typeof SECRETS)[number]>;

/** Settings with their secrets decrypted; one whose key is gone counts as absent. */
export async function openSecrets<T extends SecretSettings>(
  { secretBox, log }: Pick<CoreContext, "secretBox" | "log">,
  settings: T,
): Promise<T> {
  const opened: [string, string | null][] = [];
  for (const name of SECRETS) {
    const kept = settings[name];
    if (!kept?.startsWith(SEALED)) continue;
    try {
      opened.push([name, await secretBox.open(kept.slice(SEALED.length))]);
    } catch (error) {
      log.warn("a secret of the settings cannot be read", { setting: name, error });
      opened.push([name, null]);
    }
  }
  return { ...settings, ...Object.fromEntries(opened) };
}

/** The sealed values in the organisation's settings. */
export async function sealedInSettings(store: CoreContext["store"]): Promise<string[]> {
  const kept: Settings | null = await store.settings.read(store.organizationId, EVERY_CLIENT);
  const secrets = SECRETS.map((name) => kept?.[name] ?? "");
  return secrets.filter((secret) => secret.startsWith(SEALED)).map((secret) => secret.slice(SEALED.length));
}

/** Reseals what an older key has sealed, of the organisation itself: apps belong to it. */
export async function resealSettings(context: Pick<CoreContext, "secretBox" | "log" | "store">): Promise<void> {
  const { store, secretBox } = context;
  const kept: Settings | null = await store.settings.read(store.organizationId, EVERY_CLIENT);
  const isOld = async (secret: string) =>
    secret.startsWith(SEALED) && !(await secretBox.isCurrent(secret.slice(SEALED.length)));
  const old: string[] = [];
  for (const name of SECRETS) if (await isOld(kept?.[name] ?? "")) old.push(name);
  if (kept === null || old.length === 0) return;
  const opened = await openSecrets(context, kept);
  const change = Object.fromEntries(
    SECRETS.flatMap((name) => (old.includes(name) && opened[name] ? [[name, opened[name]]] : [])),
  );
  await store.settings.write(store.organizationId, EVERY_CLIENT, { ...kept, ...(await sealSecrets(context, change)) });
}

async function sealSecrets({ secretBox }: Pick<CoreContext, "secretBox">, change: Settings): Promise<Settings> {
  const sealed: [string, string][] = [];
  for (const name of SECRETS) {
    const secret = change[name];
    if (secret) sealed.push([name, `${SEALED}${await secretBox.seal(secret)}`]);
  }
  return { ...change, ...Object.fromEntries(sealed) };
}

const DOTS = "••••";
/** Four characters would reveal too much of a shorter secret. */
const SHORTEST_HINTED = 12;

/** Enough of a secret to recognise it. */
function maskOf(secret: string): string {
  return secret.length < SHORTEST_HINTED ? DOTS : `${DOTS}${secret.slice(-4)}`;
}

function maskSecrets(settings: Settings): Settings {
  const masked = SECRETS.flatMap((key) => {
    const secret = settings[key];
    return secret ? [[key, maskOf(secret)]] : [];
  });
  return { ...settings, ...Object.fromEntries(masked) };
}

function withoutMasked(sent: Settings, before: Settings): Settings {
  const echoed = SECRETS.filter((key) => {
    const stored = before[key];
    return stored ? sent[key] === maskOf(stored) : false;
  });
  return Object.fromEntries(Object.entries(sent).filter(([key]) => !echoed.some((secret) => secret === key)));
}
