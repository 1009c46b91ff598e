/** From the most verbose to the quietest. */
const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** One method per level; fields contain ids and numbers, never content or keys. */
export type LeveledLog = Readonly<Record<LogLevel, (event: string, fields?: Fields) => void>>;

export interface LogOptions {
  /** Events below it are dropped. */
  readonly level: LogLevel;
  /** `text` for reading in a terminal, `json` for a log collector. Default `text`. */
  readonly format?: "text" | "json";
  /** Takes one whole line with its newline; standard error by default. */
  readonly write?: (line: string) => void;
  /** The current time; tests pass their own. */
  readonly now?: () => Date;
}

/** A log that writes one line per event, whatever the fields contain, and never throws. */
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

/** When the reader of standard error is gone, the service continues without a log. */
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

/** Drops absent fields and turns errors into something JSON can represent. */
function readable(fields: Fields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) kept[name] = value instanceof Error ? describeError(value) : value;
  }
  return kept;
}

/** Message, stack and causes of an error as one text; limited, as a chain of causes may be circular. */
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

/** Characters that break a line, move the terminal cursor, or change the order in which text is displayed. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** An event must not be able to fake a second line or other fields. */
function oneLine(text: string): string {
  return text.replace(UNSEEN, " ");
}

/** As JSON, with invisible characters escaped, so that a parser gets the same text. */
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
