import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** A server over HTTP, each of whose sessions is a process that speaks MCP over standard input and output. */
export interface StdioBridge {
  readonly url: string;
  /** Whatever processes wrote on standard output that is no message. */
  readonly strayLines: readonly string[];
  /** Ends all processes by the end of their input; resolves when they have ended. */
  close(): Promise<void>;
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
}

/** A process, and the answers that are waiting for it. */
interface Session {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly streams: Map<string | number, ServerResponse>;
  readonly ended: Promise<void>;
}

/** So many processes are started before somebody asks for them. */
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
    const ended = new Promise<void>((done) => child.once("close", () => done()));
    const session = { child, streams: new Map<string | number, ServerResponse>(), ended };
    all.push(session);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = readMessage(line);
      if (message) passOn(session, message, line);
      else strayLines.push(line);
    });
    return session;
  }

  const spare = Array.from({ length: SPARE }, start);
  function take(): Session | undefined {
    spare.push(start());
    return spare.shift();
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method === "GET") return void outgoing.writeHead(405).end();
    const body = await text(incoming);
    const named = incoming.headers["mcp-session-id"];
    const id = typeof named === "string" ? named : randomUUID();
    const session = sessions.get(id) ?? (named === undefined ? take() : undefined);
    if (!session) return void outgoing.writeHead(404).end();
    sessions.set(id, session);
    if (incoming.method === "DELETE") {
      session.child.stdin.end();
      sessions.delete(id);
      return void outgoing.writeHead(200).end();
    }
    const message = JSON.parse(body) as Message;
    session.child.stdin.write(`${JSON.stringify(message)}\n`);
    outgoing.setHeader("mcp-session-id", id);
    if (message.method === undefined || message.id === undefined) return void outgoing.writeHead(202).end();
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    session.streams.set(message.id, outgoing);
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

function readMessage(line: string): Message | null {
  try {
    const message = JSON.parse(line) as Message;
    return message.jsonrpc === "2.0" ? message : null;
  } catch {
    return null;
  }
}

/** An answer ends the stream of its question; all else belongs to the question that was asked last. */
function passOn({ streams }: Session, { id, method }: Message, line: string): void {
  const isAnswer = method === undefined && id !== undefined;
  const stream = isAnswer ? streams.get(id) : [...streams.values()].at(-1);
  stream?.write(`event: message\ndata: ${line}\n\n`);
  if (!isAnswer) return;
  stream?.end();
  streams.delete(id);
}
