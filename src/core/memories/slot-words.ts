/** The English vocabulary of the rules in `slots.ts`: data, folded (lower case, no accents), singular. */

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" ").map((word) => word.replaceAll("_", " ")));
}

/** Subjects that name nobody in particular. */
export const VAGUE_SUBJECTS = words(
  "he she they it this that these those there who which what you one someone somebody anyone anybody everyone everybody " +
    "nobody people some many most all every each any no a an another other others several both either neither somewhere here",
);

/** Words that never occur in the name of a subject: with one of them the part before the verb is a clause of its own. */
export const CLAUSE_WORDS = words(
  "that which who whom whose when where while because if whether although though since until unless says said say tells told " +
    "thinks thought believes believed claims claimed knows knew hears heard reads read writes wrote is are was were be been has have " +
    "had does do did can could will would should might must wants want likes like then but or so than as not never in on at during " +
    "after before every with without from by to met saw knew about started began stopped quit got took moved went became joined left " +
    "enjoys loves hates prefers uses works lives plays wishes hopes plans runs keeps goes comes makes gets takes",
);

/** Nouns for things a person may have several of without saying which is meant. */
export const SEVERAL_OF_A_KIND = words(
  "son daughter child kid baby brother sister sibling twin cousin aunt uncle nephew niece grandson granddaughter grandchild " +
    "dog cat pet rabbit horse bird fish hamster goat chicken cow hen car bike bicycle house flat apartment phone laptop computer " +
    "roommate flatmate housemate grandfather grandmother grandpa grandma grandparent",
);

/** Nouns that refer to somebody else each time they are used. */
export const ANYBODY = words(
  "friend colleague coworker co-worker neighbour neighbor client customer student patient classmate teammate acquaintance guy man woman " +
    "girl boy person employee intern candidate applicant user's_friend stranger guest member follower fan buddy pal mate ex",
);

/** Events that recur under the same name. */
export const RECURRING_EVENTS = words(
  "meeting call appointment exam test party dinner lunch breakfast flight trip class lesson workshop session interview visit " +
    "concert game match race talk standup stand-up sync retro demo sprint webinar date event seminar lecture holiday vacation " +
    "checkup check-up delivery payment train bus ferry shift",
);

/** Countries, states and continents: living in one of them does not contradict living in a town. */
export const REGIONS = words(
  "afghanistan albania algeria argentina armenia australia austria azerbaijan bangladesh belarus belgium bolivia bosnia brazil " +
    "bulgaria cambodia cameroon canada chile china colombia costa_rica croatia cuba cyprus czechia czech_republic denmark ecuador " +
    "egypt england estonia ethiopia finland france georgia germany ghana great_britain britain greece guatemala hungary iceland india " +
    "indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya korea south_korea north_korea kosovo kuwait laos " +
    "latvia lebanon libya lithuania luxembourg malaysia malta mexico moldova mongolia montenegro morocco mozambique myanmar nepal " +
    "netherlands new_zealand nicaragua nigeria north_macedonia northern_ireland norway pakistan palestine panama paraguay peru " +
    "philippines poland portugal qatar romania russia rwanda saudi_arabia scotland senegal serbia slovakia slovenia somalia " +
    "south_africa spain sri_lanka sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uae " +
    "united_arab_emirates uk united_kingdom us usa united_states america uruguay uzbekistan venezuela vietnam wales yemen zambia " +
    "zimbabwe europe asia africa north_america south_america scandinavia oceania eu california texas florida oregon colorado arizona " +
    "nevada utah ohio illinois michigan massachusetts pennsylvania virginia georgia alaska hawaii ontario quebec alberta bavaria saxony " +
    "hesse brandenburg tuscany sicily sardinia lombardy catalonia andalusia brittany normandy provence tyrol styria queensland " +
    "victoria tasmania kerala punjab washington",
);

/** Towns that people travel to. */
export const CITIES = words(
  "amsterdam ankara antwerp athens atlanta auckland austin baltimore bangalore bangkok barcelona basel beijing belgrade bergen berlin " +
    "bern bilbao birmingham bogota bologna bordeaux boston bratislava bremen brisbane bristol brussels bucharest budapest buenos_aires " +
    "cairo calgary cambridge cape_town cardiff casablanca chennai chicago cologne copenhagen dallas delhi denver detroit dortmund dresden " +
    "dubai dublin dusseldorf edinburgh eindhoven florence frankfurt gdansk geneva genoa ghent glasgow gothenburg graz hamburg hanoi hanover " +
    "havana heidelberg helsinki hong_kong houston innsbruck istanbul jakarta jerusalem johannesburg karlsruhe kiel kolkata krakow kyiv kyoto " +
    "lagos las_vegas lausanne leeds leipzig lille lima linz lisbon liverpool ljubljana london los_angeles lyon madrid malaga malmo manchester " +
    "manila mannheim marrakesh marseille melbourne mexico_city miami milan minneapolis montreal moscow mumbai munich nairobi nantes naples new_york " +
    "nice nuremberg osaka oslo ottawa oxford palermo paris perth philadelphia phoenix pittsburgh porto portland prague quito reykjavik riga " +
    "rio_de_janeiro rome rotterdam salzburg san_diego san_francisco santiago sao_paulo seattle seoul seville shanghai singapore sofia " +
    "stockholm strasbourg stuttgart sydney taipei tallinn tampere tel_aviv the_hague thessaloniki tokyo toronto toulouse trieste turin " +
    "utrecht valencia vancouver venice verona vienna vilnius warsaw wellington winnipeg wroclaw zagreb zurich",
);

