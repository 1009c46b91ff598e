/** Longest wait that the core accepts, in seconds. */
const MAX_WAIT_SECONDS = 120;

/**
 * Seconds requested by `Prefer: wait=N` (RFC 7240), at most two minutes. Undefined when there are none: an unreadable preference
 * is no reason to refuse a request.
 */
export function preferredWait(header: string | undefined): number | undefined {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(header ?? "")?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), MAX_WAIT_SECONDS);
}
