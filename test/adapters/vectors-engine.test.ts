import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { copyFile, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  type TestContext,
} from "vitest";

import { ChromaServer } from "../../src/adapters/vectors/chroma-server.js";
import { createLocalChroma, type LocalChroma, type LocalChromaOptions } from "../../src/adapters/vectors/engine.js";
import { listensAt } from "../../src/adapters/vectors/engine-port.js";
import { findBinding } from "../../src/adapters/vectors/engine-binding.js";
import {
  ENGINES_DIRECTORY,
  eventually,
  isAlive,
  provideEngine,
  rememberingLog,
  temporaryDirectory,
} from "../support/chroma.js";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let log: ReturnType<typeof rememberingLog>;
let engines: LocalChroma[];

beforeAll(provideEngine, 300_000);

beforeEach(async () => {
  directory = await temporaryDirectory();
  log = rememberingLog();
  engines = [];
});

afterEach(async () => {
  for (const engine of engines) await engine.close();
  await directory.remove();
});

function start(options: Partial<LocalChromaOptions> = {}): LocalChroma {
  const engine = createLocalChroma({
    dataDirectory: directory.path,
    enginesDirectory: ENGINES_DIRECTORY,
    offline: true,
    log,
    ...options,
  });
  engines.push(engine);
  engine.start();
  return engine;
}

async function running(engine: LocalChroma): Promise<{ url: string; pid: number }> {
  const { url } = await eventually(() => engine.address());
  return { url, pid: engine.pid! };
}

async function collectionNames(url: string): Promise<string[]> {
  const server = new ChromaServer({ url }, { search: 5_000, write: 5_000 });
  await server.connect();
  return server.names("kept");
}

async function makeCollection(url: string): Promise<void> {
  const server = new ChromaServer({ url }, { search: 5_000, write: 5_000 });
  await server.connect();
  await server.open("kept");
}

describe("the local engine", () => {
  /** Shared by all tests that do not damage it. */
  let lasting: LocalChroma;
  let itsDirectory: Awaited<ReturnType<typeof temporaryDirectory>>;
  beforeAll(async () => {
    itsDirectory = await temporaryDirectory();
    lasting = createLocalChroma({
      dataDirectory: itsDirectory.path,
      enginesDirectory: ENGINES_DIRECTORY,
      offline: true,
      log: rememberingLog(),
    });
    lasting.start();
    expect(lasting.address()).toBeNull();
  });
  afterAll(async () => {
    await lasting.close();
    await itsDirectory.remove();
  });

  it("runs at a free port of the loopback interface, with its data inside the data directory", async () => {
    const { url, pid } = await running(lasting);
    expect(new URL(url).hostname).toBe("127.0.0.1");
    expect(isAlive(pid)).toBe(true);
    const folder = join(itsDirectory.path, "chroma");
    expect(await readdir(folder)).toContain("chroma.sqlite3");
    const note: unknown = JSON.parse(await readFile(join(folder, "recollect.json"), "utf8"));
    expect(note).toMatchObject({ engine: lasting.name.replace("local Chroma ", ""), pid });
  });

  it.runIf(process.platform === "linux")("is told apart from another program at its port (Linux only)", async () => {
    const { url, pid } = await running(lasting);
    const port = Number(new URL(url).port);
    expect(await listensAt(pid, port)).toBe(true);
    expect(await listensAt(process.pid, port)).toBe(false);
    const impostor = createServer((_request, response) => response.end('{"nanosecond heartbeat":1}'));
    await new Promise<void>((resolveListening) => impostor.listen(0, "127.0.0.1", resolveListening));
    onTestFinished(() => void impostor.close());
    expect(await listensAt(pid, (impostor.address() as AddressInfo).port)).toBe(false);
  });

  it("leaves the engine of another folder alone whose note was copied along with its files", async () => {
    const original = await running(lasting);
    const copy = join(directory.path, "copy");
    await mkdir(join(copy, "chroma"), { recursive: true });
    await copyFile(join(itsDirectory.path, "chroma", "recollect.json"), join(copy, "chroma", "recollect.json"));
    const startedAt = Date.now();
    const second = await running(start({ dataDirectory: copy }));
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    expect(second.pid).not.toBe(original.pid);
    expect(isAlive(original.pid)).toBe(true);
  });

  it("cannot be reached from another interface", async () => {
    const { url } = await running(lasting);
    const port = Number(new URL(url).port);
    const others = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
    );
    for (const address of others) {
      const refused = await new Promise((resolve) => {
        const socket = connect({ host: address, port }, () => resolve(false));
        socket.on("error", () => resolve(true));
      });
      expect(refused, `${address}:${port}`).toBe(true);
    }
  });

  it("runs beside others with other data directories", async () => {
    const one = await running(lasting);
    const other = await running(start());
    expect(one.url).not.toBe(other.url);
  });

  it("keeps its data across restarts", async () => {
    const first = start();
    await makeCollection((await running(first)).url);
    await first.close();
    expect(await collectionNames((await running(start())).url)).toEqual(["kept"]);
  });

  it("restarts when killed", async () => {
    const engine = start();
    const before = await running(engine);
    process.kill(before.pid, "SIGKILL");
    const pid = await eventually(() => (engine.pid !== before.pid && engine.address() ? engine.pid : null));
    expect(isAlive(pid)).toBe(true);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: "warn", fields: expect.objectContaining({ reason: "killed by SIGKILL" }) }),
    );
  });

  it.skipIf(process.platform === "win32")("restarts when it no longer answers", async () => {
    const engine = start({ healthEveryMs: 100 });
    const before = await running(engine);
    process.kill(before.pid, "SIGSTOP");
    await eventually(() => engine.pid !== before.pid && engine.address());
    expect(isAlive(before.pid)).toBe(false);
  });

  it("is gone after being closed, at whatever moment", async () => {
    for (const afterMs of [0, 30, 90, 150, 400]) {
      const engine = start();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const { pid } = engine;
      await engine.close();
      expect(engine.pid).toBeNull();
      if (pid !== null) expect(isAlive(pid)).toBe(false);
    }
  });

  it("ends immediately, without waiting, at the last moment of a process", async () => {
    const engine = start();
    const { pid } = await running(engine);
    engine.stopNow();
    await eventually(() => !isAlive(pid));
  });
});

