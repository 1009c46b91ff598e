import { attributeOf, childOf, elementsOf, isElement, type XmlElement } from "./xml-events.js";
import { singleSpaced } from "../lib/single-spaced.js";

/**
 * An equation on one line, as people type it: `x = (-b ± √(b^2 - 4ac))/2a`. Accepts Office Math (`oMath`, ECMA-376, 22.1) and
 * MathML (`math`); no local name used here means different things in the two.
 */
export function equationText(equation: XmlElement): string {
  return singleSpaced(textIn(equation));
}

/** Formatting properties, and alternative notations of the same equation. */
const UNSHOWN = /(?:Pr|^annotation(?:-xml)?|^mphantom)$/;

function textIn(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (isElement(child) ? pieceText(child) : child)).join("");
}

function pieceText(element: XmlElement): string {
  if (UNSHOWN.test(element.name)) return "";
  const write = WRITERS.get(element.name);
  return write ? write(element) : textIn(element);
}

const WRITERS: ReadonlyMap<string, (element: XmlElement) => string> = new Map(
  Object.entries({
    // Office Math
    f: (one) => `${grouped(part(one, "num"))}/${grouped(part(one, "den"))}`,
    sSup: (one) => part(one, "e") + raised(part(one, "sup")),
    sSub: (one) => part(one, "e") + lowered(part(one, "sub")),
    sSubSup: (one) => part(one, "e") + lowered(part(one, "sub")) + raised(part(one, "sup")),
    sPre: (one) => lowered(part(one, "sub")) + raised(part(one, "sup")) + part(one, "e"),
    rad: (one) => `${rootSign(part(one, "deg"))}(${part(one, "e")})`,
    d: (one) => bracketed(one),
    nary: (one) => `${sumSign(one)}${lowered(part(one, "sub"))}${raised(part(one, "sup"))} ${part(one, "e")}`,
    func: (one) => `${part(one, "fName")} ${part(one, "e")}`,
    limLow: (one) => part(one, "e") + lowered(part(one, "lim")),
    limUpp: (one) => part(one, "e") + raised(part(one, "lim")),
    m: (one) => rows(elementsOf(one, "mr").map((row) => elementsOf(row, "e"))),
    eqArr: (one) => rows(elementsOf(one, "e").map((line) => [line])),
    // MathML
    mfrac: (one) => `${grouped(nth(one, 0))}/${grouped(nth(one, 1))}`,
    msup: (one) => nth(one, 0) + raised(nth(one, 1)),
    msub: (one) => nth(one, 0) + lowered(nth(one, 1)),
    msubsup: (one) => nth(one, 0) + lowered(nth(one, 1)) + raised(nth(one, 2)),
    munder: (one) => nth(one, 0) + lowered(nth(one, 1)),
    mover: (one) => nth(one, 0) + raised(nth(one, 1)),
    munderover: (one) => nth(one, 0) + lowered(nth(one, 1)) + raised(nth(one, 2)),
    msqrt: (one) => `√(${textIn(one)})`,
    mroot: (one) => `${rootSign(nth(one, 1))}(${nth(one, 0)})`,
    mfenced: (one) =>
      `${attributeOf(one, "open") ?? "("}${shownIn(one).map(pieceText).join(", ")}${attributeOf(one, "close") ?? ")"}`,
    mtable: (one) => rows(elementsOf(one, "mtr").map((row) => elementsOf(row, "mtd"))),
    // White space around an identifier or operator is meaningless.
    mi: (one) => textIn(one).trim(),
    mn: (one) => textIn(one).trim(),
    mo: (one) => spaced(textIn(one).trim()),
    mspace: () => " ",
  } satisfies Readonly<Record<string, (element: XmlElement) => string>>),
);

function part(element: XmlElement, name: string): string {
  return textIn(childOf(element, name)).trim();
}

function shownIn(element: XmlElement): XmlElement[] {
  return elementsOf(element).filter(({ name }) => !UNSHOWN.test(name));
}

function nth(element: XmlElement, index: number): string {
  const child = shownIn(element)[index];
  return child ? pieceText(child).trim() : "";
}

/** Adds brackets where the text would be misread next to an operator. */
function grouped(text: string): string {
  return /^[\p{L}\p{N}.,∞]*$/u.test(text) || /^\([^()]*\)$/.test(text) ? text : `(${text})`;
}

function raised(text: string): string {
  return text === "" ? "" : `^${grouped(text)}`;
}

function lowered(text: string): string {
  return text === "" ? "" : `_${grouped(text)}`;
}

function rootSign(degree: string): string {
  return degree === "" || degree === "2" ? "√" : `root_${grouped(degree)}`;
}

function propertyOf(element: XmlElement, properties: string, name: string): string | undefined {
  const property = childOf(childOf(element, properties), name);
  return property && (attributeOf(property, "val") ?? "");
}

function bracketed(element: XmlElement): string {
  const [open, close, separator] = [
    ["begChr", "("],
    ["endChr", ")"],
    ["sepChr", "|"],
  ].map(([name = "", usual = ""]) => propertyOf(element, "dPr", name) ?? usual);
  const inner = elementsOf(element, "e").map((one) => textIn(one).trim());
  return `${open}${inner.join(separator)}${close}`;
}

function sumSign(element: XmlElement): string {
  return propertyOf(element, "naryPr", "chr") ?? "∫";
}

function rows(lines: readonly (readonly XmlElement[])[]): string {
  return lines.map((cells) => cells.map((cell) => textIn(cell).trim()).join(", ")).join("; ");
}

/** Spaces around relations and sums; invisible operators, such as invisible multiplication, are dropped. */
function spaced(sign: string): string {
  if (/^[\u2061-\u2064]$/.test(sign)) return "";
  return /^(?:[=<>≤≥≠≈≡±∓+→⇒⇔∈∉⊂⊆]|[-−])$/.test(sign) ? ` ${sign} ` : sign;
}
