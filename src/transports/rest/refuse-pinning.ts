import { AppError } from "../../core/errors.js";
import { findPinning, PINNING_HEADER } from "../pinning-header.js";

/** @throws AppError `invalid` for a request that expects a header to restrict it to one container, as over MCP */
export function refusePinning(headers: Headers): void {
  const name = findPinning(headers);
  if (name === undefined) return;
  const message = `The header ${name} has no effect here: ${PINNING_HEADER} is for MCP. Name the container as containerTag.`;
  throw new AppError("invalid", message, { issues: [{ path: [name], message }] });
}
