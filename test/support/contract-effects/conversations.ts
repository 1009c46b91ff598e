import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works } from "./effect.js";
import type { World } from "./world.js";

const HI = { role: "user", content: "I keep bees on the roof." };
async function talk(world: World, messages: readonly unknown[], more: Record<string, unknown> = {}) {
  const body = await world.ok("POST", "/v4/conversations", {
    conversationId: `talk-${world.tag}`,
    containerTags: [world.tag],
    messages,
    ...more,
  });
  await world.rest.settle();
  return body;
}

export const conversations: readonly ContractGroup[] = [
  {
    heading: "POST /v4/conversations",
    effects: [
      works("Answers `id`, `conversationId`, `status`; the id stays when more is sent", async (world) => {
        const first = await talk(world, [HI]);
        expect(first).toMatchObject({ conversationId: `talk-${world.tag}`, status: "queued" });
        expect((await talk(world, [HI, { role: "assistant", content: "How nice!" }])).id).toBe(first.id);
      }),
      works("The document has the conversation's id as `customId`, and a transcript", async (world) => {
        await talk(world, [HI]);
        expect(await world.document(`talk-${world.tag}`)).toMatchObject({
          customId: `talk-${world.tag}`,
          content: "user: I keep bees on the roof.",
        });
      }),
      works("What the user says is remembered", async (world) => {
        await talk(world, [HI]);
        expect((await world.entries()).map(({ memory }) => memory).join()).toContain("bees");
      }),
      works("The whole history again adds what is new, and keeps nothing twice", async (world) => {
        await talk(world, [HI]);
        const { id } = await talk(world, [HI, { role: "assistant", content: "How nice!" }]);
        expect((await world.document(id)).content).toBe("user: I keep bees on the roof.\n\nassistant: How nice!");
      }),
      works("New messages alone go on with it", async (world) => {
        await talk(world, [HI]);
        const { id } = await talk(world, [{ role: "user", content: "I sell honey." }]);
        expect((await world.document(id)).content).toBe("user: I keep bees on the roof.\n\nuser: I sell honey.");
      }),
      works(
        "One edited message changes that message alone",
        inTest(
          "transports/rest-conversations",
          "with one edited message changes only that message, and learns what it says",
        ),
      ),
      works("Roles are `user`, `assistant`, `system`, `tool`; others are 400", (world) =>
        world.gives(400, "POST", "/v4/conversations", {
          conversationId: "x",
          messages: [{ role: "bee", content: "x" }],
        }),
      ),
      works("No messages are 400", (world) =>
        world.gives(400, "POST", "/v4/conversations", { conversationId: "x", messages: [] }),
      ),
      works("Parts of text are joined", async (world) => {
        const { id } = await talk(world, [
          {
            role: "user",
            content: [
              { type: "text", text: "I keep bees." },
              { type: "text", text: "And hens." },
            ],
          },
        ]);
        expect((await world.document(id)).content).toBe("user: I keep bees.\nAnd hens.");
      }),
      works(
        "Calls of tools are kept and found with arguments and results",
        inTest("transports/rest-conversations", "are stored and found in the format %s"),
      ),
      works(
        "Images of messages are read",
        inTest("transports/rest-conversations", "are read at any size within the batch limit, and found by their text"),
      ),
      works(
        "`image_url` is another name of `imageUrl`, `customId` of `conversationId`, `containerTag` of `containerTags`",
        inTest("transports/rest-changes", "accepts the names used by samples: customId, containerTag, image_url"),
      ),
      works("`metadata` has single values alone", async (world) => {
        const { id } = await talk(world, [HI], { metadata: { team: "a" } });
        expect((await world.document(id)).metadata).toMatchObject({ team: "a" });
      }),
      works("`entityContext` is kept for the container", ofField("POST /v4/conversations entityContext")),
      works(
        "Without a container it goes to the default one",
        inTest(
          "core/conversations",
          "continues in the default container if none is named; one with the same id elsewhere is unchanged",
        ),
      ),
      works(
        "Of the same id in another container it is another conversation",
        inTest("core/conversations", "with the same id in another container is a separate one"),
      ),
      works(
        "409 while its container is merged",
        inTest("core/merge", "writes to the source are deferred; writes to the target and elsewhere continue"),
      ),
      works("Many messages are read in linear time", inTest("core/conversations", "takes linear time")),
    ],
  },
];
