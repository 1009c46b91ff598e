import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** An answer that is kept instead of sent. */
class KeptAnswer extends ServerResponse {
  readonly answered: Promise<Response>;
  #keep: (answer: Response) => void = () => {};

  constructor(incoming: IncomingMessage) {
    super(incoming);
    this.answered = new Promise((resolve) => {
      this.#keep = resolve;
    });
  }

  override end(chunk?: unknown): this {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders()))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
    // The server counts itself, and answers without a body have no length.
    headers.delete("content-length");
    const body = typeof chunk === "string" || chunk instanceof Uint8Array ? chunk : null;
    const hasBody = body !== null && body.length > 0;
    this.#keep(new Response(hasBody ? Buffer.from(body) : null, { status: this.statusCode, headers }));
    return this;
  }
}

export interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: KeptAnswer;
}

/**
 * A request as programs for Node take it, and a place for their answer.
 * @param body the whole of it; empty for none
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
