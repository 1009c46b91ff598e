import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Connector } from "../../src/core/ports.js";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type ExampleSource, startExampleSource } from "../support/scripted-source.js";

const RUNS = 30;
const SETTINGS = { RECOLLECT_OFFLINE: "0", RECOLLECT_FETCH_ALLOW: "127.0.0.1" };

type Step =
  | { readonly do: "put" }
  | { readonly do: "edit" | "rename" | "remove" | "forbid"; readonly pick: number }
  | { readonly do: "sync" | "start" | "restart" | "expire" }
  | { readonly do: "fail"; readonly status: number; readonly times: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ do: "put" as const }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom("edit", "rename", "remove", "forbid"), pick: fc.nat(50) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("sync", "start", "restart", "expire") }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      status: fc.constantFrom(500, 404, 403, 503),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

interface History {
  readonly source: ExampleSource;
  readonly service: SharedService;
  readonly id: string;
  count: number;
}

/** One service for all histories; each history has its own source and container. */
class SharedService {
  opened!: OpenedCore;
  readonly dataDirectory: string;
  readonly connectors: readonly Connector[];

  constructor(dataDirectory: string, connectors: readonly Connector[]) {
    this.dataDirectory = dataDirectory;
    this.connectors = connectors;
  }

  async open(): Promise<void> {
    const { dataDirectory, connectors } = this;
    this.opened = await openCore({ dataDirectory, settings: SETTINGS, connectors });
  }
}

async function perform(history: History, step: Step): Promise<void> {
  const { source, service } = history;
  const { opened } = service;
  const ids = [...source.entries.keys()];
  const picked = "pick" in step ? ids[step.pick % Math.max(1, ids.length)] : undefined;
  switch (step.do) {
    case "put":
      await source.put(`Note ${history.count}`, `Somebody wrote note ${history.count++}.`);
      return;
    case "edit":
      if (picked) await source.edit(picked, `Somebody changed it, text ${history.count++}.`);
      return;
    case "rename":
      if (picked) await source.rename(picked, `Renamed ${history.count++}`);
      return;
    case "remove":
      if (picked) await source.remove(picked);
      return;
    case "forbid":
      if (picked) source.forbidden.add(picked);
      return;
    case "expire":
      source.fail({ kind: "expired" }, 1);
      return;
    case "fail":
      source.fail({ kind: "status", status: step.status }, step.times);
      return;
    case "restart":
      await opened.close();
      await service.open();
      return;
    case "start":
    case "sync":
      await opened.core.syncOneConnection({ actor: opened.actor }, { id: history.id });
      if (step.do === "sync") await opened.settle();
  }
}

async function documentsOf({ core, actor }: OpenedCore, containerTag: string): Promise<Record<string, string>> {
  const query = { containerTags: [containerTag], limit: 1_000, includeContent: true };
  const { documents } = await core.listDocuments({ actor }, query);
  return Object.fromEntries(documents.map(({ customId, title, content }) => [customId ?? "", `${title}: ${content}`]));
}

const totalOf = (reads: ReadonlyMap<string, number>): number =>
  [...reads.values()].reduce((sum, times) => sum + times, 0);

test.each([{ hasFeed: true }, { hasFeed: false }])(
  "documents finally match the source, whatever changes and whenever processes end (feed: $hasFeed)",
  async ({ hasFeed }) => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-sources-"));
    const first = await startExampleSource({ hasFeed });
    const service = new SharedService(dataDirectory, [first.connector]);
    await service.open();
    let histories = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 16 }), async (history) => {
          const source = await startExampleSource({ hasFeed });
          const tag = `history-${(histories += 1)}`;
          const { id } = await service.opened.core.createConnection(
            { actor: service.opened.actor },
            { provider: "granola", containerTag: tag, metadata: { apiKey: "good", url: source.url } },
          );
          const state: History = { source, service, id, count: 0 };
          try {
            for (const step of history) await perform(state, step);
            source.heal();
            // Items that could not be read are edited once they can be: failed items are not retried immediately.
            const wereForbidden = [...source.forbidden];
            source.forbidden.clear();
            for (const one of wereForbidden) await source.edit(one, `It can be read again, text ${state.count++}.`);
            await expect
              .poll(
                async () => {
                  const { core, actor } = service.opened;
                  await core.syncOneConnection({ actor }, { id });
                  await service.opened.settle();
                  const [run] = (await core.listSyncRuns({ actor }, { id })).runs;
                  return { isRunning: run?.status === "running", documents: await documentsOf(service.opened, tag) };
                },
                { timeout: 20_000, interval: 20 },
              )
              .toEqual({
                isRunning: false,
                documents: Object.fromEntries(
                  [...source.entries].map(([one, { name, text }]) => [one, `${name}: ${text}`]),
                ),
              });
            // Nothing unchanged is read twice, and there are no unnecessary requests.
            const before = { reads: totalOf(source.reads), requests: source.requests() };
            const { core, actor } = service.opened;
            await core.syncOneConnection({ actor }, { id });
            await service.opened.settle();
            expect(totalOf(source.reads)).toBe(before.reads);
            const least = hasFeed ? 1 : Math.max(1, Math.ceil(source.entries.size / 5));
            expect(source.requests() - before.requests).toBeLessThanOrEqual(Math.ceil(least * 1.2));
            await core.removeConnection({ actor }, { id, deleteDocuments: false });
          } finally {
            await source.close();
          }
        }),
        { numRuns: RUNS / 2 },
      );
    } finally {
      await service.opened.close();
      await first.close();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  },
  600_000,
);
