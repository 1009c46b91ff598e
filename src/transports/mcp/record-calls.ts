import { AppError } from "../../core/errors.js";
import { type Actor, type CallSource, keyIdOf, type RequestRecord, type RequestType } from "../../core/types.js";
import { createId } from "../../lib/ids.js";
import type { LeveledLog } from "../../lib/log.js";
import { statusOf } from "../errors.js";
import { logRequest } from "../telemetry/log-request.js";

const TAG = /^[\w:.-]{1,100}$/;

/** The caller, as far as known. */
interface CallerFacts {
  readonly actor?: Actor;
  readonly from: CallSource;
}

/** How a call ended; a request refused before any tool ran names none. */
interface CallEnd {
  readonly tool?: string;
  readonly args?: unknown;
  readonly error: unknown;
}

/** Starts timing a call. @returns a function that makes its record, without any of its content */
export function beginRecord({ actor, from }: CallerFacts): (end: CallEnd) => RequestRecord {
  const createdAt = new Date().toISOString();
  const began = performance.now();
  return ({ tool, args, error }) => {
    const kind = error === null ? null : error instanceof AppError ? error.kind : "internal";
    return {
      id: createId(),
      keyId: actor ? keyIdOf(actor) : null,
      client: actor?.client ?? null,
      type: tool === undefined ? "request" : requestTypeOf(tool),
      method: "POST",
      path: tool === undefined ? "/mcp" : `/mcp#${tool}`,
      status: kind === null ? 200 : statusOf(kind),
      duration: Math.round((performance.now() - began) * 10) / 10,
      containerTag: containerOf(args),
      error: kind,
      address: from.address ?? null,
      createdAt,
    };
  };
}

/** Logs a tool call from its record. */
export function logCall(
  log: LeveledLog,
  call: {
    readonly record: RequestRecord;
    readonly tool: string;
    readonly actor?: Actor | undefined;
    readonly requestId?: string | undefined;
  },
): void {
  const { record, tool, actor, requestId } = call;
  const { method, status, duration, containerTag, address } = record;
  logRequest(log, {
    method,
    route: "/mcp",
    tool,
    status,
    ms: duration,
    actor,
    container: containerTag,
    address,
    requestId,
  });
}

/** The kind of a tool call, in the terms of contract 1.14. */
function requestTypeOf(tool: string): RequestType {
  if (/search|recall/i.test(tool)) return "search_v4";
  if (/forget|delete/i.test(tool)) return "delete";
  return /^memory$|add|save|remember/i.test(tool) ? "add" : "request";
}

function containerOf(args: unknown): string | null {
  const { containerTag } = Object(args) as { readonly containerTag?: unknown };
  return typeof containerTag === "string" && TAG.test(containerTag) ? containerTag : null;
}
