import { traced } from "./traces.js";

/** How long each part of some work took, in milliseconds; parts of one name add up. */
export interface Stages {
  readonly durations: Readonly<Record<string, number>>;
  /** Does a part of the work and counts its time, which includes what it waited for; in a span of its own. */
  time<T>(name: string, work: () => Promise<T> | T): Promise<T>;
}

/** Does a part of some work, timed where somebody wants to know. */
export async function timed<T>(stages: Stages | undefined, name: string, work: () => Promise<T> | T): Promise<T> {
  return stages ? stages.time(name, work) : work();
}

/** A stopwatch for one piece of work. */
export function createStages(): Stages {
  const durations: Record<string, number> = {};
  return {
    durations,
    async time(name, work) {
      const started = performance.now();
      try {
        return await traced({ name: `search ${name}` }, work);
      } finally {
        durations[name] = (durations[name] ?? 0) + performance.now() - started;
      }
    },
  };
}