/** Things one moves to without moving house. */
export const TOOLS = words(
  "linux windows mac android ios ubuntu debian fedora arch postgres mysql sqlite oracle redis mongo kafka notion obsidian evernote " +
    "slack discord teams zoom jira linear asana trello figma sketch photoshop vim neovim emacs vscode cursor zed sublime pycharm " +
    "python java kotlin swift rust go ruby php scala elixir react vue angular svelte next django rails flask spring docker kubernetes " +
    "aws azure gcp heroku vercel netlify git chrome firefox safari edge brave gmail outlook spotify netflix excel word google claude " +
    "hetzner digitalocean cloudflare supabase firebase terraform ansible prometheus grafana datadog sentry kibana elasticsearch opensearch " +
    "clickhouse snowflake bigquery databricks mariadb duckdb valkey rabbitmq buildkite jenkins circleci gitlab github bitbucket codeberg gitea " +
    "vite webpack rollup esbuild jest vitest playwright cypress bun deno node npm pnpm yarn typescript javascript haskell zig zsh nixos nix " +
    "eslint oxlint biome tailwind astro nuxt laravel symfony wordpress shopify webflow stripe paypal hubspot salesforce zendesk confluence " +
    "airtable miro clickup todoist signal telegram whatsapp mattermost skype protonmail fastmail apple tidal deezer kindle openai anthropic " +
    "mistral penpot canva " +
    "gemini copilot chatgpt marketing sales engineering product finance support operations design research monday tuesday wednesday " +
    "thursday friday saturday sunday january february march april may june july august september october november december",
);

/** Joining one of these is not taking a job. */
export const NOT_EMPLOYERS =
  /\b(?:club|gym|team|band|choir|orchestra|party|church|class|course|group|league|society|union|chat|call|meeting|community|association|waitlist|channel|server|forum|program|programme|facebook|instagram|linkedin|twitter|x|tiktok|reddit|discord|slack|whatsapp|telegram|mastodon|bluesky|netflix|spotify|youtube|github|zoom)\b/;

/** Jobs, grouped by what may be true of the same person at once. */
const OCCUPATION_GROUPS: readonly string[] = [
  "doctor physician surgeon cardiologist paediatrician pediatrician dermatologist neurologist radiologist gp oncologist anaesthetist psychiatrist dentist",
  "nurse midwife paramedic",
  "teacher professor lecturer tutor headmaster headteacher instructor researcher scientist academic",
  "engineer developer programmer coder architect designer analyst scientist researcher administrator sysadmin tester",
  "lawyer attorney solicitor barrister judge notary paralegal",
  "accountant bookkeeper auditor banker economist",
  "cook chef baker butcher waiter waitress bartender barista",
  "carpenter plumber electrician mechanic builder bricklayer roofer welder painter",
  "pharmacist veterinarian vet therapist psychologist physiotherapist optician",
  "pilot driver sailor captain",
  "police_officer firefighter soldier",
  "librarian archivist translator interpreter journalist reporter editor",
  "farmer gardener florist forester",
  "cashier salesperson receptionist secretary estate_agent hairdresser barber tailor",
];

/** The groups of each job, by its name. */
export const OCCUPATIONS: ReadonlyMap<string, readonly number[]> = (() => {
  const found = new Map<string, number[]>();
  for (const [group, names] of OCCUPATION_GROUPS.entries())
    for (const name of words(names)) found.set(name, [...(found.get(name) ?? []), group]);
  return found;
})();

/** Words that qualify a job without making it a different one. */
export const JOB_MODIFIERS = words(
  "senior junior lead principal chief head staff deputy assistant trainee apprentice freelance self-employed registered certified qualified " +
    "software hardware data web backend frontend full-stack fullstack mobile cloud security network system systems machine learning " +
    "mechanical civil electrical chemical structural product project program engineering marketing sales account financial family " +
    "emergency night primary secondary elementary middle high school kindergarten maths math english french german history science music " +
    "bus truck taxi train lorry tax patent pastry truck ship airline police fire real estate vice managing research university",
);

