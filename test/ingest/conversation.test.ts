import { describe, expect, test } from "vitest";
import type { Turn } from "../../src/core/types.js";
import { parseConversation } from "../../src/ingest/conversation.js";

/** Each turn as "Anna: Hello", which is easier to read in tables than objects. */
async function turnsOf(content: string): Promise<string[] | null> {
  const conversation = await parseConversation(content);
  return conversation && conversation.turns.map((turn) => `${turn.speaker}: ${turn.text}`);
}

const MESSAGES = [
  { role: "user", content: "I moved to Porto." },
  { role: "assistant", content: "How nice!" },
];
const TURNS = ["User: I moved to Porto.", "Assistant: How nice!"];

describe("transcripts", () => {
  const recognised: [name: string, content: string, turns: string[]][] = [
    ["roles", "User: Hi, I am Ben.\nAssistant: Hello Ben.", ["User: Hi, I am Ben.", "Assistant: Hello Ben."]],
    [
      "marks with ends, as coding agents write them",
      "[role: user]\nI moved to Porto.\nLast week.\n[user:end]\n\n[role: assistant]\nHow nice!\n[assistant:end]",
      ["User: I moved to Porto.\nLast week.", "Assistant: How nice!"],
    ],
    ["one marked message", "[role: user]\nI moved to Porto.\n[user:end]", ["User: I moved to Porto."]],
    ["roles in brackets", "[user] I moved to Porto.\n[assistant] How nice!", TURNS],
    ["roles in brackets above the text", "[user]\nI moved to Porto.\n[assistant]\nHow nice!", TURNS],
    ["a numbered list of messages", "1. [user] I moved to Porto.\n2. [assistant] How nice!", TURNS],
    ["roles in lower case", "user: hi\nassistant: hello", ["User: hi", "Assistant: hello"]],
    ["other words for the roles", "Human: hi\nAI: hello", ["User: hi", "Assistant: hello"]],
    [
      "a system prompt",
      "System: Be kind.\nUser: hi\nAssistant: hello",
      ["System: Be kind.", "User: hi", "Assistant: hello"],
    ],
    [
      "names",
      "Caroline: Hey Mel! How are you?\nMelanie: I'm fine.\nCaroline: Good.",
      ["Caroline: Hey Mel! How are you?", "Melanie: I'm fine.", "Caroline: Good."],
    ],
    ["two names, once each", "Anna: Are you in?\nBob: Yes, I am.", ["Anna: Are you in?", "Bob: Yes, I am."]],
    [
      "names with titles, accents and initials",
      "Dr. Müller: How are you?\nJosé O'Neill: I'm well.\nDr. Müller: Good.",
      ["Dr. Müller: How are you?", "José O'Neill: I'm well.", "Dr. Müller: Good."],
    ],
    [
      "names in other scripts",
      "田中: 元気ですか？\n鈴木: はい！\n田中: よかった。",
      ["田中: 元気ですか？", "鈴木: はい！", "田中: よかった。"],
    ],
    [
      "turns of several lines",
      "User: I need\n\n- milk\n- eggs\nAssistant: Noted.\nAnything else?",
      ["User: I need\n\n- milk\n- eggs", "Assistant: Noted.\nAnything else?"],
    ],
    ["labels on lines of their own", "User:\nhi there\n\nAssistant:\nhello", ["User: hi there", "Assistant: hello"]],
    ["bold labels", "**User:** hi\n\n**Assistant:** hello", ["User: hi", "Assistant: hello"]],
    ["headings", "## User\n\nhi\n\n## Assistant\n\nhello", ["User: hi", "Assistant: hello"]],
    [
      "times in brackets",
      "[10:32] Anna: Are you there?\n[10:33] Bob: I am!\n[10:34] Anna: Good.",
      ["Anna: Are you there?", "Bob: I am!", "Anna: Good."],
    ],
    [
      "an exported chat",
      "12/05/2023, 10:32 - Anna: Are you there?\n12/05/2023, 10:33 - Bob: I am!\n12/05/2023, 10:34 - Anna: Good.",
      ["Anna: Are you there?", "Bob: I am!", "Anna: Good."],
    ],
    ["Windows line ends", "User: a b\r\nAssistant: c d\r\n", ["User: a b", "Assistant: c d"]],
    [
      "lines in a turn that look like labels",
      "User: Give me a recipe.\nAssistant: Sure!\nIngredients: flour, milk\nMethod: mix.\nUser: Thanks",
      ["User: Give me a recipe.", "Assistant: Sure!\nIngredients: flour, milk\nMethod: mix.", "User: Thanks"],
    ],
    [
      "labels in fenced code",
      "User: What is this?\n```\nAssistant: not a turn\n```\nAssistant: YAML.",
      ["User: What is this?\n```\nAssistant: not a turn\n```", "Assistant: YAML."],
    ],
  ];
  test.each(recognised)("%s", async (_name, content, turns) => {
    expect(await turnsOf(content)).toEqual(turns);
  });

  const others: [name: string, content: string][] = [
    [
      "a settings file with a section called user",
      "[user]\n  name = Ann Example\n  email = ann@example.com\n[core]\n  editor = vim",
    ],
    ["nothing", ""],
    ["white space", " \n\t\n "],
    ["prose", "I went to Rome.\nIt was hot, and I liked it."],
    ["one labelled line", "User: hello"],
    ["notes and warnings", "Note: do this first.\nWarning: you must not do that!\nNote: done?"],
    ["mail headers", "From: Anna\nTo: Bob\nSubject: Lunch?\nDate: 8 May 2023\n\nAre you free?"],
    ["YAML", "name: recollect\nversion: 1\nuser: root\nhost: localhost"],
    ["a list of properties", "Name: Anna\nAge: 34\nCity: Berlin\nJob: nurse"],
    ["scores", "Berlin: 3.5 million\nHamburg: 1.8 million\nBerlin: first\nHamburg: second"],
    ["a recipe", "Ingredients: flour, milk\nMethod: mix and bake.\nServes: four"],
    ["pros and cons", "Pros: you save time!\nCons: you pay.\nPros: we like it\nCons: I don't"],
    ["dictionary entries", "Dog: an animal\nCat: another animal\nHouse: a building"],
    ["Markdown with bold terms", "# Setup\n\n**Install:** run it.\n**Configure:** edit the file.\n**Start:** go!"],
    ["addresses", "http://example.com: up\nhttps://example.org: down"],
    ["times", "10:30 Breakfast\n11:00 Meeting\n12:00 Lunch"],
    [
      "an article that quotes two lines in the end",
      `${"Long ago there was a town by the sea. ".repeat(120)}\n\nAnna: Are you in?\nBob: Yes, I am.`,
    ],
  ];
  test.each(others)("not %s", async (_name, content) => {
    expect(await turnsOf(content)).toBeNull();
  });
});

