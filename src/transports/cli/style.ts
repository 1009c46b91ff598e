import { singleSpaced } from "../../lib/single-spaced.js";

/** Highlights parts of a text; leaves it alone where colours are off. */
export type Style = Readonly<Record<"bold" | "dim" | "green" | "yellow" | "red", (text: string) => string>>;

export function createStyle(useColor: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    useColor ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), green: paint(32, 39), yellow: paint(33, 39), red: paint(31, 39) };
}

/**
 * Stored text made safe for a terminal: without characters that move the cursor, change colours or reverse the reading
 * direction. Tabs and line breaks stay.
 */
export function printable(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "")
  );
}

/** The same on one line. */
export function printableLine(text: string): string {
  return singleSpaced(printable(text));
}

/** A text with every line indented by some spaces. */
export function indent(text: string, spaces: number): string {
  const margin = " ".repeat(spaces);
  return text
    .split("\n")
    .map((line) => (line === "" ? line : margin + line))
    .join("\n");
}

/** An amount of US dollars with as many digits as it takes not to read as zero. */
export function inDollars(amount: number): string {
  const digits = amount === 0 || amount >= 0.1 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(amount)));
  return `$${amount.toFixed(digits)}`;
}

/** Lines of `name value` with the values aligned. */
export function pairs(entries: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** A size in bytes, for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0)} MB`;
}
