import { spliceBetween, wholeLines } from "../../../lib/splice.js";

const LONGEST_LINE = 400;
const SECRET_FIELD =
  /((?:"|\b)[\w-]*(?:key|token|secret|password|authorization)[\w-]*"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/gi;

/** The changes in a text, line by line with `-` and `+`, without revealing a secret. */
export function describeChange(before: string, after: string): string[] {
  const { removed, added } = wholeLines(before, spliceBetween(before, after), LONGEST_LINE);
  return [...removed.map((line) => `- ${mask(line)}`), ...added.map((line) => `+ ${mask(line)}`)];
}

/** A text with all keys, tokens and passwords masked, whoever they belong to. */
export function mask(text: string): string {
  return text
    .replace(SECRET_FIELD, (whole, name: string, value: string) =>
      /env_var|_var\b/i.test(name) || isReference(value)
        ? whole
        : `${name}${value[0]}${hide(value.slice(1, -1))}${value[0]}`,
    )
    .replace(/\bsm_[A-Za-z0-9-]+_[^\s"'…]{6,}/g, hide);
}

/** The name of a variable is no secret. */
function isReference(quoted: string): boolean {
  return /^["'](Bearer )?(\$\{[^}]*\}|\{env:[^}]*\}|\$\w+)["']$/.test(quoted);
}

function hide(secret: string): string {
  const [, scheme = "", rest = ""] = /^(Bearer )?(.*)$/s.exec(secret) ?? [];
  if (rest.includes("…")) return secret;
  return `${scheme}${rest.startsWith("sm_") ? "sm_" : ""}…${rest.length >= 20 ? rest.slice(-4) : ""}`;
}
