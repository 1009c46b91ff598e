import type { ManualCore } from "./manual-core.js";

/** A unique word that no stemmer changes. */
let words = 0;
export const token = (what: string): string =>
  `xq${what}${(words++).toString(36)}zv${Math.random().toString(36).slice(2, 10)}k`;

export interface Planted {
  readonly tokens: string[];
  readonly documentId: string;
}

/** A document with a unique word in every place that accepts one, then changed and stated again. */
export async function plantDocument(opened: ManualCore, containerTag = "a"): Promise<Planted> {
  const { core } = opened;
  const call = opened.call();
  const names = ["text", "second", "title", "meta", "key", "custom", "old", "fact", "filter", "path", "source"];
  const is = Object.fromEntries(names.map((name) => [name, token(name)]));
  const customId = is["custom"] ?? "";
  const describing = {
    containerTags: [containerTag],
    customId,
    title: `About ${is["title"]}`,
    metadata: { team: `${is["meta"]}`, [`${is["key"]}`]: true, sm_source: `${is["source"]}` },
    filterByMetadata: { team: `${is["filter"]}` },
    filepath: `/notes/${is["path"]}.md`,
  };
  const first = await core.addDocument(call, { content: `I live in ${is["old"]}. I like tea.`, ...describing });
  await opened.settle();
  await core.addDocument(call, {
    content: `I work at ${is["text"]}. I own a boat called ${is["second"]}.`,
    ...describing,
    facts: [{ text: `The user sails on ${is["fact"]}` }],
  });
  await opened.settle();
  await core.search(call, { q: `${is["text"]} ${is["fact"]}`, containerTags: [containerTag] });
  await core.getDocument(call, { id: first.id });
  return { tokens: Object.values(is), documentId: first.id };
}
