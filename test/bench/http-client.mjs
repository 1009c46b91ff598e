import http from "node:http";

/** Calls a service over persistent connections, as agents' clients do. */
export class HttpClient {
  #agent;
  #url;
  #headers;

  constructor(url, { headers = {}, connections = 64 } = {}) {
    this.#url = new URL(url);
    this.#headers = headers;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /** The answer's body as JSON, and its headers. Throws for every status but 2xx. */
  post(path, body, headers = {}) {
    return this.#send({ method: "POST", path, headers }, JSON.stringify(body));
  }

  /** Like `post`. */
  get(path) {
    return this.#send({ method: "GET", path, headers: {} }, "");
  }

  close() {
    this.#agent.destroy();
  }

  #send({ method, path, headers }, payload) {
    const { hostname, port } = this.#url;
    const body =
      payload === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
    const options = {
      hostname,
      port,
      path,
      method,
      headers: { ...this.#headers, ...headers, ...body },
      agent: this.#agent,
    };
    return new Promise((resolve, reject) => {
      const request = http.request(options, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          const { statusCode: status } = response;
          if (status >= 200 && status < 300) resolve({ body: JSON.parse(text), headers: response.headers });
          else reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`));
        });
      });
      request.once("error", reject);
      request.end(payload);
    });
  }
}
