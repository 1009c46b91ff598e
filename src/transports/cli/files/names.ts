import { AppError } from "../../../core/errors.js";
import { UsageError } from "../failure.js";
import { printableLine } from "../style.js";
import { isThere, looksLikeGlob, looksLikePath } from "./find-files.js";

/** The longest customId, in characters. */
const LONGEST_CUSTOM_ID = 255;
const AS_WORDS = "If these are words to remember, add --text.";

/** A web address whose page the service fetches. */
export function isAddress(word: string): boolean {
  return /^https?:\/\/\S+$/i.test(word) && URL.canParse(word);
}

/** A page that is added again replaces its former version, as a file does. */
export function customIdFields(address: string): { readonly customId?: string } {
  return address.length <= LONGEST_CUSTOM_ID ? { customId: address } : {};
}

/** True for a word that names a file or an address, whether or not that exists. */
export function isName(word: string): boolean {
  return isThere(word) || looksLikeGlob(word) || looksLikePath(word) || isAddress(word) || isOtherAddress(word);
}

function isOtherAddress(word: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.|data:[\w/+.-]*[;,])\S+$/i.test(word) && !isAddress(word);
}

/** One word in Latin letters is more likely a file name than something to remember; other scripts may do without spaces. */
export function isSingleWord(argument: string): boolean {
  return /^[\p{Script=Latin}\p{N}_.~+@/\\-]{1,64}$/u.test(argument);
}

/**
 * Refuses names with nothing readable behind them, so that a typing error is not remembered as a fact.
 * @throws AppError `not_found` where all are paths and none exists; if one exists, it gets its result, and so do the others
 * @throws UsageError for an address that is not fetched
 */
export function refuseUnreadable(names: readonly string[]): void {
  const unfetched = names.find((name) => !isThere(name) && isOtherAddress(name));
  if (unfetched !== undefined) throw new UsageError(`${describeUnfetched(printableLine(unfetched))} ${AS_WORDS}`);
  if (names.some((name) => isThere(name) || looksLikeGlob(name) || isAddress(name))) return;
  const missing = new Intl.ListFormat("en-GB").format(names.map(printableLine));
  const sentence = names.length === 1 ? `There is no file ${missing}.` : `There are no files ${missing}.`;
  throw new AppError("not_found", `${sentence} ${AS_WORDS}`);
}

function describeUnfetched(name: string): string {
  if (/^www\./i.test(name)) return `There is no file ${name}; for the web page, write https://${name}.`;
  if (/^data:/i.test(name)) return "data: URLs are not read: save the content to a file and add that.";
  const fetched = `${name} is not fetched: only http:// and https:// addresses are.`;
  return /^file:/i.test(name) ? `${fetched} To add a file, give its path.` : fetched;
}
