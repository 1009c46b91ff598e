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
      works(
        "Returns `id`, `conversationId` and `status`; the id stays the same when messages are added",
        async (world) => {
          const first = await talk(world, [HI]);
          expect(first).toMatchObject({ conversationId: `talk-${world.tag}`, status: "queued" });
          expect((await talk(world, [HI, { role: "assistant", content: "How nice!" }])).id).toBe(first.id);
        },
      ),
      works(
        "The document has the conversation's id as its `customId`, and a transcript as its content",
        async (world) => {
          await talk(world, [HI]);
          expect(await world.document(`talk-${world.tag}`)).toMatchObject({
            customId: `talk-${world.tag}`,
            content: "user: I keep bees on the roof.",
          });
        },
      ),
      works("What the user says is remembered", async (world) => {
        await talk(world, [HI]);
        expect((await world.entries()).map(({ memory }) => memory).join()).toContain("bees");
      }),
      works("Sending the whole history again adds what is new and duplicates nothing", async (world) => {
        await talk(world, [HI]);
        const { id } = await talk(world, [HI, { role: "assistant", content: "How nice!" }]);
        expect((await world.document(id)).content).toBe("user: I keep bees on the roof.\n\nassistant: How nice!");
      }),
      works("Sending only new messages continues the conversation", async (world) => {
        await talk(world, [HI]);
        const { id } = await talk(world, [{ role: "user", content: "I sell honey." }]);
        expect((await world.document(id)).content).toBe("user: I keep bees on the roof.\n\nuser: I sell honey.");
      }),
      works(
        "Editing one message changes only that message",
        inTest(
          "transports/rest-conversations",
          "with one edited message changes only that message, and learns what it says",
        ),
      ),
      works("Roles are `user`, `assistant`, `system` and `tool`; any other returns 400", (world) =>
        world.gives(400, "POST", "/v4/conversations", {
          conversationId: "x",
          messages: [{ role: "bee", content: "x" }],
        }),
      ),
      works("An empty list of messages returns 400", (world) =>
        world.gives(400, "POST", "/v4/conversations", { conversationId: "x", messages: [] }),
      ),
      works("Text parts of a message are joined", async (world) => {
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
        "Tool calls are stored and searchable with their arguments and results",
        inTest("transports/rest-conversations", "are stored and found in the format %s"),
      ),
      works(
        "Images in messages are read",
        inTest("transports/rest-conversations", "are read at any size within the batch limit, and found by their text"),
      ),
      works(
        "`image_url` is another name for `imageUrl`, `customId` for `conversationId`, and `containerTag` for `containerTags`",
        inTest("transports/rest-changes", "accepts the names used by samples: customId, containerTag, image_url"),
      ),
      works("`metadata` accepts only single values, no lists", async (world) => {
        const { id } = await talk(world, [HI], { metadata: { team: "a" } });
        expect((await world.document(id)).metadata).toMatchObject({ team: "a" });
      }),
      works("`entityContext` is stored on the container", ofField("POST /v4/conversations entityContext")),
      works(
        "Without a container tag, the conversation goes to the default container",
        inTest(
          "core/conversations",
          "continues in the default container if none is named; one with the same id elsewhere is unchanged",
        ),
      ),
      works(
        "The same id in another container is another conversation",
        inTest("core/conversations", "with the same id in another container is a separate one"),
      ),
      works(
        "Returns 409 while its container is being merged into another",
        inTest("core/merge", "writes to the source are deferred; writes to the target and elsewhere continue"),
      ),
      works(
        "Conversations are processed in time linear in the number of messages",
        inTest("core/conversations", "takes linear time"),
      ),
    ],
  },
];
