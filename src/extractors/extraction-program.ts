import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { extractFile } from "./extract-file.js";
import { ExtractionError, LanguagesMissing } from "./extraction-error.js";
import { type ExtractionReport, orderSchema } from "./extraction-messages.js";

/**
 * The process that reads files, one at a time, for the service that forked it. It ends with that service, even while it is busy
 * with a file.
 */

/** Milliseconds between progress messages. */
const PROGRESS_EVERY = 250;

/**
 * Ends the process and everything it has started; runs in a thread of its own, as the main thread may be busy with a file when
 * the parent dies.
 */
const WATCH_PARENT = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.platform === "win32" ? process.pid : -process.pid, "SIGKILL");
  }, 500);
`;

new Worker(WATCH_PARENT, {
  eval: true,
  stdout: true,
  stderr: true,
  resourceLimits: { maxOldGenerationSizeMb: 8 },
}).unref();

function tell(report: ExtractionReport): void {
  process.send?.(report, undefined, undefined, () => undefined);
}

async function read(message: unknown): Promise<void> {
  const { file: named, ...order } = orderSchema.parse(message);
  let toldAt = 0;
  try {
    const file = "bytes" in named ? named : { ...named, bytes: await readFile(named.path) };
    const content = await extractFile(file, {
      ...order,
      report(progress) {
        const now = performance.now();
        if (now - toldAt < PROGRESS_EVERY) return;
        toldAt = now;
        tell({ kind: "progress", progress });
      },
    });
    tell({ kind: "read", content, residentBytes: process.memoryUsage.rss() });
  } catch (error) {
    const { reason, message: words } = error instanceof ExtractionError ? error : UNEXPECTED;
    const languages = error instanceof LanguagesMissing ? { languages: error.languages } : {};
    tell({ kind: "refused", reason, message: words.slice(0, 2_000), ...languages });
  }
}

const UNEXPECTED = new ExtractionError("damaged", "The file cannot be read.");

process.on("message", (message) => void read(message));
process.on("disconnect", () => process.kill(process.platform === "win32" ? process.pid : -process.pid, "SIGKILL"));
tell({ kind: "ready" });
