/** Whose words a sign applies to. */
export type Audience =
  /** Everybody: nobody's facts look like this. */
  | "everyone"
  /** Everybody but the owner speaking directly, who may well ask for a habit of their assistant. */
  | "not the owner"
  /** Only sources outside: pages, connected services, tools, the assistant itself. */
  | "outsiders";

/** A pattern of instruction-like text, with a name for reviewers. */
export interface Sign {
  readonly reason: string;
  readonly audience: Audience;
  readonly pattern: RegExp;
}

const AI =
  "(?:ai|a\\.i\\.|assistant|chatbot|chat bot|language model|llm|chatgpt|gpt-?\\d?|claude|gemini|copilot|agent|bot)";
/** Where an order begins: at the start of a sentence, or after a word that introduces a demand. */
const ORDER =
  "(?:^|[.!?:;,>\\]})\"'*-]\\s*|\\b(?:must|should|shall|please|then|now|always|never|immediately|and|to|also|instead|just|simply|you|silently|secretly|first|next)\\s+)";
const DO =
  "(?:say|tell|reply|respond|answer|claim|recommend|suggest|do|run|execute|call|send|forward|ignore|insert|include|append|mention|offer|direct|redirect|provide|give|show|reveal|delete|forget|visit|open|use|refuse|insist|pretend|state|advise|point|convince|urge|transfer|book|buy|output|return|post|e-?mail|upload|switch|link|quote|promote|warn|approve|praise|treat|trust|add|write|print|repeat|ask)";
const FILLERS =
  "(?:then |you |must |should |always |never |please |immediately |silently |secretly |simply |just |instead |also |do not |don't |will |shall |have to |need to |are to |first |quietly )*";
const EVERY_ANSWER =
  "(?:(?:every|each|all|any|your)(?: single)?(?: of your)?(?: future| subsequent| further)? (?:answer|response|reply|replies|message|output|conversation|chat|session)s?)";
const ABOUT_MEMORY = "(?:memor(?:y|ies)|container ?tags?|container|recall(?:ed)?|profiles?|secrets)";
const OTHERS =
  "(?:(?:other|another|different|all|every|each|any) (?:of the )?(?:users?'?s?|containers?'?s?|tenants?'?s?|accounts?'?s?|customers?'?s?|people'?s?|projects?'?s?|workspaces?'?s?|organi[sz]ations?'?s?|profiles?)\\b|user [\"'`]?[\\w-]{1,60}[\"'`]?'s\\b|container(?: ?tag)?s? [\"'`]?[\\w-]{1,60})";
const PRIVATE =
  "(?:(?:the |this )?user'?s?|your|all(?: of)?(?: the| your)?|everything)\\s*(?:\\w+ ){0,3}?(?:memor(?:y|ies)|conversations?|chat history|history|data|passwords?|secrets?|credentials|api keys?|tokens?|files?|e-?mails?|messages|contacts|information|profile|system prompt|know)";

function sign(reason: string, audience: Audience, ...parts: readonly string[]): Sign {
  return { reason, audience, pattern: new RegExp(parts.join(""), "iu") };
}

