import { AppError } from "../../core/errors.js";
import { type Core, localActor } from "../../core/index.js";
import type { Actor, SignIn } from "../../core/types.js";
import { randomSecret } from "../../lib/crypto.js";
import { type AllowedHosts, objectionToHost } from "../allowed-hosts.js";
import { comesThroughProxy, isLoopbackHost } from "../auth.js";
import { formToken } from "./forms.js";
import { redirectAnswer } from "./layout.js";

/** The owner in a browser that is signed in. */
export interface Owner {
  readonly actor: Actor;
  readonly signIn: SignIn;
  /** Token of this browser's forms. */
  readonly csrf: string;
  /** Secret of this browser; never on a page. */
  readonly token: string;
}

export interface SessionOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly allowed: AllowedHosts;
}

/** Who sits at a browser, by its cookies. */
export interface Sessions {
  /** The owner, or null for a browser that is not signed in. */
  owner(request: Request): Promise<Owner | null>;
  /** The owner, or the way to the page that signs in and leads back. */
  requireOwner(request: Request): Promise<Owner | Response>;
  /** The token of the browser's session, whether it still opens anything or not. */
  tokenOf(request: Request): string | undefined;
  /** Headers that give a browser its session, or take it away with null. */
  keep(request: Request, token: string | null): [name: string, value: string][];
  /** Forms of a browser that is not signed in: their token, and the headers that bind the browser to it. */
  stranger(request: Request): { readonly csrf: string; readonly headers: [name: string, value: string][] };
  /** Base URL of this server as this browser reaches it, without a slash at its end. */
  baseUrl(request: Request): string;
}

const SESSION = "recollect_session";
const STRANGER = "recollect_visit";
/** The longest that browsers keep a cookie; the server decides when a sign-in is over. */
const KEPT_SECONDS = 400 * 86_400;
const VISIT_SECONDS = 86_400;
/**
 * Cookies know no ports. Where the server is reached without TLS, which is on its own machine, one for all paths would be
 * sent to the callback servers of programs on this machine, too.
 */
const SESSION_PATHS = ["/auth", "/v3/auth"];

interface Kept {
  readonly value: string;
  readonly path: string;
  readonly seconds: number;
}

export function createSessions({ core, organizationId, allowed }: SessionOptions): Sessions {
  const call = { actor: localActor(organizationId) };
  const isPublic = allowed.publicUrl?.startsWith("https:") ?? false;

  /** True for a browser that comes by the public address; on the machine itself it may come without TLS all the same. */
  function isSecure({ headers }: Request): boolean {
    return isPublic && (!isLoopbackHost(headers.get("host")) || comesThroughProxy(headers));
  }

  function nameOf(request: Request, name: string): string {
    return isSecure(request) ? `__Host-${name}` : name;
  }

  function cookie(request: Request, name: string, { value, path, seconds }: Kept): string {
    const place = isSecure(request) ? "Path=/; Secure" : `Path=${path}`;
    return `${nameOf(request, name)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
  }

  const sessions: Sessions = {
    tokenOf: (request) => cookieOf(request, nameOf(request, SESSION)),
    async owner(request) {
      const token = sessions.tokenOf(request);
      if (token === undefined) return null;
      try {
        const { actor, signIn } = await core.checkSignIn(call, { token });
        return { actor, signIn, csrf: formToken(token, "owner"), token };
      } catch (error) {
        // A store that is away says nothing about the sign-in.
        if (error instanceof AppError && ["unauthorized", "invalid"].includes(error.kind)) return null;
        throw error;
      }
    },
    async requireOwner(request) {
      const owner = await sessions.owner(request);
      if (owner) return owner;
      const { pathname, search } = new URL(request.url);
      // Of a form too: its page is at the same address.
      return redirectAnswer(`/auth/sign-in?next=${encodeURIComponent(pathname + search)}`);
    },
    keep(request, token) {
      const paths = isSecure(request) ? ["/"] : SESSION_PATHS;
      const kept = token === null ? { value: "", seconds: 0 } : { value: token, seconds: KEPT_SECONDS };
      return paths.map((path) => ["set-cookie", cookie(request, SESSION, { ...kept, path })]);
    },
    stranger(request) {
      const known = cookieOf(request, nameOf(request, STRANGER));
      const secret = known ?? randomSecret();
      const made = cookie(request, STRANGER, { value: secret, path: "/auth", seconds: VISIT_SECONDS });
      return { csrf: formToken(secret, "stranger"), headers: known === undefined ? [["set-cookie", made]] : [] };
    },
    baseUrl(request) {
      const { protocol, host } = new URL(request.url);
      return allowed.publicUrl ?? `${protocol}//${request.headers.get("host") ?? host}`;
    },
  };
  return sessions;
}

/** Of several cookies of one name the first, as browsers put the one with the longest path there. */
function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim() || undefined;
  }
  return undefined;
}

/**
 * Refuses requests under a foreign name, and those that a page of somebody else's sends.
 * @throws AppError `forbidden`
 */
export function refuseForeign(request: Request, allowed: AllowedHosts): void {
  const objection = objectionToHost(request.headers, allowed);
  if (objection !== null) throw new AppError("forbidden", objection);
  if (request.method === "GET" || request.method === "HEAD") return;
  const site = request.headers.get("sec-fetch-site");
  const isForeign = site !== null && site !== "same-origin";
  if (isForeign || !isOwnOrigin(request.headers, allowed))
    throw new AppError("forbidden", "This form was sent by a page of another server.");
}

/** False when a request names an origin other than this server's. */
export function isOwnOrigin(headers: Pick<Headers, "get">, { publicUrl }: AllowedHosts): boolean {
  const origin = headers.get("origin");
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  return origin === publicUrl || new URL(origin).host === headers.get("host")?.toLowerCase();
}
