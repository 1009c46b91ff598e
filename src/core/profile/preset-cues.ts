import { fold } from "../../language/words.js";

/**
 * Cues for common buckets, by key. Words and phrases, separated by `|`, in folded text (see `fold`); `*` stands for any ending,
 * `~` for one to three words.
 */
const CUES: Readonly<Record<string, string>> = {
  preferences:
    "prefer*|preference*|favourite*|favorite*|likes|loves|enjoys|adores|dislikes|hates|loathes|detests|despises|can't stand|cannot stand|" +
    "fond of|keen on|partial to|would rather|would sooner|avoids|not like|n't like|never liked|not a fan of|n't enjoy|not enjoy|n't want|not want|" +
    "also like|really like|they like|we like|i like|also love|really love|they love|we love|i love|i hate|we hate|usually orders|" +
    "always orders|always uses|never uses|always wears|never wears|always picks|always chooses|usually picks|never eats|never drinks|wants it|" +
    "insists on|sick of|can do without|does not care for|" +
    "likes ~ more than|likes ~ better than|rather than|picks ~ over|chooses|opts for|asked to be called|asked to be addressed|" +
    "wants to be called|has no patience for|no patience for|finds ~ boring|finds ~ annoying|finds ~ overwhelming|" +
    "finds ~ delicious|finds ~ tedious|sweet tooth|swears by|does without|would never|go-to|pet peeve*|cannot bear|can't bear|" +
    "put off by|turned off by",
  interests:
    "hobby|hobbies|interest|interests|interested in|passion|passions|passionate about|enthusiast*|enthusiastic about|fan of|is into|are into|" +
    "got into|collects|collecting|collector|collection of|plays|reads|novels|poetry|comics|science fiction|watches|listens to|listening to|" +
    "podcasts|documentaries|paints|painting|draws|drawing|sings|dances|dancing|photograph*|gardening|gardens at|hiking|hikes|climbing|climbs|" +
    "cycling|cycles|surfing|skiing|sailing|fishing|hunting|knitting|knits|sewing|crochet*|pottery|woodworking|birdwatching|stargazing|" +
    "astronomy|chess|board games|video games|gaming|gamer|baking|brewing|concerts|theatre|opera|museums|orchestra|choir|fascinated by|" +
    "curious about|free time|spare time|enjoys *ing|likes *ing|loves *ing|goes *ing|learning to|follows|enjoys football|book club|season ticket|" +
    "obsessed with|crazy about|nerd|geek|buff|aficionado|amateur|restores|badminton|tennis|football|soccer|basketball|" +
    "volleyball|rugby|hockey|golf|squash|rowing|judo|karate|archery|fencing|padel|bouldering|swims|kayaking|crossword*|" +
    "puzzle*|sudoku|lego|model trains|origami|birdwatcher*|birding|k-pop|jazz|techno|heavy metal|hip hop|classical music|" +
    "anime|manga|vinyl|writes haiku|writes poems|writes poetry|writes short stories|writes songs|guitar|piano|violin|cello|" +
    "drums|saxophone|ukulele|in a band|telescope|every episode|binge-watch*|true crime|role-playing|dungeons and dragons|" +
    "card games|pub quiz|quizzes|metal detecting|beekeeping|keeps bees|bonsai|calligraphy|embroidery|whittling|geocaching|" +
    "genealogy",
  goals:
    "goal|goals|aim|aims|aiming|target|targets|ambition*|aspire*|aspiration*|resolution*|wants to|want to|would like to|hopes to|hoping to|hope to|" +
    "plans to|plan to|planning to|intends to|intend to|dreams of|dreams about|dream is|dream of|dreaming of|trying to|tries to|striv*|" +
    "working towards|working toward|saving for|saving up|save up|determined to|training for|preparing for|looking to|set herself|" +
    "set himself|set themselves|wishes to|on track to|bucket list|progress towards|objective*|" +
    "would love to|has decided to|is hoping|some day|someday|one day|by next|would like her|is set on|has her sights on|" +
    "has his sights on|longs to|longing to|eager to|resolved to|wants a|challenge to|vowed to|promised herself|" +
    "promised himself|looking forward to becoming",
  work:
    "works as|works at|works for|works in|works from|works with|works on|works part time|works full time|works part-time|works nights|" +
    "working as|working at|working for|working from|work from|worked as|worked at|worked for|worked in|work at|work for|work as|works remotely|" +
    "job|jobs|career*|profession|employ*|employer|company|colleague*|coworker*|co-worker*|workplace|boss|manager|line manager|supervisor|" +
    "office|promoted|promotion|hired|was fired|got fired|laid off|resigned|resignation|quit her job|quit his job|quit their job|freelance*|" +
    "self-employed|contractor|consultant|ceo|cto|cfo|coo|founder|cofounder|co-founder|founded|start-up|startup|reports to|leads|heads|" +
    "manages|head of|director of|vice president|shift|shifts|standup|stand-up|meetings|one-on-one*|1:1|retired|retire|internship|intern|" +
    "role|remotely|department|on call|on-call|clients|owns a ~ shop|runs a ~ shop|runs a ~ business|runs a ~ firm|runs a ~ studio|runs a shop|" +
    "runs a business|runs a firm|runs a studio|own business|coffee shop|law firm|works shifts|responsible for|day off|parental leave|on leave|" +
    "notice period|deputy|chief|is unemployed|got the job|business trip*|engineer|nurse|teacher|lawyer|accountant|designer|architect|" +
    "translator|paramedic|plumber|electrician|carpenter|journalist|chef|baker|barista|pilot|scientist|researcher|developer|programmer|" +
    "analyst|librarian|farmer|mechanic|pharmacist|photographer|secretary|receptionist|cashier|firefighter|police officer|civil servant|" +
    "runs a ~ bakery|runs a ~ restaurant|runs a ~ company|runs a bakery|runs a restaurant|runs a company|runs a cafe|runs the company|" +
    "team of|team consists|her team|his team|their team|performance review*|appraisal|contract ends|contract runs|fixed-term|" +
    "commute*|commuting|sells|payroll|looking for work|pay rise|has been with ~ for|years at|has worked|used to work|" +
    "works the|night shift|overtime|workload|coworking|probation*|line of work|trainee|union rep|project manager|" +
    "product manager|sales|marketing|salesman|saleswoman|driver|gardener|hairdresser|tailor|bartender|waiter|waitress|" +
    "butcher|surveyor|editor|author|actor|actress|musician|veterinarian|midwife|doctor at|economist|statistician|" +
    "welder|miner|soldier|social worker|estate agent|broker|auditor|admin|assistant at|principal|clerk|operator|administrator",
  relationships:
    "brother*|sister*|sibling*|mother|mother's|father|father's|mum|mum's|mom|mom's|dad|dad's|parent|parents|son|sons|son's|daughter*|wife*|husband*|" +
    "spouse|partner|partner's|girlfriend*|boyfriend*|fiance*|fiancee*|grandmother*|grandfather*|grandma*|grandpa*|grandparent*|grandson*|" +
    "granddaughter*|grandchild*|aunt*|uncle*|cousin*|niece*|nephew*|twins|kid|kids|child|children|baby|toddler*|friend|friends|" +
    "friend's|friendship|flatmate*|roommate*|housemate*|neighbour*|neighbor*|married|marriage|engaged to|got engaged|divorc*|separated from|" +
    "dating|broke up|split up|in a relationship|lives with|widow*|in-law|in-laws|stepmother|stepfather|stepson|stepdaughter|godmother|" +
    "godfather|godson|family|anniversary|ex-wife|ex-husband|girlfriend|is single|family tree|" +
    "together since|been together|are a couple|shares a flat with|shares a house with|shares a room with|mentor|mentee|" +
    "does not talk to|does not speak to|n't talk to|n't speak to|seeing someone|is seeing|in love|gets on with|" +
    "gets along with|close to her|close to his|named after|pen pal|penpal|bridesmaid|best man|wedding|adopted|foster|carer|" +
    "caregiver|pregnant with|expecting a|orphan|ex|crush|fell out with|grew up with|relative|relatives|acquaint*",
  health:
    "health*|allerg*|diabet*|asthma*|migraine*|intoleran*|vegetarian*|vegan|pescatarian|gluten*|coeliac|celiac|diet|diets|dietary|nutrition*|" +
    "medication*|medicine*|meds|pill|pills|tablets|painkiller*|antibiotic*|antidepressant*|ibuprofen|aspirin|paracetamol|insulin|inhaler|" +
    "epipen|mg|doctor|doctor's|dentist|dentist's|physio*|therapy|therapies|therapist*|psychiatr*|psycholog*|surgery|surgeries|surgeon|" +
    "hospital*|clinic|ambulance|injur*|sprain*|fractur*|concussion|wound*|broke her arm|broke his arm|broke her leg|broke his leg|" +
    "broke her wrist|broke his wrist|broke her ankle|broke his ankle|broken arm|broken leg|broken wrist|broken ankle|tore|back pain|pain|" +
    "painful|headache*|backache|toothache|stomach ache|hurts|blood|cholesterol|sleep|sleeps|sleeping|slept|insomnia|snores|exhausted|" +
    "burnout|burned out|pregnan*|depress*|anxiety|panic attacks|adhd|autis*|dyslexi*|cancer|covid|flu|fever|has a cold|symptom*|diagnos*|" +
    "chronic|disease*|illness*|sick|ill|vitamin*|supplements|vaccin*|immune|fitness|gym|workout*|works out at|works out every|works out in the gym|" +
    "works out twice|works out regularly|works out on|exercises|exercise|yoga|pilates|jogs|jogging|goes running|runs ~ kilometres|" +
    "runs ~ kilometers|runs ~ miles|runs ~ km|runs every|smoke|smokes|smoking|smoker|alcohol|sober|calories|weight|overweight|lose ~ kilos|" +
    "lose ~ pounds|lost ~ kilos|lost ~ pounds|kilos|cut down on|cut out|hearing aid|wheelchair|glasses for|contact lenses|blind|deaf|arthritis|" +
    "epilep*|rehab|recovering from|check-up|checkup|heart rate|heart condition|thyroid|eczema|hay fever|" +
    "twice a day|once a day|three times a day|every day for her|takes medication|cannot eat|can't eat|does not eat|n't eat|" +
    "shellfish|feeling low|feels low|feeling down|mood swings|nosebleed*|dizzy|dizziness|nausea|nauseous|vertigo|tinnitus|" +
    "stressed|stress|meditat*|mindfulness|brace|crutch*|appendix|tonsils|gallbladder|kidney|liver|lung*|heart attack|stroke|" +
    "pacemaker|joint|joints|shoulder|knee|hip replacement|spine|x-ray|mri|biopsy|test results|screening|dialysis|chemo*|" +
    "transplant|blood pressure|anaemi*|anemi*|menopause|contracepti*|dermatolog*|cardiolog*|orthopaed*|optician|midwife|" +
    "paediatric*|rash|cough*|sneez*|infection|infected|virus|immunis*|reflux|ibs|hernia|ulcer|gout|cramps|fainted|" +
    "hungover|teetotal*|keto|low-carb|protein|fasting|steps a day|recover*|short-sighted|long-sighted|colour-blind|" +
    "color blind",
  skills:
    "fluent*|speaks|spoken|bilingual|native speaker|mother tongue|native language|knows how to|knows python|knows java|knows sql|good at|great at|" +
    "excellent at|skill|skills|skilled|expert|experts|expertise|proficien*|experience with|experience in|experienced|years of experience|" +
    "certified|certificate in|certification*|beginner|intermediate|advanced|programs in|codes in|trained in|trained as|has mastered|talented|" +
    "talent for|able to|self-taught|learned to|learned how|learnt to|taught himself|taught herself|can program|can code|can cook|" +
    "can drive|can swim|can play|can speak|can read|can write|can repair|can fix|can build|can sew|can use|can type|can fly|can ski|can sing|" +
    "can juggle|strong in|specialises in|specializes in|specialised in|specialized in|rusty in|black belt|driving licence|driving license|" +
    "pilot's licence|knows her way around|knows his way around|" +
    "comfortable with|familiar with|understands some|understands a little|knows some|knows a little|" +
    "basic knowledge|trained|writes clean|has never used|never used|never learned|new to|gifted|adept|competent|mastery|" +
    "craftsman|handy|knowledge of|licensed|qualified|conversational|bad at|not good at|hopeless at|plays ~ well|touch-type*|" +
    "sign language|perfect pitch",
  finances:
    "salary|salaries|earns|earned|income|wage|wages|rent is|rent of|pays rent|pays the rent|monthly rent|mortgage*|loan|loans|debt|debts|" +
    "in the red|owes|owed|lent|lends|borrowed|borrows|invest|invests|invested|investing|investment*|investor|shares of|shares in|stocks|stock market|" +
    "index fund*|funds|etf|etfs|pension*|savings|saving up|saves ~ a month|saves money|budget*|banks with|bank account|her bank|his bank|" +
    "bank loan|tax|taxes|tax return|insurance|insured|credit card*|credit score|credit|expenses|expensive|costs|cost of|pays|paid off|" +
    "dividend*|crypto|bitcoin|portfolio|bonus|invoice*|refund*|afford|inherit*|money|cash|financ*|alimony|child support|overdraft|" +
    "subscription costs|gross|net worth|interest rate|" +
    "landlord ~ the rent|raised the rent|the rent|her rent|his rent|savings account|subscription|subscriptions|his shares|" +
    "her shares|their shares|bill|bills|deposit|discount*|cheap|price|prices|pension|percent interest|instalment*|" +
    "installment*|lottery|wealth*|bankrupt*|broke until|payday|direct debit|standing order|real estate|" +
    "rental income|side income|donated ~ euros|accountant",
  education:
    "study|studies|studied|studying|student*|degree*|bachelor*|master's|masters in|mba|phd|ph.d|doctorate|doctoral|thesis|dissertation|university|" +
    "universities|college|school|schools|high school|graduat*|undergraduate|course on|course in|courses|online course|language course|" +
    "takes a course|taking a course|class|classes|exam|exams|examination|midterm*|homework|professor*|lecture*|semester|tutor*|bootcamp|" +
    "scholarship*|diploma*|majored|majoring|enrolled|enrol*|apprentice*|seminar*|driving test|driving lesson*|syllabus|curriculum|campus|" +
    "kindergarten|a-levels|abitur|coursework|grades|lessons|erasmus|certificate course|faculty|" +
    "dropped out|drop out|second year|first year|third year|final year|got into|accepted to|admitted to|freshman|" +
    "sophomore|postgraduate|postdoc|alumni|alumnus|alumna|valedictorian|lesson|language school|night school|boarding school|" +
    "textbook*|essay|term paper|gpa|cpd|moocs|mooc|coursera|learning spanish|learning french|learning german|" +
    "learning japanese|revising for|valedictory|academy|lecturer|doctoral|teacher training",
  travel:
    "trip|trips|travel*|flies to|flies from|flew to|flew from|fly to|flying to|flying from|flying back|flown to|flies back|flight*|hotel*|hostel*|" +
    "airbnb|holiday|holidays|vacation*|honeymoon|passport*|visa|visas|airport*|airline*|air miles|night train|train to|trains to|" +
    "by train|takes the train|took the train|sleeper train|cruise*|abroad|overseas|window seat*|aisle seat*|luggage|suitcase*|" +
    "itinerary|booked a|booked the|bookings|backpack*|tour of|tourist*|camping|campsite|road trip|sightseeing|destination*|journey*|countries|" +
    "jet lag|jetlag|ferry|boarding|plane|planes|trains and|trains over|weekend in|week in|weeks in|layover|interrail|city break|souvenir*|" +
    "continents|safari|beach resort|" +
    "driving to|drove to|drives to|driving up to|driving down to|spent ~ weeks in|spent ~ days in|spent ~ nights in|" +
    "spent a week in|spent a month in|spent the summer in|layover*|stopover*|backpacked|world tour|rail pass|eurail|" +
    "rental car|hire car|hired a car|rented a car|customs|border|frequent flyer|carry-on|packing list|packs light|check-in|" +
    "all-inclusive|resort|caravan|camper trip|hitchhik*|gap year|expedition|trek*|island hopping|lonely planet|" +
    "bed and breakfast|time zones|returns from|is back from|business class|economy class|cabin",
  values:
    "believes in|believes that|believes|belief*|values honesty|principle|principles|ethic|ethics|ethical*|moral*|religio*|catholic|christian|" +
    "muslim|jewish|hindu|buddhis*|atheis*|protestant|orthodox|sikh|quaker|agnostic|faith|church|mosque|synagogue|prays|prayer|" +
    "cares about|cares deeply|matters more|matters most|means more to|important to|importance of|motto|refuses to|human right*|" +
    "environment|environmental*|sustainab*|conviction*|stands up for|stands for|honesty|integrity|fairness|justice|equality|feminist|" +
    "pacifist|privacy is|should be free|never lies|above all|charity|charities|donates|volunteers|family first|comes first|" +
    "puts ~ before|puts ~ first|worth more than|on principle|spiritual*|loyalty|philosophy|deeply about|conscience|is wrong to|" +
    "fasts|ramadan|during lent|kosher|halal|sabbath|shabbat|counts more than|count more than|votes|voted|deserves|everybody should|" +
    "everyone should|nobody should|goes to mass|goes to temple|temple|bible|quran|koran|torah|scripture*|political*|politics|" +
    "activist*|protest*|trade union|conservative|liberal|socialist|left-wing|right-wing|patriot*|minimalis*|stoic*|frugal*|" +
    "integrity|transparency|respect for|respects|humility|dignity|freedom|animal rights|climate|fair trade|boycott*|wrong to|" +
    "honour|honor|forgive*|second chance|open-minded|tolerance|humanis*|tithe*|tithes",
  projects:
    "project|projects|is building|are building|was building|build a|building a|building an|built a|working on|works on|prototype*|launch*|" +
    "release|released|releases|milestone*|roadmap|deadline*|version *|beta|next step*|migrat*|refactor*|rewrit*|rewrote|redesign*|" +
    "renovat*|repository|repositories|repo|branch|merged|pull request*|sprint*|feature*|deploy*|backlog|tickets|team decided|team chose|" +
    "team picked|team agreed|team uses|decided to use|is blocked|blocked by|blocked on|shipped|ships in|is developing|are developing|" +
    "is designing|are designing|implement*|open source|open-source|is writing a book|is writing a novel|go-live|rollout|rolled out|" +
    "proof of concept|mvp|side project|codebase|is restoring|in development|on schedule|behind schedule|" +
    "is converting|are converting|converting a|phase one|phase two|phase three|phase 1|phase 2|phase 3|will be written in|" +
    "is written in|awaiting approval|waiting for approval|planning a community|mock-up*|mockup*|wireframe*|draft of|" +
    "first draft|blueprint*|pilot phase|pilot project|alpha|changelog|staging|production|bug|bugs|hotfix|ci pipeline|pipeline|" +
    "test coverage|user testing|app|plugin|website|web site|landing page|newsletter|podcast is|third season|restoration|" +
    "crowdfunding|kickstarter|hackathon|spin-off|kick-off|kickoff|deliverable*|stakeholder*|handover|" +
    "specification*|scope of|cutover|api",
};

