import type { Actor } from "../../core/types.js";
import type { LeveledLog, LogLevel } from "../../lib/log.js";

/** A request with its answer, as the log tells it. */
export interface AnsweredRequest {
  readonly method: string;
  /** Pattern of the path. */
  readonly route: string;
  /** Name of the tool that was called over MCP. */
  readonly tool?: string | undefined;
  readonly status: number;
  /** Milliseconds until the answer began. */
  readonly ms: number;
  readonly actor?: Actor | undefined;
  /** The only container that it names. */
  readonly container?: string | null | undefined;
  /** Of whoever asked; told of those who are refused. */
  readonly address?: string | null | undefined;
  readonly requestId?: string | undefined;
}

/** Who is not let in, or not any more for now. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 429]);
/** Asked by programs every few seconds. */
const FREQUENT = /^\/(?:health|metrics)(?:\/|$)/;
/** Asked by other processes, which have a log of their own and ask again where this one is just ending. */
const INTERNAL = /^\/internal(?:\/|$)/;
/** A container of any other form is whatever the caller wrote there. */
const TAG = /^[\w:.-]{1,100}$/;

/** One line a request: who asked for what and how it ended, and nothing of what either side said. */
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
