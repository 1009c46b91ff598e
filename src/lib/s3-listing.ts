import { SaxesParser } from "saxes";

export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  readonly storageClass: string;
  /** As the store says it; empty where it does not. */
  readonly lastModified: string;
}

/** A page of the objects of a bucket, in the order of their keys. */
export interface Listing {
  readonly objects: readonly ListedObject[];
  readonly isTruncated: boolean;
}

const OF_PAGE = new Set(["IsTruncated", "EncodingType"]);
const OF_OBJECT = new Set(["Key", "ETag", "Size", "StorageClass", "LastModified"]);

/**
 * Reads the answer of ListObjectsV2 (docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html), in one pass.
 * @returns null for what is not the whole of one: another document, or one that is cut off
 */
export function readListing(xml: string): Listing | null {
  const objects: Record<string, string>[] = [];
  const page: Record<string, string> = {};
  const path: string[] = [];
  let text = "";
  let isWhole = true;
  const parser = new SaxesParser();
  parser.on("error", () => (isWhole = false));
  parser.on("opentag", ({ name }) => {
    path.push(name);
    text = "";
    if (path.length === 2 && name === "Contents") objects.push({});
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
  parser.on("opentagstart", ({ name }) => (root ||= name));
  parser.write(xml).close();
  if (!isWhole || root !== "ListBucketResult" || page["IsTruncated"] === undefined) return null;
  const isEncoded = page["EncodingType"] === "url";
  return {
    objects: objects.map((object) => {
      const { Key: key = "", ETag: etag = "", Size: size = "0", StorageClass: storageClass = "" } = object;
      const { LastModified: lastModified = "" } = object;
      // Some stores do not know encoding-type, and leave keys as they are.
      const plain = isEncoded ? decoded(key) : key;
      return { key: plain, etag: strongTag(etag), size: Number(size), storageClass, lastModified };
    }),
    isTruncated: page["IsTruncated"].trim() === "true",
  };
}

/** A tag that a proxy has made weak says the same of whole objects. */
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
