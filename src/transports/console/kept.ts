import type { Core, ListedContainer, SearchResult, Status } from "../../core/index.js";
import type { Memory } from "../../core/types.js";
import { csrfField, readPageForm, requireCsrf } from "../pages/forms.js";
import { type Html, html, shown, trustedHtml } from "../pages/html.js";
import { pageAnswer, redirectAnswer } from "../pages/layout.js";
import type { Owner } from "../pages/session.js";
import { type Handler, ownerFooter } from "./visit.js";

const HOME = "/auth";
/** Enough for an overview; the rest is counted. */
const MOST_CONTAINERS = 200;
const PAGE_SIZE = 20;
const LONGEST_TEXT = 300;
const LONGEST_QUERY = 1_000;

/** The page at `/`: the same as at `/auth`, to which a browser is redirected that shows no session here. */
export const showStart: Handler = async (visit, surroundings) => {
  const owner = await surroundings.sessions.owner(visit.request);
  return owner ? keptPage(visit.url, owner, surroundings.core) : redirectAnswer(HOME);
};

/** What is remembered, by container. */
export const showHome: Handler = async ({ request, url }, { core, sessions }) => {
  const owner = await sessions.requireOwner(request);
  return owner instanceof Response ? owner : keptPage(url, owner, core);
};

/** Search results. The query is sent as a form, so that it appears in no address and no proxy log. */
export const searchKept: Handler = async ({ request }, { core, sessions }) => {
  const owner = await sessions.requireOwner(request);
  if (owner instanceof Response) return owner;
  const fields = await readPageForm(request);
  requireCsrf(fields, owner);
  const [q, container] = [fields.text("q"), fields.text("container")];
  const call = { actor: owner.actor };
  const { containers } = await core.listContainers(call);
  const answer = await core.search(call, { q, ...(container !== "" && { containerTags: [container] }) });
  return pageAnswer({
    title: "Search results",
    footer: ownerFooter(owner),
    body: html`${searchForm(owner, containers, { q, container })}
      ${answer.degraded.map((reason) => html`<p class="warning">${shown(reason)}</p>`)}
      ${
        answer.results.length === 0
          ? html`<p>Nothing was found.</p>`
          : html`<ol class="entries">
              ${answer.results.map(resultEntry)}
            </ol>`
      }
      <p><a href="${HOME}">Back to start</a></p>`,
  });
};

async function keptPage(url: URL, owner: Owner, core: Core): Promise<Response> {
  const call = { actor: owner.actor };
  const [status, { containers }] = [await core.status(call), await core.listContainers(call)];
  const tag = url.searchParams.get("container");
  const container = tag === null ? undefined : containers.find((one) => one.tag === tag);
  const page = Math.max(1, Math.min(Number.parseInt(url.searchParams.get("page") ?? "1", 10) || 1, 1_000_000));
  return pageAnswer({
    title: container ? shown(container.name ?? container.tag) : "What is stored here",
    footer: ownerFooter(owner),
    body: html`${status.expiringKeys.map(warningOf)}
    ${status.degraded.map(({ part, reason }) => html`<p class="warning">${part}: ${shown(reason, LONGEST_TEXT)}</p>`)}
    ${searchForm(owner, containers, { q: "", container: container?.tag ?? "" })}
    ${tag !== null && !container && html`<p>There is no container with that name.</p>`}
    ${container ? await containerPart(core, owner, { container, page }) : overview(status, containers)}`,
  });
}

function overview({ store }: Status, containers: readonly ListedContainer[]): Html {
  return html`<p>
      ${counted(store.documents, "document")}, and ${counted(store.memories, "memory", "memories")} including former
      versions, in ${counted(containers.length, "container")}.
    </p>
    <ul class="entries">
      ${containers.slice(0, MOST_CONTAINERS).map(containerEntry)}
    </ul>
    ${
      containers.length > MOST_CONTAINERS &&
      html`<p class="soft">These are the ${MOST_CONTAINERS} most recently used.</p>`
    }
    <p><a href="/auth/device">Connect a machine without a browser</a></p>
    <p><a href="/auth/apps">Authorised apps</a></p>`;
}

