import { connect } from "node:net";

/**
 * Sends bytes over a separate connection and returns everything received until the server ends it.
 * @param options.ends whether to end our side after the bytes, like a client that disconnects in the middle
 */
export function sendRaw(port: number, text: string, options: { ends?: boolean } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (received += chunk));
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
    socket.write(text);
    if (options.ends) socket.end();
  });
}

/** Status and JSON body of a raw response. */
export function parseRaw(answer: string): { status: number; body: Record<string, unknown> } {
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  return { status: Number(head.split(" ")[1]), body: JSON.parse(body) as Record<string, unknown> };
}
