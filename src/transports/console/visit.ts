import type { Call, Core } from "../../core/index.js";
import type { LeveledLog } from "../../lib/log.js";
import type { AllowedHosts } from "../allowed-hosts.js";
import { csrfField } from "../pages/forms.js";
import { type Html, html } from "../pages/html.js";
import type { Owner, Sessions } from "../pages/session.js";

export interface ConsoleOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly log: LeveledLog;
  readonly allowed: AllowedHosts;
}

/** What every page works with. */
export interface ConsoleContext extends ConsoleOptions {
  readonly sessions: Sessions;
  /** An unauthenticated call, for what anyone may do. */
  readonly anyone: Call;
}

/** A request and its origin. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  readonly callerAddress: string | undefined;
}

/** Answers the requests of one path and method. */
export type Handler = (visit: Visit, surroundings: ConsoleContext) => Promise<Response>;

/** The footer of the owner's pages. */
export function ownerFooter({ csrf, signIn }: Owner): Html {
  const words = { link: "with a link", key: "with a key", password: "with the password" } as const;
  return html`<form method="post" action="/auth/sign-out">
    ${csrfField(csrf)}<span>You are signed in ${words[signIn.how]}.</span><button>Sign out</button>
  </form>`;
}

/** Addresses called by programs answer with JSON, and so do their errors. */
export function jsonAnswer(body: unknown, status = 200): Response {
  return Response.json(body, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" },
  });
}