describe("JSON messages", () => {
  const recognised: [name: string, content: string, turns: string[]][] = [
    ["role and content", JSON.stringify(MESSAGES), TURNS],
    ["indented", JSON.stringify(MESSAGES, null, 2), TURNS],
    [
      "speaker and text",
      JSON.stringify([
        { speaker: "Caroline", text: "Hi" },
        { speaker: "Melanie", text: "Hello" },
      ]),
      ["Caroline: Hi", "Melanie: Hello"],
    ],
    ["speaker and content", JSON.stringify([{ speaker: "Caroline", content: "Hi" }]), ["Caroline: Hi"]],
    [
      "name and message",
      JSON.stringify([
        { name: "Ann", message: "Hi" },
        { name: "Ben", message: "Hello" },
      ]),
      ["Ann: Hi", "Ben: Hello"],
    ],
    ["a name next to a role", JSON.stringify([{ role: "user", name: "Alice", content: "Hi" }]), ["Alice: Hi"]],
    [
      "from and value",
      JSON.stringify([
        { from: "human", value: "Hi" },
        { from: "gpt", value: "Hello" },
      ]),
      ["User: Hi", "Assistant: Hello"],
    ],
    [
      "content in parts",
      JSON.stringify([
        {
          role: "user",
          content: [
            { type: "text", text: "Look:" },
            { type: "image_url", image_url: { url: "data:" } },
          ],
        },
      ]),
      ["User: Look:\n[image_url]"],
    ],
    [
      "an image caption",
      JSON.stringify([{ speaker: "Ann", text: "See", blip_caption: "a dog" }]),
      ["Ann: See [image: a dog]"],
    ],
    [
      "tool calls without content",
      JSON.stringify([
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ function: { name: "weather", arguments: '{"city":"Rome"}' } }],
        },
      ]),
      ["User: Weather?", 'Assistant: [weather({"city":"Rome"})]'],
    ],
    ["empty messages", JSON.stringify([...MESSAGES, { role: "user", content: " " }]), TURNS],
    ["an object with messages", JSON.stringify({ messages: MESSAGES }), TURNS],
    ["an object with turns", JSON.stringify({ turns: MESSAGES }), TURNS],
    ["an object with a conversation", JSON.stringify({ conversation: MESSAGES }), TURNS],
    ["stringified twice", JSON.stringify(JSON.stringify(MESSAGES)), TURNS],
    ["stringified three times", JSON.stringify(JSON.stringify(JSON.stringify(MESSAGES))), TURNS],
    ["stringified twice within text", `Here it is:\n${JSON.stringify(JSON.stringify(MESSAGES))}\nEnd.`, TURNS],
    ["in a code fence", `\`\`\`json\n${JSON.stringify(MESSAGES)}\n\`\`\``, TURNS],
    ["after other brackets", `[1] {"a": 1} and then ${JSON.stringify(MESSAGES)}`, TURNS],
    [
      "brackets and quotes within the messages",
      JSON.stringify([{ role: "user", content: 'a ] } "[{" \\" b' }]),
      ['User: a ] } "[{" \\" b'],
    ],
  ];
  test.each(recognised)("%s", async (_name, content, turns) => {
    expect(await turnsOf(content)).toEqual(turns);
  });

  const others: [name: string, content: string][] = [
    ["an empty array", "[]"],
    ["numbers", "[1, 2, 3]"],
    ["other objects", JSON.stringify([{ id: 1, title: "a" }])],
    ["a list of products", JSON.stringify(["Lamp", "Chair", "Desk"].map((name) => ({ name, text: `A ${name}` })))],
    ["messages mixed with other things", JSON.stringify([...MESSAGES, 7])],
    ["only empty messages", JSON.stringify([{ role: "user", content: "" }])],
    ["content of an unknown shape", JSON.stringify([{ role: "user", content: { a: 1 } }])],
    ["truncated JSON", JSON.stringify(MESSAGES).slice(0, -8)],
    ["JSON with a trailing comma", `[${JSON.stringify(MESSAGES[0])},]`],
    ["deep JSON", `${'[{"a":'.repeat(50_000)}1${"}]".repeat(50_000)}`],
    ["deep JSON as content", `[{"role":"user","content":${"[".repeat(50_000)}${"]".repeat(50_000)}}]`],
    ["an object with more than lines can express", JSON.stringify({ messages: MESSAGES, other: { a: 1 } })],
  ];
  test.each(others)("not %s", async (_name, content) => {
    expect(await turnsOf(content)).toBeNull();
  });

  test("text around the messages is kept", async () => {
    const content = `Anna is a nurse.\nHere is the chat:\n${JSON.stringify(MESSAGES)}\nThat was all.`;
    expect(await parseConversation(content)).toMatchObject({
      preamble: "Anna is a nurse.",
      caption: "Here is the chat:",
      afterword: "That was all.",
    });
  });

  test("scalar fields next to the messages are kept", async () => {
    const conversation = await parseConversation(
      JSON.stringify({ title: "Trip to Rome", messages: MESSAGES, rating: 5 }),
    );
    expect(conversation?.preamble).toBe("title: Trip to Rome\nrating: 5");
  });
});

