import { createHash, randomBytes } from "node:crypto";

export const CALLBACK = "http://127.0.0.1:33418/callback";

/** An app that signs in step by step, so that each step can be done incorrectly. */
export interface App {
  readonly clientId: string;
  readonly verifier: string;
  /** The address that it opens in a browser. */
  authorizeUrl(changes?: Readonly<Record<string, string | null>>): URL;
  /** Requests tokens. */
  token(fields: Readonly<Record<string, string>>): Promise<TokenAnswer>;
  /** Exchanges the code in the address to which the browser was sent. */
  redeem(callback: URL, changes?: Readonly<Record<string, string>>): Promise<TokenAnswer>;
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export async function register(base: string, metadata: object = {}): Promise<TokenAnswer> {
  const answer = await fetch(`${base}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Test app",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      ...metadata,
    }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

export async function createApp(base: string, given: { clientId?: string; callback?: string } = {}): Promise<App> {
  const clientId = given.clientId ?? String((await register(base)).body.client_id);
  const callback = given.callback ?? CALLBACK;
  const verifier = randomBytes(32).toString("base64url");
  const app: App = {
    clientId,
    verifier,
    authorizeUrl(changes = {}) {
      const url = new URL(`${base}/oauth/authorize`);
      const query: Record<string, string | null> = {
        client_id: clientId,
        response_type: "code",
        redirect_uri: callback,
        state: "state-1",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        resource: `${base}/mcp`,
        scope: "memory:read memory:write offline_access",
        ...changes,
      };
      for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value);
      return url;
    },
    async token(fields) {
      const answer = await fetch(`${base}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({ client_id: clientId, ...fields }),
      });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
    redeem: (url, changes = {}) =>
      app.token({
        grant_type: "authorization_code",
        code: url.searchParams.get("code") ?? "",
        redirect_uri: callback,
        code_verifier: verifier,
        resource: `${base}/mcp`,
        ...changes,
      }),
  };
  return app;
}
