import { memoryOf, startChild } from "./children.mjs";

/** A stdio MCP server and the simplest possible client, the same for every server that is measured. */
export class McpLineClient {
  #child;
  #pending = new Map();
  #nextId = 1;
  #buffer = "";

  constructor(command, args, env) {
    this.#child = startChild(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdout.setEncoding("utf8");
    this.#child.stdout.on("data", (text) => this.#read(text));
  }

  get pid() {
    return this.#child.pid;
  }

  /** The handshake of the revisions that begin with `initialize`. */
  async initialize() {
    const answer = await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    });
    this.#send({ method: "notifications/initialized" });
    return answer;
  }

  async call(name, args) {
    const result = await this.request("tools/call", { name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result;
  }

  request(method, params) {
    const id = this.#nextId++;
    const answer = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#send({ id, method, params });
    return answer;
  }

  /** Resident memory in MB, as reported by the system. */
  residentMegabytes() {
    return memoryOf(this.pid).resident;
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(timer);
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #read(text) {
    this.#buffer += text;
    for (let end = this.#buffer.indexOf("\n"); end >= 0; end = this.#buffer.indexOf("\n")) {
      const message = JSON.parse(this.#buffer.slice(0, end));
      this.#buffer = this.#buffer.slice(end + 1);
      const waiting = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error) waiting?.reject(new Error(JSON.stringify(message.error)));
      else waiting?.resolve(message.result);
    }
  }
}
