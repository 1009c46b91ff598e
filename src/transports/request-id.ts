import type { Context } from "hono";
import { createId } from "../lib/ids.js";
import type { LeveledLog } from "../lib/log.js";

/** Header that tells a request and its answer from all others, here and in the logs of whoever sent it. */
export const REQUEST_ID_HEADER = "x-request-id";

/** It is repeated in the answer and in the log, so that it may hold nothing that either could take for something else. */
const WELL_FORMED = /^[\w.:+/=~@-]{1,128}$/;

const made = new WeakMap<Request, string>();

/** The id that a request was sent with where that is well formed, else one that is made for it; the same each time. */
export function requestIdOf(request: Request): string {
  const sent = request.headers.get(REQUEST_ID_HEADER);
  if (sent !== null && WELL_FORMED.test(sent)) return sent;
  const known = made.get(request);
  if (known !== undefined) return known;
  const id = createId();
  made.set(request, id);
  return id;
}

/** Names the request in its answer, whichever face gives it. */
export async function answerWithRequestId(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  context.res.headers.set(REQUEST_ID_HEADER, requestIdOf(context.req.raw));
}

/** The same log, each line of which names the request that it is about. */
export function withRequestId(log: LeveledLog, requestId: string): LeveledLog {
  const naming =
    (write: LeveledLog["error"]): LeveledLog["error"] =>
    (event, fields) =>
      write(event, { ...fields, requestId });
  return { debug: naming(log.debug), info: naming(log.info), warn: naming(log.warn), error: naming(log.error) };
}
