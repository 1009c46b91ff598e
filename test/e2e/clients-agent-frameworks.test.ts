import * as mastra from "@supermemory/tools/mastra";
import * as voltagent from "@supermemory/tools/voltagent";
import { afterAll, beforeAll, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";

/** The hooks for agent frameworks, called as the frameworks call them; the frameworks themselves are not installed here. */

interface Message {
  readonly role: string;
  readonly content: unknown;
}
/** The steps of Mastra that the processors take part in. */
interface Processors {
  readonly input: { processInput(step: object): Promise<unknown> };
  readonly output: { processOutputResult(step: object): Promise<readonly Message[]> };
}
/** The steps of VoltAgent that the hooks take part in. */
interface Hooks {
  readonly onPrepareMessages: (step: object) => Promise<{ readonly messages: readonly Message[] }>;
  readonly onEnd: (step: object) => Promise<void>;
}

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
  await service.rest.send("POST", "/v4/memories", {
    containerTag: "agent",
    memories: [{ content: "Ada's dog is called Byron", isStatic: true, metadata: { kind: "pet" } }],
  });
});
afterAll(() => service.close());

const options = (customId: string) => ({
  containerTag: "agent",
  customId,
  apiKey: service.key,
  baseUrl: service.url,
  mode: "full" as const,
  addMemory: "always" as const,
});
const QUESTION = { role: "user", content: "What is Ada's dog called?" };
const ANSWER = { role: "assistant", content: "Byron." };

/** The text of the conversation stored under this id. */
async function kept(customId: string): Promise<string> {
  const { body } = await service.rest.send("GET", `/v3/documents/${customId}`);
  expect(body.containerTags).toEqual(["agent"]);
  return body.content;
}

/** What the processors add to the messages for the model. */
async function instructionsFrom({ input }: Pick<Processors, "input">): Promise<string> {
  const instructions: string[] = [];
  const messageList = {
    clearSystemMessages: () => void instructions.splice(0),
    addSystem: (text: string) => instructions.push(text),
  };
  await input.processInput({ messages: [{ ...QUESTION, content: { content: QUESTION.content } }], messageList });
  return instructions.join("\n");
}

const trial = tryClient("agentTools");

trial.tries(
  [
    "mastra.createSupermemoryProcessors",
    "mastra.createSupermemoryProcessor",
    "mastra.createSupermemoryOutputProcessor",
    "mastra.SupermemoryInputProcessor",
    "mastra.SupermemoryOutputProcessor",
    "mastra.withSupermemory",
  ],
  "tell the model what is known, and keep what is said",
  async () => {
    const wrapped = mastra.withSupermemory({ id: "agent" }, options("mastra-wrapped")) as unknown as {
      readonly inputProcessors: readonly Processors["input"][];
      readonly outputProcessors: readonly Processors["output"][];
    };
    const pairs = {
      "mastra-pair": mastra.createSupermemoryProcessors(options("mastra-pair")),
      "mastra-made": {
        input: mastra.createSupermemoryProcessor(options("mastra-made")),
        output: mastra.createSupermemoryOutputProcessor(options("mastra-made")),
      },
      "mastra-new": {
        input: new mastra.SupermemoryInputProcessor(options("mastra-new")),
        output: new mastra.SupermemoryOutputProcessor(options("mastra-new")),
      },
      "mastra-wrapped": { input: wrapped.inputProcessors[0], output: wrapped.outputProcessors[0] },
    } as Readonly<Record<string, Processors>>;
    for (const [customId, processors] of Object.entries(pairs)) {
      expect(await instructionsFrom(processors)).toContain("Byron");
      const messages = [QUESTION, ANSWER].map(({ role, content }) => ({ role, content: { content } }));
      expect(await processors.output.processOutputResult({ messages })).toBe(messages);
      expect(await kept(customId)).toMatch(/What is Ada's dog called\?.*Byron\./s);
    }
    await service.settle();
  },
);

trial.tries(
  ["voltagent.createSupermemoryHooks", "voltagent.withSupermemory"],
  "search with every parameter, and store the conversation",
  async () => {
    const search = {
      threshold: 0.2,
      limit: 5,
      rerank: true,
      rewriteQuery: true,
      searchMode: "hybrid" as const,
      filters: { AND: [{ key: "kind", value: "pet" }] },
      include: { documents: true, relatedMemories: true, summaries: true, forgottenMemories: true, chunks: true },
      metadata: { channel: "test", turn: 1, private: true },
    };
    const { containerTag, ...rest } = options("volt-made");
    const wrapped = voltagent.withSupermemory({ agentConfig: {}, ...options("volt-wrapped"), ...search } as never) as {
      readonly hooks: Hooks;
    };
    const hooks = {
      "volt-made": voltagent.createSupermemoryHooks(containerTag, { ...rest, ...search }),
      "volt-wrapped": wrapped.hooks,
    } as Readonly<Record<string, Hooks>>;
    for (const [customId, { onPrepareMessages, onEnd }] of Object.entries(hooks)) {
      const { messages } = await onPrepareMessages({ messages: [QUESTION], agent: { name: "test" } });
      expect(messages[0]).toMatchObject({ role: "system", content: expect.stringContaining("Byron") });
      await onEnd({ agent: { name: "test" }, context: { input: [QUESTION] }, output: { text: ANSWER.content } });
      expect(await kept(customId)).toMatch(/What is Ada's dog called\?.*Byron\./s);
    }
    await service.settle();
  },
);

trial.leavesNothingOut(() => [
  ...Object.keys(mastra).map((name) => `mastra.${name}`),
  ...Object.keys(voltagent).map((name) => `voltagent.${name}`),
]);
trial.isInTable();
