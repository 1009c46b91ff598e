import { fold } from "../../lib/words.js";

/**
 * What speaks for a bucket that many have, by its key. Words and phrases, separated by `|`, in folded text (see `fold`); `*` stands for
 * any ending, `~` for one to three words.
 */
const CUES: Readonly<Record<string, string>> = {
  preferences:
    "prefer*|preference*|favourite*|favorite*|likes|loves|enjoys|adores|dislikes|hates|loathes|detests|despises|can't stand|cannot stand|" +
    "fond of|keen on|partial to|would rather|would sooner|avoids|not like|n't like|never liked|not a fan of|n't enjoy|not enjoy|n't want|not want|" +
    "also like|really like|they like|we like|i like|also love|really love|they love|we love|i love|i hate|we hate|usually orders|" +
    "always orders|always uses|never uses|always wears|never wears|always picks|always chooses|usually picks|never eats|never drinks|wants it|" +
    "insists on|sick of|can do without|does not care for",
  interests:
    "hobby|hobbies|interest|interests|interested in|passion|passions|passionate about|enthusiast*|enthusiastic about|fan of|is into|are into|" +
    "got into|collects|collecting|collector|collection of|plays|reads|novels|poetry|comics|science fiction|watches|listens to|listening to|" +
    "podcasts|documentaries|paints|painting|draws|drawing|sings|dances|dancing|photograph*|gardening|gardens at|hiking|hikes|climbing|climbs|" +
    "cycling|cycles|surfing|skiing|sailing|fishing|hunting|knitting|knits|sewing|crochet*|pottery|woodworking|birdwatching|stargazing|" +
    "astronomy|chess|board games|video games|gaming|gamer|baking|brewing|concerts|theatre|opera|museums|orchestra|choir|fascinated by|" +
    "curious about|free time|spare time|enjoys *ing|likes *ing|loves *ing|goes *ing|learning to|follows|enjoys football|book club|season ticket",
  goals:
    "goal|goals|aim|aims|aiming|target|targets|ambition*|aspire*|aspiration*|resolution*|wants to|want to|would like to|hopes to|hoping to|hope to|" +
    "plans to|plan to|planning to|intends to|intend to|dreams of|dreams about|dream is|dream of|dreaming of|trying to|tries to|striv*|" +
    "working towards|working toward|saving for|saving up|save up|determined to|training for|preparing for|looking to|set herself|" +
    "set himself|set themselves|wishes to|on track to|bucket list|progress towards|objective*",
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
    "runs a ~ bakery|runs a ~ restaurant|runs a ~ company|runs a bakery|runs a restaurant|runs a company|runs a cafe|runs the company",
  relationships:
    "brother*|sister*|sibling*|mother|mother's|father|father's|mum|mum's|mom|mom's|dad|dad's|parent|parents|son|sons|son's|daughter*|wife*|husband*|" +
    "spouse|partner|partner's|girlfriend*|boyfriend*|fiance*|fiancee*|grandmother*|grandfather*|grandma*|grandpa*|grandparent*|grandson*|" +
    "granddaughter*|grandchild*|aunt*|uncle*|cousin*|niece*|nephew*|twins|kid|kids|child|children|baby|toddler*|friend|friends|" +
    "friend's|friendship|flatmate*|roommate*|housemate*|neighbour*|neighbor*|married|marriage|engaged to|got engaged|divorc*|separated from|" +
    "dating|broke up|split up|in a relationship|lives with|widow*|in-law|in-laws|stepmother|stepfather|stepson|stepdaughter|godmother|" +
    "godfather|godson|family|anniversary|ex-wife|ex-husband|girlfriend|is single|family tree",
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
    "epilep*|rehab|recovering from|check-up|checkup|heart rate|heart condition|thyroid|eczema|hay fever",
  skills:
    "fluent*|speaks|spoken|bilingual|native speaker|mother tongue|native language|knows how to|knows python|knows java|knows sql|good at|great at|" +
    "excellent at|skill|skills|skilled|expert|experts|expertise|proficien*|experience with|experience in|experienced|years of experience|" +
    "certified|certificate in|certification*|beginner|intermediate|advanced|programs in|codes in|trained in|trained as|has mastered|talented|" +
    "talent for|able to|self-taught|learned to|learned how|learnt to|taught himself|taught herself|can program|can code|can cook|" +
    "can drive|can swim|can play|can speak|can read|can write|can repair|can fix|can build|can sew|can use|can type|can fly|can ski|can sing|" +
    "can juggle|strong in|specialises in|specializes in|specialised in|specialized in|rusty in|black belt|driving licence|driving license|" +
    "pilot's licence|knows her way around|knows his way around",
  finances:
    "salary|salaries|earns|earned|income|wage|wages|rent is|rent of|pays rent|pays the rent|monthly rent|mortgage*|loan|loans|debt|debts|" +
    "in the red|owes|owed|lent|lends|borrowed|borrows|invest|invests|invested|investing|investment*|investor|shares of|shares in|stocks|stock market|" +
    "index fund*|funds|etf|etfs|pension*|savings|saving up|saves ~ a month|saves money|budget*|banks with|bank account|her bank|his bank|" +
    "bank loan|tax|taxes|tax return|insurance|insured|credit card*|credit score|credit|expenses|expensive|costs|cost of|pays|paid off|" +
    "dividend*|crypto|bitcoin|portfolio|bonus|invoice*|refund*|afford|inherit*|money|cash|financ*|alimony|child support|overdraft|" +
    "subscription costs|gross|net worth|interest rate",
  education:
    "study|studies|studied|studying|student*|degree*|bachelor*|master's|masters in|mba|phd|ph.d|doctorate|doctoral|thesis|dissertation|university|" +
    "universities|college|school|schools|high school|graduat*|undergraduate|course on|course in|courses|online course|language course|" +
    "takes a course|taking a course|class|classes|exam|exams|examination|midterm*|homework|professor*|lecture*|semester|tutor*|bootcamp|" +
    "scholarship*|diploma*|majored|majoring|enrolled|enrol*|apprentice*|seminar*|driving test|driving lesson*|syllabus|curriculum|campus|" +
    "kindergarten|a-levels|abitur|coursework|grades|lessons|erasmus|certificate course|faculty",
  travel:
    "trip|trips|travel*|flies to|flies from|flew to|flew from|fly to|flying to|flying from|flying back|flown to|flies back|flight*|hotel*|hostel*|" +
    "airbnb|holiday|holidays|vacation*|honeymoon|passport*|visa|visas|airport*|airline*|air miles|night train|train to|trains to|" +
    "by train|takes the train|took the train|sleeper train|cruise*|abroad|overseas|window seat*|aisle seat*|luggage|suitcase*|" +
    "itinerary|booked a|booked the|bookings|backpack*|tour of|tourist*|camping|campsite|road trip|sightseeing|destination*|journey*|countries|" +
    "jet lag|jetlag|ferry|boarding|plane|planes|trains and|trains over|weekend in|week in|weeks in|layover|interrail|city break|souvenir*|" +
    "continents|safari|beach resort",
  values:
    "believes in|believes that|believes|belief*|values honesty|principle|principles|ethic|ethics|ethical*|moral*|religio*|catholic|christian|" +
    "muslim|jewish|hindu|buddhis*|atheis*|protestant|orthodox|sikh|quaker|agnostic|faith|church|mosque|synagogue|prays|prayer|" +
    "cares about|cares deeply|matters more|matters most|means more to|important to|importance of|motto|refuses to|human right*|" +
    "environment|environmental*|sustainab*|conviction*|stands up for|stands for|honesty|integrity|fairness|justice|equality|feminist|" +
    "pacifist|privacy is|should be free|never lies|above all|charity|charities|donates|volunteers|family first|comes first|" +
    "puts ~ before|puts ~ first|worth more than|on principle|spiritual*|loyalty|philosophy|deeply about|conscience|is wrong to",
  projects:
    "project|projects|is building|are building|was building|build a|building a|building an|built a|working on|works on|prototype*|launch*|" +
    "release|released|releases|milestone*|roadmap|deadline*|version *|beta|next step*|migrat*|refactor*|rewrit*|rewrote|redesign*|" +
    "renovat*|repository|repositories|repo|branch|merged|pull request*|sprint*|feature*|deploy*|backlog|tickets|team decided|team chose|" +
    "team picked|team agreed|team uses|decided to use|is blocked|blocked by|blocked on|shipped|ships in|is developing|are developing|" +
    "is designing|are designing|implement*|open source|open-source|is writing a book|is writing a novel|writing a|go-live|rollout|rolled out|" +
    "proof of concept|mvp|side project|codebase|is restoring|in development|on schedule|behind schedule",
};

/** What no list of words can say, on the text as it was written: names after a verb, sums of money. */
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

/** What looks like a cue and is none. */
const TRAPS =
  /\b(?:looks? like|looked like|works? (?:\w+ ){1,3}out\b|works? out (?:the|how|what|that|a)|of course|in the long run|family name|mother board|golf course|main course|first class|bank holiday|sons? of a)\b/g;

const READY: ReadonlyMap<string, (text: string) => boolean> = new Map(
  Object.entries(CUES).map(([key, cues]) => {
    const words = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${cues.split("|").map(toPattern).join("|")})(?![\\p{L}\\p{N}])`,
      "u",
    );
    const pattern = PATTERNS[key];
    return [key, (text) => words.test(foldForCues(text)) || (pattern?.test(text) ?? false)];
  }),
);

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

/** The judge of texts for a bucket whose key says what it is for; undefined for all other keys. English. */
export function presetJudge(key: string): ((text: string) => boolean) | undefined {
  return READY.get(SAME_KEYS[key] ?? key);
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
