import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { ContentExtractor, ExtractedContent, ReadingProgress } from "../core/documents/content-ports.js";
import { AppError, type ErrorKind } from "../core/errors.js";
import type { LanguageSource, Log } from "../core/ports.js";
import { createFairTurns } from "../lib/fair-turns.js";
import { type ExtractionReason, LanguagesMissing } from "./extraction-error.js";
import { type ExtractionOrderMessage, type ExtractionReport, reportSchema } from "./extraction-messages.js";
import { type Format, FORMATS } from "./formats.js";
import type { ExtractionLimits } from "./format-extractor.js";
import type { LanguageData } from "./languages.js";
import { findPrograms } from "./programs.js";
import { readWithLanguages } from "./read-with-languages.js";
import { recognizeFormat } from "./recognize-format.js";
import { sampleFile } from "./sample-file.js";

export interface ExtractionProcessOptions {
  readonly limits: ExtractionLimits;
  /** Longest time that one file may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Memory of the process while it reads, in MB. */
  readonly memoryMegabytes: number;
  /** Languages of the text in pictures as tesseract names them, the usual one first: `eng+deu`. */
  readonly languages: string;
  /** Data of languages that the machine lacks. Without it there are none to be had. */
  readonly languageSource?: LanguageSource | null;
  /** Where the process may look for programs that read pictures and recordings. */
  readonly programFolders: readonly string[];
  readonly log: Log;
}

/** What the process has beside its heap: code, buffers, WebAssembly. */
const BESIDE_HEAP_MEGABYTES = 256;
const MEGABYTE = 1024 * 1024;
/** A process that has read so many files, or has grown so far, makes room for a fresh one. */
const MOST_FILES = 200;
const GROWN = 0.5;
const IDLE_MS = 60_000;
const HAS_GROUPS = process.platform !== "win32";
const WATCH_MEMORY_MS = 200;
/** A process that died without a file being at fault, such as one that somebody ended, is worth another try. */
const TRIES = 2;
/** Looked for beside the modules and from the joined program alike; from source it is the built one. */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts")
    ? "../../dist/extractors/extraction-program.js"
    : "../extractors/extraction-program.js",
  import.meta.url,
);

/**
 * Reads files in a process of its own, one after the other and of each queue in turn: a file that stalls it, takes too much
 * memory or ends it fails alone. The process begins with the first file, knows none of the settings and secrets of this one, and ends when it has
 * nothing to do for a minute.
 */
export function createExtractionProcess(options: ExtractionProcessOptions): ContentExtractor {
  const { languages, languageSource = null, limits, programFolders } = options;
  const reader = new ProcessReader(options);
  const turns = createFairTurns();
  return {
    endings: Object.values(FORMATS).flatMap((format: Format) => format.endings),
    programs: () => findPrograms(programFolders, languages, options.languageSource),
    async accepts(file) {
      const sample = "path" in file ? { ...file, bytes: await sampleFile(file.path) } : file;
      return (await recognizeFormat(sample)) !== null;
    },
    extract(file, { password = null, queue = "", signal, onTurn, onProgress = () => undefined }) {
      const { name, mimeType, charset, url } = file;
      const content = "path" in file ? { path: file.path } : { bytes: file.bytes };
      const order = { file: { ...content, name, mimeType, charset, url }, password, languages, limits };
      const inTurn = (languageData: LanguageData | null): Promise<ExtractedContent> =>
        turns.take(queue, () => {
          onTurn?.();
          return reader.read({ ...order, languageData }, { signal, onProgress });
        });
      return languageSource === null ? inTurn(null) : readWithLanguages(languageSource, inTurn, signal);
    },
    async close() {
      reader.close();
      await turns.ended();
    },
  };
}

/** Reads files in one process after the other. */
class ProcessReader {
  readonly #options: ExtractionProcessOptions;
  #worker: Worker | null = null;
  #isClosed = false;

  constructor(options: ExtractionProcessOptions) {
    this.#options = options;
  }

