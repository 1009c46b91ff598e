import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { listChoices } from "../lib/bounded-parse.js";

/** One setting, as written in an environment variable. */
export interface Setting<Value> {
  /** Reads the text of the variable. */
  readonly schema: z.ZodType<Value>;
  /** The default when the variable is absent or empty; undefined if that switches off the part it belongs to. */
  readonly fallback?: string;
  readonly description: string;
  /** Secrets are never shown, not even in an error. */
  readonly isSecret?: true;
}

/** Keeps the type of the value. */
export function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return definition;
}

/** A whole number between two bounds, both inclusive. */
export function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .pipe(z.number().min(minimum, rule).max(maximum, rule));
}

/** US dollars, with a decimal point; up to a million. */
export function dollars() {
  return z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be an amount in US dollars such as 0.25, from 0 to 999999")
    .transform(Number);
}

/** One of some words. */
export function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: `must be ${listChoices(choices)}` });
}

/** A URL, without trailing slashes. Requests reject one with a password, and errors would reveal it. */
export function httpUrl() {
  const rule = "must be a URL that begins with http:// or https://";
  return z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), rule)
    .refine((text) => !holdsUser(text), "must not contain a user name or a password")
    .transform((text) => text.replace(/\/+$/, ""));
}

/** Whether a URL has a user or a password before its host. */
export function holdsUser(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

/** An absolute path; a leading `~` is the home folder. */
export function expandHome(path: string): string {
  if (path === "~") return homedir();
  return resolve(/^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path);
}
