import { afterAll, beforeAll, describe, expect } from "vitest";
import * as z from "zod";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openPlugin } from "../support/plugin.js";

/** The requests of programs that cannot be imported as packages, field by field as they send them (contract 7.8). */

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

const iso = z.iso.datetime({ precision: 3 });

describe("smfs and @supermemory/bash", () => {
  const trial = tryClient("smfs");
  const plugin = () => openPlugin(service, { "x-sm-source": "smfs" });
  const TAG = "mount";
  /** The fields of a document that the file system shows; the Rust client needs the page's limit. */
  const listing = z.object({
    memories: z.array(
      z.object({
        id: z.string(),
        customId: z.string().nullable(),
        filepath: z.string().nullable(),
        title: z.string().nullable(),
        summary: z.string().nullable(),
        content: z.string(),
        status: z.string(),
        containerTags: z.array(z.string()),
        createdAt: iso,
        updatedAt: iso,
        metadata: z.record(z.string(), z.unknown()).nullable(),
        type: z.string(),
      }),
    ),
    pagination: z.object({ currentPage: z.int(), limit: z.int(), totalItems: z.int(), totalPages: z.int() }),
  });
  const list = async (filepath: string) => {
    const body = {
      containerTags: [TAG],
      filepath,
      includeContent: true,
      sort: "updatedAt",
      order: "desc",
      limit: 100,
      page: 1,
    };
    return listing.parse((await plugin().call("POST", "/v3/documents/list", body)).body);
  };
  const pathsUnder = async (filepath: string) =>
    (await list(filepath)).memories.map(({ filepath }) => filepath ?? "").toSorted();

  trial.tries("GET /v3/session", "logs in", async () => {
    expect((await plugin().call("GET", "/v3/session")).status).toBe(200);
  });

  trial.tries(["POST /v3/documents", "POST /v3/documents/list"], "write files, and list one or a folder", async () => {
    for (const filepath of ["/notes/a.md", "/notes/deep/b.md", "/other.md"]) {
      const file = {
        content: `The file at ${filepath} is about harbours.`,
        filepath,
        containerTag: TAG,
        metadata: { mode: 33188 },
      };
      expect((await plugin().call("POST", "/v3/documents", file)).status).toBe(200);
    }
    expect(await pathsUnder("/notes/")).toEqual(["/notes/a.md", "/notes/deep/b.md"]);
    expect(await list("/notes/a.md")).toMatchObject({
      memories: [
        { filepath: "/notes/a.md", content: "The file at /notes/a.md is about harbours.", metadata: { mode: 33188 } },
      ],
      pagination: { currentPage: 1, limit: 100, totalItems: 1, totalPages: 1 },
    });
    expect(await pathsUnder("/note")).toEqual([]);
  });

  trial.tries(
    ["POST /v3/documents/file", "GET /v3/documents/{id}"],
    "upload a file, and read it by its id",
    async () => {
      const form = new FormData();
      form.set("file", new Blob(["Name,Port\nLena,Faro\n"], { type: "text/csv" }), "ships.csv");
      form.set("containerTag", TAG);
      form.set("filepath", "/data/ships.csv");
      form.set("metadata", JSON.stringify({ mode: 33188 }));
      const { status, body } = await plugin().call("POST", "/v3/documents/file", form);
      expect(status).toBe(200);
      const { body: document } = await plugin().call("GET", `/v3/documents/${body.id}`);
      expect(document).toMatchObject({ filepath: "/data/ships.csv", metadata: { mode: 33188 }, containerTags: [TAG] });
      await service.settle();
      const done = (await plugin().call("GET", `/v3/documents/${body.id}`)).body;
      expect(done).toMatchObject({ status: "done", content: expect.stringContaining("Lena") });
      const bytes = await openPlugin(service).call("GET", done.url.replace(service.url, ""));
      expect(bytes.body).toBe("Name,Port\nLena,Faro\n");
    },
  );

  trial.tries("GET /v3/documents/processing", "shows unfinished documents of its tag only", async () => {
    await plugin().call("POST", "/v3/documents", { content: "Not of this mount.", containerTag: "elsewhere" });
    const { body } = await plugin().call("GET", `/v3/documents/processing?containerTag=${TAG}`);
    expect(body.totalCount).toBe(body.documents.length);
    for (const document of body.documents) expect(document.containerTags).toEqual([TAG]);
    await service.settle();
    expect((await plugin().call("GET", `/v3/documents/processing?containerTag=${TAG}`)).body).toEqual({
      documents: [],
      totalCount: 0,
    });
  });

  trial.tries("PATCH /v3/documents/{id}", "renames, and writes while the last write is being processed", async () => {
    const id = (await list("/other.md")).memories[0]?.id ?? "";
    const patch = async (body: object) => (await plugin().call("PATCH", `/v3/documents/${id}`, body)).status;
    expect(await patch({ filepath: "/renamed.md" })).toBe(200);
    for (const content of ["First draft.", "Second draft.", "The lighthouse blinks twice."])
      expect(await patch({ content, metadata: { mode: 33188 } })).toBe(200);
    expect((await list("/renamed.md")).memories).toMatchObject([{ id, content: "The lighthouse blinks twice." }]);
    await service.settle();
    expect((await list("/renamed.md")).memories).toMatchObject([
      { id, content: "The lighthouse blinks twice.", status: "done" },
    ]);
  });

  trial.tries(["POST /v4/search", "POST /v4/profile"], "search in a folder, and read the profile", async () => {
    const search = {
      q: "harbours",
      containerTag: TAG,
      searchMode: "hybrid",
      filepath: "/notes/",
      include: { documents: true },
    };
    const { body } = await plugin().call("POST", "/v4/search", search);
    expect(body.results.length).toBeGreaterThan(0);
    for (const result of body.results) expect(result.filepath).toMatch(/^\/notes\//);
    expect((await plugin().call("POST", "/v4/profile", { containerTag: TAG })).body.profile).toMatchObject({
      static: [],
      dynamic: expect.any(Array),
    });
  });

  trial.tries(
    "PATCH /v3/container-tags/{tag}",
    "creates its tag on mounting, and sets which paths are memories",
    async () => {
      const paths = { memoryFilesystemPaths: ["/notes/"] };
      expect((await plugin().call("PATCH", "/v3/container-tags/new_mount", paths)).body).toMatchObject({
        containerTag: "new_mount",
        ...paths,
      });
      expect(
        (await plugin().call("PATCH", "/v3/container-tags/new_mount", { memoryFilesystemPaths: null })).body
          .memoryFilesystemPaths,
      ).toBeNull();
    },
  );

  trial.tries("DELETE /v3/documents/bulk", "removes files by id, and a folder with everything below it", async () => {
    const id = (await list("/renamed.md")).memories[0]?.id;
    const one = { ids: [id], containerTags: [TAG] };
    expect((await plugin().call("DELETE", "/v3/documents/bulk", one)).body).toMatchObject({
      success: true,
      deletedCount: 1,
    });
    const folder = { containerTags: [TAG], filepath: "/notes/" };
    expect((await plugin().call("DELETE", "/v3/documents/bulk", folder)).body).toMatchObject({
      success: true,
      deletedCount: 2,
    });
    expect(await pathsUnder("/")).toEqual(["/data/ships.csv"]);
  });

  trial.isInTable();
});

describe("Raycast", () => {
  const trial = tryClient("raycast");
  const plugin = () => openPlugin(service);

  trial.tries(
    ["GET /v3/settings", "GET /v3/projects", "POST /v3/projects"],
    "check the key, create a project and list it",
    async () => {
      expect((await plugin().call("GET", "/v3/settings")).status).toBe(200);
      const { status, body } = await plugin().call("POST", "/v3/projects", { name: "Trip to Faro" });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: expect.any(String),
        name: "Trip to Faro",
        containerTag: expect.stringMatching(/^sm_project_/),
      });
      const { projects } = (await plugin().call("GET", "/v3/projects")).body;
      expect(projects).toContainEqual(
        expect.objectContaining({ id: body.id, name: "Trip to Faro", containerTag: body.containerTag }),
      );
    },
  );

  trial.tries(["POST /v3/documents", "POST /v3/search"], "add with a title, and find documents", async () => {
    const tags = { containerTags: ["sm_project_raycast"] };
    const add = {
      content: "The ferry to the island leaves at noon.",
      ...tags,
      title: "Ferry",
      url: "https://example.com/ferry",
    };
    expect((await plugin().call("POST", "/v3/documents", add)).status).toBe(200);
    await service.settle();
    const { body } = await plugin().call("POST", "/v3/search", { q: "when does the ferry leave", ...tags, limit: 10 });
    expect(body.results).toMatchObject([
      {
        documentId: expect.any(String),
        title: "Ferry",
        type: "text",
        score: expect.any(Number),
        createdAt: expect.any(String),
      },
    ]);
    expect(body).toMatchObject({ total: 1, timing: expect.any(Number) });
  });

  trial.tries("POST /v3/search", "shows every error by its message, always as JSON", async () => {
    for (const [path, body] of [
      ["/v3/search", { q: "" }],
      ["/v3/nothing", {}],
    ] as const) {
      const answer = await plugin().call("POST", path, body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(answer.body.message).toEqual(expect.any(String));
    }
    expect(
      (await openPlugin(service, { key: "sm_nobody_xxxxxxxxxxxxxxxxxxxx" }).call("GET", "/v3/settings")).status,
    ).toBe(401);
  });

  trial.isInTable();
});

