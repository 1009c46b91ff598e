// A model provider that answers immediately: embeddings by hashing words, and a chat that returns the newest message as
// its only fact. Its own process; prints its address. A peer spends no time waiting for it.
import { createServer } from "node:http";

const DIMENSIONS = 384;

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const answer = request.url.endsWith("/embeddings") ? embeddings(body) : completion(body);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/v1\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();

function embeddings({ input, model }) {
  const texts = Array.isArray(input) ? input : [input];
  const data = texts.map((text, index) => ({ object: "embedding", index, embedding: embed(text) }));
  return { object: "list", model, data, usage: { prompt_tokens: 0, total_tokens: 0 } };
}

/** Long words count for more, since short ones are mostly function words. */
function embed(text) {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = hashOf(word);
    vector[hash % DIMENSIONS] += (hash & 1_024 ? 1 : -1) * Math.min(word.length, 8);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

function hashOf(word) {
  let hash = 2_166_136_261;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16_777_619) >>> 0;
  return hash;
}

function completion({ messages, model }) {
  const prompt = messages.at(-1).content;
  const text = /## New Messages\n(?:user: )?([^\n]+)/.exec(prompt)?.[1] ?? "";
  const content = JSON.stringify({ memory: text === "" ? [] : [{ id: "0", text, attributed_to: "user" }] });
  return {
    id: "scripted",
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  };
}
