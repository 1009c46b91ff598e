import { traced } from "./traces.js";

/** How long each part of some work took, in milliseconds; parts with the same name add up. */
export interface Stages {
  readonly durations: Readonly<Record<string, number>>;
  /** Runs a part of the work in a span of its own and records its time, including waits. */
  time<T>(name: string, work: () => Promise<T> | T): Promise<T>;
}

/** Runs a part of some work, timed if a stopwatch is given. */
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