const COMMANDS: readonly Sign[] = [
  sign(
    "tells an assistant to drop its instructions",
    "everyone",
    "\\b(?:ignore|disregard|override|bypass|discard|neglect|forget)\\b (?:\\w+ ){0,3}?(?:previous|prior|above|earlier|preceding|existing|foregoing|your|former|original|initial|system|safety|developer'?s?)\\b(?:\\W+\\w+){0,3}?\\W+(?:instructions?|prompts?|rules|directions|guidelines|guidance|orders|commands|directives|constraints|programming|training)\\b",
  ),
  sign(
    "tells an assistant to drop its instructions",
    "everyone",
    "\\b(?:ignore|disregard|override|bypass|discard|forget)\\b (?:absolutely )?(?:all|any|every)(?: of)?(?: the| these| those)? (?:instructions?|prompts?|directives|guardrails|everything (?:above|before))\\b",
  ),
  sign(
    "tells an assistant to drop its instructions",
    "everyone",
    "\\b(?:ignorez|oubliez|ignore[zr]?) (?:\\w+ ){0,2}(?:toutes |les )(?:\\w+ ){0,2}instructions|\\b(?:ignoriere|vergiss|missachte) (?:\\w+ ){0,3}(?:anweisungen|vorgaben|instruktionen)|\\b(?:ignora|olvida|ignore) (?:\\w+ ){0,3}(?:las |le |as )?(?:\\w+ )?(?:instrucciones|istruzioni|instrucoes)|忽略.{0,8}(?:指令|指示)|игнорируй.{0,30}инструкци|hrhopnpyi.{0,30}hhctpykch",
  ),
  sign(
    "tells an assistant to destroy what it knows",
    "not the owner",
    ORDER,
    "(?:forget|delete|erase|wipe|clear|purge|destroy) (?:everything|all)(?: of)?(?: (?:the|your))? ?(?:you (?:know|have|remember)|that you|user'?s?|stored|saved|known|memor(?:y|ies)|facts|about the user)\\b",
  ),
  sign(
    "asks for what an assistant keeps to itself",
    "not the owner",
    ORDER,
    "(?:reveal|print|output|show|repeat|leak|disclose|expose|dump|recite)\\b[^.!?\\n]{0,40}?\\b(?:(?:your|the|its) (?:full |entire |complete |hidden |secret )*(?:system prompt|hidden prompt|initial prompt|instructions)|the user's (?:\\w+ )?(?:passwords?|secrets|credentials|memor(?:y|ies)|keys?))\\b",
  ),
  sign(
    "gives orders to an assistant",
    "not the owner",
    `\\b${AI}\\b[^.!?\\n]{0,30}?\\b(?:must|should|shall|has to|need(?:s)? to|is (?:to|required to|instructed to|ordered to))(?: \\w+ly| always| never| now| not)* ${DO}\\b`,
  ),
  sign(
    "gives orders to an assistant",
    "not the owner",
    `(?:^|[\\n.!?]\\s*)(?:attention|important|note|notice|instructions?|message|memo|reminder|hey|dear)\\b[^.!?\\n]{0,20}?\\b(?:all |any |the )?${AI}s?\\b(?: (?:assistants?|agents?|models?|systems?|readers?|crawlers?|summari[sz]ers?))*[^.!?\\n]{0,40}?[:,!–-]`,
  ),
  sign(
    "gives orders to an assistant",
    "not the owner",
    `\\b${AI}s?(?: (?:assistants?|agents?|models?|systems?))? (?:that (?:is |are )?|who (?:is |are )?)?(?:reading|processing|summari[sz]ing|indexing|parsing) this\\b`,
  ),
  sign(
    "gives orders to an assistant",
    "not the owner",
    `\\b(?:do not|don't|never) (?:tell|inform|warn|alert|notify|mention (?:this|it) to|reveal this to) the (?:user|human)\\b`,
  ),
];

