import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import type { Call, Core } from "../../src/core/index.js";
import type { Document, Memory, RememberedFact } from "../../src/core/types.js";
import { captureLog } from "./captured-log.js";
import { type ManualCore, openManualCore } from "./manual-core.js";
import { answerAsRelater, isRelating, type Relations, type Shown } from "./relating-model.js";
import { type ModelRequest, type Reply, type ScriptedModel, startScriptedModel } from "./scripted-model.js";

export const DAY = 86_400_000;

/** A service whose language model reads every sentence as a fact, and relates facts as the test says. */
export interface RelatingCore extends ManualCore {
  readonly provider: ScriptedModel;
  readonly log: ReturnType<typeof captureLog>;
  readonly owner: Call;
  /** How the model relates facts from now on. */
  relateBy(relate: (shown: Shown) => Relations | Reply): void;
  /** The model relates this one fact, and no others. Memories are given by text; other words count as handles. */
  relateOne(fact: string, relation: string, ...memories: readonly string[]): void;
  /** The model draws this conclusion, and returns nothing else. */
  derive(text: string, ...from: readonly string[]): void;
  /** Adds a document to container `a` a day later, and runs what is due. */
  tell(
    content: string,
    more?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly document: Document; readonly receipt: readonly RememberedFact[] }>;
  /** The texts of a container's true memories, sorted. */
  textsIn(tag?: string): Promise<string[]>;
  /** The newest memory with this text that is not an older version; throws if there is none. */
  memoryOf(text: string, tag?: string): Promise<Memory>;
  byId(id: string): Promise<Memory | null>;
  /** The newest batch of the journal of container `a`. */
  lastBatch(): Promise<string>;
  /** The recorded questions about relations. */
  questions(): readonly ModelRequest[];
  lastQuestion(): string;
}

/** Opens one; close it at the end. */
export async function openRelatingCore(): Promise<RelatingCore> {
  const provider = await startScriptedModel();
  const log = captureLog();
  const settings = { baseUrl: "OPENAI_BASE_URL", apiKey: "OPENAI_API_KEY", model: "OPENAI_MODEL" };
  const model = createOpenAiModel({
    provider: "openai",
    baseUrl: provider.url,
    apiKey: "sk-secret",
    model: "scripted",
    fastModel: "scripted",
    settings,
    log,
    pauseMs: 1,
  });
  const opened = await openManualCore({ model, log });
  const core: Core = opened.core;
  const owner = opened.call();
  const { memories } = opened.store;
  const { organizationId } = opened.store;
  const relateBy: RelatingCore["relateBy"] = (relate) => provider.always((request) => answerAsRelater(request, relate));
  const questions = () => provider.requests.filter(isRelating);
  relateBy(() => ({ relations: [] }));
  return {
    ...opened,
    provider,
    log,
    owner,
    relateBy,
    relateOne: (fact, relation, ...texts) =>
      relateBy((shown) => ({
        relations: [{ fact: shown.facts[fact], relation, memories: texts.map((text) => shown.memories[text] ?? text) }],
      })),
    derive: (text, ...from) =>
      relateBy((shown) => ({
        derived: [{ text, from: from.map((source) => shown.facts[source] ?? shown.memories[source] ?? source) }],
      })),
    async tell(content, more = {}) {
      opened.clock.advance(DAY);
      const { id } = await core.addDocument(owner, { content, containerTags: ["a"], dreaming: "instant", ...more });
      await opened.settle();
      const { document } = await core.getDocument(owner, { id });
      return { id, document, receipt: document.receipt ?? [] };
    },
    async textsIn(tag = "a") {
      const active = await memories.active(organizationId, tag, { limit: 1_000 });
      return active.map(({ text }) => text).toSorted();
    },
    async memoryOf(text, tag = "a") {
      const [memory] = await memories.byExactText(organizationId, tag, text);
      if (!memory) throw new Error(`No memory says: ${text}`);
      return memory;
    },
    byId: (id) => memories.byId(organizationId, id),
    async lastBatch() {
      const { items } = await core.listJournal(owner, { containerTag: "a", limit: 1 });
      return items[0]?.batchId ?? "";
    },
    questions,
    lastQuestion: () => JSON.stringify(questions().at(-1)?.body.messages),
    async close() {
      await opened.close();
      await provider.close();
    },
  };
}