/** Cues that cannot be word lists, matched against the text as written: names after a verb, sums of money. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  preferences:
    /\b(?:[Ww]ants|asked for) (?!to\b)\w+|\blikes? (?:his|her|their) \w+ \w+|\b(?:always|usually) \w+s \w+ instead of\b/,
  work: /\b(?:joined|started at|moved to a job at|left) (?!the\b)\p{Lu}\p{L}+(?! club)\b|\bis (?:an? )(?:\w+ )?(?:C[ETF]O|\w+(?:ologist|grapher|ician|keeper))\b/u,
  skills:
    /\bknows \p{Lu}[\p{L}+#]+\b|\bcan (?!be\b|have\b|only\b|not\b|wait\b|see\b|stand\b|do\b|get\b|no\b|hardly\b)\p{Ll}+/u,
  finances:
    /[$€£¥]\s?\d|\b\d[\d.,]*\s?(?:k |thousand |million )?(?:euros?|eur|dollars?|usd|pounds sterling|gbp|francs?|chf|yen|crowns|rupees)\b|\b(?:owes?|pays?|earns?|lent|costs?|spends?|saves?)\b.{0,30}\b\d+ pounds\b/i,
  travel:
    /\b(?:visit(?:s|ed|ing)?|(?:has|have|had) been to|went to|goes to|going to) (?:the )?\p{Lu}\p{L}+|\bvisited \d+ /u,
  values: /\bvalues (?!of\b|for\b|in\b|are\b|is\b|from\b)\p{Ll}+/u,
};

/** Text that looks like a cue but is not. */
const TRAPS =
  /\b(?:looks? like|looked like|works? (?:\w+ ){1,3}out\b|works? out (?:the|how|what|that|a)|of course|in the long run|family name|mother board|golf course|main course|first class|bank holiday|sons? of a)\b/g;

