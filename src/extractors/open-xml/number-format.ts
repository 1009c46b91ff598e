import { formatDate, isDateSection } from "./date-format.js";

/**
 * Built-in formats, which files refer to only by number. Dates whose order depends on the reader's locale are written as ISO
 * dates.
 */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0;-#,##0",
  38: "#,##0;-#,##0",
  39: "#,##0.00;-#,##0.00",
  40: "#,##0.00;-#,##0.00",
  41: "#,##0",
  42: "$#,##0",
  43: "#,##0.00",
  44: "$#,##0.00",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "##0.0E+0",
};

/** The code of a built-in format; General if the number is unknown. */
export function builtInFormat(id: number): string {
  return BUILT_IN[id] ?? "General";
}

const LONGEST_CODE = 255;

/** Formats a number as a spreadsheet displays it. @param code a number format of Excel, such as `#,##0.00 "€"` or `d mmm yyyy` */
export function showNumber(value: number, code: string, { is1904 }: { readonly is1904: boolean }): string {
  const sections = splitSections(code.slice(0, LONGEST_CODE));
  const { section, isSigned } = chooseSection(sections, value);
  if (section === "") return "";
  const pieces = readPieces(section);
  if (isDateSection(pieces)) return formatDate(value, pieces, is1904) ?? general(value);
  if (pieces.every(({ kind }) => kind === "literal") || pieces.some(({ kind }) => kind === "general"))
    return showGeneral(value, pieces, isSigned);
  return formatDecimal(value, pieces, isSigned);
}

/** A piece of a format: literal text, a placeholder for a digit or date part, or the word General. */
export interface FormatPiece {
  readonly kind: "literal" | "code" | "elapsed" | "general";
  readonly text: string;
}

function splitSections(code: string): string[] {
  // Empty sections count: they display nothing.
  const found = code.match(/(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)|^(?=;)/g);
  return found ?? ["General"];
}

/** The section that applies to a number, by its condition or its sign; `isSigned` is false if the section writes its own sign. */
function chooseSection(sections: readonly string[], value: number): { section: string; isSigned: boolean } {
  const [first = "General", second, third] = sections;
  const conditional = sections.find((section) => meets(section, value) === true);
  if (conditional !== undefined) return { section: conditional, isSigned: value < 0 };
  if (sections.some((section) => meets(section, value) === false))
    return { section: sections.find((section) => meets(section, value) === null) ?? first, isSigned: value < 0 };
  if (value < 0 && second !== undefined) return { section: second, isSigned: false };
  if (value === 0 && third !== undefined) return { section: third, isSigned: false };
  return { section: first, isSigned: value < 0 };
}

/** Null for a section without a condition. */
function meets(section: string, value: number): boolean | null {
  const [, sign, bound] = /\[(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)\]/.exec(section) ?? [];
  if (sign === undefined) return null;
  const difference = value - Number(bound);
  if (sign === "<>") return difference !== 0;
  return (
    (sign.includes("=") && difference === 0) ||
    (sign.includes("<") && difference < 0) ||
    (sign.includes(">") && difference > 0)
  );
}

const PIECES =
  /"([^"]*)"?|\\(.)|_.|\*.|\[\$([^\]-]*)[^\]]*\]|\[(h+|m+|s+)\]|\[[^\]]*\]|(general)|(am\/pm|a\/p|y+|m+|d+|h+|s+|e[+-]?|[0#?.,%/@])|([^])/gi;

function readPieces(section: string): FormatPiece[] {
  const pieces: FormatPiece[] = [];
  for (const [, quoted, escaped, currency, elapsed, general, code, other] of section.matchAll(PIECES)) {
    const literal = quoted ?? escaped ?? currency ?? other;
    if (literal !== undefined) pieces.push({ kind: "literal", text: literal });
    else if (elapsed !== undefined) pieces.push({ kind: "elapsed", text: elapsed.toLowerCase() });
    else if (general !== undefined) pieces.push({ kind: "general", text: general });
    else if (code !== undefined) pieces.push({ kind: "code", text: code.toLowerCase() });
  }
  return pieces;
}

function general(value: number): string {
  return String(Number(value.toPrecision(15))).replace("e", "E");
}

function showGeneral(value: number, pieces: readonly FormatPiece[], isSigned: boolean): string {
  const shown = general(Math.abs(value));
  const text = pieces
    .map(({ kind, text: piece }) => (kind === "literal" ? piece : kind === "general" ? shown : ""))
    .join("");
  return (isSigned ? "-" : "") + text.trim();
}