describe("the date of a conversation", () => {
  const json = JSON.stringify(MESSAGES);
  const transcript = "User: hi there\nAssistant: hello";
  const dated: [name: string, content: string, date: string | null][] = [
    [
      "the line that benchmark tools send",
      `Here is the date the following session took place: Sat, 20 May 2023 10:15:00 GMT\n\nHere is the session as a stringified JSON:\n${json}`,
      "2023-05-20T10:15:00.000Z",
    ],
    ["an ISO date", `Date: 2023-05-20\n${json}`, "2023-05-20"],
    ["an ISO date-time with an offset", `Date: 2023-05-20T10:00:00+02:00\n${json}`, "2023-05-20T08:00:00.000Z"],
    ["a date in words", `8 May, 2023\n${transcript}`, "2023-05-08"],
    ["a date in words with a time", `Session: 1:56 pm on 8 May, 2023\n${transcript}`, "2023-05-08T13:56:00.000Z"],
    ["American order", `May 8, 2023\n${transcript}`, "2023-05-08"],
    ["a field of the object", JSON.stringify({ date: "2023-05-20", messages: MESSAGES }), "2023-05-20"],
    [
      "the first timestamp of a message",
      JSON.stringify([{ role: "user", content: "a", timestamp: 1_684_576_800 }]),
      "2023-05-20T10:00:00.000Z",
    ],
    [
      "the day at the start of the lines",
      "[2023-05-20 10:00] Ann: Are you in?\n[2023-05-20 10:01] Ben: I am!",
      "2023-05-20",
    ],
    ["none", transcript, null],
    ["none from a date that does not exist", `Date: 2023-02-31\n${json}`, null],
    ["none from a month alone", `May 2023\n${transcript}`, null],
    [
      "none from prose that mentions a day",
      `We first met in the harbour of Genoa on 3 June 2011, before all of this began to happen.\n${json}`,
      null,
    ],
  ];
  test.each(dated)("%s", async (_name, content, date) => {
    expect((await parseConversation(content))?.date).toBe(date);
  });

  test("every message keeps its own timestamp", async () => {
    const content = JSON.stringify([
      { role: "user", content: "a", timestamp: "2023-05-20T10:00:00Z" },
      { role: "assistant", content: "b", timestamp: 1_684_663_200_000 },
      { role: "user", content: "c" },
    ]);
    const turns: readonly Turn[] = (await parseConversation(content))?.turns ?? [];
    expect(turns.map((turn) => turn.date)).toEqual(["2023-05-20T10:00:00.000Z", "2023-05-21T10:00:00.000Z", undefined]);
  });
});

describe("hostile texts are still parsed", () => {
  const hostile: [name: string, content: string][] = [
    ["a million opening brackets", "[".repeat(1_000_000)],
    ["a million quotes", '"'.repeat(1_000_000)],
    ["a million starts of JSON", '[{"'.repeat(333_333)],
    ["a million brackets and spaces", "[ ".repeat(500_000)],
    ["a million characters without a line break", "a:".repeat(500_000)],
    ["a million label characters", `${"A".repeat(1_000_000)}: x`],
    ["a million line breaks", "\n".repeat(1_000_000)],
    ["control characters", "\u0000\u0001\u001b[31m".repeat(1000)],
    ["lone surrogates", "\ud800User: a\nAssistant: b\udfff".repeat(100)],
  ];
  test.each(hostile)("%s", async (_name, content) => {
    const conversation = await parseConversation(content);
    expect(conversation?.turns.length ?? 0).toBeLessThan(content.length);
  });

  test("20,000 messages", async () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => ({
      role: index % 2 ? "user" : "assistant",
      content: `m${index}`,
    }));
    expect((await parseConversation(JSON.stringify(messages)))?.turns).toHaveLength(20_000);
  });
});
