/** Response headers that pages on other sites may read. */
const EXPOSED_HEADERS: readonly string[] = [
  "x-request-id",
  "Retry-After",
  "x-should-retry",
  "Preference-Applied",
  "Server-Timing",
  "x-recollect-removed",
  "x-recollect-stated-in",
  "Content-Disposition",
  "Content-Range",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

/** Headers of every API response; any web page may read it (contract 1.4). */
export const COMMON_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS.join(","),
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const satisfies Readonly<Record<string, string>>;
