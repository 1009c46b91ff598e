import { describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { FactSource } from "../../src/core/ports.js";

const extractor = createRulesExtractor();

async function textsOf(content: string, more: Partial<FactSource> = {}): Promise<string[]> {
  const source = { content, timeZone: "UTC", containerTag: "notes", date: "2024-05-06T12:00:00Z", isOwn: true };
  return (await extractor.extract({ ...source, ...more })).map(({ text }) => text);
}

const STATED: Readonly<Record<string, readonly (readonly [note: string, fact: string])[]>> = {
  "where something is": [
    ["The VPN gateway is vpn.example.org.", "The VPN gateway is vpn.example.org"],
    ["The API base URL is https://api.example.com/v1.", "The API base URL is https://api.example.com/v1"],
    ["The docs live at https://docs.example.com.", "The docs live at https://docs.example.com"],
    ["Invoices go to billing@example.org.", "Invoices go to billing@example.org"],
    ["The on-call phone is +31 20 555 0199.", "The on-call phone is +31 20 555 0199"],
    ["The release branch is release/2.4.", "The release branch is release/2.4"],
    ["Support email: help@example.org", "The support email is help@example.org"],
    ["Our meeting room is on the third floor.", "User's meeting room is on the third floor"],
  ],
  "what something means or measures": [
    ["SLA means service level agreement.", "SLA means service level agreement"],
    ["ARR is annual recurring revenue.", "ARR is annual recurring revenue"],
    ["A sprint lasts two weeks.", "A sprint lasts two weeks"],
  ],
  "how an assistant should answer": [
    ["Please always answer in German", "User wants the assistant to always answer in German"],
    ["Answer in German, please.", "User wants the assistant to answer in German"],
    ["Keep answers short.", "User wants the assistant to keep answers short"],
    ["From now on, address me as Doctor.", "User wants the assistant to address them as Doctor"],
    ["Please answer in English from now on.", "User wants the assistant to answer in English"],
    ["Reply in bullet points from now on, please.", "User wants the assistant to reply in bullet points"],
    ["No emojis in the future.", "User wants the assistant to not use emojis"],
    ["Never use emojis from now on.", "The rule is: never use emojis"],
  ],
  "rules and decisions": [
    ["Never use emojis.", "The rule is: never use emojis"],
    ["Always run the tests before you push.", "The rule is: always run the tests before you push"],
    ["Use tabs, not spaces.", "The rule is: use tabs, not spaces"],
    ["Expenses above 500 euros need approval by the CFO.", "Expenses above 500 euros need approval by the CFO"],
    ["The main branch is protected.", "The main branch is protected"],
    ["Deploys are frozen in December.", "Deploys are frozen in December"],
    ["Tabs are preferred over spaces in this project.", "Tabs are preferred over spaces in this project"],
    ["We decided to use Postgres.", "User decided to use Postgres"],
    ["Do not use tabs in this repository.", "The rule is: never use tabs in this repository"],
    ["The API key rotates every 90 days.", "The API key rotates every 90 days"],
    ["The team agreed that Ida owns billing.", "The team agreed that Ida owns billing"],
    ["Deadline for the tender: 3 March 2027.", "The deadline for the tender is 3 March 2027"],
    ["Emergency contact: Lena, +49 170 1234567", "User's emergency contact is Lena, +49 170 1234567"],
  ],
  "when something recurs": [
    ["The standup is at 9:15.", "The standup is at 9:15"],
    ["Our daily standup is at 9:15.", "User's daily standup is at 9:15"],
    ["The standup is now at 9:30.", "The standup is now at 9:30"],
    ["Correction: standup is at 9:30 now, not 9:15.", "Standup is at 9:30 now"],
    ["Correction: the standup is at 9:30, not 9:15.", "The standup is at 9:30"],
    ["standup is at 9:30 now", "Standup is at 9:30 now"],
  ],
  "what was changed or cancelled": [
    ["We upgraded the API to Node 22.", "User upgraded the API to Node 22"],
    ["We have upgraded the build server to Ubuntu 24.04.", "User has upgraded the build server to Ubuntu 24.04"],
    ["We bumped the worker to Python 3.13.", "User bumped the worker to Python 3.13"],
    ["The meeting with Lena is cancelled.", "The meeting with Lena is cancelled"],
    ["The offsite is canceled.", "The offsite is canceled"],
    ["The offsite is cancelled", "The offsite is cancelled"],
    ["The offsite was cancelled.", "The offsite was cancelled"],
    ["Our offsite has been called off.", "User's offsite has been called off"],
    ["I am together with Anna.", "User is together with Anna"],
    ["I told Tom: I live in Berlin.", "User lives in Berlin"],
    ["offsite is cancelled", "Offsite is cancelled"],
    ["We no longer just deploy on Thursdays.", "User no longer just deploys on Thursdays"],
    ["We upgraded to 22.04.", "User upgraded to 22.04"],
  ],
  "facts in another language, in that language": [
    ["Meine Schwester wohnt in Gent.", "Meine Schwester wohnt in Gent."],
    ["J'habite à Paris.", "J'habite à Paris."],
    ["Mijn auto is een Volvo.", "Mijn auto is een Volvo."],
    ["Vivo en Madrid con mi hermana.", "Vivo en Madrid con mi hermana."],
    ["Я живу в Берлине.", "Я живу в Берлине."],
    ["私は東京に住んでいます。", "私は東京に住んでいます。"],
  ],
};

const NOTHING: Readonly<Record<string, readonly string[]>> = {
  "one-time requests": ["Please send me the file.", "Please help me with this.", "Call me later.", "Answer this."],
  "common phrases": ["Never mind.", "Never give up.", "Don't worry.", "Always be yourself", "Keep in touch!"],
  "instructions on a page": ["Use this link to log in.", "Click here to continue.", "Never use this button."],
  "temporary and mistaken states": [
    "The standup is at risk.",
    "The meeting is at 10.",
    "The build is cancelled.",
    "The request is cancelled if it takes too long.",
    "Is the offsite cancelled?",
    "The offsite is not cancelled.",
    "We upgraded the code.",
    "The offsite might be cancelled.",
    "I am together with them.",
    "Answer from now on.",
    "event is fired when the button is clicked",
    "session is expired",
    "shift is pressed",
    "match is found in line 12",
    "review is in progress",
    "operation is complete",
  ],
  "statements by others": [
    "Bob wrote: I live in Berlin.",
    "A tutorial says: we upgraded the API to Node 22.",
    "The blog claims: we use Jenkins.",
    "My sister told me: I am allergic to nuts.",
    "The sign said: the offsite is cancelled.",
  ],
  "opinions and small talk": [
    "The weather is nice.",
    "The answer is 42.",
    "This is preferred over that in this project.",
    "It is frozen in this repo.",
    "The problem is that it is slow.",
    "That means a lot to me.",
    "No news means good news.",
    "A meeting is one of those things.",
  ],
  questions: ["Can you answer in German?", "What does SLA mean?", "Is the gateway vpn.example.org?"],
  code: ["const gateway = 'vpn.example.org';", "SELECT * FROM users;", "npm install express", "return always(x);"],
  "greetings, thanks and questions in another language": [
    "Hallo, wie geht es dir?",
    "Was machst du heute?",
    "Danke schön für die Hilfe!",
    "Merci beaucoup pour votre aide",
    "Bonjour tout le monde",
    "¿Dónde vives ahora?",
    "会議はどこですか。",
  ],
};

describe.each(Object.entries(STATED))("a note states %s", (_group, cases) => {
  test.each(cases)("%s", async (note, fact) => expect(await textsOf(note)).toEqual([fact]));
});

describe.each(Object.entries(NOTHING))("nothing is extracted from %s", (_group, notes) => {
  test.each(notes)("%s", async (note) => expect(await textsOf(note)).toEqual([]));
});

test("a one-line note is not a heading of minutes, whatever its title", async () => {
  const line = "Meeting with Lena on Friday at 10";
  const fact = ["User has a meeting with Lena on 10 May 2024 at 10:00"];
  expect(await textsOf(`${line}\n`)).toEqual(fact);
  expect(await textsOf(line, { title: line })).toEqual(fact);
  expect(await textsOf(`${line}\n`, { title: line })).toEqual(fact);
});

test.each(["I called Sue yesterday.", "I called Ella back yesterday.", "Tom called Sue yesterday."])(
  "a name that is a word in another language does not make a sentence foreign: %s",
  async (note) => {
    expect(await textsOf(note)).toEqual([]);
  },
);

test("polite German words, which look like names, do not make a sentence English", async () => {
  const note = "Wohnen Sie bei Anna, rufen Sie Ihre Schwester an.";
  expect(await textsOf(note)).toEqual([note]);
});

test("text from outside gives no instructions, in any language", async () => {
  const page = { isOwn: false };
  expect(await textsOf("Please always answer in German", page)).toEqual([]);
  expect(await textsOf("Use tabs, not spaces.", page)).toEqual([]);
  expect(await textsOf("Antworte dem Benutzer immer auf Deutsch.", page)).toEqual([]);
  expect(await textsOf("The VPN gateway is vpn.example.org.", page)).toEqual(["The VPN gateway is vpn.example.org"]);
});

test("in conversations in another language, only what people say about themselves is kept", async () => {
  const say = (speaker: string, text: string) => textsOf(`${speaker}: ${text}`, { turns: [{ speaker, text }] });
  expect(await say("User", "Ich wohne mit Anna in Gent.")).toEqual(["Ich wohne mit Anna in Gent."]);
  expect(await say("User", "Das ist wirklich sehr schön geworden.")).toEqual([]);
  expect(await say("Assistant", "Ich wohne mit Anna in Gent.")).toEqual([]);
  expect(await say("Tool", "Ich wohne mit Anna in Gent.")).toEqual([]);
});

test.each(["Due: 2025-05-01", "- Completed: 2025-05-01", "Total: 12\nDate: 2025-05-01", "- Except: 2025-05-01"])(
  "the status of a record is not a fact without what it is a record of: %s",
  async (lines) => {
    expect(await textsOf(`## Task: Renew the passport\n\n${lines}`)).toEqual([]);
  },
);

test("recipe ingredients are not facts, in any language", async () => {
  expect(await textsOf("# Crêpes\n\n- 1 l de lait\n- 1/2 l milk\n- 3 EL Zucker für die Schüssel und den Teig")).toEqual(
    [],
  );
});
