import { SaxesParser } from "saxes";
import { yieldTurn } from "./time.js";

/** Length of a page parsed in one turn of the event loop, in UTF-16 units: a few milliseconds' worth, whatever it contains. */
const PIECE = 16 * 1024;
/** Limit for one element. The parser processes all attributes in one turn; a listing has at most one. */
const MOST_ATTRIBUTES = 100;

export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  readonly storageClass: string;
  /** As the store reports it; empty if it does not. */
  readonly lastModified: string;
}

/** A page of the objects of a bucket, in the order of their keys. */
export interface Listing {
  /** At most as many as requested; one more if the page has more. */
  readonly objects: readonly ListedObject[];
  readonly isTruncated: boolean;
}

const OF_PAGE = new Set(["IsTruncated", "EncodingType"]);
const OF_OBJECT = new Set(["Key", "ETag", "Size", "StorageClass", "LastModified"]);

/**
 * Reads the answer of ListObjectsV2 (docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html) in one pass,
 * yielding to other work in between.
 * @returns null for another document, or one that is cut off
 */
export async function readListing(xml: string, mostObjects = Infinity): Promise<Listing | null> {
  const objects: Record<string, string>[] = [];
  const page: Record<string, string> = {};
  const path: string[] = [];
  let text = "";
  let isWhole = true;
  const parser = new SaxesParser();
  parser.on("opentag", ({ name }) => {
    path.push(name);
    text = "";
    if (path.length === 2 && name === "Contents" && objects.length <= mostObjects) objects.push({});
  });
  parser.on("text", (more) => (text += more));
  parser.on("closetag", ({ name }) => {
    const object = objects.at(-1);
    if (path.length === 2 && OF_PAGE.has(name)) page[name] = text;
    if (path.length === 3 && path[1] === "Contents" && object && OF_OBJECT.has(name)) object[name] = text;
    path.pop();
  });
  parser.on("doctype", () => (isWhole = false));
  let root = "";
  let attributes = 0;
  parser.on("opentagstart", ({ name }) => {
    root ||= name;
    attributes = 0;
  });
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > MOST_ATTRIBUTES) throw new Error("An element of a listing has too many attributes.");
  });
  if (!(await isWritten(parser, xml))) return null;
  if (!isWhole || root !== "ListBucketResult" || page["IsTruncated"] === undefined) return null;
  const isEncoded = page["EncodingType"] === "url";
  return {
    objects: objects.map((object) => {
      const { Key: key = "", ETag: etag = "", Size: size = "0", StorageClass: storageClass = "" } = object;
      const { LastModified: lastModified = "" } = object;
      // Some stores do not know encoding-type, and leave keys unencoded.
      const plain = isEncoded ? decoded(key) : key;
      return { key: plain, etag: strongTag(etag), size: Number(size), storageClass, lastModified };
    }),
    isTruncated: page["IsTruncated"].trim() === "true",
  };
}

/** @returns false for anything but a listing. Without an error listener, the parser throws the first error and stops there. */
async function isWritten(parser: SaxesParser, xml: string): Promise<boolean> {
  try {
    for (let start = 0; start < xml.length; start += PIECE) {
      parser.write(xml.slice(start, start + PIECE));
      await yieldTurn();
    }
    parser.close();
    return true;
  } catch {
    return false;
  }
}

/** A tag that a proxy has weakened still identifies a whole object. */
export function strongTag(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}
