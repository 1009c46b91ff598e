import { expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { ChangePage, Connector, SourceItem } from "../../src/core/ports.js";
import { sleep } from "../../src/lib/time.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import { lastRun } from "../support/connection.js";
import type { ExampleSource } from "../support/scripted-source.js";

const MEGABYTE = 1024 * 1024;
const { startSource, connectTo } = useExampleSources();

/** The source's connector, with changed details for each item. */
function saying({ connector }: ExampleSource, what: (item: SourceItem) => Partial<SourceItem>): Connector {
  async function* changed(pages: AsyncIterable<ChangePage>): AsyncIterable<ChangePage> {
    for await (const page of pages) {
      const items = page.items.map((change) =>
        change.kind === "upsert" ? { ...change, item: { ...change.item, ...what(change.item) } } : change,
      );
      yield { ...page, items };
    }
  }
  return { ...connector, changes: (access, checkpoint) => changed(connector.changes(access, checkpoint)) };
}

test.each(["id", "version"])("an item with an endless %s is left out, and the run reports it", async (field) => {
  const source = await startSource(false);
  const [odd] = await fill(source, 3);
  const endless = "k".repeat(5_000_000);
  const connector = saying(source, (item) => (item.id === odd ? { [field]: endless } : {}));
  const connected = await connectTo(source, { connectors: [connector] });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({
    status: "partial",
    read: 2,
    failed: 0,
    notes: [`An item was left out because its ${field} has more than 2048 characters.`],
  });
});

test("stored and returned details of an item are limited in length", async () => {
  const source = await startSource(false);
  const [refused = "", broken = "", fine = ""] = await fill(source, 3);
  source.forbidden.add(refused);
  const endless = "k".repeat(1_000_000);
  const named = saying(source, () => ({ title: endless, path: endless, address: `https://source.example/${endless}` }));
  const connector: Connector = {
    ...named,
    read: (access, item) =>
      item.id === broken ? Promise.reject(new Error(`It lies at ${endless}.`)) : named.read(access, item),
  };
  const connected = await connectTo(source, { connectors: [connector] });
  const run = await lastRun(connected, connected.id);
  expect(run).toMatchObject({ status: "partial", read: 1, failed: 2 });
  expect(JSON.stringify(run).length).toBeLessThan(5_000);
  expect(run.failures.map(({ title }) => title?.length)).toEqual([500, 500]);
  const { documents } = await connected.core.listDocuments({ actor: connected.actor }, { limit: 10 });
  expect(documents).toEqual([expect.objectContaining({ customId: fine, title: "k".repeat(500), filepath: null })]);
  expect(await connected.sync()).toMatchObject({ read: 0, unchanged: 1 });
});

test("an endless failure reason is shortened", async () => {
  const source = await startSource(false);
  await fill(source, 1);
  const { connector } = source;
  const odd: Connector = {
    ...connector,
    read: (_access, { id }) =>
      Promise.reject(new AppError("forbidden", `${id} is closed. ${"Ask. ".repeat(1_000_000)}`)),
  };
  const connected = await connectTo(source, { connectors: [odd] });
  const { failures } = await lastRun(connected, connected.id);
  expect(failures.map(({ reason }) => reason.length)).toEqual([1_000]);
});

test("concurrent reads are limited by their total size, and a larger item is read alone", async () => {
  const source = await startSource(false);
  const ids = await fill(source, 5);
  const sizes = new Map(ids.map((id, index) => [id, [30, 30, 30, 100, 1][index] ?? 0]));
  const sizeOf = ({ id }: SourceItem): number => (sizes.get(id) ?? 0) * MEGABYTE;
  const connector = saying(source, (item) => ({ size: sizeOf(item) }));
  const together: string[] = [];
  let open: number[] = [];
  const watched: Connector = {
    ...connector,
    sync: { ...connector.sync, readsAtOnce: 8 },
    async read(access, item) {
      open.push(sizeOf(item) / MEGABYTE);
      await sleep(20);
      if (open.length > 0) together.push(open.join(" "));
      open = [];
      return connector.read(access, item);
    },
  };
  await connectTo(source, { connectors: [watched] });
  expect(together).toEqual(["30 30", "30", "100", "1"]);
});
