import { SaxesParser } from "saxes";
import { ExtractionError } from "./extraction-error.js";
import type { ExtractionLimits } from "./format-extractor.js";

/** Names are as written, prefix included. */
export type XmlEvent =
  | { readonly kind: "open"; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

/** Characters that are parsed at a time, so that few events wait. */
const PIECE_CHARACTERS = 32_768;
/** So far an XML declaration is looked for. */
const DECLARATION_BYTES = 200;

/**
 * Reads XML piece by piece, without a document type and its entities.
 * @throws ExtractionError `damaged` for what is no well-formed XML or declares entities, `too_large` for elements that lie too
 *   deep in each other, and whatever the source throws
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
      throw new ExtractionError("too_large", `The file has more than ${maximumDepth} elements in each other.`);
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

/** A document type by name alone is usual in books, and is not looked up. */
function refuseDeclarations(doctype: string): void {
  if (doctype.includes("["))
    throw new ExtractionError("damaged", "The file declares entities of its own, which is refused.");
}

function parse(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError(
      "damaged",
      "The file is damaged: its XML cannot be read. Send it again, or save it anew.",
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
  const [first, second] = beginning;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  const declaration = Buffer.from(beginning.subarray(0, DECLARATION_BYTES)).toString("latin1");
  const label = /^<\?xml [^>]{0,80}encoding=["']([\w.-]{1,40})["']/.exec(declaration)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

/** `p` of `w:p`. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** An element with what it holds. Names are local. */
export interface XmlElement {
  readonly name: string;
  /** By names as written. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

interface GrowingElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/** The whole of an XML file in memory, for parts that are small. @throws ExtractionError as `xmlEvents` */
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

/** The elements right in an element, all or those of one name. */
export function elementsOf({ children }: XmlElement, name?: string): XmlElement[] {
  return children.filter(isElement).filter((child) => name === undefined || child.name === name);
}

function isElement(child: XmlElement | string): child is XmlElement {
  return typeof child !== "string";
}
