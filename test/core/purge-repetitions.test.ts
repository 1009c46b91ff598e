import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { token } from "../support/planted-words.js";

/** What people, lists, chats and Markdown put before a sentence. */
const LABELS = [
  "",
  ..."user:,assistant:,Mia:,Mia Berg:,**Mia:**,[2024-01-02 10:00] Mia:,[user]".split(","),
  ..."-,*,+,•,–,1.,2),(a),[1],- [ ],- [x],>,> >,> -,- Mia:,> user:,##,######,✅".split(","),
];
const ENDS = ["", ".", "!"];
const NEIGHBOURS = ["I like tea.", "- Tom: I own a boat.", "> I play chess.", "1. Nobody knows my locker code."];

let opened: ManualCore;
let core: Core;
let call: Call;

const confirm = true as const;

/** A document that contains all of these lines, between neighbours. */
type Kind = (containerTag: string, sayings: readonly string[], name: string) => Promise<string>;

const ofLines =
  (separator: string, more: object = {}): Kind =>
  async (containerTag, sayings) => {
    const lines = sayings.flatMap((saying, at) => [saying, NEIGHBOURS[at % NEIGHBOURS.length] ?? ""]);
    const content = ["A note.", ...NEIGHBOURS, ...lines].join(separator);
    return (await core.addDocument(call, { content, containerTags: [containerTag], ...more })).id;
  };
const conversation: Kind = async (containerTag, sayings, name) => {
  const says = (content: string, at: number) => ({ role: at % 2 === 0 ? "user" : "assistant", content });
  const messages = [...sayings, ...NEIGHBOURS].map(says);
  const { id } = await core.addConversation(call, { conversationId: name, containerTags: [containerTag], messages });
  return id;
};
const upload: Kind = async (containerTag, sayings, name) => {
  const bytes = Buffer.from(["# Notes", ...NEIGHBOURS, ...sayings].join("\n\n")).toString("base64");
  return (await core.addFile(call, { bytes, name: `${name}.md`, document: { containerTags: [containerTag] } })).id;
};
const KINDS: Readonly<Record<string, Kind>> = {
  text: ofLines("\n"),
  Markdown: ofLines("\n\n"),
  conversation,
  upload,
  "text for searching": ofLines("\n", { taskType: "superrag" }),
};

async function secretsOf(containerTag: string): Promise<{ id: string; text: string }[]> {
  const { entries } = await core.listMemories(call, { containerTags: [containerTag], limit: 100 });
  return entries.map(({ memory }) => memory).filter(({ text }) => text.includes("locker code is"));
}

/**
 * Purges every memory that states the secret: a chat has one for each speaker. The source of the second one may already
 * have been cut, so that its place is unknown.
 */
async function purgeOf(containerTag: string, secret: string) {
  await opened.settle();
  const statedIn = new Set<string>();
  const secrets = await secretsOf(containerTag);
  expect(secrets).not.toEqual([]);
  for (const { id } of secrets) {
    const purged = await core.purge(call, { memoryId: id, confirm });
    expect(purged.complete).toBe(true);
    for (const documentId of purged.statedIn) statedIn.add(documentId);
  }
  const atOnce = findInFiles(opened.dataDirectory, [secret]);
  opened.clock.advance(3_600_000);
  await core.reprocess(call, { containerTag, onlyOutdated: false });
  await opened.settle();
  const { documents } = await core.listDocuments(call, { containerTags: [containerTag], includeContent: true });
  const left = { atOnce, later: findInFiles(opened.dataDirectory, [secret]), memories: await secretsOf(containerTag) };
  return {
    statedIn: [...statedIn],
    isAlone: secrets.length === 1,
    left,
    contents: new Map(documents.map(({ id, content }) => [id, content ?? ""])),
  };
}

describe.each(Object.keys(KINDS))("purging a sentence that a %s repeats after a label or bullet", (kind) => {
  // Every purge scans the whole store, so the kinds have separate stores.
  beforeAll(async () => {
    opened = await openManualCore();
    core = opened.core;
    call = opened.call();
  });
  afterAll(() => opened.close());

  const write = KINDS[kind] ?? conversation;
  const states = KINDS[kind === "text for searching" ? "text" : kind] ?? conversation;

  test.each(LABELS.map((label, index) => [label, index] as const))(
    "leaves no word in any file, or the receipt says where: %s",
    async (label, index) => {
      const name = `${kind}-${index}`.replaceAll(" ", "_");
      const secret = token("code");
      const said = `My locker code is ${secret}${ENDS[index % ENDS.length]}`;
      const repeated = `${label} ${said}`.trim();
      const first = await states(name, [said, repeated], name);
      const other = await write(name, ["I sing.", repeated, "I dance."], `${name}-other`);
      const { statedIn, isAlone, left, contents } = await purgeOf(name, secret);
      const saying = [...contents].filter(([, content]) => content.includes(secret)).map(([id]) => id);
      expect(isAlone ? statedIn : statedIn.filter((id) => saying.includes(id))).toEqual(saying);
      expect(saying).not.toContain(first);
      if (saying.length === 0) expect(left).toEqual({ atOnce: [], later: [], memories: [] });
      for (const id of [first, other])
        for (const neighbour of NEIGHBOURS) expect(contents.get(id)).toContain(neighbour);
    },
  );
});
