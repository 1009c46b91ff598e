import { rootOf } from "./relations.js";

/** Words that occur in conversations about anything. */
const EVERYWHERE =
  "get make know think take see come want look use find give tell work try ask need feel go say good great new time day thing way year " +
  "people lot much many more most well really like one two first last back still even now today never ever always maybe sure thank thanks " +
  "please right bit kind own same other another every something anything everything nothing someone anyone everyone little big long next " +
  "let seem help talk love nice wow cool amazing awesome glad happy best better sounds definitely actually since already yet around";

/** Words that are common in everyday conversation. */
const COMMON =
  "ability able accept across add address age ago agree allow almost along amount answer appear area arrive article attend away bad base " +
  "beautiful become begin behind believe beside big body book both break bring build business busy buy call car care carry case catch cause " +
  "center certain chance change check child choose city class clear close color come common company complete consider contain continue cost " +
  "could country couple course cover create current cut deal decide deep describe detail development different difficult dinner discover " +
  "discuss door dream drive drop during early easy eat education either else end enjoy enough entire especially event exactly example " +
  "excite expect experience explain eye face fact fall family far fast father favorite few figure fill final finally fine finish food " +
  "follow forget form forward free friend front full fun future game general girl group grow guess guy hair half hand hang happen hard head " +
  "health hear heart high history hit hold home hope hot hour house huge human idea image imagine important improve include increase inside " +
  "inspire instead interest involve issue job join just keep key kid kill kind large late later laugh lead learn leave left less level life " +
  "light line list listen live local lose lucky main major man manage matter mean meet member memory mention middle mind minute miss moment " +
  "money month morning mother mountain move movie music must name near never news night note number offer office often old open order " +
  "outside pass past pay perfect perhaps person phone photo pick picture piece place plan play point position possible power prefer prepare " +
  "present pretty price problem program project provide public put question quick quiet quite rate reach read ready real realize reason " +
  "receive recent recently record relate remember report require rest result return room run safe save school second send sense serve " +
  "service set several share short show side similar simple single sit situation size small social soon sort sound speak special spend " +
  "stand start state stay step stop store story street strong student study stuff such suggest summer support suppose surprise system table " +
  "talk team tell term test third thought three together tomorrow tonight top total touch toward town travel trip true trust turn type " +
  "understand until update usually value view visit voice wait walk wall water week weekend weird whole wife win wish woman wonder " +
  "word world worry worth write wrong yesterday young user";

const EVERYWHERE_SHARE = 0.05;
/** Share for words that are common in everyday conversation. */
export const COMMON_SHARE = 0.01;
/** Share for words that nobody counted. */
export const RARE_SHARE = 0.001;
const RARITIES: ReadonlyMap<number, number> = new Map(
  [EVERYWHERE_SHARE, COMMON_SHARE].map((share) => [share, Math.log(share) / Math.log(RARE_SHARE)]),
);

const frequencies = readFrequencies();

/**
 * The share of short texts that hold a root (see `rootOf`), as a rough background for English: 0.05 for words of every
 * subject, 0.01 for common ones, 0.001 for all others.
 */
export function backgroundShare(root: string): number {
  return frequencies.get(root) ?? RARE_SHARE;
}

/** How much a root says by how rare it is in English: 1 for most, near 0.67 for common ones, near 0.43 for those of every subject. */
export function rarityOf(root: string): number {
  const share = frequencies.get(root);
  return share === undefined ? 1 : (RARITIES.get(share) ?? 1);
}

function readFrequencies(): Map<string, number> {
  const shares = new Map<string, number>();
  for (const word of COMMON.split(" ")) shares.set(rootOf(word), COMMON_SHARE);
  for (const word of EVERYWHERE.split(" ")) shares.set(rootOf(word), EVERYWHERE_SHARE);
  return shares;
}
