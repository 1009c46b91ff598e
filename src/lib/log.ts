/** From the most talkative to the quietest. */
const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** One method a level; fields hold ids and numbers, never content or keys. */
export type LeveledLog = Readonly<Record<LogLevel, (event: string, fields?: Fields) => void>>;

export interface LogOptions {
  /** Events below it are dropped. */
  readonly level: LogLevel;
  /** `text` reads well in a terminal, `json` in a log collector. Default `text`. */
  readonly format?: "text" | "json";
  /** Takes one whole line with its newline; default standard error. */
  readonly write?: (line: string) => void;
  /** The present; a test passes its own. */
  readonly now?: () => Date;
}

/** A log that writes one line an event, whatever the fields hold, and that never throws. */
export function createLog(options: LogOptions): LeveledLog {
  const write = options.write ?? standardError();
  const now = options.now ?? (() => new Date());
  const format = options.format === "json" ? jsonLine : textLine;
  const lowest = LOG_LEVELS.indexOf(options.level);
  const method = (level: LogLevel) => {
    if (LOG_LEVELS.indexOf(level) < lowest) return () => undefined;
    return (event: string, fields: Fields = {}): void =>
      write(`${format(now().toISOString(), level, event, fields)}\n`);
  };
  return { debug: method("debug"), info: method("info"), warn: method("warn"), error: method("error") };
}

/** When the reader of standard error is gone, the service goes on without a log. */
function standardError(): (line: string) => void {
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  return (line) => void process.stderr.write(line);
}

function ignore(): void {}

function jsonLine(time: string, level: LogLevel, event: string, fields: Fields): string {
  return encode({ time, level, event, ...readable(fields) });
}

function textLine(time: string, level: LogLevel, event: string, fields: Fields): string {
  const parts = Object.entries(readable(fields)).map(([name, value]) => `${name}=${textValue(value)}`);
  return [time, level.toUpperCase().padEnd(5), oneLine(event), ...parts].join(" ");
}

/** Drops what is absent; errors become something that JSON can hold. */
function readable(fields: Fields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) kept[name] = value instanceof Error ? describeError(value) : value;
  }
  return kept;
}

/** Message, stack and causes of an error as one text; a chain of causes may be circular, so it is cut. */
function describeError(error: Error, depth = 5): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  if (error.cause === undefined || depth === 0) return own;
  return `${own}\ncaused by ${error.cause instanceof Error ? describeError(error.cause, depth - 1) : encode(error.cause)}`;
}

function textValue(value: unknown): string {
  if (typeof value === "string") return /^[\w.:/@+{}#-]+$/.test(value) ? value : encode(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return encode(value);
}

/** What breaks a line, moves the cursor of a terminal, or shows a text in another order than it has. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** An event must not be able to fake a second line or what it says. */
function oneLine(text: string): string {
  return text.replace(UNSEEN, " ");
}

/** As JSON, in which all that is unseen is an escape, so that a reader gets the same text. */
function encode(value: unknown): string {
  try {
    return (JSON.stringify(value, bigintAsText) ?? "null").replace(UNSEEN, escaped);
  } catch {
    return '"[not serialisable]"';
  }
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
