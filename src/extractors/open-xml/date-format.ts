import type { FormatPiece } from "./number-format.js";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const DAY_MS = 86_400_000;
/** Days from the beginning of 1900 to the beginning of 1904, as spreadsheets count. */
const DAYS_TO_1904 = 1462;
/** 31 December 9999. */
const LAST_DAY = 2_958_465;
/** Spreadsheets wrongly treat 1900 as a leap year; serial numbers from here on are correct. */
const FIRST_RIGHT_DAY = 60;

/** Whether a format shows a date or a time. */
export function isDateSection(pieces: readonly FormatPiece[]): boolean {
  return pieces.some(({ kind, text }) => kind === "elapsed" || (kind === "code" && /^[ymdhsa]/.test(text)));
}

/** The date for a serial number, in UTC; null outside the years 1900 to 9999. */
export function dateOfSerial(serial: number, is1904: boolean): Date | null {
  const day = is1904 ? serial + DAYS_TO_1904 : serial;
  if (!(day >= 0 && day < LAST_DAY + 1)) return null;
  const shifted = day < FIRST_RIGHT_DAY ? day + 1 : day;
  return new Date(Date.UTC(1899, 11, 30) + Math.round(shifted * DAY_MS));
}

/** A date as a spreadsheet displays it, with English names; null where the number is not a date. */
export function formatDate(serial: number, pieces: readonly FormatPiece[], is1904: boolean): string | null {
  const exact = dateOfSerial(serial, is1904);
  if (exact === null) return null;
  const fractionDigits = fractionOfSeconds(pieces);
  const date = fractionDigits > 0 ? exact : new Date(Math.round(exact.getTime() / 1000) * 1000);
  const isHalfDay = pieces.some(({ kind, text }) => kind === "code" && text.startsWith("a"));
  const parts = pieces.map((piece, index) => {
    if (piece.kind === "literal") return piece.text;
    if (piece.kind === "elapsed") return elapsed(serial, piece.text);
    if (piece.text.startsWith("m") && isMinute(pieces, index)) return padded(date.getUTCMinutes(), piece.text);
    if (piece.text === "0") return "";
    if (piece.text === "." && fractionDigits > 0) return fraction(date, fractionDigits);
    return datePart(date, piece.text, isHalfDay);
  });
  return parts.join("").trim();
}

function fractionOfSeconds(pieces: readonly FormatPiece[]): number {
  return Math.min(3, pieces.filter(({ kind, text }) => kind === "code" && text === "0").length);
}

function fraction(date: Date, digits: number): string {
  return `.${String(date.getUTCMilliseconds()).padStart(3, "0").slice(0, digits)}`;
}

/** `m` means minutes after hours or before seconds, otherwise month. */
function isMinute(pieces: readonly FormatPiece[], index: number): boolean {
  const isTime = ({ kind, text }: FormatPiece) => kind === "elapsed" || /^[ymdhs]/.test(text);
  const codes = (some: readonly FormatPiece[]) => some.filter((piece) => piece.kind !== "literal" && isTime(piece));
  const before = codes(pieces.slice(0, index)).at(-1)?.text ?? "";
  const after = codes(pieces.slice(index + 1))[0]?.text ?? "";
  return before.startsWith("h") || after.startsWith("s");
}

function padded(value: number, code: string): string {
  return String(value).padStart(Math.min(2, code.length), "0");
}

function elapsed(serial: number, code: string): string {
  const unit = { h: 24, m: 1440, s: 86_400 }[code.charAt(0)] ?? 24;
  return String(Math.floor(serial * unit + 1e-6)).padStart(code.length, "0");
}

function datePart(date: Date, code: string, isHalfDay: boolean): string {
  const hours = date.getUTCHours();
  switch (code.charAt(0)) {
    case "y":
      return code.length > 2 ? String(date.getUTCFullYear()) : String(date.getUTCFullYear() % 100).padStart(2, "0");
    case "m":
      return named(MONTHS[date.getUTCMonth()] ?? "", date.getUTCMonth() + 1, code);
    case "d":
      return named(DAYS[date.getUTCDay()] ?? "", date.getUTCDate(), code);
    case "h":
      return padded(isHalfDay ? ((hours + 11) % 12) + 1 : hours, code);
    case "s":
      return padded(date.getUTCSeconds(), code);
    case "a":
      return (hours < 12 ? "AM" : "PM").slice(0, code === "a/p" ? 1 : 2);
    default:
      return code;
  }
}

function named(name: string, number: number, code: string): string {
  if (code.length <= 2) return padded(number, code);
  if (code.length === 3) return name.slice(0, 3);
  return code.length === 5 ? name.charAt(0) : name;
}
