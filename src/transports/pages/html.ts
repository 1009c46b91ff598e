import { truncate } from "../../lib/truncate.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** HTML in which everything from outside is escaped. Only `html` and `trustedHtml` create it. */
export class Html {
  readonly text: string;
  private constructor(text: string) {
    this.text = text;
  }

  static of(text: string): Html {
    return new Html(text);
  }
}

/** What a template accepts. False, null and undefined add nothing, so that `condition && html…` reads well. */
export type Filling = Html | string | number | false | null | undefined | readonly Filling[];

/** HTML from a template: every value is escaped, for text and for attributes in double quotes, unless it is HTML already. */
export function html(template: TemplateStringsArray, ...values: readonly Filling[]): Html {
  const parts = template.map((part, index) => part + (index < values.length ? fill(values[index]) : ""));
  return Html.of(parts.join(""));
}

/** HTML that is part of this program. Never for anything from outside. */
export function trustedHtml(text: string): Html {
  return Html.of(text);
}

function fill(value: Filling): string {
  if (value === false || value === null || value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map((one) => fill(one)).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character);
}

/** Characters that hide, reverse or break a line of text, and so falsify what it says. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Foreign text made safe to show: one line, nothing invisible, not too long. */
export function shown(text: string, most = 120): string {
  const line = singleSpaced(text.replace(UNSEEN, " "));
  return line.length <= most ? line : `${truncate(line, most - 1)}…`;
}
