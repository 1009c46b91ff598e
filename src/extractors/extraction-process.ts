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
import { recogniseFormat } from "./recognise-format.js";
import { sampleFile } from "./sample-file.js";

export interface ExtractionProcessOptions {
  readonly limits: ExtractionLimits;
  /** Maximum time per file, in milliseconds. */
  readonly timeoutMs: number;
  /** Memory limit of the process while it reads, in MB. */
  readonly memoryMegabytes: number;
  /** Languages of text in pictures as tesseract names them, the usual one first: `eng+deu`. */
  readonly languages: string;
  /** Provides data of languages that the machine lacks; without it they are unavailable. */
  readonly languageSource?: LanguageSource | null;
  /** Where the process may look for programs that read pictures and recordings. */
  readonly programFolders: readonly string[];
  readonly log: Log;
}

/** Memory of the process outside its heap: code, buffers, WebAssembly. */
const BESIDE_HEAP_MEGABYTES = 256;
const MEGABYTE = 1024 * 1024;
/** A process is replaced after this many files, or once it has grown too large. */
const MOST_FILES = 200;
const GROWN = 0.5;
const IDLE_MS = 60_000;
const HAS_GROUPS = process.platform !== "win32";
const WATCH_MEMORY_MS = 200;
/** If a process dies through no fault of the file, for example because someone killed it, the file is tried again. */
const TRIES = 2;
/** Resolved the same way from the modules and from the bundled program; when running from source, the built one is used. */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts")
    ? "../../dist/extractors/extraction-program.js"
    : "../extractors/extraction-program.js",
  import.meta.url,
);

/**
 * Reads files in a separate process, one at a time and from each queue in turn: a file that hangs, exhausts memory or crashes the
 * process fails alone. The process starts with the first file, knows none of the settings and secrets of this one, and ends after
 * a minute without work.
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
      return (await recogniseFormat(sample)) !== null;
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

/** Reads files, replacing its process when needed. */
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

/** The process ended or was killed before it had read the file. */
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
        `Reading the file took longer than ${timeoutMs / 1_000} seconds (RECOLLECT_READ_TIMEOUT_SECONDS). Send it in parts.`,
      );
    if (this.how === "memory")
      return new AppError(
        "too_large",
        `Reading the file took more memory than ${memoryMegabytes} MB (RECOLLECT_READ_MEMORY_MEGABYTES). Send it in parts.`,
      );
    return new AppError("invalid", "The process that read the file crashed twice. The file may be damaged.");
  }
}

/** One process and the file it is reading. */
class Worker {
  readonly #options: ExtractionProcessOptions;
  readonly #child: ChildProcess;
  /** Holds the files it passes to other programs; the process cannot clean up when it is killed. */
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
      // Tesseract is faster with one thread than with one per processor.
      env: {
        PATH: options.programFolders.join(delimiter),
        LANG: "C.UTF-8",
        OMP_THREAD_LIMIT: "1",
        TMPDIR: this.#folder,
        TEMP: this.#folder,
      },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Leads a process group, so that the programs it has started end with it.
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
    // Its pid may have been reused by now.
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
      () => void this.#isTooLarge().then((isTooLarge) => isTooLarge && endFor("memory")),
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
        // A failed send is reported before the end of the process is.
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

  /** Ends the process after an idle period, without keeping this one alive until then. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  /** Nothing else limits memory outside V8. Only Linux reports it for another process. */
  async #isTooLarge(): Promise<boolean> {
    const most = (this.#options.memoryMegabytes + BESIDE_HEAP_MEGABYTES) * MEGABYTE;
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => "");
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kilobytes !== undefined && Number(kilobytes) * 1024 > most;
  }
}

/** Kills the process and everything it has started. */
function endGroup(child: ChildProcess): void {
  child.kill("SIGKILL");
  if (!HAS_GROUPS || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group no longer exists.
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
