import { createHash } from "node:crypto";
import * as z from "zod";
import { randomSecret, sha256 } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { customIdSchema, parseInput } from "../input.js";
import type { Connector, OAuthSignIn } from "../ports.js";
import type { Connection } from "../types.js";
import { askForTokens, TokenRefusal } from "./access-token.js";
import { applicationOf } from "./application.js";
import { SignInRefused } from "./connector-errors.js";
import { jsonOf } from "./json-answer.js";
import { activate } from "./activate-connection.js";
import { connectionNameSchema, providerSchema, requireConnection, requireConnector } from "./find-connections.js";
import { keepSecrets, readSecrets, type Tokens } from "./secrets.js";

const SIGN_IN_MS = 60 * 60_000;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** @returns the address where somebody signs in, once and within an hour (RFC 6749 with PKCE, RFC 7636) */
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
  const secrets = await readSecrets(context, connection);
  await keepSecrets(context, connection, {
    ...secrets,
    signIn: { state: sha256(state), verifier, redirectUri, redirectUrl, expiresAt },
  });
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

const finishSchema = z.object({
  provider: providerSchema,
  code: z.string().max(4_096).optional(),
  state: z.string().max(1_000).optional(),
  error: z.string().max(1_000).optional(),
});

/** What the browser is told that comes back from a provider. */
export interface FinishedSignIn {
  readonly provider: string;
  /** Where it goes; null: it is shown a page. */
  readonly redirectUrl: string | null;
  /** Why nothing came of it, as a sentence; null: it is connected. */
  readonly problem: string | null;
}

/** Ends a sign-in that was begun here. @throws AppError `invalid` for one that was not, is over, or was used already */
export async function finishConnection(
  context: CoreContext,
  _call: AuthorizedCall,
  raw: unknown,
): Promise<FinishedSignIn> {
  const { provider, code, state = "", error } = parseInput(finishSchema, raw);
  const { store, clock } = context;
  const [id = ""] = state.split(".", 1);
  const isId = customIdSchema.safeParse(id).success;
  const connection = isId ? await store.connections.byId(store.organizationId, id) : null;
  const secrets = connection && (await readSecrets(context, connection));
  const begun = secrets?.signIn;
  const isGood =
    connection?.provider === provider && begun?.state === sha256(state) && begun.expiresAt > iso(clock.now());
  if (!connection || !secrets || !begun || !isGood)
    throw new AppError(
      "invalid",
      `No sign-in with ${provider} was begun here that goes on with this address. It works once, for an hour: begin again.`,
    );
  const connector = requireConnector(context, provider);
  // Used, whatever comes of it.
  await keepSecrets(context, connection, { ...secrets, signIn: null });
  const { redirectUrl, redirectUri, verifier } = begun;
  if (code === undefined)
    return {
      provider,
      redirectUrl,
      problem: `${connector.title} did not let this server in: ${error ?? "no reason"}.`,
    };
  const problem = await connect(context, connection, connector, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  return { provider, redirectUrl, problem };
}

/** @returns why it did not come to anything; null: connected */
async function connect(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  form: Readonly<Record<string, string>>,
): Promise<string | null> {
  try {
    const tokens = await askForTokens(context, connection.organizationId, requireOAuth(connector), form);
    await keepTokens(context, connection, tokens);
    await activate(context, connection, connector);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.log.warn("a sign-in for a connection failed", { connection: connection.id, reason: error.message });
    return error.message;
  }
}

async function keepTokens(context: CoreContext, connection: Connection, tokens: Tokens): Promise<void> {
  const secrets = await readSecrets(context, connection);
  await keepSecrets(context, connection, { ...secrets, tokens, device: null });
}

export interface BegunDeviceSignIn {
  /** What somebody types. */
  readonly userCode: string;
  readonly verificationUrl: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Seconds between two questions whether it is done. */
  readonly interval: number;
}

const deviceAnswerSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.coerce.number(),
  interval: z.coerce.number().default(5),
});

/** Begins a sign-in on another device. @throws AppError `unsupported` where the provider has none */
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
  const answer = await context.sources.send(
    {
      url: signIn.deviceUrl,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams({ client_id: clientId, scope: signIn.scopes.join(" ") }).toString(),
      maximumBytes: 64 * 1024,
    },
    { authorization: null, signal: AbortSignal.timeout(60_000) },
  );
  const read = deviceAnswerSchema.safeParse(jsonOf(answer));
  if (!read.success)
    throw new AppError(
      "unavailable",
      `${connector.title} gave no code for another device. Open the link in a browser.`,
    );
  const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUrl } = read.data;
  const { expires_in: expiresIn, interval } = read.data;
  const expiresAt = iso(new Date(context.clock.now().getTime() + expiresIn * 1_000));
  const secrets = await readSecrets(context, connection);
  await keepSecrets(context, connection, { ...secrets, device: { deviceCode, expiresAt } });
  return { userCode, verificationUrl, expiresIn, interval };
}

/** Whether somebody has signed in on the other device. @throws AppError `invalid` when it was refused or is over */
export async function pollConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ readonly isConnected: boolean; readonly isSlowDown: boolean }> {
  const connection = await requireConnection(context, call, parseInput(connectionNameSchema, raw).id);
  if (connection.state === "active") return { isConnected: true, isSlowDown: false };
  const connector = requireConnector(context, connection.provider);
  const { device } = await readSecrets(context, connection);
  if (device === null || device.expiresAt <= iso(context.clock.now()))
    throw new AppError("invalid", "The code is over. Begin the sign-in again.");
  const form = { grant_type: DEVICE_GRANT, device_code: device.deviceCode };
  const signIn = requireOAuth(connector);
  try {
    await keepTokens(context, connection, await askForTokens(context, connection.organizationId, signIn, form));
  } catch (error) {
    if (error instanceof TokenRefusal && /^(authorization_pending|slow_down)$/.test(error.code))
      return { isConnected: false, isSlowDown: error.code === "slow_down" };
    if (error instanceof SignInRefused) throw new AppError("invalid", error.message, { cause: error });
    throw error;
  }
  await activate(context, connection, connector);
  return { isConnected: true, isSlowDown: false };
}

function requireOAuth({ signIn, title }: Connector): OAuthSignIn {
  if (signIn.kind !== "oauth") throw new AppError("unsupported", `Nobody signs in to ${title} in a browser.`);
  return signIn;
}
