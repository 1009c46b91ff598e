import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request as requestOverHttp } from "node:http";
import { request as requestOverTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findProgram, freePort, type Proxy, startForwarder, startNginx, startProxy } from "../support/proxies.js";
import { runProgram, type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";
import { makeSelfSigned } from "../support/self-signed.js";

/** A busy machine takes longer to start a process. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Asked {
  readonly port: number;
  readonly host?: string;
  readonly path?: string;
  /** POST with this body, or GET if it is null. */
  readonly body?: object | null;
  readonly headers?: Record<string, string>;
  readonly isTls?: boolean;
  /** The address that the request comes from. */
  readonly from?: string;
}

/** A request as another machine sends it to a proxy. */
function ask({ port, host = `memory.example:${port}`, path = "/v4/search", body = { q: "boat" }, ...more }: Asked) {
  const text = body === null ? "" : JSON.stringify(body);
  return new Promise<Answer>((resolve, reject) => {
    const send = more.isTls ? requestOverTls : requestOverHttp;
    const request = send(
      {
        host: "127.0.0.1",
        port,
        path,
        localAddress: more.from ?? "127.0.0.1",
        method: body === null ? "GET" : "POST",
        headers: {
          host,
          ...(body !== null && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
          ...more.headers,
        },
        ...(more.isTls && { servername: "memory.example", rejectUnauthorized: false }),
      },
      (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (data: string) => (answer += data));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: answer }));
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}

/** The addresses of this service that occur in a text. */
function addressesIn(text: string): string[] {
  return [...new Set(text.match(/https?:\/\/(memory\.example|127\.0\.0\.1|localhost)(:\d+)?/g))];
}

/** A folder with one memory and a key; every service gets a copy. */
let original: string;
let secret: string;
beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), "recollect-original-"));
  const added = await runProgram(original, ["add", "The boat is called Zephyrine."]);
  expect(added.code, added.stderr).toBe(0);
  const made = await runProgram(original, ["keys", "create", "--json"]);
  ({ secret } = JSON.parse(made.stdout) as { secret: string });
});
afterAll(() => rm(original, { recursive: true, force: true }));

type Service = ServeProcess & { readonly port: number; readonly dataDirectory: string };

/** A service with that memory, for the duration of the work. */
async function withService<T>(settings: Record<string, string>, work: (service: Service) => Promise<T>): Promise<T> {
  return withDataDirectory(async (dataDirectory) => {
    const service = await startCopy(dataDirectory, settings);
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  });
}

async function startCopy(dataDirectory: string, settings: Record<string, string>): Promise<Service> {
  await cp(original, dataDirectory, { recursive: true });
  const service = await startServe(dataDirectory, settings);
  return { ...service, port: Number(new URL(service.url).port), dataDirectory };
}