describe("the browser extension", () => {
  const trial = tryClient("browser");
  const plugin = () => openPlugin(service, { origin: "chrome-extension://abcdefghijklmnop" });

  trial.tries("GET /v3/projects", "is allowed from another origin, with a key", async () => {
    const { status, headers, body } = await plugin().call("GET", "/v3/projects");
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body.projects).toEqual(expect.any(Array));
  });

  trial.tries(
    ["POST /v3/documents", "POST /v4/search"],
    "save a page, and suggest memories without a mode",
    async () => {
      const tag = "sm_project_web";
      await plugin().call("POST", "/v3/documents", {
        content: "Ada moved to Porto in May.",
        containerTags: [tag],
        metadata: { sm_source: "consumer" },
      });
      await service.settle();
      const search = { q: "where does Ada live", containerTag: tag, include: { relatedMemories: true } };
      const { body } = await plugin().call("POST", "/v4/search", search);
      expect(body.results.flatMap(({ memory }: { memory?: string }) => memory ?? []).join()).toContain("Porto");
    },
  );

  trial.tries("POST /v3/documents/batch", "imports bookmarks, and again without duplicates", async () => {
    const documents = Array.from({ length: 3 }, (_, index) => ({
      content: `Bookmarked post number ${index}.`,
      customId: `post-${index}`,
      containerTag: "sm_project_twitter_bookmarks",
      metadata: { sm_source: "consumer", sm_internal_group_id: "twitter_bookmarks", likes: index },
    }));
    for (const _time of [1, 2]) {
      const { status, body } = await plugin().call("POST", "/v3/documents/batch", {
        documents,
        metadata: { sm_source: "consumer" },
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: 3, failed: 0 });
    }
    const list = {
      containerTags: ["sm_project_twitter_bookmarks"],
      filters: { AND: [{ key: "sm_internal_group_id", value: "twitter_bookmarks" }] },
    };
    expect((await plugin().call("POST", "/v3/documents/list", list)).body.pagination.totalItems).toBe(3);
    await service.settle();
  });

  trial.tries(["POST /v3/memories", "POST /v3/search"], "work as older versions call them", async () => {
    const add = { content: "The tide turns at nine.", containerTags: ["sm_project_default"] };
    expect((await plugin().call("POST", "/v3/memories", add)).body).toMatchObject({ id: expect.any(String) });
    await service.settle();
    const { body } = await plugin().call("POST", "/v3/search", { q: "when does the tide turn" });
    expect(body.results[0].chunks[0].content).toContain("tide");
  });

  trial.isInTable();
});
