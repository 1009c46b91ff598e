import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { AppError } from "../../core/errors.js";

/** Longer than any answer that reads the store takes. */
const PATIENCE_MS = 30_000;

/** A response that is captured instead of sent. */
class KeptAnswer extends ServerResponse {
  readonly answered: Promise<Response>;
  readonly #written: Buffer[] = [];
  #keep: (answer: Response) => void = () => {};

  constructor(incoming: IncomingMessage) {
    super(incoming);
    this.answered = new Promise((resolve) => {
      this.#keep = resolve;
    });
  }

  /** Nothing else signals that there will be no answer: there is no connection behind it. */
  override destroy(error?: Error): this {
    super.destroy(error);
    this.emit("close");
    return this;
  }

  override write(chunk: unknown): boolean {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) this.#written.push(Buffer.from(chunk));
    return true;
  }

  override end(chunk?: unknown): this {
    this.write(chunk);
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders()))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
    // The server counts the length itself, and responses without a body have none.
    headers.delete("content-length");
    const body = Buffer.concat(this.#written);
    this.#keep(new Response(body.length > 0 ? body : null, { status: this.statusCode, headers }));
    return this;
  }
}

export interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: KeptAnswer;
}

/** A Node.js request handler, such as Koa's callback. */
type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/**
 * The handler's response. Fails when the handler fails, aborts the response, or never responds.
 * @throws whatever the handler throws; AppError `unavailable` when it gives no answer
 */
export async function answerOf(
  handler: NodeHandler,
  { incoming, outgoing }: NodeExchange,
  patienceMs = PATIENCE_MS,
): Promise<Response> {
  const answered = new AbortController();
  const failed = new Promise<never>((_resolve, reject) => {
    outgoing.once("close", () => reject(unanswered()));
    Promise.resolve()
      .then(() => handler(incoming, outgoing))
      .catch(reject);
    setTimeoutUntil(answered.signal, patienceMs, () => reject(unanswered()));
  });
  try {
    return await Promise.race([outgoing.answered, failed]);
  } finally {
    answered.abort();
  }
}

function setTimeoutUntil(signal: AbortSignal, ms: number, work: () => void): void {
  const timer = setTimeout(work, ms).unref();
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

function unanswered(): AppError {
  return new AppError("unavailable", "The sign-in did not respond. Try again.", { retryAfter: 1 });
}

/**
 * A request as Node.js handlers take it, and somewhere for their response.
 * @param body the whole body; empty for none
 */
export function toNode(request: Request, body: string): NodeExchange {
  const incoming = new IncomingMessage(new Socket());
  const { pathname, search } = new URL(request.url);
  incoming.method = request.method;
  incoming.url = pathname + search;
  for (const [name, value] of request.headers) incoming.headers[name] = value;
  delete incoming.headers["transfer-encoding"];
  delete incoming.headers["content-length"];
  if (body !== "") {
    incoming.headers["content-length"] = String(Buffer.byteLength(body));
    incoming.push(body, "utf8");
  }
  incoming.push(null);
  return { incoming, outgoing: new KeptAnswer(incoming) };
}