/** The same for all tests of a group. */
function useService(settings: Record<string, string>): () => Service {
  let dataDirectory = "";
  let service: Service;
  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-e2e-"));
    service = await startCopy(dataDirectory, settings);
  });
  afterAll(async () => {
    await service.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  return () => service;
}

const nginx = findProgram("nginx");
const haproxy = findProgram("haproxy");
const caddy = findProgram("caddy");

/** Each proxy in front of the service, with the minimal configuration from its manual. */
const PROXIES: readonly (readonly [
  name: string,
  program: string | undefined,
  start: (target: number) => Promise<Proxy>,
])[] = [
  [
    "nginx",
    nginx,
    (target) =>
      startNginx(
        nginx ?? "",
        ({ port }) => `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${target}; } }`,
      ),
  ],
  [
    "HAProxy",
    haproxy,
    (target) =>
      startProxy(haproxy ?? "", {
        file: "haproxy.cfg",
        args: (path) => ["-db", "-f", path],
        configuration: ({ port }) =>
          `defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\nlisten all\n  bind 127.0.0.1:${port}\n  server one 127.0.0.1:${target}\n`,
      }),
  ],
  [
    "Caddy",
    caddy,
    (target) =>
      startProxy(caddy ?? "", {
        file: "Caddyfile",
        args: (path) => ["run", "--adapter", "caddyfile", "--config", path],
        configuration: ({ port }) =>
          `{\n  admin off\n  auto_https off\n}\nhttp://:${port} {\n  reverse_proxy 127.0.0.1:${target}\n}\n`,
      }),
  ],
  ["a forwarder of connections", "built in", startForwarder],
];

describe("behind a proxy that the service was not told about", () => {
  const service = useService({});

  for (const [name, program, start] of PROXIES)
    test.skipIf(program === undefined)(
      `${name} opens nothing without a key${program === undefined ? " (not installed here)" : ""}`,
      async () => {
        const proxy = await start(service().port);
        try {
          for (const headers of [{}, { authorization: "Bearer local" }, { "x-api-key": "local" }]) {
            const found = await ask({ port: proxy.port, headers });
            expect([found.status, found.body.includes("Zephyrine")], found.body).toEqual([401, false]);
            const made = await ask({
              port: proxy.port,
              headers,
              path: "/v3/auth/scoped-key",
              body: { containerTag: "x" },
            });
            expect(made.status, made.body).toBe(401);
          }
        } finally {
          await proxy.close();
        }
      },
    );
});

test("through a forwarder that keeps the local host name, as ssh -L on the same port does, nobody can administer", async () => {
  await withService({}, async ({ port }) => {
    const forwarder = await startForwarder(port);
    try {
      const host = `127.0.0.1:${port}`;
      const asked = { port: forwarder.port, host };
      expect((await ask(asked)).status).toBe(200);
      for (const [path, body] of [
        ["/v3/auth/scoped-key", { containerTag: "x" }],
        ["/v3/purge", { containerTag: "sm_project_default", confirm: true }],
        ["/v3/settings/reset", { confirmation: "RESET" }],
      ] as const)
        expect([path, (await ask({ ...asked, path, body })).status]).toEqual([path, 403]);
    } finally {
      await forwarder.close();
    }
  });
});

test("with keyless access off, every caller needs a key, and doctor and status say so", async () => {
  await withService({ RECOLLECT_KEYLESS: "off" }, async ({ port, dataDirectory }) => {
    expect((await ask({ port, host: `127.0.0.1:${port}` })).status).toBe(401);
    for (const command of ["status", "doctor"]) {
      const said = await runProgram(dataDirectory, [command], { RECOLLECT_KEYLESS: "off" });
      expect(said.stdout).toContain("RECOLLECT_KEYLESS is off");
    }
    const found = await ask({ port, host: `127.0.0.1:${port}`, headers: { authorization: `Bearer ${secret}` } });
    expect([found.status, found.body.includes("Zephyrine")]).toEqual([200, true]);
  });
});

describe("with the configuration of docs/operation.md", () => {
  let page: string;
  let certificate: ReturnType<typeof makeSelfSigned>;
  beforeAll(async () => {
    page = await readFile(new URL("../../docs/operation.md", import.meta.url), "utf8");
    certificate = makeSelfSigned();
  });

  const blockOf = (language: string): string => {
    const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
    if (found === undefined) throw new Error(`docs/operation.md has no ${language} block`);
    return found;
  };
  const service = useService({
    RECOLLECT_PUBLIC_URL: "https://memory.example",
    RECOLLECT_TRUSTED_PROXIES: "127.0.0.1",
  });

  /** Only ports and paths differ from the page. */
  const startNginxOfPage = async (target: number): Promise<Proxy> =>
    startNginx(nginx ?? "", ({ port }) =>
      blockOf("nginx")
        .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
        .replaceAll("/etc/ssl/", `${certificates}/`)
        .replace("127.0.0.1:6767", `127.0.0.1:${target}`),
    );
  const startCaddy = async (target: number): Promise<Proxy> => {
    const plain = await freePort();
    return startProxy(caddy ?? "", {
      file: "Caddyfile",
      args: (path) => ["run", "--adapter", "caddyfile", "--config", path],
      configuration: ({ port }) =>
        `{\n  admin off\n  local_certs\n  skip_install_trust\n  http_port ${plain}\n  https_port ${port}\n}\n${blockOf("caddy").replace("127.0.0.1:6767", `127.0.0.1:${target}`)}`,
    });
  };
  let certificates = "";

  for (const [name, program, start, from] of [
    ["nginx", nginx, startNginxOfPage, "127.0.0.9"],
    ["Caddy", caddy, startCaddy, "127.0.0.8"],
  ] as const)
    test.skipIf(program === undefined)(
      `${name} admits only callers with a key, and passes on their address${program === undefined ? " (not installed here)" : ""}`,
      async () => {
        const { port, dataDirectory } = service();
        certificates = dataDirectory;
        await writeFile(join(dataDirectory, "memory.example.crt"), certificate.certificate);
        await writeFile(join(dataDirectory, "memory.example.key"), certificate.key);
        const proxy = await start(port);
        try {
          const asked = { port: proxy.port, host: "memory.example", isTls: true, from };
          // A proxy that has just started may still be creating its certificate.
          const first = await waitFor(() => ask(asked).catch(() => null), `an answer of ${name}`);
          expect(first.status).toBe(401);
          const found = await ask({ ...asked, headers: { authorization: `Bearer ${secret}` } });
          expect([found.status, found.body.includes("Zephyrine")], found.body).toEqual([200, true]);
          for (const path of ["/", "/v3/openapi", "/reference"]) {
            const { body } = await ask({ ...asked, path, body: null });
            expect([path, addressesIn(body)]).toEqual([path, ["https://memory.example"]]);
          }
          // Only the proxy is believed about the caller's address, not the headers that the caller sent.
          for (let count = 0; count < 11; count++)
            await ask({
              ...asked,
              path: "/v3/documents",
              headers: { authorization: "Bearer sm_wrong", "x-forwarded-for": "203.0.113.7" },
            });
          const audit = await runProgram(dataDirectory, ["audit", "--refused", "--json"]);
          expect(audit.stdout).not.toContain("203.0.113.7");
          expect(audit.stdout).toContain(from);
        } finally {
          await proxy.close();
        }
      },
    );
});

test("every link uses the public address, even that of a login whose shell does not know it", async () => {
  await withService({ RECOLLECT_PUBLIC_URL: "https://memory.example" }, async ({ port, dataDirectory }) => {
    const sent = await postFile(`http://127.0.0.1:${port}`, secret);
    const headers = { authorization: `Bearer ${secret}`, "x-forwarded-proto": "https" };
    for (const path of [`/v3/documents/${sent.id}`, `/v3/documents/${sent.id}/file-url`]) {
      const { body } = await ask({ port, host: "memory.example", path, headers, body: null });
      expect((JSON.parse(body) as { url: string }).url).toMatch(/^https:\/\/memory\.example\/files\//);
    }
    const login = await runProgram(dataDirectory, ["login"]);
    expect(login.stdout).toMatch(/^https:\/\/memory\.example\/auth\/sign-in\?code=/);
  });
});

async function postFile(url: string, secret: string): Promise<{ id: string }> {
  const form = new FormData();
  form.set("file", new File(["The boat is blue."], "boat.txt", { type: "text/plain" }));
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetch(`${url}/v3/documents/file`, { method: "POST", headers, body: form });
  return (await answer.json()) as { id: string };
}
