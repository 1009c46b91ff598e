import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { listChoices } from "../lib/bounded-parse.js";

/** One setting, as it is written in an environment variable. */
export interface Setting<Value> {
  /** Reads the text of the variable. */
  readonly schema: z.ZodType<Value>;
  /** What counts when the variable is absent or empty; undefined when the part it belongs to is then off. */
  readonly fallback?: string;
  readonly description: string;
  /** Secrets are never shown, not even in an error. */
  readonly isSecret?: true;
}

/** Keeps the type of the value. */
export function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return definition;
}

/** Digits between two bounds, both included. */
export function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .pipe(z.number().min(minimum, rule).max(maximum, rule));
}

/** US dollars, with a point before the cents; up to a million. */
export function dollars() {
  return z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be a number of US dollars such as 0.25, from 0 to 999999")
    .transform(Number);
}

/** One of some words. */
export function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: `must be ${listChoices(choices)}` });
}

/** An address, without slashes at its end. Requests take none with a password, and errors would tell it. */
export function httpUrl() {
  const rule = "must be a URL that begins with http:// or https://";
  return z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), rule)
    .refine((text) => !holdsUser(text), "must have no user name and no password in it")
    .transform((text) => text.replace(/\/+$/, ""));
}

/** Whether an address names a user or a password before its host. */
export function holdsUser(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

/** An absolute path; `~` at its beginning is the home folder. */
export function expandHome(path: string): string {
  if (path === "~") return homedir();
  return resolve(/^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path);
}
