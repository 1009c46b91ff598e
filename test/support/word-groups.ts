import { createHash } from "node:crypto";

/**
 * Everyday English words by subject, as a small language model for embedders in tests: words on one line have similar
 * meanings. Grouped by subject, not by any test's texts; the most frequent function words are omitted on purpose.
 */
export const WORD_GROUPS: readonly (readonly string[])[] = `
animal animals pet pets dog dogs cat cats kitten puppy beagl beagle tortoise rabbit horse hamster fish paw leash breed neutered vet veterinary veterinarian
bird birds owl nest parrot feather wings
insect insects bee bees honey hive ant spider spiders slug slugs nectar wasp pest
eat eats eaten eating ate food foods meal meals dish dishes cook cooks cooking cooked kitchen menu dine dinner lunch breakfast supper snack bite restaurant taste tastes favourite favorite
bread bake bakes baked baking bakery flour dough loaf sourdough yeast oven cake buttermilk recipe waffle butter sandwich knead
fruit vegetable vegetables potato potatoes lettuce salad lemon lemons apple grapes blueberries raspberry peanut peanuts nut nuts hazelnut hazelnuts
meat vegetarian vegan beef chicken sausage barbecue steak diet carb shellfish seafood
drink drinks drinking coffee espresso tea milk wine beer juice oat glass bottle bottled morning cup bar
vineyard grapes harvest wine ferments barrels pressed bottled drink
allergy allergic allergies intolerant intolerance reaction peanuts lactose epipen swell throat avoid shellfish never
health doctor doctors physician nurse hospital clinic patient patients medic medicine medicines drug drugs tablet tablets pill antibiotics prescribe prescribed treatment therapy therapist physiotherapist surgery symptoms cure heal dr ill sick disease study
hurt hurts injury injured injuries pain ankle joint knee wrist leg arm foot finger collarbone bone hip broken broke fracture fractured sprained sling ligament ice torn tear emergency accident
tooth teeth dentist dental
eye eyes eyesight glasses vision see blind
blood pressure cholesterol heart migraine migraines headache headaches trigger insulin diabetes diabetic type
sleep sleeps sleeping slept asleep bed bedtime nap naps night nights snore snores wake insomnia early seven
baby babies infant newborn pregnant birth child
child children kid kids boy boys girl girls son daughter toddler school
parent parents mother father mum dad mom family grandmother grandfather grandma grandpa granddaughter aunt uncle cousin cousins twin twins sister brother siblings
marry married wedding husband wife couple bride fiance engaged spouse anniversary partner girlfriend divorced chapel single
birthday born birth party celebrate celebration present presents gift candles cake guests october age old
friend friends neighbour neighbours neighbor neighbors colleague colleagues guest guests buddy
live lives lived living home house flat apartment moved move moving reside bungalow cottage city town address
rent rental landlord tenant monthly flat due lease payment owner
room rooms bedroom bathroom kitchen attic cellar hallway floor terrace shed cupboard
paint painted painting paints painters decorators wall walls colour color colours green blue red white grey pale walnut
furniture table chair desk bookshelf bookcase woodworking cabinet lamp cushion sofa tiles bookshop
repair repaired renovation renovate fix plumber tap sink washer drip drips boiler pipe leak stove contractor worn wrong
clean cleaning wash washing laundry wet dry dried clothes rack machine
clothes dress gown shirt shoe shoes boots wear wears size coat jacket hat
work works worked working job jobs profession occupation career employ employed employs employer employee company firm office living earn earns hired hire role position salary applied
interview apply certificates manager position salary job company
boss manager head leads lead leader supervisor supervises report reports director management
retire retired retires pension retirement quit resign unemployed
meet meets meeting meetings conference gather call standup appointment offsite review agenda retreat retro planning weekly
schedule scheduled time when date day days week weeks month monday tuesday wednesday thursday friday saturday sunday weekend weekday january february march april may june july august september october november december spring summer autumn winter noon deadline expires due until
start starts started begin begins beginning launch launched opens first
end ends ended ending finish finished final stop stopped close closed closing shut over
money cash euro euros dollar dollars bank account savings save saving saved budget cost costs spend price prices cheap cheaper expensive pay pays paid payment afford invest investing crypto income fund funds charge charges tax left hundred
buy bought buys purchase purchased shop store sell sells sold customer customers order sale market
contract negotiate agreement deal signed renew renewal discount supplier suppliers invoice invoices
lawyer attorney court judge jury trial verdict guilty witness defend accused client law legal crime
police burglar thief arrested arrest caught steal stolen robbery crime
election vote votes mayor council party politics rival president win
museum gallery exhibit exhibition art artist artists painting paintings sculpture sculptures draw drawing watercolour watercolours
music musical instrument instruments play plays violin cello piano trumpet guitar ukulele bass orchestra band concert gig sing sings choir opera jazz gospel song songs album scales practise practises composes soundtrack composer
dance dancing ballet theatre stage performance performs audience festival
film films movie movies cinema watch watching thriller critics screen video subtitles series tv stream actor
photo photos photograph camera picture pictures fujifilm shoot
book books novel novels author read reads reading write writes written library fiction story page recommend recommends ought writer literature
language languages speak speaks fluent spanish german french polish hungarian portuguese english japanese danish arabic italian understand talk learn learning
study studies studying student university degree school college thesis dissertation professor course lesson lessons class tutor learn chemistry physics major field second year exam
teach teaches teacher taught lessons tutor tutors instructor train coach
sport sports football soccer tennis team teams match game scored score win won wins champions club league player players visitors beat
run runs running runner marathon race jog jogging training trains half
swim swims swimming pool water dive diving
bike bicycle cycle cycling ride rides motorbike
ski skiing skis climb climbing hike hikes hiking mountains mountain walk walks walking trail boots
gym workout exercise fitness weights fit lift
car cars drive drives driving driver vehicle van tire tires battery engine start breakdown volvo skoda licence license flat
tram train bus station commute commutes office ride transport walks minutes get gets desk work
flight flights fly flies flying plane airplane airport pilot take seat window aisle takeoff airline
ship ships boat ferry sail sea harbour deck crew sink sank capsized waves lifeboats shipyard seasick
travel travels trip holiday vacation visit visits visited tourist tourists abroad passport visa tour journey hotel
japan kyoto temple shrine dawn tokyo sakura
weather hot cold warm rain rains storm storms thunderstorm sunshine forecast snow fog temperature degrees sunny cloud wind
volcano volcanoes erupt eruption lava molten rock crust gas pressure depths earth
farm farmer field crops crop barley sowed harvest grow grows grown growing planted plant
garden gardening flower flowers tulips roses tree trees oak hedge lawn ivy pond pesticides pesticide
factory plant steel manufacturing production shut orders industry
phone mobile smartphone handset screen number call calls ring contact reach
computer laptop memory processor disk drive hardware fast faster slow machine desktop gb ram server thinkpad
program programs programming programmer software code coding developer developers backend compile rust python java javascript typescript go language commit library framework written
bug bugs error errors crash crashes fail fails failing outage incident broken wrong cause caused problem timeout down
deploy deploys deployed deployment release releases released ship server servers production staging cluster hosted hosting cloud
test tests testing tested tester testers ci pipeline vitest unit
database databases postgres sql sqlite table tables column bigquery redshift warehouse store stored data
password login log sign signin token tokens oauth authentication authenticate key keys encrypt encrypted secret security fingerprint permission access account
backup backups restore copy copies nightly
website site web page browser frontend url
message messages email emails mail newsletter send sends sent notification reply replies answer letter post notify
parcel package delivered deliver delivery courier shipment post mail postcard
dashboard report metric metrics analytics analysis chart revenue churn
feature features setting settings mode dark theme option toggle flag
limit maximum rate per at most quota timeout
prefer prefers like likes love loves enjoy enjoys favourite favorite hobby hobbies fond keen free spare likes
hate hates dislike dislikes annoy annoyed avoid avoids afraid fear scared dread frightened fright spiders
excited happy glad delighted proud great nice wonderful
sad sorry worried nervous stress stressed terrible
name named names called call
people person who someone somebody everybody group
place where located location country lisbon berlin vienna hamburg amman oslo city town village street address headquarters
size big small large little tall height weigh weighs weight kilo long
smoke smoker smoking cigarette quit
religion church prayer ramadan faith christmas pastor temple
award prize medal won honour
plan plans planning goal goals aim dream wants want future hope hopes intend
remember reminder remind forget forgot notes note
lost found lose missing keys key
meal vegetarian lactose intolerance gluten milk
camping tent outdoors nature forest lake river beach coral reef
collects collection collect stamps coins
lightning struck thunderstorm split
fire firefighter alarm smoke emergency
sensor sensors temperature humidity wires i2c pin board arduino raspberry
documents document file files format export upload download json csv
design designer designs layout logo font style palette figma
review reviews approve approved approval merge merged pull request branch reviewer
on-call rotation pager incident alert alerts alarms
vet dog cat rabies vaccination neutered
`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

