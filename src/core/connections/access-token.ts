import { createSign } from "node:crypto";
import * as z from "zod";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Connector, OAuthSignIn } from "../ports.js";
import type { Connection } from "../types.js";
import { applicationOf } from "./application.js";
import { SignInRefused } from "./connector-errors.js";
import { jsonOf } from "./json-answer.js";
import { keepSecrets, readSecrets, type Tokens } from "./secrets.js";

/** A token that ends so soon is replaced before it is used. */
const EARLY_MS = 60_000;
const ASSERTION_SECONDS = 3_600;

/** What a request of a connection is signed in by; null where its connector signs by itself, or nobody signs in. */
export async function authorizationOf(
  context: CoreContext,
  connection: Connection,
  connector: Connector,
  /** A header that was refused just now, in place of which another one is wanted. */
  refused: string | null = null,
): Promise<string | null> {
  const { signIn } = connector;
  if (signIn.kind !== "oauth") return null;
  const { fields } = await readSecrets(context, connection);
  const given = signIn.tokenField === undefined ? undefined : fields[signIn.tokenField];
  if (given !== undefined) return `Bearer ${given}`;
  // Two requests at once must not use one refresh token twice.
  const running = context.tokenRequests.get(connection.id);
  if (running) return running;
  const made = currentToken(context, connection, signIn, refused).finally(() =>
    context.tokenRequests.delete(connection.id),
  );
  context.tokenRequests.set(connection.id, made);
  return made;
}

async function currentToken(
  context: CoreContext,
  connection: Connection,
  signIn: OAuthSignIn,
  refused: string | null,
): Promise<string> {
  const secrets = await readSecrets(context, connection);
  const { tokens } = secrets;
  const isGood =
    tokens !== null &&
    `Bearer ${tokens.access}` !== refused &&
    (tokens.expiresAt === null || Date.parse(tokens.expiresAt) - context.clock.now().getTime() > EARLY_MS);
  if (isGood) return `Bearer ${tokens.access}`;
  const account = signIn.serviceAccountField === undefined ? undefined : secrets.fields[signIn.serviceAccountField];
  const made =
    account === undefined
      ? await refresh(context, connection, signIn, tokens)
      : await askWithAssertion(context, signIn, account);
  await keepSecrets(context, connection, { ...secrets, tokens: made });
  return `Bearer ${made.access}`;
}

async function refresh(
  context: CoreContext,
  connection: Connection,
  signIn: OAuthSignIn,
  tokens: Tokens | null,
): Promise<Tokens> {
  if (tokens?.refresh == null) throw new SignInRefused("The sign-in is over. Sign in again.");
  const form = { grant_type: "refresh_token", refresh_token: tokens.refresh };
  const made = await askForTokens(context, connection.organizationId, signIn, form);
  return { ...made, refresh: made.refresh ?? tokens.refresh };
}

const answerSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().optional(),
  expires_in: z.coerce.number().optional(),
});
const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** What a provider said instead of giving tokens (RFC 6749 §5.2, RFC 8628 §3.5), such as `authorization_pending`. */
export class TokenRefusal extends SignInRefused {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Asks for tokens as the app of the organisation. @throws TokenRefusal, or AppError where the provider does not answer */
export async function askForTokens(
  context: CoreContext,
  organizationId: string,
  signIn: OAuthSignIn,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
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
): Promise<Tokens> {
  const answer = await sources.send(
    {
      url,
      method: "POST",
      headers: {
        accept: "application/json",
        ...(!asksInJson && { "content-type": "application/x-www-form-urlencoded" }),
      },
      body: asksInJson ? form : new URLSearchParams(form).toString(),
      maximumBytes: 1024 * 1024,
      accepts: [400, 401, 403],
    },
    { authorization, signal: AbortSignal.timeout(60_000) },
  );
  const body = jsonOf(answer);
  const refusal = refusalSchema.safeParse(body);
  if (refusal.success) {
    const { error, error_description: description = error } = refusal.data;
    throw new TokenRefusal(error, `${new URL(url).host} refused the sign-in: ${description.slice(0, 300)}`);
  }
  const tokens = answerSchema.safeParse(body);
  if (!tokens.success)
    throw new AppError("unavailable", `${new URL(url).host} gave an answer without a token (status ${answer.status}).`);
  const { access_token: access, refresh_token: refreshed = null, expires_in: seconds } = tokens.data;
  const expiresAt = seconds === undefined ? null : iso(new Date(clock.now().getTime() + seconds * 1_000));
  return { access, refresh: refreshed, expiresAt };
}

const serviceAccountSchema = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.string().optional(),
});

/** A token for a service account, by a signed assertion (RFC 7523). @throws AppError `invalid` for what is no key of one */
async function askWithAssertion(context: CoreContext, signIn: OAuthSignIn, keyText: string): Promise<Tokens> {
  const key = serviceAccountSchema.safeParse(jsonOf({ bytes: Buffer.from(keyText) }));
  if (!key.success)
    throw new AppError("invalid", "The key of the service account is not the JSON file that Google gives for one.");
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
