import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { environmentFor, PROGRAM } from "./recollect-process.js";

export interface Answer {
  readonly jsonrpc: string;
  readonly id?: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds since its input was closed or it was asked to stop. */
  readonly after: number;
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "lines", version: "1.0.0" },
};

/** `recollect mcp`, accessed directly by the lines of the protocol. */
export class McpLines {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Its whole standard output. */
  output = "";
  errors = "";
  #since = 0;
  readonly #ended: Promise<Ended>;
  readonly #waiting = new Set<() => void>();

  constructor(dataDirectory: string, settings: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [PROGRAM, "mcp"], {
      env: environmentFor(dataDirectory, settings),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdin.on("error", () => undefined);
    this.child.stdout.on("data", (data: Buffer) => {
      this.output += data.toString();
      for (const check of this.#waiting) check();
    });
    this.child.stderr.on("data", (data: Buffer) => (this.errors += data.toString()));
    this.#ended = new Promise((resolve) =>
      this.child.once("close", (code, signal) => {
        resolve({ code, signal, after: performance.now() - this.#since });
        for (const check of this.#waiting) check();
      }),
    );
  }

  send(...messages: readonly (object | string | Buffer)[]): void {
    const lines = messages.map((message) =>
      Buffer.isBuffer(message)
        ? message
        : Buffer.from(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })),
    );
    this.child.stdin.write(Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")])));
  }

  /** Complete lines of standard output; fails if one is not JSON. */
  answers(): Answer[] {
    return this.output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer);
  }

  /** The response with this id, once it arrives. */
  async answer(id: string | number | null): Promise<Answer> {
    const find = (): Answer | undefined => this.answers().find((answer) => answer.id === id);
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null;
        if (find() === undefined && !hasEnded) return;
        this.#waiting.delete(check);
        if (find()) resolve();
        else reject(new Error(`It ended without an answer to ${id}: ${this.errors}`));
      };
      this.#waiting.add(check);
      check();
    });
    return find() as Answer;
  }

  async request(id: number, method: string, params: object): Promise<Answer> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async call(id: number, name: string, args: object): Promise<Answer> {
    return this.request(id, "tools/call", { name, arguments: args });
  }

  async initialize(): Promise<Answer> {
    const answer = await this.request(0, "initialize", INITIALIZE);
    this.send({ method: "notifications/initialized" });
    return answer;
  }

  /** Waits until it ends by itself. */
  ended(): Promise<Ended> {
    this.#since = performance.now();
    return this.#ended;
  }

  /** Closes its input. */
  end(): Promise<Ended> {
    this.#since = performance.now();
    this.child.stdin.end();
    return this.#ended;
  }

  stop(signal: NodeJS.Signals): Promise<Ended> {
    this.#since = performance.now();
    this.child.kill(signal);
    return this.#ended;
  }

  /** Closes the reading end of its output. */
  deafen(): Promise<Ended> {
    this.#since = performance.now();
    this.child.stdout.destroy();
    return this.#ended;
  }
}
