import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ErrorKind } from "../../core/errors.js";
import type { LeveledLog } from "../../lib/log.js";
import { type ErrorReader, refusalOf } from "../errors.js";

/** What a model can do about an error. */
const ADVICE: Partial<Record<ErrorKind, string>> = {
  not_found: "Call search to find valid ids.",
  unavailable: "Nothing was lost; try again in a moment.",
  rate_limited: "Nothing was lost; try again in a moment.",
  internal: "Everything that was acknowledged is kept; this call may not have taken effect.",
};

/** Tools whose ids no search shows. */
const OWN_IDS: readonly string[] = ["undo", "submit-extraction"];

/** Where errors are reported, and to whom. */
export interface ErrorTeller {
  readonly log: LeveledLog;
  readonly reader: ErrorReader;
}

/** The result of a failed call, with a way forward. Details of a bug go to the log only. */
export function failure(error: unknown, { log, reader }: ErrorTeller, tool: string): CallToolResult {
  const { kind, message, retryAfter } = refusalOf(error, log, `tool ${tool}`, reader);
  const parts = [
    sentence(message),
    kind === "not_found" && OWN_IDS.includes(tool) ? undefined : ADVICE[kind],
    retryAfter !== undefined && `Wait ${retryAfter} seconds before that.`,
  ];
  return { isError: true, content: [{ type: "text", text: parts.filter(Boolean).join(" ") }] };
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
