import type { IncomingHttpHeaders } from "node:http";
import type { FetchedFile } from "../../core/ports.js";
import { filenameOf, readParameters } from "../../lib/header-parameters.js";
import { isoOfHeader } from "../../lib/time.js";

const LONGEST_NAME = 255;
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** What a file is, by its headers and address, which need not be true. */
export function describeFile(
  headers: IncomingHttpHeaders,
  url: URL,
): Pick<FetchedFile, "name" | "mimeType" | "charset" | "modifiedAt"> {
  const contentType = (headers["content-type"] ?? "").slice(0, 1_000);
  const [type = ""] = contentType.split(";");
  const mimeType = type.trim().toLowerCase();
  return {
    name: nameOf(headers["content-disposition"], url),
    mimeType: TYPE.test(mimeType) ? mimeType : null,
    charset: readParameters(contentType).get("charset") || null,
    modifiedAt: isoOfHeader(headers["last-modified"]),
  };
}

function nameOf(disposition: string | undefined, { pathname }: URL): string | null {
  const said = filenameOf(readParameters((disposition ?? "").slice(0, 2_000)));
  const name = said || decoded(pathname);
  // A name, and never a path.
  const last = (name.split(/[/\\]/).at(-1) ?? "").replace(/\p{Cc}/gu, "").trim();
  return last === "" || last === "." || last === ".." ? null : last.slice(-LONGEST_NAME);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
