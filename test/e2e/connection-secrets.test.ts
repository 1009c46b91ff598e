import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useCleanups } from "../support/cleanups.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { runProgram, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";
import { GRANOLA_KEY, startGranola } from "../support/scripted-granola.js";
import { startScriptedGoogleDrive } from "../support/scripted-google-drive.js";
import { S3_KEYS, startS3 } from "../support/scripted-s3.js";

/* Credentials appear nowhere in clear text: in no file, no log output and no answer. */

const TOKEN = "ya29.a-token-for-tests";
const APP_SECRET = "GOCSPX-a-secret-for-tests";
const WRONG_KEY = "grn_a-key-that-is-refused";
const MAIL_PASSWORD = "a-password-nobody-has";
const API_KEY = "sm_farm_0123456789abcdef01234567";
const SECRETS = [
  API_KEY,
  GRANOLA_KEY,
  GRANOLA_KEY.slice(4),
  S3_KEYS.secretAccessKey,
  TOKEN,
  `refresh-of-${TOKEN}`,
  APP_SECRET,
  WRONG_KEY,
  MAIL_PASSWORD,
];
const inAnyForm = SECRETS.flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  btoa(secret),
  btoa(secret).slice(0, -3),
]);
const foundIn = (text: string) => inAnyForm.filter((secret) => text.includes(secret));

const cleanups = useCleanups();

async function startSources() {
  const [granola, bucket, drive] = await Promise.all([
    startGranola(),
    startS3("papers"),
    startScriptedGoogleDrive(TOKEN),
  ]);
  cleanups.push(() => Promise.all([granola.close(), bucket.close(), drive.close()]));
  await granola.put("The orchard", "Forty pear trees stand in the orchard.");
  bucket.put("mill.md", "The mill wheel turns again.", "text/markdown");
  await drive.put("weir.md", "The weir is made of oak.", { mimeType: "text/markdown" });
  const settings = {
    RECOLLECT_OFFLINE: "0",
    RECOLLECT_FETCH_ALLOW: "127.0.0.1,localhost",
    RECOLLECT_LOG_LEVEL: "debug",
    RECOLLECT_API_KEY: API_KEY,
    RECOLLECT_PROVIDER_URLS: `granola=${granola.url},google-drive=${drive.url}`,
  };
  return { granola, bucket, drive, settings };
}

interface Shown {
  readonly id: string;
  readonly provider: string;
  readonly documentCount: number;
  readonly state: string;
}

/** Calls a service, and collects its answers. */
function caller(url: string, said: string[]) {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "manual",
    });
    const text = await answer.text();
    said.push(text, JSON.stringify([...answer.headers]));
    return { status: answer.status, text };
  };
  const connections = async () => JSON.parse((await send("POST", "/v3/connections/list", {})).text) as Shown[];
  return {
    send,
    connections,
    make: async (provider: string, body: unknown) =>
      JSON.parse((await send("POST", `/v3/connections/${provider}`, body)).text) as { id: string; authLink?: string },
    until: (count: number) =>
      waitFor(
        async () => (await connections()).reduce((sum, { documentCount }) => sum + documentCount, 0) === count,
        `${count} documents of connections`,
      ),
  };
}

