import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { SETTINGS } from "../src/config.js";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string): unknown => JSON.parse(readFileSync(resolve(ROOT, file), "utf8"));

/** The fields that the registry's schema 2025-12-11 documents, as far as a program from npm uses them. */
const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
};
const exactVersion = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
const schema = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: exactVersion,
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.array(
        z.strictObject({ type: z.literal("positional"), valueHint: z.string().optional(), ...input }),
      ),
      environmentVariables: z.array(z.strictObject({ name: z.string(), ...input })),
    }),
  ),
});

const server = schema.parse(read(".mcp/server.json"));
const about = z.object({ name: z.string(), version: z.string(), mcpName: z.string() }).parse(read("package.json"));

test("server.json for the MCP registry is about this package and this version", () => {
  expect(server).toMatchObject({ name: about.mcpName, version: about.version });
  expect(server.packages).toMatchObject([{ identifier: about.name, version: about.version }]);
  expect(server.packages[0]?.packageArguments).toMatchObject([{ value: "mcp" }]);
});

test("server.json names settings that exist, with their defaults, and hides those that are secret", () => {
  const variables = server.packages[0]?.environmentVariables ?? [];
  expect(variables).not.toEqual([]);
  for (const { name, default: fallback, isSecret } of variables) {
    const setting = Object.entries(SETTINGS).find(([known]) => known === name)?.[1];
    expect(setting, name).toBeDefined();
    expect(fallback, name).toBe(setting && "fallback" in setting ? setting.fallback : undefined);
    expect(isSecret ?? false, name).toBe(setting !== undefined && "isSecret" in setting);
  }
});
