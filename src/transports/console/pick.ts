import type { Core } from "../../core/index.js";
import { AppError } from "../../core/errors.js";
import { type FormFields, hiddenField, readPageForm } from "../pages/forms.js";
import { type Html, html, shown, trustedHtml } from "../pages/html.js";
import { pageAnswer, redirectAnswer } from "../pages/layout.js";
import type { Handler, ConsoleContext } from "./visit.js";

/*
 * Where anyone with the address chooses what a connection brings in. Every button submits the choice, so that it survives
 * opening folders without a script.
 */

type Picker = Awaited<ReturnType<Core["showPicker"]>>;
type Resource = Picker["resources"][number];

/** A folder that was opened. */
interface Opened {
  readonly id: string;
  readonly name: string;
}

/** The position in the page's folders. */
interface Place {
  readonly token: string;
  readonly page: number;
  readonly trail: readonly Opened[];
}

/** `GET /auth/pick` */
export const showPick: Handler = async ({ url }, surroundings) => {
  const place = { token: url.searchParams.get("pick") ?? "", page: 1, trail: [] };
  return pickPage(surroundings, place, null);
};

/** `POST /auth/pick`: opens a folder or a page, or saves the choice. */
export const doPick: Handler = async ({ request }, surroundings) => {
  const fields = await readPageForm(request);
  const token = fields.text("pick");
  const chosen = fields.all("choice").map((text) => readJson(text));
  const go = fields.text("go");
  if (go !== "save") return pickPage(surroundings, placeOf(fields, go), chosen);
  const { title, count, returnUrl } = await surroundings.core.choosePicked(surroundings.anyone, {
    token,
    resources: chosen,
  });
  if (returnUrl !== null) return redirectAnswer(returnUrl);
  const what = count === 0 ? "Nothing is chosen, so nothing is imported." : "What you chose is being imported.";
  return pageAnswer({
    title: `${title}: ${count} chosen`,
    body: html`<p>${what} You can close this page.</p>`,
  });
};

/** @param go `page:2`, `open:{"id":…}`, or `up:1` for the number of folders to keep */
function placeOf(fields: FormFields, go: string): Place {
  const trail = fields.all("trail").map((text) => readOpened(text));
  const place = { token: fields.text("pick"), page: 1, trail };
  const [what = "", ...rest] = go.split(":");
  const value = rest.join(":");
  if (what === "open") return { ...place, trail: [...trail, readOpened(value)] };
  if (what === "up") return { ...place, trail: trail.slice(0, Number(value) || 0) };
  return { ...place, page: Math.max(1, Number.parseInt(value, 10) || 1) };
}

async function pickPage(
  { core, anyone }: ConsoleContext,
  { token, page, trail }: Place,
  given: readonly Readonly<Record<string, unknown>>[] | null,
): Promise<Response> {
  const parentId = trail.at(-1)?.id ?? null;
  const picker = await core.showPicker(anyone, { token, page, parentId });
  const chosen = (given ?? picker.chosen).filter(isResource);
  const ids = new Set(chosen.map(({ id }) => String(id)));
  const others = picker.resources.filter(({ id }) => !ids.has(String(id)));
  const { title, account, returnUrl, hasMore } = picker;
  return pageAnswer({
    title: `What should be imported from ${title}?`,
    formTargets: returnUrl === null ? [] : [new URL(returnUrl).origin],
    body: html`${account !== null && html`<p class="soft">Signed in as ${shown(account)}.</p>`}
      <form method="post" action="/auth/pick">
        ${hiddenField("pick", token)}${trail.map((one) => hiddenField("trail", JSON.stringify(one)))}
        ${
          chosen.length > 0 &&
          html`<fieldset>
            <legend>Chosen</legend>
            ${chosen.map((one) => choiceField(one, true))}
          </fieldset>`
        }
        <fieldset>
          <legend>${trail.length === 0 ? title : shown(trail.at(-1)?.name ?? "")}</legend>
          ${others.length === 0 && html`<p>${page > 1 ? "There is nothing more." : "There is nothing else here."}</p>`}
          ${others.map((one) => choiceField(one, false))}
        </fieldset>
        <div class="actions">
          <button class="main" name="go" value="save">Import what is chosen</button>
          ${trail.map(
            (_, index) =>
              html`<button name="go" value="up:${index}">
                Back to ${index === 0 ? title : shown(trail[index - 1]?.name ?? "", 40)}
              </button>`,
          )}
          ${page > 1 && html`<button name="go" value="page:${page - 1}">Previous page</button>`}
          ${hasMore && html`<button name="go" value="page:${page + 1}">Next page</button>`}
        </div>
      </form>`,
  });
}

function choiceField(resource: Resource, isChosen: boolean): Html {
  const { id, name } = resource;
  const isFolder = resource["kind"] === "folder" || resource["kind"] === "drive";
  return html`<label
      ><input type="checkbox" name="choice" value="${JSON.stringify(resource)}" ${isChosen && trustedHtml("checked")} />
      ${shown(name)}</label
    >${
      isFolder &&
      !isChosen &&
      html`<button name="go" value="open:${JSON.stringify({ id: String(id), name })}">Open ${shown(name, 40)}</button>`
    }`;
}

function isResource(value: Readonly<Record<string, unknown>>): value is Resource {
  return (typeof value["id"] === "string" || typeof value["id"] === "number") && typeof value["name"] === "string";
}

function readOpened(text: string): Opened {
  const { id, name } = readJson(text);
  if (typeof id !== "string" || typeof name !== "string") throw damaged();
  return { id, name };
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return { ...value };
  } catch {
    // Reported below.
  }
  throw damaged();
}

function damaged(): AppError {
  return new AppError("invalid", "The form is incomplete. Open the page again.");
}