function containerEntry({ tag, name, documentCount, memoryCount, lastActivityAt }: ListedContainer): Html {
  const used = lastActivityAt === null ? "never used" : `last used ${lastActivityAt.slice(0, 10)}`;
  return html`<li>
    <a href="${HOME}?container=${encodeURIComponent(tag)}">${shown(name ?? tag)}</a>
    <span class="soft"
      >${counted(documentCount, "document")}, ${counted(memoryCount, "memory", "memories")}; ${used}</span
    >
  </li>`;
}

async function containerPart(
  core: Core,
  { actor }: Owner,
  { container, page }: { readonly container: ListedContainer; readonly page: number },
): Promise<Html> {
  const wanted = { containerTags: [container.tag], page, limit: PAGE_SIZE };
  const memories = await core.listMemories({ actor }, wanted);
  const documents = await core.listDocuments({ actor }, wanted);
  const hasMore = Math.max(memories.total, documents.total) > page * PAGE_SIZE;
  const link = (to: number) => `${HOME}?container=${encodeURIComponent(container.tag)}&page=${to}`;
  return html`<h2>${counted(memories.total, "memory", "memories")}</h2>
    <ul class="entries">
      ${memories.entries.map(({ memory }) => entry(memory.text, memory.updatedAt, reviewOf(memory)))}
    </ul>
    <h2>${counted(documents.total, "document")}</h2>
    <ul class="entries">
      ${documents.documents.map(({ id, title, status, createdAt }) =>
        entry(title ?? id, createdAt, status === "done" ? "" : status),
      )}
    </ul>
    <p>
      ${page > 1 && html`<a href="${link(page - 1)}">Newer</a> `}
      ${hasMore && html`<a href="${link(page + 1)}">Older</a> `}
      <a href="${HOME}">All containers</a>
    </p>`;
}

function resultEntry({ text, kind, memory, documents, standing }: SearchResult): Html {
  const [document] = documents;
  const tags = memory ? [memory.containerTag] : (document?.containerTags ?? []);
  const source = kind === "memory" ? "memory" : `from ${shown(document?.title ?? "a document", 80)}`;
  const facts = [tags.map((tag) => shown(tag, 60)).join(", "), source, standing ?? "", reviewOf(memory)];
  return entry(text, memory?.updatedAt ?? document?.createdAt ?? "", ...facts);
}

function reviewOf(memory: Pick<Memory, "isInference"> | null): string {
  return memory?.isInference === true ? "waits for review" : "";
}

/** Somebody's text, its day, and further facts about it. */
function entry(text: string, at: string, ...facts: readonly string[]): Html {
  const said = [at.slice(0, 10), ...facts].filter((fact) => fact !== "");
  return html`<li>${shown(text, LONGEST_TEXT)} <span class="soft">${said.join("; ")}</span></li>`;
}

function searchForm(
  { csrf }: Owner,
  containers: readonly ListedContainer[],
  { q, container }: { readonly q: string; readonly container: string },
): Html {
  const option = (tag: string, words: string) =>
    html`<option value="${tag}" ${tag === container && trustedHtml("selected")}>${words}</option>`;
  const listed = containers.slice(0, MOST_CONTAINERS).map(({ tag }) => tag);
  const tags = container === "" || listed.includes(container) ? listed : [...listed, container];
  return html`<form method="post" action="${HOME}" role="search">
    ${csrfField(csrf)}
    <label class="field"
      >Search <input type="text" name="q" value="${q}" required maxlength="${LONGEST_QUERY}" autocomplete="off"
    /></label>
    <label class="field"
      >in
      <select name="container">
        ${option("", "all containers")} ${tags.map((tag) => option(tag, shown(tag)))}
      </select></label
    >
    <div class="actions"><button class="main">Search</button></div>
  </form>`;
}

function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function warningOf({ name, hint, expiresAt, daysLeft }: Status["expiringKeys"][number]): Html {
  const when = `${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  return html`<p class="warning">
    The key “${shown(name)}” (…${hint}) ${daysLeft === 0 ? "expired" : "expires"} at ${when}.
  </p>`;
}
