function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ""));
}

/** People that "my …" may refer to. */
export const RELATIVES = words(`
wife husband spouse partner fiance fiancé fiancee fiancée girlfriend boyfriend ex mother mom mum mommy father dad daddy parents parent sister
brother siblings sibling twin son daughter child children kid kids baby toddler grandma grandmother grandpa grandfather grandparents grandson
granddaughter nephew niece aunt uncle cousin cousins in-laws mother-in-law father-in-law sister-in-law brother-in-law stepmother stepfather
stepson stepdaughter godson goddaughter friend friends bestie roommate roommates flatmate neighbor neighbour neighbors neighbours boss manager
colleague colleagues coworker coworkers teammate mentor coach teacher therapist doctor dentist lawyer accountant landlord tutor supervisor
advisor adviser client physiotherapist physio barber hairdresser trainer nurse agent broker plumber mechanic vet pediatrician paediatrician psychiatrist psychologist
family nanny babysitter assistant co-founder cofounder headmaster headmistress principal gp gardener cleaner publisher agent producer
director professor instructor caretaker landlady tenant tenants cardiologist dermatologist gynaecologist gynecologist dietitian nutritionist osteopath
optician midwife surgeon notary stylist bandmate classmate classmates housemate housemates flatmates roommates co-host co-author cohost partners
granddad grandad gran granny nan nana stepdad stepmom stepmum half-brother half-sister great-aunt great-uncle stand-in deputy successor predecessor youngest eldest oldest twins triplets grandkids grandchild grandchildren godfather godmother pastor priest rabbi imam apprentice intern`);

/** Animals; "my …" or "a …" of these is a pet. */
export const PETS = words(
  "dog dogs cat cats puppy puppies kitten kittens parrot parrots hamster rabbit rabbits horse horses turtle tortoise goldfish fish bird birds pet pets " +
    "guinea donkey pony goat goats sheep hen hens chicken chickens duck ducks goose geese snake lizard gecko hedgehog ferret mare budgie canary cockatiel " +
    "beagle labrador greyhound poodle terrier dachshund spaniel retriever collie bulldog pug chihuahua husky",
);

/** Things of one's own whose properties are worth keeping. */
export const OWN_THINGS = words(`
name surname nickname birthday birthdate birthplace hometown age job title role position profession occupation career hobby hobbies passion goal
goals dream address email phone number timezone zone car truck bike bicycle motorcycle laptop computer macbook desktop house home flat apartment
place company business startup shop store employer team department office school university college degree major minor thesis salary budget
allergy allergies diet religion nationality ethnicity citizenship passport visa language languages tongue pronouns height weight size type
blood instrument project app website site blog channel podcast book band repo repository github username handle handles account editor
language stack framework database server password wifi anniversary wedding graduation surgery appointment exam test interview flight train
meeting deadline presentation trip vacation lease contract insurance doctor shift schedule bedtime routine commute favorite favourite
favorites favourites specialty speciality field background heritage roots sign zodiac condition diagnosis medication prescription rent garden yard balcony kitchen bedroom room desk setup order
research thesis training studio workshop garage cellar basement attic boat houseboat cabin cottage farm mooring cholesterol weight vision eyesight inhaler loan mortgage
membership subscription warranty bank internship apprenticeship semester course class motorbike scooter van tablet camera printer router watch
employer pension income invoice hours supervisor postcode address mail boiler roof heating licence license dissertation portfolio practice clinic gym eyes hair skin`);

/** Things of a project or household that "the …" may refer to. */
export const SHARED_THINGS = words(`
project app application service server servers database db api backend frontend client customer team company office product website site repo
repository codebase build pipeline ci deployment deploy release version sprint standup stand-up retro meeting deadline budget contract password
port endpoint cluster queue cache bucket schema table library framework package module component staging production wifi network domain key
launch migration roadmap milestone conference workshop wedding party apartment house flat school course class exam flight train hotel event committee board council association union club choir hall venue fee fees price rent lease loan mortgage warranty membership term
semester lesson boiler roof pump heating alarm gate garage lift elevator cleaner gardener caretaker contractor tenant neighbour neighbor audit
kids twins dog cat baby garden kitchen house plumber electrician
headquarters hq number code pin booking reference order invoice subscription license licence policy vendor supplier manager ceo cto landlord doctor appointment store shop restaurant address code`);

/** Events that are over after their day. */
export const EVENT_NOUNS = words(`
training exam exams test quiz appointment meeting interview flight train presentation call dentist doctor checkup check-up reservation booking delivery
concert party game match class lesson session event conference webinar demo shift visit trip vacation holiday dinner lunch brunch surgery hearing
rehearsal recital gig show workshop deadline race marathon tournament audition date standup stand-up review retro launch ceremony ticket tickets
therapy physio scan mri x-ray haircut viewing inspection assignment essay homework report submission audit photoshoot festival performance
reunion barbecue bbq sleepover playdate service handover lesson checkup operation conference audit vernissage premiere kickoff kick-off wedding funeral christening baptism offsite off-site hackathon seminar`);

/** Lasting traits, after "is". */
export const LASTING_ADJECTIVES = words(`
allergic intolerant vegetarian vegan pescatarian celiac coeliac diabetic asthmatic married single divorced widowed engaged pregnant left-handed
right-handed short-sighted long-sighted near-sighted far-sighted color-blind ambidextrous bilingual trilingual fluent colorblind colourblind color-blind colour-blind deaf blind autistic dyslexic epileptic bisexual gay
lesbian straight queer trans transgender nonbinary non-binary jewish muslim christian catholic protestant buddhist hindu atheist agnostic
religious retired unemployed self-employed freelance german french italian spanish british english american canadian australian indian chinese
japanese korean dutch swedish norwegian danish finnish polish portuguese brazilian mexican turkish russian ukrainian greek irish scottish welsh
swiss austrian belgian israeli egyptian nigerian kenyan argentinian colombian vietnamese thai filipino indonesian pakistani responsible kosher
halal lactose-intolerant gluten-free nearsighted shortsighted introverted extroverted nocturnal teetotal sober vaccinated adopted`);

