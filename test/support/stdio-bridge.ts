import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** A server over HTTP, each of whose sessions is a process with MCP over stdio. */
export interface StdioBridge {
  readonly url: string;
  /** Standard output of the processes other than messages. */
  readonly strayLines: readonly string[];
  /** Ends all processes by closing their input; resolves when they have ended. */
  close(): Promise<void>;
}

type Id = string | number;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
}

/** A process, and the open response streams waiting for it. */
interface Session {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly streams: Map<Id, ServerResponse>;
  readonly ended: Promise<void>;
}

/** The era without sessions: all its requests go to one process. */
const LATER = "2026-07-28";
const SHARED = "shared";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** A connection keeps the era of its first request other than a probe; the response to this one is not awaited. */
const OPENING = {
  jsonrpc: "2.0",
  id: "opening",
  method: "tools/list",
  params: { _meta: { [VERSION]: LATER, "io.modelcontextprotocol/clientCapabilities": {} } },
};

/** Number of processes started in advance. */
const SPARE = 2;

/**
 * @param command starts a process that serves one connection
 * @param environment of the processes
 */
export async function startStdioBridge(
  command: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
): Promise<StdioBridge> {
  const strayLines: string[] = [];
  const sessions = new Map<string, Session>();
  const all: Session[] = [];

  function start(): Session {
    const [program, ...args] = command;
    const child = spawn(program, args, { env: environment, stdio: ["pipe", "pipe", "ignore"] });
    child.stdin.on("error", () => undefined);
    const ended = new Promise<void>((done) => child.once("close", () => done()));
    const session = { child, streams: new Map<Id, ServerResponse>(), ended };
    all.push(session);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = readMessage(line);
      if (message) passOn(session, message, line);
      else strayLines.push(line);
    });
    return session;
  }

  const spare = Array.from({ length: SPARE }, start);
  function open(id: string): Session {
    spare.push(start());
    const session = spare.shift() ?? start();
    if (id === SHARED) write(session, OPENING);
    sessions.set(id, session);
    return session;
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method === "GET") return void outgoing.writeHead(405).end();
    const body = await text(incoming);
    const message = body === "" ? {} : (JSON.parse(body) as Message);
    const { "mcp-session-id": named, "mcp-protocol-version": version } = incoming.headers;
    const isLater = version === LATER || message.params?._meta?.[VERSION] !== undefined;
    const id = isLater ? SHARED : typeof named === "string" ? named : randomUUID();
    const session = sessions.get(id) ?? (isLater || named === undefined ? open(id) : undefined);
    if (!session) return void outgoing.writeHead(404).end();
    if (!isLater) outgoing.setHeader("mcp-session-id", id);
    if (incoming.method !== "DELETE") return exchange(session, message, outgoing);
    session.child.stdin.end();
    sessions.delete(id);
    outgoing.writeHead(200).end();
  }

  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strayLines,
    async close() {
      for (const { child } of all) child.stdin.end();
      await Promise.all(all.map(({ ended }) => ended));
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function write({ child }: Session, message: Message | object): void {
  child.stdin.write(`${JSON.stringify(message)}\n`);
}

/** Sends a message, and keeps the stream of a request open until it is answered or no longer read. */
function exchange(session: Session, message: Message, outgoing: ServerResponse): void {
  const { id, method } = message;
  write(session, message);
  if (method === undefined || id === undefined) return void outgoing.writeHead(202).end();
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  session.streams.set(id, outgoing);
  outgoing.on("close", () => {
    if (session.streams.get(id) !== outgoing) return;
    session.streams.delete(id);
    write(session, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  });
}

function readMessage(line: string): Message | null {
  try {
    const message = JSON.parse(line) as Message;
    return message.jsonrpc === "2.0" ? message : null;
  } catch {
    return null;
  }
}

/** A response ends the stream of its request; everything else belongs to a subscription, or to the latest request. */
function passOn({ streams }: Session, { id, method, params }: Message, line: string): void {
  const isAnswer = method === undefined && id !== undefined;
  const to = isAnswer ? id : (params?._meta?.[SUBSCRIPTION] as Id | undefined);
  const stream = to === undefined ? [...streams.values()].at(-1) : streams.get(to);
  stream?.write(`event: message\ndata: ${line}\n\n`);
  if (!isAnswer) return;
  streams.delete(id);
  stream?.end();
}
