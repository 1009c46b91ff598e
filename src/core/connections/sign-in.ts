import { createHash } from "node:crypto";
import * as z from "zod";
import { randomSecret, sha256 } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { customIdSchema, parseInput } from "../input.js";
import type { Connector, OAuthSignIn } from "../ports.js";
import type { Connection } from "../types.js";
import { askForTokens, lifeSchema, TokenRefusal } from "./access-token.js";
import { applicationOf } from "./application.js";
import { SignInRefused } from "./connector-errors.js";
import { jsonOf } from "./json-answer.js";
import { activate } from "./activate-connection.js";
import { withPatience } from "./patience.js";
import { beginPicking } from "./picker-link.js";
import {
  connectionNameSchema,
  isChosen,
  providerSchema,
  requireConnection,
  requireConnector,
} from "./find-connections.js";
import {
  changeSecrets,
  type ConnectionSecrets,
  NO_SECRETS,
  type PendingDevice,
  readSecrets,
  type ConnectionTokens,
} from "./secrets.js";

const SIGN_IN_MS = 60 * 60_000;
/** Lifetime of a code if the provider does not give one. */
const DEVICE_SECONDS = 15 * 60;
/** Seconds between two polls for a sign-in, unless the provider says otherwise (RFC 8628 §3.2). */
const DEVICE_INTERVAL = 5;
const LONGEST_INTERVAL = 60;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** @returns the address for signing in, valid once and for an hour (RFC 6749 with PKCE, RFC 7636) */
export async function beginSignIn(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  { redirectUrl, origin }: { readonly redirectUrl: string | null; readonly origin: string | undefined },
): Promise<string> {
  const signIn = requireOAuth(connector);
  if (origin === undefined)
    throw new AppError(
      "invalid",
      "The address of this server is not known. Sign in over HTTP, or set RECOLLECT_PUBLIC_URL.",
    );
  const { clientId } = await applicationOf(context, connection.organizationId, signIn);
  const state = `${connection.id}.${randomSecret()}`;
  const verifier = randomSecret();
  const redirectUri = `${origin}/v3/connections/auth/callback/${connection.provider}`;
  const expiresAt = iso(new Date(context.clock.now().getTime() + SIGN_IN_MS));
  const settings = await otherSettings(context, connection);
  await changeSecrets(context, connection, (now) => ({
    ...(now ?? NO_SECRETS),
    signIn: { state: sha256(state), verifier, redirectUri, redirectUrl, expiresAt, settings },
  }));
  const link = new URL(signIn.authorizeUrl);
  const parameters = {
    ...signIn.parameters,
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(signIn.scopes.length > 0 && { scope: signIn.scopes.join(" ") }),
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) link.searchParams.set(name, value);
  return link.href;
}

/** The settings that a sign-in is to apply; null if nothing changes, so that settings changed meanwhile stay. */
async function otherSettings(
  { store }: CoreContext,
  { organizationId, id, settings }: Connection,
): Promise<Connection["settings"] | null> {
  const kept = await store.connections.byId(organizationId, id);
  return JSON.stringify(kept?.settings) === JSON.stringify(settings) ? null : settings;
}

const finishSchema = z.object({
  provider: providerSchema,
  code: z.string().max(4_096).optional(),
  state: z.string().max(1_000).optional(),
  error: z.string().max(1_000).optional(),
});

/** The result for a browser returning from a provider. */
export interface FinishedSignIn {
  readonly provider: string;
  /** Where it goes; null: a page is shown. */
  readonly redirectUrl: string | null;
  /** Why it failed, as a sentence; null: it is connected. */
  readonly problem: string | null;
  /** Where the user chooses what is imported before the browser goes on; null if nothing has to be chosen. */
  readonly pickUrl: string | null;
}

/** Completes a sign-in that was begun here. @throws AppError `invalid` for one that was not, has expired, or was already used */
export async function finishConnection(
  context: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<FinishedSignIn> {
  const { provider, code, state = "", error } = parseInput(finishSchema, raw);
  const { store } = context;
  const [id = ""] = state.split(".", 1);
  const isId = customIdSchema.safeParse(id).success;
  const connection = isId ? await store.connections.byId(store.organizationId, id) : null;
  const before = connection?.provider === provider ? await takeSignIn(context, connection, state) : null;
  const begun = before?.signIn;
  if (!connection || !before || !begun)
    throw new AppError(
      "invalid",
      `No sign-in with ${provider} is waiting at this address. It works only once, within an hour: start again.`,
    );
  const connector = requireConnector(context, provider);
  const { redirectUrl, redirectUri, verifier } = begun;
  if (code === undefined)
    return {
      provider,
      redirectUrl,
      problem: `${connector.title} refused access to this server: ${error ?? "no reason given"}.`,
      pickUrl: null,
    };
  const wanted = { ...connection, settings: begun.settings ?? connection.settings };
  const problem = await connect(context, wanted, connector, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const pickUrl = problem === null ? await pickUrlOf(context, wanted, connector, begun) : null;
  return { provider, redirectUrl, problem, pickUrl };
}

async function pickUrlOf(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  { redirectUrl, redirectUri }: Pick<NonNullable<ConnectionSecrets["signIn"]>, "redirectUrl" | "redirectUri">,
): Promise<string | null> {
  if (connector.asksAfterSignIn !== true || isChosen(connector, connection)) return null;
  const { origin } = new URL(redirectUri);
  return (await beginPicking(context, connection, { returnUrl: redirectUrl, origin })).url;
}

/**
 * Takes the sign-in that a state belongs to, so that nobody else can continue it.
 * @returns the secrets with it; null for none
 */
async function takeSignIn(
  context: CoreContext,
  connection: Connection,
  state: string,
): Promise<ConnectionSecrets | null> {
  const now = iso(context.clock.now());
  return changeSecrets(context, connection, (secrets) => {
    const isGood = secrets?.signIn?.state === sha256(state) && secrets.signIn.expiresAt > now;
    return isGood ? { ...secrets, signIn: null } : null;
  });
}

/** @returns why it failed; null: connected */
async function connect(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  form: Readonly<Record<string, string>>,
): Promise<string | null> {
  try {
    const tokens = await askForTokens(context, connection.organizationId, requireOAuth(connector), form);
    await activate(context, connection, connector, { fields: {}, tokens });
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.log.warn("a sign-in for a connection failed", { connection: connection.id, reason: error.message });
    return error.message;
  }
}

export interface BegunDeviceSignIn {
  /** The code to type. */
  readonly userCode: string;
  readonly verificationUrl: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Seconds between two polls. */
  readonly interval: number;
}

const deviceAnswerSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: lifeSchema,
  interval: lifeSchema,
});

