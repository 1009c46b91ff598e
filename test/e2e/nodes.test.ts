import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLUSTER_KEY as KEY, type NodeCluster, startNodeCluster } from "../support/node-cluster.js";
import { createApp } from "../support/oauth-app.js";
import { createBrowser } from "../support/oauth-browser.js";
import { useMcp } from "../support/oauth-use.js";
import { findPostgres } from "../support/postgres.js";
import { runProgram, type ServeProcess, waitFor, withDataDirectory } from "../support/recollect-process.js";

const programs = findPostgres();
const FACTS = 40;

type Call = (path: string, init?: { method?: string; body?: unknown; key?: string }) => Promise<Response>;

if (programs === undefined)
  describe("several nodes on one PostgreSQL database", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  describe("several nodes on one PostgreSQL database", () => {
    let cluster: NodeCluster;

    beforeAll(async () => {
      cluster = await startNodeCluster(programs, 2);
    }, 60_000);
    afterAll(() => cluster.stop(), 60_000);

    const callTo =
      (node: ServeProcess | undefined): Call =>
      (path, { method = "POST", body, key = KEY } = {}) =>
        fetch(`${node?.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
    const one: Call = (...given) => callTo(cluster.nodes[0])(...given);
    const other: Call = (...given) => callTo(cluster.nodes[1])(...given);

    async function read(answer: Promise<Response>): Promise<Record<string, unknown>> {
      const { status } = await answer;
      expect(status).toBeLessThan(300);
      return (await (await answer).json()) as Record<string, unknown>;
    }

    const untilDone = (call: Call, id: unknown): Promise<unknown> =>
      waitFor(
        async () => (await read(call(`/v3/documents/${String(id)}`, { method: "GET" })))["status"] === "done",
        "the document is done",
      );

    const find = async (call: Call, q: string, containerTag: string): Promise<string> =>
      JSON.stringify(await read(call("/v4/search", { body: { q, containerTag, searchMode: "hybrid" } })));

    test("what one node acknowledged, any other can find, change and forget", async () => {
      const { id } = await read(
        one("/v3/documents", { body: { content: "The spare key hangs behind the blue door.", containerTag: "house" } }),
      );
      await untilDone(other, id);
      expect(await find(other, "Where is the spare key?", "house")).toContain("blue door");
      await read(
        other(`/v3/documents/${String(id)}`, {
          method: "PATCH",
          body: { content: "The spare key hangs behind the green door." },
        }),
      );
      await untilDone(one, id);
      const found = await find(one, "Where is the spare key?", "house");
      expect(found).toContain("green door");
      expect((await other(`/v3/documents/${String(id)}`, { method: "DELETE" })).status).toBe(204);
      expect(await find(one, "Where is the spare key?", "house")).not.toContain("door");
    });

    test("memories written at one node are found at another immediately", async () => {
      for (let round = 0; round < 10; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
        await read(
          writer("/v4/memories", {
            body: { containerTag: "rounds", memories: [{ content: `Locker ${round} is Ada's.` }] },
          }),
        );
        expect(await find(reader, `Whose is locker ${round}?`, "rounds")).toContain(`Locker ${round} is`);
      }
    });

    test("a key revoked at one node is refused at another", async () => {
      const { id, key } = await read(one("/v3/auth/agent-key", { body: { name: "of a guest" } }));
      const asGuest = () => other("/v3/documents/list", { body: {}, key: String(key) });
      expect((await asGuest()).status).toBe(200);
      await read(one(`/v3/auth/scoped-key/${String(id)}`, { method: "DELETE" }));
      expect((await asGuest()).status).toBe(401);
    });

    test("an app can sign in with any node answering each step, and every node accepts its token", async () => {
      const app = await createApp(cluster.url);
      const browser = createBrowser(cluster.url);
      const question = await browser.submit(await browser.open(app.authorizeUrl()), [["secret", KEY]]);
      expect(question.url.pathname).toMatch(/^\/auth\/consent\//);
      const answered = await browser.submit(question, [
        ["containers", "all"],
        ["permission", "write"],
        ["expires", "7"],
        ["answer", "allow"],
      ]);
      const { body } = await app.redeem(answered.url);
      for (let turn = 0; turn < 4; turn += 1)
        expect((await useMcp(cluster.url, body.access_token)).tools).toContain("add-memory");
      const again = await app.token({ grant_type: "refresh_token", refresh_token: body.refresh_token });
      expect(again.status).toBe(200);
    });

    test("a setting changed at one node applies at another", async () => {
      await read(
        one("/v3/settings", {
          method: "PATCH",
          body: { filterPrompt: "only remember facts about food", shouldLLMFilter: true },
        }),
      );
      const settingsThere = await read(other("/v3/settings", { method: "GET" }));
      expect(JSON.stringify(settingsThere)).toContain("facts about food");
      await read(one("/v3/settings", { method: "PATCH", body: { filterPrompt: null, shouldLLMFilter: false } }));
    });

    test("a file uploaded at one node is read by any, and downloaded from another", async () => {
      const form = new FormData();
      form.set(
        "file",
        new Blob(["# Boiler\n\nThe boiler is serviced every May by Otto."], { type: "text/markdown" }),
        "boiler.md",
      );
      form.set("containerTag", "house");
      const sent = await fetch(`${cluster.nodes[0]?.url}/v3/documents/file`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}` },
        body: form,
      });
      const { id } = (await sent.json()) as { id: string };
      await untilDone(other, id);
      expect(await find(other, "Who services the boiler?", "house")).toContain("Otto");
    });

    test("a killed node loses nothing that it acknowledged, and the others finish its work", async () => {
      const third = await cluster.add();
      const ids: unknown[] = [];
      for (let number = 0; number < FACTS; number += 1)
        ids.push(
          (
            await read(
              callTo(third)("/v3/documents", {
                body: {
                  content: `Box number ${number} is on shelf ${number * 3} of the cellar.`,
                  containerTag: "cellar",
                },
              }),
            )
          )["id"],
        );
      await cluster.kill(third);
      for (const id of ids) await untilDone(one, id);
      const listed = await read(other("/v3/documents/list", { body: { containerTags: ["cellar"], limit: 100 } }));
      expect((listed["memories"] as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(
        ids.map(String).toSorted(),
      );
    }, 90_000);

    test("a service not started as a node is refused beside nodes, and says how to start it", () =>
      withDataDirectory(async (folder) => {
        const { code, stderr } = await runProgram(folder, ["serve", "--port", "0"], {
          ...cluster.settings,
          RECOLLECT_NODES: "one",
        });
        expect(code).not.toBe(0);
        expect(stderr).toMatch(/is in use by another service\. Nothing was changed\. .*RECOLLECT_NODES=several/);
      }));
  });
