import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { endUserSchema } from "../access/end-user.js";
import { requireAllContainers } from "../auth.js";
import { usualContainer } from "../containers/usual-container.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { containerTagSchema, invalid, noteSchema, parseInput } from "../input.js";
import type { Connector, ConnectorSettings } from "../ports.js";
import type { Connection } from "../types.js";
import { activate } from "./activate-connection.js";
import { providerSchema, requireConnector } from "./find-connections.js";
import { NO_SECRETS } from "./secrets.js";
import { beginDeviceSignIn, beginSignIn, type BegunDeviceSignIn } from "./sign-in.js";

/** Limit for a new connection. */
const MOST_DOCUMENTS = 10_000;
const MOST_DOCUMENTS_RAISED = 1_000_000;
const MOST_CONNECTIONS = 1_000;
const SHORTEST_MINUTES = 5;
const LONGEST_MINUTES = 60 * 24 * 31;

export const everyMinutesSchema = z
  .int("must be a whole number of minutes")
  .min(SHORTEST_MINUTES, `must be at least ${SHORTEST_MINUTES}`)
  .max(LONGEST_MINUTES, `must be at most ${LONGEST_MINUTES}`)
  .nullable();

export const documentLimitSchema = z.int().min(1).max(MOST_DOCUMENTS);
/** The limit that an owner may raise it to later; the maximum of contract 6.10 is only for new connections. */
export const raisedLimitSchema = z.int().min(1).max(MOST_DOCUMENTS_RAISED);

export const webUrlSchema = noteSchema(2_048).refine(
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  "must be an address that begins with http:// or https://",
);

const createSchema = z.object({
  provider: providerSchema,
  containerTag: containerTagSchema.optional(),
  containerTags: z.array(containerTagSchema).max(100).optional(),
  documentLimit: documentLimitSchema.optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  redirectUrl: webUrlSchema.optional(),
  endUserId: endUserSchema.optional(),
  /** Minutes between two runs; null: only on request; by default what suits the provider. */
  everyMinutes: everyMinutesSchema.optional(),
  /** True: the sign-in is done on another device (RFC 8628), if the provider supports that. */
  isDevice: z.boolean().optional(),
  /** Base address of this server as the browser reaches it, for providers to come back to. */
  origin: z.string().optional(),
});

export interface CreatedConnection {
  readonly id: string;
  /** Sign-in link; absent if not needed, or already done. */
  readonly authLink?: string;
  /** For people. */
  readonly expiresIn?: string;
  readonly redirectsTo?: string;
  readonly device?: BegunDeviceSignIn;
}

/**
 * Connects to a source. Credentials are tested before the answer; if a sign-in is needed, it happens in a browser first. The
 * first run starts automatically, unless something has to be chosen before.
 * @throws AppError `invalid` for settings or credentials that do not work, `unsupported` for an unknown provider
 */
export async function createConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<CreatedConnection> {
  requireAllContainers(call.actor);
  const input = parseInput(createSchema, raw);
  const connector = requireConnector(context, input.provider);
  if ((await context.store.connections.list(call.actor.organizationId)).length >= MOST_CONNECTIONS)
    throw new AppError("invalid", `There are already ${MOST_CONNECTIONS} connections. Remove one that is not needed.`);
  const { settings, secrets } = readFields(connector, input.metadata ?? {});
  const named = [...(input.containerTag === undefined ? [] : [input.containerTag]), ...(input.containerTags ?? [])];
  const draft = {
    id: createId(),
    organizationId: call.actor.organizationId,
    provider: input.provider,
    containerTags: named.length === 0 ? [usualContainer(call.actor)] : [...new Set(named)],
    endUserId: input.endUserId ?? null,
    documentLimit: input.documentLimit ?? MOST_DOCUMENTS,
    settings,
    resources: [],
    account: null,
    state: "pending",
    problem: null,
    listing: 0,
    everyMinutes: input.everyMinutes === undefined ? connector.sync.everyMinutes : input.everyMinutes,
    nextSyncAt: null,
    lastSyncedAt: null,
    webhooks: null,
  } as const;
  const sealed = await context.secretBox.seal(JSON.stringify({ ...NO_SECRETS, fields: secrets }));
  const connection = await context.store.connections.insert(draft, sealed);
  try {
    return await signInTo(context, connection, connector, { ...input, secrets });
  } catch (error) {
    await context.store.connections.remove(connection.organizationId, connection.id);
    throw error;
  }
}

/** How a user without credentials at hand signs in. */
export interface SignInWish {
  /** True: on another device. */
  readonly isDevice?: boolean | undefined;
  /** Where the browser goes afterwards. */
  readonly redirectUrl?: string | undefined;
  readonly origin?: string | undefined;
}

/** Signs in with the secrets if they suffice, and otherwise starts a sign-in; settings and secrets are stored once it works. */
export async function signInTo(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  {
    secrets,
    isDevice = false,
    redirectUrl,
    origin,
  }: SignInWish & { readonly secrets: Readonly<Record<string, string>> },
): Promise<CreatedConnection> {
  const { id } = connection;
  if (isSignedIn(connector, secrets)) {
    await activate(context, connection, connector, { fields: secrets, tokens: null });
    return { id };
  }
  if (isDevice && hasDeviceSignIn(connector))
    return { id, device: await beginDeviceSignIn(context, connection, connector) };
  const authLink = await beginSignIn(context, connection, connector, { redirectUrl: redirectUrl ?? null, origin });
  return { id, authLink, expiresIn: "1 hour", ...(redirectUrl !== undefined && { redirectsTo: redirectUrl }) };
}

/** Splits the input for a connection into what may be shown and what may not. @throws AppError `invalid` */
export function readFields(
  { fields, secretFields, title }: Connector,
  metadata: Readonly<Record<string, unknown>>,
): { readonly settings: ConnectorSettings; readonly secrets: Readonly<Record<string, string>> } {
  const unknown = Object.keys(metadata).filter((name) => !Object.hasOwn(fields.shape, name));
  if (unknown.length > 0)
    throw invalid(
      unknown.map((name) => ({
        path: ["metadata", name],
        message: `is not a setting of ${title}; known settings: ${Object.keys(fields.shape).join(", ") || "none"}`,
      })),
    );
  const read = fields.safeParse(metadata);
  if (!read.success)
    throw invalid(read.error.issues.map(({ path, message }) => ({ path: ["metadata", ...path.map(String)], message })));
  const entries = Object.entries(read.data).filter(([, value]) => value !== undefined);
  const isSecret = ([name]: readonly [string, unknown]) => secretFields.includes(name);
  return {
    settings: Object.fromEntries(entries.filter((entry) => !isSecret(entry))) as ConnectorSettings,
    secrets: Object.fromEntries(entries.filter(isSecret).map(([name, value]) => [name, String(value)])),
  };
}

function hasDeviceSignIn({ signIn }: Connector): boolean {
  return signIn.kind === "oauth" && signIn.deviceUrl !== undefined;
}

/** True if nobody has to sign in: the credentials are present. */
function isSignedIn({ signIn }: Connector, secrets: Readonly<Record<string, string>>): boolean {
  if (signIn.kind !== "oauth") return true;
  return [signIn.tokenField, signIn.serviceAccountField].some((name) => name !== undefined && name in secrets);
}
