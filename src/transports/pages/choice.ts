import { AppError } from "../../core/errors.js";
import type { Grant, Permission } from "../../core/types.js";
import type { FormFields } from "./forms.js";
import { type Html, html, shown, trustedHtml } from "./html.js";

/** What the owner permits. */
export interface Choice {
  /** The only containers; absent for all. */
  readonly grants?: readonly Pick<Grant, "containerTag">[];
  readonly permission: Permission;
  /** Absent for no expiry. */
  readonly expiresInDays?: number;
}

const EXPIRIES = [
  ["", "never"],
  ["1", "after a day"],
  ["7", "after a week"],
  ["30", "after 30 days"],
  ["90", "after 90 days"],
  ["180", "after 180 days"],
  ["365", "after a year"],
] as const;

/**
 * Fields in which the owner chooses containers, permission and expiry.
 * @param chosen the submitted form, when it has to be filled in again
 */
export function choiceFields({
  containers,
  chosen,
}: {
  readonly containers: readonly string[];
  readonly chosen?: FormFields | undefined;
}): Html {
  const has = (name: string, value: string, isUsual = false) =>
    (chosen ? chosen.all(name).includes(value) : isUsual) && trustedHtml("checked");
  const expires = chosen?.text("expires") ?? "";
  return html`<fieldset>
      <legend>Which containers?</legend>
      <label
        ><input type="radio" name="containers" value="all" ${has("containers", "all", true)} /> All of them, including
        future ones</label
      >
      <label><input type="radio" name="containers" value="some" ${has("containers", "some")} /> Only these:</label>
      <div class="choices">
        ${containers.map(
          (tag) =>
            html`<label
              ><input type="checkbox" name="container" value="${tag}" ${has("container", tag)} /> ${shown(tag)}</label
            > `,
        )}
        <label class="field"
          >Another container<input
            type="text"
            name="new_container"
            value="${chosen?.text("new_container") ?? ""}"
            maxlength="100"
            autocomplete="off"
            spellcheck="false"
        /></label>
      </div>
    </fieldset>
    <fieldset>
      <legend>What may it do?</legend>
      <label
        ><input type="radio" name="permission" value="write" ${has("permission", "write", true)} /> Read and
        write</label
      >
      <label><input type="radio" name="permission" value="read" ${has("permission", "read")} /> Read only</label>
    </fieldset>
    <label class="field"
      >When does the access expire?
      <select name="expires">
        ${EXPIRIES.map(([days, words]) => html`<option value="${days}" ${days === expires && trustedHtml("selected")}>${words}</option>`)}
      </select></label
    >`;
}

/**
 * What the owner chose. An owner who limits access to containers but selects none is asked again, rather than granting all.
 * @throws AppError `invalid`
 */
export function readChoice(fields: FormFields): Choice {
  const permission = fields.text("permission");
  if (permission !== "read" && permission !== "write")
    throw new AppError("invalid", "Choose what it may do: read and write, or read only.");
  const expires = fields.text("expires");
  if (!EXPIRIES.some(([days]) => days === expires)) throw new AppError("invalid", "Choose when the access expires.");
  return {
    permission,
    ...(expires !== "" && { expiresInDays: Number(expires) }),
    ...chosenContainers(fields),
  };
}

function chosenContainers(fields: FormFields): Pick<Choice, "grants"> {
  const scope = fields.text("containers");
  const tags = [...fields.all("container"), fields.text("new_container").trim()].filter((tag) => tag !== "");
  if (scope === "some") {
    if (tags.length === 0) throw new AppError("invalid", "Choose at least one container, or all of them.");
    return { grants: [...new Set(tags)].map((containerTag) => ({ containerTag })) };
  }
  if (scope !== "all") throw new AppError("invalid", "Choose all containers, or some.");
  if (tags.length > 0)
    throw new AppError(
      "invalid",
      "Containers are chosen, but so is “All of them”. Choose “Only these” to allow only those.",
    );
  return {};
}
