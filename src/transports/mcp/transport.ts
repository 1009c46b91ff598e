import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { JsonLimitError, parseLimitedJson } from "../../lib/limited-json.js";
import type { LeveledLog } from "../../lib/log.js";
import { MODERN_VERSIONS, type RequestId } from "./handshake.js";
import type { Opening } from "./opening.js";

/** The id of a request whose line was too long to read, as both generations of the official client write it. */
const ID_AT_START = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{0,100}"),/;
const ID_AT_END = /,"id":(\d{1,15}|"[^"\\]{0,100}")\}\s*$/;

/** The connection as the protocol library sees it. */
export interface StdioTransport extends Transport {
  /** Resolves when every request that arrived has been answered. */
  settled(): Promise<void>;
  /** Resolves when the first answer to `method` is out. */
  firstAnswer(method: string): Promise<void>;
}

/** Reads and writes protocol messages over an opened connection; what is not a message gets an error. */
export function createStdioTransport(opening: Opening, log: LeveledLog): StdioTransport {
  return new OpenedTransport(opening, log);
}

class OpenedTransport implements StdioTransport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: NonNullable<Transport["onclose"]>;
  onerror?: NonNullable<Transport["onerror"]>;
  readonly #opening: Opening;
  readonly #log: LeveledLog;
  readonly #isRepeated: (message: JSONRPCMessage) => boolean;
  /** Unanswered requests, by id, with their method. */
  readonly #pending = new Map<RequestId, string>();
  readonly #answeredMethods = new Set<string>();
  /** Each checks whether what it waits for has happened. */
  readonly #waiting = new Set<() => void>();

  constructor(opening: Opening, log: LeveledLog) {
    this.#opening = opening;
    this.#log = log;
    this.#isRepeated = createEcho(opening, log);
  }

  async start(): Promise<void> {
    this.#opening.read({
      onLine: (line) => this.#receive(line),
      onTooLong: (beginning, ending) =>
        this.#refuse(idOf(beginning, ending), INVALID_REQUEST, "The message is too long."),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isRepeated(message)) await this.#opening.write(`${JSON.stringify(message)}\n`);
    if (!("id" in message) || message.id === undefined || "method" in message) return;
    const method = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (method !== undefined) this.#answeredMethods.add(method);
    this.#tellWaiting();
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  settled(): Promise<void> {
    return this.#until(() => this.#pending.size === 0);
  }

  firstAnswer(method: string): Promise<void> {
    return this.#until(() => this.#answeredMethods.has(method));
  }

  #receive(line: Buffer): void {
    const read = readMessage(line);
    if (read === null) return;
    if ("problem" in read) return this.#refuse(read.id, read.code, read.problem);
    const { message } = read;
    const foreign = foreignRevision(message);
    if (foreign) return void this.#opening.write(`${JSON.stringify(foreign)}\n`);
    this.#notePending(message);
    this.onmessage?.(message);
  }

  #notePending(message: JSONRPCMessage): void {
    // A subscription is answered when it ends, so nothing waits for it.
    if (isJSONRPCRequest(message) && message.method !== "subscriptions/listen")
      this.#pending.set(message.id, message.method);
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      this.#pending.delete(message.params?.["requestId"] as RequestId);
      this.#tellWaiting();
    }
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#log.warn("a line on standard input is not a message", { reason: message });
    void this.#opening.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }

  #tellWaiting(): void {
    for (const check of this.#waiting) check();
  }

  #until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isTrue()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** Recognises the library's answer to the request that was answered before the library was loaded; it must not go out twice. */
function createEcho({ answered }: Opening, log: LeveledLog): (message: JSONRPCMessage) => boolean {
  let expected = answered;
  return (message) => {
    if (!expected || "method" in message || message.id !== expected.id) return false;
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(message)), JSON.parse(JSON.stringify(expected))))
      log.error("the handshake was answered differently from the library", { answer: message });
    expected = undefined;
    return true;
  };
}

/**
 * Refuses a request in an unknown revision. The library checks only a connection's first request; in the later era each is
 * independent.
 */
function foreignRevision(message: JSONRPCMessage): JSONRPCErrorResponse | null {
  if (!isJSONRPCRequest(message) || message.method === "initialize") return null;
  const requested = message.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (typeof requested !== "string" || MODERN_VERSIONS.includes(requested)) return null;
  const refusal = new UnsupportedProtocolVersionError({ supported: [...MODERN_VERSIONS], requested });
  const error = { code: refusal.code, message: refusal.message, data: refusal.data };
  return { jsonrpc: "2.0", id: message.id, error };
}

type Reading = { message: JSONRPCMessage } | { problem: string; code: number; id: RequestId | null } | null;

function readMessage(line: Buffer): Reading {
  const text = line.toString("utf8").trim();
  if (text === "") return null;
  let value: unknown;
  try {
    value = parseLimitedJson(text);
  } catch (error) {
    if (error instanceof JsonLimitError)
      return {
        problem: `The line cannot be read: ${error.message}.`,
        code: INVALID_REQUEST,
        id: idOf(line.subarray(0, 200), line.subarray(-200)),
      };
    return { problem: `The line is not JSON: ${String(error)}`, code: PARSE_ERROR, id: null };
  }
  if (!isUtf8(line)) return { problem: "The line is not valid UTF-8.", code: PARSE_ERROR, id: requestId(value) };
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    // The library's reason lists every form of message that it is not, which helps nobody.
    const problem = "This is not a JSON-RPC 2.0 request, notification or response.";
    return { problem, code: INVALID_REQUEST, id: requestId(value) };
  }
}

function requestId(value: unknown): RequestId | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  const { id } = value;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function idOf(beginning: Buffer, ending: Buffer): RequestId | null {
  const found = ID_AT_START.exec(beginning.toString("utf8")) ?? ID_AT_END.exec(ending.toString("utf8"));
  return found?.[1] === undefined ? null : requestId({ id: JSON.parse(found[1]) as unknown });
}