type Judge = (text: string) => boolean;

/** Created on first use: many processes never need one. */
const judges = new Map<string, Judge>();

function makeJudge(key: string, cues: string): Judge {
  const words = new RegExp(`(?<![\\p{L}\\p{N}])(?:${cues.split("|").map(toPattern).join("|")})(?![\\p{L}\\p{N}])`, "u");
  const pattern = PATTERNS[key];
  return (text) => words.test(foldForCues(text)) || (pattern?.test(text) ?? false);
}

/** Other names of the same buckets. */
const SAME_KEYS: Readonly<Record<string, string>> = {
  preference: "preferences",
  interest: "interests",
  hobbies: "interests",
  goal: "goals",
  career: "work",
  job: "work",
  relationship: "relationships",
  people: "relationships",
  medical: "health",
  skill: "skills",
  finance: "finances",
  money: "finances",
  studies: "education",
  trips: "travel",
  beliefs: "values",
  project: "projects",
};

/** The judge of texts for a bucket whose key says what it is for; undefined for all other keys. English only. */
export function presetJudge(key: string): Judge | undefined {
  const own = SAME_KEYS[key] ?? key;
  const cues = Object.hasOwn(CUES, own) ? CUES[own] : undefined;
  if (cues === undefined) return undefined;
  const judge = judges.get(own) ?? makeJudge(own, cues);
  judges.set(own, judge);
  return judge;
}

function foldForCues(text: string): string {
  return fold(text).replaceAll("’", "'").replace(TRAPS, " ");
}

function toPattern(cue: string): string {
  return cue
    .replaceAll(".", "\\.")
    .replaceAll("~", "(?:\\S+ ){0,2}\\S+")
    .replaceAll("*", "[\\p{L}\\p{N}']*")
    .replace(/^n't/, "\\p{L}+n't")
    .replaceAll(" ", "\\s+");
}
