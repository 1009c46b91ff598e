import { dayIn } from "../../lib/time-zone.js";
import { isStopWord, tokenise } from "../../language/words.js";
import { ownTimeZone, sharedTimeZone } from "../containers/time-zone.js";
import type { CoreContext } from "../context.js";
import { guidanceFor } from "../documents/guidance.js";
import { formsMemories } from "../documents/memory-paths.js";
import { judgeWishes, plainWishesOf } from "../documents/plain-wishes.js";
import type { PlacedContainer, Repositories, UnreadTurn } from "../ports.js";
import { GAP } from "../search/passages.js";
import type { Memory } from "../types.js";
import { judgeText } from "./trust.js";

/** What is needed to tell a turn as a memory. */
export interface Telling extends Pick<CoreContext, "timeZone"> {
  readonly store: Pick<Repositories, "settings" | "containers">;
}

/** A turn of a conversation as a memory of one container. */
export interface StatedTurn {
  /** Under the id of its chunk; not in any row of the store. */
  readonly memory: Memory;
  readonly turn: UnreadTurn;
  readonly container: PlacedContainer;
  /** The words of the turn that still hold. */
  readonly said: string;
}

/** Shorter turns say nothing on their own, and their words occur in other sentences as well. */
const LEAST_WORDS = 3;

/** Marks a memory without a row. */
const NO_ROW = 0;

/**
 * Tells turns as memories: who said what and when, in their own words. A turn that says too little, reads like an instruction,
 * or must not be remembered there is not a memory.
 * @param text what still holds of the chunk, without what was forgotten or replaced
 */
export function createTeller({ store, timeZone }: Telling) {
  const wishes = new Map<string, Promise<((text: string) => boolean) | null>>();
  const wishesFor = ({ source, containers }: UnreadTurn) => {
    const containerTags = containers.map(({ tag }) => tag);
    const key = JSON.stringify([source.client, containerTags]);
    const known =
      wishes.get(key) ??
      guidanceFor(store, { ...source, containerTags }).then((guidance) => judgeWishes(plainWishesOf(guidance)));
    wishes.set(key, known);
    return known;
  };

  return async (turn: UnreadTurn, container: PlacedContainer, text: string): Promise<StatedTurn | null> => {
    const { chunk, source } = turn;
    const speaker = speakerOf(turn);
    const said = wordsOf(speaker, text);
    if (!saysEnough(said)) return null;
    const judgement = judgeText(said, said, { origin: source.origin, speaker: ownOrOther(speaker, source) });
    if (judgement.trust === "flagged") return null;
    if (!(await formsMemories(store, source.organizationId, container.tag, source.filepath))) return null;
    if ((await wishesFor(turn))?.(said) === false) return null;
    const zone = ownTimeZone(source.metadata) ?? sharedTimeZone({ timeZone }, [container]);
    const date = chunk.metadata?.date;
    const memory: Memory = {
      seq: NO_ROW,
      id: chunk.id,
      containerTag: container.tag,
      text: asTold({ speaker, day: date === undefined ? null : dayIn(date, zone), said }),
      version: 1,
      isLatest: true,
      parentId: null,
      rootId: null,
      kind: "statement",
      isStatic: false,
      isInference: false,
      isForgotten: false,
      forgetAfter: source.forgetAfter,
      ownForgetAfter: null,
      forgetReason: null,
      sourceCount: 1,
      strength: 1,
      origin: source.origin,
      metadata: judgement.trust === "trusted" ? null : { trust: judgement.trust },
      createdAt: chunk.createdAt,
      updatedAt: chunk.createdAt,
    };
    return { memory, turn, container, said };
  };
}

/** The chunk text behind a told text; null if the text was not told that way. */
export function chunkTextOf(told: string): string | null {
  const end = told.indexOf(": ");
  const head = told.slice(0, Math.max(0, end));
  const speaker = head.replace(TOLD, "");
  return speaker === head ? null : `${speaker}: ${told.slice(end + 2)}`;
}

const TOLD = / said(?: on \d{1,2} [A-Z][a-z]{2,8} \d{4})?$/u;

function asTold({ speaker, day, said }: { speaker: string; day: string | null; said: string }): string {
  return `${speaker} said${day === null ? "" : ` on ${writtenDay(day)}`}: ${said}`;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

function writtenDay(day: string): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
}

function speakerOf({ chunk }: UnreadTurn): string {
  return chunk.metadata?.speakers?.[0] ?? "";
}

/** Anybody can write a transcript; only in what was sent as a conversation is the user's word the owner's own. */
function ownOrOther(speaker: string, { wasSentAsTurns }: UnreadTurn["source"]): string | undefined {
  return speaker === "User" && !wasSentAsTurns ? undefined : speaker;
}

function wordsOf(speaker: string, text: string): string {
  return (text.startsWith(`${speaker}:`) ? text.slice(speaker.length + 1) : text).trim();
}

function saysEnough(said: string): boolean {
  let words = 0;
  for (const word of tokenise(said.replaceAll(GAP, " "))) if (!isStopWord(word) && ++words === LEAST_WORDS) return true;
  return false;
}
