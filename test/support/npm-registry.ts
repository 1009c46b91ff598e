import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createTarGzip } from "nanotar";
import { openWebServer, type WebServer } from "./web-server.js";

/** The data for English, which tests serve under the names of other languages. */
export const ENGLISH_DATA = readFileSync(
  createRequire(import.meta.url).resolve("@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz"),
);

export interface NpmRegistry extends WebServer {
  /** Available languages, with the contents of their packages in place of the data. */
  readonly packages: Map<string, Uint8Array>;
  /** The fault of its responses. */
  fault: "none" | "down" | "altered" | "cut";
}

/** An npm registry with language packages, as far as needed to fetch one version. */
export async function openNpmRegistry(languages: readonly string[]): Promise<NpmRegistry> {
  const packages = new Map<string, Uint8Array>();
  for (const language of languages) packages.set(language, await packageOf(language, ENGLISH_DATA));
  const state = { fault: "none" as NpmRegistry["fault"] };
  const server = await openWebServer((request, response) => {
    const [, language = ""] = /^\/@tesseract\.js-data(?:%2f|\/)([a-z_]+)\//.exec(request.url ?? "") ?? [];
    const bytes = packages.get(language);
    if (state.fault === "down") return response.writeHead(503).end();
    if (!bytes) return response.writeHead(404).end();
    if (request.url?.endsWith("/1.0.0")) {
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      return response.end(JSON.stringify({ name: `@tesseract.js-data/${language}`, dist: { integrity } }));
    }
    if (request.url !== `/@tesseract.js-data/${language}/-/${language}-1.0.0.tgz`) return response.writeHead(404).end();
    const sent =
      state.fault === "altered" ? Uint8Array.from(bytes, (byte, at) => (at === 2_000 ? ~byte : byte)) : bytes;
    response.writeHead(200, { "content-length": sent.length });
    if (state.fault !== "cut") return response.end(sent);
    return response.write(sent.subarray(0, 10_000), () => response.destroy());
  });
  return {
    ...server,
    packages,
    get fault() {
      return state.fault;
    },
    set fault(fault) {
      state.fault = fault;
    },
  };
}

/** An archive like that of `npm pack`, with data for a language. */
export function packageOf(language: string, data: Uint8Array): Promise<Uint8Array> {
  return createTarGzip([
    { name: "package/package.json", data: JSON.stringify({ name: `@tesseract.js-data/${language}` }) },
    { name: `package/4.0.0_best_int/${language}.traineddata.gz`, data },
  ]);
}
