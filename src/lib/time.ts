const EARLIEST = "0000-01-01T00:00:00.000Z";
const LATEST = "9999-12-31T23:59:59.999Z";

/**
 * ISO 8601 in UTC with milliseconds and `Z`: sorts as text. Dates outside the years 0 to 9999, where years have a sign
 * and sort differently, become the nearest moment within. @throws RangeError for an invalid date
 */
export function iso(date: Date): string {
  const text = date.toISOString();
  if (text.length === LATEST.length) return text;
  return text.startsWith("-") ? EARLIEST : LATEST;
}

/** An HTTP header date in ISO 8601; null if there is none. */
export function isoOfHeader(header: string | undefined): string | null {
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? null : iso(new Date(time));
}

const ISO_SHAPE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Reads an ISO 8601 date or date-time; a time without a zone is UTC.
 * @returns null for anything else, including days that do not exist
 */
export function parseIso(text: string): Date | null {
  const trimmed = text.trim();
  if (!ISO_SHAPE.test(trimmed) || !isCalendarDay(trimmed.slice(0, 10))) return null;
  const hasTime = trimmed.length > 10;
  const hasZone = hasTime && /(?:Z|[+-]\d{2}:?\d{2})$/i.test(trimmed);
  const date = new Date(`${trimmed.replace(" ", "T")}${hasTime && !hasZone ? "Z" : ""}`);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** `new Date` rolls 31 February over into March instead of refusing it. */
function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * Waits; with `unref`, without keeping the process alive.
 * @throws the signal's reason when it aborts first
 */
export async function sleep(ms: number, options: { signal?: AbortSignal; unref?: boolean } = {}): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (options.unref) timer.unref();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Yields to everything else that is due: long loops call it now and then. @throws the signal's reason */
export async function yieldTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** How long a loop with steps of unknown duration may run before it yields to others. */
export interface TimeSlice {
  /** True once the loop has run for some milliseconds without yielding. */
  isSpent(): boolean;
  /** Yields, and starts the next slice. @throws the signal's reason */
  renew(): Promise<void>;
}

const TIME_SLICE_MS = 10;

export function createTimeSlice(signal?: AbortSignal): TimeSlice {
  let since = performance.now();
  return {
    isSpent: () => performance.now() - since >= TIME_SLICE_MS,
    async renew() {
      await yieldTurn(signal);
      since = performance.now();
    },
  };
}
