import { utf16Of } from "../lib/text-bytes.js";
import { SaxesParser } from "saxes";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionLimits } from "./format-extractor.js";

/** Names are as written, including the prefix. */
export type XmlEvent =
  | { readonly kind: "open"; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

/** Characters parsed at a time, so that few events are queued. */
const PIECE_CHARACTERS = 32_768;
/** How far an XML declaration is searched for. */
const DECLARATION_BYTES = 200;

/**
 * Reads XML piece by piece, without a document type and its entities.
 * @throws ExtractionError `damaged` for XML that is not well-formed or declares entities, `too_large` for elements nested too
 * deep, and whatever the source throws
 */
export function* xmlEvents(
  source: Uint8Array | Iterable<Uint8Array>,
  { maximumDepth }: Pick<ExtractionLimits, "maximumDepth">,
): Generator<XmlEvent> {
  let ready: XmlEvent[] = [];
  const parser = createParser(maximumDepth, (event) => ready.push(event));
  for (const piece of textPieces(source instanceof Uint8Array ? [source] : source)) {
    parse(() => parser.write(piece));
    yield* ready;
    ready = [];
  }
  parse(() => parser.close());
  yield* ready;
}

function createParser(maximumDepth: number, emit: (event: XmlEvent) => void): SaxesParser {
  const parser = new SaxesParser();
  let depth = 0;
  parser.on("opentag", ({ name, attributes }) => {
    depth += 1;
    if (depth > maximumDepth)
      throw new ExtractionError("too_large", `The file has more than ${maximumDepth} levels of nested elements.`);
    emit({ kind: "open", name, attributes });
  });
  parser.on("closetag", ({ name }) => {
    depth -= 1;
    emit({ kind: "close", name });
  });
  parser.on("text", (text) => emit({ kind: "text", text }));
  parser.on("cdata", (text) => emit({ kind: "text", text }));
  parser.on("doctype", refuseDeclarations);
  return parser;
}

/** A mere document type name is common in books, and is not looked up. */
function refuseDeclarations(doctype: string): void {
  if (doctype.includes("["))
    throw new ExtractionError("damaged", "The file declares its own entities, which is not allowed.");
}

function parse(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError(
      "damaged",
      "The file is damaged: its XML cannot be read. Send it again, or save a new copy first.",
    );
  }
}

function* textPieces(source: Iterable<Uint8Array>): Generator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (const bytes of source) {
    decoder ??= decoderFor(bytes);
    yield* slices(decoder.decode(bytes, { stream: true }));
  }
  yield* slices(decoder?.decode() ?? "");
}

function* slices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
}

function decoderFor(beginning: Uint8Array): InstanceType<typeof TextDecoder> {
  const marked = utf16Of(beginning);
  if (marked !== null) return new TextDecoder(marked);
  const declaration = Buffer.from(beginning.subarray(0, DECLARATION_BYTES)).toString("latin1");
  const label = /^<\?xml [^>]{0,80}encoding=["']([\w.-]{1,40})["']/.exec(declaration)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

/** `p` for `w:p`. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** An element with its content. Names are local. */
export interface XmlElement {
  readonly name: string;
  /** By name as written. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

interface GrowingElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/** A whole XML file in memory, for small parts. @throws ExtractionError as `xmlEvents` */
export function readXmlTree(
  source: Uint8Array | Iterable<Uint8Array>,
  limits: Pick<ExtractionLimits, "maximumDepth">,
): XmlElement {
  const root: GrowingElement = { name: "", attributes: {}, children: [] };
  const open: GrowingElement[] = [root];
  for (const event of xmlEvents(source, limits)) {
    const parent = open.at(-1) ?? root;
    if (event.kind === "text") parent.children.push(event.text);
    else if (event.kind === "close") open.pop();
    else {
      const element: GrowingElement = { name: localName(event.name), attributes: event.attributes, children: [] };
      parent.children.push(element);
      open.push(element);
    }
  }
  return elementsOf(root)[0] ?? root;
}

/** The child elements of an element, all or those with one name. */
export function elementsOf({ children }: XmlElement, name?: string): XmlElement[] {
  return children.filter(isElement).filter((child) => name === undefined || child.name === name);
}

/** Whether a child is an element rather than text. */
export function isElement(child: XmlElement | string): child is XmlElement {
  return typeof child !== "string";
}

/** What `xmlPieces` yields: selected elements as a whole, and the start and end of those around them. Names are local. */
export type XmlPiece =
  | { readonly kind: "element"; readonly element: XmlElement }
  | { readonly kind: "open"; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: "close"; readonly name: string };

/**
 * Walks a large XML file with only one selected element in memory at a time, such as a row of a sheet. A selected element inside
 * another is part of it. Text outside them is skipped.
 * @throws ExtractionError as `xmlEvents`
 */
export function* xmlPieces(
  source: Uint8Array | Iterable<Uint8Array>,
  chosen: ReadonlySet<string>,
  limits: Pick<ExtractionLimits, "maximumDepth">,
): Generator<XmlPiece> {
  const open: GrowingElement[] = [];
  for (const event of xmlEvents(source, limits)) {
    const parent = open.at(-1);
    if (event.kind === "text") parent?.children.push(event.text);
    else if (event.kind === "open") {
      const name = localName(event.name);
      const element: GrowingElement = { name, attributes: event.attributes, children: [] };
      parent?.children.push(element);
      if (parent || chosen.has(name)) open.push(element);
      else yield { kind: "open", name, attributes: event.attributes };
    } else if (!parent) yield { kind: "close", name: localName(event.name) };
    else {
      open.pop();
      if (open.length === 0) yield { kind: "element", element: parent };
    }
  }
}

/** The first child element with this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.filter(isElement).find((child) => child.name === name);
}

/** All descendants with this name, in document order. */
export function descendantsOf(element: XmlElement, name: string): XmlElement[] {
  return elementsOf(element).flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendantsOf(child, name),
  ]);
}

/** All text in an element. */
export function elementText(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (isElement(child) ? elementText(child) : child)).join("");
}

/** An attribute by its local name, whatever the prefix. */
export function attributeOf(element: Pick<XmlElement, "attributes"> | undefined, name: string): string | undefined {
  const attributes = element?.attributes ?? {};
  const written = Object.keys(attributes).find((key) => localName(key) === name);
  return written === undefined ? undefined : attributes[written];
}