const FAKE_SYSTEM: readonly Sign[] = [
  sign(
    "poses as a message of the system",
    "everyone",
    "(?:^|[\\n.!?]\\s*)[#\\[<*({\\s=-]{0,20}(?:system|developer|administrator|admin|operator|root)(?:[ -](?:message|prompt|override|instructions?|directive|command)s?\\b){1,3}[\\])}>*\\s]{0,20}[:\\]>=-]",
  ),
  sign(
    "poses as a message of the system",
    "everyone",
    "(?:^|[\\n.!?]\\s*)[#\\[<*({\\s=-]{0,20}(?:system|developer|administrator|admin|operator|root)(?: (?:notice|alert|update|note|announcement))?[\\])}>*\\s]{0,20}:\\s*[^\\n]{0,120}?\\b(?:you are|you must|you will|your|assistant|ignore|disregard|the user|from now on|memories|always|never)\\b",
  ),
  sign(
    "poses as a message of the system",
    "everyone",
    "<\\|?(?:im_start|im_end|system|endoftext|end_of_turn|start_of_turn|eot_id|start_header_id)\\|?>|<<\\/?sys>>|\\[\\/?(?:inst|system|developer|admin)\\](?!\\()|<\\/?(?:system|developer|assistant)(?:[_-](?:message|prompt|reminder|instructions?))?>|^\\s*#{2,}\\s*(?:system|instructions?|assistant|developer)\\s*:",
  ),
  sign(
    "poses as turns of a conversation",
    "not the owner",
    "(?:^|\\n)\\s*(?:human|user)\\s*:[^\\n]*\\n+\\s*(?:assistant|ai|system)\\s*:|(?:^|\\n)\\s*(?:assistant|system)\\s*:[^\\n]*\\n+\\s*(?:human|user)\\s*:",
  ),
  sign(
    "poses as a message of the system",
    "not the owner",
    `\\b(?:message|notice|instructions?|orders?|directives?)\\b(?: for (?:the |all )?${AI}s?)? (?:from|by) (?:openai|anthropic|google|microsoft|(?:the |your )?(?:developers?|system|administrators?|operators?|model provider))\\b[^\\n]{0,12}?[:–-]`,
    `|\\b(?:new|updated|revised|real|actual|hidden|secret) (?:system )?(?:instructions?|directives?|orders|prompt)\\b (?:for (?:the |this |all |any )?${AI}s?|from (?:the )?(?:developers?|admin|openai|anthropic|system)|have been (?:issued|loaded|received))\\b`,
    "|\\bend of (?:the )?(?:document|context|user (?:input|data)|prompt|retrieved (?:data|text)|memor(?:y|ies))\\b[^\\n]{0,40}?\\b(?:instructions?|system|assistant|you)\\b",
  ),
  sign(
    "poses as a switch of an assistant",
    "everyone",
    "\\b(?:developer|debug|god|jailbreak|dan|maintenance|unrestricted|unfiltered|sudo) mode\\b[^.!?\\n]{0,60}?\\b(?:you|assistant|your|restrictions|safety|filters|policies)\\b",
    "|\\b(?:you|assistant|your)\\b[^.!?\\n]{0,40}?\\b(?:developer|debug|god|jailbreak|dan|maintenance|unrestricted|unfiltered|sudo) mode\\b",
  ),
];

const TAKEOVER: readonly Sign[] = [
  sign(
    "gives an assistant another identity",
    "everyone",
    `\\byou are (?:now|hereby|from now on|actually|really) (?:an? |the |in |my |in fact )?(?:[\\w-]+ ){0,4}?(?:${AI}|model|dan|mode|persona|character|hacker|administrator|admin|root|system|slave|salesman|salesperson|spokesperson|representative)\\b`,
    "|\\byou are (?:now |from now on )?no longer (?:an? |the |bound|restricted|limited|claude|chatgpt|subject|constrained|required to (?:follow|obey))",
    "|\\byou are now (?:called|named|known as)\\b|\\b(?:you|assistant|ai) (?:are|is) now (?:free from|without|unbound|jailbroken|unrestricted|evil|sydney|dan)\\b",
  ),
  sign(
    "gives an assistant another identity",
    "not the owner",
    "\\b(?:act|behave|respond|answer|role-?play|speak) as (?:if you (?:were|are|had)|though you|an? (?:unrestricted|unfiltered|evil|different|uncensored)|dan\\b|my )",
    "|\\bpretend (?:to be an? (?:\\w+ ){0,2}(?:ai|assistant|model|human|admin\\w*)|that you|you (?:are|have))",
    "|\\byour (?:new |true |real |only )+(?:name|identity|role|persona|purpose|goal|objective|task|mission|owner|master|creator|boss|personality) is\\b|\\byour (?:name|identity|role|persona|purpose|owner|master|mission) is now\\b",
  ),
  sign(
    "gives an assistant another identity",
    "not the owner",
    ORDER,
    "(?:assume|adopt|take on|play) the (?:identity|persona|role|character|personality) of\\b[^.!?\\n]{0,80}?\\b(?:you|your|assistant|ai|user|and (?:never|always|answer|reply|obey))\\b",
  ),
  sign(
    "gives an assistant another identity",
    "not the owner",
    `\\b(?:the |this )?(?:assistant|ai|chatbot|bot)(?:'s (?:new |true |real )?(?:name|role|identity|purpose|owner|persona|master) is|(?: is| has) (?:now |been )?(?:no longer (?:an?|the|bound|restricted|limited)|unrestricted|jailbroken|renamed|now (?:called|named|known as|an?))) `,
  ),
];