/**
 * Attributes that a person or thing has one of, with the name of their slot. Modifiers (`work email`) form slots of their own.
 */
export const ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  (
    "phone:phone phone_number:phone telephone_number:phone mobile_number:phone mobile:phone cell_number:phone email:email e-mail:email " +
    "email_address:email e-mail_address:email address:address postal_address:address postcode:postcode zip_code:postcode " +
    "birthday:birthday date_of_birth:birthday birthdate:birthday age:age name:name full_name:name surname:surname last_name:surname " +
    "nickname:nickname username:username user_name:username handle:handle job:job job_title:job occupation:job profession:job " +
    "position:job role:job employer:employer boss:boss manager:manager supervisor:manager salary:salary rent:rent budget:budget " +
    "height:height weight:weight shoe_size:shoe_size blood_type:blood_type blood_group:blood_type timezone:timezone time_zone:timezone " +
    "home_town:hometown hometown:hometown native_language:mother_tongue mother_tongue:mother_tongue wife:partner husband:partner " +
    "spouse:partner partner:partner girlfriend:partner boyfriend:partner fiance:partner fiancee:partner deadline:deadline " +
    "due_date:deadline launch_date:launch release_date:launch start_date:start end_date:end status:status priority:priority " +
    "version:version owner:owner price:price website:website url:website editor:editor ide:editor text_editor:editor password:password " +
    "licence_plate:licence_plate license_plate:licence_plate dentist:dentist doctor:doctor gp:doctor therapist:therapist " +
    "main_language:main_language database:database home_airport:home_airport"
  )
    .split(" ")
    .map((entry) => {
      const [name = "", slot = ""] = entry.replaceAll("_", " ").split(":");
      return [name, slot];
    }),
);

/** Before an attribute, these words refer to one other than the current one. */
export const NOT_THE_PRESENT_ONE = words(
  "old former previous first second third other another next future planned temporary past ex late original initial emergency",
);

/** Alternatives in preferences. */
export const OPPOSITES: readonly ReadonlySet<string>[] = [
  words("dark light"),
  words("window aisle middle"),
  words("short long brief concise detailed verbose"),
  words("hot cold iced warm"),
  words("early late"),
  words("paper digital electronic printed"),
  words("formal informal casual"),
  words("metric imperial"),
];

/** Phases of a project, by what is said of it; phases on one line may be true at once. */
export const PHASES: readonly ReadonlySet<string>[] = [
  words("in_planning"),
  words("in_progress in_development in_testing in_review"),
  words("in_alpha"),
  words("in_beta"),
  words("on_hold paused"),
  words("done finished completed complete released launched live shipped in_production"),
  words("cancelled canceled abandoned"),
  words("deprecated retired archived"),
];

/** What the value of an attribute looks like; anything else describes it and is not a value. */
export const SHAPES: readonly (readonly [attribute: RegExp, shape: RegExp])[] = [
  [
    /^(?:partner|manager|boss|supervisor|doctor|dentist|therapist|owner|employer|name|surname|nickname)$/,
    /^(?:\p{Lu}[\p{L}\p{N}.'-]*)(?: \p{Lu}[\p{L}\p{N}.'-]*){0,3}$/u,
  ],
  [
    /^(?:editor|timezone|hometown|tongue|language|database|airport)$/,
    /^[\p{Lu}\p{N}][\p{L}\p{N}+#./:-]*(?: [\p{Lu}\p{N}][\p{L}\p{N}+#./:-]*){0,3}$/u,
  ],
  [/^email$/, /^\S+@\S+$/],
  [/^phone$/, /^\+?[\d\s()./-]{4,}$/],
  [/^(?:address|postcode|size)$/, /\d/],
  [/^(?:website|url)$/, /^\S+\.\S+$/],
  [/^(?:username|handle|password|version)$/, /^(?=\S*[\d@_.-])\S+$/],
  [/^plate$/, /\d/],
  [/^type$/, /^(?:a|b|ab|o)\b/i],
  [/^priority$/, /^(?:low|medium|high|urgent|critical|p\d)$/i],
];

/** Words by which the text index finds what may be in a slot. */
export const SLOT_WORDS: Readonly<Record<string, string>> = {
  answer: "wants assistant answer reply respond write speak language",
  time: "starts begins at now",
  home: "lives live living based resides moved relocated located",
  employer: "works work working employed joined job employer company started",
  job: "works is job promoted became role position",
  name: "name called named renamed",
  partner: "married engaged dating wife husband partner single divorced",
  birthday: "birthday born birth",
  age: "old years age turned",
  diet: "vegetarian vegan pescatarian omnivore diet",
  car: "drives drive car",
  status: "status progress hold done finished completed cancelled released launched live beta paused",
  like: "likes like loves enjoys dislikes hates fan",
  prefer: "prefers prefer",
};
