import { afterEach } from "vitest";

/** What is to be done after each test of the file, the last first; tests add to it. */
export function useCleanups(): (() => Promise<unknown>)[] {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  });
  return cleanups;
}
