import { isUtf8 } from "node:buffer";
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from "./about.js";

// The protocol library takes longer to load than everything else at startup. So a connection's opening request, whose answer
// depends on nothing else, is answered from here. The library also gets the request, and its own answer, which must be the same,
// is dropped. Anything even slightly unusual is left to the library.

/** Revisions that begin with `initialize`, newest first. */
const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
/** Revisions in which every request is independent. */
export const MODERN_VERSIONS = ["2026-07-28"];

/** Revisions that Streamable HTTP supports, newest first. */
export const HTTP_VERSIONS = [...MODERN_VERSIONS, ...LEGACY_VERSIONS.filter((version) => version >= "2025-03-26")];

const META = "io.modelcontextprotocol";
const LONGEST_REQUEST = 64 * 1024;

export type RequestId = string | number;

export interface HandshakeAnswer {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** The answer to a plain `initialize` or `server/discover` request; null for everything else. */
export function answerHandshake(line: Buffer, version: string): HandshakeAnswer | null {
  const request = readRequest(line);
  if (!request) return null;
  const { id, method, params } = request;
  const result = method === "initialize" ? initialize(params, version) : discover(method, params, version);
  return result && { jsonrpc: "2.0", id, result };
}

function initialize(params: Fields, version: string): Fields | null {
  if (!hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"])) return null;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isCapabilities(capabilities) || !isImplementation(clientInfo))
    return null;
  return {
    protocolVersion: LEGACY_VERSIONS.includes(protocolVersion) ? protocolVersion : LEGACY_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: describeServer(version),
    instructions: INSTRUCTIONS,
  };
}

function discover(method: unknown, params: Fields, version: string): Fields | null {
  const meta = params["_meta"];
  if (method !== "server/discover" || !hasOnly(params, ["_meta"]) || !isFields(meta)) return null;
  const names = [`${META}/protocolVersion`, `${META}/clientCapabilities`, `${META}/clientInfo`] as const;
  const [revision, capabilities, clientInfo] = names.map((name) => meta[name]);
  if (!hasOnly(meta, names) || !MODERN_VERSIONS.includes(String(revision)) || typeof revision !== "string") return null;
  if (!isCapabilities(capabilities) || !isImplementation(clientInfo)) return null;
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    resultType: "complete",
    ...CACHE_HINTS["server/discover"],
    _meta: { [`${META}/serverInfo`]: describeServer(version) },
  };
}

function readRequest(line: Buffer): { id: RequestId; method: unknown; params: Fields } | null {
  if (line.length > LONGEST_REQUEST || !isUtf8(line)) return null;
  let message: unknown;
  try {
    message = JSON.parse(line.toString("utf8"));
  } catch {
    // Whoever reads the line next reports what is wrong with it.
    return null;
  }
  if (!isFields(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return null;
  const { jsonrpc, id, method, params } = message;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  if (jsonrpc !== "2.0" || !isId || !isFields(params)) return null;
  return { id: id as RequestId, method, params };
}

/** Each field of a capability has its own type; these are the ones that clients are known to send. */
function isCapabilities(value: unknown): boolean {
  if (!isFields(value) || !hasOnly(value, ["roots", "sampling", "elicitation", "experimental", "extensions"]))
    return false;
  const { roots, sampling, elicitation, experimental, extensions } = value;
  const isRoots = roots === undefined || (isFields(roots) && hasOnly(roots, ["listChanged"]) && isFlag(roots));
  return isRoots && [sampling, elicitation].every(isShallow) && [experimental, extensions].every(holdsFieldsOnly);
}

function isFlag({ listChanged }: Fields): boolean {
  return listChanged === undefined || typeof listChanged === "boolean";
}

/** Such as `{"form": {}, "url": {}}`. */
function isShallow(value: unknown): boolean {
  if (value === undefined) return true;
  return isFields(value) && Object.values(value).every((part) => isFields(part) && hasOnly(part, []));
}

function holdsFieldsOnly(value: unknown): boolean {
  return value === undefined || (isFields(value) && Object.values(value).every(isFields));
}

function isImplementation(value: unknown): boolean {
  if (!isFields(value) || typeof value["name"] !== "string" || typeof value["version"] !== "string") return false;
  if (!hasOnly(value, ["name", "version", "title", "websiteUrl", "description"])) return false;
  return Object.values(value).every((part) => typeof part === "string");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: Fields, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
