import { createSign } from "node:crypto";
import * as z from "zod";
import { parseRetryAfter } from "../../lib/http-fetch.js";
import { oneLine } from "../../lib/one-line.js";
import { iso, sleep } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Connector, OAuthSignIn, SourceAnswer, SourceRequest } from "../ports.js";
import { applicationOf } from "./application.js";
import { SignInRefused } from "./connector-errors.js";
import { jsonOf } from "./json-answer.js";
import { withPatience } from "./patience.js";
import type { ConnectionSecrets, SecretPlace, ConnectionTokens } from "./secrets.js";

/** A token that expires this soon is replaced before use. */
const EARLY_MS = 60_000;
/** How often a node whose token was refused checks whether another node has received the new one. */
const LOOKS_FOR_OTHER_NODE = 12;
const LOOKS_EVERY_MS = 250;
const ASSERTION_SECONDS = 3_600;
/** Characters. */
const SHORTEST_SECRET = 6;
/** Seconds; a provider that asks for a longer pause is asked again after this. */
const LONGEST_PAUSE = 3_600;

/** The authorization of a connection's request; null if its connector signs requests itself, or no sign-in is needed. */
export async function authorizationOf(
  context: CoreContext,
  place: SecretPlace,
  { signIn }: Pick<Connector, "signIn">,
  /** A header that was just refused, to be replaced. */
  refused: string | null = null,
): Promise<string | null> {
  if (signIn.kind !== "oauth") return null;
  const secrets = await place.read();
  const given = signIn.tokenField === undefined ? undefined : secrets.fields[signIn.tokenField];
  if (given !== undefined) return `Bearer ${given}`;
  const kept = goodToken(context, secrets, refused);
  if (kept !== null) return kept;
  // Concurrent requests must not use one refresh token twice.
  for (;;) {
    const running = context.tokenRequests.get(place.id);
    if (!running) break;
    const made = await running;
    if (made !== refused) return made;
  }
  const made = newToken(context, place, signIn, refused).finally(() => context.tokenRequests.delete(place.id));
  context.tokenRequests.set(place.id, made);
  return made;
}

function goodToken({ clock }: CoreContext, { tokens }: ConnectionSecrets, refused: string | null): string | null {
  if (tokens === null || `Bearer ${tokens.access}` === refused) return null;
  const isLasting = tokens.expiresAt === null || Date.parse(tokens.expiresAt) - clock.now().getTime() > EARLY_MS;
  return isLasting ? `Bearer ${tokens.access}` : null;
}

/** Requests a token, unless another request did, or somebody signed in again meanwhile. */
async function newToken(
  context: CoreContext,
  place: SecretPlace,
  signIn: OAuthSignIn,
  refused: string | null,
): Promise<string> {
  const secrets = await place.read();
  const kept = goodToken(context, secrets, refused);
  if (kept !== null) return kept;
  const isSame = (now: ConnectionSecrets | null) => now !== null && credentialsOf(now) === credentialsOf(secrets);
  try {
    const tokens = await askAnew(context, place, signIn, secrets);
    if (await place.change((now) => (now !== null && isSame(now) ? { ...now, tokens } : null)))
      return `Bearer ${tokens.access}`;
  } catch (error) {
    if (!(error instanceof SignInRefused) || !(await isReplaced(context, async () => isSame(await place.read()))))
      throw error;
  }
  return newToken(context, place, signIn, refused);
}

/**
 * Whether the credentials have been replaced by somebody else. Another node may be about to do so with the same refresh token.
 */
async function isReplaced({ about }: CoreContext, isSame: () => Promise<boolean>): Promise<boolean> {
  for (let look = 1; ; look += 1) {
    if (!(await isSame())) return true;
    if (!about.hasSeveralNodes || look === LOOKS_FOR_OTHER_NODE) return false;
    await sleep(LOOKS_EVERY_MS);
  }
}

function credentialsOf({ fields, tokens }: ConnectionSecrets): string {
  return JSON.stringify([fields, tokens]);
}

async function askAnew(
  context: CoreContext,
  { organizationId }: SecretPlace,
  signIn: OAuthSignIn,
  { fields, tokens }: ConnectionSecrets,
): Promise<ConnectionTokens> {
  const account = signIn.serviceAccountField === undefined ? undefined : fields[signIn.serviceAccountField];
  if (account !== undefined) return askWithAssertion(context, signIn, account);
  if (tokens?.refresh == null) throw new SignInRefused("The sign-in has expired. Sign in again.");
  const form = { grant_type: "refresh_token", refresh_token: tokens.refresh };
  const made = await askForTokens(context, organizationId, signIn, form);
  return { ...made, refresh: made.refresh ?? tokens.refresh };
}

/** No token and no code lasts longer, whatever the provider says. */
const LONGEST_LIFE = 10 * 366 * 86_400;

/** Lifetime in seconds; undefined if a provider gives none, or an invalid one. */
export const lifeSchema = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .pipe(z.number().positive())
  .transform((seconds) => Math.min(seconds, LONGEST_LIFE))
  .optional()
  .catch(undefined);

const answerSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().nullish(),
  expires_in: lifeSchema,
});
const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** The error a provider returned instead of tokens (RFC 6749 §5.2, RFC 8628 §3.5), such as `authorization_pending`. */
export class TokenRefusal extends SignInRefused {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Errors of a provider that are temporary. */
const PASSING: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error"]);

/**
 * Requests tokens as the organisation's app.
 * @throws TokenRefusal, or AppError `rate_limited` or `unavailable` if the provider does not answer now
 */
export async function askForTokens(
  context: CoreContext,
  organizationId: string,
  signIn: OAuthSignIn,
  form: Readonly<Record<string, string>>,
): Promise<ConnectionTokens> {
  const { clientId, clientSecret } = await applicationOf(context, organizationId, signIn);
  const isBasic = signIn.clientAuthentication === "basic" && clientSecret !== null;
  const own = isBasic ? {} : { client_id: clientId, ...(clientSecret !== null && { client_secret: clientSecret }) };
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? "")}`);
  return askTokenEndpoint(context, signIn, {
    form: { ...form, ...own },
    authorization: isBasic ? `Basic ${basic.toString("base64")}` : null,
  });
}

async function askTokenEndpoint(
  { sources, clock }: CoreContext,
  { tokenUrl: url, asksInJson = false }: OAuthSignIn,
  { form, authorization }: { readonly form: Readonly<Record<string, string>>; readonly authorization: string | null },
): Promise<ConnectionTokens> {
  const request: SourceRequest = {
    url,
    method: "POST",
    headers: {
      accept: "application/json",
      ...(!asksInJson && { "content-type": "application/x-www-form-urlencoded" }),
    },
    body: asksInJson ? form : new URLSearchParams(form).toString(),
    maximumBytes: 1024 * 1024,
    accepts: [400, 401, 403],
  };
  const answer = await withPatience(new URL(url).host, (signal) => sources.send(request, { authorization, signal }));
  const body = jsonOf(answer);
  const refusal = refusalSchema.safeParse(body);
  if (refusal.success) {
    const { error, error_description: description = error } = refusal.data;
    if (PASSING.has(error)) throw notNow(answer);
    const isOfApp = /^(invalid_client|unauthorized_client|incorrect_client_credentials)$/.test(error);
    const advice = isOfApp
      ? " It does not accept the id or the secret of the app: check that both are those of its client."
      : "";
    const said = withoutSecrets(description, [...Object.values(form), authorization ?? ""]);
    const message = `${new URL(url).host} refused the sign-in: ${oneLine(said).slice(0, 300).replace(/\.$/, "")}.${advice}`;
    // Nothing is wrong with the account then: once the app is configured correctly, everything continues by itself.
    if (isOfApp) throw new AppError("forbidden", message);
    throw new TokenRefusal(error, message);
  }
  const tokens = answerSchema.safeParse(body);
  if (!tokens.success)
    throw new AppError(
      "unavailable",
      `${new URL(url).host} returned an answer without a token (status ${answer.status}).`,
    );
  const { access_token: access, refresh_token: refresh = null, expires_in: seconds } = tokens.data;
  const expiresAt = seconds === undefined ? null : iso(new Date(clock.now().getTime() + seconds * 1_000));
  return { access, refresh, expiresAt };
}

/** The message of an endpoint may repeat what it was sent, and is shown to whoever returns from it. */
function withoutSecrets(text: string, sent: readonly string[]): string {
  const secrets = sent.filter((value) => value.length >= SHORTEST_SECRET).toSorted((a, b) => b.length - a.length);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), text);
}

function notNow({ url, headers }: SourceAnswer): AppError {
  const retryAfter = parseRetryAfter(headers["retry-after"]);
  const { host } = new URL(url);
  if (retryAfter === undefined) return new AppError("unavailable", `${host} is not issuing tokens at the moment.`);
  return new AppError("rate_limited", `${host} is not issuing tokens for another ${retryAfter} seconds.`, {
    retryAfter: Math.min(retryAfter, LONGEST_PAUSE),
  });
}

const serviceAccountSchema = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.string().optional(),
});

/** A token for a service account, by a signed assertion (RFC 7523). @throws AppError `invalid` for an invalid key */
async function askWithAssertion(context: CoreContext, signIn: OAuthSignIn, keyText: string): Promise<ConnectionTokens> {
  const key = serviceAccountSchema.safeParse(jsonOf({ bytes: Buffer.from(keyText) }));
  if (!key.success)
    throw new AppError("invalid", "The key of the service account is not the JSON file that Google provides.");
  const issued = Math.floor(context.clock.now().getTime() / 1_000);
  const claims = {
    iss: key.data.client_email,
    scope: signIn.scopes.join(" "),
    aud: signIn.tokenUrl,
    iat: issued,
    exp: issued + ASSERTION_SECONDS,
  };
  const unsigned = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded(claims)}`;
  const assertion = `${unsigned}.${signed(unsigned, key.data.private_key)}`;
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  return askTokenEndpoint(context, signIn, { form, authorization: null });
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signed(text: string, privateKey: string): string {
  try {
    return createSign("RSA-SHA256").update(text).sign(privateKey, "base64url");
  } catch (error) {
    throw new AppError("invalid", "The private key of the service account cannot be read.", { cause: error });
  }
}
