import { createRequire } from "node:module";
import * as memoryGraph from "@supermemory/memory-graph";
import { afterAll, beforeAll, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";

/** The graph component's own functions, applied to the service's answer to the call that feeds it. */

const fromGraph = createRequire(createRequire(import.meta.url).resolve("@supermemory/memory-graph/package.json"));
const { createElement } = fromGraph("react") as { readonly createElement: (component: () => null) => object };
const { renderToString } = fromGraph("react-dom/server") as { readonly renderToString: (element: object) => string };

/** The package's declarations, which TypeScript cannot resolve from here. */
interface GraphApiDocument {
  readonly id: string;
  readonly title: string | null;
  readonly summary: string | null;
  readonly documentType: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly memories: readonly {
    readonly id: string;
    readonly memory: string;
    readonly spaceContainerTag: string | null;
  }[];
}
interface Graph {
  readonly nodes: readonly { readonly id: string; readonly type: "document" | "memory" }[];
  readonly edges: readonly { readonly source: string; readonly target: string; readonly edgeType: string }[];
}
const { DEFAULT_COLORS, useGraphData, VersionChainIndex } = memoryGraph as {
  readonly DEFAULT_COLORS: object;
  readonly useGraphData: (
    documents: readonly GraphApiDocument[],
    dragged: null,
    width: number,
    height: number,
    colors: object,
  ) => Graph;
  readonly VersionChainIndex: new () => {
    rebuild(documents: readonly GraphApiDocument[]): void;
    getChain(memoryId: string): readonly object[] | null;
  };
};

/** Runs the hook that lays out the graph, without a browser. */
function layOut(documents: readonly GraphApiDocument[]): Graph {
  let graph: Graph | undefined;
  const Probe = () => {
    graph = useGraphData(documents, null, 800, 600, DEFAULT_COLORS);
    return null;
  };
  renderToString(createElement(Probe));
  if (!graph) throw new Error("the component was not rendered");
  return graph;
}

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

/** The request of the web app and of MCP; the app renames the API's fields to the graph's. */
async function fetchDocuments(body: object): Promise<GraphApiDocument[]> {
  const answer = await fetch(`${service.url}/v3/documents/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ page: 1, limit: 500, sort: "createdAt", order: "desc", ...body }),
  });
  expect(answer.status).toBe(200);
  const { documents, pagination } = (await answer.json()) as {
    documents: (Omit<GraphApiDocument, "documentType" | "memories"> & {
      type: string;
      memoryEntries: GraphApiDocument["memories"];
    })[];
    pagination: object;
  };
  expect(pagination).toMatchObject({
    currentPage: 1,
    limit: 500,
    totalItems: documents.length,
    totalPages: documents.length > 0 ? 1 : 0,
  });
  return documents.map(({ type, memoryEntries, ...document }) => ({
    ...document,
    documentType: type,
    memories: memoryEntries,
  }));
}

const trial = tryClient("memoryGraph");

trial.tries(["useGraphData", "VersionChainIndex"], "draws documents, memories and their versions", async () => {
  await service.rest.send("POST", "/v3/documents", {
    content: "Ada leads the search team. Bo leads the storage team.",
    containerTag: "graph",
  });
  await service.rest.send("POST", "/v3/documents", { content: "Cleo plays the cello.", containerTag: "elsewhere" });
  await service.settle();
  const created = await service.rest.send("POST", "/v4/memories", {
    containerTag: "graph",
    memories: [{ content: "Dora lives in Rome" }],
  });
  const { id } = created.body.memories[0];
  const update = { containerTag: "graph", id, newContent: "Dora lives in Porto" };
  const { body: updated } = await service.rest.send("PATCH", "/v4/memories", update);

  const documents = await fetchDocuments({ containerTags: ["graph"] });
  const memories = documents.flatMap((document) => document.memories);
  expect(memories.map(({ memory }) => memory)).toEqual(
    expect.arrayContaining(["Dora lives in Porto", expect.stringContaining("Ada"), expect.stringContaining("Bo")]),
  );
  for (const memory of memories) expect(memory.spaceContainerTag).toBe("graph");

  const { nodes, edges } = layOut(documents);
  const idsOf = (type: string) => nodes.filter((node) => node.type === type).map((node) => node.id);
  expect(idsOf("document").toSorted()).toEqual(documents.map((document) => document.id).toSorted());
  expect(idsOf("memory").toSorted()).toEqual([...new Set(memories.map((memory) => memory.id))].toSorted());
  for (const memory of memories)
    expect(edges.some(({ target, edgeType }) => target === memory.id && edgeType === "derives")).toBe(true);
  expect(edges.filter(({ edgeType }) => edgeType === "updates")).toMatchObject([{ source: id, target: updated.id }]);

  const chains = new VersionChainIndex();
  chains.rebuild(documents);
  expect(chains.getChain(updated.id)).toMatchObject([
    { id, version: 1, isLatest: false, memory: "Dora lives in Rome" },
    { id: updated.id, version: 2, isLatest: true, memory: "Dora lives in Porto" },
  ]);
});

trial.tries("useGraphData", "draws everything without a tag, and nothing for a tag without documents", async () => {
  const everything = layOut(await fetchDocuments({}));
  expect(everything.nodes.filter(({ type }) => type === "document").length).toBeGreaterThanOrEqual(2);
  expect(layOut(await fetchDocuments({ containerTags: ["nothing"] }))).toEqual({ nodes: [], edges: [] });
});

trial.isInTable();
