import type { Actor } from "../../core/types.js";
import type { LeveledLog, LogLevel } from "../../lib/log.js";

/** A request and its response, as logged. */
export interface AnsweredRequest {
  readonly method: string;
  /** Pattern of the path. */
  readonly route: string;
  /** Name of the tool called over MCP. */
  readonly tool?: string | undefined;
  readonly status: number;
  /** Milliseconds until the response began. */
  readonly ms: number;
  readonly actor?: Actor | undefined;
  /** The only container that it names. */
  readonly container?: string | null | undefined;
  /** The caller's; logged only for refused requests. */
  readonly address?: string | null | undefined;
  readonly requestId?: string | undefined;
}

/** Not signed in, not allowed, or too many requests. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 429]);
/** Called by programs every few seconds. */
const FREQUENT = /^\/(?:health|metrics)(?:\/|$)/;
/** Calls of other processes of this program: they have logs of their own, and repeat the call if this process is stopping. */
const INTERNAL = /^\/internal(?:\/|$)/;
/** The form of a container tag; anything else is not logged, since it may be any text of the caller's. */
const TAG = /^[\w:.-]{1,100}$/;

/** Logs one line per request: who asked for what and how it ended, without any content. */
export function logRequest(log: LeveledLog, request: AnsweredRequest): void {
  const { method, route, tool, status, ms, actor, container, address, requestId } = request;
  log[levelOf(request)]("request", {
    method,
    route,
    tool,
    status,
    ms,
    key: actor?.keyName,
    app: actor?.isApp ? (actor.client ?? "") : undefined,
    container: container != null && TAG.test(container) ? container : undefined,
    address: REFUSED.has(status) ? (address ?? undefined) : undefined,
    requestId,
  });
}

function levelOf({ status, route }: AnsweredRequest): LogLevel {
  if (REFUSED.has(status)) return "warn";
  if (INTERNAL.test(route)) return "debug";
  return FREQUENT.test(route) && status < 400 ? "debug" : "info";
}