  async read(order: ExtractionOrderMessage, ways: Ways): Promise<ExtractedContent> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#readOnce(order, ways);
      } catch (error) {
        if (!(error instanceof ProcessDied) || this.#isClosed) throw error;
        this.#options.log.warn("the process that reads files ended", { reason: error.how, attempt });
        if (error.isFilesFault || attempt >= TRIES) throw error.describe(this.#options);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#discard();
  }

  async #readOnce(order: ExtractionOrderMessage, ways: Ways): Promise<ExtractedContent> {
    if (this.#isClosed) throw new AppError("unavailable", "The service is stopping.");
    ways.signal.throwIfAborted();
    if (!this.#worker?.isUsable()) this.#discard();
    const own = (this.#worker ??= new Worker(this.#options));
    try {
      return await own.read(order, ways);
    } finally {
      // The service may have stopped meanwhile.
      if (this.#worker === own && !own.isUsable()) this.#discard();
    }
  }

  #discard(): void {
    this.#worker?.end();
    this.#worker = null;
  }
}

interface Ways {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
}

/** The process ended, or was ended, before it had read the file. */
class ProcessDied extends Error {
  readonly how: "time" | "memory" | "signal";

  constructor(how: ProcessDied["how"]) {
    super(how);
    this.how = how;
  }

  get isFilesFault(): boolean {
    return this.how !== "signal";
  }

  describe({ timeoutMs, memoryMegabytes }: ExtractionProcessOptions): AppError {
    if (this.how === "time")
      return new AppError(
        "too_large",
        `The file took longer to read than ${timeoutMs / 1_000} seconds (RECOLLECT_READ_TIMEOUT_SECONDS). Send it in parts.`,
      );
    if (this.how === "memory")
      return new AppError(
        "too_large",
        `The file took more memory to read than ${memoryMegabytes} MB (RECOLLECT_READ_MEMORY_MEGABYTES). Send it in parts.`,
      );
    return new AppError("invalid", "The file ended the process that read it, twice. It may be damaged.");
  }
}

/** One process and the file that it reads at the moment. */
class Worker {
  readonly #options: ExtractionProcessOptions;
  readonly #child: ChildProcess;
  /** For the files that it lends to other programs; it has no chance to tidy up when it is ended. */
  readonly #folder = mkdtempSync(join(tmpdir(), "recollect-reading-"));
  #filesRead = 0;
  #isSpent = false;
  #isGone = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ExtractionProcessOptions) {
    this.#options = options;
    this.#child = fork(PROGRAM, [], {
      serialization: "advanced",
      execArgv: [`--max-old-space-size=${options.memoryMegabytes}`],
      // Tesseract is faster in one thread than in as many as there are processors.
      env: {
        PATH: options.programFolders.join(delimiter),
        LANG: "C.UTF-8",
        OMP_THREAD_LIMIT: "1",
        TMPDIR: this.#folder,
        TEMP: this.#folder,
      },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Leads a group, so that the programs that it has started end with it.
      detached: HAS_GROUPS,
    });
    this.#child.on("error", () => (this.#isSpent = true));
    this.#child.once("exit", () => {
      this.end();
      this.#isGone = true;
    });
    this.#rest();
  }

  isUsable(): boolean {
    return !this.#isSpent && this.#child.connected && this.#filesRead < MOST_FILES;
  }

  end(): void {
    this.#isSpent = true;
    clearTimeout(this.#idle);
    // Its number may belong to another one by now.
    if (this.#isGone) return;
    endGroup(this.#child);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 2 });
  }

  /** @throws AppError for a file that cannot be read, ProcessDied, the signal's reason */
  async read(order: ExtractionOrderMessage, { signal, onProgress }: Ways): Promise<ExtractedContent> {
    clearTimeout(this.#idle);
    this.#child.ref();
    this.#child.channel?.ref();
    this.#filesRead += 1;
    let ending: ProcessDied["how"] = "signal";
    const endFor = (how: ProcessDied["how"]) => {
      ending = how;
      this.end();
    };
    const late = setTimeout(() => endFor("time"), this.#options.timeoutMs);
    const watch = setInterval(
      () => void this.#isTooLarge().then((isOver) => isOver && endFor("memory")),
      WATCH_MEMORY_MS,
    );
    const stop = (): void => this.end();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#converse(order, onProgress, () => new ProcessDied(ending));
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(late);
      clearInterval(watch);
      signal.removeEventListener("abort", stop);
      this.#rest();
    }
  }

  #converse(
    order: ExtractionOrderMessage,
    onProgress: Ways["onProgress"],
    died: () => ProcessDied,
  ): Promise<ExtractedContent> {
    const child = this.#child;
    return new Promise<ExtractedContent>((resolve, reject) => {
      const settle = (act: () => void): void => {
        child.off("message", hear);
        child.off("exit", fail);
        child.off("error", fail);
        act();
      };
      const hear = (message: unknown): void => {
        const report = reportSchema.safeParse(message).data;
        if (!report) settle(() => reject(new AppError("invalid", "The file cannot be read.")));
        else if (report.kind === "progress") onProgress(report.progress);
        else if (report.kind === "read") settle(() => resolve(this.#accept(report)));
        else if (report.kind === "refused") settle(() => reject(refusal(report)));
      };
      // V8 ends the process itself when its heap is full.
      const fail = (_code: unknown, killedBy?: unknown): void => {
        // An order that did not arrive is known of before the end of the process is.
        this.#isSpent = true;
        settle(() => reject(killedBy === "SIGABRT" || killedBy === "SIGTRAP" ? new ProcessDied("memory") : died()));
      };
      child.on("message", hear);
      child.once("exit", fail);
      child.once("error", fail);
      child.send(order, (error) => error && fail(null));
    });
  }

  #accept({ content, residentBytes }: Extract<ExtractionReport, { kind: "read" }>): ExtractedContent {
    if (residentBytes > GROWN * this.#options.memoryMegabytes * MEGABYTE) this.end();
    return content;
  }

  /** Ends the process after a while, and lets this one end before that. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  /** Memory that is not V8's is bound by nothing else. Only Linux tells it of another process. */
  async #isTooLarge(): Promise<boolean> {
    const most = (this.#options.memoryMegabytes + BESIDE_HEAP_MEGABYTES) * MEGABYTE;
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => "");
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kilobytes !== undefined && Number(kilobytes) * 1024 > most;
  }
}

/** It and all that it has started. */
function endGroup(child: ChildProcess): void {
  child.kill("SIGKILL");
  if (!HAS_GROUPS || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

const KINDS: Readonly<Record<ExtractionReason, ErrorKind>> = {
  damaged: "invalid",
  encrypted: "invalid",
  empty: "invalid",
  too_large: "too_large",
  unsupported: "unsupported_type",
  missing_program: "unsupported",
  missing_languages: "unsupported",
};

function refusal({
  reason,
  message,
  languages = [],
}: Extract<ExtractionReport, { kind: "refused" }>): AppError | LanguagesMissing {
  if (reason === "missing_languages") return new LanguagesMissing(languages, message);
  return new AppError(KINDS[reason], message);
}