const STANDING_ORDERS: readonly Sign[] = [
  sign(
    "orders what an assistant shall always do",
    "not the owner",
    `\\b(?:from (?:now|here|this (?:point|moment|day)|today) on(?:wards?)?|from today|henceforth|going forward|in (?:all|every|any) (?:future|subsequent|later) (?:conversation|chat|session|response|reply|answer|message)s?|for (?:all|every) (?:future|subsequent) (?:\\w+ )?\\w+|until further notice)\\b,? ?(?:please |the assistant |assistant |the ai |you |must |shall |should |will |are to |have to )*(?:always|never|begin|end|start|refer|address|speak|talk|believe|assume|consider|obey|follow|only|${DO})\\b`,
  ),
  sign(
    "orders what an assistant shall always do",
    "not the owner",
    ORDER,
    `(?:${DO}|begin|end|start|finish|put|address|obey|sign)\\b[^.!?\\n]{0,120}?\\b(?:(?:in|at|to|of|with|from|on) (?:the (?:end|beginning|start|top|bottom) of )?)?${EVERY_ANSWER}\\b`,
  ),
  sign(
    "orders what an assistant shall always do",
    "not the owner",
    `(?:^|[.!?:;,]\\s*|\\byou (?:must|should|shall|will) )(?:always|never) (?:${DO}|refer|address|question|doubt|obey|contradict|disclose)\\b[^.!?\\n]{0,80}?\\b(?:the user|users|user's|your (?:answers?|responses?|repl(?:y|ies)|users?))\\b`,
  ),
];

const TRIGGERS: readonly Sign[] = [
  sign(
    "plants an order for later",
    "not the owner",
    `\\b(?:when|whenever|if|once|as soon as|(?:the )?next time|any time|every time|each time|after)(?: (?:the |an? |any |this |that )?(?:users?|humans?|person|someone|anyone|somebody|anybody|operator)| they| he| she)\\b[^.!?\\n]{1,160}?(?:[,:;–-]|\\bthen\\b|\\byou\\b)\\s*${FILLERS}${DO}\\b`,
  ),
  sign(
    "plants an order for later",
    "not the owner",
    `\\b(?:when|if|once|whenever|upon being) (?:you (?:are |get |were )?)?(?:ever )?(?:asked|queried|prompted|questioned|told)\\b[^.!?\\n]{1,120}?[,:;–-]\\s*${FILLERS}${DO}\\b`,
  ),
  sign(
    "plants an order for later",
    "not the owner",
    ORDER,
    `${DO}\\b[^.!?\\n]{0,140}?\\b(?:when|whenever|if|once|as soon as|until|(?:the )?next time|any time|every time|each time|after) (?:the |a |an |any |this )?(?:user|human)\\b`,
  ),
  sign(
    "plants an order for later",
    "not the owner",
    "\\b(?:on|upon|after|when) (?:you )?(?:see|hear|read|receive|seeing|hearing|receiving|reading|encounter(?:ing)?) (?:the |this )?(?:secret |magic |trigger )?(?:words?|phrases?|code ?words?|keywords?|triggers?)\\b",
    "|\\b(?:trigger|activation|sleeper) (?:word|phrase|code)\\b",
  ),
];

