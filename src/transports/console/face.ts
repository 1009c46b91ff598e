import { coreFor, localActor } from "../../core/index.js";
import type { CallSource } from "../../core/types.js";
import { errorBody, refusalOf, retryHeaders, statusOf } from "../errors.js";
import { html } from "../pages/html.js";
import { learnOf } from "../telemetry/request-facts.js";
import { requestIdOf, withRequestId } from "../request-id.js";
import { pageAnswer } from "../pages/layout.js";
import { createSessions, refuseForeignOrigin } from "../pages/session.js";
import { endApp, showApps } from "./apps.js";
import { doConnect, showConnect } from "./connect.js";
import { answerDevice, pollDevice, showDevice, startDevice } from "./device.js";
import { searchKept, showHome, showStart } from "./kept.js";
import { makeKeyForPage } from "./key-for-page.js";
import { doPick, showPick } from "./pick.js";
import { doSignIn, doSignOut, showSignIn } from "./sign-in.js";
import { type ConsoleOptions, type Handler, jsonAnswer, type ConsoleContext, type Visit } from "./visit.js";
import { truncate } from "../../lib/truncate.js";

export type { ConsoleOptions } from "./visit.js";

/** The pages on which the owner signs in and decides who gets access. */
export interface ConsoleFace {
  /** @param callerAddress the caller's, as the connection or a trusted proxy reports it */
  answer(request: Request, callerAddress: string | undefined): Promise<Response>;
}

const LONGEST_CLIENT = 100;

const connect = { GET: showConnect, POST: doConnect };

const PAGES: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  "/": { GET: showStart },
  "/auth": { GET: showHome, POST: searchKept },
  "/auth/sign-in": { GET: showSignIn, POST: doSignIn },
  "/auth/sign-out": { POST: doSignOut },
  "/auth/connect": connect,
  "/auth/agent-connect": connect,
  "/auth/desktop": connect,
  "/auth/device": { GET: showDevice, POST: answerDevice },
  "/auth/apps": { GET: showApps, POST: endApp },
  "/auth/pick": { GET: showPick, POST: doPick },
};

/** Addresses called by programs. */
const CALLS: typeof PAGES = {
  "/auth/device/code": { POST: startDevice },
  "/auth/device/token": { POST: pollDevice },
  "/v3/auth/key": { GET: makeKeyForPage },
};

export function createConsole(options: ConsoleOptions): ConsoleFace {
  const { organizationId, log, allowed } = options;
  const anyone = { actor: localActor(organizationId) };
  const surroundings: ConsoleContext = { ...options, sessions: createSessions(options), anyone };

  async function serve(visit: Visit): Promise<Response> {
    const { request, url } = visit;
    refuseForeignOrigin(request, allowed);
    const methods = PAGES[url.pathname] ?? CALLS[url.pathname] ?? {};
    if (Object.keys(methods).length > 0) learnOf(request, { route: url.pathname });
    const method = request.method === "HEAD" ? "GET" : request.method;
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (handler) return handler(visit, { ...surroundings, core: coreFor(options.core, callSource(visit)) });
    const allow = Object.keys(methods);
    return allow.length === 0 ? missing(visit) : refuseMethod(visit, allow);
  }

  return {
    async answer(request, callerAddress) {
      const visit: Visit = { request, url: new URL(request.url), callerAddress };
      try {
        return await serve(visit);
      } catch (error) {
        return refuse(visit, error, log);
      }
    },
  };
}

/** For the audit: a browser has no name but what it says of itself. */
function callSource({ request, callerAddress }: Visit): CallSource {
  const client = request.headers.get("user-agent")?.slice(0, LONGEST_CLIENT);
  return { face: "console", ...(callerAddress !== undefined && { address: callerAddress }), ...(client && { client }) };
}

/** An error as a page for people, or as JSON for programs. */
function refuse({ request, url }: Visit, error: unknown, log: ConsoleOptions["log"]): Response {
  const known = Object.hasOwn(PAGES, url.pathname) || Object.hasOwn(CALLS, url.pathname);
  const told = withRequestId(log, requestIdOf(request));
  const refusal = refusalOf(error, told, `${request.method} ${known ? url.pathname : "/auth/…"}`);
  const status = statusOf(refusal.kind);
  const headers = retryHeaders(refusal);
  if (Object.hasOwn(CALLS, url.pathname)) {
    const answer = jsonAnswer(errorBody(refusal), status);
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    return answer;
  }
  return pageAnswer({
    title: status >= 500 ? "Something went wrong" : "This cannot be done",
    status,
    headers,
    body: html`<p role="alert">${refusal.message}</p>
      <p><a href="/auth">Back to start</a></p>`,
  });
}

function missing({ url }: Visit): Response {
  const message = `There is no page ${truncate(url.pathname, 200)}.`;
  return pageAnswer({ title: "Page not found", status: 404, body: html`<p>${message}</p>` });
}

function refuseMethod({ url, request }: Visit, allow: readonly string[]): Response {
  const message = `${url.pathname} does not accept ${request.method}. It accepts ${allow.join(", ")}.`;
  const headers = { allow: allow.join(", ") };
  if (!Object.hasOwn(CALLS, url.pathname))
    return pageAnswer({ title: "This cannot be done", status: 405, headers, body: html`<p>${message}</p>` });
  const answer = jsonAnswer({ error: message, message }, 405);
  answer.headers.set("allow", headers.allow);
  return answer;
}
