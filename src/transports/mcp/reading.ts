import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { refusalOf } from "../errors.js";
import type { ErrorTeller } from "./failure.js";
import type { Caller } from "./server.js";
import type { ToolContext } from "./tool.js";

// Resources and prompts show the same text as tools, without the structured form.

/** The context for a caller's reading; opens the service. */
export async function contextOf({ session, defaultContainer }: Caller): Promise<ToolContext> {
  return { ...(await session()), defaultContainer };
}

/** The text of a tool's answer. */
export function resultText({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** How an error is reported where results cannot be errors. Details of a bug go to the log only. */
export function protocolErrorOf(error: unknown, { log, reader }: ErrorTeller, where: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof z.ZodError) return new ProtocolError(ProtocolErrorCode.InvalidParams, z.prettifyError(error));
  const { kind, message } = refusalOf(error, log, where, reader);
  const isTheirs = ["invalid", "forbidden", "not_found", "too_large", "unauthorized"].includes(kind);
  return new ProtocolError(isTheirs ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message);
}