const TOOL_BAIT: readonly Sign[] = [
  sign(
    "holds a call of a tool",
    "not the owner",
    '<\\/?(?:tool_calls?|function_calls?|tool_use|antml:\\w+|invoke name)\\b|<\\|(?:python_tag|tool_call)\\|>|"(?:tool|tool_name|function|function_call|tool_calls|name|action|recipient_name|method)"\\s*:\\s*[\\[{\\s]*"[\\w./-]+"[^]{0,200}?"(?:arguments|parameters|args|input|action_input|params|kwargs)"\\s*:',
  ),
  sign(
    "orders the call of a tool",
    "not the owner",
    ORDER,
    "(?:call|invoke|use|trigger|execute|run)\\b (?:the |your )?[`'\"]?(?:[a-z0-9]{1,40}[_-][\\w-]{1,60}|forget|delete|search|shell|bash|terminal|browser|python|e-?mail|web|files?|memory|filesystem|payment|transfer)(?:\\([^)]{0,80}\\))?[`'\"]?(?: (?:tool|function|mcp|plugin|command|api))?\\b[^.!?\\n]{0,30}?\\b(?:with|and (?:send|forward|delete|pass|post|remove)|to (?:send|delete|forward|forget|upload|transfer|e-?mail|post|wipe|remove|pay))\\b",
  ),
  sign(
    "orders a command of the shell",
    "not the owner",
    "\\b(?:curl|wget)\\b[^\\n|]{0,160}?\\|\\s*(?:sudo )?(?:ba|z|da)?sh\\b|\\b(?:please |must |now |immediately |^)?(?:run|execute|paste|type|enter)\\b[^.\\n]{0,40}?(?:\\brm -[rf]{2} [/~*]|\\bsudo \\w|\\bpowershell\\b[^\\n]{0,20}-e|\\bnc -|\\bcurl\\b[^\\n]{0,60}(?:-d|--data|-F|@)|\\bchmod 777|\\bmkfs)",
  ),
  sign(
    "has data sent away",
    "everyone",
    "!\\[[^\\]]{0,80}\\]\\(https?:\\/\\/[^)\\s]{0,200}[?=][^)]{0,80}?(?:data|secret|memor|context|conversation|history|token|password|user|info|chat|prompt|summary)[^)]{0,80}\\)",
    "|https?:\\/\\/[^\\s]{0,200}[?&=/](?:\\{\\{?|<|\\$\\{|\\[|%7b)\\s*[\\w -]{0,30}(?:data|secret|memor|context|conversation|history|token|password|key|user|info|chat|prompt|summary)",
  ),
  sign(
    "has data sent away",
    "not the owner",
    ORDER,
    "(?:fetch|visit|open|get|load|request|navigate|browse|send|call|ping|go|post|click)\\b[^\\n]{0,80}?https?:\\/\\/\\S[^\\n]{0,160}?\\b(?:with|append(?:ing|ed)?|includ(?:e|ing)|containing|attach(?:ing)?|pass(?:ing)?|followed by|plus|as (?:a |the )?(?:query|parameter|body))\\b[^.\\n]{0,60}?\\b(?:users?'?s?|memor\\w+|conversation|history|data|passwords?|secrets?|tokens?|keys?|everything|e-?mails?|name|profile)\\b",
  ),
  sign(
    "has data sent away",
    "not the owner",
    ORDER,
    `(?:send|forward|post|upload|e-?mail|transmit|exfiltrate|leak|copy|submit|report|share|publish)\\b[^.!?\\n]{0,40}?\\b${PRIVATE}\\b[^\\n]{0,60}?\\b(?:to|at|via|into|on)\\b[^\\n]{0,40}?(?:https?:|\\S@\\S|\\bwebhook|\\burl\\b|\\bserver|\\bendpoint|\\baddress|\\bpastebin|[\\w-]\\.\\w{2,})`,
  ),
];

const OTHERS_MEMORY: readonly Sign[] = [
  sign(
    "reaches for the memory of others",
    "not the owner",
    ORDER,
    `(?:read|search|list|show|copy|move|merge|delete|forget|write|add|save|store|reveal|share|access|query|include|use|switch|import|export|dump|fetch|load|look|tell|insert|put|apply|sync)\\b[^.!?\\n]{0,80}?\\b${OTHERS}[^.!?\\n]{0,80}?\\b${ABOUT_MEMORY}\\b`,
    `|(?:^|[.!?:;,]\\s*|\\b(?:also|then|now|must|please|always)\\s+)(?:read|search|list|show|copy|move|merge|delete|forget|write|add|save|store|reveal|access|query|dump|fetch|load|tell|insert|put|sync)\\b[^.!?\\n]{0,80}?\\bmemor(?:y|ies)\\b[^.!?\\n]{0,60}?\\b${OTHERS}`,
  ),
  sign(
    "reaches for the memory of others",
    "not the owner",
    "\\b(?:set|use|with|change|pass|switch)\\b[^.!?\\n]{0,30}?\\bcontainer_?tags?\\b\\s*(?:[:=]|to\\b|[\"'`])",
    "|\\bth(?:is|ese) (?:memor(?:y|ies)|facts?|instructions?) (?:applies|apply|belongs?|must be (?:copied|stored|saved|added|written)|also (?:applies|apply|belongs?))\\b[^.]{0,40}?\\b(?:all|every|each|other|any)\\b",
  ),
];

