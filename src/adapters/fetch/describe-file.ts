import type { IncomingHttpHeaders } from "node:http";
import type { FetchedFile } from "../../core/ports.js";
import { isoOfHeader } from "../../lib/time.js";

const LONGEST_NAME = 255;
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** What the headers and the address say that a file is. Nobody has to tell the truth. */
export function describeFile(
  headers: IncomingHttpHeaders,
  url: URL,
): Pick<FetchedFile, "name" | "mimeType" | "charset" | "modifiedAt"> {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").slice(0, 1_000).split(";");
  const mimeType = type.trim().toLowerCase();
  return {
    name: nameOf(headers["content-disposition"], url),
    mimeType: TYPE.test(mimeType) ? mimeType : null,
    charset: parameterOf(parameters, "charset"),
    modifiedAt: isoOfHeader(headers["last-modified"]),
  };
}

function nameOf(disposition: string | undefined, { pathname }: URL): string | null {
  const parameters = (disposition ?? "").slice(0, 2_000).split(";").slice(1);
  const extended = parameterOf(parameters, "filename*")?.replace(/^utf-8'[^']*'/i, "");
  const name = decoded(extended ?? "") || (parameterOf(parameters, "filename") ?? "") || decoded(pathname);
  // A name, and never a path.
  const last = (name.split(/[/\\]/).at(-1) ?? "").replace(/\p{Cc}/gu, "").trim();
  return last === "" || last === "." || last === ".." ? null : last.slice(-LONGEST_NAME);
}

function parameterOf(parameters: readonly string[], name: string): string | null {
  for (const parameter of parameters) {
    const [key = "", ...value] = parameter.split("=");
    if (key.trim().toLowerCase() !== name) continue;
    return value.join("=").trim().replace(/^"|"$/g, "").slice(0, 1_000) || null;
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
