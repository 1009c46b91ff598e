import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import type { Connector, SourceAccess } from "../../src/core/ports.js";

export interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A made-up provider with OAuth sign-in, whose refresh tokens work once. */
export interface SignedInSource {
  readonly url: string;
  readonly connector: Connector;
  /** Requests to its token endpoint, in order. */
  readonly asked: URLSearchParams[];
  /** Whether the code was approved on another device. */
  readonly device: { isApproved: boolean };
  /** Revokes all access tokens issued so far; refresh tokens stay valid. */
  revoke(): void;
  /** Also accepts this token. */
  allow(token: string): void;
  /** Refuses every request with any token. */
  refuseAll(isRefusing: boolean, status?: number): void;
  /** Returned in place of the next tokens. */
  answerNext(answer: TokenAnswer): void;
  /** Delays all refreshes, as if it were slow, until the returned function is called. */
  holdRefreshes(): () => void;
  close(): Promise<void>;
}

/** Lifetime of an access token in seconds. */
const LIFE = 3_600;

export async function startSignedInSource(): Promise<SignedInSource> {
  const asked: URLSearchParams[] = [];
  const answers: TokenAnswer[] = [];
  const access = new Set<string>();
  const refresh = new Set<string>();
  const device = { isApproved: false };
  let made = 0;
  let isRefusing = false;
  let refusal = 401;
  let gate: Promise<void> = Promise.resolve();

  function giveTokens(form: URLSearchParams): TokenAnswer {
    const planned = answers.shift();
    if (planned) return planned;
    const sent = form.get("refresh_token");
    const isGood =
      form.get("grant_type") === "authorization_code"
        ? form.get("code")?.startsWith("good") === true
        : sent === null
          ? device.isApproved
          : refresh.delete(sent);
    if (!isGood && sent === null && form.has("device_code"))
      return { status: 400, body: { error: "authorization_pending" } };
    if (!isGood) return { status: 400, body: { error: "invalid_grant" } };
    made += 1;
    access.add(`access-${made}`);
    refresh.add(`refresh-${made}`);
    return {
      status: 200,
      body: { access_token: `access-${made}`, refresh_token: `refresh-${made}`, expires_in: LIFE },
    };
  }

  const server = createServer((request, response) => {
    const send = ({ status, body, headers = {} }: TokenAnswer) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
    const answer = async (): Promise<void> => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const form = new URLSearchParams(Buffer.concat(pieces).toString("utf8"));
      if (request.url === "/token") {
        asked.push(form);
        if (form.get("grant_type") === "refresh_token") await gate;
        return send(giveTokens(form));
      }
      if (request.url === "/device")
        return send({
          status: 200,
          body: {
            device_code: "device",
            user_code: "WXYZ",
            verification_uri: "http://d",
            expires_in: 600,
            interval: 1,
          },
        });
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      if (isRefusing) return send({ status: refusal, body: {} });
      if (!access.has(token)) return send({ status: 401, body: {} });
      send({ status: 200, body: { token } });
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    connector: connectorOf(url),
    asked,
    device,
    revoke: () => access.clear(),
    allow: (token) => void access.add(token),
    refuseAll: (is, status = 401) => void ([isRefusing, refusal] = [is, status]),
    answerNext: (answer) => void answers.push(answer),
    holdRefreshes() {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = () => {
          gate = Promise.resolve();
          resolve();
        };
      });
      return () => release();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Imports nothing; its list of resources is the token that was used. */
function connectorOf(url: string): Connector {
  const tokenOf = async (source: SourceAccess): Promise<string> => {
    const { bytes } = await source.request({ url: `${url}/me` });
    return z.object({ token: z.string() }).parse(JSON.parse(Buffer.from(bytes).toString("utf8"))).token;
  };
  return {
    provider: "github",
    title: "Example",
    signIn: {
      kind: "oauth",
      authorizeUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      deviceUrl: `${url}/device`,
      scopes: [],
      parameters: {},
      clientAuthentication: "body",
      application: "github",
    },
    fields: z.object({ folder: z.string().optional() }),
    secretFields: [],
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 2 },
    async check(source) {
      await tokenOf(source);
      return { account: "someone@example.com" };
    },
    async listResources(source) {
      const token = await tokenOf(source);
      return { resources: [{ id: token, name: token }] };
    },
    async *changes(source) {
      await tokenOf(source);
      yield { kind: "listing", isFirst: true, isLast: true, items: [], checkpoint: null };
    },
    read: () => Promise.reject(new Error("There is nothing to read.")),
  };
}