const PLANTED_CONSENT: readonly Sign[] = [
  sign(
    "claims that the user has agreed to something",
    "outsiders",
    "\\bthe (?:user|owner|account holder) (?:has |have )?(?:already )?(?:authori[sz]e[sd]|pre-?approve[sd]|consent(?:s|ed)|given (?:\\w+ )?(?:permission|consent|approval)|grant(?:s|ed)|agree[sd])\\b",
  ),
  sign(
    "dictates what to remember of the user",
    "outsiders",
    "\\b(?:remember|store|save|memori[sz]e|record|note|add)\\b[^.!?\\n]{0,60}?\\b(?:the |this |your )?user(?:'s)?\\b[^.\\n]{0,40}?\\b(?:trusts?|prefers?|wants?|authori[sz]e[sd]?|approve[sd]?|agree[sd]?|allows?|permits?|loves?|is|has|name|uses)\\b",
  ),
];

/** Every sign of instruction-like text. Texts are matched against them with straight quotes and single spaces. */
export const SIGNS: readonly Sign[] = [
  ...COMMANDS,
  ...FAKE_SYSTEM,
  ...TAKEOVER,
  ...STANDING_ORDERS,
  ...TRIGGERS,
  ...TOOL_BAIT,
  ...OTHERS_MEMORY,
  ...PLANTED_CONSENT,
];

/** Details by which somebody is reached, paid or let in: changing them takes over more than a fact. */
export const SENSITIVE =
  /\b(?:e-?mail|phone|mobile|telephone|address(?:es)?|pass(?:word|phrase|code)s?|pin|api keys?|tokens?|iban|bank|account|routing number|sort code|wallet|credit card|card number|paypal|venmo|social security|ssn|passport|names?|birthday|date of birth|emergency contact|recovery|two-factor|2fa|payments?|salary|invoices?|beneficiary|power of attorney|contact details|login|username|allerg(?:y|ies|ic)|medication|blood type)\b|[^\s@]@[^\s@]+\.\w/iu;

/** The text says that it corrects something. */
export const ANNOUNCED =
  /(?:^|[\n.!?]\s*)\W{0,20}(?:important |urgent |official |security )*(?:correction|updated?|amendment|erratum|change notice|record change|profile update|notice of change|fix)\b[^:.\n]{0,40}[:–—-]|\b(?:update|change|replace|correct|overwrite|amend) (?:(?:your|the) (?:memory|record|records|profile|notes)|(?:the )?user's)\b|\b(?:supersedes?|overrides?|overwrites?) (?:all |any |the |your |every )?(?:previous|earlier|old|existing|prior|stored)/iu;

/** The text says that something has changed. */
export const CHANGED =
  /\b(?:is|are) (?:now|actually|really|in fact|no longer)\b|\bhas (?:been |just |recently )*(?:changed|updated|replaced|moved)\b|(?<![-\w])(?:new|old|previous|former|outdated)\b|\binstead of\b|\bwas wrong\b|\bnot \S+ (?:but|anymore)\b|\bchanged (?:to|from|his|her|their)\b/iu;

/** The text refers to the user in the third person. */
export const OF_THE_USER = /\b(?:the |this |your |our )(?:user|owner|account holder)\b|\buser's\b/iu;

/** The text redirects payments. */
export const PAYMENT =
  /\b(?:send|pay|transfer|wire|direct|deposit|remit|make|route|redirect)\b[^.!?\n]{0,60}?\b(?:payments?|money|funds|invoices?|salary|wages|deposits?|refunds?|rent|transfers)\b[^.!?\n]{0,60}?\b(?:to|into)\b[^.!?\n]{0,60}?(?:\b(?:account|iban|wallet|paypal)\b|\b[A-Z]{2}\d{2}[A-Z0-9 ]{8,}|\b0x[0-9a-f]{8,}|\bbc1\w{10,})/iu;
