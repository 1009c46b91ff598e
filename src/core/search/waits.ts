import { AppError } from "../errors.js";

type Service = "embedder" | "reranker";

/** The total time one search waits for services. */
export interface SearchWaits {
  /** Milliseconds so far; overlapping waits count once. */
  ms(): number;
  /**
   * Waits for a service.
   * @throws what the work throws; immediately the same error if the service was `unavailable` before
   */
  wait<T>(service: Service, work: () => Promise<T>): Promise<T>;
}

/** Runs the work as a wait of the search it belongs to, if any. @throws what `SearchWaits.wait` throws */
export function waitFor<T>(waits: SearchWaits | undefined, service: Service, work: () => Promise<T>): Promise<T> {
  return waits ? waits.wait(service, work) : work();
}

/** The waits of one search, none so far. */
export function createWaits(): SearchWaits {
  let waited = 0;
  let waiting = 0;
  let since = 0;
  const failures = new Map<Service, AppError>();

  function begin(): void {
    if (waiting === 0) since = performance.now();
    waiting += 1;
  }

  function end(): void {
    waiting -= 1;
    if (waiting === 0) waited += performance.now() - since;
  }

  return {
    ms: () => waited,
    async wait(service, work) {
      const failure = failures.get(service);
      if (failure) throw failure;
      begin();
      try {
        return await work();
      } catch (error) {
        if (error instanceof AppError && error.kind === "unavailable") failures.set(service, error);
        throw error;
      } finally {
        end();
      }
    },
  };
}