/** Adjectives that, with a preposition and an object, name an interest or a fear. */
export const INTERESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["interested", ["in"]],
  ["keen", ["on"]],
  ["passionate", ["about"]],
  ["fond", ["of"]],
  ["obsessed", ["with"]],
  ["addicted", ["to"]],
  ["afraid", ["of"]],
  ["scared", ["of"]],
  ["terrified", ["of"]],
  ["into", []],
  ["crazy", ["about"]],
  ["committed", ["to"]],
  ["sensitive", ["to"]],
  ["good", ["at", "with"]],
  ["bad", ["at"]],
  ["terrible", ["at"]],
  ["hopeless", ["at"]],
  ["awful", ["at"]],
  ["partial", ["to"]],
  ["big", ["on", "into"]],
  ["hooked", ["on"]],
  ["devoted", ["to"]],
  ["enthusiastic", ["about"]],
  ["mad", ["about"]],
  ["picky", ["about"]],
]);

/** Participles after "is" that state where or how something permanently is. */
export const LASTING_PARTICIPLES = words(`
called named based located born written built hosted deployed owned managed maintained led run stored divided made founded headquartered
licensed scheduled due set planned organized organised designed named diagnosed registered enrolled employed trained certified raised
sponsored funded configured protected secured supported deprecated required powered limited priced pinned booked reserved
insured rented leased stationed`);

/** Judgements and moods: "is great", "a nice day". */
export const EVALUATIVE = words(`
great good nice fun amazing awesome cool bad terrible hard easy important tough difficult wonderful beautiful interesting special powerful
inspiring lovely so really very such too pretty quite super fantastic incredible excellent perfect fine okay ok true right wrong crazy funny cute
sweet sad happy glad sorry sure tired busy sick excited thrilled grateful thankful proud lucky ready done curious worried nervous stressed angry
upset bored hungry thirsty sleepy exhausted overwhelmed swamped surprised shocked impressed amazed blown better best worse worst much more most
lot bit little kind sort real total huge big major absolute delight pleasure joy blast treat relief shame pity mess nightmare must no-brainer
key vital essential crucial necessary possible impossible likely enough worth gorgeous delicious tasty yummy adorable precious rewarding
therapeutic relaxing calming refreshing exciting boring weird strange odd scary fascinating pleasant same similar different about all just
not never only always here there back off up down out over like way thing things one something nothing everything anything somebody someone
what why how where when that this it coming going working fabulous brilliant stunning magical super-fun meaningful reminder example
part reason journey step start game-changer experience challenge blessing gift success hit idiot fool loser winner genius goner wreck zombie
hero heroine star saint angel legend darling gem monster beast treasure disaster life-saver lifesaver slow fast broken down late early cold hot warm wet dry full empty stuck dead`);

/** Objects with which "have", "take", "make", "get" and "give" form an empty phrase. */
export const LIGHT_OBJECTS = words(`
look break moment minute nap shower point sense mistake chance time times blast fun feeling feelings question questions idea ideas thought
thoughts lot lots bit little while day days night one thing things something anything nothing everything hard rough good great nice amazing wonderful
lovely awesome fantastic tough busy crazy bad best better worst problem problems trouble issue issues doubt doubts clue choice hope hopes
opinion say luck mind heart guts faith confidence more enough plenty ton tons excuse reason goosebumps chills headache hunch suggestion favor
favour rest seat breath turn turns advantage note notes progress effort difference chat conversation talk discussion laugh cry sigh peek glimpse
crush impression error errors message messages plans`);

/** The same for words directly after the verb. */
export const LIGHT_PARTICLES = words(`
it him her them that this you me us so what ready dressed lost up tired bored excited hungry better worse used back home there here stuck now fine again caught
involved creative know done rid going together along by through over away out down off too very such`);

/** Words that open a sentence but are nobody's name. */
export const NOT_NAMES = words(`
the a an this that these those it its there here he she they we you i my your our his her their what when where why who how which if unless
because since while although though yes no yeah yep nope ok okay so and but or nor then than also just only even still well oh wow hey hi
hello thanks thank please sorry sure maybe perhaps probably hopefully actually honestly anyway besides however therefore moreover meanwhile
everyone everybody someone somebody nobody anyone anybody something nothing everything anything all both some any many most much few several
each every another other others one two three first second third last next today tomorrow yesterday tonight now later soon recently currently
sometimes often usually always never once twice again after before during until in on at by for from with without about into over under to of
as not such being having doing going getting taking making working looking seeing painting running cooking reading writing swimming hiking
music art life love work school nature family people kids children time things stuff food coffee tea water weather money health happiness
good great nice cool awesome amazing lovely beautiful congratulations congrats glad happy sad let lets let's please don't do did does
can could will would shall should may might must have has had is are was were be been am thats that's it's i'm monday tuesday wednesday
thursday friday saturday sunday january february march april june july august september october november december note summary dear
sounds looks seems feels means makes gonna wanna got lol haha sir madam plus whatever whenever wherever whoever exactly absolutely definitely
totally agreed true correct right wrong speaking helping sharing learning teaching giving spending trying taking`);
