import { AppError } from "../../core/errors.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The user ended the work. */
export class Interrupted extends AppError {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals, kept = "Everything acknowledged before the interruption is kept.") {
    super("unavailable", `Interrupted (${signal}). ${kept}`);
    this.signal = signal;
  }
}

/**
 * Does the work unless the user ends it first, leaving the caller time to clean up. Work in several steps should check the
 * signal it is given before each.
 * @param earlier a signal that may have come while the program was still loading
 * @throws Interrupted when a signal came; otherwise what the work throws
 */
export async function untilInterrupted<T>(
  work: (ended: AbortSignal) => Promise<T>,
  earlier?: Promise<NodeJS.Signals>,
): Promise<T> {
  const ending = new AbortController();
  let interrupt: (signal: NodeJS.Signals) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = (signal) => {
      const reason = new Interrupted(signal);
      ending.abort(reason);
      reject(reason);
    };
  });
  for (const signal of SIGNALS) process.once(signal, interrupt);
  void earlier?.then(interrupt);
  try {
    return await Promise.race([work(ending.signal), interrupted]);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
