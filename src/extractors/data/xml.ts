import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { GatheredParts } from "../gathered-parts.js";
import { declaredEncoding, decodeBytes } from "../decode-bytes.js";
import { ExtractionError } from "../extraction-error.js";
import type { ExtractionTools } from "../format-extractor.js";
import { plainText } from "../plain-text.js";
import { readXmlTree, type XmlElement } from "../xml-events.js";
import { DEEPEST, MOST_VALUES, textField } from "./data-node.js";
import { extractFeed, isFeed } from "./feed.js";
import { addData } from "./render-data.js";
import { dataOfElement } from "./xml-data.js";

/** Reads XML as paths and values, and RSS and Atom feeds as entries. @throws ExtractionError `empty` */
export async function extractXml(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const said = [file.charset, declaredEncoding(file.bytes)];
  const { text } = decodeBytes(file.bytes, said);
  const root = readRoot(text, tools);
  if (root === null) {
    const why = "The file is not well-formed XML, declares entities, or contains too much.";
    return plainText({ ...file, bytes: Buffer.from(text) }, why, tools);
  }
  if (isFeed(root)) return extractFeed(root, tools);
  const gathered = new GatheredParts(tools.limits);
  const data = dataOfElement(root);
  gathered.add(`# ${root.name}`);
  addData(data, gathered);
  return gathered.content("text", { title: textField(data, ["title", "name"]) });
}

function readRoot(text: string, { limits }: ExtractionTools): XmlElement | null {
  if (countElements(text) > MOST_VALUES) return null;
  try {
    // The byte order mark overrides the encoding declared in the file before it was decoded.
    const bytes = Buffer.from(`\uFEFF${text.trimStart()}`);
    const root = readXmlTree(bytes, { maximumDepth: Math.min(DEEPEST, limits.maximumDepth) });
    return root.name === "" ? null : root;
  } catch (error) {
    if (error instanceof ExtractionError) return null;
    throw error;
  }
}

function countElements(text: string): number {
  let count = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) count += 1;
  return count;
}