const GROUPS_OF: ReadonlyMap<string, readonly number[]> = groupsByWord();

function groupsByWord(): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [group, words] of WORD_GROUPS.entries())
    for (const word of new Set(words)) groups.set(word, [...(groups.get(word) ?? []), group]);
  return groups;
}

/** All words of the groups. */
export const GROUPED_WORDS: readonly string[] = [...GROUPS_OF.keys()];

const FUNCTION_WORDS = new Set(
  (
    "the a an of to in and is it at on for with that this was were be been being are as by from or he she they we i you his her " +
    "their our my its do does did what which who when where why how has have had not no so but there than then into all any them " +
    "him me us about after before can could will would should s t"
  ).split(" "),
);

const meanings = new Map<string, Float64Array>();

/**
 * The meaning of a word as numbers: the direction of its groups and a small part of its own; ungrouped words have only
 * the latter, and function words have nothing.
 */
export function meaningOfWord(word: string, columns: number): Float64Array {
  const key = `${columns} ${word}`;
  const known = meanings.get(key);
  if (known) return known;
  const meaning = new Float64Array(columns);
  meanings.set(key, meaning);
  if (FUNCTION_WORDS.has(word)) return meaning;
  const groups = GROUPS_OF.get(word) ?? GROUPS_OF.get(word.replace(/(?:e?s|e?d|ing)$/, "")) ?? [];
  addTo(meaning, direction(`word ${word}`, columns), groups.length > 0 ? 0.6 : 1);
  for (const group of groups) addTo(meaning, direction(`group ${group}`, columns), 1 / Math.sqrt(groups.length));
  return meaning;
}

