import { Bodies, type Effect, effectsOf, type Place, REQUIRED, unprobed } from "./effect.js";

const FACT = "Mia keeps bees";

async function seeMemories({ rest, tag }: Place): Promise<unknown> {
  const entries = (await rest.send("POST", "/v4/memories/list", { containerTags: [tag] })).body;
  const journal = (await rest.send("GET", `/v3/journal?containerTag=${tag}`)).body;
  return [entries, journal, (await rest.send("GET", `/v3/container-tags/${tag}`)).body];
}

const known = ({ rest, tag }: Place) =>
  rest.send("POST", "/v4/memories", {
    containerTag: tag,
    memories: [{ content: FACT }, { content: "Mia sells honey of her bees" }],
  });
const temporal = {
  temporalContext: { eventDate: ["2031-05-05"] },
  "temporalContext.documentDate": "2031-05-05",
  "temporalContext.eventDate": ["2031-05-05"],
};
const details = { metadata: { team: "a" }, forgetAfter: "2031-05-05", ...temporal };
const BY_ID = "names a memory: test/transports/rest-memories.test.ts";

const forgetting = (route: string) =>
  effectsOf(route, {
    base: ({ tag }) => ({ content: FACT, containerTag: tag }),
    before: known,
    see: seeMemories,
    fields: { id: unprobed(BY_ID), content: REQUIRED, containerTag: REQUIRED, reason: "Sold them" },
  });

export const writingEffects: Readonly<Record<string, Effect>> = {
  ...effectsOf("POST /v4/memories", {
    base: ({ tag }) => ({ containerTag: tag, memories: [{ content: FACT }] }),
    see: seeMemories,
    fields: {
      containerTag: REQUIRED,
      endUserId: unprobed("narrows what is read: test/transports/rest-end-users.test.ts"),
      memories: REQUIRED,
      "memories[].content": REQUIRED,
      "memories[].isStatic": true,
      ...Object.fromEntries(Object.entries(details).map(([name, value]) => [`memories[].${name}`, value])),
      "memories[].forgetReason": new Bodies(
        ({ tag }) => ({ containerTag: tag, memories: [{ content: FACT, forgetAfter: "2031-05-05" }] }),
        ({ tag }) => ({
          containerTag: tag,
          memories: [{ content: FACT, forgetAfter: "2031-05-05", forgetReason: "The lease ends" }],
        }),
      ),
      entityContext: "Mia is a beekeeper.",
    },
  }),
  ...effectsOf("PATCH /v4/memories", {
    base: ({ tag }) => ({ content: FACT, newContent: "Mia keeps wasps", containerTag: tag }),
    before: known,
    see: seeMemories,
    fields: {
      id: unprobed(BY_ID),
      content: REQUIRED,
      containerTag: REQUIRED,
      newContent: REQUIRED,
      ...details,
      forgetReason: new Bodies(
        ({ tag }) => ({ content: FACT, newContent: FACT, containerTag: tag, forgetAfter: "2031-05-05" }),
        ({ tag }) => ({
          content: FACT,
          newContent: FACT,
          containerTag: tag,
          forgetAfter: "2031-05-05",
          forgetReason: "The lease ends",
        }),
      ),
      reason: "Misheard",
    },
  }),
  ...forgetting("DELETE /v4/memories"),
  ...forgetting("POST /v3/memories/forget"),
  ...effectsOf("POST /v4/memories/forget-matching", {
    base: ({ tag }) => ({ query: "bees", containerTag: tag, dryRun: true, threshold: 0.1 }),
    before: known,
    see: seeMemories,
    fields: {
      query: REQUIRED,
      q: new Bodies(
        ({ tag }) => ({ containerTag: tag, dryRun: true }),
        ({ tag }) => ({ q: "bees", containerTag: tag, dryRun: true }),
      ),
      ids: unprobed("names memories: test/core/forget-matching.test.ts"),
      containerTag: REQUIRED,
      dryRun: new Bodies(
        ({ tag }) => ({ query: "bees", containerTag: tag, threshold: 0.1 }),
        ({ tag }) => ({ query: "bees", containerTag: tag, threshold: 0.1, dryRun: true }),
      ),
      threshold: 0.99,
      maxForget: 1,
      reason: new Bodies(
        ({ tag }) => ({ query: "bees", containerTag: tag, threshold: 0.1 }),
        ({ tag }) => ({ query: "bees", containerTag: tag, threshold: 0.1, reason: "Sold them" }),
      ),
    },
  }),
  ...effectsOf("POST /v3/container-tags/{containerTag}/inferred/{memoryId}/review", {
    base: () => ({ action: "approve" }),
    fields: { action: unprobed("needs a guess: test/transports/rest-inferred.test.ts") },
  }),
  ...effectsOf("POST /v3/extractions/pending", {
    base: () => ({ containerTag: "world" }),
    fields: {
      containerTag: unprobed("tasks are leased to whoever asks first: test/transports/rest-extractions.test.ts"),
      limit: unprobed("tasks are leased to whoever asks first: test/transports/rest-extractions.test.ts"),
    },
  }),
  ...effectsOf("POST /v3/extractions/{taskId}", {
    base: () => ({}),
    fields: Object.fromEntries(
      "facts facts[].text facts[].kind facts[].isStatic facts[].forgetAfter facts[].eventDates facts[].quote facts[].entities facts[].relation facts[].relation.kind facts[].relation.ids"
        .split(" ")
        .map((name) => [name, unprobed("answers a task: test/core/submit-extraction.test.ts")]),
    ),
  }),
  ...effectsOf("POST /v3/reprocess", {
    base: ({ tag }) => ({ containerTag: tag, dryRun: true, onlyOutdated: false }),
    before: ({ rest, tag }) =>
      rest.send("POST", "/v3/documents", { content: FACT, containerTag: tag, customId: `known-${tag}` }),
    see: seeMemories,
    fields: {
      containerTag: REQUIRED,
      ids: new Bodies(
        () => ({ dryRun: true }),
        () => ({ ids: ["bees"], dryRun: true }),
      ),
      all: new Bodies(
        () => ({ dryRun: true }),
        () => ({ all: true, dryRun: true }),
      ),
      onlyOutdated: unprobed("chooses by what has read: test/transports/rest-reprocess.test.ts"),
      replace: unprobed("forgets what is not found again: test/core/reprocess.test.ts"),
      dryRun: new Bodies(
        ({ tag }) => ({ containerTag: tag, onlyOutdated: false }),
        ({ tag }) => ({ containerTag: tag, onlyOutdated: false, dryRun: true }),
      ),
    },
  }),
  ...effectsOf("POST /v3/purge", {
    base: ({ tag }) => ({ containerTag: tag, confirm: true }),
    before: known,
    fields: {
      containerTag: REQUIRED,
      confirm: REQUIRED,
      documentId: unprobed("names what is purged: test/transports/purge.test.ts"),
      memoryId: unprobed("names what is purged: test/transports/purge.test.ts"),
    },
  }),
};