const isDigit = ({ kind, text }: FormatPiece) => kind === "code" && /^[0#?]$/.test(text);
const isCode = (piece: FormatPiece, text: string) => piece.kind === "code" && piece.text === text;
const MOST_DECIMALS = 30;
/** Larger numbers use the General format. */
const LARGEST_WRITTEN = 1e21;

function formatDecimal(value: number, pieces: readonly FormatPiece[], isSigned: boolean): string {
  const percents = pieces.filter((piece) => isCode(piece, "%")).length;
  const point = pieces.findIndex((piece) => isCode(piece, "."));
  const exponent = pieces.findIndex(({ kind, text }) => kind === "code" && text.startsWith("e"));
  const slash = pieces.findIndex((piece) => isCode(piece, "/"));
  const lastDigit = pieces.findLastIndex(isDigit);
  const scale = pieces.slice(lastDigit + 1).filter((piece) => isCode(piece, ",")).length;
  const magnitude = (Math.abs(value) * 100 ** percents) / 1000 ** scale;
  const sign = (text: string) => (isSigned && /[1-9]/.test(text) ? "-" : "") + text.trim();
  if (magnitude >= LARGEST_WRITTEN) return sign(general(magnitude));
  if (exponent >= 0) return sign(scientific(magnitude, pieces.slice(0, exponent), pieces.slice(exponent)));
  if (slash >= 0) return sign(fraction(magnitude, pieces.slice(slash + 1).filter(isDigit).length));
  const decimals =
    point < 0
      ? []
      : pieces
          .slice(point + 1)
          .filter(isDigit)
          .slice(0, MOST_DECIMALS);
  const [whole = "0", parts = ""] = fixed(magnitude, decimals.length).split(".");
  const front = fillWhole(whole, point < 0 ? pieces : pieces.slice(0, point));
  return sign(point < 0 ? front : front + fillDecimals(parts, pieces.slice(point)));
}

/** Rounds half up in decimal, as people do, whatever the binary value. */
function fixed(value: number, decimals: number): string {
  const [digits = "0", power = "0"] = String(Number(value.toPrecision(15))).split("e");
  const scaled = Math.round(Number(`${digits}e${Number(power) + decimals}`));
  if (scaled > Number.MAX_SAFE_INTEGER) return value.toFixed(decimals);
  const shown = String(scaled).padStart(decimals + 1, "0");
  return decimals === 0 ? shown : `${shown.slice(0, -decimals)}.${shown.slice(-decimals)}`;
}

/** Fills digit placeholders from the right; the first takes all remaining digits. */
function fillWhole(whole: string, pieces: readonly FormatPiece[]): string {
  const firstDigit = pieces.findIndex(isDigit);
  const lastDigit = pieces.findLastIndex(isDigit);
  const isGrouped = pieces.slice(firstDigit, lastDigit).some((piece) => isCode(piece, ","));
  let left = whole === "0" ? "" : whole;
  let taken = 0;
  const shown: string[] = [];
  const take = (digit: string) => {
    shown.unshift(isGrouped && taken > 0 && taken % 3 === 0 ? `${digit},` : digit);
    taken += 1;
  };
  for (const [index, piece] of [...pieces.entries()].reverse()) {
    if (piece.kind === "literal" || isCode(piece, "%")) shown.unshift(piece.text);
    else if (isDigit(piece)) {
      if (left !== "") take(left.slice(-1));
      else if (piece.text === "0") take("0");
      left = left.slice(0, -1);
      for (; index === firstDigit && left !== ""; left = left.slice(0, -1)) take(left.slice(-1));
    }
  }
  return (firstDigit < 0 ? left : "") + shown.join("");
}

function fillDecimals(digits: string, pieces: readonly FormatPiece[]): string {
  const places = pieces.filter(isDigit).map(({ text }) => text);
  let length = digits.length;
  while (length > 0 && digits[length - 1] === "0" && places[length - 1] !== "0") length -= 1;
  let used = 0;
  const shown = pieces.map((piece) => {
    if (isCode(piece, ".")) return length > 0 ? "." : "";
    if (isDigit(piece)) return (used += 1) <= length ? (digits[used - 1] ?? "") : "";
    return piece.kind === "literal" || isCode(piece, "%") ? piece.text : "";
  });
  return shown.join("");
}

function scientific(value: number, mantissa: readonly FormatPiece[], rest: readonly FormatPiece[]): string {
  const point = mantissa.findIndex((piece) => isCode(piece, "."));
  const decimals = point < 0 ? 0 : Math.min(MOST_DECIMALS, mantissa.slice(point).filter(isDigit).length);
  const [digits = "0", power = "0"] = value.toExponential(decimals).split("e");
  const exponent = Math.abs(Number(power)).toString().padStart(rest.filter(isDigit).length, "0");
  return `${digits}E${Number(power) < 0 ? "-" : "+"}${exponent}`;
}

/** The nearest fraction whose denominator has this many digits. */
function fraction(value: number, digits: number): string {
  const whole = Math.floor(value);
  let best = { over: 1, under: 1, distance: Infinity };
  for (let under = 1; under < 10 ** Math.min(digits, 3); under += 1) {
    const over = Math.round((value - whole) * under);
    const distance = Math.abs(value - whole - over / under);
    if (distance < best.distance - 1e-12) best = { over, under, distance };
  }
  if (best.over === best.under) return String(whole + 1);
  if (best.over === 0) return String(whole);
  return `${whole === 0 ? "" : `${whole} `}${best.over}/${best.under}`;
}
