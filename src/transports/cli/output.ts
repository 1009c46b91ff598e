import type { Writable } from "node:stream";
import type { CliIo } from "./io.js";
import { createStyle, type Style } from "./style.js";

/** Where a command writes: its answer to standard output, everything else to standard error. */
export interface Output {
  /** True with `--json`: the answer is one line of JSON and nothing else is on standard output. */
  readonly isJson: boolean;
  readonly isTerminal: boolean;
  readonly style: Style;
  /** A command's answer: the value as one line of JSON, or its lines for people. */
  answer(value: unknown, lines: () => readonly string[]): void;
  /** One line for people on standard error; nothing with `--json`. */
  note(text: string): void;
  /** One line on standard error, even with `--json`. */
  complain(text: string): void;
  /** Text on standard error, unchanged: what somebody types there. */
  echo(text: string): void;
  /** Text on standard output, unchanged: help and version. */
  write(text: string): void;
  /** Shows that something is going on. */
  progress(text: string): Progress;
  /** Waits until standard output has taken everything. @throws its error; a reader that went away is not one */
  flush(): Promise<void>;
}

export interface Progress {
  update(text: string): void;
  stop(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;

export function createOutput(io: CliIo, isJson: boolean): Output {
  const stdout = tolerate(io.stdout);
  const stderr = tolerate(io.stderr);
  const note = (text: string) => void (isJson || stderr.write(`${text}\n`));
  return {
    isJson,
    isTerminal: io.isTerminal,
    style: createStyle(io.useColor ?? io.isTerminal),
    answer: (value, lines) => stdout.write(isJson ? `${JSON.stringify(value)}\n` : `${lines().join("\n")}\n`),
    note,
    complain: (text) => stderr.write(`${text}\n`),
    echo: (text) => stderr.write(text),
    write: (text) => stdout.write(text),
    progress: (text) => (io.isTerminal && !isJson ? spin(stderr, text) : report(note, text)),
    flush: () => stdout.flush(),
  };
}

interface TolerantStream {
  write(text: string): void;
  flush(): Promise<void>;
}

/** A stream whose reader may go away (`| head`): later writes are dropped. `flush` reports any other error. */
function tolerate(stream: Writable): TolerantStream {
  let failure: NodeJS.ErrnoException | null = null;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    failure ??= error;
  });
  const write = (text: string) => {
    if (!failure && !stream.destroyed) stream.write(text);
  };
  const flush = async () => {
    if (!failure && !stream.destroyed) await new Promise<void>((resolve) => stream.write("", () => resolve()));
    if (failure && failure.code !== "EPIPE") throw failure;
  };
  return { write, flush };
}

/** From this many seconds on, the elapsed time is shown. */
const SLOW_SECONDS = 3;
/** Milliseconds after which plain output repeats that its last step is still going on. */
const STILL_MS = 30_000;

/** A text, and how long it has stayed the same. */
function createTimed(first: string) {
  let text = first;
  let since = performance.now();
  return {
    /** @returns whether the text is different */
    change(next: string): boolean {
      if (next === text) return false;
      text = next;
      since = performance.now();
      return true;
    },
    describe(): string {
      const seconds = Math.floor((performance.now() - since) / 1_000);
      return seconds < SLOW_SECONDS ? text : `${text} (${seconds} s)`;
    },
  };
}

/** One line that is redrawn, and removed at the end. */
function spin(stderr: TolerantStream, first: string): Progress {
  const shown = createTimed(first);
  let frame = 0;
  const draw = () => stderr.write(`\r\u001b[2K${FRAMES[frame++ % FRAMES.length]} ${shown.describe()}`);
  const timer = setInterval(draw, FRAME_MS);
  timer.unref();
  draw();
  return {
    update: (next) => void shown.change(next),
    stop: () => {
      clearInterval(timer);
      stderr.write("\r\u001b[2K");
    },
  };
}

/** Plain lines, each once, repeated now and then with the elapsed time. */
function report(note: (text: string) => void, first: string): Progress {
  const told = createTimed(first);
  const tell = () => note(told.describe());
  const repeat = () => setInterval(tell, STILL_MS).unref();
  let timer = repeat();
  tell();
  return {
    update: (text) => {
      if (!told.change(text)) return;
      clearInterval(timer);
      timer = repeat();
      tell();
    },
    stop: () => clearInterval(timer),
  };
}