test(
  "credentials are in no file, log, answer or backup; a backup works with its key, and says when that is missing",
  () =>
    withDataDirectory(async (parent) => {
      const { granola, bucket, drive, settings } = await startSources();
      const [data, target] = [join(parent, "data"), join(parent, "backup")];
      const said: string[] = [];
      const service = await startServe(data, settings);
      for (const stream of [service.child.stdout, service.child.stderr])
        stream?.on("data", (piece: Buffer) => said.push(piece.toString()));
      try {
        const { send, connections, make, until } = caller(service.url, said);
        await send("PATCH", "/v3/settings", { googleDriveClientId: "farm", googleDriveClientSecret: APP_SECRET });
        await send("GET", "/v3/settings");
        const containerTag = "farm";
        const refused = await send("POST", "/v3/connections/granola", {
          containerTag,
          metadata: { apiKey: WRONG_KEY },
        });
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("key")]);
        const mailbox = { host: "localhost", port: 1, tls: "off", user: "mia", password: MAIL_PASSWORD };
        expect((await send("POST", "/v3/connections/imap", { containerTag, metadata: mailbox })).status).toBe(503);
        await make("granola", { containerTag, metadata: { apiKey: GRANOLA_KEY } });
        await make("s3", { containerTag, metadata: { ...S3_KEYS, bucket: "papers", endpoint: bucket.url } });
        const { authLink } = await make("google-drive", { containerTag, metadata: { syncScope: "full" } });
        const state = new URL(authLink ?? "").searchParams.get("state") ?? "";
        await send("GET", `/v3/connections/auth/callback/google-drive?code=good&state=${state}`);
        await until(3);
        // Sources that fail, and that name whom they refused.
        drive.fail({ kind: "status", status: 401, body: { error: { message: `Not ${TOKEN}` } } }, 3);
        granola.fail({ kind: "status", status: 500 }, 2);
        bucket.fail(500, 2);
        for (const { id } of await connections()) {
          await send("POST", `/v3/connections/${id}/sync`, {});
          await send("GET", `/v3/connections/${id}/sync-runs`);
          await send("GET", `/v3/connections/${id}`);
        }
        for (const path of ["/v3/audit", "/v3/journal", "/v3/documents/processing", "/v3/status", "/v3/settings"])
          await send("GET", path);
        await send("POST", "/v3/documents/list", { containerTags: [containerTag], includeContent: true });
        for (const args of [["connections", "list"], ["status"], ["doctor"], ["audit"], ["backup", target]]) {
          const { stdout, stderr } = await runProgram(data, args, settings);
          said.push(stdout, stderr);
        }
      } finally {
        await service.stop();
      }
      expect(foundIn(said.join("\n"))).toEqual([]);
      expect(said.join("\n")).toContain("google-drive");
      expect(findInFiles(parent, inAnyForm)).toEqual([]);
      expect(findInFiles(parent, ["The mill wheel turns again."])).not.toEqual([]);

      const key = await readFile(join(data, "secret.key"));
      expect(findInFiles(target, [key.subarray(0, 32)])).toEqual([]);
      const copy = await startServe(target, settings);
      try {
        const { connections, send } = caller(copy.url, said);
        const all = await connections();
        expect(all.map(({ provider }) => provider).toSorted()).toEqual(["google-drive", "granola", "s3"]);
        expect(all.map(({ documentCount }) => documentCount)).toEqual([1, 1, 1]);
        const { id } = all.find(({ provider }) => provider === "s3") as Shown;
        await send("POST", `/v3/connections/${id}/sync`, {});
        await waitFor(
          async () => /key .* is missing/.test((await send("GET", `/v3/connections/${id}`)).text),
          "what is missing",
        );
      } finally {
        await copy.stop();
      }
      await cp(join(data, "secret.key"), join(target, "secret.key"));
      bucket.put("weir.md", "The weir was mended in May.", "text/markdown");
      const restored = await startServe(target, settings);
      try {
        const { connections, send } = caller(restored.url, said);
        for (const { id, provider } of await connections())
          if (provider === "s3") await send("POST", `/v3/connections/${id}/sync`, {});
        await waitFor(
          async () => (await connections()).some(({ documentCount }) => documentCount === 2),
          "what the source has by now",
        );
      } finally {
        await restored.stop();
      }
      expect(foundIn(said.join("\n"))).toEqual([]);
      expect(findInFiles(parent, inAnyForm)).toEqual([]);
    }),
  120_000,
);

test(
  "doctor says when what is encrypted cannot be read with the key that is set",
  () =>
    withDataDirectory(async (folder) => {
      const [right, wrong] = [{ RECOLLECT_SECRET_KEY: "a".repeat(32) }, { RECOLLECT_SECRET_KEY: "b".repeat(32) }];
      const service = await startServe(folder, { ...right, RECOLLECT_API_KEY: API_KEY });
      const { status } = await fetch(`${service.url}/v3/settings`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ googleDriveClientId: "farm", googleDriveClientSecret: APP_SECRET }),
      });
      await service.stop();
      expect(status).toBe(200);
      const examine = async (settings: Record<string, string>) =>
        (await runProgram(folder, ["doctor"], settings)).stdout;
      expect(await examine(right)).toMatch(/^ok +secrets +1 encrypted secret$/m);
      const unreadable =
        /^FAIL +secrets +1 encrypted secret, of which 1 cannot be read .*\n +what to do: Set RECOLLECT_SECRET_KEY/m;
      expect(await examine(wrong)).toMatch(unreadable);
      expect(await examine({})).toMatch(unreadable);
    }),
  60_000,
);
