import { afterEach } from "vitest";

/** Clean-up work after each test of the file, last added first; tests add to it. */
export function useCleanups(): (() => Promise<unknown>)[] {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  });
  return cleanups;
}
