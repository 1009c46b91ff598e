import { createClaudeMemoryTool, type ClaudeMemoryTool, type MemoryCommand } from "@supermemory/tools/claude-memory";
import { afterAll, beforeAll, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";

/** Claude's memory tool: files stored as documents, read back verbatim. */

let service: ClientService;
let memory: ClaudeMemoryTool;
beforeAll(async () => {
  service = await openClientService();
  memory = createClaudeMemoryTool(service.key, { baseUrl: service.url, projectId: "notes" });
});
afterAll(() => service.close());

/** The tool's output to the model; errors begin with `Error:`. */
async function run(command: MemoryCommand): Promise<string> {
  const { content, is_error } = await memory.handleCommandForToolResult(command, "call");
  expect(content.startsWith("Error:")).toBe(is_error);
  return content;
}

const trial = tryClient("claudeMemory");
const FILE = "/memories/trip/plan.md";

trial.tries(["create", "view"], "read a file as it was written", async () => {
  expect(await run({ command: "create", path: FILE, file_text: "Porto\nLisbon\nFaro" })).toBe(`File created: ${FILE}`);
  expect(await run({ command: "view", path: FILE })).toBe("   1\tPorto\n   2\tLisbon\n   3\tFaro");
  expect(await run({ command: "view", path: FILE, view_range: [2, 2] })).toBe("   2\tLisbon");
  expect(await run({ command: "view", path: "/memories/none.md" })).toContain("not found");
});

trial.tries("create", "replaces an existing file, even while it is being processed", async () => {
  await run({ command: "create", path: FILE, file_text: "Porto\nBraga\nFaro" });
  await run({ command: "create", path: FILE, file_text: "Porto\nEvora\nFaro" });
  expect(await run({ command: "view", path: FILE })).toBe("   1\tPorto\n   2\tEvora\n   3\tFaro");
});

trial.tries(["str_replace", "insert"], "edit the newest text", async () => {
  await run({ command: "str_replace", path: FILE, old_str: "Evora", new_str: "Coimbra" });
  await run({ command: "insert", path: FILE, insert_line: 2, insert_text: "Aveiro" });
  expect(await run({ command: "view", path: FILE })).toBe("   1\tPorto\n   2\tAveiro\n   3\tCoimbra\n   4\tFaro");
  expect(await run({ command: "str_replace", path: FILE, old_str: "Madrid", new_str: "x" })).toContain("not found");
  await service.settle();
  expect(await run({ command: "view", path: FILE })).toContain("Coimbra");
});

trial.tries("view", "lists files and folders, whatever project tags they carry", async () => {
  await run({ command: "create", path: "/memories/todo.txt", file_text: "Buy a map." });
  expect(await run({ command: "view", path: "/memories" })).toBe("Directory: /memories/\n- trip/\n- todo.txt");
  expect(await run({ command: "view", path: "/memories/trip/" })).toBe("Directory: /memories/trip/\n- plan.md");
  expect(await run({ command: "view", path: "/memories/empty/" })).toBe("Directory: /memories/empty/\n(empty)");
  const { body } = await service.rest.send("POST", "/v3/documents/list", { containerTags: ["claude_memory"] });
  expect(body.memories).not.toEqual([]);
  for (const document of body.memories) expect(document.containerTags).toEqual(["claude_memory"]);
});

trial.tries("view", "shows nothing of another project", async () => {
  const other = createClaudeMemoryTool(service.key, { baseUrl: service.url, projectId: "other" });
  expect((await other.handleCommand({ command: "view", path: "/memories" })).content).toContain("(empty)");
  expect((await other.handleCommand({ command: "view", path: FILE })).success).toBe(false);
});

trial.tries(["create", "delete"], "treat the same path in another project as another file", async () => {
  const other = createClaudeMemoryTool(service.key, { baseUrl: service.url, projectId: "other" });
  await other.handleCommand({ command: "create", path: FILE, file_text: "Rome" });
  expect(await run({ command: "view", path: FILE })).toContain("Coimbra");
  expect(await other.handleCommand({ command: "view", path: FILE })).toMatchObject({ content: "   1\tRome" });
  expect(await other.handleCommand({ command: "delete", path: FILE })).toMatchObject({ success: true });
  expect(await run({ command: "view", path: FILE })).toContain("Coimbra");
});

trial.tries(["rename", "delete"], "move a file and remove it", async () => {
  const moved = "/memories/trip/route.md";
  await run({ command: "rename", path: FILE, new_path: moved });
  expect(await run({ command: "view", path: moved })).toContain("Aveiro");
  expect(await run({ command: "view", path: FILE })).toContain("not found");
  expect(await run({ command: "delete", path: moved })).toBe(`File deleted: ${moved}`);
  expect(await run({ command: "delete", path: moved })).toContain("not found");
  expect(await run({ command: "view", path: "/memories/" })).toBe("Directory: /memories/\n- todo.txt");
  await service.settle();
});

/** The commands of the tool, taken from its type: a new one does not compile until it is tested here. */
const COMMANDS: Readonly<Record<MemoryCommand["command"], true>> = {
  view: true,
  create: true,
  str_replace: true,
  insert: true,
  delete: true,
  rename: true,
};
trial.leavesNothingOut(() => Object.keys(COMMANDS));
trial.isInTable();
