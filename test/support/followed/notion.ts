import { createNotionConnector } from "../../../src/connectors/notion/notion.js";
import type { FollowedProvider } from "../followed-source.js";
import { NOTION_TOKEN, startNotion } from "../scripted-notion.js";

const PAGE = 3;
const SOURCE = "source-1";

/** Pages and database rows, which the search lists late or which only their database lists. */
export const NOTION: FollowedProvider = {
  provider: "notion",
  nameOf: (count) => `Note ${count}`,
  async start() {
    const notion = await startNotion(PAGE);
    let made = 0;
    const isRow = ([, { source }]: readonly [string, { readonly source: string | null }]): boolean => source !== null;
    return {
      connector: createNotionConnector({ apiUrl: notion.url }),
      metadata: { token: NOTION_TOKEN },
      put(name, text) {
        const id = `entry-${(made += 1)}`;
        notion.putPage(id, name, text, made % 3 === 0 ? { source: SOURCE } : {});
        const page = notion.pages.get(id);
        // Some rows are never found by the search.
        if (page && made % 6 === 0) page.isUnlisted = true;
        return Promise.resolve(id);
      },
      async edit({ id }, text) {
        await notion.edit(id, text);
        return id;
      },
      async rename({ id }, name) {
        await notion.rename(id, name);
        return id;
      },
      remove: ({ id }) => notion.remove(id),
      restore: async ({ id }) => (await notion.restore(id), true),
      titleOf: ({ name }) => name,
      forbid: ({ id }) => notion.fail({ kind: "status", status: 403, path: new RegExp(`/(pages|blocks)/${id}/`) }, 100),
      fail(fault, after) {
        notion.fail({ kind: "pass" }, after);
        notion.fail(fault, 1);
      },
      expire: () => notion.fail({ kind: "expired" }, 1),
      heal: () => notion.heal(),
      requests: () => notion.requests(),
      // There is no change feed: all pages that the search finds, binned ones too, the databases, and the rows of each.
      least() {
        const pages = [...notion.pages];
        const found = pages.filter(([, { isUnlisted }]) => !isUnlisted).length;
        const rows = pages.filter(isRow).filter(([, { isInTrash }]) => !isInTrash).length;
        const lists = [found, notion.sources.size, ...(notion.sources.size > 0 ? [rows] : [])];
        return lists.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / PAGE)), 0);
      },
      close: () => notion.close(),
    };
  },
};
