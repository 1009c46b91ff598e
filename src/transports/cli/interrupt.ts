import { AppError } from "../../core/errors.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The user ended the work. */
export class Interrupted extends AppError {
  constructor(signal: NodeJS.Signals) {
    super("unavailable", `Interrupted (${signal}). What was acknowledged before is kept.`);
  }
}

/**
 * Does the work unless the user ends it first, so that whoever called can still put everything away.
 * @param earlier a signal that may have come before, while the program was still being loaded
 * @throws Interrupted when a signal came; what the work throws otherwise
 */
export async function untilInterrupted<T>(work: () => Promise<T>, earlier?: Promise<NodeJS.Signals>): Promise<T> {
  let interrupt: (signal: NodeJS.Signals) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = (signal) => reject(new Interrupted(signal));
  });
  for (const signal of SIGNALS) process.once(signal, interrupt);
  void earlier?.then(interrupt);
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
