import type { AddDocumentInput } from "../../core/index.js";
import type { Access } from "./cli.js";
import { describeFacts } from "./present.js";
import { waitUntilUnderstood } from "./wait.js";

/** One step of the guided demo, and its actual result. */
export interface Step {
  readonly name: "add" | "recall" | "update" | "profile" | "forget";
  readonly title: string;
  readonly explanation: string;
  /** The same for a person to type, without the program's name. */
  readonly command: string;
  readonly result: readonly string[];
  /** Whether the result shows what the step is meant to. */
  readonly ok: boolean;
}

const CONTAINER = "tour";
const FIRST_NOTE = "My name is Maya. I live in Lisbon. I prefer green tea to coffee. My sister Ana works at a museum.";
const MOVE = "I moved to Porto last month.";
const NEWS = "User lives in Porto";

/** Runs the demo step by step against a real core. @throws what the core throws */
export async function* runTour(access: Access): AsyncGenerator<Step> {
  yield await addNote(access);
  const { step, homeId } = await recall(access);
  yield step;
  yield await update(access, homeId);
  yield await showProfile(access);
  yield await forgetTea(access);
}

async function add({ core, newWrite }: Access, input: Pick<AddDocumentInput, "content" | "facts">) {
  return waitUntilUnderstood(
    core,
    newWrite(),
    { ...input, containerTags: [CONTAINER], dreaming: "instant" },
    () => undefined,
  );
}

async function addNote(access: Access): Promise<Step> {
  const receipt = await add(access, { content: FIRST_NOTE });
  return {
    name: "add",
    title: "Add",
    explanation: "A text is stored unchanged, and the facts that it states become memories.",
    command: `add "${FIRST_NOTE}"`,
    result: describeFacts(receipt.facts ?? []),
    ok: receipt.status === "done" && (receipt.facts?.length ?? 0) > 0,
  };
}

async function findMemories({ core, read }: Access, q: string) {
  const { results } = await core.search(read, { q, containerTags: [CONTAINER], searchMode: "memories", limit: 3 });
  return results;
}

type Found = Awaited<ReturnType<typeof findMemories>>;

function describeFound(results: Found): string[] {
  return results.length > 0
    ? results.map(({ similarity, text }) => `${similarity.toFixed(2)}  ${text}`)
    : ["Nothing found."];
}

const HOME_QUESTION = "Where does the user live?";

async function recall(access: Access): Promise<{ step: Step; homeId: string | undefined }> {
  const results = await findMemories(access, HOME_QUESTION);
  const home = results.find((result) => result.text.includes("Lisbon"));
  const step: Step = {
    name: "recall",
    title: "Recall",
    explanation: "A question finds the memory that answers it, with a score from 0 to 1.",
    command: `search "${HOME_QUESTION}" --mode memories`,
    result: describeFound(results),
    ok: home !== undefined,
  };
  return { step, homeId: home?.id };
}

async function update(access: Access, homeId: string | undefined): Promise<Step> {
  const facts = [{ text: NEWS, ...(homeId !== undefined && { updates: homeId }) }];
  const receipt = await add(access, { content: MOVE, facts });
  const results = await findMemories(access, HOME_QUESTION);
  return {
    name: "update",
    title: "Update",
    explanation: "A new fact replaces the old one, which stays in the record as its earlier version.",
    command: `add "${MOVE}" --fact "${NEWS}" --updates ${homeId ?? "<id>"}`,
    result: [...describeFacts(receipt.facts ?? []), "The same question again:", ...describeFound(results)],
    ok: results.some(({ text }) => text.includes("Porto")) && !results.some(({ text }) => text.includes("Lisbon")),
  };
}

async function showProfile({ core, read }: Access): Promise<Step> {
  const profile = await core.profile(read, { containerTag: CONTAINER });
  const facts = [...(profile.static ?? []), ...(profile.dynamic ?? [])];
  return {
    name: "profile",
    title: "Profile",
    explanation: "Everything that is known now, short enough to give to an agent at the start of a conversation.",
    command: "profile",
    result: facts.map(({ text, isStatic }) => `${isStatic ? "lasting" : "recent "}  ${text}`),
    ok: facts.some(({ text }) => text.includes("Porto")),
  };
}

const TEA_QUESTION = "What does the user like to drink?";

async function forgetTea(access: Access): Promise<Step> {
  const [tea] = await findMemories(access, TEA_QUESTION);
  const { forgotten } = tea ? await access.core.forget(access.newWrite(), { ids: [tea.id] }) : { forgotten: [] };
  const left = await findMemories(access, TEA_QUESTION);
  return {
    name: "forget",
    title: "Forget",
    explanation: "A memory is forgotten by its id, never by a guess. It disappears from every search and profile.",
    command: `forget ${tea?.id ?? "<id>"}`,
    result: [
      ...forgotten.map(({ text }) => `forgotten: ${text}`),
      "Asked again what the user drinks:",
      ...describeFound(left),
    ],
    ok: forgotten.length === 1 && !left.some(({ id }) => id === tea?.id),
  };
}