describe("the data folder of the engine", () => {
  async function asideFolders(): Promise<string[]> {
    return (await readdir(directory.path)).filter((name) => name.startsWith("chroma.set-aside-"));
  }

  async function runOnce(): Promise<void> {
    const engine = start();
    await makeCollection((await running(engine)).url);
    await engine.close();
  }

  it("is set aside when another version of the engine wrote it", async () => {
    await runOnce();
    const note = join(directory.path, "chroma", "recollect.json");
    await writeFile(note, JSON.stringify({ engine: "9.9.9", pid: 999_999_999, port: 1 }));
    expect(await collectionNames((await running(start())).url)).toEqual([]);
    const [aside, ...more] = await asideFolders();
    expect(more).toEqual([]);
    expect(await readdir(join(directory.path, aside!))).toContain("chroma.sqlite3");
    expect(log.says("set aside")).toBe(true);
  });

  it.each([
    ["nothing", null],
    ["invalid JSON", "{"],
    ["something else", '{"engine":5}'],
  ])("is set aside when %s says who wrote it", async (_, note) => {
    await mkdir(join(directory.path, "chroma"));
    await writeFile(join(directory.path, "chroma", "chroma.sqlite3"), "of unknown origin");
    if (note !== null) await writeFile(join(directory.path, "chroma", "recollect.json"), note);
    await running(start());
    const [aside] = await asideFolders();
    expect(await readFile(join(directory.path, aside!, "chroma.sqlite3"), "utf8")).toBe("of unknown origin");
  });

  it("is set aside when the engine repeatedly ends on it", async () => {
    await runOnce();
    await writeFile(join(directory.path, "chroma", "chroma.sqlite3"), "no database at all".repeat(1_000));
    const engine = start();
    await running(engine);
    expect(await asideFolders()).toHaveLength(1);
    expect(engine.failure).toBeNull();
  }, 90_000);

  it("is kept only once when set aside twice, so that the disk does not fill up", async () => {
    for (let round = 0; round < 2; round++) {
      await runOnce();
      await writeFile(join(directory.path, "chroma", "recollect.json"), "{}");
    }
    await runOnce();
    expect(await asideFolders()).toHaveLength(1);
  });

  it("is not touched before the engine of a killed owner has ended", async () => {
    const orphan = start();
    const { pid } = await running(orphan);
    const next = createLocalChroma({
      dataDirectory: directory.path,
      enginesDirectory: ENGINES_DIRECTORY,
      offline: true,
      log,
    });
    engines.push(next);
    next.start();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(next.pid).toBeNull();
    await orphan.close();
    expect((await running(next)).pid).not.toBe(pid);
  });
});