/**
 * The vector of a text from a model with a narrow range: the meanings of its words, and a component common to
 * all texts, which makes up most of it.
 * @param common share of the common part in every cosine, 0 to 1
 */
export function narrowVector(text: string, { columns, common }: { columns: number; common: number }): number[] {
  const meaning = new Float64Array(columns);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) addTo(meaning, meaningOfWord(word, columns), 1);
  if (Math.hypot(...meaning) === 0) addTo(meaning, direction(`text ${text}`, columns), 1);
  const scale = Math.sqrt(1 - common) / Math.hypot(...meaning);
  return [...Array.from(meaning, (value) => value * scale), Math.sqrt(common)];
}

/** A pseudo-random direction, always the same for a name. */
function direction(name: string, columns: number): Float64Array {
  const bytes: Buffer[] = [];
  for (let at = 0; at * 16 < columns; at++) bytes.push(createHash("sha256").update(`${name} ${at}`).digest());
  const drawn = Buffer.concat(bytes);
  const made = Float64Array.from({ length: columns }, (_, at) => drawn.readInt16LE(2 * at) / 32_768);
  const length = Math.hypot(...made);
  return made.map((value) => value / length);
}

function addTo(sum: Float64Array, other: Float64Array, weight: number): void {
  for (const [at, value] of other.entries()) sum[at] = (sum[at] ?? 0) + weight * value;
}
