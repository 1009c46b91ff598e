import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { refusalOf } from "../errors.js";
import type { ErrorTeller } from "./failure.js";
import type { Caller } from "./server.js";
import type { ToolContext } from "./tool.js";

// Resources and prompts show the same words as tools, without their structured form.

/** What a caller's reading is done with; opens the service. */
export async function contextOf({ session, defaultContainer }: Caller): Promise<ToolContext> {
  return { ...(await session()), defaultContainer };
}

/** The words of a tool's answer. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** What is told of an error where there are no results that are errors. Details of a bug go to the log only. */
export function protocolErrorOf(error: unknown, { log, reader }: ErrorTeller, where: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof z.ZodError) return new ProtocolError(ProtocolErrorCode.InvalidParams, z.prettifyError(error));
  const { kind, message } = refusalOf(error, log, where, reader);
  const isTheirs = ["invalid", "forbidden", "not_found", "too_large", "unauthorized"].includes(kind);
  return new ProtocolError(isTheirs ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message);
}