describe("the process of the engine", () => {
  const parents: ChildProcess[] = [];

  afterEach(() => {
    for (const parent of parents.splice(0)) parent.kill("SIGKILL");
  });

  async function startParent(): Promise<{ parent: ChildProcess; pid: number; stdout: () => string }> {
    const script = resolve(import.meta.dirname, "../support/engine-parent.mjs");
    const parent = spawn(process.execPath, [script, directory.path, ENGINES_DIRECTORY], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    parents.push(parent);
    let stdout = "";
    let stderr = "";
    parent.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    parent.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    const pid = await eventually(() => /"the Chroma engine runs".*"pid":(\d+)/.exec(stderr)?.[1]);
    return { parent, pid: Number(pid), stdout: () => stdout };
  }

  it.each(["SIGKILL", "SIGTERM"] as const)("ends when its parent is ended by %s", async (signal) => {
    const { parent, pid } = await startParent();
    parent.kill(signal);
    await eventually(() => !isAlive(pid), 5_000);
  });

  it("writes nothing to the standard output of its parent", async () => {
    const { parent, stdout } = await startParent();
    parent.kill("SIGKILL");
    await eventually(() => parent.signalCode);
    expect(stdout()).toBe("");
  });
});

describe("the choice of an engine", () => {
  const { signal } = new AbortController();

  /** An npm registry on a real socket, for which npm is configured. */
  async function startRegistry(answer: (path: string) => { status: number; body: string | Buffer }) {
    const asked: string[] = [];
    const server: Server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const { status, body } = answer(request.url ?? "");
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const settings = {
      npm_config_registry: url,
      npm_config_fetch_retries: "0",
      npm_config_cache: `${directory.path}/npm`,
    };
    const before = Object.keys(settings).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, settings);
    onTestFinished(async () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return { url, asked };
  }

  function choose(options: Partial<Parameters<typeof findBinding>[0]> = {}) {
    return findBinding({ enginesDirectory: `${directory.path}/engines`, offline: false, log, signal, ...options });
  }

  /** The tests download another engine only when the bundled one does not load. */
  async function fetchedEngine(context: TestContext): Promise<string> {
    const [name] = await readdir(ENGINES_DIRECTORY).catch(() => []);
    return name ?? context.skip("the bundled engine loads on this machine, so none was fetched");
  }

  it("uses one that was downloaded before, without any request", async (context) => {
    await fetchedEngine(context);
    const { asked } = await startRegistry(() => ({ status: 500, body: "" }));
    const binding = await choose({ enginesDirectory: ENGINES_DIRECTORY, bundled: null });
    expect(binding.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(asked).toEqual([]);
  });

  it("uses the bundled one when it loads", async () => {
    const bundled = await choose({ enginesDirectory: ENGINES_DIRECTORY });
    expect(await choose({ bundled })).toEqual(bundled);
  });

  it("skips a bundled one that does not load", async (context) => {
    await fetchedEngine(context);
    const file = join(directory.path, "broken.node");
    await writeFile(file, "not a library");
    const binding = await choose({ enginesDirectory: ENGINES_DIRECTORY, bundled: { file, version: "0.0.1" } });
    expect(binding.file).not.toBe(file);
  });

  it("never asks the registry when offline, and says so", async () => {
    const { asked } = await startRegistry(() => ({ status: 500, body: "" }));
    await expect(choose({ bundled: null, offline: true })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/RECOLLECT_OFFLINE.*CHROMA_URL/s) as string,
    });
    expect(asked).toEqual([]);
  });

  it("asks the registry that npm is configured for, and reports what went wrong there", async () => {
    const { asked } = await startRegistry(() => ({ status: 404, body: "{}" }));
    await expect(choose({ bundled: null })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/404/) as string,
    });
    expect(asked.length).toBeGreaterThan(0);
    expect(log.says("downloading the Chroma engine")).toBe(true);
    expect(await readdir(`${directory.path}/engines`)).toEqual([]);
  }, 60_000);

  it("refuses a package that does not match its checksum, and leaves nothing of it", async () => {
    const registry: { url: string } = await startRegistry((path) => {
      if (path.endsWith(".tgz")) return { status: 200, body: Buffer.from("truncated") };
      const name = decodeURIComponent(path.slice(1));
      const dist = { tarball: `${registry.url}${name}.tgz`, integrity: "sha512-AAAA" };
      const builds = ["1.0.1", "1.0.5", "1.3.4"].map((version) => [version, { name, version, dist }]);
      const body = { name, "dist-tags": { latest: "1.3.4" }, versions: Object.fromEntries(builds) };
      return { status: 200, body: JSON.stringify(body) };
    });
    await expect(choose({ bundled: null })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/EINTEGRITY|integrity|corrupt/i) as string,
    });
    expect(await readdir(`${directory.path}/engines`)).toEqual([]);
  }, 60_000);

  it("does not trust a downloaded engine that is truncated on disk", async (context) => {
    const name = await fetchedEngine(context);
    const library = (await readdir(join(ENGINES_DIRECTORY, name))).find((file) => file.endsWith(".node"))!;
    const folder = join(directory.path, "engines", name);
    await mkdir(folder, { recursive: true });
    await copyFile(join(ENGINES_DIRECTORY, name, "package.json"), join(folder, "package.json"));
    const whole = await open(join(ENGINES_DIRECTORY, name, library));
    const beginning = await whole.read(Buffer.alloc(1_000_000), 0, 1_000_000, 0);
    await whole.close();
    await writeFile(join(folder, library), beginning.buffer);
    await expect(choose({ bundled: null, offline: true })).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("stops downloading when the service closes, and leaves nothing behind", async () => {
    const silent = createTcpServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const before = process.env["npm_config_registry"];
    process.env["npm_config_registry"] = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    onTestFinished(() => {
      if (before === undefined) delete process.env["npm_config_registry"];
      else process.env["npm_config_registry"] = before;
      silent.close();
    });
    const asked = new Promise((resolve) => silent.once("connection", resolve));
    const engine = start({ offline: false, bundled: null, enginesDirectory: `${directory.path}/engines` });
    await asked;
    await engine.close();
    expect(await readdir(`${directory.path}/engines`)).toEqual([]);
  }, 30_000);
});
