import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createMcpFactory } from "../src/transports/mcp/server.js";
import { SETTINGS } from "../src/config.js";
import { type ClientName, connectInMemory, type ListedTool } from "./support/mcp-client.js";
import { silentLog } from "./support/open-core.js";

const ROOT = resolve(import.meta.dirname, "..");

interface Manifest {
  readonly manifest_version: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly server: {
    readonly type: string;
    readonly entry_point: string;
    readonly mcp_config: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  };
  readonly user_config: Readonly<Record<string, { readonly sensitive?: boolean; readonly default?: string }>>;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly compatibility: { readonly runtimes: { readonly node: string } };
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly engines: { readonly node: string };
}

const read = <T>(file: string): T => JSON.parse(readFileSync(resolve(ROOT, file), "utf8")) as T;

const manifest = read<Manifest>("manifest.json");
const about = read<Package>("package.json");
let tools: readonly ListedTool[];

beforeAll(async () => {
  const session = () => Promise.reject(new Error("listing needs no service"));
  const factory = createMcpFactory({
    principal: () => ({ session, defaultContainer: "unused" }),
    log: silentLog,
    version: about.version,
  });
  const mcp = await connectInMemory("v1", factory);
  tools = await mcp.listTools();
  await mcp.close();
});

describe("manifest.json", () => {
  test("is about this package and this version", () => {
    expect(manifest).toMatchObject({
      manifest_version: "0.3",
      name: about.name,
      version: about.version,
      license: about.license,
    });
    const [, floor = ""] = /^>=(\d+\.\d+)$/.exec(about.engines.node) ?? [];
    expect(manifest.compatibility.runtimes.node).toBe(`>=${floor}.0`);
    expect(about.files).toContain("manifest.json");
  });

  test("starts the program that the package has", () => {
    const { type, entry_point, mcp_config } = manifest.server;
    expect(type).toBe("node");
    expect(entry_point).toBe(about.bin["recollect"]);
    expect(mcp_config.args).toEqual([`\${__dirname}/${entry_point}`, "mcp"]);
    expect(existsSync(resolve(ROOT, "src/main.ts"))).toBe(true);
  });

  test("passes on settings that exist, from questions that are asked", () => {
    expect(manifest.server.mcp_config.env).not.toEqual({});
    for (const [setting, value] of Object.entries(manifest.server.mcp_config.env)) {
      expect(Object.keys(SETTINGS)).toContain(setting);
      const [, question = ""] = /^\$\{user_config\.(\w+)\}$/.exec(value) ?? [];
      expect(Object.keys(manifest.user_config)).toContain(question);
    }
  });

  test("asks nothing that is not passed on, and hides what is secret", () => {
    const passedOn = Object.entries(manifest.server.mcp_config.env);
    expect(manifest.user_config).not.toEqual({});
    for (const [question, { sensitive, default: fallback }] of Object.entries(manifest.user_config)) {
      const [setting = ""] = passedOn.find(([, value]) => value === `\${user_config.${question}}`) ?? [];
      const known = Object.entries(SETTINGS).find(([name]) => name === setting)?.[1];
      expect(known, question).toBeDefined();
      expect(sensitive ?? false, question).toBe(known !== undefined && "isSecret" in known);
      const usual = known && "fallback" in known ? known.fallback : undefined;
      expect(fallback?.replace("${HOME}", "~"), question).toBe(usual);
    }
  });

  test("names the tools that are there, in their order, and says of them what they say", () => {
    expect(manifest.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { name, description } of manifest.tools) {
      const [first] = description.split(/[,;.]/);
      expect(tools.find((tool) => tool.name === name)?.description, name).toContain(first);
    }
  });
});

describe("the list of tools", () => {
  /** Roughly four characters per token. Every client pays this in every conversation. */
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

  test("stays within what a model should have to read", () => {
    const forModels = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(tokens(forModels)).toBeLessThan(2_100);
    expect(tokens(tools)).toBeLessThan(4_150);
  });

  test("is the same in every start, to the byte, and in both eras", async () => {
    const list = async (client: ClientName) => {
      const session = () => Promise.reject(new Error("listing needs no service"));
      const factory = createMcpFactory({
        principal: () => ({ session, defaultContainer: "other" }),
        log: silentLog,
        version: "9.9.9",
      });
      const mcp = await connectInMemory(client, factory);
      const listed = await mcp.listTools();
      await mcp.close();
      return listed;
    };
    expect(JSON.stringify(await list("v1"))).toBe(JSON.stringify(tools));
    expect(await list("v2 legacy")).toEqual(tools);
    expect(await list("v2 pinned")).toEqual(tools);
  });

  test("takes at most 8 KB of every conversation", () => {
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(8_192);
  });

  test("is what it was when it was last looked at", () => {
    expect(
      tools.map(({ name, inputSchema }) => ({
        name,
        takes: Object.keys(inputSchema["properties"] as object),
        needs: inputSchema["required"] ?? [],
      })),
    ).toMatchInlineSnapshot(`
      [
        {
          "name": "search",
          "needs": [
            "query",
          ],
          "takes": [
            "query",
            "containerTag",
            "limit",
            "threshold",
            "mode",
            "filters",
            "rerank",
          ],
        },
        {
          "name": "add-memory",
          "needs": [
            "content",
          ],
          "takes": [
            "content",
            "containerTag",
            "facts",
            "metadata",
            "customId",
            "forgetAfter",
            "date",
            "wait",
          ],
        },
        {
          "name": "profile",
          "needs": [],
          "takes": [
            "containerTag",
            "q",
          ],
        },
        {
          "name": "fetch",
          "needs": [
            "id",
          ],
          "takes": [
            "id",
            "containerTag",
            "offset",
          ],
        },
        {
          "name": "forget",
          "needs": [],
          "takes": [
            "id",
            "ids",
            "content",
            "query",
            "containerTag",
            "reason",
          ],
        },
        {
          "name": "undo",
          "needs": [],
          "takes": [
            "batchId",
            "memoryId",
            "containerTag",
          ],
        },
        {
          "name": "pending-extractions",
          "needs": [],
          "takes": [
            "containerTag",
            "limit",
          ],
        },
        {
          "name": "submit-extraction",
          "needs": [
            "taskId",
            "facts",
          ],
          "takes": [
            "taskId",
            "facts",
          ],
        },
      ]
    `);
  });
});
