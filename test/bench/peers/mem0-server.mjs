// The `Memory` of mem0ai/oss behind a minimal HTTP server, so that it is called the same way as Recollect.
// Argument: as JSON, where it is installed, where it stores its files and where its models are. Prints its address.
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { installed, folder, provider } = JSON.parse(process.argv[2]);
const entry = join(installed, "node_modules", "mem0ai", "dist", "oss", "index.mjs");
const { Memory } = await import(pathToFileURL(entry).href);

const model = { apiKey: "scripted", baseURL: provider, model: "scripted" };
const memory = new Memory({
  embedder: { provider: "openai", config: { ...model, embeddingDims: 384 } },
  llm: { provider: "openai", config: model },
  vectorStore: { provider: "memory", config: { dimension: 384, dbPath: join(folder, "vectors.db") } },
  historyStore: { provider: "sqlite", config: { historyDbPath: join(folder, "history.db") } },
});

const routes = {
  "/add": ({ text, userId, infer }) => memory.add(text, { userId, infer }),
  "/search": ({ query, userId, topK }) => memory.search(query, { topK, filters: { user_id: userId } }),
};

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => void answer(request.url, Buffer.concat(parts).toString("utf8"), response));
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();

async function answer(path, text, response) {
  try {
    const result = await routes[path](JSON.parse(text));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
  } catch (error) {
    response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
  }
}
