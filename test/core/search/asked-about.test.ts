import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenedCore, openCore } from "../../support/open-core.js";

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

let containers = 0;
/** The best of these memories for a question. */
async function best(memories: readonly string[], question: string): Promise<string | undefined> {
  const { core, actor } = opened;
  containers += 1;
  const containerTag = `person-${containers}`;
  await core.createMemories({ actor }, { containerTag, memories: memories.map((content) => ({ content })) });
  const { results } = await core.search({ actor }, { q: question, containerTags: [containerTag] });
  return results[0]?.text;
}

test.each([
  ["What is my job?", "User works as a nurse", ["The job queue is slow", "Paul works as a cook"]],
  ["What is my name?", "User is Ines", ["The cat is called Minka", "Paul's name is Pavel"]],
  ["What am I allergic to?", "User cannot eat nuts", ["Paul is allergic to cats", "User's sister is allergic to nuts"]],
  ["Where does Lena work?", "Lena works at Bosch", ["Lena's brother works at Siemens"]],
  ["Where do I live?", "User lives in Braga", ["User's parents live in Porto", "Paul lives in Kiel"]],
])("%s asks about that person, and about nobody of theirs or else", async (question, answer, others) => {
  expect(await best([...others, answer], question)).toBe(answer);
});

test.each([
  ["Where does my sister live?", "User's sister lives in Turin", ["User lives in Braga"]],
  ["What does Lena's brother do?", "Lena's brother works as a baker", ["Lena works at Bosch as a lawyer"]],
  ["What is Ysolde's native language?", "Ysolde's mother tongue is Frisian", ["Ysolde lives in Leeuwarden"]],
  ["Do I have any siblings?", "User's brother is called Tom", ["User has a bicycle"]],
])("%s asks about somebody of theirs", async (question, answer, others) => {
  expect(await best([...others, answer], question)).toBe(answer);
});
