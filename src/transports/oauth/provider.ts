import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import type { Call, Core } from "../../core/index.js";
import { randomSecret } from "../../lib/crypto.js";
import type { LeveledLog } from "../../lib/log.js";
import { MEMORY_SCOPES } from "../auth.js";
import { isPassing } from "../../core/errors.js";
import { refusalOf, retryHeaders } from "../errors.js";
import { REQUEST_ID_HEADER, withRequestId } from "../request-id.js";
import { createDocumentFetch, type DocumentOptions, MOST_DOCUMENT_BYTES } from "./client-documents.js";
import { KNOWN_CLIENTS } from "./clients.js";
import { AUTHORIZE_PATH, CONSENT_PATH, KEYS_PATH, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from "./paths.js";
import { createRecords, keepTrade } from "./records.js";
import { isOurResource, resourceOf, SCOPES } from "./scopes.js";

/** The account that apps sign in to: there is one owner. */
export const ACCOUNT = "owner";

const ACCESS_SECONDS = 3_600;
/** A refresh token unused for this long expires; using it renews the period. */
const REFRESH_SECONDS = 30 * 86_400;
const CODE_SECONDS = 60;
const CONSENT_SECONDS = 1_800;

export interface ProviderOptions {
  readonly core: Core;
  readonly call: Call;
  readonly log: LeveledLog;
  readonly issuer: string;
  readonly documents?: DocumentOptions | undefined;
}

/**
 * The authorization server under one address of this server. Everything it must remember is in the store.
 * @throws what the store throws
 */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { core, call, issuer, log } = options;
  completeUrl();
  const { jwk, cookieKey } = await core.oauthSecrets(call);
  const provider = new Provider(issuer, {
    ...configuration(options),
    adapter: createRecords({ core, call, issuer }),
    jwks: { keys: [{ ...jwk, kty: "EC" }] },
    cookies: {
      names: { session: "recollect_oauth", interaction: "recollect_consent", resume: "recollect_consent_resume" },
      keys: [cookieKey],
      // Not for all paths: without TLS it would also be sent to the callback servers of apps on this machine.
      long: { path: "/oauth", httpOnly: true, sameSite: "lax", signed: true },
      short: { httpOnly: true, sameSite: "lax", signed: true },
    },
  });
  // The bridge sets the proxy headers itself, so that all addresses begin with the issuer.
  provider.proxy = true;
  provider.silent = true;
  tellOutages(provider, log);
  provider.use(async (context, next) => {
    await next();
    if (context.status !== 200) return;
    try {
      await keepTrade(context, { core, call });
    } catch (error) {
      if (!(error instanceof errors.InvalidGrant)) throw error;
      context.status = 400;
      context.body = { error: "invalid_grant", error_description: error.error_description };
    }
  });
  return provider;
}

function configuration({ issuer, documents }: ProviderOptions): Configuration {
  return {
    clients: KNOWN_CLIENTS,
    scopes: [...SCOPES],
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    clientDefaults: { token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    pkce: { required: () => true },
    routes: {
      authorization: AUTHORIZE_PATH,
      token: TOKEN_PATH,
      revocation: REVOKE_PATH,
      registration: REGISTER_PATH,
      jwks: KEYS_PATH,
    },
    features: features(issuer),
    // Access ends with the grant, not with the browser session in which it was given.
    expiresWithSession: () => false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    loadExistingGrant: (context) => {
      const id = context.oidc.result?.consent?.grantId;
      return id === undefined ? undefined : context.oidc.provider.Grant.find(id);
    },
    ttl: {
      AccessToken: (context) => withinGrant(context, ACCESS_SECONDS),
      RefreshToken: (context) => withinGrant(context, REFRESH_SECONDS),
      AuthorizationCode: CODE_SECONDS,
      IdToken: ACCESS_SECONDS,
      Grant: REFRESH_SECONDS,
      Interaction: CONSENT_SECONDS,
      Session: CONSENT_SECONDS,
    },
    interactions: {
      policy: [alwaysAsk("login"), alwaysAsk("consent")],
      url: (_context, { uid }) => `${CONSENT_PATH}/${uid}`,
    },
    findAccount: (_context, id) =>
      id === ACCOUNT ? { accountId: ACCOUNT, claims: () => ({ sub: ACCOUNT }) } : undefined,
    clientBasedCORS: () => true,
    acceptQueryParamAccessTokens: false,
    fetch: createDocumentFetch(documents),
    fetchResponseBodyLimits: { "client_id metadata document": MOST_DOCUMENT_BYTES },
    renderError(context, { error, error_description }) {
      // The face turns it into a page.
      context.type = "json";
      context.body = { error, error_description };
    },
  };
}

/** Which features of the library are offered. */
function features(issuer: string): Configuration["features"] {
  const off = { enabled: false };
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false, idFactory: () => randomSecret(16) },
    clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    resourceIndicators: resourceIndicators(issuer),
  };
}

/** Tokens are for this server alone. */
function resourceIndicators(issuer: string): NonNullable<Configuration["features"]>["resourceIndicators"] {
  return {
    enabled: true,
    defaultResource: (_context, _client, oneOf) => oneOf?.[0] ?? resourceOf(issuer),
    useGrantedResource: () => true,
    getResourceServerInfo(_context, resource) {
      if (!isOurResource(resource, issuer))
        throw new errors.InvalidTarget(`this server is ${resourceOf(issuer)}, not the requested resource`);
      return {
        scope: MEMORY_SCOPES.join(" "),
        audience: resourceOf(issuer),
        accessTokenTTL: ACCESS_SECONDS,
        accessTokenFormat: "opaque",
      };
    },
  };
}

/** No earlier consent makes the question unnecessary: the owner is asked each time. */
function alwaysAsk(name: "login" | "consent"): interactionPolicy.Prompt {
  const check = new interactionPolicy.Check("asked_each_time", "the owner is asked each time", (context) => {
    return context.oidc.result?.[name] === undefined;
  });
  return new interactionPolicy.Prompt({ name, requestable: true }, check);
}

/** No token outlives its grant. */
function withinGrant({ oidc }: KoaContextWithOIDC, seconds: number): number {
  const { exp } = oidc.entities.Grant ?? {};
  return exp === undefined ? seconds : Math.max(1, Math.min(seconds, exp - Math.floor(Date.now() / 1_000)));
}

/**
 * A store outage says nothing about codes and tokens, but apps discard those that are called invalid. They are told to try again
 * later.
 */
function tellOutages(provider: Provider, log: LeveledLog): void {
  const failures = new WeakMap<object, unknown>();
  provider.on("server_error", (context, error) => failures.set(context, error));
  provider.use(async (context, next) => {
    try {
      await next();
    } catch (error) {
      failures.set(context, error);
    }
    if (!failures.has(context)) return;
    const told = withRequestId(log, context.get(REQUEST_ID_HEADER));
    const refusal = refusalOf(failures.get(context), told, `${context.method} ${context.path}`);
    const isAway = isPassing(refusal.kind);
    context.status = isAway ? 503 : 500;
    context.set({ ...retryHeaders(refusal), "cache-control": "no-store" });
    context.body = {
      error: isAway ? "temporarily_unavailable" : "server_error",
      error_description: refusal.message,
    };
  });
}

/** The library is made for Node.js 22, which has this; of the 20 releases only the last ones do. */
function completeUrl(): void {
  if ("parse" in URL) return;
  const parse = (text: string, base?: string): URL | null => (URL.canParse(text, base) ? new URL(text, base) : null);
  Object.defineProperty(URL, "parse", { value: parse, configurable: true, writable: true });
}
