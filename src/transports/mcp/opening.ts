import type { Readable, Writable } from "node:stream";
import { answerHandshake, type HandshakeAnswer } from "./handshake.js";
import { createLineSplitter, type LineReader } from "./lines.js";

/** Longest message in bytes. Far above every content limit, so that those can reply with their own errors. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** A client that has closed our input waits at most this long for the process to end. */
const END_WITHIN_MS = 900;

export interface OpeningOptions {
  readonly version: string;
  /** True for a server that offers more than the product; then only the library knows the answer. */
  readonly isExtended?: boolean;
  /** Default: those of this process. */
  readonly streams?: Streams;
}

interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Why a connection has ended: the client closed our input, or no longer reads our output. */
type Ending = "input" | "output";

/** A connection over standard input and output, before and after the protocol library takes it over. */
export interface Opening {
  /** What was answered before the library was loaded. */
  readonly answered: HandshakeAnswer | undefined;
  /** Passes on all lines, including those that came before. */
  read(reader: LineReader): void;
  /** Writes a whole protocol line. Resolves when the system has accepted it, or refused it for good. */
  write(line: string): Promise<void>;
  /** Resolves when the connection is over; the process then ends within 900 ms. */
  readonly over: Promise<Ending>;
  /** `performance.now()` by which the process ends, once the connection is over. */
  deadline(): number;
}

/** True for a command line that serves MCP and nothing else, `mcp` coming first. */
export function isMcpStart(args: readonly string[]): boolean {
  return args[0] === "mcp" && !args.some((argument) => ["--help", "-h", "--version", "-V"].includes(argument));
}

/**
 * Takes over standard input and output for MCP and answers the opening request at once. From now on, anything else that this
 * process prints to standard output goes to standard error.
 */
export function openMcpStdio({ version, isExtended = false, streams = process }: OpeningOptions): Opening {
  const { stdin, stdout, stderr } = streams;
  const write = takeOver(stdout, stderr);
  const waiting: ((reader: LineReader) => void)[] = [];
  let reader: LineReader | undefined;
  let answered: HandshakeAnswer | undefined;
  let isFirst = true;
  let deadline = Infinity;

  const deliver = (event: (to: LineReader) => void): void => {
    if (reader) event(reader);
    else waiting.push(event);
  };
  const lines = createLineSplitter(LONGEST_LINE, {
    onLine(line) {
      if (isFirst && !reader && !isExtended) answered = answerHandshake(line, version) ?? undefined;
      if (isFirst && answered) void write(`${JSON.stringify(answered)}\n`);
      isFirst = false;
      deliver((to) => to.onLine(line));
    },
    onTooLong(beginning, ending) {
      isFirst = false;
      deliver((to) => to.onTooLong(beginning, ending));
    },
  });
  const over = new Promise<Ending>((resolve) => {
    const end = (ending: Ending): void => {
      if (deadline !== Infinity) return;
      deadline = performance.now() + END_WITHIN_MS;
      // Whatever is still running: what is in the record stays, and what is not was never acknowledged.
      setTimeout(() => process.exit(0), END_WITHIN_MS);
      lines.end();
      resolve(ending);
    };
    stdin.on("data", (chunk: Buffer) => lines.push(chunk));
    stdin.once("end", () => end("input"));
    stdin.once("close", () => end("input"));
    stdin.once("error", () => end("input"));
    stdout.on("error", () => end("output"));
  });

  return {
    get answered() {
      return answered;
    },
    read(to) {
      reader = to;
      for (const event of waiting.splice(0)) event(to);
    },
    write,
    over,
    deadline: () => deadline,
  };
}

/** Reserves standard output for the protocol; dependencies print, and must not break it. */
function takeOver(stdout: Writable, stderr: Writable): (line: string) => Promise<void> {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return (line) =>
    new Promise((resolve) => {
      write(line, "utf8", () => resolve());
    });
}
