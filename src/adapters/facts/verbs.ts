/** A form of an English verb, read back to its base. */
export interface VerbForm {
  readonly base: string;
  readonly tense: "base" | "third" | "past" | "participle" | "gerund";
}

/** Base, past, past participle; the participle is left out if it equals the past. */
const IRREGULAR = `
be was been|become became become|begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|choose chose chosen
come came come|cost cost|cut cut|deal dealt|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed|feel felt|fight fought|find found|tear tore torn|split split|fly flew flown|forget forgot forgotten|get got gotten|give gave given|go went gone|grow grew grown
have had|hear heard|hide hid hidden|hit hit|hold held|hurt hurt|keep kept|know knew known|lead led|leave left|lend lent|let let|lose lost
make made|mean meant|meet met|pay paid|put put|quit quit|read read|ride rode ridden|run ran run|say said|see saw seen|sell sold|send sent
set set|shoot shot|show showed shown|sing sang sung|sink sank sunk|shrink shrank shrunk|swell swelled swollen|rewrite rewrote rewritten|rebuild rebuilt|retake retook retaken|redo redid redone|undergo underwent undergone|overcome overcame overcome|resell resold|outsell outsold|arise arose arisen|withdraw withdrew withdrawn|forbid forbade forbidden|forgive forgave forgiven|dig dug|drown drowned|bend bent|bleed bled|breed bred|burst burst|creep crept|grind ground|kneel knelt|shake shook shaken|shine shone|slide slid|spin spun|spread spread|stick stuck|sting stung|strike struck|sweep swept|swing swung|bet bet|seek sought|weave wove woven|misread misread|bite bit bitten|freeze froze frozen|hang hung|lay laid|outgrow outgrew outgrown|sit sat|sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen
swim swam swum|take took taken|teach taught|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn
win won|write wrote written`;

/** Present forms that state something lasting when a person is their subject. */
const LASTING = `
live work study own use speak play teach drive run manage lead attend belong follow collect volunteer practise practice write code train
avoid wear coach mentor commute cook bake paint garden fish hunt hike climb swim ski surf sing dance draw read watch listen exercise jog
cycle bike meditate pray sleep wake eat drink smoke vape take keep raise breed grow sell build design develop maintain host organize
organise blog stream produce publish translate freelance consult invest save donate rent share suffer care handle oversee supervise report
support represent serve deploy ship store depend identify celebrate
split spend restore freelance repair counsel dive embroider refurbish groom illustrate inspect kayak knit sew lecture mend carry inject edit foster nurse patrol referee grill ferment preach lift golf journal invest import export supply administer curate subscribe contribute chair
operate paddle perform photograph proofread quilt recycle sketch skydive snowboard tinker tutor umpire vlog weave weld whittle windsurf moderate sail row skate crochet brew forage juggle sculpt`;

/** Present and past forms that state a liking. */
const LIKING = `like love hate prefer enjoy adore dislike detest loathe favor favour`;

/** Past forms that tell of an event worth keeping, whether or not the sentence dates it. */
const EVENTS = `
move relocate buy get start begin join leave quit finish complete graduate visit go attend adopt marry divorce meet lose sell build break
win run travel fly drive paint write publish launch release ship deploy migrate switch sign enroll enrol apply receive pass fail learn
teach volunteer host celebrate decide choose agree hire retire book reserve order schedule cancel hike camp climb swim raise open close
found renovate plant grow study work live stay give perform present interview take injure hurt catch recover undergo have make create
organize organise propose donate register rent purchase inherit convert emigrate immigrate invent design develop record compete train
replace upgrade install rename merge acquire stop promote enlist serve earn become complete settle co-found cofound retrain qualify rebuild redo withdraw set transfer resign emigrate separate lease swap fracture dislocate twist
rupture faint collapse evict demolish refurbish redecorate rewire insulate unpack incorporate rebrand relaunch refactor rewrite decommission outsource
archive downgrade revert deprecate standardise standardize evacuate immunise vaccinate christen baptise pick adopt explore reach crash discover
elect appoint nominate approve accept reject hand file report deposit borrow install repair rescue breed knit bake sprain retake resit pick tear`;

