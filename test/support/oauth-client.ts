import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { CALLBACK } from "./oauth-app.js";

/** What an app stores between visits; both generations of the official client accept it. */
export interface ClientProvider extends OAuthClientProvider {
  /** The address that the app last opened in a browser. */
  readonly opened: URL | undefined;
  readonly kept: { client?: any; tokens?: any; verifier?: string; discovery?: any };
}

export function createClientProvider(given: { documentUrl?: string; scope?: string } = {}): ClientProvider {
  const kept: ClientProvider["kept"] = {};
  let opened: URL | undefined;
  return {
    kept,
    get opened() {
      return opened;
    },
    redirectUrl: CALLBACK,
    ...(given.documentUrl !== undefined && { clientMetadataUrl: given.documentUrl }),
    clientMetadata: {
      client_name: "Official client",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(given.scope !== undefined && { scope: given.scope }),
    },
    state: () => "state-1",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (opened = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? "",
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state) => void (kept.discovery = state),
    invalidateCredentials(scope) {
      if (scope === "all" || scope === "client") delete kept.client;
      if (scope === "all" || scope === "tokens") delete kept.tokens;
    },
  };
}