/** Starts a sign-in on another device. @throws AppError `unsupported` if the provider does not support it */
export async function beginDeviceSignIn(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
): Promise<BegunDeviceSignIn> {
  const signIn = requireOAuth(connector);
  if (signIn.deviceUrl === undefined)
    throw new AppError(
      "unsupported",
      `${connector.title} has no sign-in on another device. Open the link in a browser.`,
    );
  const { clientId } = await applicationOf(context, connection.organizationId, signIn);
  const request = {
    url: signIn.deviceUrl,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams({ client_id: clientId, scope: signIn.scopes.join(" ") }).toString(),
    maximumBytes: 64 * 1024,
  } as const;
  const answer = await withPatience(connector.title, (signal) =>
    context.sources.send(request, { authorization: null, signal }),
  );
  const read = deviceAnswerSchema.safeParse(jsonOf(answer));
  if (!read.success)
    throw new AppError(
      "unavailable",
      `${connector.title} returned no code for another device. Open the link in a browser.`,
    );
  const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUrl } = read.data;
  const { expires_in: expiresIn = DEVICE_SECONDS, interval = DEVICE_INTERVAL } = read.data;
  const expiresAt = iso(new Date(context.clock.now().getTime() + expiresIn * 1_000));
  const settings = await otherSettings(context, connection);
  await changeSecrets(context, connection, (now) => ({
    ...(now ?? NO_SECRETS),
    device: { deviceCode, expiresAt, settings, tokens: null },
  }));
  return { userCode, verificationUrl, expiresIn, interval: Math.min(interval, LONGEST_INTERVAL) };
}

/** Whether somebody has signed in on the other device. @throws AppError `invalid` when it was refused or has expired */
export async function pollConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ readonly isConnected: boolean; readonly isSlowDown: boolean }> {
  const connection = await requireConnection(context, call, parseInput(connectionNameSchema, raw).id);
  const connector = requireConnector(context, connection.provider);
  const { device } = await readSecrets(context, connection);
  if (device === null && connection.state !== "pending" && connection.state !== "reconnect")
    return { isConnected: true, isSlowDown: false };
  if (device === null || device.expiresAt <= iso(context.clock.now()))
    throw new AppError("invalid", "The code has expired. Start the sign-in again.");
  const tokens = device.tokens ?? (await askWithDevice(context, connection, connector, device.deviceCode));
  if (tokens === "waiting") return { isConnected: false, isSlowDown: false };
  if (tokens === "slow down") return { isConnected: false, isSlowDown: true };
  const keep = (kept: PendingDevice | null) =>
    changeSecrets(context, connection, (now) =>
      now?.device?.deviceCode === device.deviceCode ? { ...now, device: kept } : null,
    );
  await keep({ ...device, tokens });
  const wanted = { ...connection, settings: device.settings ?? connection.settings };
  try {
    await activate(context, wanted, connector, { fields: {}, tokens });
  } catch (error) {
    if (isAway(error)) return { isConnected: false, isSlowDown: true };
    await keep(null);
    throw error;
  }
  await keep(null);
  return { isConnected: true, isSlowDown: false };
}

/** Poll less often when there is no answer (RFC 8628 §3.5). */
function isAway(error: unknown): boolean {
  return error instanceof AppError && /^(rate_limited|unavailable)$/.test(error.kind);
}

async function askWithDevice(
  context: CoreContext,
  { organizationId }: Connection,
  connector: Connector,
  deviceCode: string,
): Promise<ConnectionTokens | "waiting" | "slow down"> {
  try {
    const form = { grant_type: DEVICE_GRANT, device_code: deviceCode };
    return await askForTokens(context, organizationId, requireOAuth(connector), form);
  } catch (error) {
    if (error instanceof TokenRefusal && error.code === "authorization_pending") return "waiting";
    if (error instanceof TokenRefusal && error.code === "slow_down") return "slow down";
    if (error instanceof SignInRefused) throw new AppError("invalid", error.message, { cause: error });
    if (isAway(error)) return "slow down";
    throw error;
  }
}

function requireOAuth({ signIn, title }: Connector): OAuthSignIn {
  if (signIn.kind !== "oauth") throw new AppError("unsupported", `${title} has no sign-in in a browser.`);
  return signIn;
}