/** Other verbs whose forms must be known, so that sentences with them are read correctly (and mostly left out). */
const OTHERS = `
be do say tell think know feel want need see hear hope wish guess believe mean understand wonder suppose bet agree appreciate thank look
seem sound try help let put show ask call talk wait come bring find hold stand sit send spend pay cost fall forget remember miss notice
love plan intend aim dream expect own walk happen turn change worry matter fit require contain include provide support cover name base
locate cause end begin expire last allow accept return connect rely weigh measure consist offer earn focus specialize specialise major
die pass date marry fix update add remove test debug check review cut hit throw fight feed ride steal draw deal lend hide shoot wake
order plan prepare tend handle consume refuse stock bother trust swear relax chill stick kick push pull play start stop continue finish
identify graduate originate hail reside dwell relate respond manage volunteer organise suffer tolerate
contact present skip sort tidy check invite deliver host water clean wash
hold remodel land retake drop digest chew
answer reply respond format address cite explain translate assume summarise summarize walk
log track bundle lint compile query arrive postpone reschedule delay defer shift bump index achieve act adapt adjust admire admit advise afford announce annoy apologise apologize appear argue arrange arrest assist attach bark beg behave bite blame boil
brush burn bury calculate challenge charge chase cheat cheer claim clear combine comfort comment communicate compare complain concentrate confirm confuse
congratulate consider continue control cough count cross cry cure decorate defend demand deny describe deserve detect disagree disappear discuss divide doubt
drag dress dry educate embarrass encourage enter escape examine exist expand extend fade fetch fill float fold force freeze fry gather greet guarantee guard guide hang
heal heat hesitate hug ignore imagine impress improve increase influence inform insist introduce itch joke jump knock laugh lay lean lick lie lock melt
mix monitor notify obey observe obtain occur offend outgrow owe peel permit possess pour praise prepare pretend prevent process promise prohibit protect pump punish qualify react realise realize
recognise recognize recommend reduce reflect refer refund regret remain remind rely remove request resemble resist reveal rinse risk roll rub rush scare scratch
scream scrub search select shave shiver sigh slip smell smile sneeze snore soak spill spoil spray squeeze stare steer stir stitch stretch struggle succeed
suffer suggest suit surprise surround suspect swell taste tease tempt target tie tip touch trace transport trap treat trigger type unlock validate vanish vary wander warm
warn waste whisper whistle wipe wonder wrap yell`;

const BASES = new Set(`${LASTING} ${LIKING} ${EVENTS} ${OTHERS}`.split(/\s+/).filter((base) => base !== ""));
const LASTING_VERBS = new Set(LASTING.split(/\s+/));
const LIKING_VERBS = new Set(LIKING.split(" "));
const EVENT_VERBS = new Set(EVENTS.split(/\s+/));
/** Verbs that double their last letter: `plan` -> `planned`. */
const DOUBLING = new Set(
  "plan run swim stop ship sit get cut hit jog quit set put let begin forget prefer shop fit bet chat chill refer map transfer swap permit occur regret babysit wrap drag hug beg knit rub scrub slip stir tip trap unwrap grab log".split(
    " ",
  ),
);

const PASTS = new Map<string, string>();
const PARTICIPLES = new Map<string, string>();
const THIRDS = new Map<string, string>();
const GERUNDS = new Map<string, string>();
indexForms();

/** Every reading of a word as a verb form, likeliest first; none if it is not a form of a known verb. */
export function verbForms(word: string): VerbForm[] {
  const forms: VerbForm[] = [];
  if (BASES.has(word)) forms.push({ base: word, tense: "base" });
  const add = (tense: VerbForm["tense"], base: string | undefined): void => {
    if (base !== undefined) forms.push({ base, tense });
  };
  add("third", THIRDS.get(word));
  add("past", PASTS.get(word));
  add("participle", PARTICIPLES.get(word));
  add("gerund", GERUNDS.get(word));
  return forms;
}

/** The base of the verb of which a word is the given form, or null. */
export function readVerb(word: string, tense: VerbForm["tense"]): string | null {
  return verbForms(word).find((form) => form.tense === tense)?.base ?? null;
}

export function isLastingVerb(base: string): boolean {
  return LASTING_VERBS.has(base);
}

export function isLikingVerb(base: string): boolean {
  return LIKING_VERBS.has(base);
}

export function isEventVerb(base: string): boolean {
  return EVENT_VERBS.has(base);
}

/** `work` -> `works`, `have` -> `has`. */
export function thirdPerson(base: string): string {
  if (base === "be") return "is";
  if (base === "have") return "has";
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) return `${base}es`;
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ies` : `${base}s`;
}

function gerundOf(base: string): string {
  if (/(?:ie)$/.test(base)) return `${base.slice(0, -2)}ying`;
  if (DOUBLING.has(base)) return `${base}${base.at(-1)}ing`;
  return /[^eoy]e$/.test(base) && base !== "be" ? `${base.slice(0, -1)}ing` : `${base}ing`;
}

function pastOf(base: string): string {
  if (DOUBLING.has(base)) return `${base}${base.at(-1)}ed`;
  if (base.endsWith("e")) return `${base}d`;
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ied` : `${base}ed`;
}

function indexForms(): void {
  const irregular = new Set<string>();
  for (const entry of IRREGULAR.split(/[|\n]/).filter((line) => line !== "")) {
    const [base = "", past = "", participle = past] = entry.split(" ");
    irregular.add(base);
    BASES.add(base);
    PASTS.set(past, base);
    PARTICIPLES.set(participle, base);
  }
  for (const base of ["travel", "cancel", "model", "label", "remodel", "counsel", "enrol"]) {
    PASTS.set(`${base}led`, base);
    PARTICIPLES.set(`${base}led`, base);
    GERUNDS.set(`${base}ling`, base);
  }
  PASTS.set("were", "be");
  PARTICIPLES.set("got", "get");
  for (const base of BASES) {
    THIRDS.set(thirdPerson(base), base);
    GERUNDS.set(gerundOf(base), base);
    if (irregular.has(base)) continue;
    PASTS.set(pastOf(base), base);
    PARTICIPLES.set(pastOf(base), base);
  }
}
