import { afterEach, beforeEach } from "vitest";
import type { Call, PendingExtractions, PendingTask, SubmittedExtraction } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "./manual-core.js";

/** Helpers for tests of extraction by agents, in the container `a` of a new core. */
export interface ReadingAgent {
  opened: ManualCore;
  core: ManualCore["core"];
  call: Call;
  /** A document that rules have read. */
  add(content: string, more?: Record<string, unknown>): Promise<string>;
  ask(input?: Record<string, unknown>, by?: Call): Promise<PendingExtractions>;
  askOne(): Promise<PendingTask>;
  submit(taskId: string, facts: readonly Record<string, unknown>[], by?: Call): Promise<SubmittedExtraction>;
  /** The texts of all memories, sorted. */
  textsOf(containerTag?: string): Promise<string[]>;
}

/** A fresh core for every test of the file. */
export function useReadingAgent(): ReadingAgent {
  const agent = {} as ReadingAgent;

  beforeEach(async () => {
    const opened = await openManualCore();
    Object.assign(agent, { opened, core: opened.core, call: opened.call() });
  });
  afterEach(() => agent.opened.close());

  agent.add = async (content, more = {}) => {
    const { id } = await agent.core.addDocument(agent.call, { content, containerTags: ["a"], ...more });
    await agent.opened.settle();
    return id;
  };
  agent.ask = (input = {}, by = agent.call) => agent.core.pendingExtractions(by, { containerTag: "a", ...input });
  agent.askOne = async () => {
    const { tasks } = await agent.ask({ limit: 1 });
    const [task] = tasks;
    if (!task) throw new Error("There is no task");
    return task;
  };
  agent.submit = (taskId, facts, by = agent.call) => agent.core.submitExtraction(by, { taskId, facts });
  agent.textsOf = async (containerTag = "a") => {
    const { entries } = await agent.core.listMemories(agent.call, { containerTags: [containerTag] });
    return entries.map(({ memory }) => memory.text).toSorted();
  };
  return agent;
}
