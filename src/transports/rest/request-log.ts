import type { Core } from "../../core/index.js";
import { localActor } from "../../core/index.js";
import type { RequestRecord } from "../../core/types.js";
import type { LeveledLog } from "../../lib/log.js";

const FLUSH_EVERY_MS = 1_000;
const FLUSH_AT = 200;
/** How many records are kept while they cannot be written; then the oldest is dropped, so that they do not fill memory. */
const KEEP = 1_000;

/** The service's record of its own requests, written in the background. */
export interface RequestLog {
  /** Never waits and never fails. */
  note(record: RequestRecord): void;
  /** Resolves when everything noted so far has been written, or could not be. */
  flush(): Promise<void>;
  /** Writes the rest; what is noted afterwards is lost. */
  close(): Promise<void>;
}

export function createRequestLog({
  core,
  log,
  organizationId,
}: {
  core: Core;
  log: LeveledLog;
  organizationId: string;
}): RequestLog {
  let noted: RequestRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;
  let isFailing = false;

  async function write(): Promise<void> {
    const requests = noted;
    noted = [];
    if (requests.length === 0) return;
    try {
      await core.noteRequests({ actor: localActor(organizationId) }, { requests });
      isFailing = false;
    } catch (error) {
      noted = [...requests, ...noted].slice(-KEEP);
      // Reported once: writing is retried every second.
      if (!isFailing && !isClosed) log.warn("requests could not be recorded", { count: requests.length, error });
      isFailing = true;
      schedule();
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (writing = writing.then(write));
  }

  function schedule(): void {
    if (isClosed) return;
    timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS).unref();
  }

  return {
    note(record) {
      if (isClosed) return;
      noted.push(record);
      if (noted.length > KEEP) noted.shift();
      if (noted.length === FLUSH_AT && !isFailing) void flush();
      else schedule();
    },
    flush,
    async close() {
      isClosed = true;
      await flush();
    },
  };
}
