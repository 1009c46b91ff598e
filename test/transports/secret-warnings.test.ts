import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command-line.js";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { connectInMemory } from "../support/mcp-client.js";
import { encodeForm } from "../support/forms.js";
import { openCore, silentLog } from "../support/open-core.js";
import { openRest } from "../support/rest.js";

const SECRET = "tulip-4711-oak";
const TEXT = `The wifi password is ${SECRET}.`;
const WARNED = expect.stringMatching(/looks like it contains a password.*`recollect purge`/);

test("every way to write over REST warns about a secret without repeating it", async () => {
  const rest = await openRest({ asOwner: true });
  try {
    const { body: note } = await rest.send("POST", "/v3/documents", { content: "A note.", containerTag: "mia" });
    const made = await rest.send("POST", "/v4/memories", {
      memories: [{ content: "Mia keeps bees." }],
      containerTag: "mia",
    });
    const [memory] = made.body.memories;
    await rest.settle();
    const parts = [{ type: "text", text: TEXT }];
    const ways: readonly (readonly [string, string, Record<string, unknown>])[] = [
      ["POST", "/v3/documents", { content: TEXT, containerTag: "mia" }],
      ["POST", "/v3/documents", { content: "A note.", containerTag: "mia", facts: [{ text: TEXT }] }],
      ["POST", "/v3/documents/batch", { documents: [{ content: "A note." }, { content: TEXT }], containerTag: "mia" }],
      ["POST", "/v3/documents/batch", { documents: [{ content: "B.", facts: [{ text: TEXT }] }], containerTag: "mia" }],
      ["PATCH", `/v3/documents/${note.id}`, { content: TEXT }],
      ["PATCH", `/v3/memories/${note.id}`, { content: `${TEXT} Again.` }],
      ["POST", "/v4/memories", { memories: [{ content: TEXT }], containerTag: "mia" }],
      ["PATCH", "/v4/memories", { id: memory.id, newContent: TEXT, containerTag: "mia" }],
      [
        "POST",
        "/v4/conversations",
        { conversationId: "c2", messages: [{ role: "user", content: parts }], containerTags: ["mia"] },
      ],
      [
        "POST",
        "/v4/conversations",
        { conversationId: "c1", messages: [{ role: "user", content: TEXT }], containerTags: ["mia"] },
      ],
    ];
    for (const [method, path, body] of ways) {
      const { status, body: answer } = await rest.send(method, path, body);
      expect([path, status < 300, answer.warnings]).toEqual([path, true, expect.arrayContaining([WARNED])]);
      expect(JSON.stringify(answer.warnings)).not.toContain(SECRET);
    }
    const plain = { content: "The wifi password is changed every month.", containerTag: "mia" };
    expect((await rest.send("POST", "/v3/documents", plain)).body.warnings).toBeUndefined();
    expect((await rest.send("POST", "/v4/search", { q: TEXT, containerTag: "mia" })).body.warnings).toBeUndefined();
  } finally {
    await rest.close();
  }
}, 30_000);

test("uploaded files and submitted facts carry the warning too", async () => {
  const rest = await openRest({ asOwner: true });
  try {
    const form = await encodeForm({ file: new File([TEXT], "wifi.txt"), containerTag: "mia" });
    const uploaded = await rest.send("POST", "/v3/documents/file", form.bytes, form.headers);
    expect([uploaded.status, uploaded.body.warnings]).toEqual([200, [WARNED]]);
    const sentence = "The bakery in Ulm ships its sourdough to Ghent on Fridays, by the night train.";
    await rest.send("POST", "/v3/documents", { content: sentence, containerTag: "ulm" });
    await rest.settle();
    const pending = await rest.send("POST", "/v3/extractions/pending", { containerTag: "ulm" });
    const facts = [{ text: TEXT }];
    const submitted = await rest.send("POST", `/v3/extractions/${pending.body.tasks[0].taskId}`, { facts });
    expect([submitted.status, submitted.body.warnings]).toEqual([200, [WARNED]]);
    expect(JSON.stringify([uploaded.body, submitted.body.warnings])).not.toContain(SECRET);
  } finally {
    await rest.close();
  }
});

test("the command line warns for texts and files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recollect-cli-"));
  try {
    const data = join(folder, "data");
    const words = await runCommand(data, ["add", TEXT]);
    expect([words.code, words.stderr]).toEqual([0, WARNED]);
    await writeFile(join(folder, "a.md"), TEXT);
    await writeFile(join(folder, "b.md"), "Ana leads Atlas.");
    const files = await runCommand(data, ["add", join(folder, "a.md"), join(folder, "b.md")]);
    expect(files.stdout).toContain("a.md: looks like it contains a password");
    expect(files.stdout).not.toContain("b.md: looks");
    expect(files.stdout + files.stderr + words.stderr).not.toContain(SECRET);
    expect((await runCommand(data, ["add", "--json", TEXT])).stdout).toContain('"warnings":["content: looks like');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("MCP warns in the text and in the structured content", async () => {
  const opened = await openCore();
  const session = () => Promise.resolve({ core: opened.core, actor: opened.actor });
  const principal = () => ({ session, defaultContainer: "mia" });
  const mcp = await connectInMemory("v1", createMcpFactory({ principal, log: silentLog, version: "0.0.0" }));
  try {
    const receipt = await mcp.call("add-memory", { content: "A note.", facts: [{ text: TEXT }] });
    expect([receipt.text, receipt.structured["warnings"]]).toEqual([WARNED, [WARNED]]);
    expect(JSON.stringify(receipt)).not.toContain(SECRET);
    const sentence = "The bakery in Ulm ships its sourdough to Ghent on Fridays, by the night train.";
    const call = { actor: opened.actor };
    await opened.core.addDocument(call, { content: sentence, containerTags: ["mia"], wait: 20 });
    const { structured } = await mcp.call("pending-extractions");
    const task = (structured["tasks"] as { taskId: string; text: string }[]).find(({ text }) => text === sentence);
    const submitted = await mcp.call("submit-extraction", { taskId: task?.taskId, facts: [{ text: TEXT }] });
    expect([submitted.text, submitted.structured["warnings"]]).toEqual([WARNED, [WARNED]]);
    for (const [tool, field] of [
      ["add_memory", "content"],
      ["memory", "content"],
      ["save-memory", "content"],
      ["addToSupermemory", "thingToRemember"],
    ] as const) {
      const saved = await mcp.call(tool, { [field]: `${TEXT} Said to ${tool}.` });
      expect([tool, saved.text, saved.structured["warnings"]]).toEqual([tool, WARNED, [WARNED]]);
      expect(JSON.stringify(saved)).not.toContain(SECRET);
    }
    const plain = await mcp.call("add-memory", { content: "Mia likes tea.", facts: [] });
    expect(plain.structured).not.toHaveProperty("warnings");
  } finally {
    await mcp.close();
    await opened.close();
  }
});
