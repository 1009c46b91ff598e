import type { Context } from "hono";
import { createId } from "../lib/ids.js";
import type { LeveledLog } from "../lib/log.js";

/** Header that identifies a request and its answer, here and in the sender's logs. */
export const REQUEST_ID_HEADER = "x-request-id";

/** It is repeated in the answer and in the log, so it must not contain anything that has a meaning in either. */
const WELL_FORMED = /^[\w.:+/=~@-]{1,128}$/;

const made = new WeakMap<Request, string>();

/** The id that a request was sent with if it is well formed, otherwise a generated one; always the same for one request. */
export function requestIdOf(request: Request): string {
  const sent = request.headers.get(REQUEST_ID_HEADER);
  if (sent !== null && WELL_FORMED.test(sent)) return sent;
  const known = made.get(request);
  if (known !== undefined) return known;
  const id = createId();
  made.set(request, id);
  return id;
}

/** Puts the request id on the response, whichever transport gives it. */
export async function answerWithRequestId(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  context.res.headers.set(REQUEST_ID_HEADER, requestIdOf(context.req.raw));
}

/** The same log, naming in each line the request that it is about. */
export function withRequestId(log: LeveledLog, requestId: string): LeveledLog {
  const naming =
    (write: LeveledLog["error"]): LeveledLog["error"] =>
    (event, fields) =>
      write(event, { ...fields, requestId });
  return { debug: naming(log.debug), info: naming(log.info), warn: naming(log.warn), error: naming(log.error) };
}
